internal import Crypto
import FoundationEssentials

/// Seals what is kept with ChaCha20-Poly1305 (RFC 8439) under the user's key (L7).
///
/// The sealed bytes are as long as the plain ones and lie at the same place; nonce and tag are the piece's seal. What a piece belongs to is
/// authenticated with it, so that no piece can stand in for another. A value.
struct Sealing: Sendable {
    /// Of a nonce (12 bytes) and a tag (16).
    static let sealSize = 28
    static let keySize = 32

    private let key: SymmetricKey

    /// nil if the key has not `keySize` bytes.
    init?(key: [UInt8]) {
        guard key.count == Self.keySize else { return nil }
        self.key = SymmetricKey(data: key)
    }

    /// A random nonce each time: of 2^32 pieces the chance that two have the same is under 2^-32.
    func seal(_ plain: UnsafeRawBufferPointer, as name: String) -> (sealed: [UInt8], seal: [UInt8]) {
        // Sealing fails for messages over 256 GB only, and a piece is not one.
        let box = try! ChaChaPoly.seal(plain, using: key, authenticating: Data(name.utf8))
        return (Array(box.ciphertext), Array(box.nonce) + Array(box.tag))
    }

    /// nil if these are not the bytes that were sealed under that name with this key.
    func open(_ sealed: UnsafeRawBufferPointer, seal: [UInt8], as name: String) -> [UInt8]? {
        guard seal.count == Self.sealSize else { return nil }
        do {
            let box = try ChaChaPoly.SealedBox(
                nonce: ChaChaPoly.Nonce(data: seal[..<12]), ciphertext: sealed, tag: seal[12...])
            return Array(try ChaChaPoly.open(box, using: key, authenticating: Data(name.utf8)))
        } catch {
            // The only errors are of sizes, which fit, and of bytes that are not the ones that were sealed: that is the answer.
            return nil
        }
    }

    /// Seals a few bytes, with the seal in front of them.
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
