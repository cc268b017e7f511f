import Wire

/// The seeks of one player: the one in progress, and those that wait for it or for the clip to open.
///
/// Every seek gets its own serial number. Whatever a decoder sends carries the number
/// of the seek it follows, so that output from before the seek can be recognized.
struct SeekState {
    enum Purpose {
        /// The user went to a place.
        case seek
        /// The user looks for a place (scrubbing).
        case preview
        /// One picture on or back.
        case step
        /// The start of the part that is repeated.
        case repetition
        /// The same place again: in another size, at another speed, with sound.
        case refresh
    }

    /// A seek whose first picture has not come yet.
    struct Pending {
        var purpose: Purpose
        var target: Microseconds
    }

    /// The number of the latest seek; 0 before the first.
    private(set) var serial: UInt32 = 0
    private(set) var pending: Pending?
    /// The target of the next preview, once the current one has arrived.
    private var nextPreview: Microseconds?
    /// Pictures to step forward or back once the current seek has arrived.
    private var steps = 0
    /// Until when the pictures of previews are only looked at. A page that
    /// forgets to commit its scrub leaves it to time.
    private(set) var scrubsUntil: Duration?
    /// Where to go once the clip is open.
    private var untilOpen: Microseconds?
    /// Where on the timeline the clock begins after the latest seek; nil until the decoder has said so.
    private(set) var beginning: Microseconds?
    /// The decoder has sent everything that follows the latest seek.
    private(set) var hasReceivedAll = false

    /// A pointer that rests for longer counts as gone.
    private static let longestScrub = Duration.seconds(5)

    var isScrubbing: Bool { scrubsUntil != nil }
    /// The clip is not open yet, and goes to this place once it is.
    var targetOnceOpen: Microseconds? { untilOpen }

    /// A new decoder: no seek is in progress. A place requested before the clip was open is kept.
    mutating func restart() {
        let target = untilOpen
        self = SeekState()
        untilOpen = target
    }

    /// Begins a seek, and returns its number.
    mutating func begin(_ purpose: Purpose, to target: Microseconds) -> UInt32 {
        serial &+= 1
        if purpose == .seek || purpose == .preview { steps = 0 }
        hasReceivedAll = false
        beginning = nil
        pending = Pending(purpose: purpose, target: target)
        return serial
    }

    /// The first picture or sound of the latest seek has come. Returns the
    /// seek, if one was in progress, and the target of a further preview.
    mutating func arrive() -> (seek: Pending, preview: Microseconds?)? {
        guard let pending else { return nil }
        defer { nextPreview = nil }
        self.pending = nil
        return (pending, nextPreview)
    }

    /// The decoder says where playing begins after seek `serial`.
    mutating func noteBeginning(of serial: UInt32, at time: Microseconds) {
        if serial == self.serial { beginning = time }
    }

    mutating func addSteps(_ count: Int) { steps += count }

    /// The steps that are to be made now, once.
    mutating func nextSteps() -> Int {
        defer { steps = 0 }
        return steps
    }

    /// Everything of seek `serial` has been sent. False if another has begun meanwhile.
    mutating func noteEnd(of serial: UInt32) -> Bool {
        guard serial == self.serial else { return false }
        hasReceivedAll = true
        return true
    }

    /// Goes to `target` when the clip is open.
    mutating func wait(for target: Microseconds) { untilOpen = max(target, 0) }

    /// The clip is open. Returns where it is to go first.
    mutating func open() -> Microseconds? {
        defer { untilOpen = nil }
        return untilOpen
    }

    /// Starts previews, which last until `endScrub` or until none has been requested for a while.
    mutating func scrub(now: Duration) { scrubsUntil = now + SeekState.longestScrub }

    /// Whether a preview of `target` is to begin now. At most one is
    /// in progress: of those requested meanwhile, the latest is next.
    mutating func beginsPreview(of target: Microseconds) -> Bool {
        guard pending?.purpose == .preview else { return true }
        nextPreview = target
        return false
    }

    mutating func endScrub() { scrubsUntil = nil }
    mutating func forgetPreview() { nextPreview = nil }

    /// Ends a scrub whose previews have stopped.
    mutating func advance(to now: Duration) {
        if let scrubsUntil, now >= scrubsUntil { self.scrubsUntil = nil }
    }
}
