import Model

/// Decides which cached assets to drop, and in which order. The caller requests one order at a
/// time, because another process can be using an asset. Pure.
struct Eviction {
    struct Candidate: Equatable, Sendable {
        var edition: Int64
        /// Cached bytes.
        var bytes: Int64
        /// In seconds since 1970, like `now`.
        var used: Double
        var made: Double
        var retention: Asset.Retention
        /// Whether this process uses it.
        var isInUse: Bool
    }

    enum Order: Equatable, Sendable {
        case drop(edition: Int64)
        /// The asset is in use: drop only this many bytes, those farthest from where it is read.
        case shrink(edition: Int64, bytes: Int64)
    }

    /// How long assets of home feeds stay, in seconds.
    static let homeAge = 7200.0

    private var expired: [Candidate]
    private var idle: [Candidate]
    private var inUse: [Candidate]
    private var total: Int64
    private let target: Int64

    /// - Parameters:
    ///   - total: the bytes of all assets.
    ///   - isFull: the disk is full: something must go, whatever the limit.
    ///   - age: in seconds.
    init(
        _ candidates: [Candidate], total: Int64, limit: Int64, lowWater: Double, age: Double, now: Double,
        isFull: Bool = false
    ) {
        // Offline assets do not count towards the limit, and stay.
        let total = candidates.reduce(total) { $1.retention == .offline ? $0 - $1.bytes : $0 }
        // The oldest are at the end, which is popped first.
        let newestFirst = candidates.filter { $0.retention != .offline }.sorted {
            ($0.used, $0.edition) > ($1.used, $1.edition)
        }
        let isExpired = { (candidate: Candidate) in
            Self.isExpired(retention: candidate.retention, made: candidate.made, age: age, now: now)
        }
        expired = newestFirst.filter { !$0.isInUse && isExpired($0) }
        idle = newestFirst.filter { !$0.isInUse && !isExpired($0) }
        inUse = newestFirst.filter { $0.isInUse }
        self.total = total
        let base = isFull ? min(total, limit) : limit
        let part = (Double(max(base, 0)) * min(max(lowWater, 0), 1)).rounded(.down)
        target = total > limit || isFull ? Int64(exactly: part) ?? 0 : .max
    }

    /// If the clock was set back, nothing expires.
    static func isExpired(retention: Asset.Retention, made: Double, age: Double, now: Double) -> Bool {
        switch retention {
        case .home: now - made > min(homeAge, age)
        case .lasting: now - made > age
        case .offline: false
        }
    }

    /// The next assets to drop; nil when enough is gone.
    mutating func next() -> Order? {
        if let candidate = expired.popLast() { return .drop(edition: candidate.edition) }
        guard total > target else { return nil }
        if let candidate = idle.popLast() { return .drop(edition: candidate.edition) }
        guard let candidate = inUse.popLast() else { return nil }
        return .shrink(edition: candidate.edition, bytes: min(total - target, candidate.bytes))
    }

    /// Reports that bytes were freed.
    mutating func freed(_ bytes: Int64) { total -= bytes }

    /// The pieces farthest from `place`, with `bytes` in all or a little more.
    static func farthest(_ pieces: [Piece], from place: Int64, bytes: Int64) -> [Piece] {
        func distance(_ piece: Piece) -> Int64 {
            // Offsets are never negative, so no difference overflows.
            piece.start > place ? piece.start - place : max(place - piece.range.upperBound, 0)
        }
        var chosen: [Piece] = []
        var sum: Int64 = 0
        for piece in pieces.sorted(by: { distance($0) > distance($1) }) {
            if sum >= bytes { break }
            chosen.append(piece)
            sum += Int64(piece.length)
        }
        return chosen
    }
}
