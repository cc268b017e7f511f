import Model

/// The head of a response. What is malformed is repaired where it is unambiguous, as other players do: line ends
/// without CR (RFC 9112, 2.2), folded fields (5.2), fields without a name, the same length twice (RFC 9110, 8.6), a
/// length beside chunks (RFC 9112, 6.3), odd versions, and the status line of radios. curl reads the body of such
/// heads by the same rules. Pure.
struct ResponseHead: Sendable {
    private(set) var statusLine: String
    let status: Int
    private(set) var fields: [(name: String, value: [UInt8])] = []
    /// Its connection is not used again: what is wrong once may mean something else to the server.
    private(set) var isRepaired = false

    /// Whether these bytes may be the beginning of a response.
    private static func mayBegin(with bytes: some Collection<UInt8>) -> Bool {
        let word = bytes.lazy.map { $0 >= 0x61 && $0 <= 0x7A ? $0 - 0x20 : $0 }
        return ["HTTP/", "ICY "].contains { start in zip(word, start.utf8).allSatisfy { $0 == $1 } }
    }

    /// nil if it is not the head of a response.
    init?(_ bytes: some BidirectionalCollection<UInt8>) {
        let lines = bytes.split(separator: 0x0A, omittingEmptySubsequences: false).map { line in
            line.last == 0x0D ? line.dropLast() : line
        }
        guard let first = lines.first, Self.mayBegin(with: bytes.prefix(8)) else { return nil }
        isRepaired = zip(bytes, bytes.dropFirst()).contains { $0 != 0x0D && $1 == 0x0A }
        statusLine = String(decoding: first, as: UTF8.self)
        guard let code = statusLine.split(separator: " ").dropFirst().first.flatMap({ Int($0) }) else { return nil }
        status = code
        for line in lines.dropFirst() where !line.isEmpty { add(line) }
        repairStatusLine()
        repairLength()
    }

    /// Without a body, before the response itself.
    var isInformational: Bool { (100..<200).contains(status) }

    /// All values of a field, whose name is not case-sensitive.
    func values(_ name: String) -> [String] {
        let name = name.lowercased()
        return fields.filter { $0.name.lowercased() == name }.map {
            String(decoding: $0.value, as: UTF8.self).trimmed
        }
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
        let isKnown = ["HTTP/1.0", "HTTP/1.1", "HTTP/2", "HTTP/3"].contains(version)
        guard !isKnown || statusLine.hasPrefix(version + "  ") else { return }
        isRepaired = true
        statusLine = (isKnown ? version : "HTTP/1.0") + " " + String(statusLine.dropFirst(version.count)).trimmed
        // `AnswerHead` recognizes radios by this.
        if isRadio { fields.append(("icy-pub", [0x30])) }
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
        // Lengths that differ are left as they are: `AnswerHead` refuses them.
        guard lengths.count > 1 || lengths[0].contains(","), let length = HTTPFields.contentLength(lengths) else {
            return
        }
        remove("content-length")
        fields.append(("Content-Length", Array("\(length)".utf8)))
    }
}
