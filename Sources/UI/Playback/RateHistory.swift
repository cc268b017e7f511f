import Model

/// How fast pictures and bytes came in the last half minute, one figure a
/// second: for the graphs of diagnostics. A value.
public struct RateHistory: Sendable, Equatable {
    static let length = 30

    /// Pictures a second, the newest last.
    public private(set) var pictures: [Double] = []
    /// The link's bits a second, the newest last; empty for files.
    public private(set) var link: [Double] = []

    /// - Parameter figures: what a player reports once a second.
    mutating func note(_ figures: Diagnostics) {
        Self.add(figures.picturesPerSecond, to: &pictures)
        if let throughput = figures.throughput { Self.add(Double(throughput), to: &link) }
    }

    private static func add(_ figure: Double, to figures: inout [Double]) {
        figures.append(figure.isFinite ? max(figure, 0) : 0)
        if figures.count > length { figures.removeFirst() }
    }
}
