import Model

/// Distinguishes pictures, so that the same one is not drawn twice. A value.
public struct PictureIdentity: Hashable, Sendable {
    public var item: Item.ID
    /// Where in the clip it belongs.
    public var mediaTime: Duration
    /// A copy of the last picture, shown while its decoder is being replaced: it does not count as a first picture.
    public var isStill: Bool
    /// Decoded with errors.
    public var isCorrupt: Bool
    /// Which request for pictures it was made for: `PlayerPool.generation` of then.
    public var generation: UInt32
    /// Counts the decoders that the item had, and the pictures of each.
    var life: Int
    var number: Int
    /// On the timeline, in microseconds.
    var pts: Int64

    /// Whether `next` is just a later picture of the same decoder: nothing depends on when it reaches the terminal.
    public func isFollowed(by next: PictureIdentity) -> Bool {
        item == next.item && life == next.life && isStill == next.isStill && !isCorrupt
    }
}

/// Which pictures of a player have reached the terminal, and whether the page still waits for its first.
struct ShownPictures {
    /// The page was turned to the item.
    struct Claim {
        var at: Duration
        var how: ClaimKind
    }

    /// nil once the first picture is on the terminal, and for a page that is not in view.
    var claim: Claim?
    /// The last one.
    private(set) var last: PictureIdentity?
    private(set) var count = 0

    mutating func add(_ picture: PictureIdentity) {
        if picture != last { count += 1 }
        last = picture
    }

    /// If the page's first real picture is on the terminal: that picture, and the claim that it fulfils, once.
    ///
    /// Real is one that was decoded without errors by the player's decoder number `life`. On a slow terminal the clock
    /// has chosen a newer one by then.
    mutating func fulfilClaim(life: Int) -> (picture: PictureIdentity, claim: Claim)? {
        guard let claim, let last, last.life == life, !last.isStill, !last.isCorrupt else { return nil }
        self.claim = nil
        return (last, claim)
    }
}

/// When a playing clip last sent its periodic reports.
struct ReportTimes {
    static let positions = Duration.milliseconds(100)
    private static let levels = Duration.milliseconds(50)
    private static let figures = Duration.seconds(1)

    private var position: Duration = .zero
    private var level: Duration = .zero
    private var counted: (at: Duration, pictures: Int) = (.zero, 0)

    var nextPosition: Duration { position + ReportTimes.positions }

    mutating func isPositionDue(now: Duration) -> Bool {
        guard now >= nextPosition else { return false }
        position = now
        return true
    }

    mutating func isLevelDue(now: Duration) -> Bool {
        guard now - level >= ReportTimes.levels else { return false }
        level = now
        return true
    }

    /// If figures are due: how many pictures a second were shown since the last time.
    mutating func picturesPerSecond(shown: Int, now: Duration) -> Double? {
        let passed = now - counted.at
        guard passed >= ReportTimes.figures else { return nil }
        defer { counted = (now, shown) }
        return Double(shown - counted.pictures) / (passed.milliseconds / 1_000)
    }
}
