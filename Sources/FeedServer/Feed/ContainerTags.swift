import Model
import Wire

/// The tags of a clip's file that a feed has a place for. Not clean. A value.
struct ContainerTags: Sendable, Equatable {
    var title: String?
    var text: String?
    var creator: Item.Creator?
    var topics: [String]

    /// As many as a page shows.
    private static let maxTopics = 12

    /// nil if it says nothing.
    init?(_ tags: MediaInfo.Tags) {
        func text(_ text: String) -> String? {
            let text = text.trimmed
            return text.isEmpty ? nil : text
        }
        title = text(tags.title)
        self.text = text(tags.comment)
        creator = text(tags.artist).map { Item.Creator(id: FolderIndex.creatorID($0), name: $0) }
        // Several stand in one field: "Ambient; Sea", "Ambient/Sea". ID3 also has numbers: "(26)".
        topics = Array(
            tags.genre.split { ";,/\0".contains($0) }.compactMap { text(String($0)) }
                .filter { !$0.utf8.allSatisfy { "0123456789()".utf8.contains($0) } }.prefix(Self.maxTopics))
        if title == nil, self.text == nil, creator == nil, topics.isEmpty { return nil }
    }

    /// Puts what it names over what the path says.
    func apply(to item: inout Item) {
        item.title = title ?? item.title
        item.text = text ?? item.text
        item.creator = creator ?? item.creator
        if !topics.isEmpty { item.tags = topics }
    }
}

/// The tags of clips in the edition that was read last. A value.
///
/// A folder is searched again and again. The tags of a clip hold until another edition
/// of it was read, or a whole search passed without it.
struct KnownTags {
    private struct Edition {
        var validators: Validators
        var tags: ContainerTags?
        /// Which look saw the clip last.
        var look: Int
    }

    private var clips: [UInt64: Edition] = [:]
    private var look = 0

    /// The tags of the clips that have some, by the number of their id.
    var tags: [UInt64: ContainerTags] { clips.compactMapValues(\.tags) }

    /// The look sees the clip. Returns whether it need not be read: this edition of it was.
    mutating func has(_ number: UInt64, _ validators: Validators) -> Bool {
        clips[number]?.look = look
        return clips[number]?.validators == validators
    }

    /// An edition was read; nil: it says nothing.
    mutating func note(_ tags: ContainerTags?, of number: UInt64, _ validators: Validators) {
        clips[number] = Edition(validators: validators, tags: tags, look: look)
    }

    /// A look has come to its end: forgets the clips that it did not see. The next begins.
    mutating func forgetUnseen() {
        clips = clips.filter { $0.value.look == look }
        look += 1
    }
}
