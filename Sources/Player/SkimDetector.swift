/// Measures how fast the user turns pages, from the last pages that were left. The caller passes the time.
struct SkimDetector {
    /// How many pages are considered.
    static let count = 20
    /// A page that is left sooner was skipped, unless most of its clip was seen.
    static let glance = Duration.seconds(5)
    static let seen = 0.8

    private var skips: [Bool] = []

    /// A page was left after `stay`.
    ///
    /// - Parameter duration: the clip's; nil if unknown.
    mutating func leave(after stay: Duration, duration: Duration?) {
        let wasSeen = duration.map { stay >= $0 * SkimDetector.seen } ?? false
        skips.append(stay < SkimDetector.glance && !wasSeen)
        if skips.count > SkimDetector.count { skips.removeFirst() }
    }

    /// Fast: four fifths of the pages were skipped; slow: a fifth at most.
    var pace: PreloadPlan.Pace {
        guard skips.count == SkimDetector.count else { return .usual }
        let skipped = skips.count(where: \.self)
        return skipped * 5 >= SkimDetector.count * 4 ? .fast : skipped * 5 <= SkimDetector.count ? .slow : .usual
    }
}

/// Whether the user stays with the page in view. The caller passes the time.
struct DwellTime {
    /// Most pages are left within seconds: a user who is still there after this time probably stays.
    static let long = Duration.seconds(6)

    private(set) var began: Duration = .zero
    /// When the stay becomes long; nil once `hasBecomeLong` has returned true.
    private(set) var nextWake: Duration?

    /// A page comes into view.
    ///
    /// - Parameter isTrusted: whether every stay counts as long.
    mutating func begin(now: Duration, isTrusted: Bool) {
        began = now
        nextWake = isTrusted ? now : now + DwellTime.long
    }

    /// Returns true once for each page, when its stay has become long.
    mutating func hasBecomeLong(now: Duration) -> Bool {
        guard let due = nextWake, now >= due else { return false }
        nextWake = nil
        return true
    }
}
