import Wire

/// Whether there is a decoder that works, and what holds it, for `doctor`. From any thread, which it blocks.
public enum DecoderCheck {
    /// How long it may take to load its libraries from a slow disk.
    private static let patience = Duration.seconds(10)

    /// Starts the decoder at `path` and waits for its greeting. Blocks for about 35 ms, and for some 40 s at most; throws `WireError`.
    public static func greeting(path: String) throws(WireError) -> Confinement {
        let process = try Nursery(path: path).decoder()
        defer {
            process.kill()
            process.reap()
        }
        try process.waitUntilStarted()
        let message = try process.channel.receive(within: patience)
        var greeting = Greeting()
        try greeting.check(message)
        guard case .hello(_, let confinement) = message else { throw .invalid("greeting") }
        return confinement
    }
}
