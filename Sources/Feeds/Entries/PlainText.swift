import Model

/// HTML as people read it: words and lines, without tags, scripts and styles. Pure, and linear in the length of the
/// HTML, whatever is in it.
///
/// It follows HTML's tokenizer (13.2.5) where that decides what is text. A block ends with the addresses of
/// its unnamed links. The result is still untrusted: see `CleanText`.
enum PlainText {
    /// One line. Where no `>` follows, a `<` stands for itself: titles hold such.
    ///
    /// - Parameter limit: the most scalars; the rest is left out.
    static func line(_ html: String, limit: Int) -> String { text(html, limit: limit, isLine: true) }

    /// Paragraphs, breaks and points of lists as lines, with at most one empty
    /// line between them. A tag that is cut off is left out.
    ///
    /// - Parameter limit: the most scalars; the rest is left out.
    static func block(_ html: String, limit: Int) -> String { text(html, limit: limit, isLine: false) }

    private static func text(_ html: String, limit: Int, isLine: Bool) -> String {
        var reader = HTMLReader(Array(html.utf8), text: HTMLText(limit: limit, isLine: isLine))
        return reader.read()
    }
}

/// Reads HTML from the beginning to the end, and never a byte more than a few times.
private struct HTMLReader {
    private let bytes: [UInt8]
    private var index = 0
    private var text: HTMLText
    /// Behind the last `>`: no tag begins there.
    private let tagsEnd: Int
    private var isPreformatted = false
    /// Tags that have no end tag in what is left.
    private var unended: Set<String> = []

    init(_ bytes: [UInt8], text: HTMLText) {
        self.bytes = bytes
        self.text = text
        tagsEnd = bytes.lastIndex(of: UInt8(ascii: ">")).map { $0 + 1 } ?? 0
    }

    mutating func read() -> String {
        while index < bytes.count, !text.isFull {
            switch bytes[index] {
            case UInt8(ascii: "<"): readMarkup()
            case UInt8(ascii: "&"): readReference()
            case 0x0A where isPreformatted:
                text.breakLine()
                index += 1
            default:
                text.append(bytes[index])
                index += 1
            }
        }
        text.endLink()
        text.appendLinks()
        return text.string
    }

    private func byte(_ place: Int) -> UInt8 { place < bytes.count ? bytes[place] : 0 }

    private func isLetter(_ byte: UInt8) -> Bool { (0x61...0x7A).contains(byte | 0x20) }

    // MARK: Tags

    private mutating func readMarkup() {
        let next = byte(index + 1)
        let isMarkup = isLetter(next) || "!?/".utf8.contains(next)
        guard isMarkup, index < tagsEnd || !text.isLine else {
            text.append(UInt8(ascii: "<"))
            index += 1
            return
        }
        if index >= tagsEnd {
            index = bytes.count
        } else if isLetter(next) || next == UInt8(ascii: "/") && isLetter(byte(index + 2)) {
            readTag()
        } else if bytes[index...].starts(with: "<!--".utf8) {
            skipComment()
        } else {
            // Browsers take `<!DOCTYPE …>` and `<?xml …>` for comments, too.
            skip(behind: UInt8(ascii: ">"))
        }
    }

    private mutating func skipComment() {
        // "<!-->" and "<!--->" are whole ones.
        index += 2
        while index < bytes.count {
            if bytes[index...].starts(with: "-->".utf8) { return index += 3 }
            index += 1
        }
    }

    /// To the end, if it does not come.
    private mutating func skip(behind wanted: UInt8) {
        index = bytes[index...].firstIndex(of: wanted).map { $0 + 1 } ?? bytes.count
    }

    private mutating func readTag() {
        let isEnd = byte(index + 1) == UInt8(ascii: "/")
        let begin = index + (isEnd ? 2 : 1)
        let name = bytes[begin...].prefix { $0 > 0x20 && $0 != UInt8(ascii: "/") && $0 != UInt8(ascii: ">") }
        index = begin + name.count
        let attributes = index
        skipAttributes()
        if !text.isLine, name.elementsEqual("a".utf8, by: { $0 | 0x20 == $1 }) {
            text.endLink()
            if !isEnd { address(in: bytes[attributes..<index]).map { text.beginLink(to: $0) } }
        }
        // No name that means anything is longer.
        guard name.count <= 10 else { return }
        act(on: String(decoding: name, as: UTF8.self).lowercased(), isEnd: isEnd)
    }

    /// Up to the `>` outside of quotation marks, which count behind an `=` only.
    private mutating func skipAttributes() {
        var isValue = false
        while index < bytes.count {
            let byte = bytes[index]
            index += 1
            switch byte {
            case UInt8(ascii: ">"): return
            case UInt8(ascii: "="): isValue = true
            case 0x20, 0x09, 0x0A, 0x0C, 0x0D: break
            case UInt8(ascii: "\""), UInt8(ascii: "'"):
                if isValue { skip(behind: byte) }
                isValue = false
            default: isValue = false
            }
        }
    }

    /// No address that leads anywhere is longer.
    private static let longestAddress = 2_000

    /// The web address of a link, as it is written; nil if it has none that can stand in a text.
    private func address(in attributes: ArraySlice<UInt8>) -> [UInt8]? {
        let name = Array("href".utf8)
        var rest = attributes
        while let start = rest.firstIndex(where: { $0 | 0x20 == name[0] }) {
            rest = rest[start...]
            let isWord = start > attributes.startIndex && byte(start - 1) > 0x20
            guard !isWord, rest.count > name.count, zip(rest, name).allSatisfy({ $0 | 0x20 == $1 }) else {
                rest = rest.dropFirst()
                continue
            }
            let value = rest.dropFirst(name.count).drop { $0 <= 0x20 }
            guard value.first == UInt8(ascii: "=") else { return nil }
            let text = value.dropFirst().drop { $0 <= 0x20 }
            let quote = text.first.flatMap { "\"'".utf8.contains($0) ? $0 : nil }
            let address = (quote == nil ? text : text.dropFirst()).prefix { byte in
                quote.map { byte != $0 } ?? (byte > 0x20 && byte != UInt8(ascii: ">"))
            }
            return Self.plain(address)
        }
        return nil
    }

    /// Without the references that an address has most often; nil if it is no address of the web.
    private static func plain(_ address: ArraySlice<UInt8>) -> [UInt8]? {
        guard address.count <= longestAddress else { return nil }
        let text = String(decoding: address, as: UTF8.self).replacing("&amp;", with: "&").replacing("&#38;", with: "&")
        let isClean = text.utf8.allSatisfy { $0 > 0x20 && $0 < 0x7F && !"\"<>".utf8.contains($0) }
        return isClean && RemoteURL(text) != nil ? Array(text.utf8) : nil
    }

    private mutating func act(on name: String, isEnd: Bool) {
        switch name {
        case "br": text.breakLine()
        case "p", "h1", "h2", "h3", "h4", "h5", "h6", "blockquote", "ul", "ol", "dl", "table", "hr", "figure":
            text.breakParagraph()
        case "pre":
            isPreformatted = !isEnd
            text.breakParagraph()
        case "div", "tr", "dt", "dd", "section", "article", "header", "footer", "aside", "nav", "main", "figcaption",
            "address", "form", "option", "summary", "details", "center":
            text.endLine()
        case "li":
            text.endLine()
            if !isEnd { text.beginPoint() }
        case "td", "th": text.append(0x20)
        case "script", "style", "template", "iframe", "object", "svg", "title", "textarea", "noembed", "xmp":
            if !isEnd { skipContent(of: name) }
        default: break
        }
    }

    /// Skips content that is not text, up to the end tag. Without an end tag everything up to the end
    /// is skipped, except in a title: it may mention `<script>`.
    private mutating func skipContent(of tag: String) {
        guard !unended.contains(tag) else { return }
        let (begin, name) = (index, Array(tag.utf8))
        while index < bytes.count {
            skip(behind: UInt8(ascii: "<"))
            guard byte(index) == UInt8(ascii: "/") else { continue }
            let found = bytes[(index + 1)...].prefix(name.count)
            guard found.elementsEqual(name, by: { $0 | 0x20 == $1 }), !isLetter(byte(index + 1 + name.count)) else {
                continue
            }
            return skip(behind: UInt8(ascii: ">"))
        }
        guard text.isLine else { return }
        unended.insert(tag)
        index = begin
    }

    // MARK: References

    /// These stand without a semicolon in many texts.
    private static let bare: Set = ["amp", "lt", "gt", "quot", "nbsp"]

    private mutating func readReference() {
        let begin = index + 1
        let isNumber = byte(begin) == UInt8(ascii: "#")
        guard let (found, end) = isNumber ? number(from: begin + 1) : name(from: begin) else {
            text.append(UInt8(ascii: "&"))
            index += 1
            return
        }
        index = end
        // A blank that must not end a line is a blank here.
        if found == "\u{A0}" { return text.append(0x20) }
        for byte in found.utf8 { text.append(byte) }
    }

    private func name(from begin: Int) -> (String, end: Int)? {
        let letters = bytes[begin...].prefix(HTMLEntity.nameLimit + 1)
            .prefix { isLetter($0) || (0x30...0x39).contains($0) }
        let (name, end) = (String(decoding: letters, as: UTF8.self), letters.endIndex)
        let isEnded = byte(end) == UInt8(ascii: ";")
        guard isEnded || Self.bare.contains(name), let found = HTMLEntity.text(name) else { return nil }
        return (found, isEnded ? end + 1 : end)
    }

    private func number(from begin: Int) -> (String, end: Int)? {
        let isHexadecimal = byte(begin) | 0x20 == UInt8(ascii: "x")
        var end = begin + (isHexadecimal ? 1 : 0)
        let first = end
        var number: UInt32 = 0
        while end < bytes.count, let digit = FileURL.digit(bytes[end]), isHexadecimal || digit < 10 {
            number = min(number * (isHexadecimal ? 16 : 10) + UInt32(digit), 0x11_0000)
            end += 1
        }
        guard end > first else { return nil }
        // A reference to no character becomes nothing.
        return (HTMLEntity.text(number: number) ?? "", byte(end) == UInt8(ascii: ";") ? end + 1 : end)
    }
}

/// A text that is being put together. Blanks and line breaks wait until something follows them.
private struct HTMLText {
    let isLine: Bool
    private var bytes: [UInt8] = []
    /// How many scalars it may have yet.
    private var room: Int
    private(set) var isFull = false
    private var spaceIsDue = false
    /// 2 leave a line empty.
    private var breaksDue = 0
    private var pointIsDue = false
    /// The link that is being read: its address, and where its words begin.
    private var link: (address: [UInt8], start: Int)?
    /// Links whose words do not name their address.
    private var links: [(words: [UInt8], address: [UInt8])] = []
    /// The most of them. More are no list to choose from.
    private static let maxLinks = 50

    init(limit: Int, isLine: Bool) {
        room = limit
        self.isLine = isLine
        isFull = limit <= 0
    }

    var string: String { String(decoding: bytes, as: UTF8.self) }

    mutating func append(_ byte: UInt8) {
        switch byte {
        case 0x20, 0x09...0x0D: spaceIsDue = true
        // The rest of a scalar.
        case 0x80...0xBF where !isFull: bytes.append(byte)
        default:
            makeWay()
            put(byte)
        }
    }

    mutating func breakLine() { breaksDue = min(breaksDue + 1, 2) }
    mutating func endLine() { breaksDue = max(breaksDue, 1) }
    mutating func breakParagraph() { breaksDue = 2 }
    mutating func beginPoint() { pointIsDue = true }

    mutating func beginLink(to address: [UInt8]) { link = (address, bytes.count) }

    /// Links to people and topics are no links of the text, and links without words are images.
    mutating func endLink() {
        guard let link else { return }
        self.link = nil
        let words = bytes[min(link.start, bytes.count)...].drop { $0 <= 0x20 }
        guard let first = words.first, !"@#".utf8.contains(first), links.count < Self.maxLinks,
            words.firstRange(of: link.address) == nil, !links.contains(where: { $0.address == link.address })
        else { return }
        links.append((words.map { $0 <= 0x20 ? 0x20 : $0 }, link.address))
    }

    /// The addresses, each behind its words: up to the first that has no room.
    mutating func appendLinks() {
        for (place, link) in links.enumerated() {
            let line = link.words + ": ".utf8 + link.address
            // A paragraph's end, and its characters.
            guard !isFull, room >= line.count + 2 else { return }
            if place == 0 { breakParagraph() } else { endLine() }
            spaceIsDue = false
            for byte in line { append(byte) }
        }
    }

    private mutating func put(_ byte: UInt8) {
        guard room > 0 else { return isFull = true }
        room -= 1
        bytes.append(byte)
    }

    /// Writes what waits.
    private mutating func makeWay() {
        if !bytes.isEmpty {
            if isLine || breaksDue == 0 {
                if spaceIsDue || breaksDue > 0 { put(0x20) }
            } else {
                for _ in 0..<breaksDue { put(0x0A) }
            }
        }
        if pointIsDue, !isLine, room > 1 {
            bytes += Array("• ".utf8)
            room -= 2
        }
        (spaceIsDue, breaksDue, pointIsDue) = (false, 0, false)
    }
}
