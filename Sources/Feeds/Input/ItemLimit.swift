/// How much is read of an item: what is longer is cut, or left out. In bytes, but for `list`.
enum ItemLimit {
    static let url = 8_192
    static let title = 1_000
    static let text = 20_000
    static let word = 200
    /// In elements.
    static let list = 64
}

/// Why an item cannot be used.
struct ItemError: Error {
    var why: String
}
