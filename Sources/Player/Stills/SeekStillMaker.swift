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

    private static let surface = StillWorker.surface(side: side, fit: .fit)

    /// A clip and its stills.
    private struct Clip {
        let id: Item.ID
        let asset: Asset
        /// By the places that were named.
        var pictures: [Duration: NumberedStill] = [:]
        /// The place whose still is shown.
        var shown: Duration?
        var failures = 0
    }

    let worker: StillWorker
    private var clip: Clip?
    /// The place that was named last, and when.
    private var pointed = (place: Duration.zero, at: Duration.zero)
    /// Whether its still is to be made.
    private var isWanted = false
    private var making: (id: Item.ID, place: Duration)?
    private var made = 0
    private var events: [PlayerEvent] = []

    init(decoders: DecoderPool) { worker = StillWorker(decoders: decoders, surface: Self.surface) }

    /// Names a place in a clip, from its beginning. Stills of another clip are forgotten.
    func want(_ place: Duration, in item: Item.ID, _ asset: Asset, now: Duration) {
        if clip?.id != item { clip = Clip(id: item, asset: asset) }
        pointed = (place, now)
        let isThere = clip?.pictures[place] != nil
        isWanted = !isThere && (clip?.failures ?? 0) < Self.maxFailures
        guard isThere else { return }
        clip?.shown = place
        report()
    }

    /// Begins the still of the place that was named last, if none is being made. It is called after every picture, and
    /// costs next to nothing then.
    ///
    /// - Parameter view: the item in view; no stills are made of any other.
    func begin(in view: Item.ID?, now: Duration) {
        guard making == nil, let clip, clip.id == view, isWanted, worker.isFree(now: now) else { return }
        let place = pointed.place
        do {
            let job = StillPlan.Job(item: clip.id, kind: .firstFrame, time: place.microseconds)
            try worker.begin(job, of: clip.asset, now: now)
            making = (clip.id, place)
        } catch {
            // The page in view shows why there are no decoders.
            fail(at: place)
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
        if making == nil, !isWanted, now - pointed.at >= Self.patience { worker.end() }
    }

    private func fail(at place: Duration) {
        clip?.failures += 1
        if pointed.place == place || clip?.failures == Self.maxFailures { isWanted = false }
    }

    private func keep(_ picture: Picture, of id: Item.ID, at place: Duration) {
        // The page may have been turned meanwhile.
        guard clip?.id == id else { return }
        made += 1
        if clip?.pictures.count == Self.most { clip?.pictures = [:] }
        clip?.pictures[place] = NumberedStill(picture: picture, number: made)
        clip?.failures = 0
        if pointed.place == place { isWanted = false }
        // The pointer may be back at a place that has its still.
        guard pointed.place == place || clip?.pictures[pointed.place] == nil else { return }
        clip?.shown = place
        report()
    }

    /// Another still is shown.
    private func report() {
        guard let clip, let size = still(of: clip.id)?.picture.size else { return }
        events.append(.seekStill(clip.id, size))
    }

    private func still(of id: Item.ID) -> NumberedStill? {
        guard let clip, clip.id == id else { return nil }
        return clip.shown.flatMap { clip.pictures[$0] }
    }

    /// When it must be called next at the latest; nil: only when woken.
    var nextWake: Duration? {
        worker.deadline ?? (worker.decoderInUse != nil && !isWanted ? pointed.at + Self.patience : nil)
    }

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
        still(of: id)?.withView(as: id, body)
    }
}
