import Model

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
