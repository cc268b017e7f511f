import Model

/// How flick plays a file or stream, judged by its feed's description and its name. Pure.
enum MediaKind: Equatable, Sendable {
    case video
    /// HLS or DASH: one address with a picture for every surface and link.
    case adaptive
    case audio
    case image
    /// Nothing is known of it: the decoder has to look.
    case unknown

    /// nil for what neither flick nor libav can play: pages, players, documents, archives, torrents, pictures of one
    /// pixel that count readers.
    init?(_ media: FeedMedia) {
        if media.width == 1, media.height == 1 { return nil }
        let ending = Self.ending(ofURL: media.url)
        if let ending, Self.noMedia.contains(ending) { return nil }
        // The extension is less reliable than the type, but some servers send everything as "application/octet-stream".
        if let type = media.type, !Self.saysNothing.contains(type) {
            guard let kind = Self.kind(ofType: type, ending: ending) else { return nil }
            self = kind
        } else if let kind = ending.flatMap(Self.kind(ofEnding:)) {
            self = kind
        } else {
            switch media.medium {
            case .video: self = .video
            case .audio: self = .audio
            case .image: self = .image
            case nil: self = .unknown
            case .other: return nil
            }
        }
    }

    static func isDash(_ media: FeedMedia) -> Bool {
        media.type?.contains("dash") ?? (ending(ofURL: media.url) == "mpd")
    }

    /// The extension in an address, in lower case and without the dot.
    static func ending(ofURL url: String) -> String? {
        let path = FileURL.path(of: url) == nil ? URLParts(url)?.path ?? "" : url
        return ClipName.ending(of: Array(path.utf8))
    }

    /// nil if none is known of it.
    static func kind(ofEnding ending: String) -> MediaKind? {
        switch ending {
        case "m3u8", "mpd": .adaptive
        // A moving GIF is a clip in a folder; in a feed there is mostly something better beside it.
        case "gif", "heic": .image
        case let photo where ClipTypes.photos[photo] != nil: .image
        case let sound where ClipTypes.sounds[sound] != nil: .audio
        default: ClipName.isClip(ending: ending) ? .video : nil
        }
    }

    private static func kind(ofType type: String, ending: String?) -> MediaKind? {
        if playlists.contains(type) { return .adaptive }
        if unplayable.contains(type) { return nil }
        let parts = type.split(separator: "/", maxSplits: 1).map(String.init)
        // "video" and "mp3" are no types, but people write them.
        guard parts.count == 2 else { return parts.first.flatMap { family($0) ?? kind(ofEnding: $0) } }
        let named = ending.flatMap { kind(ofEnding: $0) }
        if let kind = family(parts[0]) {
            // Servers that know no playlists call them after what is in them.
            return named == .adaptive && kind != .image ? .adaptive : kind
        }
        // "application/mp4", "application/x-matroska": some containers have no family.
        guard parts[0] == "application", containers.contains(parts[1]) else { return nil }
        return named == .audio ? .audio : .video
    }

    private static func family(_ name: String) -> MediaKind? {
        switch name {
        case "video": .video
        case "audio": .audio
        case "image": .image
        default: nil
        }
    }

    private static let playlists: Set = [
        "application/vnd.apple.mpegurl", "application/x-mpegurl", "application/mpegurl", "audio/mpegurl",
        "audio/x-mpegurl", "video/mpegurl", "video/x-mpegurl", "application/dash+xml", "video/vnd.mpeg.dash.mpd",
    ]

    private static let containers: Set = [
        "mp4", "ogg", "x-matroska", "mxf", "vnd.rn-realmedia", "vnd.rn-realmedia-vbr", "vnd.ms-asf", "x-ogg", "x-mp4",
    ]

    /// Of families that can be played, but not these: lists, notes and drawings, and players of others.
    private static let unplayable: Set = [
        "audio/x-scpls", "audio/x-pn-realaudio-plugin", "audio/midi", "audio/x-midi", "audio/mid", "image/svg+xml",
        "image/svg", "video/youtube", "video/x-youtube", "video/vimeo", "video/x-vimeo", "video/x-shockwave-flash",
    ]

    private static let saysNothing: Set = [
        "", "application/octet-stream", "binary/octet-stream", "application/binary", "application/force-download",
        "application/x-download", "application/download", "application/unknown", "unknown/unknown", "unknown",
    ]

    /// A file with such an extension is no clip, whatever its type.
    private static let noMedia: Set = [
        "htm", "html", "xhtml", "pdf", "epub", "mobi", "doc", "docx", "txt", "zip", "gz", "rar", "7z", "torrent", "swf",
        "svg", "exe", "dmg", "apk", "iso", "css", "js", "json", "xml", "rss", "atom", "opml", "srt", "vtt", "pls",
    ]
}
