import Bytes
import Model
import Wire

/// Makes the small stills that are shown above the scrubber: of the clip in view, at the places that the pointer is at.
///
/// One decoder makes one after the other, always of the place that was named last, and ends when no place was named for
/// a while. Main thread; no call waits.
@MainActor
final class SeekStillMaker {
    /// In pixels; the longer side of a still.
    static let side = 192
    /// How many are stored, of 147 KB each at most.
    static let most = 32
    /// How long the decoder waits for another place.
    static let patience = Duration.seconds(5)
    /// After as many places in a row without a still, the clip is not tried further.
    static let maxFailures = 3

    private static let surface = SurfaceRequest(
        generation: 1, width: UInt32(side), height: UInt32(side), aspectNumerator: 1, aspectDenominator: 1, fit: .fit)

    /// A clip and its stills.
    private struct Clip {
        let id: Item.ID
        let asset: Asset
        /// By the places that were named.
        var pictures: [Duration: (picture: Picture, number: Int)] = [:]
        /// The place whose still is shown.
        var shown: Duration?
        var failures = 0
    }

    private let worker: StillWorker
    private var clip: Clip?
    /// The place that was named last; nil once it has its still, or has none.
    private var wanted: Duration?
    private var wantedAt: Duration = .zero
    /// The place that was named last.
    private var pointed: Duration = .zero
    private var making: (id: Item.ID, place: Duration)?
    private var made = 0
    private var events: [PlayerEvent] = []

    init(decoders: DecoderPool) { worker = StillWorker(decoders: decoders, surface: Self.surface) }

    /// Names a place in a clip, from its beginning. Stills of another clip are forgotten.
    func want(_ place: Duration, in item: Item.ID, _ asset: Asset, now: Duration) {
        if clip?.id != item { clip = Clip(id: item, asset: asset) }
        (pointed, wantedAt) = (place, now)
        if clip?.pictures[place] == nil {
            wanted = (clip?.failures ?? 0) < Self.maxFailures ? place : nil
        } else {
            wanted = nil
            clip?.shown = place
            report()
        }
    }

    /// Begins the still of the place that was named last, if none is being made. It is called after every picture, and
    /// costs next to nothing then.
    ///
    /// - Parameter view: the item in view; no stills are made of any other.
    func begin(in view: Item.ID?, now: Duration) {
        guard making == nil, let clip, clip.id == view, let wanted, worker.isFree(now: now) else { return }
        do {
            let job = StillPlan.Job(item: clip.id, kind: .firstFrame, time: wanted.microseconds)
            try worker.begin(job, of: clip.asset, now: now)
            making = (clip.id, wanted)
        } catch {
            // The page in view shows why there are no decoders.
            fail(at: wanted)
        }
    }

    /// Takes what the decoder has made.
    func advance(now: Duration) {
        if let result = worker.advance(now: now), let made = making {
            making = nil
            if let picture = result.picture {
                keep(picture, of: made.id, at: made.place)
            } else if clip?.id == made.id {
                fail(at: made.place)
            }
            events.append(.trace(.still(item: made.id, kind: "seek", took: result.took, why: result.why)))
        }
        if making == nil, wanted == nil, now - wantedAt >= Self.patience { worker.end() }
    }

    private func fail(at place: Duration) {
        clip?.failures += 1
        if wanted == place || clip?.failures == Self.maxFailures { wanted = nil }
    }

    private func keep(_ picture: Picture, of id: Item.ID, at place: Duration) {
        // The page may have been turned meanwhile.
        guard clip?.id == id else { return }
        made += 1
        if clip?.pictures.count == Self.most { clip?.pictures = [:] }
        clip?.pictures[place] = (picture, made)
        clip?.failures = 0
        if wanted == place { wanted = nil }
        // The pointer may be back at a place that has its still.
        guard pointed == place || clip?.pictures[pointed] == nil else { return }
        clip?.shown = place
        report()
    }

    /// Another still is shown.
    private func report() {
        guard let clip, let size = still(of: clip.id)?.picture.size else { return }
        events.append(.seekStill(clip.id, size))
    }

    private func still(of id: Item.ID) -> (picture: Picture, number: Int)? {
        guard let clip, clip.id == id else { return nil }
        return clip.shown.flatMap { clip.pictures[$0] }
    }

    /// When it must be called next at the latest; nil: only when woken.
    var nextWake: Duration? {
        worker.deadline ?? (worker.hasDecoder && wanted == nil ? wantedAt + Self.patience : nil)
    }

    /// For tests.
    var decoderInUse: DecoderHandle? { worker.decoderInUse }

    func drainEvents() -> [PlayerEvent] {
        defer { events = [] }
        return events
    }

    func close() {
        worker.close()
        making = nil
    }

    /// Passes the clip's newest still to `body`; nil without one. It is valid only during the call of `body`.
    func withStill<Result>(of id: Item.ID, _ body: (PictureView, PictureIdentity) -> Result) -> Result? {
        guard let (picture, number) = still(of: id) else { return nil }
        let identity = PictureIdentity(
            item: id, mediaTime: .zero, isStill: true, isCorrupt: false, generation: Self.surface.generation, life: 0,
            number: number, pts: 0)
        return picture.withView { body($0, identity) }
    }
}
