/// Makes well-formed XML of what feeds contain instead, as it arrives: pieces of
/// UTF-8 in, pieces of UTF-8 out. Used by one thread.
///
/// The output has elements, text and the five entities of XML, below an added root (`root`). Comments,
/// instructions and document types with their declarations are removed, CDATA becomes text, and every opened tag
/// is closed in order. So a parser never rejects it, whatever arrives, and entities that a document declares
/// have no meaning. Work is linear, and memory holds at most one tag.
struct MarkupRepair {
    typealias Bytes = UnsafeBufferPointer<UInt8>

    /// The element that all others are in.
    static let root = "flick"
    /// The most bytes of a tag; a longer one is left out.
    static let tagLimit = 1 << 16
    /// The most bytes of a reference: `&thetasym;`.
    static let referenceLimit = 40

    private enum State {
        case text, characterData
        /// Up to and with this ending.
        case skipping(StaticString)
        case documentType(DocumentTypeScan)
    }

    /// Bytes that wait for what follows them.
    private var held: [UInt8] = []
    private var state = State.text
    private var tag = TagScan()
    private var open = OpenElements()
    private var output: [UInt8] = Array("<\(MarkupRepair.root)>".utf8)

    /// The output since the last call.
    mutating func take() -> [UInt8] {
        defer { output.removeAll(keepingCapacity: true) }
        return output
    }

    /// Reads on. `text` ends with a whole character.
    mutating func add(_ text: [UInt8]) { add(text, isLast: false) }

    /// Closes all that is open. Nothing can be added behind it.
    mutating func end() {
        add([], isLast: true)
        open.closeAll(&output)
        output += "</\(MarkupRepair.root)>".utf8
    }

    private mutating func add(_ text: [UInt8], isLast: Bool) {
        let all = held.isEmpty ? text : held + text
        held = []
        all.withUnsafeBufferPointer { bytes in
            var index = 0
            while index < bytes.count {
                guard let next = step(bytes, index, isLast) else {
                    held = Array(bytes[index...])
                    break
                }
                index = next
            }
        }
    }

    /// Reads what begins at `index`, and returns where it ends; nil if more
    /// bytes are needed to decide, never at the end.
    private mutating func step(_ bytes: Bytes, _ index: Int, _ isLast: Bool) -> Int? {
        switch state {
        case .text: return text(bytes, index, isLast)
        case .characterData: return characterData(bytes, index, isLast)
        case .skipping(let ending): return skip(ending, bytes, index, isLast)
        case .documentType(var scan):
            let end = scan.read(bytes, index)
            state = scan.isOver ? .text : .documentType(scan)
            return end
        }
    }

    // MARK: Text

    private mutating func text(_ bytes: Bytes, _ index: Int, _ isLast: Bool) -> Int? {
        let end = run(bytes, index)
        if end > index || end == bytes.count { return end }
        switch bytes[index] {
        case UInt8(ascii: "<"): return markup(bytes, index, isLast)
        case UInt8(ascii: "&"):
            return MarkupReference.copy(bytes, index, end: bytes.count, isLast: isLast, inValue: false, to: &output)
        default: return special(bytes, index)
        }
    }

    private mutating func characterData(_ bytes: Bytes, _ index: Int, _ isLast: Bool) -> Int? {
        let end = run(bytes, index)
        if end > index || end == bytes.count { return end }
        switch bytes[index] {
        case UInt8(ascii: "]"):
            let isEnd = begins(with: "]]>", bytes, index)
            if isEnd == nil, !isLast { return nil }
            if isEnd == true {
                state = .text
                return index + 3
            }
            return special(bytes, index)
        case UInt8(ascii: "<"): output += "&lt;".utf8
        case UInt8(ascii: "&"): output += "&amp;".utf8
        default: return special(bytes, index)
        }
        return index + 1
    }

    /// Adds the bytes up to one with a meaning, and returns where that is.
    private mutating func run(_ bytes: Bytes, _ index: Int) -> Int {
        var end = index
        while end < bytes.count, !Self.isSpecial(bytes[end]) { end += 1 }
        output.append(contentsOf: Bytes(rebasing: bytes[index..<end]))
        return end
    }

    /// Whether a byte may be something else than text.
    @inline(__always) private static func isSpecial(_ byte: UInt8) -> Bool {
        switch byte {
        case 0..<0x09, 0x0B, 0x0C, 0x0E..<0x20, UInt8(ascii: "<"), UInt8(ascii: "&"), UInt8(ascii: "]"), 0xEF: true
        default: false
        }
    }

    /// A byte that `isSpecial`, but is no markup: XML has no control
    /// characters, no U+FFFE and U+FFFF, and no `]]>` in its text.
    private mutating func special(_ bytes: Bytes, _ index: Int) -> Int {
        switch bytes[index] {
        case UInt8(ascii: "]"):
            // Written so, it never comes before a `>`.
            output += "&#93;".utf8
        case 0xEF:
            let isCharacter = index + 2 < bytes.count
            if isCharacter, bytes[index + 1] == 0xBF, bytes[index + 2] >= 0xBE { return index + 3 }
            output.append(0xEF)
        default: break
        }
        return index + 1
    }

    // MARK: Markup

    private mutating func markup(_ bytes: Bytes, _ index: Int, _ isLast: Bool) -> Int? {
        guard index + 1 < bytes.count else { return isLast ? literally(index) : nil }
        switch bytes[index + 1] {
        case UInt8(ascii: "!"):
            for (beginning, next) in Self.beginnings {
                let isSo = begins(with: beginning, bytes, index)
                if isSo == nil, !isLast { return nil }
                if isSo == true {
                    state = next
                    return index + beginning.utf8CodeUnitCount
                }
            }
            return index + 2
        case UInt8(ascii: "?"):
            let isDeclaration = begins(with: "<?xml ", bytes, index)
            if isDeclaration == nil, !isLast { return nil }
            // A declaration may lack its second question mark.
            state = .skipping(isDeclaration == true ? ">" : "?>")
            return index + 2
        case UInt8(ascii: "/"), UInt8(ascii: "_"), 0x41...0x5A, 0x61...0x7A: return tag(bytes, index, isLast)
        default: return literally(index)
        }
    }

    private static let beginnings: [(StaticString, State)] = [
        ("<![CDATA[", .characterData), ("<!--", .skipping("-->")), ("<!", .documentType(DocumentTypeScan())),
    ]

    /// A `<` that begins nothing.
    private mutating func literally(_ index: Int) -> Int {
        output += "&lt;".utf8
        return index + 1
    }

    private mutating func tag(_ bytes: Bytes, _ index: Int, _ isLast: Bool) -> Int? {
        guard let (end, next) = tag.end(of: bytes, from: index) else {
            guard isLast || tag.length > MarkupRepair.tagLimit else { return nil }
            // It has no end, or none in sight.
            let read = tag.length
            tag = TagScan()
            state = .skipping(">")
            return index + read
        }
        tag = TagScan()
        let inside = Bytes(rebasing: bytes[index + 1..<end])
        if inside.first == UInt8(ascii: "/") {
            open.close(Bytes(rebasing: inside[1...]), &output)
        } else {
            open.begin(inside, &output)
        }
        return next
    }

    private mutating func skip(_ ending: StaticString, _ bytes: Bytes, _ index: Int, _ isLast: Bool) -> Int? {
        let last = ending.utf8CodeUnitCount - 1
        var place = index + last
        while place < bytes.count {
            if bytes[place] == UInt8(ascii: ">"), begins(with: ending, bytes, place - last) == true {
                state = .text
                return place + 1
            }
            place += 1
        }
        if isLast { return bytes.count }
        // A possible beginning of the end mark is examined again.
        let rest = max(index, bytes.count - last)
        return rest > index ? rest : nil
    }

    /// nil if there are too few bytes to decide.
    private func begins(with word: StaticString, _ bytes: Bytes, _ index: Int) -> Bool? {
        for offset in 0..<word.utf8CodeUnitCount {
            guard index + offset < bytes.count else { return nil }
            if bytes[index + offset] != word.utf8Start[offset] { return false }
        }
        return true
    }
}

/// Finds the end of a tag, which may come later than its beginning. A value.
private struct TagScan {
    /// How many bytes of the tag were looked at, the `<` first.
    private(set) var length = 1
    private var quote: UInt8?
    /// The last byte that is no blank.
    private var last: UInt8 = 0

    /// Where what is in the tag ends, and where what follows it begins; nil if that has not arrived. The beginning of
    /// another tag ends it, too.
    mutating func end(of bytes: UnsafeBufferPointer<UInt8>, from start: Int) -> (end: Int, next: Int)? {
        var index = start + length
        defer { length = index - start }
        while index < bytes.count {
            let byte = bytes[index]
            if let quote {
                if byte == quote { self.quote = nil }
            } else if byte == UInt8(ascii: ">") {
                return (index, index + 1)
            } else if byte == UInt8(ascii: "<") {
                return (index, index)
            } else if byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "'"), last == UInt8(ascii: "=") {
                // Elsewhere it is a slip.
                quote = byte
            }
            if byte > 0x20 { last = byte }
            index += 1
            if index - start > MarkupRepair.tagLimit { return nil }
        }
        return nil
    }
}

/// Finds the end of a document type with the declarations in it. A value.
private struct DocumentTypeScan {
    private enum Place { case outside, inside, declaration, comment, instruction }

    private(set) var isOver = false
    /// Its brackets and what is in them.
    private var place = Place.outside
    /// In a declaration, that of a text.
    private var quote: UInt8?
    /// The last three bytes.
    private var recent: UInt32 = 0

    /// Returns where it ends, or where the bytes do.
    mutating func read(_ bytes: UnsafeBufferPointer<UInt8>, _ start: Int) -> Int {
        var index = start
        while index < bytes.count, !isOver {
            read(bytes[index])
            index += 1
        }
        return index
    }

    private mutating func read(_ byte: UInt8) {
        switch place {
        case .outside:
            if byte == UInt8(ascii: ">") { isOver = true }
            if byte == UInt8(ascii: "[") { place = .inside }
        case .inside:
            if byte == UInt8(ascii: "<") { place = .declaration }
            if byte == UInt8(ascii: "]") { place = .outside }
        case .declaration:
            if let quote {
                if byte == quote { self.quote = nil }
            } else if byte == UInt8(ascii: ">") {
                place = .inside
            } else if byte == UInt8(ascii: "-"), recent == 0x3C212D {
                // `<!--`
                place = .comment
            } else if byte == UInt8(ascii: "?"), recent & 0xFF == 0x3C {
                place = .instruction
            } else if byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "'") {
                quote = byte
            }
        case .comment:
            if byte == UInt8(ascii: ">"), recent & 0xFFFF == 0x2D2D { place = .inside }
        case .instruction:
            if byte == UInt8(ascii: ">"), recent & 0xFF == 0x3F { place = .inside }
        }
        recent = (recent << 8 | UInt32(byte)) & 0xFF_FFFF
    }
}
