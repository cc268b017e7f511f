import Model

/// Repairs malformed heads of responses, as other players do: NIO's parser refuses what
/// is not well-formed. Repairs only what is unambiguous: line ends without CR (RFC 9112, 2.2), folded fields (5.2),
/// fields without a name, the same length twice (RFC 9110, 8.6), a length beside chunks (RFC 9112, 6.3), odd versions,
/// and the status line of radios. Pure.
struct ResponseHead {
    /// Longer heads are left to the parser, which refuses those that are too long.
    static let longest = 64 << 10

    private var statusLine: String
    private var fields: [(name: String, value: [UInt8])] = []
    private(set) var isRepaired = false

    /// Whether these bytes may be the beginning of a response.
    static func mayBegin(with bytes: some Collection<UInt8>) -> Bool {
        let word = bytes.lazy.map { $0 >= 0x61 && $0 <= 0x7A ? $0 - 0x20 : $0 }
        return ["HTTP/", "ICY "].contains { start in zip(word, start.utf8).allSatisfy { $0 == $1 } }
    }

    /// Where the head ends, behind its empty line; nil if that has not arrived.
    /// - Parameter start: how many of the bytes were searched before.
    static func end(of bytes: some RandomAccessCollection<UInt8>, from start: Int) -> Int? {
        var place = max(0, start - 2)
        while place < bytes.count {
            guard let feed = bytes.dropFirst(place).firstIndex(of: 0x0A) else { return nil }
            let next = bytes.index(after: feed)
            let rest = bytes[next...].prefix(2)
            if rest.first == 0x0A { return bytes.distance(from: bytes.startIndex, to: next) + 1 }
            if rest.elementsEqual([0x0D, 0x0A]) { return bytes.distance(from: bytes.startIndex, to: next) + 2 }
            place = bytes.distance(from: bytes.startIndex, to: next)
        }
        return nil
    }

    /// nil if it is not the head of a response.
    init?(_ bytes: some BidirectionalCollection<UInt8>) {
        let lines = bytes.split(separator: 0x0A, omittingEmptySubsequences: false).map { line in
            line.last == 0x0D ? line.dropLast() : line
        }
        guard let first = lines.first, Self.mayBegin(with: bytes.prefix(8)) else { return nil }
        isRepaired = zip(bytes, bytes.dropFirst()).contains { $0 != 0x0D && $1 == 0x0A }
        statusLine = String(decoding: first, as: UTF8.self)
        for line in lines.dropFirst() where !line.isEmpty { add(line) }
        repairStatusLine()
        repairLength()
    }

    /// Without a body, before the response itself (1xx).
    var isInformational: Bool { statusLine.split(separator: " ").dropFirst().first?.first == "1" }

    /// The head as it is to be parsed. Its connection is not used again: what is wrong once may mean something else to
    /// the server.
    var bytes: [UInt8] {
        var bytes = Array(statusLine.utf8) + [0x0D, 0x0A]
        for field in fields where field.name.lowercased() != "connection" {
            bytes += Array(field.name.utf8) + [0x3A, 0x20] + field.value + [0x0D, 0x0A]
        }
        return bytes + Array("Connection: close\r\n\r\n".utf8)
    }

    private mutating func add(_ line: some Collection<UInt8>) {
        func isBlank(_ byte: UInt8) -> Bool { byte == 0x20 || byte == 0x09 }
        func isControl(_ byte: UInt8) -> Bool { byte < 0x20 && byte != 0x09 || byte == 0x7F }
        var value = line.map { isControl($0) ? 0x20 : $0 }
        if line.contains(where: isControl) { isRepaired = true }
        if isBlank(value[0]) {
            isRepaired = true
            guard !fields.isEmpty else { return }
            fields[fields.count - 1].value += [0x20] + value.drop(while: isBlank)
            return
        }
        guard let colon = value.firstIndex(of: 0x3A) else {
            isRepaired = true
            return
        }
        let name = String(decoding: value[..<colon], as: UTF8.self)
        value = Array(value[(colon + 1)...].drop(while: isBlank))
        guard FieldName.isToken(name.trimmed) else {
            isRepaired = true
            return
        }
        if name.trimmed != name { isRepaired = true }
        fields.append((name.trimmed, value))
    }

    private mutating func repairStatusLine() {
        let version = String(statusLine.prefix { $0 != " " })
        let isRadio = version.uppercased() == "ICY"
        let isKnown = ["HTTP/1.0", "HTTP/1.1"].contains(version)
        guard !isKnown || statusLine.hasPrefix(version + "  ") else { return }
        isRepaired = true
        statusLine = (isKnown ? version : "HTTP/1.0") + " " + String(statusLine.dropFirst(version.count)).trimmed
        // `AnswerHead` recognizes radios by this.
        if isRadio { fields.append(("icy-pub", [0x30])) }
    }

    private func values(_ name: String) -> [String] {
        fields.filter { $0.name.lowercased() == name }.map { String(decoding: $0.value, as: UTF8.self) }
    }

    private mutating func remove(_ name: String) {
        fields.removeAll { $0.name.lowercased() == name }
        isRepaired = true
    }

    private mutating func repairLength() {
        let codings = values("transfer-encoding").map { $0.trimmed.lowercased() }
        if codings == ["identity"] { remove("transfer-encoding") }
        let lengths = values("content-length")
        guard !lengths.isEmpty else { return }
        if codings.contains(where: { $0.hasSuffix("chunked") }) { return remove("content-length") }
        // Lengths that differ are left to the parser, which refuses them.
        guard lengths.count > 1 || lengths[0].contains(","), let length = HTTPFields.contentLength(lengths) else {
            return
        }
        remove("content-length")
        fields.append(("Content-Length", Array("\(length)".utf8)))
    }
}
