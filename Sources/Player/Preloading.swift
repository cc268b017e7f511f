import Model
import Wire

/// Opening clips ahead of need, as `PreloadPlan` says.
extension PlayerPool {
    /// Names the pages around the one in view, which has the number `index`, up
    /// to the distance in `Prefetch`. Players of other pages are closed later.
    public func keepWarm(_ pages: [Page], around index: Int, now: Duration) -> [PlayerEvent] {
        // A resolver, which is a server or a program, is only queried for the nearest clips.
        let pages = pages.filter { $0.item.resolver == nil || Self.resolvedNear ~= $0.index - index }
        let nearest = pages.sorted { abs($0.index - index) < abs($1.index - index) }
        self.pages = Dictionary(nearest.map { ($0.item.id, $0) }) { first, _ in first }
        let places = pages.map { page in
            PreloadPlan.Place(
                id: page.item.id, offset: page.index - index, isRemote: RemoteURL(page.item.url) != nil)
        }
        plan.note(.moved(places), now: now)
        carryOut(plan.actions(now: now, mayOpen: 0), now: now)
        let plays = current.flatMap { players[$0]?.playback.isWanted } ?? false
        if pages.isEmpty, !plays { resources.network?.focus(on: nil) }
        return happened()
    }

    /// Up to how many pages from the one in view clips are opened whose location needs a resolver.
    private static let resolvedNear = -1...2

    /// Closes at once what was opened ahead of clips that the user has hidden. The one in view is left to the page,
    /// which turns to another.
    public func withdraw(where isHidden: (Item) -> Bool, now: Duration) -> [PlayerEvent] {
        let hidden = players.values.map(\.item).filter(isHidden) + pages.values.map(\.item).filter(isHidden)
        guard !hidden.isEmpty else { return happened() }
        for item in hidden { pages[item.id] = nil }
        plan.note(.withdrawn(Set(hidden.map(\.id))), now: now)
        carryOut(plan.actions(now: now, mayOpen: 0), now: now)
        return happened()
    }

    /// Names the items near the one in view, with the number of pages to each
    /// (1: the next one): they are to have stills.
    ///
    /// - Parameters:
    ///   - areInView: whether all of them are in view, as tiles of a grid; the offsets only say which come first then.
    ///   - isHidden: whether nothing is to be seen of an item but its blurhash.
    public func wantStills(
        of items: [(item: Item, offset: Int)], areInView: Bool = false, isHidden: (Item) -> Bool = { _ in false }
    ) -> [PlayerEvent] {
        let items = areInView ? items : items.filter { mayFetch($0.item, at: $0.offset) }
        stills.want(items, areInView: areInView, isHidden: isHidden)
        fetchThumbnails(of: items.filter { (areInView || $0.offset != 0) && !isHidden($0.item) }, areInView: areInView)
        // The page has forgotten the shapes of items that were far away.
        reportShapes(of: items.map(\.item.id))
        return happened()
    }

    /// Sets the items near the one in view, in the same way, whose
    /// creators need avatars. An empty list shows no avatars.
    public func wantAvatars(of items: [(item: Item, offset: Int)]) { avatars.want(items) }

    /// Reports the sizes of stills to the page, which lays out its
    /// text around them. A player reports the size of its picture.
    func reportShapes(of items: [Item.ID]) {
        for id in items where players[id]?.identity == nil {
            if let size = stills.shape(of: id) { events.append(.report(id, .picture(size))) }
        }
    }

    /// Clips that may be wanted soon, the likeliest first: of those that come over a network the beginnings are
    /// fetched, without a decoder.
    public func prefetch(_ items: [Item]) {
        let remote = items.filter { $0.id != current }.map(asset).filter(\.isRemote)
        resources.network?.prefetch(settings.savesData ? Array(remote.prefix(PreloadPlan.aheadWhileSaving)) : remote)
    }

    /// Has thumbnails fetched before their decoder requests them, in the order in which stills are made.
    private func fetchThumbnails(of items: [(item: Item, offset: Int)], areInView: Bool) {
        let wanted = items.filter { areInView || StillPlan.thumbnails.contains($0.offset) }
            .sorted { StillPlan.order($0.offset) < StillPlan.order($1.offset) }
            .compactMap { entry in entry.item.thumbnail.map { asset(of: entry.item, at: $0) } }
        resources.network?.prefetchStills(wanted.filter(\.isRemote))
    }

    /// The pages that can have stills: their distances from the one in view.
    public static let itemsNear = Range(StillPlan.thumbnails)
    /// Those whose creators have avatars.
    public static let avatarsNear = AvatarMaker.offsets

    /// Names a place in the clip in view: it is to have a small still, which `withSeekStill` hands out. Its bytes are
    /// there; a seek still is worth no traffic.
    public func wantSeekStill(of item: Item, at place: Duration, now: Duration) -> [PlayerEvent] {
        guard item.id == current, players[item.id]?.phase != .failed else { return [] }
        seekStills.want(place, in: item.id, asset(of: item), now: now)
        seekStills.begin(in: current, now: now)
        return happened()
    }

    /// Opens the next clip that is wanted, and starts idle decoders, which work for some milliseconds: call it once the
    /// terminal has what it waits for.
    ///
    /// The page in view comes first: nothing is opened ahead before its first picture is on the terminal.
    ///
    /// - Parameter isMoving: pages are moving. Then only idle decoders are used: the core is the pages'.
    public func openAhead(now: Duration, isMoving: Bool = false) -> [PlayerEvent] {
        seekStills.begin(in: current, now: now)
        if isMoving, !resources.decoders.hasIdle { return [] }
        if let current, let player = players[current], player.phase != .failed, player.playback.isWanted,
            player.shown.last == nil, player.sound.queue.frames == 0
        {
            beginStills(furthest: 0, now: now)
            return happened()
        }
        if !isMoving { for player in players.values where !player.isInView { player.rewind(now: now) } }
        let actions = plan.actions(now: now, mayOpen: 1)
        carryOut(actions, now: now)
        if actions.contains(where: { if case .open = $0 { true } else { false } }) {
            // One a call, so that keys and pictures come in between.
            resources.wake()
        } else if !isMoving {
            resources.decoders.startAhead(now: now)
            beginStills(furthest: .max, now: now)
            // A picture of the page in view comes before its creator's.
            if current.map(stills.isMaking) != true { avatars.begin(now: now) }
        }
        return happened()
    }

    /// Begins stills for items whose players have no picture, and will not have one sooner.
    private func beginStills(furthest: Int, now: Duration) {
        // A clip that is there soon needs no thumbnail before it.
        let claim = current.flatMap { players[$0]?.shown.claim }
        let isLate = claim.map { now - $0.at >= Self.stillDelay } ?? true
        stills.begin(
            StillMaker.Coverage(furthest: furthest, changes: plan.changes, isLate: isLate),
            isCovered: { [players, current] id in
                // An audio-only clip never has a picture.
                guard let player = players[id], player.phase != .failed, player.hasVideo else { return false }
                return player.identity != nil || player.item.thumbnail == nil || (id == current && !isLate)
            }, now: now)
    }

    /// How long the page in view waits for its clip before a thumbnail is decoded for it.
    private static let stillDelay = Duration.milliseconds(180)

    private func carryOut(_ actions: [PreloadPlan.Action], now: Duration) {
        for action in actions {
            switch action {
            case .open(let id):
                guard let item = pages[id]?.item else {
                    // Its page has gone meanwhile, and the plan hears of that next.
                    plan.note(.failed(id), now: now)
                    continue
                }
                let player = players[id] ?? newPlayer(of: item)
                player.index = pages[id]?.index
                if player.phase == .closed { player.open(at: player.start, now: now) }
            case .close(let id, let why):
                guard let player = players[id], id != current else { continue }
                if let place = player.placeToResume(now: now) { leftPlaces.note(id, place) }
                if let still = player.still { stills.keep(still, of: id) }
                player.closeDecoder(keepsPictureOf: nil)
                collect(player)
                players[id] = nil
                events.append(.report(id, .closed))
                let index = pages[id]?.index ?? player.index
                events.append(
                    .trace(
                        why == .late
                            ? .warmFailed(item: id, index: index, why: why.rawValue)
                            : .evict(item: id, index: index, why: why.rawValue)))
            }
        }
    }

    /// Reports to the plan what became of its clips, and the state of the memory.
    func checkWarm(now: Duration) {
        if resources.decoders.takeShortage() { memory.noteShortage(now: now) }
        if let isShort = memory.look(now: now) { plan.note(.memory(isShort: isShort), now: now) }
        if let current, let player = players[current] {
            if player.phase == .failed {
                plan.note(.failed(current), now: now)
            } else if player.shown.last != nil || player.isPrepared(now: now) {
                plan.note(.prepared(current), now: now)
            }
        }
        for id in plan.opening {
            guard let player = players[id] else { continue }
            if player.phase == .failed {
                plan.note(.failed(id), now: now)
                let why = player.failure ?? "cannot be played"
                events.append(.trace(.warmFailed(item: id, index: pages[id]?.index, why: why)))
            } else if player.isPrepared(now: now) {
                plan.note(.prepared(id), now: now)
                events.append(
                    .trace(
                        .warm(
                            item: id, index: pages[id]?.index, took: now - player.decoder.openedAt,
                            variant: player.variant.map(\.words))))
            }
        }
        for id in plan.ready {
            guard let player = players[id] else { continue }
            switch player.phase {
            case .ready: break
            case .opening: plan.note(.reopened(id), now: now)
            case .closed, .failed: plan.note(.failed(id), now: now)
            }
        }
        carryOut(plan.actions(now: now, mayOpen: 0), now: now)
    }

    /// When the plan or the memory is checked next; nil: not before something happens.
    func nextWarmWake(after now: Duration) -> Duration? {
        // Beside the page in view there is something to give up.
        let look = players.count > 2 ? memory.nextLook : nil
        return [plan.nextChange(after: now), look].compactMap(\.self).min()
    }
}

extension ClipVariant {
    /// "640x360 at 700 kbit/s", without the parts that are unknown.
    fileprivate var words: String {
        [size.map { "\($0.width)x\($0.height)" }, bitrate > 0 ? "\(bitrate / 1_000) kbit/s" : nil]
            .compactMap(\.self).joined(separator: " at ")
    }
}

/// What of clips is opened and fetched, by the user's pace and wishes.
extension PlayerPool {
    /// The page in view is left.
    func notePace(now: Duration) {
        guard options.prefetch.isAdaptive, let current, let player = players[current] else { return }
        pace.leave(after: now - stay.began, duration: player.duration)
        plan.note(.pace(pace.pace), now: now)
        guard settings.warm != warmLimits else { return }
        settings.warm = warmLimits
        for player in players.values { player.apply(settings, now: now) }
    }

    /// What of an item's stream is saved as a file: what the user has chosen of it, else the best quality.
    public func remuxChoice(of id: Item.ID) -> Remux.Choice {
        let chosen = players[id].flatMap { player in player.tracks.sound.flatMap { player.language(ofSound: $0) } }
        return Remux.Choice(
            variant: tunings[id]?.variant,
            languages: ([chosen].compactMap(\.self) + settings.soundLanguages).flatMap(Language.codes))
    }

    /// Plays an item as the user has set for it, from now on and whenever it is opened again.
    public func tune(_ id: Item.ID, _ tuning: ClipTuning, now: Duration) -> [PlayerEvent] {
        tunings[id] = tuning
        players[id]?.tune(tuning, now: now)
        return happened()
    }

    /// Whether as little as possible is fetched: the smallest variants that can be watched, and little ahead of need.
    public func setSavesData(_ savesData: Bool, now: Duration) -> [PlayerEvent] {
        settings.savesData = savesData
        settings.warm = warmLimits
        plan.note(.savesData(savesData), now: now)
        resources.network?.setSavesData(savesData)
        return settingsChanged(now: now)
    }

    /// Whether a still of an item this many pages away is worth its data.
    func mayFetch(_ item: Item, at offset: Int) -> Bool {
        !settings.savesData || RemoteURL(item.url) == nil || -1...PreloadPlan.aheadWhileSaving ~= offset
    }

    var warmLimits: WarmLimits {
        options.prefetch.warmLimits(at: pace.pace, savesData: settings.savesData)
    }
}
