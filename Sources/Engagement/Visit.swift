import Model

/// The engagement with the item in view since the user turned to its page. Times are given. A value.
///
/// A clip's time is counted between two reports of its position: the real time between them limits how far the clip can
/// have come, and the positions are how far it came. This distinguishes a loop from a jump back, and an unreported
/// stop, as while a decoder is replaced, is not counted as play.
struct Visit: Sendable {
    /// The time since the last position. Only a position decides how much of it was play.
    private struct Run: Sendable {
        /// Real time in which the clip was to play and did not wait.
        var time: Duration = .zero
        /// How far the clip came in it if it never stopped.
        var advance: Duration = .zero
        /// It played at the last position, and nothing has happened since that could have stopped it.
        var isSure = false
        /// The clock jumped.
        var isBroken = false

        var counts: Bool { !isBroken && time > .zero && time <= Tracker.longestGap }
    }

    static let milestones = [25, 50, 75, 95]
    /// Leaving with less than this percentage played is skipping.
    private static let unskipped = 80
    /// The difference between two positions of a playing clip and real time, since its clock follows the
    /// audio. Larger at higher speeds, as not every clip can play faster.
    private static let jitter = Duration.milliseconds(100)
    /// The last frame may end this much earlier than the duration that the container gives.
    private static let endTolerance = Duration.milliseconds(500)

    let item: Item.ID
    var wasSeen: Bool
    private(set) var hasStarted = false
    var isStill = false
    var isStalled = false
    private(set) var isPlaying = false
    private var hasEnded = false
    private var duration: Duration?

    /// Where the clip was last known to be; nil while its player begins afresh. It is taken to begin at the beginning:
    /// if that is wrong, its first position cannot have been reached from there.
    private var place: Duration? = .zero
    private var run = Run()
    /// It has not been anywhere yet.
    private var isNew = true

    private(set) var watched = Duration.zero
    private var stallTime = Duration.zero
    private var played = PlayedTime()
    private var reached: [Int] = []
    private var replays = 0

    init(_ item: Item.ID, duration: Duration?, wasSeen: Bool) {
        self.item = item
        self.wasSeen = wasSeen
        learn(duration)
    }

    mutating func learn(_ duration: Duration?) {
        if let duration, duration > .zero { self.duration = duration }
    }

    /// Whether time itself is counted, as nothing is reported meanwhile.
    var isTimed: Bool { isPlaying && isStalled || isShowing }

    /// Whether it is a picture that is looked at.
    var isShowing: Bool { isStill && isPlaying && !isStalled && hasStarted }

    // MARK: What happens

    /// Time passes; nil if it is unknown how much.
    mutating func pass(_ step: Duration?, rate: Int) {
        let isRunning = isPlaying && !isStalled && place != nil
        guard let step else {
            if isRunning { run.isBroken = true }
            return
        }
        if isPlaying, isStalled { stallTime += step }
        if isShowing { watched += step }
        guard isRunning else { return }
        run.time += step
        run.advance += step * rate / 1_000
    }

    /// Its first frame is there: it begins to play now, if it did not before.
    mutating func start() {
        hasStarted = true
        if isNew { run = Run() }
    }

    mutating func play() {
        if hasEnded, let place, place <= Self.endTolerance { replays += 1 }
        hasEnded = false
        isPlaying = true
        run.isSure = false
    }

    mutating func pause() { isPlaying = false }

    mutating func stall(_ stalls: Bool) {
        isStalled = stalls
        run.isSure = false
    }

    /// It may have stopped for a moment.
    mutating func doubt() { run.isSure = false }

    mutating func seek(to place: Duration) {
        settle()
        self.place = max(place, .zero)
        isNew = false
    }

    /// Its player begins afresh: it stands until the next report, wherever that is.
    mutating func recover() {
        settle()
        place = nil
    }

    /// It has come to its end. If it plays on, it begins at the beginning.
    mutating func end() {
        settle()
        if let duration, let place, place >= duration - Self.endTolerance { played.insert(from: place, to: duration) }
        isPlaying = false
        hasEnded = true
        place = .zero
    }

    /// Counts the time since the last position, if it was certainly play: no further position comes.
    mutating func settle() {
        defer { run = Run() }
        guard let place, run.isSure, run.counts else { return }
        watched += run.time
        let end = duration.map { min(place + run.advance, $0) } ?? place + run.advance
        played.insert(from: place, to: end)
        self.place = end
    }

    /// The clip is at `position`.
    mutating func report(position: Duration, duration: Duration?, rate: Int) {
        learn(duration)
        guard !hasEnded, !isStill else { return }
        let position = max(position, .zero)
        if let place, run.counts { count(from: place, to: position, rate: rate) }
        place = position
        isNew = false
        run = Run(isSure: true)
    }

    // MARK: What it counts for

    /// Counts the time between two positions: as play if the clip can have come from one to the other
    /// by playing, and as a stop to the extent that it is behind.
    private mutating func count(from place: Duration, to position: Duration, rate: Int) {
        let jitter = Self.jitter * max(rate, 1_000) / 1_000
        /// How far behind it is, for each number of loops.
        let behind = { [run, duration] (loops: Int) in
            place + run.advance - position - (duration.map { $0 * loops } ?? .zero)
        }
        if run.isSure {
            let loops = duration.map { max(0, Self.quotient(behind(0) + $0 / 2, $0)) } ?? 0
            let late = behind(loops)
            if late <= jitter, late >= .zero - jitter {
                return count(loops: loops, from: place, to: position, stop: .zero)
            }
        }
        let loops = duration.map { max(0, Self.quotient(behind(0) + .microseconds(1), $0)) } ?? 0
        let late = behind(loops)
        if late >= .zero - jitter, late <= run.advance {
            count(loops: loops, from: place, to: position, stop: max(late, .zero) * 1_000 / rate)
        } else if let duration, place + run.advance >= duration - Self.endTolerance, position <= run.advance + jitter {
            // The clip is shorter than its container says.
            count(loops: 1, from: place, to: position, stop: .zero)
        }
    }

    private mutating func count(loops: Int, from place: Duration, to position: Duration, stop: Duration) {
        watched += max(run.time - stop, .zero)
        replays += loops
        guard loops > 0, let duration else { return played.insert(from: place, to: position) }
        played.insert(from: loops > 1 ? .zero : place, to: duration)
        played.insert(from: .zero, to: position)
    }

    /// How often `divisor` goes into `duration`, rounded down.
    private static func quotient(_ duration: Duration, _ divisor: Duration) -> Int {
        let quotient = (duration / divisor).rounded(.down)
        return quotient < Double(Int32.max) ? Int(quotient) : Int(Int32.max)
    }

    private func hasPlayed(percent: Int) -> Bool {
        duration.map { played.total(within: $0) * 100 >= $0 * percent } ?? false
    }

    private var completion: Double { duration.map { played.total(within: $0) / $0 } ?? 0 }

    /// The milestones that were reached since the last call.
    mutating func newMilestones() -> [Int] {
        let new = Self.milestones.filter { !reached.contains($0) && hasPlayed(percent: $0) }
        reached += new
        return new
    }

    /// The events of leaving, after `settle`; none for a page that was only passed:
    /// neither seen long enough nor started nor played.
    func ending() -> [EngagementEvent.What] {
        let hasBegun = hasStarted || watched > .zero
        guard wasSeen || hasBegun else { return [] }
        let hasSkipped = hasBegun && duration != nil && !hasPlayed(percent: Self.unskipped)
        let summary = EngagementEvent.Summary(
            watchTime: watched, completion: completion, milestones: reached, replays: replays, hasSkipped: hasSkipped,
            stallTime: stallTime)
        return (hasSkipped ? [.skip(completion: completion)] : []) + [.summary(summary)]
    }
}

/// Which parts of a clip were played: disjoint stretches of its time in order,
/// merged where they overlap or touch. A value.
///
/// There are as many as the user has jumped to places that had not been played, at most.
struct PlayedTime: Sendable, Equatable {
    private(set) var stretches: [Range<Duration>] = []

    /// Adds a stretch; an empty or reversed one adds nothing. O(log n), plus what is merged or moved.
    mutating func insert(from lower: Duration, to upper: Duration) {
        guard lower < upper else { return }
        let first = index { $0.upperBound >= lower }
        let end = index { $0.lowerBound > upper }
        let touched = stretches[first..<end]
        let merged = min(lower, touched.first?.lowerBound ?? lower)..<max(upper, touched.last?.upperBound ?? upper)
        stretches.replaceSubrange(first..<end, with: [merged])
    }

    /// How much of a clip's first `duration` was played.
    func total(within duration: Duration) -> Duration {
        stretches.reduce(.zero) { $0 + max(min($1.upperBound, duration) - $1.lowerBound, .zero) }
    }

    /// The first stretch that `isBeyond`, which holds for none before it and all after it.
    private func index(where isBeyond: (Range<Duration>) -> Bool) -> Int {
        var (low, high) = (0, stretches.count)
        while low < high {
            let middle = (low + high) / 2
            if isBeyond(stretches[middle]) { high = middle } else { low = middle + 1 }
        }
        return low
    }
}
