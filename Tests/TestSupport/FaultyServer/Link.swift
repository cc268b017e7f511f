extension FaultyServer {
    /// The line that all connections of a server share.
    public struct Link: Sendable, Equatable {
        /// Bytes a second, heads of answers included; nil: as fast as it goes.
        public var rate: Int?
        /// Before a new connection is heard, and again before each answer: a round trip each, as on a real line.
        public var latency: Duration

        public init(rate: Int? = nil, latency: Duration = .zero) {
            self.rate = rate
            self.latency = latency
        }

        /// 2 Mbit/s and 100 ms: what the figures are measured on.
        public static let slow = Link(rate: 250_000, latency: .milliseconds(100))
    }
}

/// Says when bytes have passed a line: one after the other, in the order they were brought. Pure.
struct LinkMeter {
    var link = FaultyServer.Link()
    private var isFreeAt: ContinuousClock.Instant?

    /// How many bytes to bring at a time, so that nobody holds the line for long.
    var portion: Int { link.rate.map { min(max($0 / 50, 512), 1 << 16) } ?? 1 << 16 }

    /// When the last of `count` bytes, brought now, has passed; nil: at once.
    mutating func pass(_ count: Int, now: ContinuousClock.Instant) -> ContinuousClock.Instant? {
        guard let rate = link.rate, rate > 0 else { return nil }
        let start = max(isFreeAt ?? now, now)
        let end = start + .seconds(Double(count) / Double(rate))
        isFreeAt = end
        return end
    }
}
