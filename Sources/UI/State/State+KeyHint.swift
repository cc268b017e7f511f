import Model

/// A hint at the key that shows all keys, at the first run and after a key that does nothing.
extension State {
    static let keyHintLength = Duration.seconds(4)

    mutating func showKeyHint(now: Duration) {
        if keyLabel(of: .help) != nil { keyHintUntil = now + Self.keyHintLength }
    }

    /// "? keys"; nil if it is not to be shown, or if no key shows the keys.
    var keyHint: String? {
        guard keyHintUntil != nil, sheet == nil else { return nil }
        return keyLabel(of: .help).map { "\($0) keys" }
    }
}
