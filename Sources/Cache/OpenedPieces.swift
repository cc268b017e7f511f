import Synchronization

/// The decrypted bytes of recently read pieces. Readers read a few kilobytes at a time, but a piece can only be
/// decrypted whole. Any thread.
final class OpenedPieces: Sendable {
    /// The bytes of all entries.
    static let limit = 4 << 20

    private struct Entry {
        var edition: Int64
        var piece: Piece
        var plain: [UInt8]
    }

    /// The most recently used is last.
    private let entries = Mutex<[Entry]>([])

    func plain(_ piece: Piece, of edition: Int64) -> [UInt8]? {
        entries.withLock { entries in
            guard let index = entries.firstIndex(where: { $0.edition == edition && $0.piece == piece }) else {
                return nil
            }
            let entry = entries.remove(at: index)
            entries.append(entry)
            return entry.plain
        }
    }

    func keep(_ plain: [UInt8], of piece: Piece, of edition: Int64) {
        entries.withLock { entries in
            entries.removeAll { $0.edition == edition && $0.piece.start == piece.start }
            entries.append(Entry(edition: edition, piece: piece, plain: plain))
            while entries.count > 1, entries.reduce(0, { $0 + $1.plain.count }) > Self.limit { entries.removeFirst() }
        }
    }
}
