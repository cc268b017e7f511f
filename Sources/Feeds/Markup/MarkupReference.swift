import Model

/// Character references and entities of XML and HTML. Pure.
enum MarkupReference {
    typealias Bytes = UnsafeBufferPointer<UInt8>

    /// Adds to `output` what the reference at `index` (an `&`) means, as XML
    /// has it; an `&` that begins none becomes `&amp;`.
    ///
    /// Known are the five entities of XML, and those of HTML, whatever a document declares. They need their semicolon,
    /// as addresses are full of `&copy=1`. References to characters do not, and those of windows-1252 mean what its
    /// characters are.
    ///
    /// - Parameters:
    ///   - end: where the text ends that the reference is in.
    ///   - inValue: in an attribute's value, where quotes have a meaning.
    /// - Returns: where the reference ends; nil if more bytes are needed to decide.
    static func copy(
        _ bytes: Bytes, _ index: Int, end: Int, isLast: Bool, inValue: Bool, to output: inout [UInt8]
    ) -> Int? {
        let start = index + 1
        let limit = min(end, start + MarkupRepair.referenceLimit)
        guard start < end else { return isLast ? bare(index, &output) : nil }
        if bytes[start] == UInt8(ascii: "#") {
            return number(bytes, start + 1, limit, isLast: isLast || limit < end, inValue: inValue, &output)
        }
        var place = start
        while place < limit, isNamed(bytes[place]) { place += 1 }
        if place == end, !isLast { return nil }
        guard place < limit, place > start, bytes[place] == UInt8(ascii: ";") else { return bare(index, &output) }
        let name = String(decoding: bytes[start..<place], as: UTF8.self)
        switch name {
        case "amp", "lt", "gt", "quot", "apos": output.append(contentsOf: Bytes(rebasing: bytes[index...place]))
        default:
            guard let text = HTMLEntity.text(name) else { return bare(index, &output) }
            output += text.utf8
        }
        return place + 1
    }

    private static func bare(_ index: Int, _ output: inout [UInt8]) -> Int {
        output += "&amp;".utf8
        return index + 1
    }

    private static func isNamed(_ byte: UInt8) -> Bool {
        switch byte {
        case 0x30...0x39, 0x41...0x5A, 0x61...0x7A: true
        default: false
        }
    }

    /// `start` comes after `&#`.
    private static func number(
        _ bytes: Bytes, _ start: Int, _ limit: Int, isLast: Bool, inValue: Bool, _ output: inout [UInt8]
    ) -> Int? {
        var place = start
        guard place < limit else { return isLast ? bare(start - 2, &output) : nil }
        let isHexadecimal = bytes[place] | 0x20 == UInt8(ascii: "x")
        if isHexadecimal { place += 1 }
        let first = place
        var value: UInt32 = 0
        while place < limit, let digit = digit(bytes[place]), digit < (isHexadecimal ? 16 : 10) {
            value = min(value * (isHexadecimal ? 16 : 10) + digit, 0x110000)
            place += 1
        }
        if place == limit, !isLast { return nil }
        guard place > first else { return bare(start - 2, &output) }
        if place < limit, bytes[place] == UInt8(ascii: ";") { place += 1 }
        write(value, inValue: inValue, &output)
        return place
    }

    private static func digit(_ byte: UInt8) -> UInt32? {
        switch byte {
        case 0x30...0x39: UInt32(byte) - 0x30
        case 0x41...0x46, 0x61...0x66: UInt32(byte | 0x20) - 0x61 + 10
        default: nil
        }
    }

    /// Nothing, if no text may contain it.
    private static func write(_ value: UInt32, inValue: Bool, _ output: inout [UInt8]) {
        switch value {
        case 0x26: output += "&amp;".utf8
        case 0x3C: output += "&lt;".utf8
        case 0x3E: output += "&gt;".utf8
        case 0x22 where inValue: output += "&quot;".utf8
        default: output += (HTMLEntity.text(number: value) ?? "").utf8
        }
    }
}
