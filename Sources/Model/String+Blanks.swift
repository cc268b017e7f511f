extension String {
    /// Without spaces and tabs at both ends (RFC 9110, 5.6.3).
    package var trimmed: String {
        let isBlank = { (byte: UInt8) in byte == 0x20 || byte == 0x09 }
        let head = Substring(utf8.drop(while: isBlank))
        return String(head.utf8.lastIndex { !isBlank($0) }.map { head[...$0] } ?? "")
    }
}
