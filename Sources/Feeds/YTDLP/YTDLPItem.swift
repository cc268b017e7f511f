import Model

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// Makes items from yt-dlp's output. Pure.
extension YTDLPInfo {
    /// The items of a list, or the one of a single clip, one after the other; or why one cannot be used.
    ///
    /// - Parameter page: the URL that was requested.
    func items(at page: String) -> [Result<Item, ItemError>] {
        clips(at: page).map { clip in clip.info.item(of: clip, in: self) }
    }

    /// Where it was found, or why it cannot be played. Addresses are not yet checked.
    private func item(of clip: YTDLPClip, in whole: YTDLPInfo) -> Result<Item, ItemError> {
        guard let address = clip.address else { return .failure(ItemError(why: "it has no URL")) }
        if let why = unplayableReason { return .failure(ItemError(why: why)) }
        var entry = entry
        if !isOfAnyPage, let service, let id = self["id"]?.asText(limit: ItemLimit.word) {
            entry.id = "\(service):\(id)"
        }
        entry.link = address.page
        entry.creator = entry.creator ?? clip.list?.creator ?? whole.creator
        entry.thumbnails = thumbnails
        var item = item(of: entry, at: address.url)
        item.resolver = .ytDLP
        item.captions = captions
        return .success(item)
    }

    /// The item of a file that yt-dlp has fetched: without its id, and without a thumbnail, as who looks at files asks
    /// no server for pictures. A link that it may not have is left out.
    ///
    /// - Parameter url: stands for the file's own.
    func item(ofFile url: String) throws(ItemError) -> Item {
        var entry = entry
        entry.link = web("webpage_url", "original_url")
        var item = item(of: entry, at: url)
        if !hasTitle {
            // The file's name is its title then.
            item.text = entry.description.flatMap(ItemMapper.block)
        }
        return try FeedLinks(base: url, privateHosts: .never).checked(item)
    }

    /// Whether it names the clip.
    var hasTitle: Bool { text("title", limit: ItemLimit.title) != nil }

    private func item(of entry: FeedEntry, at url: String) -> Item {
        var item = ItemMapper.item(entry, playing: FeedMedia(url: url))
        item.chapters = Chapter.list(of: self["chapters"])
        let sound = Item.Sound(
            title: self["track"]?.asText(limit: ItemLimit.title),
            artist: self["artist"]?.asText(limit: ItemLimit.word))
        item.sound = sound == Item.Sound() ? nil : sound
        return item
    }

    /// The clip's description, wherever the clip comes from.
    private var entry: FeedEntry {
        var entry = FeedEntry()
        entry.title = text("title", limit: ItemLimit.title)
        entry.description = text("description", limit: ItemLimit.text)
        entry.published = published
        entry.duration = isLive ? nil : self["duration"]?.asNumber.flatMap(Self.duration)
        entry.isSensitive = (self["age_limit"]?.asCount ?? 0) >= 18
        entry.creator = creator
        entry.tags = ["tags", "categories"].flatMap { name -> [String] in
            guard case .list? = self[name] else { return [] }
            return self[name]?.asTexts(limit: ItemLimit.list, each: ItemLimit.word) ?? []
        }
        let stats = Item.Stats(
            likes: self["like_count"]?.asCount, dislikes: self["dislike_count"]?.asCount,
            comments: self["comment_count"]?.asCount, shares: self["repost_count"]?.asCount)
        entry.stats = stats == Item.Stats() ? nil : stats
        return entry
    }

    /// Why the clip cannot be played now; nil if no reason is known.
    private var unplayableReason: String? {
        if isList { return "it is a list; open it by its own URL" }
        if self["live_status"] == .text("is_upcoming") { return "it has not started yet" }
        switch self["availability"]?.asText(limit: 64) {
        case "private": return "private"
        case "premium_only", "subscriber_only": return "for subscribers only"
        case "needs_auth": return "login required"
        default: return nil
        }
    }

    private func text(_ name: String, limit: Int) -> FeedEntry.Text? {
        guard case .text(let text)? = self[name], let kept = text.stripped.cut(to: limit) else { return nil }
        return FeedEntry.Text(text: kept, isMarkup: false)
    }

    private static func duration(_ seconds: Double) -> Duration? {
        seconds > 0 && seconds < 1e9 ? .milliseconds(Int64((seconds * 1_000).rounded())) : nil
    }

    /// To the second where that is known, else the day, in UTC.
    private var published: Date? {
        for name in ["timestamp", "release_timestamp"] {
            if case .number(let seconds)? = self[name], seconds > 0 { return Date(timeIntervalSince1970: seconds) }
        }
        // "20260501"
        guard case .text(let day)? = self["upload_date"], day.utf8.count == 8,
            day.utf8.allSatisfy({ (0x30...0x39).contains($0) })
        else { return nil }
        return RFC3339.date(from: "\(day.prefix(4))-\(day.dropFirst(4).prefix(2))-\(day.suffix(2))")
    }

    private var creator: Item.Creator? {
        let creator = Item.Creator(
            id: word("channel_id", "uploader_id"), name: word("channel", "uploader", "creator"),
            url: web("channel_url", "uploader_url"))
        return creator == Item.Creator() ? nil : creator
    }

    /// The first of these that is a text, and not an empty one.
    private func word(_ names: String...) -> String? {
        names.lazy.compactMap { name -> String? in
            guard case .text(let text)? = self[name] else { return nil }
            return text.stripped.cut(to: ItemLimit.word)
        }.first
    }

    /// The first of these that is the address of a web page.
    private func web(_ names: String...) -> String? {
        names.lazy.compactMap { name -> String? in
            guard case .text(let text)? = self[name], RemoteURL(text) != nil else { return nil }
            return text
        }.first
    }

    /// The smallest that is wide enough for a page first; else the widest; then those of unknown width, of which yt-dlp
    /// has the best last.
    private var thumbnails: [String] {
        var pictures: [(url: String, width: Int?)] = []
        if case .list(let values)? = self["thumbnails"] {
            for value in values.suffix(ItemLimit.list) {
                guard case .text(let url)? = value["url"] else { continue }
                pictures.append((url, value["width"]?.asCount))
            }
        }
        if case .text(let url)? = self["thumbnail"] { pictures.append((url, nil)) }
        let wide = pictures.filter { $0.width ?? 0 >= Self.pageWidth }.min { $0.width ?? 0 < $1.width ?? 0 }
        let sized = pictures.filter { $0.width != nil }.max { $0.width ?? 0 < $1.width ?? 0 }
        let best = [wide, sized].compactMap { $0?.url }
        return best + pictures.reversed().filter { $0.width == nil }.map(\.url)
    }

    /// In pixels.
    private static let pageWidth = 480
}

extension YTDLPInfo {
    /// Puts the items into the spool.
    func read(into sink: inout PageSink, links: FeedLinks) throws(FeedsError) {
        if isList { sink.page.title = text("title", limit: ItemLimit.title)?.text }
        for item in items(at: sink.page.url) {
            do throws(ItemError) { sink.add(try links.checked(try item.get())) } catch {
                sink.skip(error.why)
            }
            if let failure = sink.failure { throw failure }
        }
        for list in [self] + entries.filter(\.isList) {
            let (all, count) = (list["playlist_count"]?.asCount ?? 0, list.entries.count)
            guard count >= YTDLP.listLimit, all > count else { continue }
            let name = list.text("title", limit: ItemLimit.title).map {
                " of \(CleanText.line($0.text, limit: 80))"
            }
            sink.page.warn(
                "the first \(count) of \(all) clips\(entries.contains(where: \.isList) ? name ?? "" : "") are listed")
        }
    }
}
