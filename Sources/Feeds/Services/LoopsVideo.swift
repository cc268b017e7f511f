import Model

/// Videos of Loops (github.com/joinloops/loops-server, VideoResource). Pure.
enum LoopsVideo {
    static func items(of value: JSON, origin: String, need: MediaNeed) -> [Item]? {
        guard let id = ServiceEntry.id(value["id"]) else { return nil }
        let media = value["media"] ?? .null
        var entry = FeedEntry()
        entry.id = "\(origin)/api/v1/video/\(id)"
        let texts = [value["caption"], media["alt_text"]].compactMap {
            ServiceEntry.text($0, limit: ItemLimit.text)
        }
        if !texts.isEmpty { entry.description = .init(text: texts.joined(separator: "\n\n"), isMarkup: false) }
        entry.link = FeedEntry.address(value["url"], base: origin)
        entry.published = ServiceEntry.text(value["created_at"], limit: FeedDate.limit).flatMap(FeedDate.date)
        entry.creator = value["account"].map { creator($0, origin: origin) }
        entry.tags = value["tags"]?.asTexts(limit: ItemLimit.list, each: ItemLimit.word) ?? []
        entry.isSensitive = value["is_sensitive"] == .flag(true)
        entry.duration = ServiceEntry.duration(media["duration"])
        entry.stats = ServiceEntry.stats(
            likes: value["likes"], comments: value["comments"], saves: value["bookmarks"], shares: value["shares"])
        entry.thumbnails = [FeedEntry.address(media["thumbnail"], base: origin)].compactMap(\.self)
        entry.media = [file(media, origin: origin), stream(media, origin: origin)].compactMap(\.self)
        return ItemMapper.item(entry, need: need).map { [$0] } ?? []
    }

    private static func file(_ media: JSON, origin: String) -> FeedMedia? {
        FeedEntry.address(media["src_url"], base: origin).map { url in
            FeedMedia(url: url, medium: .video, width: media["width"]?.asCount, height: media["height"]?.asCount)
        }
    }

    private static func stream(_ media: JSON, origin: String) -> FeedMedia? {
        FeedEntry.address(media["hls_url"] ?? media["hls"], base: origin).map {
            FeedMedia(url: $0, type: "application/vnd.apple.mpegurl")
        }
    }

    private static func creator(_ account: JSON, origin: String) -> Item.Creator {
        let name = ServiceEntry.text(account["username"], limit: ItemLimit.word)
        let host = RemoteURL(origin)?.origin.host ?? origin
        return Item.Creator(
            id: name.map { $0.contains("@") ? $0 : "\($0)@\(host)" },
            name: ServiceEntry.text(account["name"], limit: ItemLimit.word) ?? name,
            avatar: FeedEntry.address(account["avatar"], base: origin),
            url: FeedEntry.address(account["url"], base: origin))
    }
}
