import Model

/// What is known of a page's clip, from the reports of its player. A value.
public struct Clip: Sendable, Equatable {
    static let levelCount = 96

    /// The page that shows the clip. If two pages show the same item: the one nearer to the current page.
    var page: Int
    public var facts: ClipFacts?
    /// Some picture can be shown, moving or still.
    public var hasStill = false
    /// The size of its pictures, in pixels of the surface; nil while there is none.
    public var picture: PixelSize?
    /// Moving pictures are shown.
    public var isRendering = false
    public var isPlaying = false
    /// Something other than the user paused it: another player began to play, or its decoder ended.
    public var wasStopped = false
    public var isStalled = false
    /// What it waits for, once the wait takes long.
    public var delay: GlyphLine?
    public var hasEnded = false
    /// Why it cannot be played at all.
    public var failure: GlyphLine?
    public var duration: Duration?
    public var buffered: Duration?
    /// The cached parts of the clip, in order, as fractions of it.
    public var cached: [ClosedRange<Double>] = []
    public var diagnostics: Diagnostics?
    public internal(set) var rates = RateHistory()
    /// The sound's recent levels, newest last.
    public var levels: [Float] = []
    /// The position last reported, and when.
    var reported = Duration.zero
    var reportedAt = Duration.zero

    public init(page: Int = 0) { self.page = page }

    /// There is sound, and there will never be a picture.
    public var isSoundOnly: Bool { facts.map { !$0.hasVideo && $0.hasAudio } ?? false }

    /// The position at `now`: it moves on between reports, but never far.
    public func position(now: Duration, speed: Double) -> Duration {
        guard isPlaying, !isStalled, now > reportedAt else { return reported }
        let moved = min(now - reportedAt, .milliseconds(500)) * speed
        return duration.map { min(reported + moved, max($0, reported)) } ?? reported + moved
    }

    mutating func report(position: Duration, duration: Duration?, now: Duration) {
        reported = max(position, .zero)
        reportedAt = now
        if let duration, duration > .zero { self.duration = duration }
    }
}

/// What the user has done to an item; stored in memory only. A value.
public struct Reaction: Sendable, Equatable {
    public var isLiked = false
    public var isDisliked = false
    public var isSaved = false
    public var wasShared = false

    public init() {}
}
