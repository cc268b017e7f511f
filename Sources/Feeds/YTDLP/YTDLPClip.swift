import Model

/// The URL of an item that yt-dlp finds. Where several clips have the address of
/// one page, as the `<video>` elements of a web page do, the clip's id follows the
/// page's URL in its fragment: `https://host/page#yt-dlp-entry=page-2`. A value.
struct YTDLPAddress: Equatable, Sendable {
    /// The address that yt-dlp is run with.
    var page: String
    /// The clip's name among those of the page (`YTDLPClip.name`); nil if the page has only this one.
    var entry: String?

    private static let mark = "yt-dlp-entry="

    init(page: String, entry: String?) { (self.page, self.entry) = (page, entry) }

    /// Parses the URL of an item.
    init(_ url: String) {
        (page, entry) = (url, nil)
        guard let fragment = URLParts(url)?.fragment,
            let last = fragment.split(separator: "&", omittingEmptySubsequences: false).last, last.hasPrefix(Self.mark)
        else { return }
        // With the `#` or `&` before it.
        page = String(url.dropLast(last.count + 1))
        entry = String(decoding: FileURL.percentDecoded(String(last.dropFirst(Self.mark.count))), as: UTF8.self)
    }

    var url: String {
        guard let entry else { return page }
        // Sites that address their pages by fragments exist.
        let separator = URLParts(page)?.fragment == nil ? "#" : "&"
        return page + separator + Self.mark + PercentEncoding.component(entry)
    }
}

/// One clip of what yt-dlp has found at a page. A value.
struct YTDLPClip: Sendable {
    var info: YTDLPInfo
    /// The list that it is an entry of; nil for the only clip of a page.
    var list: YTDLPInfo?
    /// Its name among the clips with its address: the id, or its place among them, from 1. That place is the same in
    /// every list that has them.
    var name: String
    /// nil if it is not known.
    var address: YTDLPAddress?

    /// The most clips of a page with all its lists.
    static let limit = 1_000
}

extension YTDLPInfo {
    /// The clips that were found at `page`. Lists within a list, such as the tabs of a channel and the seasons of a
    /// series, are read one level down.
    func clips(at page: String) -> [YTDLPClip] {
        // How many clips have an address.
        var counts: [String: Int] = [:]
        func clip(_ info: YTDLPInfo, of list: YTDLPInfo?) -> YTDLPClip {
            // Checked later, and named there as it is written (`FeedLinks`).
            let own = info.address.map { URLParts.resolve($0, against: page) ?? $0 }
            let address = own ?? (list == nil ? page : nil)
            if let address, !info.isLink { counts[address, default: 0] += 1 }
            let place = address.flatMap { counts[$0] } ?? 1
            return YTDLPClip(
                info: info, list: list, name: info["id"]?.asText(limit: ItemLimit.word) ?? "\(place)",
                address: address.map { YTDLPAddress(page: $0, entry: nil) })
        }
        guard isList else {
            var clip = clip(self, of: nil)
            // One clip of a page, requested by its name.
            if YTDLPAddress(page).entry != nil { clip.address = YTDLPAddress(page) }
            return [clip]
        }
        var clips: [YTDLPClip] = []
        for entry in entries {
            if entry.isList, !entry.entries.isEmpty {
                clips += entry.entries.map { clip($0, of: entry) }
            } else {
                clips.append(clip(entry, of: self))
            }
        }
        clips.removeLast(max(clips.count - YTDLPClip.limit, 0))
        nameShared(&clips, at: page)
        return clips
    }

    /// Distinguishes clips of the same page: for the page's address alone, yt-dlp finds the first one. It follows
    /// entries that are links itself.
    private func nameShared(_ clips: inout [YTDLPClip], at page: String) {
        guard clips.count > 1 else { return }
        let lists = [page] + ([self] + entries.filter(\.isList)).compactMap(\.address)
        let pages = Set(lists.map { URLParts.resolve($0, against: page) ?? $0 })
        var first: [String: String] = [:]
        var shared: Set<String> = []
        for clip in clips where !clip.info.isLink {
            guard let address = clip.address?.page else { continue }
            // The same clip may be in a list twice.
            if first[address, default: clip.name] != clip.name || pages.contains(address) { shared.insert(address) }
            first[address] = clip.name
        }
        for place in clips.indices where !clips[place].info.isLink {
            guard let address = clips[place].address?.page, shared.contains(address) else { continue }
            clips[place].address = YTDLPAddress(page: address, entry: clips[place].name)
        }
    }
}
