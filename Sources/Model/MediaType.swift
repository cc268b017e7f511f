/// The content of a `Content-Type` field (RFC 9110, 8.3). A value.
public struct MediaType: Equatable, Sendable {
    /// "video/mp4": without parameters, in lower case.
    public var name: String
    /// "koi8-r" of "text/xml; charset=KOI8-R": the encoding of a text, in lower case.
    public var charset: String?

    public init(name: String, charset: String? = nil) {
        self.name = name
        self.charset = charset
    }

    /// nil for what is no media type. A charset that is no plain name counts as none.
    public init?(_ text: String) {
        let parts = text.split(separator: ";", omittingEmptySubsequences: false)
        name = String(parts[0]).trimmed.lowercased()
        let isSound = name.utf8.count <= 127 && name.utf8.allSatisfy { $0 > 0x20 && $0 < 0x7F }
        guard isSound, name.utf8.contains(UInt8(ascii: "/")) else { return nil }
        for part in parts.dropFirst() {
            let words = part.split(separator: "=", maxSplits: 1)
            guard words.count == 2, String(words[0]).trimmed.lowercased() == "charset" else { continue }
            let value = String(words[1]).trimmed.lowercased().filter { $0 != "\"" && $0 != "'" }
            let isPlain = value.utf8.count <= 40 && value.utf8.allSatisfy { $0 > 0x20 && $0 < 0x7F }
            charset = isPlain && !value.isEmpty ? value : nil
            return
        }
    }
}
