import Model

/// A word of the page behind the key that does what it says: "d dislike". A value.
struct KeyedWord: Sendable {
    /// nil without a key, or without room for it.
    let key: GlyphLine?
    let word: String

    /// - Parameters:
    ///   - word: ASCII.
    ///   - key: as `State.keyLabel` names it.
    ///   - room: columns, at least those of the word.
    init(_ word: String, key: String?, room: Int) {
        let key = key.map(GlyphLine.init)
        self.key = key.flatMap { $0.columns + 1 + word.utf8.count <= room ? $0 : nil }
        self.word = word
    }

    var columns: Int { (key.map { $0.columns + 1 } ?? 0) + word.utf8.count }
}
