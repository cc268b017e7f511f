import Model

/// A hint at the key that shows all keys, after a key that does nothing; at the first run also at a few others.
extension State {
    /// - Parameter isFirst: nobody has used flick here before.
    mutating func showKeyHint(isFirst: Bool = false, now: Duration) {
        guard keyLabel(of: .help) != nil else { return }
        view.showHint(isFirst: isFirst, now: now)
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

    /// "? keys", with the keys that every page needs before it at the first run; nil if it is not to be shown, or if no
    /// key shows the keys.
    var keyHint: GlyphLine? {
        guard let hint = view.hint, view.sheet == nil, typing == nil, keyLabel(of: .help) != nil else { return nil }
        let all = footer([(.next, "next"), (.like, "like"), (.help, "keys"), (.quit, "quit")])
        return hint.isFirst && all.columns + 3 <= topRoom.count ? all : footer([(.help, "keys")])
    }

    /// Where the hint stands, before the page's number: a click on it does as the key does.
    var keyHintFrame: GridRect? {
        guard let keyHint else { return nil }
        let columns = keyHint.columns + 2
        return GridRect(column: topRoom.upperBound - columns - 1, row: 0, columns: columns, rows: 1)
    }
}
