import Synchronization

/// Bytes of an asset that were saved at once, and how to check that they are unchanged. A value.
struct Piece: Equatable, Sendable {
    /// In bytes. A longer piece in the index means that the index is damaged.
    static let limit = 16 << 20

    var start: Int64
    /// 1 … `limit`; the piece's end does not overflow.
    var length: Int
    var check: Check

    enum Check: Equatable, Sendable {
        /// `Checksum.of` the bytes.
        case sum(UInt64)
        /// Nonce and tag of the sealed bytes.
        case seal([UInt8])
    }

    /// nil if no piece can be like that.
    init?(start: Int64, length: Int, check: Check) {
        guard start >= 0, (1...Self.limit).contains(length), start <= Int64.max - Int64(length) else { return nil }
        self.start = start
        self.length = length
        self.check = check
    }

    var range: ClosedRange<Int64> { start...start + Int64(length) - 1 }
}

extension Piece.Check {
    /// As stored in the index.
    var bytes: [UInt8] {
        switch self {
        case .sum(let sum): (0..<8).map { UInt8(truncatingIfNeeded: sum >> (8 * UInt64($0))) }
        case .seal(let seal): seal
        }
    }

    init?(_ bytes: [UInt8]) {
        switch bytes.count {
        case 8: self = .sum(bytes.reversed().reduce(0) { $0 << 8 | UInt64($1) })
        case Sealing.sealSize: self = .seal(bytes)
        default: return nil
        }
    }
}

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
