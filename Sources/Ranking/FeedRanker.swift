import Model
import Platform

/// Orders candidates from all sources for one person: filters, scorer, and a selection with diversity and exploration.
/// Pure: the time and the seed of all randomness are passed in. A value.
public struct FeedRanker: Sendable {
    /// A place in the order, and how a candidate came to it.
    public struct Pick: Sendable, Equatable {
        public enum Way: Sendable, Equatable {
            /// Home's order: nothing was learned yet, or the clip was seen before, or it is beyond `reach`.
            case home
            /// Chosen by the learned preferences.
            case learned
            /// Chosen to find out whether the user likes it.
            case explored
            /// As it is from a source of which hardly anything was watched.
            case newSource
        }

        /// In the candidates.
        public var index: Int
        public var way: Way

        public init(index: Int, way: Way) { (self.index, self.way) = (index, way) }
    }

    /// Further candidates follow in Home's order: a feed of a million items takes no longer to rank.
    public static let reach = 50_000
    /// Of a source with fewer clips watched, one is tried.
    private static let tried: Float = 2

    public var model: TasteModel
    /// The share of places that are given to what the model knows little about, 0 … 0.5.
    public var exploration: Double

    public init(_ model: TasteModel, exploration: Double = 0.1) {
        self.model = model
        self.exploration = exploration.isFinite ? min(max(exploration, 0), 0.5) : 0
    }

    /// The next clips to show.
    ///
    /// - Parameters:
    ///   - candidates: in Home's order. All clips that the user could see, without those that are shown already.
    ///   - recent: the clips shown right before, the last one last: their creators are kept apart from the next ones.
    ///   - limit: how many to choose. Clips that are chosen early ignore what is learned later.
    ///   - seed: another one for each ranking.
    public func next(
        of candidates: [Candidate], after recent: [Candidate] = [], limit: Int, at moment: Moment, seed: UInt64
    ) -> [Pick] {
        guard limit > 0 else { return [] }
        if model.isNew { return home(candidates, candidates.indices, limit: limit) }
        let reached = candidates.prefix(Self.reach)
        let allowed = reached.indices.filter { !candidates[$0].isSeen }
        var picks = select(candidates, allowed, after: recent, limit: limit, at: moment, seed: seed)
        guard picks.count < limit else { return picks }
        // What is left when all new clips are shown: those beyond reach, then those that were seen.
        for (isSeen, indices) in [(false, reached.endIndex..<candidates.endIndex), (true, candidates.indices)] {
            let left = indices.lazy.filter { candidates[$0].isSeen == isSeen }
            picks += home(candidates, left, limit: limit - picks.count)
        }
        return picks
    }

    /// Exactly as they come.
    private func home(_ candidates: [Candidate], _ indices: some Sequence<Int>, limit: Int) -> [Pick] {
        var picks: [Pick] = []
        for index in indices where picks.count < limit {
            picks.append(Pick(index: index, way: .home))
        }
        return picks
    }

    private func select(
        _ candidates: [Candidate], _ allowed: [Int], after recent: [Candidate], limit: Int, at moment: Moment,
        seed: UInt64
    ) -> [Pick] {
        var random = SplitMix64(state: seed)
        let scorer = TasteScorer(model, seed: random.next(), at: moment)
        let scores = allowed.map { scorer.score(candidates[$0]) }
        let ranked = Self.sorted(scores.map(\.mean))
        var spacing = CreatorSpacing(ranked.map { candidates[allowed[$0]].creator }, after: recent.map(\.creator))
        var explorer =
            exploration > 0
            ? Explorer(
                model, sources: ranked.map { candidates[allowed[$0]].source },
                draws: ranked.map { scores[$0].draw })
            : nil
        // Explores at regular intervals, from a random place on.
        var due = Double(random.next() >> 11) * 0x1p-53
        var picks: [Pick] = []
        picks.reserveCapacity(min(limit, allowed.count))
        while picks.count < limit {
            due += exploration
            if due >= 1 {
                due -= 1
                if let (rank, way) = explorer?.next(where: spacing.mayTake) {
                    spacing.take(rank)
                    picks.append(Pick(index: allowed[ranked[rank]], way: way))
                    continue
                }
            }
            guard let rank = spacing.takeBest() else { break }
            picks.append(Pick(index: allowed[ranked[rank]], way: .learned))
        }
        return picks
    }

    /// The places of values from the greatest to the least; equal ones as they come, which is Home's order.
    static func sorted(_ values: [Double]) -> [Int] {
        // A number for each, whose order is the wanted one: sorting those is several times as fast.
        var keys = values.enumerated().map { index, value in
            let bits = Float(value.isFinite ? value : 0).bitPattern
            let rising = bits & 0x8000_0000 == 0 ? bits | 0x8000_0000 : ~bits
            return UInt64(~rising) << 32 | UInt64(UInt32(truncatingIfNeeded: index))
        }
        keys.sort()
        return keys.map { Int($0 & 0xFFFF_FFFF) }
    }

    /// Chooses what the model knows little about: in turn from the source of which least was watched, as long as there
    /// is a new one, and by the draws.
    private struct Explorer {
        /// For each rank.
        private let sourceOf: [UInt64]
        private let byDraw: [Int]
        private var nextDraw = 0
        /// Sources, the least watched first; equal ones as Home has them.
        private var newSources: [UInt64]
        private var isSourceTurn = true

        init(_ model: TasteModel, sources: [UInt64], draws: [Double]) {
            sourceOf = sources
            byDraw = FeedRanker.sorted(draws)
            var known: Set<UInt64> = []
            var new: [(source: UInt64, count: Float)] = []
            for source in sources where known.insert(source).inserted {
                let count = model.current(source).count
                if count < FeedRanker.tried { new.append((source, count)) }
            }
            // All clips of a single source are from it anyway.
            newSources = known.count < 2 ? [] : FeedRanker.sorted(new.map { -Double($0.count) }).map { new[$0].source }
        }

        /// How far a ranking is searched for a clip that may be shown.
        private static let patience = 500

        mutating func next(where mayTake: (Int) -> Bool) -> (rank: Int, way: Pick.Way)? {
            defer { isSourceTurn.toggle() }
            if isSourceTurn, !newSources.isEmpty {
                let source = newSources.removeFirst()
                let rank = sourceOf.indices.first { sourceOf[$0] == source && mayTake($0) }
                if let rank { return (rank, .newSource) }
            }
            for rank in byDraw.dropFirst(nextDraw).prefix(Self.patience) {
                if mayTake(rank) { return (rank, .explored) }
            }
            nextDraw = min(nextDraw + Self.patience / 10, byDraw.count)
            return nil
        }
    }
}
