import Model

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

/// What of clips is opened and fetched, by the user's pace and wishes.
extension PlayerPool {
    /// The page in view is left.
    func notePace(now: Duration) {
        guard options.prefetch.isAdaptive, let current, let player = players[current] else { return }
        pace.leave(after: now - stay.began, duration: player.duration)
        plan.note(.pace(pace.pace), now: now)
        guard settings.warm != warmLimits else { return }
        settings.warm = warmLimits
        for player in players.values { player.apply(settings, now: now) }
    }

    /// Plays an item as the user has set for it, from now on and whenever it is opened again.
    public func tune(_ id: Item.ID, _ tuning: ClipTuning, now: Duration) -> [PlayerEvent] {
        tunings[id] = tuning
        players[id]?.tune(tuning, now: now)
        return happened()
    }

    /// Whether as little as possible is fetched: the smallest variants that can be watched, and little ahead of need.
    public func setSavesData(_ savesData: Bool, now: Duration) -> [PlayerEvent] {
        settings.savesData = savesData
        settings.warm = warmLimits
        plan.note(.savesData(savesData), now: now)
        resources.network?.setSavesData(savesData)
        return settingsChanged(now: now)
    }

    /// Whether a still of an item this many pages away is worth its data.
    func mayFetch(_ item: Item, at offset: Int) -> Bool {
        !settings.savesData || RemoteURL(item.url) == nil || -1...PreloadPlan.aheadWhileSaving ~= offset
    }

    var warmLimits: WarmLimits {
        options.prefetch.warmLimits(at: pace.pace, savesData: settings.savesData)
    }
}
