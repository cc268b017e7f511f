import Model

/// Distinguishes single from double clicks: the first click waits (250 ms by default) for a second one. A value.
public struct Clicks: Sendable {
    /// How far apart the two clicks of a double click may be, in cells.
    static let reach = 3

    public let wait: Duration
    private var first: (at: GridPoint, due: Duration)?

    public init(wait: Duration = .milliseconds(250)) { self.wait = wait }

    /// When `single` will return the click that waits; nil while none does.
    public var due: Duration? { first?.due }

    /// Takes a click that ended at `point`. Returns true if it completes a double click.
    public mutating func click(at point: GridPoint, now: Duration) -> Bool {
        if let first, now < first.due, abs(first.at.column - point.column) <= Self.reach,
            abs(first.at.row - point.row) <= Self.reach
        {
            self.first = nil
            return true
        }
        first = (point, now + wait)
        return false
    }

    /// The click that waited and stayed single. Returns each click once.
    public mutating func single(now: Duration) -> GridPoint? {
        guard let first, now >= first.due else { return nil }
        self.first = nil
        return first.at
    }
}
