import Model

/// yt-dlp's output for a page, or its file beside a clip (`yt_dlp/extractor/common.py` describes the fields): one clip,
/// or a list with its entries. Nothing in it is trusted. A value.
struct YTDLPInfo: Sendable {
    /// In bytes: longer values count as missing.
    private static let valueLimit = 1 << 17
    private static let formatLimit = 1_000
    private static let entryLimit = 1_000

    private var fields: [String: JSON] = [:]
    /// Where its media is, in yt-dlp's order: the worst first.
    private(set) var formats: [YTDLPFormat] = []
    /// Files of subtitles; after them those that a machine has written.
    private(set) var captions: [CaptionLink] = []
    /// The entries of a list, and of a list within it, but no deeper.
    private(set) var entries: [YTDLPInfo] = []

    subscript(name: String) -> JSON? { fields[name] == .null ? nil : fields[name] }

    /// The fields that are stored. All others can be very long, such as subtitles.
    private static let wanted: Set = [
        "_type", "id", "title", "description", "url", "webpage_url", "original_url", "ie_key", "extractor",
        "extractor_key", "duration", "timestamp", "release_timestamp", "upload_date", "thumbnail", "thumbnails",
        "channel", "channel_id", "channel_url", "uploader", "uploader_id", "uploader_url", "creator", "like_count",
        "dislike_count", "comment_count", "repost_count", "tags", "categories", "live_status", "is_live",
        "availability", "track",
        "artist", "playlist_count", "format_id", "protocol", "vcodec", "acodec", "height", "tbr", "manifest_url",
        "http_headers", "has_drm", "age_limit", "chapters", "language",
    ]

    /// Reads what was printed; nil if it is no object, as after a failure
    /// (`null`). Only what is wanted of it becomes values.
    init?(_ bytes: [UInt8]) throws(JSONError) {
        var parser = JSONParser(ByteStream(bytes, name: "yt-dlp"))
        guard parser.first() == UInt8(ascii: "{") else { return nil }
        try read(&parser, .all)
        try parser.end()
    }

    /// The description of a clip, without its formats and entries. Truncated text yields
    /// what came before; without any field it is an error.
    init(factsOf bytes: [UInt8]) throws(JSONError) {
        var parser = JSONParser(ByteStream(bytes, name: "JSON"))
        guard parser.first() == UInt8(ascii: "{") else {
            throw JSONError(line: 1, column: 1, why: "it is not an object")
        }
        do throws(JSONError) { try read(&parser, .facts) } catch {
            guard !fields.isEmpty else { throw error }
        }
    }

    private init(entry parser: inout JSONParser, _ extent: Extent) throws(JSONError) { try read(&parser, extent) }

    /// How much of an object is read.
    private enum Extent {
        case all
        /// Of an entry: where it is a list, its own entries are clips.
        case entry
        /// Of an entry of a list within a list: its own entries are not read.
        case nestedEntry
        case facts
    }

    private mutating func read(_ parser: inout JSONParser, _ extent: Extent) throws(JSONError) {
        var (written, automatic): ([CaptionLink], [CaptionLink]) = ([], [])
        try parser.fields { parser, name throws(JSONError) in
            let isList = parser.first() == UInt8(ascii: "[")
            if name == "formats", isList, extent != .facts {
                try parser.elements { parser throws(JSONError) in
                    guard let value = try parser.value(upTo: Self.valueLimit), formats.count < Self.formatLimit,
                        let format = YTDLPFormat(value)
                    else { return }
                    formats.append(format)
                }
            } else if name == "entries", isList, extent == .all || extent == .entry {
                try parser.elements { parser throws(JSONError) in
                    guard parser.first() == UInt8(ascii: "{"), entries.count < Self.entryLimit else {
                        return try parser.skip()
                    }
                    entries.append(try YTDLPInfo(entry: &parser, extent == .all ? .entry : .nestedEntry))
                }
            } else if name == "subtitles", extent != .facts, parser.first() == UInt8(ascii: "{") {
                written = try Self.captions(&parser)
            } else if name == "automatic_captions", extent != .facts, parser.first() == UInt8(ascii: "{") {
                automatic = try Self.captions(&parser)
            } else if Self.wanted.contains(name) {
                fields[name] = try parser.value(upTo: Self.valueLimit)
            } else {
                try parser.skip()
            }
        }
        captions = Array(
            (written + Self.spoken(automatic, language: self["language"]?.asText(limit: 64))).prefix(CaptionLink.limit))
        // A clip with only one form may be that form itself.
        let isVideo = (self["_type"] ?? .text("video")) == .text("video")
        if formats.isEmpty, extent == .all, isVideo, let format = YTDLPFormat(.object(fields)) { formats = [format] }
    }

    /// The most languages that are looked at: machines translate to some 150.
    private static let languageLimit = 500

    /// `{"en": [{"ext": "vtt", "url": "…", "name": "English"}]}`: of each language WebVTT, else SubRip.
    private static func captions(_ parser: inout JSONParser) throws(JSONError) -> [CaptionLink] {
        var links: [CaptionLink] = []
        try parser.fields { parser, language throws(JSONError) in
            let value = try parser.value(upTo: Self.valueLimit)
            guard links.count < languageLimit, case .list(let forms)? = value else { return }
            for ending in ["vtt", "srt"] {
                guard let form = forms.first(where: { $0["ext"] == .text(ending) && $0["protocol"] == nil }),
                    case .text(let url)? = form["url"], url.utf8.count <= ItemLimit.url
                else { continue }
                links.append(
                    CaptionLink(
                        url: url, language: language.cut(to: 64),
                        title: form["name"]?.asText(limit: ItemLimit.word)))
                break
            }
        }
        return links
    }

    /// The automatic captions in the spoken language, without their machine translations.
    private static func spoken(_ links: [CaptionLink], language: String?) -> [CaptionLink] {
        let original = links.filter { $0.language?.hasSuffix("-orig") == true }
        let spoken = original.isEmpty ? links.filter { $0.language == language && language != nil } : original
        return spoken.map { link in
            let tag = link.language.map { $0.hasSuffix("-orig") ? String($0.dropLast(5)) : $0 } ?? ""
            return CaptionLink(url: link.url, language: tag, title: "\(Language.name(of: tag) ?? tag) (auto)")
        }
    }

    /// Whether it is a list, even an empty one.
    var isList: Bool { self["_type"] == .text("playlist") || self["_type"] == .text("multi_video") }

    /// Whether it only leads to a page: "url", "url_transparent".
    var isLink: Bool { self["_type"]?.asText(limit: 64)?.hasPrefix("url") ?? false }

    /// The web page; of an entry without one, the address that leads to it.
    var address: String? {
        for name in ["webpage_url", "original_url", "url"] {
            if case .text(let text)? = self[name], !text.isEmpty { return text }
        }
        return nil
    }

    /// The extractor of the page, in lower case: "youtube".
    var service: String? {
        for name in ["extractor_key", "ie_key", "extractor"] {
            if let text = self[name]?.asText(limit: 64) { return text.lowercased() }
        }
        return nil
    }

    /// Whether it was found by its form in any page, whose clips have no ids that are theirs alone: "page-2".
    var isOfAnyPage: Bool { service.map { ["generic", "html5", "html5mediaembed"].contains($0) } ?? true }

    var isLive: Bool { self["live_status"] == .text("is_live") || self["is_live"] == .flag(true) }
}

/// One form in which there is a clip, or its pictures or sound alone. A value.
struct YTDLPFormat: Equatable, Sendable {
    enum Way: Equatable, Sendable { case file, hls, dash }

    var id: String
    var url: String
    var way: Way
    var hasVideo: Bool
    var hasAudio: Bool
    /// In pixels.
    var height: Int?
    /// H.264, which costs least to decode.
    var isPlain: Bool
    var hasDRM: Bool
    /// The playlist that leads to this form and others.
    var manifest: String?
    var headers: [String: String]

    /// nil for what is fetched in ways that flick does not know, and for pictures of what is at which time.
    init?(_ value: JSON) {
        guard case .text(let url)? = value["url"], url.utf8.count <= ItemLimit.url else { return nil }
        switch value["protocol"]?.asText(limit: 64) {
        case "https", "http", nil: way = .file
        case "m3u8", "m3u8_native": way = .hls
        case "http_dash_segments": way = .dash
        default: return nil
        }
        self.url = url
        id = value["format_id"]?.asText(limit: ItemLimit.word) ?? ""
        // A codec that is not named may be present.
        hasVideo = value["vcodec"] != .text("none")
        hasAudio = value["acodec"] != .text("none")
        guard hasVideo || hasAudio else { return nil }
        height = value["height"]?.asCount.flatMap { $0 > 0 ? $0 : nil }
        isPlain = value["vcodec"]?.asText(limit: 64).map { $0.hasPrefix("avc") || $0.hasPrefix("h264") } ?? true
        hasDRM = value["has_drm"] == .flag(true)
        if case .text(let text)? = value["manifest_url"], text.utf8.count <= ItemLimit.url { manifest = text }
        headers = value["http_headers"].map { ItemHeaders.read($0).headers } ?? [:]
    }
}
