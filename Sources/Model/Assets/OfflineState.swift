/// Whether the user keeps a clip offline, and how far that is. A value.
public enum OfflineState: Sendable, Equatable {
    case no
    /// It is being fetched whole. The part that is there: 0 … 1; nil while that is unknown.
    case fetching(Double?)
    /// All of it is on disk.
    case whole
    /// It cannot be fetched whole: why, in a few words.
    case failed(String)
}
