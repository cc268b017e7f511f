import Bytes
import Model
import Wire

/// Makes and stores stills: what is shown of an item that has no moving picture yet, or no longer has one.
///
/// Its own decoders decode thumbnails and first frames, and play nothing. Main thread; no call waits.
@MainActor
final class StillMaker {
    private let decoders: DecoderPool
    private let cache: (any AssetCache)?
    var retention: Asset.Retention
    private var plan = StillPlan()
    private var store = StillStore()
    private var items: [Item.ID: Item] = [:]
    private var working: [StillDecoder] = []
    private var surface: SurfaceRequest?
    private var events: [PlayerEvent] = []
    /// Stills may be missing that were not missing at the last look of `begin`; and the coverage at that look.
    private var mayLack = true
    private var coverageSeen: Coverage?

    /// Which items are covered, in few figures: as long as they are the same, nothing that had a picture has lost it.
    struct Coverage: Equatable {
        /// Nothing is made for pages further from the one in view.
        var furthest: Int
        /// Counts changes of the players.
        var changes: Int
        /// The page in view has waited long enough for its clip that it needs a still.
        var isLate: Bool
    }

    /// Blurhashes are worked out for pages so near.
    private static let blurHashes = -2...3

    /// - Parameter cache: of the thumbnails' bytes; nil if all are local.
    init(decoders: DecoderPool, retention: Asset.Retention, cache: (any AssetCache)?) {
        (self.decoders, self.cache) = (decoders, cache)
        self.retention = retention
    }

    private var generation: UInt32 { surface?.generation ?? 0 }

    /// Names the items near the one in view, with the number of pages to each.
    ///
    /// - Parameter isHidden: whether an item has its blurhash only.
    func want(
        _ items: [(item: Item, offset: Int)], areInView: Bool = false, isHidden: (Item) -> Bool = { _ in false }
    ) {
        self.items = Dictionary(items.map { ($0.item.id, $0.item) }, uniquingKeysWith: { first, _ in first })
        plan.setWishes(
            items.filter { !isHidden($0.item) }.map { item, offset in
                StillPlan.Wish(
                    item: item.id, offset: offset, hasThumbnail: item.thumbnail != nil, isInView: areInView)
            })
        mayLack = true
        for (item, offset) in items where areInView || Self.blurHashes.contains(offset) { drawBlurHash(of: item) }
    }

    /// Stills are made for this surface from now on. Those for others are made again when they are wanted.
    func setSurface(_ request: SurfaceRequest) {
        surface = request
        mayLack = true
        for decoder in working { decoder.setSurface(request) }
        for item in items.values where store.still(of: item.id, for: generation) == nil { drawBlurHash(of: item) }
    }

    /// Stores the last picture of an item whose player is closed.
    func keep(_ still: Still, of item: Item.ID) {
        mayLack = true
        if still.kind == .frozen, still.picture.withView(\.isBlank) {
            plan.retry(item, after: still.time)
        } else {
            store.add(still, of: item)
        }
    }

    private func drawBlurHash(of item: Item) {
        let there = store.anyStill(of: item.id)
        let isWanted = there.map { $0.kind == .blurHash && $0.generation != generation } ?? true
        guard let surface, isWanted, let hash = item.blurHash.flatMap(BlurHash.init) else {
            return
        }
        let size = PixelSize(width: Int(surface.width), height: Int(surface.height))
        let still = Still(kind: .blurHash, picture: hash.picture(size), generation: generation, time: 0)
        store.add(still, of: item.id)
    }

    // MARK: Work

    /// Starts the most urgent stills: starts at most one process, so call it after the terminal got its output.
    ///
    /// It is called after every picture, and is cheap when no new still can be missing.
    ///
    /// - Parameter coverage: what `isCovered` depends on.
    /// - Parameter isCovered: whether a player has a picture of the item.
    func begin(_ coverage: Coverage, isCovered: (Item.ID) -> Bool, now: Duration) {
        guard let surface, mayLack || coverage != coverageSeen, decoders.due(now: now) <= now else { return }
        (mayLack, coverageSeen) = (false, coverage)
        let generation = generation
        while let job = plan.next(
            furthest: coverage.furthest, has: { [store] in store.still(of: $0, for: generation)?.still.kind },
            frozenTime: { [store] in store.anyStill(of: $0).flatMap { $0.kind == .frozen ? $0.time : nil } },
            isCovered: isCovered)
        {
            guard let item = items[job.item], let asset = asset(of: item, for: job.kind) else {
                plan.fail(job)
                continue
            }
            do {
                let free = working.first { $0.job == nil }
                let decoder = try free ?? StillDecoder(decoders.newDecoder(), surface: surface)
                if free == nil { working.append(decoder) }
                decoder.begin(job, of: asset, now: now)
            } catch {
                // Without decoders there are no stills; the page in view shows the reason.
                plan.fail(job)
                mayLack = true
                return
            }
        }
        endIdle()
    }

    /// nil if there is nothing to make the still from. First frames do
    /// not run resolvers: those are for pages that the user turns to.
    private func asset(of item: Item, for kind: Still.Kind) -> Asset? {
        if kind == .thumbnail {
            return item.thumbnail.map {
                Asset(url: $0, feed: item.feed, headers: item.headers, retention: retention)
            }
        }
        guard item.resolver == nil || kind == .frozen else { return nil }
        return Asset(item, retention: retention)
    }

    /// Takes what the decoders have made. Returns the items that have another still now.
    func advance(now: Duration) -> [Item.ID] {
        var made: [Item.ID] = []
        for decoder in working {
            let outcome = decoder.advance(now: now) { [decoders] event in
                decoders.note(event, of: decoder.handle, now: now)
            }
            guard let outcome else { continue }
            guard let job = decoder.job else { continue }
            let took = decoder.took(now: now)
            decoder.endJob()
            mayLack = true
            switch outcome {
            case .still(let still):
                plan.finish(job)
                if store.add(still, of: job.item) { made.append(job.item) }
                events.append(.trace(.still(item: job.item, kind: "\(job.kind)", took: took)))
            case .blank: plan.refuseBlank(job)
            case .failed(let why, let isUseless):
                // The server may have sent something else in its place.
                if isUseless, job.kind == .thumbnail, let asset = decoder.asset { cache?.discard(asset) }
                plan.fail(job)
                events.append(.trace(.still(item: job.item, kind: "\(job.kind)", took: took, why: why)))
            }
        }
        working.removeAll { decoder in
            guard !decoder.isUsable else { return false }
            if let job = decoder.job { plan.fail(job) }
            if !decoder.hasEnded { decoders.end(decoder.handle) }
            mayLack = true
            return true
        }
        return made
    }

    /// When `advance` is to be called next at the latest; nil: only when woken.
    var nextWake: Duration? { working.compactMap(\.deadline).min() }

    private func endIdle() {
        working.removeAll { decoder in
            guard decoder.job == nil else { return false }
            decoders.end(decoder.handle)
            return true
        }
    }

    /// Whether a still of the item is being made.
    func isMaking(_ item: Item.ID) -> Bool { working.contains { $0.job?.item == item } }

    /// For tests.
    var decodersInUse: [DecoderHandle] { working.map(\.handle) }

    func drainEvents() -> [PlayerEvent] {
        defer { events = [] }
        return events
    }

    func close() {
        for decoder in working where !decoder.hasEnded { decoder.handle.end() }
        working = []
    }

    // MARK: Visible stills

    /// Which still of an item there is for the current surface; nil if none.
    func identity(of item: Item.ID) -> PictureIdentity? {
        store.still(of: item, for: generation).map { PictureIdentity($0.still, number: $0.number, of: item) }
    }

    /// How large the item's still is, which the page lays its text out around;
    /// nil if it has none, or a blurhash, which has no shape.
    func shape(of item: Item.ID) -> PixelSize? {
        store.still(of: item, for: generation).flatMap { $0.still.kind == .blurHash ? nil : $0.still.picture.size }
    }

    func withStill<Result>(of item: Item.ID, _ body: (PictureView, PictureIdentity) -> Result) -> Result? {
        guard let (still, number) = store.still(of: item, for: generation) else { return nil }
        store.noteLook(at: item)
        return still.picture.withView { body($0, PictureIdentity(still, number: number, of: item)) }
    }
}

extension PictureIdentity {
    fileprivate init(_ still: Still, number: Int, of item: Item.ID) {
        self.init(
            item: item, mediaTime: .microseconds(still.time), isStill: true, isCorrupt: false,
            generation: still.generation, life: 0, number: number, pts: 0)
    }
}
