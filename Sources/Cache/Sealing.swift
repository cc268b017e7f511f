internal import CSodium

/// Encrypts cached bytes with ChaCha20-Poly1305 (RFC 8439) under the user's key.
///
/// Sealed bytes are as long as the plain ones and lie at the same offset; nonce and tag are stored as the piece's seal.
/// The seal also authenticates what the piece belongs to, so that no piece can take another's place. A value.
struct Sealing: Sendable {
    private static let nonceSize = flick_seal_nonce_size
    /// The size of a nonce (12 bytes) and a tag (16).
    static let sealSize = nonceSize + flick_seal_tag_size
    static let keySize = flick_seal_key_size

    private let key: [UInt8]

    /// nil if the key does not have `keySize` bytes.
    init?(key: [UInt8]) {
        guard key.count == Self.keySize else { return nil }
        self.key = key
    }

    /// Each seal has a random nonce: among 2^32 pieces, two share one with a probability under 2^-32.
    func seal(_ plain: UnsafeRawBufferPointer, as name: String) -> (sealed: [UInt8], seal: [UInt8]) {
        let name = Array(name.utf8)
        var seal = [UInt8](repeating: 0, count: Self.sealSize)
        let sealed = [UInt8](unsafeUninitializedCapacity: plain.count) { room, count in
            seal.withUnsafeMutableBufferPointer { seal in
                // A buffer of an array that is not empty has an address.
                let (nonce, tag) = (seal.baseAddress!, seal.baseAddress! + Self.nonceSize)
                flick_seal(
                    Self.bytes(plain), plain.count, name, name.count, key, room.baseAddress, nonce, tag)
            }
            count = plain.count
        }
        return (sealed, seal)
    }

    /// nil unless these bytes were sealed under that name with this key.
    func open(_ sealed: UnsafeRawBufferPointer, seal: [UInt8], as name: String) -> [UInt8]? {
        guard seal.count == Self.sealSize else { return nil }
        let name = Array(name.utf8)
        var isGenuine = false
        let plain = [UInt8](unsafeUninitializedCapacity: sealed.count) { room, count in
            isGenuine = seal.withUnsafeBufferPointer { seal in
                // As above.
                let (nonce, tag) = (seal.baseAddress!, seal.baseAddress! + Self.nonceSize)
                return flick_unseal(
                    Self.bytes(sealed), sealed.count, name, name.count, key, nonce, tag, room.baseAddress) == 0
            }
            count = isGenuine ? sealed.count : 0
        }
        return isGenuine ? plain : nil
    }

    private static func bytes(_ buffer: UnsafeRawBufferPointer) -> UnsafePointer<UInt8>? {
        buffer.assumingMemoryBound(to: UInt8.self).baseAddress
    }

    /// Seals a few bytes and puts the seal in front of them.
    func wrap(_ plain: [UInt8], as name: String) -> [UInt8] {
        let (sealed, seal) = plain.withUnsafeBytes { self.seal($0, as: name) }
        return seal + sealed
    }

    func unwrap(_ wrapped: [UInt8], as name: String) -> [UInt8]? {
        guard wrapped.count >= Self.sealSize else { return nil }
        return wrapped.withUnsafeBytes { bytes in
            open(
                UnsafeRawBufferPointer(rebasing: bytes[Self.sealSize...]), seal: Array(bytes[..<Self.sealSize]),
                as: name)
        }
    }
}
