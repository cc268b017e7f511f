internal import CFFmpeg
import Loudness
import Wire

/// A decoded picture, stored until flick has released it, so that it can be scaled again for another surface.
final class DecodedPicture {
    let frame: UnsafeMutablePointer<AVFrame>
    let pts: Microseconds
    let mediaTime: Microseconds
    let duration: Microseconds
    /// A pixel's width by its height.
    let sampleAspect: Double

    /// Owns the frame from now on. Without a `sampleAspect` the frame's own counts.
    init(
        frame: UnsafeMutablePointer<AVFrame>, pts: Microseconds, mediaTime: Microseconds, duration: Microseconds,
        sampleAspect: Double?
    ) {
        self.sampleAspect = sampleAspect ?? Container.believable(frame.pointee.sample_aspect_ratio)
        self.frame = frame
        self.pts = pts
        self.mediaTime = mediaTime
        self.duration = duration
    }

    deinit {
        var frame = frame
        freeFrame(&frame)
    }
}

/// Sends output to flick: pictures while slots are free, sound while there is credit.
final class Output {
    private let channel: OwnerChannel
    private let ring: PictureRing
    private let scaler = PictureScaler()
    private(set) var request: SurfaceRequest?
    private var freeSlots = Array((0..<PictureRing.slots).reversed())
    /// Sent and not released, oldest first.
    private var shown: [(slot: UInt32, picture: DecodedPicture)] = []
    /// Released last: probably the one on the screen.
    private var current: DecodedPicture?
    private var waiting: [DecodedPicture] = []
    private(set) var isClosed = false
    private(set) var hasFailed = false

    /// The still that is being made: its picture and nothing else is sent. nil while a clip plays.
    private var still: (id: UInt32, isSent: Bool)?

    var serial: UInt32 = 0
    var credit = 0
    var rate: UInt32 = 1_000
    var orientation = Orientation()

    init(channel: OwnerChannel, ring: PictureRing) {
        self.channel = channel
        self.ring = ring
    }

    /// Sends a message, after those that wait.
    func send(_ message: FromDecoder) {
        enqueue(message)
        flush()
    }

    /// While a still is made, what clips say of themselves is left out.
    private func enqueue(_ message: FromDecoder) {
        if still == nil || message.isOfStills { channel.enqueue(message) }
    }

    /// Sends what waits. To be called before the session waits.
    func flush() {
        delayedSince = nil
        do { try channel.flush() } catch { isClosed = true }
    }

    /// Sends a message together with those that follow, if flick has pictures
    /// in stock: it then wakes up once for all of them.
    func sendSoon(_ message: FromDecoder) {
        enqueue(message)
        delayedSince = delayedSince ?? MonotonicTime.now()
        if shown.count < Output.stock { flush() }
    }
    /// When the oldest message that waits was made.
    private var delayedSince: Microseconds?

    /// Sends messages that have waited for too long. To be called after each step of work.
    func flushLate() {
        if let delayedSince, MonotonicTime.now() - delayedSince > Output.longestDelay { flush() }
    }

    /// When this many pictures are sent and not released, flick has one in view and others in stock.
    private static let stock = 4
    private static let longestDelay: Microseconds = 20_000

    func fail(_ error: MediaError) {
        guard !hasFailed, !isClosed else { return }
        hasFailed = true
        send(.failed(code: error.code, why: error.why, advice: error.advice, detail: error.detail))
    }

    /// From now on everything is for this still, until `endStill`.
    func beginStill(_ id: UInt32) {
        drop()
        still = (id, false)
    }

    func endStill() {
        drop()
        still = nil
        (serial, orientation) = (0, Orientation())
    }

    /// Whether the still's picture has been sent.
    var hasSentStill: Bool { still?.isSent == true }

    /// Drops everything that waits or is stored: it belongs to the past.
    func drop() {
        waiting = []
        current = nil
        shown = shown.map { (slot: $0.slot, picture: $0.picture) }
        past.formUnion(shown.map(\.slot))
    }
    /// Slots whose pictures are of before a seek: not to be shown again.
    private var past: Set<UInt32> = []

    /// A picture has been released, so someone is watching.
    private(set) var isWatched = false
    /// The clip is out of view: pictures released meanwhile were not watched.
    var isWarm = false {
        didSet { if isWarm { isWatched = false } }
    }

    func release(_ slot: UInt32) {
        isWatched = !isWarm
        guard let index = shown.firstIndex(where: { $0.slot == slot }) else { return }
        let released = shown.remove(at: index).picture
        if past.remove(slot) == nil, released.pts >= current?.pts ?? .min { current = released }
        freeSlots.append(slot)
    }

    /// From now on pictures are made for another surface; those that were made before are made again.
    func show(on request: SurfaceRequest) {
        self.request = request
        let again = [current].compactMap { $0 } + shown.filter { !past.contains($0.slot) }.map(\.picture)
        current = nil
        past.formUnion(shown.map(\.slot))
        waiting = again + waiting
    }

    /// Whether another picture may come.
    var wantsPicture: Bool { waiting.isEmpty }

    func enqueue(_ picture: DecodedPicture) { waiting.append(picture) }

    var hasWaiting: Bool { !waiting.isEmpty }
    /// How many pictures of this place flick has and has not released: the one in view, and those that follow it.
    var sentCount: Int { shown.count { !past.contains($0.slot) } }

    /// The position in the clip of the first picture in flight; nil without one.
    var oldestTime: Microseconds? { shown.first { !past.contains($0.slot) }?.picture.mediaTime }

    /// How many pictures of a preloaded clip are made: the one to show first, and enough to start playing.
    private static let maxWarm = 3

    /// The most pictures that may be in flight: fewer of large ones, as each is stored whole.
    private func maxShown(_ frame: UnsafeMutablePointer<AVFrame>) -> Int {
        if isWarm { return Output.maxWarm }
        let pixels = max(1, Int(frame.pointee.width) * Int(frame.pointee.height))
        return min(max(8_000_000 / pixels, 4), Int(PictureRing.slots))
    }

    /// Sends a picture if there is one, a surface and a slot.
    func sendPicture() throws(MediaError) -> Bool {
        guard !hasSentStill, let picture = waiting.first, let request, request.width > 0, request.height > 0,
            shown.count < maxShown(picture.frame), let slot = freeSlots.popLast()
        else { return false }
        waiting.removeFirst()
        let frame = picture.frame
        let orientation = Container.orientation(of: frame) ?? self.orientation
        let fit = PictureGeometry(
            codedWidth: Int(frame.pointee.width), codedHeight: Int(frame.pointee.height),
            sampleAspect: picture.sampleAspect,
            orientation: orientation, request: request)
        do throws(MediaError) {
            try scaler.scale(frame, orientation: orientation, fit: fit, to: ring.pixels(of: slot))
        } catch {
            freeSlots.append(slot)
            throw error
        }
        shown.append((slot, picture))
        let header = PictureHeader(
            slot: slot, serial: serial, generation: request.generation, pts: picture.pts,
            mediaTime: picture.mediaTime, duration: picture.duration, width: UInt32(fit.width),
            height: UInt32(fit.height), stride: UInt32(fit.stride), isKey: flick_frame_is_key(frame) != 0,
            isCorrupt: flick_frame_is_corrupt(frame) != 0)
        if let id = still?.id {
            still?.isSent = true
            send(.still(id: id, header))
        } else {
            sendSoon(.picture(header))
        }
        return true
    }
}

extension FromDecoder {
    fileprivate var isOfStills: Bool {
        switch self {
        case .still, .noStill: true
        default: false
        }
    }
}

/// When the loudness is reported to flick: with the first sound, then at most once in a second of it. Pure.
struct LevelReports {
    private static let interval = 48_000

    /// How many frames of sound must be sent before the next report.
    private var wait = 0
    private var sent: SoundLoudness?

    /// The report to send; nil before the next is due, and while nothing has changed.
    ///
    /// - Parameters:
    ///   - report: nil while there is no estimate. Evaluated only if a report is due.
    ///   - frames: how many have been sent since the last call.
    mutating func next(_ report: @autoclosure () -> SoundLevel.Report?, after frames: Int) -> SoundLoudness? {
        wait = max(0, wait - frames)
        guard wait == 0, let next = report().map(SoundLoudness.init), next != sent else { return nil }
        (wait, sent) = (Self.interval, next)
        return next
    }
}

extension SoundLoudness {
    /// Rounded to a tenth, so that smaller changes are not reported.
    init(_ report: SoundLevel.Report) {
        func tenths(_ number: Double) -> Int32 { Int32((min(max(number, -200), 200) * 10).rounded()) * 10 }
        self.init(loudness: tenths(report.loudness), gain: tenths(report.gain), origin: report.origin)
    }
}
