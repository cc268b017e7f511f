import Model

/// Items as `flick feed --json` prints them: one line with the manifest's fields in the manifest's order, plus
/// `source`. Leaves out headers with credentials. Pure.
public enum ItemJSON {
    /// One line without its line break and without control characters. `source` is the feed's.
    public static func line(_ item: Item, source: String) -> String {
        var object = object(item)
        object.put("source", .text(source))
        return object.object
    }

    /// The object of a manifest.
    package static func object(_ item: Item) -> JSONLine {
        var object = JSONLine()
        object.put("id", .text(item.id))
        object.put("url", .text(item.url))
        object.put("thumbnail", ifAny: item.thumbnail)
        object.put("blurhash", ifAny: item.blurHash)
        object.put("title", ifAny: item.title)
        object.put("description", ifAny: item.text)
        // To the millisecond: manifests are not more precise.
        if let duration = item.duration { object.put("duration", .number(duration.milliseconds.rounded() / 1_000)) }
        object.put("published", ifAny: item.published.map(RFC3339.text))
        // A clip in a folder of others has no creator: the folder stands in, as on the page.
        if let creator = item.creator ?? item.folder.map({ Item.Creator(name: $0) }) {
            object.put("creator", line(creator))
        }
        if !item.tags.isEmpty { object.put("tags", texts: item.tags) }
        if let sound = item.sound { object.put("sound", line(sound)) }
        if let trust = item.trust { object.put("trust", line(trust)) }
        if let stats = item.stats { object.put("stats", line(stats)) }
        if !item.captions.isEmpty { object.put("subtitles", item.captions.map(line)) }
        if !item.chapters.isEmpty { object.put("chapters", item.chapters.map(line)) }
        object.put("chapters_url", ifAny: item.chaptersURL)
        object.put("comments_url", ifAny: item.commentsURL)
        object.put("link", ifAny: item.link)
        if item.isSensitive { object.put("sensitive", .flag(true)) }
        object.put("warning", ifAny: item.warning)
        object.put("own", .flag(item.own))
        let headers = item.headers.filter { !SecretNames.isSecretField($0.key) }.sorted { $0.key < $1.key }
        if !headers.isEmpty {
            var line = JSONLine()
            for header in headers { line.put(header.key, .text(header.value)) }
            object.put("headers", line)
        }
        object.put("resolver", ifAny: item.resolver?.rawValue)
        return object
    }

    /// The item of such a line; nil if the line is not an item, or leads where its feed may not.
    ///
    /// - Parameter feed: the URL of the feed that named it; nil if the user did.
    public static func item(ofLine line: String, feed: String?, privateHosts: URLAccessPolicy.PrivateHosts) -> Item? {
        var parser = JSONParser(ByteStream(Array(line.utf8), name: "a line"))
        let reader = ItemReader(base: feed ?? "file:///", privateHosts: privateHosts)
        do {
            guard let value = try parser.value(upTo: line.utf8.count) else { return nil }
            var item = try reader.item(value).item
            item.feed = feed
            // Only flick's own lines say this; manifests cannot.
            item.resolver = value["resolver"]?.asText(limit: ItemLimit.word).flatMap(Resolver.init)
            return item
        } catch {
            // Whatever is wrong with it, there is no item.
            return nil
        }
    }

    private static func line(_ creator: Item.Creator) -> JSONLine {
        var object = JSONLine()
        object.put("id", ifAny: creator.id)
        object.put("name", ifAny: creator.name)
        object.put("avatar", ifAny: creator.avatar)
        object.put("url", ifAny: creator.url)
        return object
    }

    private static func line(_ sound: Item.Sound) -> JSONLine {
        var object = JSONLine()
        object.put("title", ifAny: sound.title)
        object.put("artist", ifAny: sound.artist)
        return object
    }

    private static func line(_ trust: Item.Trust) -> JSONLine {
        var object = JSONLine()
        object.put("score", .integer(trust.score))
        object.put("label", ifAny: trust.label)
        object.put("reasons", texts: trust.reasons)
        return object
    }

    private static func line(_ link: CaptionLink) -> JSONLine {
        var object = JSONLine()
        object.put("url", .text(link.url))
        object.put("language", ifAny: link.language)
        object.put("label", ifAny: link.title)
        return object
    }

    private static func line(_ chapter: Chapter) -> JSONLine {
        var object = JSONLine()
        object.put("start", .number(chapter.start.milliseconds.rounded() / 1_000))
        object.put("title", .text(chapter.title))
        return object
    }

    private static func line(_ stats: Item.Stats) -> JSONLine {
        var object = JSONLine()
        object.put("likes", ifAny: stats.likes)
        object.put("dislikes", ifAny: stats.dislikes)
        object.put("comments", ifAny: stats.comments)
        object.put("saves", ifAny: stats.saves)
        object.put("shares", ifAny: stats.shares)
        return object
    }
}

extension JSONLine {
    /// Writes nothing if the value is missing.
    fileprivate mutating func put(_ key: String, ifAny text: String?) {
        if let text { put(key, .text(text)) }
    }

    fileprivate mutating func put(_ key: String, ifAny count: Int?) {
        if let count { put(key, .integer(count)) }
    }
}
