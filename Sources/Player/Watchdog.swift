import Wire

/// Checks whether a clip that is to play does play, and says what is to be done if not. Times are given.
///
/// A decoder that is seen to work (it sends, or waits for bytes) is not replaced: a slow disk is no broken decoder.
struct Watchdog {
    enum Verdict: Equatable {
        /// Start the clock once more.
        case playAgain(RecoveryCause)
        /// Have the picture drawn once more.
        case showPicture(RecoveryCause)
        /// Replace the decoder.
        case replace(RecoveryCause)
    }

    /// What the player sees when it asks.
    struct Signs {
        var now: Duration
        /// Where the clock is.
        var position: Microseconds = 0
        /// Pictures or sound are there, so that the clock should run.
        var canRun = false
        var hasVideo = true
        var hasPicture = false
        var isShown = false
        var soundRuns = false
        /// The decoder is expected to send something.
        var isOwing = false
        var patience = Watchdog.patience
        /// When the decoder was last seen to do something.
        var lastActivity: Duration
    }

    /// How long a decoder may be silent that is expected to send something.
    static let patience = Duration.seconds(2)
    /// One that plays a live stream waits between two looks at its playlist, for some ten seconds, and does nothing then.
    static let patienceWithLive = Duration.seconds(20)

    private var began: Duration?
    /// Since when, and from where, the clock should be running: a decoder that takes its time to the first picture has broken nothing.
    private var run: (since: Duration, from: Microseconds)?
    /// Each check has one verdict between two `begin`.
    private var done: Set<RecoveryCause> = []

    /// The clip is to play from now on.
    mutating func begin(now: Duration) {
        began = now
        run = nil
        done = []
    }

    /// A seek has arrived, so that the clock is elsewhere.
    mutating func moved() { run = nil }

    /// The clip is not to play any more.
    mutating func end() { began = nil }

    mutating func check(_ signs: Signs) -> Verdict? {
        guard let began else {
            return signs.isOwing && signs.now - signs.lastActivity >= signs.patience ? .replace(.hung) : nil
        }
        let age = signs.now - began
        let silent = signs.now - signs.lastActivity
        if !signs.canRun { run = nil }
        if signs.canRun, run == nil { run = (signs.now, signs.position) }
        let running = run.map { signs.now - $0.since } ?? .zero
        let advanced = max(0, signs.position - (run?.from ?? 0))
        if running >= .milliseconds(200), advanced < 10_000, once(.start) { return .playAgain(.start) }
        if age >= .milliseconds(300), signs.soundRuns, signs.hasPicture, !signs.isShown, once(.picture) {
            return .showPicture(.picture)
        }
        if running >= .milliseconds(500), advanced < 50_000, once(.clock) { return .replace(.clock) }
        if signs.hasVideo, !signs.hasPicture, age >= .milliseconds(1_500), silent >= .milliseconds(1_500),
            once(.firstFrame)
        {
            return .replace(.firstFrame)
        }
        if signs.isOwing, silent >= signs.patience { return .replace(signs.soundRuns ? .zombie : .hung) }
        return nil
    }

    /// When to check again; nil while the clip is not to play.
    func nextCheck(after now: Duration) -> Duration? {
        guard let began else { return nil }
        let running = run.map { run in [200, 500].map { run.since + .milliseconds($0) } } ?? []
        let next = (running + [300, 1_500].map { began + .milliseconds($0) }).filter { $0 > now }.min()
        return next ?? now + .milliseconds(500)
    }

    private mutating func once(_ cause: RecoveryCause) -> Bool { done.insert(cause).inserted }
}

/// How often an item may be given a new decoder.
struct Recovery {
    static let limit = 3
    private(set) var attempts = 0

    /// The number of the attempt, or nil if there were enough.
    mutating func next() -> Int? {
        guard attempts < Recovery.limit else { return nil }
        attempts += 1
        return attempts
    }
}
