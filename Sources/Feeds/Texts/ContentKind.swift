import Bytes
import Model

/// The kind of content at an address, by its first bytes, its media type and its name. Pure.
enum ContentKind: Equatable, Sendable {
    /// A media file, or content that only a decoder can identify.
    case media
    /// An HLS or DASH playlist: one clip.
    case stream
    /// JSON: a manifest or a JSON Feed.
    case json
    /// RSS, RDF or Atom.
    case syndication
    /// An M3U list of clips or channels.
    case channels
    case pls
    case xspf
    /// A list of subscriptions.
    case opml
    /// A web page.
    case page
    /// Something that is neither played nor listed, in words: "a PDF document".
    case other(String)

    /// Whether its items are what they are as soon as they are read: what a
    /// manifest says at its end can change all of them.
    var isReadInOrder: Bool { [.syndication, .channels, .xspf].contains(self) }

    /// How many bytes of the beginning are looked at.
    static let looksAt = 4_096

    /// - Parameters:
    ///   - beginning: the first bytes, at most `looksAt`.
    ///   - type: the media type, in lower case and without parameters; nil if unknown.
    ///   - ending: the extension of the name, in lower case and without the dot; nil if there is no extension.
    init(_ beginning: some Collection<UInt8>, type: String?, ending: String?) {
        let bytes = Self.asASCII(beginning)
        let isNamedList = ["m3u", "m3u8"].contains(ending) || Self.listTypes.contains(type ?? "")
        if let kind = Self.byMark(bytes) {
            self = kind
        } else if bytes.first == UInt8(ascii: "<") {
            self = Self.markup(bytes, type: type)
        } else if Self.begins(bytes, "#EXTM3U") || Self.begins(bytes, "#EXTINF") || Self.begins(bytes, "#EXT-X-") {
            self = ListKind.isStream(bytes) ? .stream : .channels
        } else if Self.begins(bytes, "[playlist]") {
            self = .pls
        } else if Self.isJSON(bytes) {
            self = .json
        } else if Self.isText(bytes) {
            self = Self.text(type: type, ending: ending, isNamedList: isNamedList)
        } else {
            self = .media
        }
    }

    /// Whether bytes look like JSON: `{` or `[` after blanks, and behind it
    /// what an object or a list of items begins with.
    static func isJSON(_ beginning: some Collection<UInt8>) -> Bool {
        var marks = beginning.lazy.filter { !blanks.contains($0) && !byteOrderMark.contains($0) }.makeIterator()
        let (first, second) = (marks.next(), marks.next())
        let object = [UInt8(ascii: "\""), UInt8(ascii: "}")]
        switch first {
        case UInt8(ascii: "{"): return second.map(object.contains) ?? true
        case UInt8(ascii: "["): return second.map((object + [UInt8(ascii: "{"), UInt8(ascii: "]")]).contains) ?? true
        default: return false
        }
    }

    // MARK: - Marks

    private static let blanks: Set<UInt8> = [0x20, 0x09, 0x0A, 0x0D]
    private static let byteOrderMark: [UInt8] = [0xEF, 0xBB, 0xBF]
    private static let listTypes: Set<String> = [
        "application/vnd.apple.mpegurl", "application/x-mpegurl", "application/mpegurl", "audio/mpegurl",
        "audio/x-mpegurl",
    ]

    /// The beginning without a byte order mark and blanks; of UTF-16 every other byte, which is the letter where markup
    /// and names are, and of UTF-32 every fourth.
    private static func asASCII(_ beginning: some Collection<UInt8>) -> [UInt8] {
        var bytes = Array(beginning.prefix(looksAt))
        if bytes.starts(with: byteOrderMark) {
            bytes.removeFirst(3)
        } else if bytes.starts(with: [0xFF, 0xFE, 0, 0]) || bytes.starts(with: [0x3C, 0, 0, 0]) {
            bytes = everyFourth(of: bytes, from: 0)
        } else if bytes.starts(with: [0, 0, 0xFE, 0xFF]) || bytes.starts(with: [0, 0, 0, 0x3C]) {
            bytes = everyFourth(of: bytes, from: 3)
        } else if bytes.starts(with: [0xFF, 0xFE]) || bytes.starts(with: [0x3C, 0x00]) {
            bytes = bytes.drop { $0 >= 0xFE }.enumerated().filter { $0.offset % 2 == 0 }.map(\.element)
        } else if bytes.starts(with: [0xFE, 0xFF]) || bytes.starts(with: [0x00, 0x3C]) {
            bytes = bytes.drop { $0 >= 0xFE }.enumerated().filter { $0.offset % 2 == 1 }.map(\.element)
        }
        return Array(bytes.drop(while: blanks.contains))
    }

    /// A byte order mark leaves 0xFE or 0xFF.
    private static func everyFourth(of bytes: [UInt8], from first: Int) -> [UInt8] {
        stride(from: first, to: bytes.count, by: 4).map { bytes[$0] }.filter { $0 < 0xFE }
    }

    /// Whether `bytes` begin with `text`, whose letters are in lower case or do not matter.
    private static func begins(_ bytes: some Collection<UInt8>, _ text: String) -> Bool {
        let text = Array(text.lowercased().utf8)
        return bytes.count >= text.count && zip(bytes, text).allSatisfy { lowercased($0) == $1 }
    }

    private static func lowercased(_ byte: UInt8) -> UInt8 {
        (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains(byte) ? byte | 0x20 : byte
    }

    /// The kind by an unmistakable signature.
    private static func byMark(_ bytes: [UInt8]) -> ContentKind? {
        if bytes.starts(with: "%PDF-".utf8) { return .other("a PDF document") }
        if bytes.starts(with: [0x50, 0x4B, 0x03, 0x04]) { return .other("a ZIP archive") }
        if bytes.starts(with: [0x1F, 0x8B]) { return .other("compressed with gzip; unpack it first") }
        if bytes.starts(with: "d8:announce".utf8) { return .other("a torrent; open it in a torrent client") }
        if bytes.starts(with: [0x7F, 0x45, 0x4C, 0x46]) { return .other("a program") }
        return nil
    }

    /// Whether nothing but text is in it. Bytes of other encodings count as text.
    private static func isText(_ bytes: [UInt8]) -> Bool {
        !bytes.isEmpty && bytes.allSatisfy { ($0 >= 0x20 && $0 != 0x7F) || (0x08...0x0D).contains($0) || $0 == 0x1B }
    }

    /// Text without a signature: its name or its type decides, if anything does.
    private static func text(type: String?, ending: String?, isNamedList: Bool) -> ContentKind {
        if isNamedList { return .channels }
        switch (type, ending) {
        case (_, "pls"), ("audio/x-scpls", _): return .pls
        case (_, "rss"), (_, "atom"), (_, "rdf"), (_, "xml"): return .syndication
        case ("application/rss+xml", _), ("application/atom+xml", _), ("application/rdf+xml", _): return .syndication
        case ("text/html", _), ("application/xhtml+xml", _): return .page
        case ("text/plain", _): return .other("plain text")
        // Subtitles and scripts are text that libav reads.
        default: return .media
        }
    }

    // MARK: - Markup

    private static func markup(_ bytes: [UInt8], type: String?) -> ContentKind {
        if begins(bytes, "<!doctype html") { return .page }
        guard let root = root(of: bytes) else {
            let isPage = type == "text/html" || type == "application/xhtml+xml"
            return isPage ? .page : .syndication
        }
        switch root {
        case "rss", "rdf", "feed", "channel", "item", "entry": return .syndication
        case "mpd": return .stream
        case "playlist": return .xspf
        case "html", "head", "body": return .page
        case "opml": return .opml
        case "svg": return .other("an SVG drawing")
        case "smil", "asx", "tt": return .other("a \(root.uppercased()) document")
        default:
            if type == "text/html" { return .page }
            return .other("XML but not a feed: it starts with <\(root)>")
        }
    }

    /// The local name of the first element, in lower case; nil if these bytes contain no element.
    static func root(of bytes: [UInt8]) -> String? {
        var place = 0
        func skip(past end: String) -> Bool {
            let end = Array(end.utf8)
            while place < bytes.count {
                if bytes[place...].starts(with: end) {
                    place += end.count
                    return true
                }
                place += 1
            }
            return false
        }
        while let open = bytes[place...].firstIndex(of: UInt8(ascii: "<")) {
            place = open
            let rest = bytes[open...]
            if rest.starts(with: "<!--".utf8) {
                guard skip(past: "-->") else { return nil }
            } else if rest.starts(with: "<?".utf8) {
                guard skip(past: "?>") else { return nil }
            } else if rest.starts(with: "<!".utf8) {
                let subset = rest.firstIndex(of: UInt8(ascii: "["))
                let close = rest.firstIndex(of: UInt8(ascii: ">"))
                guard let close else { return nil }
                guard skip(past: subset.map { $0 < close } ?? false ? "]>" : ">") else { return nil }
            } else {
                let name = rest.dropFirst().prefix { byte in
                    byte >= 0x80 || byte == UInt8(ascii: ":") || byte == UInt8(ascii: "-") || byte == UInt8(ascii: "_")
                        || (0x30...0x39).contains(byte) || (0x61...0x7A).contains(lowercased(byte))
                }
                guard !name.isEmpty else {
                    place += 1
                    continue
                }
                let local = name.split(separator: UInt8(ascii: ":")).last ?? name
                return String(decoding: local.prefix(40).map(lowercased), as: UTF8.self)
            }
        }
        return nil
    }
}

/// Something that was opened, and whose first bytes were looked at. It is read from its beginning. Used by one thread.
struct OpenedText {
    /// After redirections.
    let url: String
    /// The media type that the server sends; nil if it sends none.
    let type: MediaType?
    let kind: ContentKind
    /// Whether it has no byte.
    let isEmpty: Bool
    let stream: ByteStream
    /// The bytes; nil for standard input.
    var source: (any ByteSource)?
    /// See `ByteSource.age`. It may become an earlier answer when its first bytes are read.
    var age: Duration? { source?.age }

    /// Blocks until there are enough bytes to decide what it is, or it ends.
    init(_ stream: ByteStream, at url: String, type: MediaType?) throws(BytesError) {
        var bytes = stream.next()
        // A read can return few bytes, perhaps only white space.
        while !bytes.isEmpty, bytes.count < ContentKind.looksAt {
            let more = stream.next()
            if more.isEmpty { break }
            bytes += more
        }
        if bytes.isEmpty, let failure = stream.failure { throw failure }
        isEmpty = bytes.isEmpty
        let path = FileURL.path(of: url) ?? Array((URLParts(url)?.path ?? url).utf8)
        kind = ContentKind(
            bytes.prefix(ContentKind.looksAt), type: type?.name,
            ending: ClipName.ending(of: path))
        self.url = url
        self.type = type
        self.stream = stream.putBack(bytes)
    }
}
