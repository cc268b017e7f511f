/// Recognises a page for browsers where something else was asked for: a login, an error with status 200, the page of a network that wants a click first. Pure.
enum WebPage {
    /// What an answer of this media type may be; many servers call everything HTML, so its beginning is looked at too.
    static func isNamed(by type: String?) -> Bool { type == "text/html" || type == "application/xhtml+xml" }

    /// Whether what is there for media is a page, by its first bytes, whatever it is called: some logins are sent as `video/mp4`.
    static func isPage(beginning bytes: UnsafeRawBufferPointer) -> Bool {
        let beginning = markup(bytes).prefix(longestBeginning).map { byte in
            (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains(byte) ? byte | 0x20 : byte
        }
        return beginnings.contains { beginning.starts(with: $0.utf8) }
    }

    private static let beginnings = ["<!doctype html", "<html"]
    private static let longestBeginning = 14

    /// Whether an answer of that type is markup, by its first bytes. A manifest of DASH is markup too, but no page.
    static func isPage(type: String?, beginning bytes: UnsafeRawBufferPointer) -> Bool {
        guard isNamed(by: type), !PlaylistKind.isPlaylist(beginning: bytes) else { return false }
        return markup(bytes).first == UInt8(ascii: "<")
    }

    /// What follows a byte order mark and the blanks of HTML. Other control bytes are none: the length of an MP4's first box may end with a `<`.
    private static func markup(_ bytes: UnsafeRawBufferPointer) -> Slice<UnsafeRawBufferPointer> {
        var beginning = bytes.prefix(looksAt)
        if beginning.starts(with: [0xEF, 0xBB, 0xBF]) { beginning = beginning.dropFirst(3) }
        return beginning.drop { [0x09, 0x0A, 0x0D, 0x20].contains($0) }
    }

    /// How many bytes of a beginning are looked at.
    static let looksAt = 256
}
