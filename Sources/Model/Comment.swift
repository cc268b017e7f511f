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
    /// How many people like it; nil if the service does not say.
    public var likes: Int?
    /// Whether the user does.
    public var isLiked = false
    /// Its text is gone. It is listed for the sake of its answers.
    public var isDeleted = false

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

/// What a viewer does with a comment that a service has. A value.
public enum CommentAct: Hashable, Sendable {
    /// Deletes it; false: brings it back.
    case delete(Bool)
    /// Likes it; false: no longer.
    case like(Bool)
    /// Reports it to the service's operator. The reason is trimmed and not empty.
    case report(reason: String)
}

/// What a feed's service can do besides the first version of its protocol: the words of `accepts` in its manifest.
/// Services that do not list them get no such messages. A value.
public enum ServiceAbility: String, Hashable, Sendable, CaseIterable {
    /// Deletes a viewer's own comment, and brings it back.
    case deleteComment = "delete_comment"
    case likeComment = "like_comment"
    case reportComment = "report_comment"
    /// Deletes an item of the viewer's own (`Item.own`), and brings it back.
    case deleteItem = "delete_item"
}
