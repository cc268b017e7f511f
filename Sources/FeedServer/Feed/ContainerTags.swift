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
