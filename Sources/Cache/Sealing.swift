internal import Crypto
import FoundationEssentials

/// Encrypts cached bytes with ChaCha20-Poly1305 (RFC 8439) under the user's key.
///
/// Sealed bytes are as long as the plain ones and lie at the same offset; nonce and tag are stored as the piece's seal.
/// The seal also authenticates what the piece belongs to, so that no piece can take another's place. A value.
struct Sealing: Sendable {
    /// The size of a nonce (12 bytes) and a tag (16).
    static let sealSize = 28
    static let keySize = 32

    private let key: SymmetricKey

    /// nil if the key does not have `keySize` bytes.
    init?(key: [UInt8]) {
        guard key.count == Self.keySize else { return nil }
        self.key = SymmetricKey(data: key)
    }

    /// Each seal has a random nonce: among 2^32 pieces, two share one with a probability under 2^-32.
    func seal(_ plain: UnsafeRawBufferPointer, as name: String) -> (sealed: [UInt8], seal: [UInt8]) {
        // Sealing fails only for more than 256 GB, and a piece is smaller.
        let box = try! ChaChaPoly.seal(plain, using: key, authenticating: Data(name.utf8))
        return (Array(box.ciphertext), Array(box.nonce) + Array(box.tag))
    }

    /// nil unless these bytes were sealed under that name with this key.
    func open(_ sealed: UnsafeRawBufferPointer, seal: [UInt8], as name: String) -> [UInt8]? {
        guard seal.count == Self.sealSize else { return nil }
        do {
            let box = try ChaChaPoly.SealedBox(
                nonce: ChaChaPoly.Nonce(data: seal[..<12]), ciphertext: sealed, tag: seal[12...])
            return Array(try ChaChaPoly.open(box, using: key, authenticating: Data(name.utf8)))
        } catch {
            // The only possible errors are wrong sizes, which cannot occur here, and bytes that were not sealed so.
            return nil
        }
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
