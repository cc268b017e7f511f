/// The user's reaction to an item. Like and dislike exclude each other. A value.
public struct Reaction: Hashable, Sendable {
    public var isLiked = false
    public var isDisliked = false
    public var isSaved = false
    /// Its link was copied, in this session.
    public var wasShared = false

    public init() {}

    public init(isLiked: Bool, isDisliked: Bool, isSaved: Bool) {
        (self.isLiked, self.isDisliked, self.isSaved) = (isLiked, isDisliked, isSaved)
    }
}

/// A list of what flick remembers, the newest first. A value.
public enum LibraryList: String, Hashable, Sendable, CaseIterable {
    case history, liked, saved
}
