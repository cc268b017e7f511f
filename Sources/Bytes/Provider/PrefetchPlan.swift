import Model

/// Decides which beginnings of files are fetched, and when: in order, a limited number at a time. Pure.
struct PrefetchPlan: Sendable {
    enum Action: Equatable, Sendable {
        case start(Asset)
        case stop(Asset)
    }

    /// How many are fetched at a time.
    struct Limit: Equatable, Sendable {
        /// This many of those that are wanted most do not count.
        var immediate = 0
        var others: Int

        /// For the beginnings of clips.
        static let clips = Limit(others: PrefetchPlan.concurrent)
        /// For stills, which are small: on a link with a long round trip their number counts, not their size.
        static let stills = Limit(immediate: 3, others: 12)
    }

    static let concurrent = 2

    private let limit: Limit
    /// Whether bandwidth is conserved: then at most as many stills are fetched at a time as clips.
    var conservesBandwidth = false
    private var wanted: [Asset] = []
    private var active: [Asset] = []
    private var finished: Set<Asset> = []
    /// The finished assets of which more may be fetched once bandwidth is no longer conserved.
    private var cutShort: Set<Asset> = []

    init(_ limit: Limit = .clips) { self.limit = limit }

    /// Sets the wanted assets; stops those that are no longer among them.
    mutating func replace(_ assets: [Asset]) -> [Action] {
        var seen: Set<Asset> = []
        wanted = assets.filter { seen.insert($0).inserted }
        finished.formIntersection(seen)
        cutShort.formIntersection(seen)
        let left = active.filter { !seen.contains($0) }
        active.removeAll { !seen.contains($0) }
        return left.map(Action.stop) + startNext()
    }

    /// The asset has all its wanted bytes, or cannot get them.
    ///
    /// - Parameter isCutShort: whether more is wanted once bandwidth is no longer conserved.
    mutating func finish(_ asset: Asset, isCutShort: Bool = false) -> [Action] {
        guard let index = active.firstIndex(of: asset) else { return [] }
        active.remove(at: index)
        finished.insert(asset)
        if isCutShort { cutShort.insert(asset) }
        return startNext()
    }

    /// Bandwidth is no longer conserved.
    mutating func fetchMore() -> [Action] {
        conservesBandwidth = false
        finished.subtract(cutShort)
        cutShort = []
        return startNext()
    }

    /// Whether it was started, and neither stopped nor finished since.
    func isActive(_ asset: Asset) -> Bool { active.contains(asset) }

    private mutating func startNext() -> [Action] {
        var actions: [Action] = []
        let most = conservesBandwidth ? min(limit.others, PrefetchPlan.concurrent) : limit.others
        let others = Set(wanted.dropFirst(limit.immediate))
        var room = most - active.count(where: others.contains)
        for (place, asset) in wanted.enumerated() {
            guard !finished.contains(asset), !active.contains(asset) else { continue }
            if place >= limit.immediate {
                guard room > 0 else { break }
                room -= 1
            }
            active.append(asset)
            actions.append(.start(asset))
        }
        return actions
    }
}
