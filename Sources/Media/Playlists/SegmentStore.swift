import Wire

/// Headers and keys that many segments share, each requested once. On the session's thread.
final class SegmentStore {
    private static let maxHeaderBytes = 4 << 20
    private static let maxHeaders = 8
    private static let maxKeys = 64

    private let client: ByteClient
    private var headers: [(piece: MediaPlaylist.Piece, bytes: [UInt8])] = []
    private var keys: [(url: String, bytes: [UInt8])] = []

    init(client: ByteClient) { self.client = client }

    func has(_ piece: MediaPlaylist.Piece) -> Bool { headers.contains { $0.piece == piece } }

    /// The bytes that precede segments (RFC 8216, 4.3.2.5). Blocks.
    func header(_ piece: MediaPlaylist.Piece, role: WireByteRole, isPatient: Bool) throws(MediaError) -> [UInt8] {
        if let known = headers.first(where: { $0.piece == piece }) { return known.bytes }
        let source = try client.open(
            ByteWant(url: piece.url, role: role, offset: piece.offset, end: piece.end), isPatient: isPatient)
        var bytes = try source.whole(limit: SegmentStore.maxHeaderBytes, what: "the header of its segments")
        if let cipher = piece.cipher { bytes = try decipher(cipher).all(of: bytes) }
        if headers.count >= SegmentStore.maxHeaders { headers.removeFirst() }
        headers.append((piece, bytes))
        return bytes
    }

    /// Blocks while the key is read.
    func decipher(_ cipher: MediaPlaylist.Cipher) throws(MediaError) -> Decipher {
        if let known = keys.first(where: { $0.url == cipher.keyURL }) {
            return try Decipher(key: known.bytes, vector: cipher.vector)
        }
        let key = try key(at: cipher.keyURL)
        let made = try Decipher(key: key, vector: cipher.vector)
        if keys.count >= SegmentStore.maxKeys { keys.removeFirst() }
        keys.append((cipher.keyURL, key))
        return made
    }

    /// Its error says that the key is missing, because the segments themselves may be there.
    private func key(at url: String) throws(MediaError) -> [UInt8] {
        do throws(MediaError) {
            let source = try client.open(ByteWant(url: url, role: .key))
            return try source.whole(limit: 1_024, what: "a segment's key")
        } catch {
            guard error.code == .unreadable else { throw error }
            throw MediaError(.unreadable, "cannot read the key of its segments: \(error.why)")
        }
    }
}
