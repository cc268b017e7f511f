#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// A comment on an item. Its texts are not clean. A value.
public struct Comment: Hashable, Sendable, Identifiable {
    /// Where an own comment is on its way. Others' comments are sent.
    public enum Sending: Hashable, Sendable {
        case sent, sending
        case refused(why: String)
    }

    public var id: String
    /// nil if the service sends no name.
    public var name: String?
    public var text: String
    public var at: Date
    /// The id of the comment that this one answers.
    public var parent: String?
    public var isOwn: Bool
    public var state: Sending

    public init(
        id: String, name: String? = nil, text: String, at: Date, parent: String? = nil, isOwn: Bool = false,
        state: Sending = .sent
    ) {
        self.id = id
        self.name = name
        self.text = text
        self.at = at
        self.parent = parent
        self.isOwn = isOwn
        self.state = state
    }
}

extension Comment {
    /// Whether a text has anything visible: not only blanks, invisible characters (U+200B), or marks without a letter.
    public static func isVisible(_ text: String) -> Bool {
        text.unicodeScalars.contains { scalar in
            switch scalar.properties.generalCategory {
            case .control, .format, .surrogate, .spaceSeparator, .lineSeparator, .paragraphSeparator, .nonspacingMark,
                .enclosingMark:
                false
            // Braille without dots.
            default: !scalar.properties.isDefaultIgnorableCodePoint && scalar != "\u{2800}"
            }
        }
    }
}

/// A page of an item's comments. A value.
public struct CommentPage: Hashable, Sendable {
    /// The newest first; answers follow what they answer, the oldest first.
    public var comments: [Comment]
    /// The request for the next page; nil if this is the last one.
    public var next: String?
    /// The number of comments on all pages, if the service sends it.
    public var total: Int?

    public init(comments: [Comment], next: String? = nil, total: Int? = nil) {
        self.comments = comments
        self.next = next
        self.total = total
    }
}
