import Model

/// What is known of one page's clip, from its player's reports.
public struct Clip: Sendable, Equatable {
    /// The marks that a scrubber shows once they are passed, in percent (E3).
    public static let milestones = [25, 50, 75, 95]
    static let levelCount = 96

    /// The page that shows it: of two that show the same item, the one nearer to the page in view.
    var page: Int
    public var facts: ClipFacts?
    /// A picture of some kind can be shown.
    public var hasStill = false
    /// Moving pictures are shown (C8).
    public var isRendering = false
    public var isPlaying = false
    /// It was paused, but not by the user: another player began to sound, or its decoder ended.
    public var wasStopped = false
    public var isStalled = false
    /// What it is waiting for, once that takes long.
    public var delay: GlyphLine?
    public var hasEnded = false
    /// Why there is no hope for it.
    public var failure: GlyphLine?
    public var duration: Duration?
    public var buffered: Duration?
    /// The parts of it that are cached, in order, as fractions of the clip.
    public var cached: [ClosedRange<Double>] = []
    /// The furthest share that was played.
    public var furthest = 0.0
    public var diagnostics: Diagnostics?
    /// How loud it was, newest last.
    public var levels: [Float] = []
    /// The position last reported, and when.
    var reported = Duration.zero
    var reportedAt = Duration.zero

    public init(page: Int = 0) { self.page = page }

    /// Sound only: there will never be a picture.
    public var isSoundOnly: Bool { facts.map { !$0.hasVideo && $0.hasAudio } ?? false }

    /// Where it is now. Between reports it moves on by itself, but never far.
    public func position(now: Duration, speed: Double) -> Duration {
        guard isPlaying, !isStalled, now > reportedAt else { return reported }
        let moved = min(now - reportedAt, .milliseconds(500)) * speed
        return duration.map { min(reported + moved, max($0, reported)) } ?? reported + moved
    }

    mutating func report(position: Duration, duration: Duration?, now: Duration) {
        reported = max(position, .zero)
        reportedAt = now
        if let duration, duration > .zero { self.duration = duration }
        if let total = self.duration, total > .zero { furthest = max(furthest, min(reported / total, 1)) }
    }
}

/// What the user has done to an item; kept in memory.
public struct Reaction: Sendable, Equatable {
    public var isLiked = false
    public var isDisliked = false
    public var isSaved = false
    public var wasShared = false

    public init() {}
}
