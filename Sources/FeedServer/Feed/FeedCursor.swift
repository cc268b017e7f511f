/// Where a page of the feed ends, as an opaque text in an address: the path of its last item, which keeps its place in
/// the order when files come and go. Pure.
enum FeedCursor {
    /// The most bytes of a path on Linux and macOS.
    private static let limit = 4_096

    /// RFC 4648, 5: base64 for addresses, without padding.
    static func text(of path: some Collection<UInt8>) -> String {
        var text: [UInt8] = []
        var (bits, count): (UInt32, UInt32) = (0, 0)
        for byte in path {
            bits = bits << 8 | UInt32(byte)
            count += 8
            while count >= 6 {
                count -= 6
                text.append(digits[Int(bits >> count & 63)])
            }
        }
        if count > 0 { text.append(digits[Int(bits << (6 - count) & 63)]) }
        return String(decoding: text, as: UTF8.self)
    }

    /// nil for what is no such text.
    static func path(of text: String) -> [UInt8]? {
        guard !text.isEmpty, text.utf8.count <= limit * 4 / 3 + 4 else { return nil }
        var path: [UInt8] = []
        var (bits, count): (UInt32, UInt32) = (0, 0)
        for byte in text.utf8 {
            guard let value = digits.firstIndex(of: byte) else { return nil }
            bits = bits << 6 | UInt32(value)
            count += 6
            if count >= 8 {
                count -= 8
                path.append(UInt8(truncatingIfNeeded: bits >> count))
            }
        }
        return path.contains(0) ? nil : path
    }

    private static let digits = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_".utf8)
}
