import Audio
import Model
import Wire

/// One item's player: its decoder, the pictures and the sound that came from it, and its clock. `PlayerPool` owns it and says what is wanted.
@MainActor
final class ClipPlayer {
    enum Phase: Equatable { case closed, opening, ready, failed }

    /// A seek whose picture is not there yet.
    struct Landing {
        enum Kind { case seek, preview, step, quiet }
        var kind: Kind
        var target: Microseconds
    }

    let item: Item
    /// Whether its bytes come over a network.
    let isRemote: Bool
    unowned let pool: PlayerPool

    var worker: DecoderHandle?
    /// Its process has ended by itself and was reaped.
    private var workerHasGone = false
    var phase = Phase.closed
    var info: MediaInfo?
    /// Counts the item's decoders.
    var life = 0
    var recovery = Recovery()
    var watchdog = Watchdog()
    var lastActivity: Duration = .zero
    private var seenActivity = 0

    var buffering = Buffering()
    /// The clock could run but for the bytes that are still to come; not told of in the trace before it has run.
    var isHeldUp = false
    /// Up to where the decoder has read the clip.
    var bufferedUntil: Microseconds = 0
    /// It failed as bytes could not be had.
    var lacksBytes = false
    /// When the decoder last asked for bytes or waited for them, and how often it has asked.
    var lastRequest: (at: Duration, count: Int) = (.zero, 0)
    /// The parts of the clip that need no network, and when that was asked.
    var held: [ClosedRange<Double>] = []
    var heldSeenAt: Duration?
    /// Since when the clock could run but for bytes of the network, and what the page was told that it waits for.
    var waitsSince: Duration?
    var delay: String?
    /// What the decoder was last told that the network carries, in bits a second.
    var toldLink: Int64 = 0
    /// Of a playlist's variants the one that is read.
    var variant: ClipVariant?

    var presentation = Presentation()
    /// The last picture of a decoder that has gone.
    var still: Picture?
    var stillTime: Microseconds = 0
    var sound = SoundQueue()
    /// Frames that the decoder may still send.
    var credit = 0
    var clock = PlayClock()

    var serial: UInt32 = 0
    var landing: Landing?
    /// Where the next preview goes, once the one under way has landed.
    var nextPreview: Microseconds?
    /// Scrubbing: what previews land on is looked at, not played, until a seek commits it.
    /// Ends by itself, should the page forget to.
    var scrubUntil: Duration?
    var isScrubbing: Bool { scrubUntil != nil }
    /// Where a seek is to go that came before the clip was open.
    var seekOnceOpen: Microseconds?
    /// The serial of which everything has been sent.
    var endedSerial: UInt32?

    var wantsToPlay = false
    var hasPlayed = false
    var hasEnded = false
    /// Sound of this player lies in the device.
    var isSounding = false
    var stalledSince: Duration?

    /// When the page was turned to it, and how its player was come by; nil once the first picture is on the terminal.
    var claim: (at: Duration, how: TraceEvent.ClaimKind)?
    var lastShown: PictureIdentity?
    var shownCount = 0
    var drift: Microseconds = 0
    var saidStill = false
    var lastPositionReport: Duration = .zero
    var lastLevelReport: Duration = .zero
    var lastFigures: (at: Duration, shown: Int) = (.zero, 0)

    init(item: Item, pool: PlayerPool) {
        self.item = item
        self.pool = pool
        isRemote = pool.asset(of: item).isRemote
    }

    var hasVideo: Bool { info?.hasVideo ?? true }
    var duration: Duration? { info.flatMap { $0.duration > 0 ? .microseconds($0.duration) : nil } }
    var isAudible: Bool { info?.hasAudio == true && pool.soundWorks }
    /// A clip without pictures lives on its sound even where nothing can play it: the clock and the levels follow it.
    var usesSound: Bool { pool.soundWorks || info.map { $0.hasAudio && !$0.hasVideo } == true }

    func report(_ report: PlayerReport) { pool.report(item.id, report) }
    func trace(_ event: TraceEvent) { pool.trace(event) }

    // MARK: Life

    /// Gets a decoder going at `start`.
    func open(at start: Microseconds, now: Duration) {
        life += 1
        serial = 0
        credit = 0
        endedSerial = nil
        landing = nil
        nextPreview = nil
        scrubUntil = nil
        hasEnded = false
        phase = .opening
        clock.stop(now: now)
        clock.set(to: start, now: now)
        lastActivity = now
        seenActivity = 0
        bufferedUntil = start
        lacksBytes = false
        lastRequest = (now, 0)
        toldLink = 0
        variant = nil
        do {
            let worker = try pool.takeWorker()
            self.worker = worker
            if let surface = pool.surface { worker.send(.surface(surface)) }
            if isRemote { tellLink(pool.throughput) }
            worker.open(pool.asset(of: item), start: start, loop: pool.loop, sound: pool.soundWorks)
            topUpCredit()
        } catch {
            fail("cannot start the decoder \(pool.options.decoderPath): \(error)")
        }
    }

    /// Lets go of the decoder and all that came from it. `keepingStill` copies the picture first.
    func dropWorker(keepingStill: Bool) {
        if keepingStill { keepStill() }
        silence(keeping: false)
        presentation.reset()
        sound.clear()
        if let worker {
            worker.kill()
            // One that has gone has written its last letter already.
            if !workerHasGone { pool.retire(worker) }
        }
        worker = nil
        workerHasGone = false
        info = nil
        phase = .closed
    }

    /// What another player of the same item left to look at. If only the bytes were wanting, it goes on there.
    func inherit(_ other: ClipPlayer) {
        still = other.still
        if other.lacksBytes { stillTime = other.stillTime }
        life = other.life
    }

    private func keepStill() {
        guard let current = presentation.current, let worker else { return }
        still = Picture(copying: view(of: current.header, in: worker.ring))
        stillTime = current.header.mediaTime
    }

    func fail(_ why: String) {
        dropWorker(keepingStill: true)
        phase = .failed
        wantsToPlay = false
        watchdog.end()
        clock.stop(now: pool.now)
        report(.failed(why))
        trace(.error(item: item.id, what: "play", why: why))
    }

    /// C10, C11: another decoder at the same place, the last picture staying in view.
    func recover(why: String, check: String, now: Duration) {
        guard let attempt = recovery.next() else {
            trace(.gaveUp(item: item.id, check: check, attempt: recovery.attempts, why: why))
            fail("\(why); tried \(recovery.attempts) times more")
            return
        }
        trace(.recover(item: item.id, check: check, attempt: attempt, why: why))
        let place = mediaPosition(at: now)
        dropWorker(keepingStill: true)
        pool.distrust(item)
        open(at: place, now: now)
        if wantsToPlay, phase != .failed { watchdog.begin(now: now) }
    }

    // MARK: What is seen

    func view(of header: PictureHeader, in ring: PictureRing) -> PictureView {
        PictureView(
            pixels: UnsafePointer(ring.pixels(of: header.slot)),
            size: PixelSize(width: Int(header.width), height: Int(header.height)), stride: Int(header.stride))
    }

    var identity: PictureIdentity? {
        if let current = presentation.current {
            return PictureIdentity(
                item: item.id, mediaTime: .microseconds(current.header.mediaTime), isStill: false,
                isCorrupt: current.header.isCorrupt, life: life, number: current.number, pts: current.header.pts)
        }
        guard still != nil else { return nil }
        return PictureIdentity(
            item: item.id, mediaTime: .microseconds(stillTime), isStill: true, isCorrupt: false, life: 0, number: 0,
            pts: stillTime)
    }

    func release(_ slots: [UInt32]) { for slot in slots { worker?.send(.release(slot: slot)) } }

    /// Where in the clip it is.
    func mediaPosition(at now: Duration) -> Microseconds {
        if let seekOnceOpen { return seekOnceOpen }
        if let landing, landing.kind != .step { return landing.target }
        let place: Microseconds
        if let current = presentation.current?.header {
            // The sound may run on behind the last picture; what a picture's duration says is no limit.
            place = current.mediaTime + max(clock.position(at: now) - current.pts, 0)
        } else if still != nil, phase == .opening {
            place = stillTime
        } else {
            place = clock.position(at: now) + (sound.mediaOffset ?? 0)
        }
        let end = info.map { $0.duration > 0 ? $0.duration : .max } ?? .max
        return min(max(place, 0), end)
    }

    // MARK: Letters

    /// Empties the worker's mailbox.
    func readLetters(now: Duration) {
        guard let worker else { return }
        worker.flush()
        let news = worker.collect()
        if news.activity != seenActivity || news.isServing {
            seenActivity = news.activity
            lastActivity = now
        }
        if news.isServing || news.requests != lastRequest.count { lastRequest = (now, news.requests) }
        for letter in news.letters {
            // A letter may have ended the worker: then the rest means nothing.
            guard self.worker === worker else { return }
            switch letter {
            case .message(let message): take(message, now: now)
            case .gone(let why, let status, let wasKilled):
                workerHasGone = true
                pool.traceExit(of: worker, item: item.id, status: status, wasKilled: wasKilled)
                recover(
                    why: why == .closed ? "the decoder ended (\(describe(status: status)))" : "\(why)",
                    check: "worker", now: now)
            }
        }
    }
}

/// waitpid's status in words.
func describe(status: Int32) -> String {
    status & 0x7F == 0 ? "exit \((status >> 8) & 0xFF)" : "signal \(status & 0x7F)"
}
