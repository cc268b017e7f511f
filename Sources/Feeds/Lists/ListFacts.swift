import Model

/// What a list says of itself. A value.
struct ListFacts: Equatable, Sendable {
    var title: String?
}

/// An entry of a list: its item, and one line for each thing that was left out of it; or why it is none.
typealias ListEntry = Result<(item: Item, warnings: [String]), ItemError>

extension ItemError {
    static let tooLongLine = ItemError(why: "its line is longer than \(LineReader.limit >> 10) KB")
}
