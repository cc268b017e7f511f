import Model

/// Posts of Mastodon (docs.joinmastodon.org/entities/Status, /MediaAttachment): each video, silent loop, sound and
/// image of them is an item. Pure.
enum MastodonPost {
    /// The most bytes of a post's HTML, in which tags take most of the room.
    private static let markupLimit = 8 * ItemLimit.text

    static func items(of value: JSON, origin: String, need: MediaNeed) -> [Item]? {
        guard ServiceEntry.id(value["id"]) != nil else { return nil }
        let post = value["reblog"] ?? value
        guard let id = ServiceEntry.id(post["id"]) else { return nil }
        let common = entry(post, origin: origin)
        var items: [Item] = []
        var (clips, images) = (0, 0)
        for attachment in ServiceEntry.list(post["media_attachments"]) {
            guard let media = media(attachment, origin: origin) else { continue }
            var entry = common
            entry.media = [media]
            entry.thumbnails = [attachment["preview_url"], attachment["preview_remote_url"]].compactMap {
                FeedEntry.address($0, base: origin)
            }
            let content = ServiceEntry.text(post["content"], limit: markupLimit) ?? ""
            // The alternative text comes after the visible one.
            let alt =
                ServiceEntry.text(attachment["description"], limit: ItemLimit.text).map {
                    "<p>\(SyndicationField.escaped($0))</p>"
                } ?? ""
            if !content.isEmpty || !alt.isEmpty { entry.description = .init(text: content + alt, isMarkup: true) }
            // Images are counted by themselves: what is remembered of the others has their numbers.
            let part = media.medium == .image ? "#image\(images + 1)" : clips == 0 ? "" : "#\(clips + 1)"
            entry.id = "\(origin)/api/v1/statuses/\(id)" + part
            guard var item = ItemMapper.item(entry, need: need) else { continue }
            if media.medium == .image { images += 1 } else { clips += 1 }
            item.blurHash = ServiceEntry.text(attachment["blurhash"], limit: ItemLimit.word)
            items.append(item)
        }
        return items
    }

    /// The properties that all items of a post share.
    private static func entry(_ post: JSON, origin: String) -> FeedEntry {
        var entry = FeedEntry()
        // The warning before it, or its subject.
        entry.warning = ServiceEntry.text(post["spoiler_text"], limit: ItemLimit.title)
        entry.title = entry.warning.map { FeedEntry.Text(text: $0, isMarkup: false) }
        entry.isSensitive = post["sensitive"] == .flag(true)
        entry.link = FeedEntry.address(post["url"], base: origin) ?? FeedEntry.address(post["uri"], base: origin)
        entry.published = ServiceEntry.text(post["created_at"], limit: FeedDate.limit).flatMap(FeedDate.date)
        entry.creator = post["account"].map { creator($0, origin: origin) }
        entry.tags = ServiceEntry.list(post["tags"]).compactMap {
            ServiceEntry.text($0["name"], limit: ItemLimit.word)
        }
        entry.stats = ServiceEntry.stats(
            likes: post["favourites_count"], comments: post["replies_count"], shares: post["reblogs_count"])
        return entry
    }

    /// nil for what the instance does not know.
    private static func media(_ attachment: JSON, origin: String) -> FeedMedia? {
        let medium: FeedMedia.Medium
        switch ServiceEntry.text(attachment["type"], limit: ItemLimit.word) {
        case "video", "gifv": medium = .video
        case "audio": medium = .audio
        case "image": medium = .image
        default: return nil
        }
        // Until the instance has it, the media is where it comes from only.
        let url =
            FeedEntry.address(attachment["url"], base: origin)
            ?? FeedEntry.address(attachment["remote_url"], base: origin)
        guard let url else { return nil }
        let original = attachment["meta"]?["original"]
        return FeedMedia(
            url: url, medium: medium, width: original?["width"]?.asCount, height: original?["height"]?.asCount,
            duration: ServiceEntry.duration(original?["duration"]))
    }

    private static func creator(_ account: JSON, origin: String) -> Item.Creator {
        let name = ServiceEntry.text(account["acct"], limit: ItemLimit.word)
        let host = RemoteURL(origin)?.origin.host ?? origin
        return Item.Creator(
            id: name.map { $0.contains("@") ? $0 : "\($0)@\(host)" },
            name: ServiceEntry.text(account["display_name"], limit: ItemLimit.word)
                ?? ServiceEntry.text(account["username"], limit: ItemLimit.word) ?? name,
            avatar: FeedEntry.address(account["avatar_static"] ?? account["avatar"], base: origin),
            url: FeedEntry.address(account["url"], base: origin))
    }
}
