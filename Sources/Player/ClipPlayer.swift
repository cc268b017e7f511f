import Audio
import Bytes
import Model
import Wire

/// The player of one item: its decoder, the pictures and the sound that come from it, and its clock.
///
/// `PlayerPool` owns it, gives it orders, and collects its reports. All calls on the main thread; none waits.
@MainActor
final class ClipPlayer {
    enum Phase: Equatable { case closed, opening, ready, failed }

    /// What the user wants of the clip, and how far it has come.
    struct Playback {
        var isWanted = false
        /// It was paused, and has not been resumed since.
        var isHeld = false
        var hasBegun = false
        var hasEnded = false
        /// Since when it waits for pictures and sound that have not come, after it has run.
        var stalledSince: Duration?
    }

    /// The decoder, and its observed state.
    struct DecoderLife {
        var handle: DecoderHandle?
        /// Where the clip is to be opened once a decoder may be started; nil if it does not wait for that.
        var startsAt: Microseconds?
        /// It was warm, and does not know yet that its clip has come into view.
        var owesWatched = false
        /// Its process has ended by itself and was reaped.
        var hasEnded = false
        /// Counts the item's decoders.
        var number = 0
        /// Counts the pictures and pieces of sound that it brought.
        var brought = 0
        var processor = ProcessorWatch(now: .zero)
        /// When it was last seen to do something.
        var lastActivity: Duration = .zero
        /// What `DecoderHandle.Received.activity` was then.
        var seenActivity = 0
        /// It waits for bytes.
        var isServed = false
        /// When it last reported, before the clip was open, that it waits: a live stream has no segment yet.
        var waitReportedAt: Duration?
        /// Since when the clock has been beyond the last picture, although the decoder has more of them to send.
        var picturesLateSince: Duration?
        /// When it was ordered to open the clip.
        var openedAt: Duration = .zero
        /// How many damaged pictures it has sent since the last seek before any other.
        var damaged = 0
        var unread = StalledReaderDetector()
        var limit = PictureLimit()
    }

    /// A copy of the last picture of a decoder that has ended: it stays in view until the next decoder has one.
    struct LastPicture {
        var picture: Picture
        var generation: UInt32
        var time: Microseconds
        /// Where in the clip the player was, which one picture may cover for long.
        var place: Microseconds
    }

    /// The decoder's report that bytes are missing.
    struct HeldError {
        var why: String
        var advice: String
        var detail: String
    }

    let item: Item
    let asset: Asset
    let resources: PlayerResources
    var settings: PlayerSettings
    /// The events since the pool last collected them.
    private var events: [PlayerEvent] = []

    private(set) var phase = Phase.closed
    /// Why it failed, for the trace; nil if it did not.
    private(set) var failure: String?
    var info: MediaInfo?
    /// Whether the clip has turned out to be longer than its container says.
    var isLonger = false
    var decoder = DecoderLife()
    private var recovery = Recovery()
    /// How often in turn the system had no room for a decoder.
    private var shortages = 0
    var watchdog = Watchdog()

    /// Bytes that are needed once the received ones were played; nil if nothing is missing.
    var heldError: HeldError?
    var playback = Playback()
    var clock = MediaClock()
    var seeks = SeekState()
    var pictures = Presentation()
    var lastPicture: LastPicture?
    /// The size of the picture that the page knows of.
    var reportedPicture: PixelSize?
    var sound: AudioSink
    var supply: ByteSupply
    /// Of a playlist's variants the one that is read, and its place in `MediaInfo.variants`.
    var variant: ClipVariant?
    var variantIndex: Int?
    /// What the user has set for this clip.
    var tuning = ClipTuning()
    var tracks = TrackChoice()
    /// nil: all of the clip is played.
    var repeated: RepeatedPart?

    /// The item's page is the current one. A clip out of view reads less ahead.
    var isInView = false {
        didSet {
            guard isInView != oldValue else { return }
            if !isInView { repeated = nil }
            let owed = decoder.owesWatched
            decoder.owesWatched = false
            if isInView, pictures.current != nil, shown.claim != nil {
                decoder.owesWatched = true
            } else if !owed {
                decoder.handle?.send(isInView ? .watched : warmOrder)
            }
        }
    }
    /// Its page has been left, and it has not gone back to its beginning since.
    var isLeft = false
    /// The number of its page when that was last known; for the trace.
    var index: Int?
    /// Where it begins when it is first opened.
    var start: Microseconds = 0
    /// Until when it moves without sound: while its page slides out of view, or is pulled into it; nil: it does not.
    var silentUntil: Duration?

    var shown = ShownPictures()
    var reportTimes = ReportTimes()

    init(item: Item, asset: Asset, resources: PlayerResources, settings: PlayerSettings) {
        self.item = item
        self.asset = asset
        self.resources = resources
        self.settings = settings
        sound = AudioSink(output: resources.output)
        supply = ByteSupply(isRemote: asset.isRemote)
    }

    var hasVideo: Bool { info?.hasVideo ?? true }
    var duration: Duration? { info.flatMap { $0.duration > 0 ? .microseconds($0.duration) : nil } }
    var isAudible: Bool { info?.hasAudio == true && sound.canBeHeard }
    /// A clip without pictures lives on its sound even where nothing can play it: the clock and the levels follow it.
    var usesSound: Bool { sound.canBeHeard || info.map { $0.hasAudio && !$0.hasVideo } == true }
    var isSeekable: Bool { info?.isSeekable == true || info?.isStill == true }
    var recoveries: Int { recovery.attempts }
    private(set) var lastRecovery: RecoveryCause?

    func report(_ report: PlayerReport) { events.append(.report(item.id, report)) }
    func note(_ event: PlaybackEvent) { events.append(.playback(item.id, event)) }
    func trace(_ event: TraceEvent) { events.append(.trace(event)) }

    /// What happened since the last time, in order.
    func drainEvents() -> [PlayerEvent] {
        guard !events.isEmpty else { return [] }
        defer { events = [] }
        return events
    }

    // MARK: Life

    /// Gets a decoder to open the clip at `start`.
    func open(at start: Microseconds, now: Duration) {
        decoder.number += 1
        decoder.openedAt = now
        decoder.damaged = 0
        decoder.picturesLateSince = nil
        decoder.lastActivity = now
        decoder.seenActivity = 0
        decoder.unread = StalledReaderDetector()
        decoder.limit = PictureLimit()
        heldError = nil
        seeks.restart()
        supply.restart(at: start, now: now)
        playback.hasEnded = false
        (variant, variantIndex) = (nil, nil)
        phase = .opening
        clock.stop(now: now)
        clock.set(to: start, now: now)
        decoder.startsAt = start
        startDecoderIfDue(now: now)
    }

    /// Gets the decoder that the clip waits for. Not before the pause is over
    /// that follows one which ended before it was ready.
    func startDecoderIfDue(now: Duration) {
        guard let start = decoder.startsAt, resources.decoders.due(now: now) <= now else { return }
        decoder.startsAt = nil
        decoder.lastActivity = now
        decoder.brought = 0
        decoder.processor = ProcessorWatch(now: now)
        sound.restart()
        do {
            let handle = try resources.decoders.decoder()
            decoder.handle = handle
            sendSurface()
            sendThroughput(resources.network?.throughput)
            decoder.owesWatched = false
            if !isInView { handle.send(warmOrder) }
            sendTrackWishes()
            handle.open(asset, start: start, loop: settings.loop, sound: sound.canBeHeard)
            allowSound()
        } catch { failToStart(error, now: now) }
    }

    /// No decoder can be started. Where the system has no room for one, other
    /// clips make some, and the one in view waits for that a few times.
    func failToStart(_ error: any Error, now: Duration) {
        let detail = "cannot start the decoder \(resources.decoders.path): \(error)"
        guard (error as? WireError)?.isShortage == true else {
            return fail(
                "cannot start the decoder", advice: "reinstall flick", detail: detail, now: now)
        }
        resources.decoders.noteShortage(now: now)
        let place = mediaPosition(at: now)
        closeDecoder(keepsPictureOf: now)
        guard isInView else { return }
        shortages += 1
        if shortages <= Self.maxShortages { return open(at: place, now: now) }
        shortages = 0
        fail(
            "cannot start another decoder",
            advice: "raise the limits of open files and processes (ulimit), or lower prefetch.ahead", detail: detail,
            now: now)
    }

    /// Each time the pause before it is twice as long: three seconds in all.
    private static let maxShortages = 5

    var warmOrder: ToDecoder {
        .warm(time: settings.warm.buffer.microseconds, bitsPerSecond: settings.warm.bitrate)
    }

    /// The clip is open.
    func becomeReady() {
        phase = .ready
        shortages = 0
    }

    /// Lets go of the decoder and all that came from it.
    ///
    /// - Parameter now: a copy of the picture in view at this moment stays; nil: none does.
    func closeDecoder(keepsPictureOf now: Duration?) {
        if let now { copyPicture(now: now) }
        silence(keepsUnheard: false)
        pictures.reset()
        sound.clear()
        // One that has ended by itself has sent its last event already.
        if let handle = decoder.handle, !decoder.hasEnded { resources.decoders.end(handle) }
        decoder.handle = nil
        decoder.startsAt = nil
        decoder.hasEnded = false
        (info, isLonger) = (nil, false)
        phase = .closed
    }

    /// Takes over what another player of the same item has left to show. If only bytes were missing, it resumes there.
    func inherit(_ other: ClipPlayer) {
        lastPicture = other.lastPicture
        if !other.supply.lacksBytes { lastPicture?.place = 0 }
        decoder.number = other.decoder.number
        repeated = other.repeated
    }

    /// A copy of the picture in view, to be shown once the player is gone; nil without
    /// a picture. If none has been shown yet, the copy is the clip's first picture.
    var still: Still? {
        guard let current = pictures.current, let handle = decoder.handle, !current.header.isCorrupt else { return nil }
        return Still(
            kind: shown.count > 0 ? .frozen : .firstFrame,
            picture: Picture(copying: PictureView(of: current.header, in: handle.ring)),
            generation: current.header.generation, time: current.header.mediaTime)
    }

    private func copyPicture(now: Duration) {
        guard let current = pictures.current, let handle = decoder.handle else { return }
        lastPicture = LastPicture(
            picture: Picture(copying: PictureView(of: current.header, in: handle.ring)),
            generation: current.header.generation, time: current.header.mediaTime, place: mediaPosition(at: now))
    }

    /// - Parameters:
    ///   - advice: what can be done; may be empty.
    ///   - detail: more of it for the diagnostics and the log; may be empty.
    func fail(_ why: String, advice: String = "", detail: String = "", now: Duration) {
        closeDecoder(keepsPictureOf: now)
        phase = .failed
        failure = detail.isEmpty ? why : detail
        playback.isWanted = false
        watchdog.end()
        clock.stop(now: now)
        report(.failed(why, advice: advice, detail: detail))
        // If bytes did not come, the detail includes the page's words and the URL.
        let reason = detail.isEmpty ? why : supply.lacksBytes ? detail : "\(why) (\(detail))"
        trace(.error(item: item.id, what: "play", why: reason))
    }

    /// Another decoder at the same place, the last picture staying in view.
    func recover(from cause: RecoveryCause, why: String, now: Duration) {
        guard let attempt = recovery.next() else {
            trace(.gaveUp(item: item.id, check: cause.rawValue, attempt: recovery.attempts, why: why))
            fail(
                "its decoder failed \(recovery.attempts + 1) times", advice: "the file may be damaged",
                detail: "\(why); retried \(recovery.attempts) times", now: now)
            return
        }
        note(.recovering(check: cause.rawValue, attempt: attempt, why: why))
        lastRecovery = cause
        let place = mediaPosition(at: now)
        closeDecoder(keepsPictureOf: now)
        // The cached part of the clip may be the reason: first it is revalidated with the server, then dropped.
        if attempt == 1 || cause == .changed {
            resources.network?.revalidate(asset)
        } else {
            resources.network?.reject(asset)
        }
        open(at: place, now: now)
        if playback.isWanted, phase != .failed { watchdog.begin(now: now, attempts: attempt) }
    }

    // MARK: The visible picture

    /// Identifies the visible picture; nil without one.
    var identity: PictureIdentity? {
        if let current = pictures.current {
            return PictureIdentity(
                item: item.id, mediaTime: .microseconds(current.header.mediaTime), isStill: false,
                isCorrupt: current.header.isCorrupt, generation: current.header.generation, life: decoder.number,
                number: current.number, pts: current.header.pts)
        }
        return lastPicture.map {
            PictureIdentity(
                item: item.id, mediaTime: .microseconds($0.time), isStill: true, isCorrupt: false,
                generation: $0.generation, life: 0, number: 0, pts: $0.time)
        }
    }

    /// Passes the visible picture to `body`: the decoder's current
    /// one, or the copy of its last one; nil without either.
    func withPicture<Result>(_ body: (PictureView, PictureIdentity) -> Result) -> Result? {
        guard let identity else { return nil }
        if let current = pictures.current, let handle = decoder.handle {
            return body(PictureView(of: current.header, in: handle.ring), identity)
        }
        return lastPicture?.picture.withView { body($0, identity) }
    }

    /// Sends the size in which pictures are wanted to the decoder.
    func sendSurface() {
        guard let surface = settings.surface else { return }
        decoder.limit.note(surface)
        decoder.handle?.send(.surface(surface))
    }

    /// The decoder may write these slots again.
    func release(_ slots: [UInt32]) { if !slots.isEmpty { decoder.handle?.send(.release(slots: slots)) } }

    /// Where in the clip it is.
    func mediaPosition(at now: Duration) -> Microseconds {
        if let target = seeks.targetOnceOpen { return target }
        if let pending = seeks.pending, pending.purpose != .step { return pending.target }
        let place: Microseconds
        if let current = pictures.current?.header, current.serial == seeks.serial {
            // The sound may continue after the last picture, or begin before
            // the first one; a picture's duration is not a limit.
            place = current.mediaTime + clock.position(at: now) - current.pts
        } else if let lastPicture, phase == .opening {
            place = lastPicture.place
        } else {
            place = clock.position(at: now) + (sound.queue.mediaOffset ?? 0)
        }
        let end = info.map { $0.duration > 0 ? $0.duration : .max } ?? .max
        return min(max(place, 0), end)
    }
}

extension PictureView {
    /// A picture in a decoder's memory.
    init(of header: PictureHeader, in ring: PictureRing) {
        self.init(
            pixels: UnsafePointer(ring.pixels(of: header.slot)),
            size: header.size, stride: Int(header.stride))
    }
}

extension PictureHeader {
    var size: PixelSize { PixelSize(width: Int(width), height: Int(height)) }
}
