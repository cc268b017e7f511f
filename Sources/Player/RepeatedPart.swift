import Model
import Wire

/// The part of a clip that is repeated (an A-B loop): decides when to go back to its start. A value.
struct RepeatedPart: Equatable {
    /// How far a position may go back without a seek because the clock follows the audio. One that goes back further
    /// has come round: the clip loops.
    private static let tolerance: Microseconds = 500_000

    /// In the clip.
    let range: Range<Microseconds>
    /// The last position; nil after a seek.
    private var last: Microseconds?

    /// Takes effect at once if the position is past the part already: its end was marked there.
    init(_ range: Range<Microseconds>) {
        self.range = range
        last = range.lowerBound
    }

    /// The clip continues elsewhere. Behind the part it plays on; before it, up to the end of the part.
    mutating func seek() { last = nil }

    /// Whether to go back to the start of the part, now that the clip has played up to `position`.
    mutating func returns(at position: Microseconds) -> Bool {
        defer { last = position }
        guard let last, last < range.upperBound else { return false }
        return position >= range.upperBound || position < last - Self.tolerance
    }
}

extension ClipPlayer {
    /// Repeats a part of the clip while its page is in view; nil: no longer.
    func repeatPart(_ range: Range<Microseconds>?) { repeated = range.map { RepeatedPart($0) } }

    /// Goes back to the start of the part that is repeated, if its end is reached.
    ///
    /// - Parameter isOver: whether the clip has ended. Returns whether it went back.
    @discardableResult
    func repeatPart(isOver: Bool = false, now: Duration) -> Bool {
        guard isSeekable, let start = repeated?.range.lowerBound else { return false }
        // Always asked, as it keeps the position.
        let returns = repeated?.returns(at: mediaPosition(at: now)) == true
        guard returns || isOver else { return false }
        jump(to: start, mode: .exact, purpose: .repetition, now: now)
        reportPosition(now: now)
        return true
    }
}

extension PlayerPool {
    /// Repeats a part of the item's clip, in the clip's time, until its page is left; nil: no longer.
    public func repeatPart(_ id: Item.ID, _ part: Range<Duration>?, now: Duration) -> [PlayerEvent] {
        players[id]?.repeatPart(part.map { $0.lowerBound.microseconds..<$0.upperBound.microseconds })
        return happened()
    }
}
