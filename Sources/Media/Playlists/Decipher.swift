internal import CFFmpeg
import Wire

/// Decrypts AES-128 in CBC mode with padding, as playlists' segments are
/// encrypted (RFC 8216, 5.2; the padding is RFC 5652, 6.3).
final class Decipher {
    private let aes: OpaquePointer
    private var vector: [UInt8]
    /// Encrypted bytes that are not a whole block yet, or the last block, which can be padding.
    private var pending: [UInt8] = []
    private var plain: [UInt8] = []
    private var first = 0
    private(set) var isFinished = false

    /// `key` and `vector` have 16 bytes each.
    init(key: [UInt8], vector: [UInt8]) throws(MediaError) {
        guard key.count == 16, vector.count == 16 else {
            throw MediaError(.notMedia, "a segment's key is not 16 bytes long")
        }
        guard let aes = av_aes_alloc() else { throw MediaError(.limits, "out of memory") }
        self.aes = aes
        self.vector = vector
        guard av_aes_init(aes, key, 128, 1) >= 0 else {
            av_free(UnsafeMutableRawPointer(aes))
            throw MediaError(.other, "a segment's key cannot be used")
        }
    }

    deinit { av_free(UnsafeMutableRawPointer(aes)) }

    var isEmpty: Bool { first == plain.count }

    func push(_ bytes: ArraySlice<UInt8>) {
        pending += bytes
        // The last block waits until it is known whether it is the end.
        let blocks = max(0, pending.count - 1) / 16
        guard blocks > 0 else { return }
        plain = decipher(blocks: blocks)
        first = 0
    }

    /// The end: removes the padding. Drops an incomplete block.
    func finish() {
        isFinished = true
        guard pending.count == 16 else { return }
        plain = decipher(blocks: 1)
        first = 0
        if let padding = plain.last, (1...16).contains(padding) { plain.removeLast(Int(padding)) }
    }

    private func decipher(blocks: Int) -> [UInt8] {
        let count = blocks * 16
        let bytes = [UInt8](unsafeUninitializedCapacity: count) { buffer, filled in
            pending.withUnsafeBufferPointer { source in
                av_aes_crypt(aes, buffer.baseAddress, source.baseAddress, CInt(blocks), &vector, 1)
            }
            filled = count
        }
        pending.removeFirst(count)
        return bytes
    }

    /// Moves decrypted bytes to `target`; returns how many.
    func read(into target: UnsafeMutableBufferPointer<UInt8>) -> Int {
        let count = min(target.count, plain.count - first)
        _ = target.update(fromContentsOf: plain[first..<first + count])
        first += count
        return count
    }

    /// Decrypts `bytes` as a whole.
    func all(of bytes: [UInt8]) -> [UInt8] {
        push(bytes[...])
        var all = Array(plain[first...])
        plain = []
        first = 0
        finish()
        all += plain[first...]
        return all
    }
}
