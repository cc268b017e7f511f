import Wire

/// Whether there is a decoder that works, for `doctor`. From any thread, which it blocks.
public enum DecoderCheck {
    /// Starts the decoder at `path` and waits for its greeting. Blocks for about 30 ms; throws `WireError`.
    public static func greeting(path: String) throws(WireError) {
        let process = try DecoderProcess.spawn(path: path)
        defer {
            process.kill()
            process.reap()
        }
        guard case .hello(WireLimit.version) = try process.channel.receive() else { throw .invalid("greeting") }
    }
}
