internal import CKeyring
import Model

#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

/// The system's storage for keys. On Linux it is the user's keyring in the kernel, which lasts until the machine
/// restarts. Other systems have none here.
enum Keyring {
    struct Failure: Error, Equatable {
        /// For example "function not implemented".
        var why: String
    }

    /// The encryption key of the cache: the existing one, or a new one.
    static func cacheKey() throws(Failure) -> [UInt8] { try key(named: "flick:cache") }

    /// The key of 32 bytes with that name. Creates it from random bytes if there is none.
    static func key(named name: String) throws(Failure) -> [UInt8] {
        if let key = try read(name) { return key }
        var random = SystemRandomNumberGenerator()
        let made = (0..<KeyFile.keyLength).map { _ in UInt8.random(in: 0 ... .max, using: &random) }
        try check(made.withUnsafeBytes { flick_keyring_write(name, $0.baseAddress, $0.count) })
        // Another flick may have created one first. Then both use that one.
        return try read(name) ?? made
    }

    /// nil if there is no key of that name, or if flick did not make it.
    private static func read(_ name: String) throws(Failure) -> [UInt8]? {
        var key = [UInt8](repeating: 0, count: KeyFile.keyLength)
        let length = key.withUnsafeMutableBytes { flick_keyring_read(name, $0.baseAddress, $0.count) }
        try check(length)
        return Int(length) == key.count ? key : nil
    }

    private static func check(_ code: Int32) throws(Failure) {
        guard code >= 0 else { throw Failure(why: SystemError.text(-code)) }
    }
}
