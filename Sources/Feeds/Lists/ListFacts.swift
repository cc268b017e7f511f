import Model

/// A list's own properties. A value.
struct ListFacts: Equatable, Sendable {
    var title: String?
}

/// An entry of a list: its item, and one line for each part that was dropped; or why it has no item.
typealias ListEntry = Result<(item: Item, warnings: [String]), ItemError>

extension ItemError {
    static let tooLongLine = ItemError(why: "its line is longer than \(LineReader.limit >> 10) KB")
}
