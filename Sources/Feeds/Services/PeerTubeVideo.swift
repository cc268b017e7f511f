import Model

/// Videos of PeerTube, as lists have them (docs.joinpeertube.org/api-rest-reference.html, models Video, VideoDetails
/// and PlaylistElement). Pure.
///
/// Lists do not name the media: it is requested when the page comes near (`PeerTubeResolver`).
enum PeerTubeVideo {
    /// The state of a video that can be watched. Others wait for their stream, or are being transcoded.
    private static let published = 1
    /// In pixels: pictures are no larger than these need be.
    private static let avatarWidth = 48
    private static let thumbnailWidth = 640

    static func items(of value: JSON, origin: String, need: MediaNeed) -> [Item]? {
        // An element of a playlist has its video in a field, which is null if that is gone.
        if value["position"] != nil, value["uuid"] == nil, value["video"] == nil { return [] }
        let video = value["video"] ?? value
        guard
            let id = ServiceEntry.id(video["uuid"]) ?? ServiceEntry.id(video["shortUUID"])
                ?? ServiceEntry.id(video["id"])
        else { return nil }
        if let state = video["state"]?["id"]?.asCount, state != published { return [] }
        guard var item = ItemMapper.item(entry(video, id: id, origin: origin), need: need) else { return [] }
        item.resolver = .peerTube
        return [item]
    }

    private static func entry(_ video: JSON, id: String, origin: String) -> FeedEntry {
        var entry = FeedEntry()
        entry.id = id
        entry.title = ServiceEntry.text(video["name"], limit: ItemLimit.title).map {
            FeedEntry.Text(text: $0, isMarkup: false)
        }
        entry.description =
            (ServiceEntry.text(video["description"], limit: ItemLimit.text)
            ?? ServiceEntry.text(video["truncatedDescription"], limit: ItemLimit.text)).map {
                FeedEntry.Text(text: $0, isMarkup: false)
            }
        let short = ServiceEntry.id(video["shortUUID"]) ?? id
        entry.link = FeedEntry.address(video["url"], base: origin) ?? "\(origin)/w/\(short)"
        entry.published = ServiceEntry.text(video["publishedAt"], limit: FeedDate.limit).flatMap(FeedDate.date)
        entry.creator = (video["channel"] ?? video["account"]).map { creator($0, origin: origin) }
        entry.tags = video["tags"]?.asTexts(limit: ItemLimit.list, each: ItemLimit.word) ?? []
        // A category without a number is "Misc", which says nothing.
        if let category = video["category"], category["id"]?.asCount != nil {
            entry.tags += [category["label"]?.asText(limit: ItemLimit.word)].compactMap(\.self)
        }
        entry.duration = ServiceEntry.duration(video["duration"])
        entry.isSensitive = video["nsfw"] == .flag(true)
        entry.warning = ServiceEntry.text(video["nsfwSummary"], limit: ItemLimit.title)
        entry.stats = ServiceEntry.stats(
            likes: video["likes"], dislikes: video["dislikes"], comments: video["comments"])
        entry.thumbnails =
            [picture(ServiceEntry.list(video["thumbnails"]), covering: thumbnailWidth, origin: origin)].compactMap(
                \.self)
            + [video["previewPath"], video["thumbnailPath"]].compactMap { FeedEntry.address($0, base: origin) }
        entry.media = [FeedMedia(url: "\(origin)/api/v1/videos/\(id)", medium: .video)]
        return entry
    }

    /// The creator for a channel or an account.
    private static func creator(_ actor: JSON, origin: String) -> Item.Creator {
        let name = ServiceEntry.text(actor["name"], limit: ItemLimit.word)
        let host = ServiceEntry.text(actor["host"], limit: ItemLimit.word)
        let pictures = ServiceEntry.list(actor["avatars"]) + [actor["avatar"]].compactMap(\.self)
        return Item.Creator(
            id: name.map { name in host.map { "\(name)@\($0)" } ?? name },
            name: ServiceEntry.text(actor["displayName"], limit: ItemLimit.word) ?? name,
            avatar: picture(pictures, covering: avatarWidth, origin: origin),
            url: FeedEntry.address(actor["url"], base: origin))
    }

    /// The smallest picture that is wide enough, else the widest. In `path`
    /// older versions have it, relative to the instance.
    private static func picture(_ pictures: [JSON], covering width: Int, origin: String) -> String? {
        let known = pictures.compactMap { picture in
            FeedEntry.address(picture["fileUrl"] ?? picture["path"], base: origin).map {
                (url: $0, width: picture["width"]?.asCount ?? 0)
            }
        }
        let covering = known.filter { $0.width >= width }.min { $0.width < $1.width }
        return (covering ?? known.max { $0.width < $1.width })?.url
    }
}
