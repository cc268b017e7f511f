/// Recognises a web page in place of the requested bytes: a login, an error with status 200, a captive portal. Pure.
enum WebPage {
    /// Whether the media type suggests a web page. Many servers call everything
    /// HTML, so callers check the first bytes too.
    static func isNamed(by type: String?) -> Bool { type == "text/html" || type == "application/xhtml+xml" }

    /// Whether the first bytes of supposed media are a web page, whatever its
    /// media type: some logins are sent as `video/mp4`.
    static func isPage(beginning bytes: UnsafeRawBufferPointer) -> Bool {
        // Neither media nor feeds begin with that many blanks.
        if bytes.count >= looksAt, markup(bytes).isEmpty { return true }
        let beginning = lowercased(markup(bytes))
        return beginnings.contains { beginning.starts(with: $0.utf8) }
    }

    /// Whether more bytes are needed to decide, because there are only blanks or a part of a known beginning.
    static func isUndecided(_ bytes: UnsafeRawBufferPointer) -> Bool {
        guard bytes.count < looksAt else { return false }
        let beginning = lowercased(markup(bytes))
        return beginnings.contains { $0.utf8.count > beginning.count && $0.utf8.starts(with: beginning) }
    }

    private static func lowercased(_ bytes: Slice<UnsafeRawBufferPointer>) -> [UInt8] {
        bytes.prefix(longestBeginning).map { byte in
            (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains(byte) ? byte | 0x20 : byte
        }
    }

    private static let beginnings = ["<!doctype html", "<html"]
    private static let longestBeginning = 14

    /// Whether a response with that type begins with markup. A DASH manifest is markup too, but not a web page.
    static func isPage(type: String?, beginning bytes: UnsafeRawBufferPointer) -> Bool {
        guard isNamed(by: type), !PlaylistKind.isPlaylist(beginning: bytes) else { return false }
        return markup(bytes).first == UInt8(ascii: "<")
    }

    /// The bytes after a byte order mark and HTML's white space. Other control bytes do not count: the length of an
    /// MP4's first box may end with `<`.
    private static func markup(_ bytes: UnsafeRawBufferPointer) -> Slice<UnsafeRawBufferPointer> {
        var beginning = bytes.prefix(looksAt)
        if beginning.starts(with: [0xEF, 0xBB, 0xBF]) { beginning = beginning.dropFirst(3) }
        return beginning.drop { [0x09, 0x0A, 0x0D, 0x20].contains($0) }
    }

    /// How many bytes of the beginning are checked.
    static let looksAt = 256
}
