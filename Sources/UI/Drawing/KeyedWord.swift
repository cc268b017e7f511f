import Model

/// A word of the page with its key set apart: a letter of the word if that is the key, else the key behind it.
/// "dislike" with `d` has its first letter set apart, "share" with `y` becomes "share y". A value.
struct KeyedWord: Sendable {
    /// With a space behind it if the key follows there.
    let word: String
    /// The key and its column from the word's beginning; nil if there is none, or no room for it.
    let key: (text: GlyphLine, column: Int)?

    /// - Parameters:
    ///   - word: ASCII.
    ///   - key: as `State.keyLabel` names it.
    ///   - room: columns, at least those of the word.
    init(_ word: String, key: String?, room: Int) {
        let line = key.map(GlyphLine.init)
        if let key, let line, key.utf8.count == 1, let place = word.firstIndex(of: Character(key)) {
            (self.word, self.key) = (word, (line, word.utf8.distance(from: word.startIndex, to: place)))
        } else if let line, word.utf8.count + 1 + line.columns <= room {
            (self.word, self.key) = (word + " ", (line, word.utf8.count + 1))
        } else {
            (self.word, self.key) = (word, nil)
        }
    }

    var columns: Int { max(word.utf8.count, key.map { $0.column + $0.text.columns } ?? 0) }
}

extension OverlayDrawing {
    /// The word dim, its key bold and in the colour of text. It can stand over a line of text that has been cut for it.
    mutating func write(_ keyed: KeyedWord, column: Int, row: Int, theme: Theme) {
        write(keyed.word, column: column, row: row, color: theme.dim)
        guard let key = keyed.key else { return }
        write(key.text, column: column + key.column, row: row, color: theme.text, style: .bold)
    }
}
