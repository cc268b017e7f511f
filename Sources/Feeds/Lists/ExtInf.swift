/// The properties in `#EXTINF:` of the entry after it: `-1 tvg-id="a" group-title="News;World",Name`. A value.
struct ExtInf {
    /// The most attributes that are stored.
    private static let countLimit = 64

    /// In seconds; nil for live streams, which have 0 or -1.
    private(set) var duration: Double?
    private(set) var name: ArraySlice<UInt8> = []
    private var attributes: [(name: ArraySlice<UInt8>, value: ArraySlice<UInt8>)] = []

    private let line: ArraySlice<UInt8>
    private var index: Int

    /// - Parameter line: what is behind the colon.
    init(_ line: ArraySlice<UInt8>) {
        self.line = line
        index = line.startIndex
        readDuration()
        readAttributes()
    }

    /// The value of an attribute by its name in lower case; nil if it is missing.
    func attribute(_ name: StaticString) -> ArraySlice<UInt8>? {
        attributes.first { attribute in
            attribute.name.count == name.utf8CodeUnitCount
                && attribute.name.enumerated().allSatisfy { $0.element | 0x20 == name.utf8Start[$0.offset] | 0x20 }
        }?.value
    }

    private func isAt(_ mark: Unicode.Scalar) -> Bool { index < line.endIndex && line[index] == UInt8(ascii: mark) }

    private static func isBlank(_ byte: UInt8) -> Bool { byte == 0x20 || byte == 0x09 }

    private mutating func skipBlanks() {
        while index < line.endIndex, Self.isBlank(line[index]) { index += 1 }
    }

    private mutating func readDuration() {
        skipBlanks()
        let number = line[index...].prefix { byte in
            (0x30...0x39).contains(byte) || "+-.".utf8.contains(byte)
        }
        index += number.count
        guard let seconds = Double(String(decoding: number.prefix(32), as: UTF8.self)), seconds > 0, seconds < 1e9
        else {
            return
        }
        duration = seconds
    }

    private mutating func readAttributes() {
        let begin = index
        var isBehindComma = false
        while index < line.endIndex {
            skipBlanks()
            if isAt(",") {
                index += 1
                // Some write a comma before the attributes, too: `-1, group-title="News",Name`.
                guard isAtQuotedAttribute else { return name = line[index...] }
                isBehindComma = true
            } else if isBehindComma, !isAtQuotedAttribute {
                return name = line[index...]
            }
            readAttribute()
        }
        // Without a comma all of it may be the name.
        if attributes.isEmpty { name = line[begin...] }
    }

    /// Whether `name="` comes next, after blanks.
    private var isAtQuotedAttribute: Bool {
        let rest = line[index...].drop(while: Self.isBlank)
        let name = rest.prefix { byte in
            byte == UInt8(ascii: "-") || byte == UInt8(ascii: "_") || (0x30...0x39).contains(byte)
                || (0x61...0x7A).contains(byte | 0x20)
        }
        return !name.isEmpty && rest.dropFirst(name.count).starts(with: "=\"".utf8)
    }

    private mutating func readAttribute() {
        let equals = UInt8(ascii: "=")
        let name = line[index...].prefix { !Self.isBlank($0) && $0 != equals && $0 != UInt8(ascii: ",") }
        index += name.count
        let end = index
        skipBlanks()
        guard isAt("=") else { return index = end }
        index += 1
        skipBlanks()
        let value = readValue()
        guard attributes.count < Self.countLimit else { return }
        attributes.append((name, value))
    }

    private mutating func readValue() -> ArraySlice<UInt8> {
        let comma = UInt8(ascii: ",")
        guard isAt("\"") || isAt("'") else {
            let value = line[index...].prefix { !Self.isBlank($0) && $0 != comma }
            index += value.count
            return value
        }
        let mark = line[index]
        index += 1
        if let close = line[index...].firstIndex(of: mark) {
            defer { index = close + 1 }
            return line[index..<close]
        }
        // The mark is never closed: the last comma is what the name most likely is behind.
        let end = line[index...].lastIndex(of: comma) ?? line.endIndex
        defer { index = end }
        return line[index..<end]
    }
}
