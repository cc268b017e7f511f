import Model
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

extension ClipPlayer {
    func seek(to time: Microseconds, now: Duration) {
        seeks.forgetPreview()
        seeks.endScrub()
        if phase == .opening {
            seeks.wait(for: time)
        } else {
            jump(to: time, mode: .exact, purpose: .seek, now: now)
        }
    }

    /// Shows the key picture near `time`; playback resumes with a `seek` or a `play`.
    func preview(to time: Microseconds, now: Duration) {
        if phase == .ready { seeks.scrub(now: now) }
        guard seeks.beginsPreview(of: time) else { return }
        jump(to: time, mode: .key, purpose: .preview, now: now)
    }

    /// Steps `count` pictures forward, or back if it is negative. Steps
    /// requested during a seek are made together once it has finished.
    func step(by count: Int, now: Duration) {
        guard !playback.isWanted, phase == .ready else { return }
        guard seeks.pending == nil else { return seeks.addSteps(count) }
        var left = count
        while left > 0, !pictures.waiting.isEmpty {
            release(pictures.showNext())
            left -= 1
        }
        guard let header = pictures.current?.header else { return }
        if left < count {
            clock.set(to: header.pts, now: now)
            report(.sought(.microseconds(header.mediaTime)))
        }
        guard left != 0 else { return }
        // The decoder steps one picture forward or back from the shown one at a time; the distance of the others
        // is estimated from their duration. Neither a long picture nor many steps lead past the clip's ends.
        let (product, isTooFar) = Microseconds(abs(left) - 1).multipliedReportingOverflow(by: header.duration)
        let between = isTooFar ? WireLimit.time : min(product, WireLimit.time)
        let middle = between > 0 ? header.duration / 2 : 0
        if left > 0 {
            jump(to: header.mediaTime + between + middle, mode: .after, purpose: .step, now: now)
        } else {
            jump(to: header.mediaTime - between + middle, mode: .before, purpose: .step, now: now)
        }
    }

    /// Takes over the settings of all players, and acts on the changes.
    func apply(_ settings: PlayerSettings, now: Duration) {
        let old = self.settings
        self.settings = settings
        if settings.loop != old.loop { decoder.handle?.send(.loop(settings.loop)) }
        if settings.volume != old.volume { sound.setVolume(settings.volume) }
        if settings.speed != old.speed { applySpeed(now: now) }
        if settings.surface != old.surface { applySurface(now: now) }
        if settings.soundLanguages != old.soundLanguages { followLanguages(now: now) }
        if settings.savesData != old.savesData, tuning.variant == nil { decoder.handle?.send(.variant(variantWish)) }
        if settings.warm != old.warm, !isInView { decoder.handle?.send(warmOrder) }
    }

    /// Speed changes come with a seek, to drop sound that was stretched for the old speed.
    func applySpeed(now: Duration) {
        // Without a seek, sound of both speeds would be heard in a row: what cannot be sought in keeps its own speed.
        if phase == .ready, info?.isSeekable != true { return }
        clock.setRate(settings.speed, now: now)
        guard phase == .ready else { return }
        decoder.handle?.send(.rate(thousandths: UInt32((settings.speed * 1_000).rounded())))
        jump(to: mediaPosition(at: now), mode: .exact, purpose: .refresh, now: now)
        sound.setRate(settings.speed)
    }

    /// The picture in view in another size. The pictures of a clip that plays come in it by themselves.
    private func applySurface(now: Duration) {
        // The decoder makes the pictures of all slots that it has not got back again.
        release(pictures.freePassed())
        sendSurface()
        guard phase == .ready, !clock.isRunning, seeks.pending == nil, pictures.current != nil else { return }
        jump(to: mediaPosition(at: now), mode: .exact, purpose: .refresh, now: now)
    }

    /// Has the decoder go to `time`. Everything received before is dropped;
    /// the picture in view stays until the first one of the new place arrives.
    func jump(to time: Microseconds, mode: SeekMode, purpose: SeekState.Purpose, now: Duration) {
        guard phase == .ready, let handle = decoder.handle, isSeekable else { return }
        if heldError != nil {
            // Its decoder has ended its work.
            closeDecoder(keepsPictureOf: now)
            return open(at: max(time, 0), now: now)
        }
        silence(keepsUnheard: false)
        sound.clear()
        release(pictures.forgetWaiting())
        clock.stop(now: now)
        playback.hasEnded = false
        let limit = info.map { $0.duration > 0 ? $0.duration : .max } ?? .max
        let target = min(max(time, 0), limit)
        let serial = seeks.begin(purpose, to: target)
        repeated?.seek()
        tracks.cues.clear()
        decoder.damaged = 0
        decoder.lastActivity = now
        watchdog.seek(now: now)
        supply.bufferedUntil = target
        if supply.isRemote, purpose == .seek { supply.buffering.begin(Buffering.again) }
        // A picture of the new place is waited for from now on, and not only from the next `advance`.
        handle.announcesAll(true)
        handle.send(.seek(serial: serial, time: target, mode: mode))
        allowSound()
    }
}
