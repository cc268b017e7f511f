import Model

/// Distinguishes a key that is held down from one that is pressed repeatedly: terminals send repeats, and no release.
/// A value.
struct HeldKey: Sendable {
    /// How long a key is down before it counts as held.
    static let length = Pointer.longPress
    /// How many repeats it takes at least: fewer may be presses.
    static let minRepeats = 3
    /// The longest pause before the first repeat, between two repeats, and between those of a key that counts as held:
    /// on a slow link it is still down.
    static let (firstPause, pause, heldPause) = (
        Duration.milliseconds(800), Duration.milliseconds(120), Duration.milliseconds(400)
    )

    enum Press: Equatable { case single, becomesHeld, held }

    private var run: (first: Duration, last: Duration, repeats: Int, counts: Bool, isHeld: Bool)?

    /// Takes a press, or a repeat.
    ///
    /// - Parameter counts: whether a run of repeats that begins with it may become a held key.
    mutating func press(counts: Bool, now: Duration) -> Press {
        guard var run, now - run.last <= (run.isHeld ? Self.heldPause : run.repeats == 0 ? Self.firstPause : Self.pause)
        else {
            run = (now, now, 0, counts, false)
            return .single
        }
        (run.last, run.repeats) = (now, run.repeats + 1)
        defer { self.run = run }
        if run.isHeld { return .held }
        run.isHeld = run.counts && run.repeats >= Self.minRepeats && now - run.first >= Self.length
        return run.isHeld ? .becomesHeld : .single
    }
}

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
