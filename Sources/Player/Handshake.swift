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
