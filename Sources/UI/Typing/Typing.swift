import Model
import TerminalInput

/// A text field that is open, what for, and what was found with it. A value.
struct Typing: Sendable, Equatable {
    enum Purpose: Sendable, Equatable {
        /// A comment on an item; `parent` is the id of the comment that it answers.
        case message(Item.ID, parent: String?)
        /// Words to look for among the loaded items.
        case filter
        /// A source to add to Home.
        case source
        /// Words of titles to hide.
        case hidden
        /// Why a comment is reported.
        case report(Item, comment: String)
        /// Words to look for among the keys, in their sheet.
        case keys
    }

    let purpose: Purpose
    var field: TextField
    /// The search among the loaded items, if that is what the field is for.
    var filter: Filter?

    init(_ purpose: Purpose, in field: TextField) {
        (self.purpose, self.field) = (purpose, field)
        filter = purpose == .filter ? Filter() : nil
    }

    /// A field of one line.
    init(_ purpose: Purpose) { self.init(purpose, in: TextField(keepsLines: false)) }

    /// The item that a message is about.
    var item: Item.ID? { if case .message(let item, _) = purpose { item } else { nil } }

    /// The most lines in view.
    var maxLines: Int { item == nil ? 1 : 5 }

    /// The words that are looked for among the keys, folded.
    var keyWords: [[UInt8]] { purpose == .keys ? LetterFold.words(field.text) : [] }

    /// Whether Enter does something.
    ///
    /// - Parameter items: how many are loaded.
    func canEnter(items: Int) -> Bool {
        if purpose == .keys { return true }
        return filter.map { $0.count(of: items) > 0 } ?? !field.isEmpty
    }

    /// Without what was found, which is large: to be compared later.
    var withoutFound: Typing {
        var typing = self
        typing.filter = nil
        return typing
    }

    /// Takes a key, if it edits the text. Returns whether it does.
    ///
    /// - Parameter width: the columns of a line.
    mutating func handle(_ key: Key, width: Int) -> Bool {
        guard field.handle(key, width: width) else { return false }
        search()
        return true
    }

    mutating func paste(_ text: String) {
        field.insert(text)
        search()
    }

    private mutating func search() { filter?.look(for: field.text) }

    /// How far a key moves in the list of what was found; nil for any other key.
    static func step(of key: Key) -> (count: Int, isPage: Bool)? {
        switch key {
        case .up, .control("p"): (-1, false)
        case .down, .control("n"): (1, false)
        case .pageUp: (-1, true)
        case .pageDown: (1, true)
        default: nil
        }
    }
}
