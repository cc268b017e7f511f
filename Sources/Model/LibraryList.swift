/// A list of what flick remembers, the newest first. A value.
public enum LibraryList: String, Hashable, Sendable, CaseIterable {
    case history, liked, saved
}
