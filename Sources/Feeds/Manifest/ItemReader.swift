import Model

/// Makes items from a manifest's values. Leaves out fields of the wrong type;
/// refuses only items without a usable URL. A value.
struct ItemReader {
    let links: FeedLinks

    /// - Parameter base: the URL of the manifest.
    init(base: String, privateHosts: URLAccessPolicy.PrivateHosts) {
        links = FeedLinks(base: base, privateHosts: privateHosts)
    }

    /// The item, and one line for each field that was left out, with the reason.
    func item(_ value: JSON) throws(ItemError) -> (item: Item, warnings: [String]) {
        switch value {
        case .text(let text):
            let url = try links.clip(text)
            return (Item(id: ItemID.hash(of: url), url: url, title: ClipTitle.of(url)), [])
        case .object:
            guard let given = value["url"] else { throw ItemError(why: "it has no \"url\"") }
            guard case .text(let text) = given else { throw ItemError(why: "its \"url\" is not a string") }
            var item = item(value, url: try links.clip(text))
            item.captions = captions(value[.subtitles])
            item.chapters = Chapter.list(of: value["chapters"])
            item.chaptersURL = address(value["chapters_url"])
            item.commentsURL = address(value["comments_url"])
            guard let given = value["headers"] else { return (item, []) }
            let (headers, warnings) = ItemHeaders.read(given)
            item.headers = headers
            return (item, warnings)
        default: throw ItemError(why: "it is neither an object nor a URL")
        }
    }

    private func item(_ value: JSON, url: String) -> Item {
        var item = Item(
            id: value["id"]?.asText(limit: ItemLimit.word) ?? ItemID.hash(of: url),
            url: url,
            thumbnail: address(value[.thumbnail]),
            blurHash: value["blurhash"]?.asText(limit: ItemLimit.word),
            title: value[.title]?.asText(limit: ItemLimit.title) ?? ClipTitle.of(url),
            text: value[.description]?.asText(limit: ItemLimit.text),
            duration: value[.duration]?.asNumber.flatMap {
                $0 > 0 && $0 < 1e9 ? .milliseconds(Int(($0 * 1_000).rounded())) : nil
            },
            published: value[.published]?.asText(limit: 64).flatMap(RFC3339.date),
            creator: value[.creator].flatMap(creator),
            tags: value[.tags]?.asTexts(limit: ItemLimit.list, each: ItemLimit.word)
                ?? [],
            sound: value["sound"].flatMap(sound),
            trust: value["trust"].flatMap(trust),
            stats: value["stats"].flatMap(stats),
            link: address(value[.link]),
            own: value["own"]?.asFlag ?? false)
        item.isSensitive = value["sensitive"]?.asFlag ?? false
        item.warning = value["warning"]?.asText(limit: ItemLimit.title)
        return item
    }

    private func address(_ value: JSON?) -> String? {
        guard case .text(let text)? = value else { return nil }
        return links.address(text)
    }

    /// Objects with `url`, `language` and `label`, or addresses.
    private func captions(_ value: JSON?) -> [CaptionLink] {
        guard case .list(let values)? = value else { return [] }
        return values.prefix(CaptionLink.limit).compactMap { value in
            guard let url = address(value["url"] ?? value) else { return nil }
            return CaptionLink(
                url: url, language: value["language"]?.asText(limit: ItemLimit.word),
                title: value["label"]?.asText(limit: ItemLimit.word))
        }
    }

    private func creator(_ value: JSON) -> Item.Creator? {
        if case .text = value { return Item.Creator(name: value.asText(limit: ItemLimit.word)) }
        guard case .object = value else { return nil }
        let creator = Item.Creator(
            id: value["id"]?.asText(limit: ItemLimit.word),
            name: value["name"]?.asText(limit: ItemLimit.word),
            avatar: address(value["avatar"]), url: address(value["url"]))
        return creator == Item.Creator() ? nil : creator
    }

    private func sound(_ value: JSON) -> Item.Sound? {
        let sound = Item.Sound(
            title: value["title"]?.asText(limit: ItemLimit.title),
            artist: value["artist"]?.asText(limit: ItemLimit.word))
        return sound == Item.Sound() ? nil : sound
    }

    /// A score outside 0…100 has no known meaning, so there is no trust score then.
    private func trust(_ value: JSON) -> Item.Trust? {
        guard let score = (value["score"] ?? value).asNumber, (0...100).contains(score) else { return nil }
        return Item.Trust(
            score: Int(score.rounded()), label: value["label"]?.asText(limit: ItemLimit.word),
            reasons: value["reasons"]?.asTexts(limit: ItemLimit.list, each: ItemLimit.title) ?? [])
    }

    private func stats(_ value: JSON) -> Item.Stats? {
        let stats = Item.Stats(
            likes: value["likes"]?.asCount, dislikes: value["dislikes"]?.asCount, comments: value["comments"]?.asCount,
            saves: value["saves"]?.asCount, shares: value["shares"]?.asCount)
        return stats == Item.Stats() ? nil : stats
    }
}
