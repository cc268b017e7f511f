extension FaultyServer {
    /// The network link that all connections of a server share.
    public struct Link: Sendable, Equatable {
        /// Bytes a second, including heads of responses; nil for unlimited.
        public var rate: Int?
        /// The time before a new connection is served, and before each
        /// response: one round trip each, as on a real network.
        public var latency: Duration

        public init(rate: Int? = nil, latency: Duration = .zero) {
            self.rate = rate
            self.latency = latency
        }

        /// 2 Mbit/s and 100 ms, as used for published figures.
        public static let slow = Link(rate: 250_000, latency: .milliseconds(100))
    }
}

/// Computes when bytes have passed a link: one after the other, in the order of the calls. Pure.
struct LinkMeter {
    var link = FaultyServer.Link()
    private var isFreeAt: ContinuousClock.Instant?

    /// How many bytes to send at a time, so that no connection blocks the link for long.
    var portion: Int { link.rate.map { min(max($0 / 50, 512), 1 << 16) } ?? 1 << 16 }

    /// When the last of `count` bytes has passed if they are sent now; nil for at once.
    mutating func pass(_ count: Int, now: ContinuousClock.Instant) -> ContinuousClock.Instant? {
        guard let rate = link.rate, rate > 0 else { return nil }
        let start = max(isFreeAt ?? now, now)
        let end = start + .seconds(Double(count) / Double(rate))
        isFreeAt = end
        return end
    }
}
