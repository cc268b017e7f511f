import Platform

/// Parses addresses in all notations that the system's resolver accepts. Pure.
package enum IPAddress {
    /// Four or sixteen bytes.
    package static func bytes(_ host: String) -> [UInt8]? { v4(host) ?? v6(host) }

    /// "127.0.0.1", and whatever inet_aton(3) accepts: "127.1", "2130706433", "0x7f.1", "0177.0.0.1".
    package static func v4(_ host: String) -> [UInt8]? {
        let parts = host.split(separator: ".", omittingEmptySubsequences: false)
        guard (1...4).contains(parts.count) else { return nil }
        let numbers = parts.compactMap(number)
        guard numbers.count == parts.count, let last = numbers.last, numbers.dropLast().allSatisfy({ $0 <= 255 })
        else { return nil }
        // The last number fills all remaining bytes.
        let left = 4 - (numbers.count - 1)
        guard last < 1 << (8 * UInt64(left)) else { return nil }
        let tail = (0..<left).reversed().map { UInt8(truncatingIfNeeded: last >> (8 * UInt64($0))) }
        return numbers.dropLast().map { UInt8($0) } + tail
    }

    package static func v6(_ host: String) -> [UInt8]? {
        var address = in6_addr()
        guard inet_pton(AF_INET6, host, &address) == 1 else { return nil }
        return withUnsafeBytes(of: address) { Array($0) }
    }

    /// Whether the last label is a number, which no top-level domain is.
    package static func endsInNumber(_ host: String) -> Bool {
        let dot = host.utf8.lastIndex(of: UInt8(ascii: "."))
        let last = dot.map { Substring(host.utf8[$0...].dropFirst()) } ?? host[...]
        return !last.isEmpty && (last.utf8.allSatisfy { (0x30...0x39).contains($0) } || number(last) != nil)
    }

    /// Decimal, octal after 0, hexadecimal after 0x.
    private static func number(_ text: Substring) -> UInt64? {
        guard !text.isEmpty, text.utf8.count <= 32, FileURL.digit(text.utf8.first ?? 0) != nil else { return nil }
        if text.hasPrefix("0x") {
            let digits = text.dropFirst(2)
            return digits.isEmpty ? 0 : UInt64(digits, radix: 16)
        }
        return text.utf8.count > 1 && text.hasPrefix("0") ? UInt64(text, radix: 8) : UInt64(text, radix: 10)
    }
}
