/// Bytes of an asset that were saved together, and by what they are known again.
struct Piece: Equatable, Sendable {
    /// What the index may claim of one piece; more is damage.
    static let limit = 16 << 20

    var start: Int64
    /// 1 … `limit`; the end does not overflow.
    var length: Int
    var proof: Proof

    enum Proof: Equatable, Sendable {
        /// `Checksum.of` the bytes.
        case sum(UInt64)
        /// Nonce and tag of the sealed bytes.
        case seal([UInt8])
    }

    /// nil for what no piece can be.
    init?(start: Int64, length: Int, proof: Proof) {
        guard start >= 0, (1...Self.limit).contains(length), start <= Int64.max - Int64(length) else { return nil }
        self.start = start
        self.length = length
        self.proof = proof
    }

    var range: ClosedRange<Int64> { start...start + Int64(length) - 1 }
}

extension Piece.Proof {
    /// As the index keeps it.
    var bytes: [UInt8] {
        switch self {
        case .sum(let sum): (0..<8).map { UInt8(truncatingIfNeeded: sum >> (8 * UInt64($0))) }
        case .seal(let seal): seal
        }
    }

    init?(_ bytes: [UInt8]) {
        switch bytes.count {
        case 8: self = .sum(bytes.reversed().reduce(0) { $0 << 8 | UInt64($1) })
        case Sealing.proofSize: self = .seal(bytes)
        default: return nil
        }
    }
}
