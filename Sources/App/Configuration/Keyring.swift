import Bytes
internal import CKeyring
import Model
import Platform

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

/// The system's storage for keys. On Linux it is the user's keyring in the kernel, which lasts until the machine
/// restarts. Other systems have none here.
enum Keyring {
    struct Error: Swift.Error, Equatable {
        /// For example "function not implemented".
        var why: String
    }

    /// The encryption key of the cache: the existing one, or a new one.
    static func cacheKey() throws(Error) -> [UInt8] { try key(named: "flick:cache") }

    /// The 32-byte key with that name. Creates a missing key from random bytes.
    static func key(named name: String) throws(Error) -> [UInt8] {
        if let key = try read(name) { return key }
        var random = SystemRandomNumberGenerator()
        let made = (0..<KeyFile.keyLength).map { _ in UInt8.random(in: 0 ... .max, using: &random) }
        try check(made.withUnsafeBytes { flick_keyring_write(name, $0.baseAddress, $0.count) })
        // Another flick may have created one first. Then both use that one.
        return try read(name) ?? made
    }

    /// nil if there is no key of that name, or if flick did not make it.
    private static func read(_ name: String) throws(Error) -> [UInt8]? {
        var key = [UInt8](repeating: 0, count: KeyFile.keyLength)
        let length = key.withUnsafeMutableBytes { flick_keyring_read(name, $0.baseAddress, $0.count) }
        try check(length)
        return Int(length) == key.count ? key : nil
    }

    private static func check(_ code: Int32) throws(Error) {
        guard code >= 0 else { throw Error(why: SystemError.text(-code)) }
    }
}
