import Model

/// The files of subtitles that were read last. A value.
struct CaptionFiles: Sendable {
    struct Name: Hashable, Sendable {
        var item: Item.ID
        /// In `Item.captions`.
        var index: Int
    }

    enum File: Sendable, Equatable {
        case reading, unusable
        case read(CueList)
    }

    /// The most files that are kept: fifty thousand cues are some 10 MB.
    static let limit = 4

    /// The one that was used last at the end.
    private var files: [(name: Name, file: File)] = []

    /// nil if it is not known.
    subscript(name: Name) -> File? {
        get { files.first { $0.name == name }?.file }
        set {
            files.removeAll { $0.name == name }
            if let newValue { files.append((name, newValue)) }
            if files.count > Self.limit { files.removeFirst() }
        }
    }
}
