/// Reads the subset of XML (1.0, fifth edition) that manifests use, event by event. Pure; the text is not trusted.
///
/// UTF-8 only. There are no entity definitions: a document type declaration
/// ends the reading. Prefixes of names are dropped.
struct XMLReader {
    struct Attribute: Equatable {
        var name: String
        var value: String
    }

    enum Event: Equatable {
        case start(name: String, attributes: [Attribute])
        case text(String)
        case end(name: String)
    }

    /// Further attributes are ignored.
    static let maxAttributes = 64

    private let bytes: [UInt8]
    private var place = 0
    /// The name of an empty element whose end event is still to come.
    private var closing: String?
    /// Whether reading stopped at an error.
    private(set) var isBroken = false

    init(_ bytes: [UInt8]) { self.bytes = bytes }

    /// The next event; nil at the end or after an error.
    mutating func next() -> Event? {
        if let name = closing {
            closing = nil
            return .end(name: name)
        }
        while !isBroken, place < bytes.count {
            if bytes[place] != UInt8(ascii: "<") {
                let text = bytes[place...].prefix { $0 != UInt8(ascii: "<") }
                place = text.endIndex
                return .text(XMLReader.unescaped(text))
            }
            if consume("<!--") {
                _ = consume(until: "-->")
            } else if consume("<![CDATA[") {
                return consume(until: "]]>").map { .text(String(decoding: $0, as: UTF8.self)) }
            } else if consume("<?") {
                _ = consume(until: "?>")
            } else if consume("</") {
                return endTag()
            } else {
                place += 1
                return startTag()
            }
        }
        return nil
    }

    private mutating func endTag() -> Event? {
        let name = readName()
        skipBlanks()
        guard let name, consume(">") else { return broken() }
        return .end(name: name)
    }

    /// Called after `<`. Document types and other declarations have no valid name and fail here.
    private mutating func startTag() -> Event? {
        guard let name = readName() else { return broken() }
        var attributes: [Attribute] = []
        while true {
            skipBlanks()
            if consume(">") { return .start(name: name, attributes: attributes) }
            if consume("/>") {
                closing = name
                return .start(name: name, attributes: attributes)
            }
            guard let attribute = readAttribute() else { return broken() }
            if attributes.count < XMLReader.maxAttributes { attributes.append(attribute) }
        }
    }

    private mutating func broken() -> Event? {
        isBroken = true
        return nil
    }

    // MARK: Pieces

    private mutating func consume(_ text: StaticString) -> Bool {
        let text = UnsafeBufferPointer(start: text.utf8Start, count: text.utf8CodeUnitCount)
        guard bytes[place...].starts(with: text) else { return false }
        place += text.count
        return true
    }

    /// The text up to `end`, which is consumed too. Fails without `end`.
    private mutating func consume(until end: StaticString) -> ArraySlice<UInt8>? {
        let start = place
        while place < bytes.count {
            let before = place
            if consume(end) { return bytes[start..<before] }
            place += 1
        }
        isBroken = true
        return nil
    }

    private mutating func skipBlanks() {
        place = bytes[place...].firstIndex { $0 > 0x20 } ?? bytes.count
    }

    /// A name without its prefix, or nil.
    private mutating func readName() -> String? {
        let name = bytes[place...].prefix { $0 > 0x20 && !"<>/=\"'&!?".utf8.contains($0) }
        place = name.endIndex
        let local = name.split(separator: UInt8(ascii: ":")).last
        return local.map { String(decoding: $0, as: UTF8.self) }
    }

    private mutating func readAttribute() -> Attribute? {
        guard let name = readName() else { return nil }
        skipBlanks()
        guard consume("=") else { return nil }
        skipBlanks()
        let isDouble = consume("\"")
        guard isDouble || consume("'"), let value = consume(until: isDouble ? "\"" : "'") else { return nil }
        return Attribute(name: name, value: XMLReader.unescaped(value))
    }

    // MARK: References

    /// Replaces character and entity references (4.1, 4.6); unknown ones stay unchanged.
    private static func unescaped(_ text: ArraySlice<UInt8>) -> String {
        guard text.contains(UInt8(ascii: "&")) else { return String(decoding: text, as: UTF8.self) }
        var plain: [UInt8] = []
        var rest = text
        while let byte = rest.popFirst() {
            // No valid reference is longer.
            let name = rest.prefix(10).prefix { $0 != UInt8(ascii: ";") }
            if byte == UInt8(ascii: "&"), name.endIndex < rest.endIndex, rest[name.endIndex] == UInt8(ascii: ";"),
                let meaning = meaning(of: name)
            {
                plain += meaning
                rest = rest[(name.endIndex + 1)...]
            } else {
                plain.append(byte)
            }
        }
        return String(decoding: plain, as: UTF8.self)
    }

    private static func meaning(of name: ArraySlice<UInt8>) -> [UInt8]? {
        let text = String(decoding: name, as: UTF8.self)
        switch text {
        case "amp": return [UInt8(ascii: "&")]
        case "lt": return [UInt8(ascii: "<")]
        case "gt": return [UInt8(ascii: ">")]
        case "quot": return [UInt8(ascii: "\"")]
        case "apos": return [UInt8(ascii: "'")]
        default:
            let number = text.hasPrefix("#x") ? UInt32(text.dropFirst(2), radix: 16) : UInt32(text.dropFirst(1))
            guard text.hasPrefix("#"), let number, number > 0, let scalar = Unicode.Scalar(number) else { return nil }
            return Array(String(scalar).utf8)
        }
    }
}
