import Model

/// Decides which clips' beginnings are fetched, and when: in order, two at a time. Pure.
struct PrefetchPlan: Sendable {
    enum Action: Equatable, Sendable {
        case start(Asset)
        case stop(Asset)
    }

    static let concurrent = 2

    private var wanted: [Asset] = []
    private var active: [Asset] = []
    private var finished: Set<Asset> = []
    /// Those of the finished of which more may be fetched once bytes are no longer spared.
    private var cutShort: Set<Asset> = []

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

    /// The asset has all that was wanted, or cannot get it.
    ///
    /// - Parameter isCutShort: whether more is wanted once bytes are no longer spared.
    mutating func finish(_ asset: Asset, isCutShort: Bool = false) -> [Action] {
        guard let index = active.firstIndex(of: asset) else { return [] }
        active.remove(at: index)
        finished.insert(asset)
        if isCutShort { cutShort.insert(asset) }
        return startNext()
    }

    /// Bytes are no longer spared.
    mutating func fetchMore() -> [Action] {
        finished.subtract(cutShort)
        cutShort = []
        return startNext()
    }

    /// Whether it was started, and neither stopped nor finished since.
    func isActive(_ asset: Asset) -> Bool { active.contains(asset) }

    private mutating func startNext() -> [Action] {
        var actions: [Action] = []
        for asset in wanted where active.count < PrefetchPlan.concurrent {
            guard !finished.contains(asset), !active.contains(asset) else { continue }
            active.append(asset)
            actions.append(.start(asset))
        }
        return actions
    }
}
