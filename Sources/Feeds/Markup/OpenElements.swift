/// Writes tags as XML has them, and closes elements in their turn. Used by one thread.
struct OpenElements {
    typealias Bytes = UnsafeBufferPointer<UInt8>

    /// How deep elements may lie in each other. Tags of deeper ones are left
    /// out, their text stays. libxml2 ends at 256.
    static let depthLimit = 240
    /// The most attributes of one element; more are left out.
    static let attributeLimit = 64
    /// The most namespaces that are declared at a time: libxml2 looks at one after the other.
    static let spaceLimit = 256
    /// The most bytes of a namespace; a longer one is not declared.
    static let spaceSize = 500
    /// The most bytes of a name; the rest is left out.
    static let nameLimit = 200
    /// The most distinct names and namespaces of a document; further ones become `other`.
    /// libxml2 stores them all, and is slow to find one among many.
    static let distinctLimit = 4_096
    private static let other = Array("other".utf8)

    /// The names of the open elements, one behind the other.
    private var names: [UInt8] = []
    /// Where each begins, what most others differ in, and how many namespaces it declares.
    private var elements: [(start: Int, key: UInt32, spaces: Int)] = []
    private var spaces = 0
    /// The hashes of all names seen.
    private var known: Set<Int> = []

    /// Writes a tag.
    ///
    /// - Parameter tag: what is between `<` and `>`.
    mutating func begin(_ tag: Bytes, _ output: inout [UInt8]) {
        guard elements.count < Self.depthLimit else { return }
        var end = 0
        while end < tag.count, !Self.endsName(tag[end]) { end += 1 }
        let start = names.count
        Self.addName(Bytes(rebasing: tag[..<end]), to: &names)
        if !knows(names[start...]) { names.replaceSubrange(start..., with: Self.other) }
        output.append(UInt8(ascii: "<"))
        output.append(contentsOf: names[start...])
        let (declared, isClosed) = attributes(Bytes(rebasing: tag[end...]), &output)
        if isClosed || Self.isVoid(names[start...]) {
            output += "/>".utf8
            names.removeSubrange(start...)
        } else {
            output.append(UInt8(ascii: ">"))
            elements.append((start, Self.key(names[start...]), declared))
            spaces += declared
        }
    }

    /// Closes the innermost element of this name, and all that is in it. Without one, nothing is written.
    mutating func close(_ tag: Bytes, _ output: inout [UInt8]) {
        var begin = 0
        while begin < tag.count, tag[begin] <= 0x20 { begin += 1 }
        var end = begin
        while end < tag.count, !Self.endsName(tag[end]) { end += 1 }
        var name: [UInt8] = []
        Self.addName(Bytes(rebasing: tag[begin..<end]), to: &name)
        let key = Self.key(name[...])
        var place = elements.count - 1
        while place >= 0, elements[place].key != key || !Self.areEqual(names[range(of: place)], name) { place -= 1 }
        guard place >= 0 else { return }
        while elements.count > place { closeLast(&output) }
    }

    /// Where the name of an open element is.
    private func range(of place: Int) -> Range<Int> {
        elements[place].start..<(place + 1 < elements.count ? elements[place + 1].start : names.count)
    }

    mutating func closeAll(_ output: inout [UInt8]) {
        while !elements.isEmpty { closeLast(&output) }
    }

    private mutating func closeLast(_ output: inout [UInt8]) {
        guard let (start, _, declared) = elements.popLast() else { return }
        output += "</".utf8
        output.append(contentsOf: names[start...])
        output.append(UInt8(ascii: ">"))
        names.removeSubrange(start...)
        spaces -= declared
    }

    // MARK: Attributes

    /// Returns how many namespaces are declared, and whether the tag ends with a slash.
    private mutating func attributes(_ tag: Bytes, _ output: inout [UInt8]) -> (spaces: Int, isClosed: Bool) {
        var (index, count, declared) = (0, 0, 0)
        var isClosed = false
        while index < tag.count {
            if tag[index] <= 0x20 || tag[index] == UInt8(ascii: "/") {
                isClosed = tag[index] == UInt8(ascii: "/") || isClosed && tag[index] <= 0x20
                index += 1
                continue
            }
            isClosed = false
            let begin = index
            while index < tag.count, !Self.endsName(tag[index]) { index += 1 }
            guard index > begin else {
                // A quote or an equals sign without a name.
                index += 1
                continue
            }
            let name = Bytes(rebasing: tag[begin..<index])
            let value: Bytes
            (value, index, isClosed) = Self.value(tag, index)
            let isSpace = name.count >= 5 && name[..<5].elementsEqual("xmlns".utf8)
            guard count < Self.attributeLimit, !isSpace || spaces + declared < Self.spaceLimit else { continue }
            if isSpace, value.count > Self.spaceSize || !knows(value) { continue }
            count += 1
            if isSpace { declared += 1 }
            output.append(UInt8(ascii: " "))
            let start = output.count
            Self.addName(name, to: &output)
            if !knows(output[start...]) { output.replaceSubrange(start..., with: Self.other) }
            output += "=\"".utf8
            Self.write(value, &output)
            output.append(UInt8(ascii: "\""))
        }
        return (declared, isClosed)
    }

    /// The value that begins at or behind `start`, where it ends, and whether a slash behind it closes the tag.
    private static func value(_ tag: Bytes, _ start: Int) -> (value: Bytes, next: Int, isClosed: Bool) {
        let none = Bytes(rebasing: tag[..<0])
        var index = start
        while index < tag.count, tag[index] <= 0x20 { index += 1 }
        guard index < tag.count, tag[index] == UInt8(ascii: "=") else { return (none, start, false) }
        index += 1
        while index < tag.count, tag[index] <= 0x20 { index += 1 }
        guard index < tag.count else { return (none, index, false) }
        let quote = tag[index]
        if quote == UInt8(ascii: "\"") || quote == UInt8(ascii: "'") {
            let end = tag[(index + 1)...].firstIndex(of: quote) ?? tag.count
            return (Bytes(rebasing: tag[(index + 1)..<end]), min(end + 1, tag.count), false)
        }
        let begin = index
        while index < tag.count, tag[index] > 0x20 { index += 1 }
        let isClosed = index == tag.count && tag[index - 1] == UInt8(ascii: "/")
        return (Bytes(rebasing: tag[begin..<(isClosed ? index - 1 : index)]), index, isClosed)
    }

    private static func write(_ value: Bytes, _ output: inout [UInt8]) {
        var index = 0
        while index < value.count {
            let byte = value[index]
            switch byte {
            case UInt8(ascii: "&"):
                index =
                    MarkupReference.copy(value, index, end: value.count, isLast: true, inValue: true, to: &output)
                    ?? value.count
                continue
            case UInt8(ascii: "<"): output += "&lt;".utf8
            case UInt8(ascii: ">"): output += "&gt;".utf8
            case UInt8(ascii: "\""): output += "&quot;".utf8
            case 0..<0x09, 0x0B, 0x0C, 0x0E..<0x20: break
            case 0xEF where index + 2 < value.count && value[index + 1] == 0xBF && value[index + 2] >= 0xBE:
                index += 3
                continue
            default: output.append(byte)
            }
            index += 1
        }
    }

    // MARK: Names

    /// Whether a name is one of those that the document may have.
    private mutating func knows(_ name: some Collection<UInt8>) -> Bool {
        var hasher = Hasher()
        name.withContiguousStorageIfAvailable { hasher.combine(bytes: UnsafeRawBufferPointer($0)) }
        let key = hasher.finalize()
        if known.contains(key) { return true }
        guard known.count < Self.distinctLimit else { return false }
        known.insert(key)
        return true
    }

    private static func endsName(_ byte: UInt8) -> Bool {
        switch byte {
        case 0...0x20, UInt8(ascii: "/"), UInt8(ascii: "="), UInt8(ascii: "\""), UInt8(ascii: "'"), UInt8(ascii: ">"),
            UInt8(ascii: "<"):
            true
        default: false
        }
    }

    /// Adds a name that XML allows, with at most one colon in it (Namespaces in
    /// XML, 4): what else is in it becomes `_`.
    private static func addName(_ name: Bytes, to names: inout [UInt8]) {
        var isFirst = true
        var hasColon = false
        for (index, byte) in name.prefix(nameLimit).enumerated() {
            switch byte {
            case 0x41...0x5A, 0x61...0x7A, UInt8(ascii: "_"):
                names.append(byte)
                isFirst = false
            case 0x30...0x39, UInt8(ascii: "-"), UInt8(ascii: "."):
                names.append(isFirst ? UInt8(ascii: "_") : byte)
                isFirst = false
            case UInt8(ascii: ":") where !hasColon && !isFirst && index + 1 < min(name.count, nameLimit):
                names.append(byte)
                (hasColon, isFirst) = (true, true)
            default:
                names.append(UInt8(ascii: "_"))
                isFirst = false
            }
        }
    }

    /// Capitals count as small letters.
    private static func areEqual(_ one: ArraySlice<UInt8>, _ other: [UInt8]) -> Bool {
        one.count == other.count && zip(one, other).allSatisfy { folded($0) == folded($1) }
    }

    /// Equal for equal names (FNV-1a).
    private static func key(_ name: ArraySlice<UInt8>) -> UInt32 {
        name.reduce(0x811C_9DC5) { ($0 ^ UInt32(folded($1))) &* 0x100_0193 }
    }

    private static func folded(_ byte: UInt8) -> UInt8 { (0x41...0x5A).contains(byte) ? byte | 0x20 : byte }

    /// Elements of HTML that have no end, and no other meaning in feeds.
    private static func isVoid(_ name: ArraySlice<UInt8>) -> Bool {
        guard (2...5).contains(name.count) else { return false }
        return ["br", "hr", "img", "wbr", "input"].contains { name.elementsEqual($0.utf8) }
    }
}
