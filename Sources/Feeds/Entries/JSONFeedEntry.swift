import Model

/// JSON Feed 1.0 and 1.1 (jsonfeed.org).
extension FeedEntry {
    /// The most bytes of a text in HTML, in which tags take most of the room.
    private static let markupLimit = 8 * ItemLimit.text

    /// One element of `items`. Fields of the wrong type are left out. nil if it is no object.
    ///
    /// - Parameter base: the URL of the feed, which relative addresses are resolved against.
    init?(jsonFeed value: JSON, base: String) {
        guard case .object = value else { return nil }
        let address = { (value: JSON?) in Self.address(value, base: base) }
        // The specification wants texts and RFC 3339, but some write numbers and other dates.
        id = value["id"]?.asText(limit: ItemLimit.url)
        title = Self.text(value["title"], isMarkup: false, limit: ItemLimit.title)
        description =
            Self.text(value["content_text"], isMarkup: false, limit: ItemLimit.text)
            ?? Self.text(value["content_html"], isMarkup: true, limit: Self.markupLimit)
            ?? Self.text(value["summary"], isMarkup: false, limit: ItemLimit.text)
        let external = address(value["external_url"])
        link = address(value["url"]) ?? external
        published = value["date_published"]?.asText(limit: 64).flatMap(FeedDate.date)
        updated = value["date_modified"]?.asText(limit: 64).flatMap(FeedDate.date)
        creator = Self.creator(value, base: base)
        tags = value["tags"]?.asTexts(limit: ItemLimit.list, each: ItemLimit.word) ?? []
        thumbnails = [value["image"], value["banner_image"]].compactMap(address)
        media = Self.attachments(value["attachments"], base: base)
        // A post that only points to a file elsewhere.
        if media.isEmpty, let external, let ending = MediaKind.ending(ofURL: external), ClipName.isClip(ending: ending)
        {
            media = [FeedMedia(url: external)]
        }
        let language = value["language"]?.asText(limit: ItemLimit.word)
        for index in media.indices { media[index].language = language }
    }

    private static func text(_ value: JSON?, isMarkup: Bool, limit: Int) -> Text? {
        guard case .text(let text)? = value, let kept = text.stripped.cut(to: limit) else { return nil }
        return Text(text: kept, isMarkup: isMarkup)
    }

    /// The absolute URL that a text names; nil if it names none.
    static func address(_ value: JSON?, base: String) -> String? {
        guard case .text(let text)? = value, text.utf8.count <= ItemLimit.url else { return nil }
        let stripped = text.stripped
        return stripped.isEmpty ? nil : URLParts.resolve(stripped, against: base)
    }

    /// The first of `authors` (1.1), else `author` (1.0).
    private static func creator(_ value: JSON, base: String) -> Item.Creator? {
        var author = value["author"]
        if case .list(let authors)? = value["authors"], let first = authors.first { author = first }
        guard let author, case .object = author else { return nil }
        var name: String?
        if case .text(let text)? = author["name"] { name = text.stripped.cut(to: ItemLimit.word) }
        let creator = Item.Creator(
            name: name, avatar: address(author["avatar"], base: base), url: address(author["url"], base: base))
        return creator == Item.Creator() ? nil : creator
    }

    // MARK: Attachments

    /// The files of an entry that are forms of the same thing, and its images.
    ///
    /// Attachments with equal titles are one thing in several forms. Others are
    /// something else, such as a trailer, and are dropped.
    private static func attachments(_ value: JSON?, base: String) -> [FeedMedia] {
        guard case .list(let values)? = value else { return [] }
        let all = values.prefix(ItemLimit.list).compactMap { attachment($0, base: base) }
        let main = all.first { media in
            let kind = MediaKind(media)
            return kind != nil && kind != .image && kind != .unknown
        }
        guard let main else { return all }
        return all.filter { $0.title == main.title || MediaKind($0) == .image }
    }

    private static func attachment(_ value: JSON, base: String) -> FeedMedia? {
        guard case .object = value, let url = address(value["url"], base: base) else { return nil }
        var media = FeedMedia(url: url)
        if case .text(let type)? = value["mime_type"] {
            // Without parameters.
            let bare = type.prefix { $0 != ";" }
            media.type = String(bare).stripped.cut(to: ItemLimit.word)?.lowercased()
        }
        if case .text(let title)? = value["title"] { media.title = title.stripped.cut(to: ItemLimit.word) }
        media.length = value["size_in_bytes"]?.asCount.map { Int64($0) }
        if let seconds = value["duration_in_seconds"]?.asNumber, seconds > 0, seconds < 1e9 {
            media.duration = .milliseconds(Int((seconds * 1_000).rounded()))
        }
        return media
    }
}
