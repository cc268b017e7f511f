import Model

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// Makes an item of an entry, whatever its format. Pure.
///
/// Everything is as long as a manifest's fields may be (see `ItemReader`), and still untrusted.
enum ItemMapper {
    /// The most letters of a line that stands in for a title.
    private static let leadLimit = 100

    /// nil if there is nothing to play. Addresses are absolute, but the caller has to ask `URLAccessPolicy` for each.
    static func item(_ entry: FeedEntry, need: MediaNeed) -> Item? {
        MediaChoice.best(of: entry, need: need).map { item(entry, playing: $0) }
    }

    /// The item of an entry of which it is known what is played.
    static func item(_ entry: FeedEntry, playing media: FeedMedia) -> Item {
        let (title, text) = texts(entry)
        var item = Item(
            id: entry.id?.stripped.cut(to: ItemLimit.word) ?? ItemID.hash(of: media.url), url: media.url,
            thumbnail: thumbnail(entry, playing: media), title: title ?? ClipTitle.of(media.url), text: text,
            duration: duration(media.duration) ?? duration(entry.duration),
            published: date(entry.published) ?? date(entry.updated), creator: entry.creator.flatMap(creator),
            tags: tags(entry.tags), stats: entry.stats, link: entry.link.flatMap(address))
        item.isSensitive = entry.isSensitive
        item.warning = entry.warning?.stripped.cut(to: ItemLimit.title)
        item.captions = entry.captions.filter { MediaChoice.isReachable($0.url) }
        item.chapters = entry.chapters
        item.chaptersURL = entry.chaptersURL.flatMap(address)
        return item
    }

    // MARK: Texts

    /// An entry without a title is named by its first line, as in a list of posts.
    private static func texts(_ entry: FeedEntry) -> (title: String?, text: String?) {
        let title = entry.title.flatMap { line($0, limit: ItemLimit.title) }
        let text = entry.description.flatMap(block)
        guard title == nil, let text else { return (title, title == text ? nil : text) }
        let first = String(text.prefix { !$0.isNewline })
        if first.utf8.count == text.utf8.count, first.unicodeScalars.count <= leadLimit { return (text, nil) }
        guard let lead = first.cut(to: leadLimit) else { return (nil, text) }
        return (lead.utf8.count < first.utf8.count ? lead + "…" : lead, text)
    }

    static func line(_ text: FeedEntry.Text, limit: Int) -> String? {
        guard text.isMarkup else { return text.text.stripped.cut(to: limit) }
        let shown = PlainText.line(text.text, limit: limit)
        // A title of nothing but tags is about tags: "<video>". Tags with attributes are a picture, not a title.
        let speaksOfTags = shown.isEmpty && !text.text.utf8.contains(UInt8(ascii: "="))
        return (speaksOfTags ? text.text.stripped : shown).cut(to: limit)
    }

    static func block(_ text: FeedEntry.Text) -> String? {
        let limit = ItemLimit.text
        return (text.isMarkup ? PlainText.block(text.text, limit: limit) : text.text.stripped).cut(to: limit)
    }

    /// Without repetitions and signs before them.
    private static func tags(_ tags: [String]) -> [String] {
        var (kept, seen): ([String], Set<String>) = ([], [])
        for tag in tags.prefix(ItemLimit.list) {
            let bare = tag.stripped.drop { $0 == "#" }
            guard let tag = String(bare).cut(to: ItemLimit.word), seen.insert(tag.lowercased()).inserted else {
                continue
            }
            kept.append(tag)
        }
        return kept
    }

    private static func creator(_ creator: Item.Creator) -> Item.Creator? {
        let creator = Item.Creator(
            id: creator.id?.stripped.cut(to: ItemLimit.word),
            name: creator.name?.stripped.cut(to: ItemLimit.word), avatar: creator.avatar.flatMap(address),
            url: creator.url.flatMap(address))
        return creator == Item.Creator() ? nil : creator
    }

    // MARK: Addresses

    private static func address(_ url: String) -> String? { MediaChoice.isReachable(url) ? url : nil }

    /// The first that can be drawn; else a picture among the media that is not played itself.
    private static func thumbnail(_ entry: FeedEntry, playing media: FeedMedia) -> String? {
        let named = entry.thumbnails.first { url in
            MediaChoice.isReachable(url) && MediaKind(FeedMedia(url: url, medium: .image)) == .image
        }
        if let named { return named }
        return entry.media.first { other in
            other.url != media.url && MediaChoice.isReachable(other.url) && MediaKind(other) == .image
        }?.url
    }

    // MARK: Times

    private static func duration(_ duration: Duration?) -> Duration? {
        guard let duration, duration > .zero, duration < .seconds(1e9) else { return nil }
        return duration
    }

    /// Years of four digits, from 1900 on: what feeds have besides is nonsense.
    private static func date(_ date: Date?) -> Date? {
        guard let date, (-2_208_988_800..<253_402_300_800).contains(date.timeIntervalSince1970) else { return nil }
        return date
    }
}

extension PageSink {
    /// The next entry, as an item. Throws why it cannot be used. One without media is left out.
    mutating func add(_ entry: FeedEntry, _ links: FeedLinks, _ need: MediaNeed) throws(ItemError) {
        guard let item = ItemMapper.item(entry, need: need) else { return leaveOut() }
        add(try links.checked(item))
    }
}
