import Engagement
import Feeds
import Model
import Platform
import Ranking

/// For You: the clips of Home in the order that suits the user, a few at a time, each time by all that was watched
/// until then. Reads the library; sends nothing. docs/internals/ranking.md explains it. A value; blocks.
struct ForYouChoice: ItemChoice {
    /// The number of items to choose at once: few, because what is watched meanwhile does not count for them.
    static let chosenAtOnce = 8
    /// The number of candidates that join with each choice.
    private static let readAtOnce = 2_000
    /// More would need much memory, and are hardly ever reached.
    private static let most = 20_000
    /// Their creators are kept apart from the next ones.
    private static let remembered = 20
    /// How long a choice waits for what was watched: of a long log more than one lookup in the library takes.
    private static let patience = Duration.milliseconds(500)

    private let library: LibraryReader
    private let exploration: Double
    /// Is given the reasons for the items that are chosen.
    private let explain: @Sendable ([Item.ID: String]) -> Void
    private let taste = LearnedTaste()
    /// Those that were not chosen yet, in Home's order.
    private var left: [(item: Item, key: ItemKey, candidate: Candidate)] = []
    private var recent: [Candidate] = []
    /// Of all candidates that were read.
    private var sources: Set<UInt64> = []

    /// - Parameter exploration: the share of places for what is not known yet.
    init(_ library: LibraryReader, exploration: Double, explain: @escaping @Sendable ([Item.ID: String]) -> Void) {
        (self.library, self.exploration, self.explain) = (library, exploration, explain)
    }

    var hasMore: Bool { !left.isEmpty }

    mutating func next(of cursor: inout ItemCursor) throws(FeedsError) -> [Item] {
        library.readBriefly(within: Self.patience) {
            [taste, privateHosts = library.privateHosts] store throws(StoreError) in
            try taste.catchUp(with: store, privateHosts)
        }
        let (model, seen) = taste.take()
        if !seen.isEmpty {
            for place in left.indices where seen.contains(left[place].key) { left[place].candidate.isSeen = true }
        }
        repeat { try read(&cursor) } while left.count < Self.chosenAtOnce && !cursor.hasEnded
        let picks = FeedRanker(model, exploration: exploration).next(
            of: left.map(\.candidate), after: recent, limit: Self.chosenAtOnce, at: Moment(at: WallClock.now),
            seed: .random(in: 0 ... .max))
        let chosen = picks.map { left[$0.index] }
        recent = (recent + chosen.map(\.candidate)).suffix(Self.remembered)
        let namesSource = sources.count > 1
        let reasons = zip(chosen, picks).map {
            ($0.item.id, model.reason(for: $0.item, $1.way, namesSource: namesSource).description)
        }
        explain(Dictionary(reasons) { $1 })
        let taken = Set(picks.map(\.index))
        left = left.indices.filter { !taken.contains($0) }.map { left[$0] }
        return chosen.map(\.item)
    }

    /// Reads further candidates.
    private mutating func read(_ cursor: inout ItemCursor) throws(FeedsError) {
        guard left.count < Self.most else { return }
        let items = try cursor.next(Self.readAtOnce)
        let keys = items.map { ItemKey($0) }
        let seen = library.readBriefly { store throws(StoreError) in try store.seen(among: keys) } ?? []
        let new = zip(items, keys).map { (item: $0, key: $1, candidate: Candidate($0, isSeen: seen.contains($1))) }
        sources.formUnion(new.map(\.candidate.sourceKey))
        left += new
    }
}
