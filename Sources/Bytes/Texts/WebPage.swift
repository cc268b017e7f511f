/// Tells a page for browsers from what was asked for: a login, an error with status 200, the page of a network that wants a click first. Pure.
enum WebPage {
    /// What an answer of this media type may be; many servers call everything HTML, so its beginning is looked at too.
    static func isNamed(by type: String?) -> Bool { type == "text/html" || type == "application/xhtml+xml" }

    /// Whether an answer of that type is markup, by its first bytes. A manifest of DASH is markup too, but no page.
    static func isPage(type: String?, beginning bytes: UnsafeRawBufferPointer) -> Bool {
        guard isNamed(by: type), !PlaylistKind.isPlaylist(beginning: bytes) else { return false }
        var beginning = bytes.prefix(256)
        if beginning.starts(with: [0xEF, 0xBB, 0xBF]) { beginning = beginning.dropFirst(3) }
        // The blanks of HTML, and no other control bytes: the length of an MP4's first box may end with a `<`.
        return beginning.first { ![0x09, 0x0A, 0x0D, 0x20].contains($0) } == UInt8(ascii: "<")
    }
}
