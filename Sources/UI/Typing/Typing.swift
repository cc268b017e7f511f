import Model

/// A text field that is open, and what for. A value.
struct Typing: Sendable, Equatable {
    enum Purpose: Sendable, Equatable {
        /// A comment on an item; `parent` is the id of the comment that it answers.
        case message(Item.ID, parent: String?)
        /// Words to look for among the loaded items.
        case filter
        /// Words to look for among the keys, in their sheet.
        case keys
    }

    var purpose: Purpose
    var field: TextField

    /// The item that a message is about.
    var item: Item.ID? { if case .message(let item, _) = purpose { item } else { nil } }

    /// The most lines in view.
    var maxLines: Int { item == nil ? 1 : 5 }
}
