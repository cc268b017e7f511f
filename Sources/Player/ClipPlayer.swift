import Audio
import Bytes
import Model
import Wire

/// The player of one item: its decoder, the pictures and the sound that come from it, and its clock.
///
/// `PlayerPool` owns it, says what is wanted, and collects what it reports. All calls on the main thread; none waits.
@MainActor
final class ClipPlayer {
    enum Phase: Equatable { case closed, opening, ready, failed }

    /// What the user wants of the clip, and how far it has come.
    struct Playback {
        var isWanted = false
        var hasBegun = false
        var hasEnded = false
        /// Since when it waits for pictures and sound that have not come, after it has run.
        var stalledSince: Duration?
    }

    /// The decoder, and what was seen of it.
    struct DecoderLife {
        var handle: DecoderHandle?
        /// Its process has ended by itself and was reaped.
        var hasEnded = false
        /// Counts the item's decoders.
        var number = 0
        /// When it was last seen to do something.
        var lastActivity: Duration = .zero
        /// What `DecoderHandle.Received.activity` was then.
        var seenActivity = 0
    }

    /// A copy of the last picture of a decoder that has ended: it stays in view until the next decoder has one.
    struct LastPicture {
        var picture: Picture
        var time: Microseconds
    }

    let item: Item
    let asset: Asset
    let resources: PlayerResources
    var settings: PlayerSettings
    /// What happened since the pool last asked.
    private var events: [PlayerEvent] = []

    private(set) var phase = Phase.closed
    var info: MediaInfo?
    var decoder = DecoderLife()
    private var recovery = Recovery()
    var watchdog = Watchdog()

    var playback = Playback()
    var clock = PlayClock()
    var seeks = SeekState()
    var pictures = Presentation()
    var lastPicture: LastPicture?
    /// The size of the picture that the page knows of.
    var reportedPicture: PixelSize?
    var sound: SoundFeed
    var supply: ByteSupply
    /// Of a playlist's variants the one that is read.
    var variant: ClipVariant?

    var shown = ShownPictures()
    var reportTimes = ReportTimes()

    init(item: Item, asset: Asset, resources: PlayerResources, settings: PlayerSettings) {
        self.item = item
        self.asset = asset
        self.resources = resources
        self.settings = settings
        sound = SoundFeed(output: resources.output)
        supply = ByteSupply(isRemote: asset.isRemote)
    }

    var hasVideo: Bool { info?.hasVideo ?? true }
    var duration: Duration? { info.flatMap { $0.duration > 0 ? .microseconds($0.duration) : nil } }
    var isAudible: Bool { info?.hasAudio == true && sound.canBeHeard }
    /// A clip without pictures lives on its sound even where nothing can play it: the clock and the levels follow it.
    var usesSound: Bool { sound.canBeHeard || info.map { $0.hasAudio && !$0.hasVideo } == true }
    var isSeekable: Bool { info?.isSeekable == true || info?.isStill == true }
    var recoveries: Int { recovery.attempts }

    func report(_ report: PlayerReport) { events.append(.report(item.id, report)) }
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
        decoder.lastActivity = now
        decoder.seenActivity = 0
        seeks.restart()
        sound.restart()
        supply.restart(at: start, now: now)
        playback.hasEnded = false
        variant = nil
        phase = .opening
        clock.stop(now: now)
        clock.set(to: start, now: now)
        do {
            let handle = try resources.decoders.decoder()
            decoder.handle = handle
            if let surface = settings.surface { handle.send(.surface(surface)) }
            sendThroughput(resources.provider.throughput)
            handle.open(asset, start: start, loop: settings.loop, sound: sound.canBeHeard)
            allowSound()
        } catch {
            fail(
                "flick's decoder cannot be started; look at the installation",
                detail: "cannot start the decoder \(resources.decoders.path): \(error)", now: now)
        }
    }

    /// The clip is open.
    func becomeReady() { phase = .ready }

    /// Lets go of the decoder and all that came from it.
    ///
    /// - Parameter keepsPicture: a copy of the picture in view stays.
    func closeDecoder(keepsPicture: Bool) {
        if keepsPicture { copyPicture() }
        silence(keepsUnheard: false)
        pictures.reset()
        sound.clear()
        // One that has ended by itself has sent its last event already.
        if let handle = decoder.handle, !decoder.hasEnded { resources.decoders.end(handle) }
        decoder.handle = nil
        decoder.hasEnded = false
        info = nil
        phase = .closed
    }

    /// What another player of the same item left to look at. If only the bytes were missing, it goes on there.
    func inherit(_ other: ClipPlayer) {
        lastPicture = other.lastPicture
        if !other.supply.lacksBytes { lastPicture?.time = 0 }
        decoder.number = other.decoder.number
    }

    private func copyPicture() {
        guard let current = pictures.current, let handle = decoder.handle else { return }
        lastPicture = LastPicture(
            picture: Picture(copying: PictureView(of: current.header, in: handle.ring)), time: current.header.mediaTime)
    }

    /// - Parameter detail: the same as the libraries or the log say it; empty if they say no more.
    func fail(_ why: String, detail: String = "", now: Duration) {
        closeDecoder(keepsPicture: true)
        phase = .failed
        playback.isWanted = false
        watchdog.end()
        clock.stop(now: now)
        report(.failed(why, detail: detail))
        // Of bytes that did not come, the detail says all that the page's words do, and of which URL.
        let told = detail.isEmpty ? why : supply.lacksBytes ? detail : "\(why) (\(detail))"
        trace(.error(item: item.id, what: "play", why: told))
    }

    /// Another decoder at the same place, the last picture staying in view.
    func recover(from cause: RecoveryCause, why: String, now: Duration) {
        guard let attempt = recovery.next() else {
            trace(.gaveUp(item: item.id, check: cause.rawValue, attempt: recovery.attempts, why: why))
            fail(
                "its decoder failed \(recovery.attempts + 1) times; the file may be damaged",
                detail: "\(why); tried \(recovery.attempts) times more", now: now)
            return
        }
        trace(.recover(item: item.id, check: cause.rawValue, attempt: attempt, why: why))
        let place = mediaPosition(at: now)
        closeDecoder(keepsPicture: true)
        // What of the clip was cached may be the reason.
        resources.provider.distrust(asset)
        open(at: place, now: now)
        if playback.isWanted, phase != .failed { watchdog.begin(now: now) }
    }

    // MARK: What is seen

    /// Which picture is seen; nil if there is none.
    var identity: PictureIdentity? {
        if let current = pictures.current {
            return PictureIdentity(
                item: item.id, mediaTime: .microseconds(current.header.mediaTime), isStill: false,
                isCorrupt: current.header.isCorrupt, life: decoder.number, number: current.number,
                pts: current.header.pts)
        }
        return lastPicture.map {
            PictureIdentity(
                item: item.id, mediaTime: .microseconds($0.time), isStill: true, isCorrupt: false, life: 0, number: 0,
                pts: $0.time)
        }
    }

    /// Hands out what is seen: the decoder's picture, or the copy of its last one; nil if there is none.
    func withPicture<Result>(_ body: (PictureView, PictureIdentity) -> Result) -> Result? {
        guard let identity else { return nil }
        if let current = pictures.current, let handle = decoder.handle {
            return body(PictureView(of: current.header, in: handle.ring), identity)
        }
        return lastPicture?.picture.withView { body($0, identity) }
    }

    /// The decoder may write these slots again.
    func release(_ slots: [UInt32]) { if !slots.isEmpty { decoder.handle?.send(.release(slots: slots)) } }

    /// Where in the clip it is.
    func mediaPosition(at now: Duration) -> Microseconds {
        if let target = seeks.targetOnceOpen { return target }
        if let pending = seeks.pending, pending.purpose != .step { return pending.target }
        let place: Microseconds
        if let current = pictures.current?.header {
            // The sound may run on behind the last picture; what a picture's duration says is no limit.
            place = current.mediaTime + max(clock.position(at: now) - current.pts, 0)
        } else if let lastPicture, phase == .opening {
            place = lastPicture.time
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
