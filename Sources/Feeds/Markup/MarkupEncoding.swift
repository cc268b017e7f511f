import Charset

/// How a document's bytes are text. A value.
enum MarkupEncoding: Equatable {
    /// Also what calls itself ASCII, ISO 8859-1 or windows-1252: servers say so of what is UTF-8. A byte that is no
    /// UTF-8 is read as windows-1252.
    case utf8
    case utf16(isBig: Bool)
    case utf32(isBig: Bool)
    /// By the name that iconv has for it.
    case named(String)
    case macintosh(MacintoshPage)

    /// How many bytes `find` wants to see, if there are as many.
    static let headSize = 1_024

    /// Finds it by the byte order mark; else the media type's `charset` (RFC 7303, 3); else what the document says;
    /// else it is UTF-8.
    ///
    /// - Parameters:
    ///   - head: the first bytes.
    ///   - charset: what the server says; nil if it says nothing.
    ///   - isKnown: whether iconv has an encoding of this name.
    /// - Returns: the encoding, and how many bytes the mark has.
    static func find(
        _ head: [UInt8], charset: String?, isHTML: Bool, isKnown: (String) -> Bool = CharsetConverter.knows
    ) -> (encoding: MarkupEncoding, mark: Int) {
        if head.starts(with: [0xEF, 0xBB, 0xBF]) { return (.utf8, 3) }
        if head.starts(with: [0xFF, 0xFE, 0, 0]) { return (.utf32(isBig: false), 4) }
        if head.starts(with: [0, 0, 0xFE, 0xFF]) { return (.utf32(isBig: true), 4) }
        if head.starts(with: [0xFF, 0xFE]) { return (.utf16(isBig: false), 2) }
        if head.starts(with: [0xFE, 0xFF]) { return (.utf16(isBig: true), 2) }
        if let wide = wide(head) { return (wide, 0) }
        // `<?xm` in EBCDIC. Its many kinds have the letters of declarations in common.
        if head.starts(with: [0x4C, 0x6F, 0xA7, 0x94]), let converter = CharsetConverter("CP037") {
            var text: [UInt8] = []
            converter.add(head, isLast: true, to: &text)
            let name = declared(text, isHTML: false).flatMap { known($0, isKnown) }
            return (name == nil || name == .utf8 ? .named("CP037") : name ?? .utf8, 0)
        }
        for case let name? in [charset, declared(head, isHTML: isHTML)] {
            if let encoding = known(name, isKnown) { return (encoding, 0) }
        }
        return (.utf8, 0)
    }

    /// A document begins with `<` or a blank, followed by ASCII: the zero bytes show how wide its characters are.
    private static func wide(_ head: [UInt8]) -> MarkupEncoding? {
        guard head.count >= 4 else { return nil }
        return switch (head[0] == 0, head[1] == 0, head[2] == 0, head[3] == 0) {
        case (true, true, true, false): .utf32(isBig: true)
        case (false, true, true, true): .utf32(isBig: false)
        case (true, false, true, false): .utf16(isBig: true)
        case (false, true, false, true): .utf16(isBig: false)
        default: nil
        }
    }

    /// The encoding in an XML declaration or an HTML `meta`.
    private static func declared(_ head: [UInt8], isHTML: Bool) -> String? {
        if !isHTML {
            guard let start = find("<?xml", in: head[...]), let end = head[start...].firstIndex(of: UInt8(ascii: ">"))
            else { return nil }
            return value(after: "encoding", in: head[start..<end])
        }
        return value(after: "charset", in: head.prefix(headSize))
    }

    /// `name = "value"`, with or without quotes.
    private static func value(after name: StaticString, in bytes: ArraySlice<UInt8>) -> String? {
        guard let start = find(name, in: bytes) else { return nil }
        let isBlank = { (byte: UInt8) in byte <= 0x20 }
        var rest = bytes[(start + name.utf8CodeUnitCount)...].drop(while: isBlank)
        guard rest.popFirst() == UInt8(ascii: "=") else { return nil }
        rest = rest.drop(while: isBlank).drop { $0 == UInt8(ascii: "\"") || $0 == UInt8(ascii: "'") }
        let value = rest.prefix { isPlain($0) }
        return value.isEmpty || value.count > 40 ? nil : String(decoding: value, as: UTF8.self)
    }

    /// Where `word`, in lower case, begins; capitals count as small letters.
    private static func find(_ word: StaticString, in bytes: ArraySlice<UInt8>) -> Int? {
        let count = word.utf8CodeUnitCount
        guard bytes.count >= count else { return nil }
        return (bytes.startIndex...bytes.endIndex - count).first { start in
            (0..<count).allSatisfy { offset in
                let byte = bytes[start + offset]
                return ((0x41...0x5A).contains(byte) ? byte | 0x20 : byte) == word.utf8Start[offset]
            }
        }
    }

    /// Letters, digits and the punctuation of encoding names. iconv gives other characters a special meaning.
    private static func isPlain(_ byte: UInt8) -> Bool {
        switch byte {
        case 0x30...0x39, 0x41...0x5A, 0x61...0x7A, UInt8(ascii: "-"), UInt8(ascii: "_"), UInt8(ascii: "."),
            UInt8(ascii: ":"):
            true
        default: false
        }
    }

    // MARK: Names

    private static func known(_ name: String, _ isKnown: (String) -> Bool) -> MarkupEncoding? {
        let name = name.lowercased()
        guard name.utf8.allSatisfy(isPlain), (1...40).contains(name.utf8.count) else { return nil }
        if latin.contains(name) { return .utf8 }
        // The bytes are of one byte each, or the name could not have been read: it lies.
        let plain = name.filter { $0 != "-" && $0 != "_" }
        // Where iconv has some of these, they are not the same everywhere.
        if let page = MacintoshPage(name: plain) { return .macintosh(page) }
        if ["utf16", "utf32", "ucs2", "ucs4", "iso10646", "csucs", "csunicode", "u16", "u32"].contains(
            where: plain.hasPrefix)
        {
            return nil
        }
        let hyphens = String(name.map { $0 == "_" ? "-" : $0 })
        let spellings = [
            wider[hyphens], wider[plain], name, hyphens, hyphens.hasPrefix("x-") ? String(hyphens.dropFirst(2)) : nil,
            // "cp-1251", "windows1251"
            hyphens.hasPrefix("cp-") ? "cp" + hyphens.dropFirst(3) : nil,
            // "DOS-861", "ibm-861"
            plain.hasPrefix("dos") || plain.hasPrefix("ibm") ? "cp" + plain.dropFirst(3) : nil,
            hyphens.hasPrefix("windows1") ? "cp" + hyphens.dropFirst(7) : nil,
        ]
        return spellings.compactMap { $0 }.first(where: isKnown).map { .named($0) }
    }

    private static let latin: Set = [
        "utf-8", "utf8", "utf_8", "u8", "unicode-1-1-utf-8", "us-ascii", "us_ascii", "ascii", "ansi_x3.4-1968",
        "iso-8859-1",
        "iso8859-1", "iso_8859-1", "iso88591", "latin1", "latin-1", "l1", "windows-1252", "windows_1252", "cp1252",
        "cp-1252",
        "x-cp1252", "ms-ansi", "ansi",
    ]

    /// Names under which more than their encodings is sent (WHATWG, Encoding Standard, 4.2).
    private static let wider = [
        "gb2312": "GB18030", "gbk": "GB18030", "x-gbk": "GB18030", "cp936": "GB18030", "shift-jis": "CP932",
        "sjis": "CP932",
        "x-sjis": "CP932", "euc-kr": "CP949", "ks-c-5601-1987": "CP949", "ksc5601": "CP949", "iso-8859-9": "CP1254",
        "latin5": "CP1254", "tis-620": "CP874", "iso-8859-11": "CP874", "big5": "BIG5-HKSCS", "macroman": "MACINTOSH",
        "xmacroman": "MACINTOSH", "maccyrillic": "MAC-CYRILLIC", "xmaccyrillic": "MAC-CYRILLIC",
        "xmacukrainian": "MAC-CYRILLIC", "maclatin2": "MAC-CENTRALEUROPE", "xmaclatin2": "MAC-CENTRALEUROPE",
        "iso-8859-8-i": "ISO-8859-8", "iso-8859-8-e": "ISO-8859-8", "logical": "ISO-8859-8", "ebcdic-cp-us": "CP037",
        "ebcdic-cp-ca": "CP037", "ebcdic-cp-nl": "CP037", "ebcdic-cp-wt": "CP037",
        "macce": "MAC-CENTRALEUROPE", "xmacce": "MAC-CENTRALEUROPE", "maccentraleurope": "MAC-CENTRALEUROPE",
        "maccentraleuropean": "MAC-CENTRALEUROPE", "xmaccentraleurroman": "MAC-CENTRALEUROPE", "cp-is": "CP861",
    ]
}
