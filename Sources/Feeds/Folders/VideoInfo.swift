import Model

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// What yt-dlp tells of a video (yt_dlp/extractor/common.py: "InfoExtractor"), as far as a page shows it. Pure.
enum VideoInfo {
    private static let keys: Set = [
        "title", "description", "channel", "channel_id", "channel_url", "uploader", "uploader_id", "uploader_url",
        "timestamp", "release_timestamp", "upload_date", "tags", "duration", "webpage_url", "original_url",
        "like_count",
        "dislike_count", "comment_count", "repost_count",
    ]
    /// In bytes: more than any text that is shown.
    private static let valueLimit = 1 << 17

    /// The fields that count. A text that is cut off, or breaks off, has those before; without any it is an error.
    static func fields(of bytes: [UInt8]) throws(JSONError) -> [String: JSON] {
        var parser = JSONParser(ByteStream(bytes, name: "JSON"))
        var found: [String: JSON] = [:]
        guard parser.first() == UInt8(ascii: "{") else {
            throw JSONError(line: 1, column: 1, why: "it is not an object")
        }
        do throws(JSONError) {
            try parser.fields { parser, key throws(JSONError) in
                guard keys.contains(key) else { return try parser.skip() }
                found[key] = try parser.value(upTo: valueLimit)
            }
        } catch {
            guard !found.isEmpty else { throw error }
        }
        return found
    }

    /// The item without a URL of its own. Its thumbnail is left out: who looks at files asks no server for pictures.
    static func item(of fields: [String: JSON]) -> Item {
        let links = FeedLinks(base: Sidecar.nowhere, privateHosts: .never)
        func address(_ keys: String...) -> String? {
            keys.lazy.compactMap { key -> String? in
                guard case .text(let text)? = fields[key], RemoteURL(text) != nil else { return nil }
                return links.address(text)
            }.first
        }
        func word(_ keys: String...) -> String? {
            keys.lazy.compactMap { key -> String? in
                guard case .text(let text)? = fields[key] else { return nil }
                return text.stripped.cut(to: ItemReader.wordLimit)
            }.first
        }
        let creator = Item.Creator(
            id: word("channel_id", "uploader_id"), name: word("channel", "uploader"),
            url: address("channel_url", "uploader_url"))
        let stats = Item.Stats(
            likes: fields["like_count"]?.asCount, dislikes: fields["dislike_count"]?.asCount,
            comments: fields["comment_count"]?.asCount, shares: fields["repost_count"]?.asCount)
        var title: String?
        if case .text(let text)? = fields["title"] { title = text.stripped.cut(to: ItemReader.titleLimit) }
        var text: String?
        if case .text(let whole)? = fields["description"] { text = whole.stripped.cut(to: ItemReader.textLimit) }
        var tags: [String] = []
        if case .list? = fields["tags"] {
            tags = fields["tags"]?.asTexts(limit: ItemReader.listLimit, each: ItemReader.wordLimit) ?? []
        }
        return Item(
            id: "", url: Sidecar.nowhere, title: title, text: text,
            duration: fields["duration"]?.asNumber.flatMap {
                $0 > 0 && $0 < 1e9 ? .milliseconds(Int(($0 * 1_000).rounded())) : nil
            },
            published: published(fields), creator: creator == Item.Creator() ? nil : creator, tags: tags,
            stats: stats == Item.Stats() ? nil : stats, link: address("webpage_url", "original_url"))
    }

    /// To the second where that is known, else the day, in UTC; from 1900 to 9999.
    private static func published(_ fields: [String: JSON]) -> Date? {
        for key in ["timestamp", "release_timestamp"] {
            guard case .number(let seconds)? = fields[key], (-2_208_988_800..<253_402_300_800).contains(seconds) else {
                continue
            }
            return Date(timeIntervalSince1970: seconds)
        }
        guard case .text(let day)? = fields["upload_date"], day.utf8.count == 8,
            day.utf8.allSatisfy({ (0x30...0x39).contains($0) }),
            day >= "1900"
        else { return nil }
        return RFC3339.date(from: "\(day.prefix(4))-\(day.dropFirst(4).prefix(2))-\(day.suffix(2))")
    }
}
