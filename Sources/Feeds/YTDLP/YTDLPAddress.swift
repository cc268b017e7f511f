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
