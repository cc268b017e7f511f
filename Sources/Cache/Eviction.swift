import Model

/// Which cached assets go, and in which order (C2, C4). Orders are asked for one by one, as another process may be using what was to go. Pure.
struct Eviction {
    struct Candidate: Equatable, Sendable {
        var edition: Int64
        /// Cached of it.
        var bytes: Int64
        /// In seconds since 1970, as `now`.
        var used: Double
        var made: Double
        var retention: Asset.Retention
        /// By this process.
        var isInUse: Bool
    }

    enum Order: Equatable, Sendable {
        case drop(edition: Int64)
        /// It is in use: drop only so many of its bytes, those farthest from where it is read.
        case shrink(edition: Int64, bytes: Int64)
    }

    /// What home feeds lead to stays so long, in seconds (C4).
    static let homeAge = 7200.0

    private var expired: [Candidate]
    private var idle: [Candidate]
    private var inUse: [Candidate]
    private var total: Int64
    private let target: Int64

    /// - Parameters:
    ///   - total: of all assets, in bytes.
    ///   - isFull: the disk is: some of it must go, whatever the limit.
    ///   - age: in seconds.
    init(
        _ candidates: [Candidate], total: Int64, limit: Int64, lowWater: Double, age: Double, now: Double,
        isFull: Bool = false
    ) {
        let oldestFirst = candidates.sorted { ($0.used, $0.edition) > ($1.used, $1.edition) }  // popped from the end
        let isExpired = { (candidate: Candidate) in
            Self.isExpired(retention: candidate.retention, made: candidate.made, age: age, now: now)
        }
        expired = oldestFirst.filter { !$0.isInUse && isExpired($0) }
        idle = oldestFirst.filter { !$0.isInUse && !isExpired($0) }
        inUse = oldestFirst.filter { $0.isInUse }
        self.total = total
        let base = isFull ? min(total, limit) : limit
        let part = (Double(max(base, 0)) * min(max(lowWater, 0), 1)).rounded(.down)
        target = total > limit || isFull ? Int64(exactly: part) ?? 0 : .max
    }

    /// A clock that was set back makes nothing expire.
    static func isExpired(retention: Asset.Retention, made: Double, age: Double, now: Double) -> Bool {
        now - made > (retention == .home ? min(homeAge, age) : age)
    }

    /// What is to go next; nil when enough has gone.
    mutating func next() -> Order? {
        if let candidate = expired.popLast() { return .drop(edition: candidate.edition) }
        guard total > target else { return nil }
        if let candidate = idle.popLast() { return .drop(edition: candidate.edition) }
        guard let candidate = inUse.popLast() else { return nil }
        return .shrink(edition: candidate.edition, bytes: min(total - target, candidate.bytes))
    }

    /// So many bytes went.
    mutating func freed(_ bytes: Int64) { total -= bytes }

    /// The pieces farthest from `place`, of `bytes` in all or a little more.
    static func farthest(_ pieces: [Piece], from place: Int64, bytes: Int64) -> [Piece] {
        func distance(_ piece: Piece) -> Int64 {
            // Places are not negative: no difference overflows.
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
