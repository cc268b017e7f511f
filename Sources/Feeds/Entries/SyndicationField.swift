import Model

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// A field of a feed or an entry whose text is being read. A value.
struct SyndicationField {
    enum Kind: Equatable {
        case title(rank: Int)
        case description
        case link
        case id(IDKind)
        case published, updated, created
        /// Where a text is a name, perhaps with an address.
        case author(rank: Int)
        case authorName, authorURL, authorMail
        case tag, tags
        case image
        case language
        case duration
        case comments
        case mediaTitle, mediaDescription
        /// For whom it is. Of `itunes:explicit` nothing is made: in podcasts it is about words.
        case rating, adult
    }

    /// Whether an id is also the address of the entry's page.
    enum IDKind: Equatable {
        case name
        /// As the feed says.
        case link
        /// Where the feed does not say: if it looks like one.
        case perhapsLink
    }

    /// The format of the text.
    enum Content: Equatable {
        case plain
        /// HTML in a text.
        case markup
        /// Elements, which are written down as HTML.
        case inline
        /// HTML, if it looks like that.
        case unknown
        /// The same in base64 (RFC 4648).
        case base64
    }

    /// The most bytes of a description, of another text.
    static let descriptionLimit = 80_000
    static let textLimit = 8_200

    let kind: Kind
    /// Of its element.
    let depth: Int
    /// An attribute that says what the text may not.
    var spare: String?
    private(set) var content: Content
    private(set) var text = ""
    private(set) var hasElements = false
    /// Whether the document says that there are elements in it.
    let isDeclaredInline: Bool

    init(_ kind: Kind, depth: Int, content: Content = .plain, spare: String? = nil) {
        self.kind = kind
        self.depth = depth
        self.content = content
        self.spare = spare
        isDeclaredInline = content == .inline
    }

    /// Whether elements in it are markup.
    var takesMarkup: Bool {
        switch kind {
        case .title, .description, .mediaDescription: true
        default: false
        }
    }

    private var limit: Int { kind == .description ? Self.descriptionLimit : Self.textLimit }

    mutating func add(_ more: String) {
        guard text.utf8.count < limit else { return }
        let more = content == .inline ? Self.escaped(more) : more
        if text.utf8.count + more.utf8.count <= limit {
            text += more
        } else {
            for scalar in more.unicodeScalars {
                guard text.utf8.count + UTF8.width(scalar) <= limit else { break }
                text.unicodeScalars.append(scalar)
            }
        }
    }

    /// An element begins in it.
    mutating func begin(_ name: String) {
        hasElements = true
        guard takesMarkup else { return }
        if content != .inline {
            if content != .markup { text = Self.escaped(text) }
            content = .inline
        }
        if text.utf8.count + name.utf8.count < limit { text += "<\(name)>" }
    }

    mutating func end(_ name: String) {
        guard content == .inline, !["br", "img", "hr"].contains(name) else { return }
        if text.utf8.count + name.utf8.count < limit { text += "</\(name)>" }
    }

    /// Without surrounding blanks. Content that is labelled base64 but does not
    /// decode to text stays as it is, as in feedparser.
    var trimmed: String {
        guard content == .base64 else { return text.stripped }
        let code = text.filter { !$0.isWhitespace }
        guard let bytes = Data(base64Encoded: code), let text = String(validating: bytes, as: UTF8.self) else {
            return text.stripped
        }
        return text.stripped
    }

    var isMarkup: Bool {
        switch content {
        case .plain: false
        case .markup, .inline: true
        case .unknown: Self.looksLikeMarkup(text)
        case .base64: Self.looksLikeMarkup(trimmed)
        }
    }

    static func escaped(_ text: String) -> String {
        guard text.utf8.contains(where: { $0 == UInt8(ascii: "<") || $0 == UInt8(ascii: "&") }) else { return text }
        var bytes: [UInt8] = []
        for byte in text.utf8 {
            switch byte {
            case UInt8(ascii: "<"): bytes += "&lt;".utf8
            case UInt8(ascii: "&"): bytes += "&amp;".utf8
            default: bytes.append(byte)
            }
        }
        return String(decoding: bytes, as: UTF8.self)
    }

    /// Whether a text is HTML rather than about it: it has an entity, or every `<` begins a tag that is
    /// common in text. A complete script or style element is HTML, too.
    static func looksLikeMarkup(_ text: String) -> Bool {
        var text = text
        return text.withUTF8 { bytes in
            var isMarkup = false
            // Looked for once, however often it begins.
            var ends: [String: Bool] = [:]
            for (index, byte) in bytes.enumerated() where byte == UInt8(ascii: "<") || byte == UInt8(ascii: "&") {
                var rest = bytes[(index + 1)...]
                if byte == UInt8(ascii: "<") {
                    if rest.first == UInt8(ascii: "/") { rest = rest.dropFirst() }
                    let name = rest.prefix(12).prefix { isLetter($0) || (0x30...0x39).contains($0) }
                    if name.isEmpty { continue }
                    let tag = String(decoding: name, as: UTF8.self).lowercased()
                    if tag == "script" || tag == "style", ends[tag] == nil {
                        ends[tag] = has("</" + tag, in: bytes)
                    }
                    guard tags.contains(tag) || ends[tag] == true else { return false }
                    isMarkup = true
                } else {
                    let name = rest.prefix(10).prefix {
                        isLetter($0) || (0x30...0x39).contains($0) || $0 == UInt8(ascii: "#")
                    }
                    if !name.isEmpty, rest.dropFirst(name.count).first == UInt8(ascii: ";") { isMarkup = true }
                }
            }
            return isMarkup
        }
    }

    /// Whether a word in small letters is there, whatever letters it has.
    private static func has(_ word: String, in bytes: UnsafeBufferPointer<UInt8>) -> Bool {
        let word = Array(word.utf8)
        guard bytes.count >= word.count else { return false }
        return (0...(bytes.count - word.count)).contains { start in
            word.indices.allSatisfy { place in
                let byte = bytes[start + place]
                return byte == word[place] || isLetter(byte) && byte | 0x20 == word[place]
            }
        }
    }

    private static func isLetter(_ byte: UInt8) -> Bool { (0x61...0x7A).contains(byte | 0x20) }

    private static let tags: Set = [
        "a", "abbr", "b", "big", "blockquote", "br", "center", "cite", "code", "dd", "del", "div", "dl", "dt", "em",
        "font",
        "h1", "h2", "h3", "h4", "h5", "h6", "hr", "i", "img", "ins", "li", "ol", "p", "pre", "q", "s", "small", "span",
        "strike", "strong", "sub", "sup", "table", "tbody", "td", "th", "tr", "tt", "u", "ul",
    ]
}
