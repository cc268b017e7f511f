import Bytes
import Model

#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

/// The file with the key of an encrypted cache.
enum KeyFile {
    static let keyLength = 32

    /// Reads a key: 64 hexadecimal digits, with white space and line breaks around them, or 32 raw bytes. nil if it is
    /// neither. Blocks.
    static func read(_ path: String) throws(BytesError) -> [UInt8]? {
        let bytes = try FileProvider().readAll(FileURL.url(path: path.utf8), limit: 4_096)
        if bytes.count == keyLength { return bytes }
        let digits = bytes.drop { $0 <= 0x20 }.reversed().drop { $0 <= 0x20 }.reversed()
        return key(hex: String(decoding: digits, as: UTF8.self))
    }

    /// The 32 bytes of 64 hexadecimal digits; nil for anything else.
    static func key(hex text: String) -> [UInt8]? {
        let digits = text.utf8.map { Character(UnicodeScalar($0)).hexDigitValue }
        guard digits.count == keyLength * 2, digits.allSatisfy({ $0 != nil }) else { return nil }
        return stride(from: 0, to: digits.count, by: 2).map { UInt8((digits[$0] ?? 0) << 4 | (digits[$0 + 1] ?? 0)) }
    }

    /// Whether only its owner can read or change a file. A missing file counts as private.
    static func isPrivate(_ path: String) -> Bool {
        var facts = stat()
        return stat(path, &facts) != 0 || facts.st_mode & 0o077 == 0
    }
}
