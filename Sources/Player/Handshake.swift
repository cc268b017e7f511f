import Wire

/// What every decoder says first, and once: that it is ready, and speaks this version of the wire. Pure.
struct Handshake {
    private(set) var hasCome = false

    /// Throws at a message before the greeting, at a second greeting, and at one of another version.
    mutating func check(_ message: FromDecoder) throws(WireError) {
        if case .hello(let version, _) = message {
            guard !hasCome, version == WireLimit.version else { throw .invalid("version") }
            hasCome = true
        } else if !hasCome {
            throw .invalid("greeting")
        }
    }
}

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
