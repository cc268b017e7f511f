import Wire

/// Whether there is a decoder that works, and what holds it, for `doctor`. From any thread, which it blocks.
public enum DecoderCheck {
    /// Starts the decoder at `path` and waits for its greeting. Blocks for about 35 ms, and for some 45 s at most;
    /// throws `WireError`.
    public static func greeting(path: String) throws(WireError) -> Confinement {
        let nursery = Nursery(path: path)
        var silence = SilenceLimits()
        while true {
            do throws(WireError) { return try greeting(of: nursery.decoder(), within: silence.current) } catch {
                guard error == .silent, silence.next() else { throw error }
            }
        }
    }

    private static func greeting(of process: DecoderProcess, within patience: Duration) throws(WireError) -> Confinement
    {
        defer {
            process.kill()
            process.reap()
        }
        try process.waitUntilStarted()
        let message = try process.channel.receive(within: patience)
        var greeting = Handshake()
        try greeting.check(message)
        guard case .hello(_, let confinement) = message else { throw .invalid("greeting") }
        return confinement
    }
}
