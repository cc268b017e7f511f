import Model
import Threads

/// Decides which clips are opened ahead of need, and which of these are closed again. Pure; the caller passes the time.
///
/// The page in view has rank 0; the next page, the one before, the one after the next and so on have the following
/// ranks. The clip that the user turns to leaves the pool (`claimed`), and the one that was left returns to it.
struct PreloadPlan {
    struct Limits: Equatable {
        /// The most clips after and before the page in view that are opened at the usual pace.
        var ahead = 6
        var behind = 4
        /// The most clips that are being opened at once, the one in view among them.
        var concurrent = 4

        /// How many are opened for a user who turns pages slowly: half as many again.
        static func most(of count: Int) -> Int { (count * 3 + 1) / 2 }
    }

    /// How fast the user turns pages. One who turns them fast needs few clips for a short time; one who turns them
    /// slowly sees most of what is opened.
    enum Pace: Equatable { case slow, usual, fast }

    /// A page near the one in view, and how many pages it is from there: the next one has the offset 1.
    struct Place: Equatable {
        var id: Item.ID
        var offset: Int
        /// Whether opening it costs data.
        var isRemote = false
    }

    enum Event: Equatable {
        /// Another page is in view, or the feed has changed around it.
        case moved([Place])
        /// The user turned to this clip, which plays from now on.
        case claimed(Item.ID)
        /// A clip that was being opened holds its first picture, and enough to play from.
        case prepared(Item.ID)
        /// Clips that the user has hidden: the next list of the feed is without them.
        case withdrawn(Set<Item.ID>)
        /// A clip that was prepared, or could not be played, is being reopened.
        case reopened(Item.ID)
        /// A clip cannot be played.
        case failed(Item.ID)
        case memory(isShort: Bool)
        case pace(Pace)
        /// Whether the user wants as little as possible fetched.
        case savesData(Bool)
        /// The clip in view waits for bytes, and gets those of the others too; or no longer.
        case viewStalled(Bool)
    }

    enum Action: Equatable {
        case open(Item.ID)
        case close(Item.ID, Reason)
    }

    /// Why a clip is closed. The raw value is what the trace says.
    enum Reason: String {
        case window = "too far away"
        case memory = "low memory"
        case pace = "pages turn fast"
        case data = "data saver"
        case late = "not ready within 2 s"
        case hidden = "hidden"
    }

    private enum Stage: Equatable {
        case opening(since: Duration)
        case ready
        /// Its player was thrown away. Another is tried at `again`; nil: not before the user turns to it.
        case late(again: Duration?)
        /// Its player says that it cannot be played.
        case broken

        var isOpening: Bool { if case .opening = self { true } else { false } }
        var hasPlayer: Bool { if case .late = self { false } else { true } }
    }

    /// How long opening a clip ahead may take.
    static let patience = Duration.seconds(2)
    /// Pages that are turned within this time move the window once.
    static let settling = Duration.milliseconds(300)
    /// How long a clip that was thrown away is left alone at first. Each time it is twice as long.
    private static let backoff = Backoff(from: .seconds(5), upTo: .seconds(10))
    static let maxAttempts = 3
    /// How many remote clips after the page in view are opened while data is saved; none before it.
    static let aheadWhileSaving = 2

    let limits: Limits
    private var pool: [Item.ID: Stage] = [:]
    private var claim: (id: Item.ID, stage: Stage)?
    /// By rank.
    private var places: [Place] = []
    /// Newer places, if they have not moved the window yet.
    private var nextPlaces: [Place]?
    private var movedAt: Duration?
    /// Those that were hidden since the last actions.
    private var withdrawn: Set<Item.ID> = []
    /// How often a clip of the window was thrown away.
    private var failures: [Item.ID: Int] = [:]
    private var memoryIsShort = false
    private var viewIsStalled = false
    private var pace = Pace.usual
    private var savesData = false
    /// Counts all that has changed in here. Where it is the same, the same clips have players.
    var changes = 1
    /// The value of `changes` when `actions` last examined everything, and when it is due again without a change.
    private var changesSeen = 0
    private var dueAt: Duration?
    /// There may be clips to open that could not be, because no more were allowed.
    private var mayLack = false

    init(limits: Limits = Limits()) { self.limits = limits }

    /// Whether a clip can be handed over at once.
    func isReady(_ id: Item.ID) -> Bool { pool[id] == .ready }

    /// The clips that are being opened ahead.
    var opening: [Item.ID] { pool.filter(\.value.isOpening).map(\.key) }
    /// The clips that are open.
    var ready: [Item.ID] { pool.filter { $0.value == .ready }.map(\.key) }

    // MARK: Events

    mutating func note(_ event: Event, now: Duration) {
        switch event {
        case .moved(let places): move(to: places, now: now)
        case .claimed(let id): hand(over: id, now: now)
        case .withdrawn(let ids): withdraw(ids)
        case .prepared(let id): change(id) { $0.isOpening ? .ready : $0 }
        case .reopened(let id): change(id) { $0.hasPlayer && !$0.isOpening ? .opening(since: now) : $0 }
        case .failed(let id): change(id) { $0.hasPlayer ? .broken : $0 }
        case .memory(let isShort): set(\.memoryIsShort, to: isShort)
        case .pace(let pace): set(\.pace, to: pace)
        case .savesData(let savesData): set(\.savesData, to: savesData)
        case .viewStalled(let isStalled): set(\.viewIsStalled, to: isStalled)
        }
    }

    private mutating func set<Value: Equatable>(_ value: WritableKeyPath<PreloadPlan, Value>, to new: Value) {
        guard self[keyPath: value] != new else { return }
        self[keyPath: value] = new
        changes += 1
    }

    private mutating func move(to places: [Place], now: Duration) {
        let ranked = PreloadPlan.ranked(places)
        guard ranked != nextPlaces ?? self.places else { return }
        if let movedAt, now < movedAt + PreloadPlan.settling {
            nextPlaces = ranked
            changes += 1
        } else {
            adopt(ranked, now: now)
        }
    }

    private mutating func adopt(_ places: [Place], now: Duration) {
        self.places = places
        nextPlaces = nil
        movedAt = now
        changes += 1
        failures = failures.filter { entry in places.contains { $0.id == entry.key } }
    }

    /// At once, unlike those of pages that have gone.
    private mutating func withdraw(_ ids: Set<Item.ID>) {
        places.removeAll { ids.contains($0.id) }
        nextPlaces?.removeAll { ids.contains($0.id) }
        withdrawn.formUnion(ids)
        changes += 1
    }

    /// The nearest first; of two as near, the later page. An item that is on several pages counts as the nearest.
    private static func ranked(_ places: [Place]) -> [Place] {
        var seen: Set<Item.ID> = []
        return places.sorted { (abs($0.offset), -$0.offset) < (abs($1.offset), -$1.offset) }
            .filter { seen.insert($0.id).inserted }
    }

    private mutating func hand(over id: Item.ID, now: Duration) {
        guard claim?.id != id else { return }
        let left = claim
        let stage = pool.removeValue(forKey: id)
        claim = (id, stage.flatMap { $0.hasPlayer ? $0 : nil } ?? .opening(since: now))
        // One that is left before it was ready has the time of any other for that.
        if let left { pool[left.id] = left.stage.isOpening ? .opening(since: now) : left.stage }
        changes += 1
    }

    private mutating func change(_ id: Item.ID, _ next: (Stage) -> Stage) {
        let isClaimed = claim?.id == id
        // The pool reports repeatedly that the clip in view is prepared.
        guard let stage = isClaimed ? claim?.stage : pool[id], case let new = next(stage), new != stage else { return }
        if isClaimed { claim = (id, new) } else { pool[id] = new }
        changes += 1
    }

    // MARK: Actions

    /// The actions that are due. Each action is returned once, and counts as
    /// done. Called after every picture, and cheap when nothing can have changed.
    ///
    /// - Parameter mayOpen: the most clips that may be opened.
    mutating func actions(now: Duration, mayOpen: Int) -> [Action] {
        guard mayAct(now: now, mayOpen: mayOpen) else { return [] }
        if let nextPlaces, now >= (movedAt ?? now) + PreloadPlan.settling { adopt(nextPlaces, now: now) }
        let actions = throwAway(now: now) + evict() + open(now: now, most: mayOpen)
        if !actions.isEmpty { changes += 1 }
        withdrawn = []
        changesSeen = changes
        dueAt = nextTime(after: now)
        return actions
    }

    /// Whether anything can be there to be done: something has happened, or its
    /// time has come, or clips wait for being allowed.
    func mayAct(now: Duration, mayOpen: Int) -> Bool {
        changes != changesSeen || (mayLack && mayOpen > 0) || dueAt.map { now >= $0 } ?? false
    }

    /// When `actions` has something new to say if nothing happens before; nil: not at all.
    func nextChange(after now: Duration) -> Duration? {
        if changes == changesSeen, dueAt.map({ $0 > now }) ?? true { return dueAt }
        return nextTime(after: now)
    }

    private func nextTime(after now: Duration) -> Duration? {
        var times = pool.values.compactMap { stage -> Duration? in
            switch stage {
            case .opening(let since): since + PreloadPlan.patience
            case .late(let again): again
            case .ready, .broken: nil
            }
        }
        if nextPlaces != nil, let movedAt { times.append(movedAt + PreloadPlan.settling) }
        // What was due before waits for something else.
        return times.filter { $0 > now }.min()
    }

    /// Closes the clips that were not ready in time.
    private mutating func throwAway(now: Duration) -> [Action] {
        let late = pool.filter { _, stage in
            if case .opening(let since) = stage { now >= since + PreloadPlan.patience } else { false }
        }
        for id in late.keys {
            // Without bytes none can be ready.
            let count = failures[id, default: 0] + (viewIsStalled ? 0 : 1)
            failures[id] = count
            let again = now + PreloadPlan.backoff.pause(after: count - 1)
            pool[id] = .late(again: count < PreloadPlan.maxAttempts ? again : nil)
        }
        return byRank(late.keys).map { .close($0, .late) }
    }

    /// Closes the clips outside the window, the farthest first.
    private mutating func evict() -> [Action] {
        var actions: [Action] = []
        let kept = Set((places + (nextPlaces ?? [])).filter(isKept).map(\.id))
        for id in byRank(pool.keys).reversed() where !kept.contains(id) {
            if let action = giveUp(id) { actions.append(action) }
        }
        while count > capacity, let farthest { if let action = giveUp(farthest) { actions.append(action) } }
        return actions
    }

    private mutating func giveUp(_ id: Item.ID) -> Action? {
        guard let stage = pool.removeValue(forKey: id), stage.hasPlayer else { return nil }
        if withdrawn.contains(id) { return .close(id, .hidden) }
        return .close(id, reason(of: (nextPlaces ?? places).first { $0.id == id }))
    }

    private func reason(of place: Place?) -> Reason {
        guard let place, place.offset >= -max(limits.behind, 1), place.offset <= max(limits.ahead, 1) else {
            return .window
        }
        if memoryIsShort { return .memory }
        if savesData, place.isRemote { return .data }
        return pace == .fast ? .pace : .window
    }

    /// Opens what the window lacks, the nearest first.
    private mutating func open(now: Duration, most: Int) -> [Action] {
        mayLack = false
        guard !viewIsStalled else { return [] }
        var actions: [Action] = []
        var left = most
        // While pages pass by, clips far from the current page are not started.
        for place in places where isWanted(place) && isStillNear(place.id) && canBegin(place.id, now) {
            guard left > 0 else {
                mayLack = true
                break
            }
            guard preparing < limits.concurrent else { break }
            if count >= capacity {
                // The page in view is not claimed while others pass by, and comes before the farthest all the same.
                guard let farthest, rank(of: farthest) > rank(of: place.id), let action = giveUp(farthest) else {
                    break
                }
                actions.append(action)
            }
            pool[place.id] = .opening(since: now)
            actions.append(.open(place.id))
            left -= 1
        }
        return actions
    }

    private func isStillNear(_ id: Item.ID) -> Bool { nextPlaces?.contains { $0.id == id && isWanted($0) } ?? true }

    private func canBegin(_ id: Item.ID, _ now: Duration) -> Bool {
        guard claim?.id != id else { return false }
        switch pool[id] {
        case nil: return true
        case .late(let again): return again.map { now >= $0 } ?? false
        case .opening, .ready, .broken: return false
        }
    }

    // MARK: The window

    private var reach: (ahead: Int, behind: Int) {
        if memoryIsShort { return (min(limits.ahead, 1), 0) }
        switch pace {
        case .fast: return ((limits.ahead + 1) / 2, min(limits.behind, 1))
        case .slow where !savesData: return (Limits.most(of: limits.ahead), Limits.most(of: limits.behind))
        case .usual, .slow: return (limits.ahead, limits.behind)
        }
    }

    private func isWanted(_ place: Place) -> Bool {
        let costsData = savesData && place.isRemote
        let ahead = costsData ? min(reach.ahead, PreloadPlan.aheadWhileSaving) : reach.ahead
        return place.offset <= ahead && place.offset >= (costsData ? 0 : -reach.behind)
    }

    /// A page next to the one in view keeps its player, whether it is to be opened or not: it was in view a moment ago,
    /// or is while pages move.
    private func isKept(_ place: Place) -> Bool { isWanted(place) || (!memoryIsShort && abs(place.offset) <= 1) }

    /// How many clips the pool may hold: all but the one in view, which is not in the pool once it is claimed.
    private var capacity: Int {
        let around = max(reach.ahead, 1) + (memoryIsShort ? 0 : max(reach.behind, 1))
        return around + (claim.map { rank(of: $0.id) == 0 } ?? false ? 0 : 1)
    }

    /// How many clips of the pool have a player.
    private var count: Int { pool.values.count(where: \.hasPlayer) }

    private var preparing: Int { opening.count + (claim?.stage.isOpening == true ? 1 : 0) }

    private func rank(of id: Item.ID) -> Int { (nextPlaces ?? places).firstIndex { $0.id == id } ?? .max }

    private func byRank(_ ids: some Sequence<Item.ID>) -> [Item.ID] {
        ids.sorted { (rank(of: $0), $0) < (rank(of: $1), $1) }
    }

    private var farthest: Item.ID? { byRank(pool.filter(\.value.hasPlayer).keys).last }
}
