extension String {
    /// Its first `limit` scalars; nil if it is empty.
    package func cut(to limit: Int) -> String? {
        // A text of `limit` bytes cannot contain more scalars, so there is rarely anything to count.
        if utf8.count <= limit { return isEmpty ? nil : self }
        return String(UnicodeScalarView(unicodeScalars.prefix(limit)))
    }

    /// Without blanks and line breaks of ASCII at both ends.
    package var stripped: String {
        let isBlank = { (byte: UInt8) in byte <= 0x20 }
        guard utf8.first.map(isBlank) == true || utf8.last.map(isBlank) == true else { return self }
        guard let first = utf8.firstIndex(where: { !isBlank($0) }), let last = utf8.lastIndex(where: { !isBlank($0) })
        else { return "" }
        return String(self[first...last])
    }

    /// Without spaces and tabs at both ends (RFC 9110, 5.6.3).
    package var trimmed: String {
        let isBlank = { (byte: UInt8) in byte == 0x20 || byte == 0x09 }
        let head = Substring(utf8.drop(while: isBlank))
        return String(head.utf8.lastIndex { !isBlank($0) }.map { head[...$0] } ?? "")
    }
}
