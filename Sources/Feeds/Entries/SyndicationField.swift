/// A field of a feed or an entry whose text is being read. A value.
struct SyndicationField {
    enum Kind: Equatable {
        case title(rank: Int)
        case description
        case link
        case id(isLink: Bool)
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
    }

    /// What the text is.
    enum Content: Equatable {
        case plain
        /// HTML in a text.
        case markup
        /// Elements, which are written down as HTML.
        case inline
        /// HTML, if it looks like that.
        case unknown
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

    /// Without blanks around it.
    var trimmed: String { text.stripped }

    var isMarkup: Bool {
        switch content {
        case .plain: false
        case .markup, .inline: true
        case .unknown: Self.looksLikeMarkup(text)
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

    /// Whether a text is HTML rather than about it: each `<` begins a tag of those that stand in texts, or it has an entity.
    static func looksLikeMarkup(_ text: String) -> Bool {
        var text = text
        return text.withUTF8 { bytes in
            var isMarkup = false
            for (index, byte) in bytes.enumerated() where byte == UInt8(ascii: "<") || byte == UInt8(ascii: "&") {
                var rest = bytes[(index + 1)...]
                if byte == UInt8(ascii: "<") {
                    if rest.first == UInt8(ascii: "/") { rest = rest.dropFirst() }
                    let name = rest.prefix(12).prefix { isLetter($0) || (0x30...0x39).contains($0) }
                    if name.isEmpty { continue }
                    guard tags.contains(String(decoding: name, as: UTF8.self).lowercased()) else { return false }
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

    private static func isLetter(_ byte: UInt8) -> Bool { (0x61...0x7A).contains(byte | 0x20) }

    private static let tags: Set = [
        "a", "abbr", "b", "big", "blockquote", "br", "center", "cite", "code", "dd", "del", "div", "dl", "dt", "em",
        "font",
        "h1", "h2", "h3", "h4", "h5", "h6", "hr", "i", "img", "ins", "li", "ol", "p", "pre", "q", "s", "small", "span",
        "strike", "strong", "sub", "sup", "table", "tbody", "td", "th", "tr", "tt", "u", "ul",
    ]
}
