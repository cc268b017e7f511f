import Threads
import Wire

/// Checks whether a clip that should play does play, and decides what to do if not. The caller passes the time.
///
/// A decoder that waits for bytes is not replaced: a slow disk does not mean
/// a broken decoder. One that works but produces no picture is replaced.
struct Watchdog {
    enum Verdict: Equatable {
        /// Restart the clock.
        case playAgain(RecoveryCause)
        /// Have the picture drawn again.
        case showPicture(RecoveryCause)
        /// Replace the decoder.
        case replace(RecoveryCause)
    }

    /// The player's state at a check.
    struct Observation {
        var now: Duration
        /// Where the clock is.
        var position: Microseconds = 0
        /// Pictures or sound are there, so that the clock should run.
        var canRun = false
        var hasVideo = true
        var hasPicture = false
        var isShown = false
        var soundRuns = false
        /// The decoder waits for bytes.
        var isServed = false
        /// Since when the clock has been beyond the last picture, although the
        /// decoder has more of them to send; nil: it is not.
        var picturesLateSince: Duration?
        /// The decoder is expected to send something.
        var isOwing = false
        var patience = Watchdog.patience
        /// When the decoder was last seen to do something.
        var lastActivity: Duration
    }

    /// How long a decoder may be silent that is expected to send something.
    static let patience = Duration.seconds(2)
    /// A decoder of a live stream waits between two loads of its playlist, for some ten seconds, and does nothing then.
    static let patienceWithLive = Duration.seconds(20)

    /// How long the first picture may take, the time not counted in which the decoder waits for bytes. After each
    /// attempt it has twice as long: what takes its time to decode comes in the end.
    static let firstPicture = Duration.milliseconds(1_500)
    private static let firstPictures = Backoff(from: firstPicture, upTo: firstPicture * (1 << Recovery.limit))
    /// How long sound or clock may run on without pictures.
    static let withoutPictures = Duration.seconds(2)

    private var began: Duration?
    /// When it was looked at last, and how much time the decoder had spent on the first picture until then.
    private var looked: (at: Duration, own: Duration) = (.zero, .zero)
    private var attempts = 0
    /// Since when, and from where, the clock should be running: a decoder that takes its time to the first picture has
    /// broken nothing.
    private var run: (since: Duration, from: Microseconds)?
    /// Each check has one verdict between two `begin`.
    private var done: Set<RecoveryCause> = []

    /// The clip is to play from now on.
    ///
    /// - Parameter attempts: how many decoders it had before this one.
    mutating func begin(now: Duration, attempts: Int = 0) {
        began = now
        run = nil
        done = []
        looked = (now, .zero)
        self.attempts = attempts
    }

    /// The decoder was sent elsewhere: its first picture has its time from now on.
    mutating func seek(now: Duration) { looked = (now, .zero) }

    /// A seek has arrived, so that the clock is elsewhere.
    mutating func moved() { run = nil }

    /// The clip is no longer supposed to play.
    mutating func end() { began = nil }

    mutating func check(_ signs: Observation) -> Verdict? {
        guard let began else {
            return signs.isOwing && signs.now - signs.lastActivity >= signs.patience ? .replace(.hung) : nil
        }
        let age = signs.now - began
        if !signs.isServed { looked.own += signs.now - looked.at }
        looked.at = signs.now
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
        if signs.hasVideo, !signs.hasPicture, looked.own >= timeOfFirstPicture, once(.firstFrame) {
            return .replace(.firstFrame)
        }
        if let since = signs.picturesLateSince, signs.now - since >= Watchdog.withoutPictures {
            return .replace(.zombie)
        }
        if signs.isOwing, silent >= signs.patience { return .replace(signs.soundRuns ? .zombie : .hung) }
        return nil
    }

    /// When to check again; nil while the clip is not to play.
    func nextCheck(after now: Duration) -> Duration? {
        guard let began else { return nil }
        let running = run.map { run in [200, 500].map { run.since + .milliseconds($0) } } ?? []
        let left = looked.at + timeOfFirstPicture - looked.own
        let next = (running + [began + .milliseconds(300), left]).filter { $0 > now }.min()
        return next ?? now + .milliseconds(500)
    }

    private var timeOfFirstPicture: Duration { Watchdog.firstPictures.pause(after: attempts) }

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

/// The watchdog's checks, and what follows from them.
extension ClipPlayer {
    func checkDecoder(now: Duration) {
        guard let handle = decoder.handle, phase != .failed else { return }
        if decoder.processor.check(used: handle.processorTime, brought: decoder.brought, now: now) {
            return recover(from: .busy, why: RecoveryCause.busy.words, now: now)
        }
        if phase == .ready, !isPlaylist, handle.fileHasChanged {
            // What is buffered belongs to the old file, and what follows would belong to the new one.
            return recover(
                from: .changed, why: handle.lastReadError?.error.description ?? RecoveryCause.changed.words, now: now)
        }
        notePictures(now: now)
        switch watchdog.check(signs(now: now)) {
        case .playAgain(let cause):
            trace(.watchdog(item: item.id, check: cause.rawValue, attempt: 0, why: cause.words))
            startIfReady(now: now)
        case .showPicture(let cause):
            trace(.watchdog(item: item.id, check: cause.rawValue, attempt: 0, why: cause.words))
            pictures.showAgain()
            resources.wake()
        case .replace(let cause):
            trace(.watchdog(item: item.id, check: cause.rawValue, attempt: recoveries, why: cause.words))
            recover(from: cause, why: cause.words, now: now)
        case nil: break
        }
    }

    /// Notes since when the clock has been beyond the last picture, although the clip has more.
    private func notePictures(now: Duration) {
        let isLate =
            clock.isRunning && hasVideo && info?.isStill != true && seeks.pending == nil && pictures.waiting.isEmpty
            && !pictures.areThrough && clock.position(at: now) > pictures.end ?? .max
            // A decoder that waits for bytes from the network is not to blame.
            && !(supply.isRemote && decoder.isServed)
        decoder.picturesLateSince = isLate ? decoder.picturesLateSince ?? now : nil
    }

    /// Whether the clip is a live stream without a segment yet, and the decoder
    /// still waits for one. It reports that every second.
    private func awaitsStream(now: Duration) -> Bool {
        phase == .opening && decoder.waitReportedAt.map { now - $0 < .seconds(2) } ?? false
    }

    private func signs(now: Duration) -> Watchdog.Observation {
        let plays = playback.isWanted && !playback.hasEnded && !seeks.isScrubbing && info?.isStill != true
        let lacksAll =
            pictures.waiting.isEmpty && sound.queue.frames == 0 && !seeks.hasReceivedAll && heldError == nil
        let isOwing = phase == .opening || seeks.pending != nil || (plays && lacksAll)
        let isRunnable =
            plays && phase == .ready && seeks.pending == nil && playback.stalledSince == nil && !supply.isWaiting
        return Watchdog.Observation(
            now: now, position: clock.position(at: now),
            canRun: isRunnable && (hasVideo ? pictures.current != nil : sound.queue.frames > 0),
            hasVideo: hasVideo, hasPicture: pictures.current != nil, isShown: shown.claim == nil,
            soundRuns: sound.isHeard(now: now), isServed: decoder.isServed || awaitsStream(now: now),
            picturesLateSince: decoder.picturesLateSince, isOwing: isOwing || decoder.handle?.isBlocked == true,
            patience: isLive ? Watchdog.patienceWithLive : Watchdog.patience, lastActivity: decoder.lastActivity)
    }
}
