import Model

/// Distinguishes playlists and manifests from media, by URL, media type or first bytes. Pure.
package enum PlaylistKind {
    /// By the path of a URL: RFC 8216 §4 requires `.m3u8`, DASH uses `.mpd`.
    static func isPlaylist(url: String) -> Bool {
        guard let path = URLParts(url)?.path.lowercased() else { return false }
        return [".m3u8", ".m3u", ".mpd"].contains { path.hasSuffix($0) }
    }

    /// By the media type, in lower case and without parameters.
    static func isPlaylist(type: String) -> Bool {
        switch type {
        case "application/vnd.apple.mpegurl", "application/x-mpegurl", "application/mpegurl", "audio/mpegurl",
            "audio/x-mpegurl", "application/dash+xml", "video/vnd.mpeg.dash.mpd":
            true
        default: false
        }
    }

    /// By the first bytes (RFC 8216 §4.3.1.1: `#EXTM3U` is the first line).
    package static func isPlaylist(beginning bytes: UnsafeRawBufferPointer) -> Bool {
        var beginning = bytes.prefix(256)
        if beginning.starts(with: [0xEF, 0xBB, 0xBF]) { beginning = beginning.dropFirst(3) }
        if beginning.starts(with: "#EXTM3U".utf8) { return true }
        guard beginning.starts(with: "<".utf8) else { return false }
        return String(decoding: beginning, as: UTF8.self).contains("<MPD")
    }

    /// Whether the text will not change: a finished playlist (`#EXT-X-ENDLIST`), a master playlist, a static MPD.
    static func isFinished(_ text: String) -> Bool {
        if text.contains("<MPD") { return !text.contains("type=\"dynamic\"") && !text.contains("type='dynamic'") }
        return text.contains("#EXT-X-ENDLIST") || text.contains("#EXT-X-STREAM-INF")
    }
}
