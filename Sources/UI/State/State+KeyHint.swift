import Model

/// A hint at the key that shows all keys, at the first run and after a key that does nothing.
extension State {
    static let keyHintLength = Duration.seconds(4)

    mutating func showKeyHint(now: Duration) {
        if keyLabel(of: .help) != nil { keyHintUntil = now + Self.keyHintLength }
    }

    /// How clips come into the list that is shown, if it is one of the library: "Clips you save with s appear here".
    var emptyListWords: String? {
        func words(_ verb: String, _ action: Action) -> String {
            "Clips you \(verb)" + (keyLabel(of: action).map { " with \($0)" } ?? "") + " appear here"
        }
        return switch options.list {
        case .history: "Clips you watch appear here"
        case .liked: words("like", .like)
        case .saved: words("save", .save)
        case nil: nil
        }
    }

    /// "? keys"; nil if it is not to be shown, or if no key shows the keys.
    var keyHint: String? {
        guard keyHintUntil != nil, sheet == nil, typing == nil else { return nil }
        return keyLabel(of: .help).map { "\($0) keys" }
    }

    /// Where the hint stands, before the page's number: a click on it does as the key does.
    var keyHintFrame: GridRect? {
        guard let keyHint else { return nil }
        let columns = GlyphLine(" \(keyHint) ").columns
        return GridRect(column: topRoom.upperBound - columns - 1, row: 0, columns: columns, rows: 1)
    }
}
