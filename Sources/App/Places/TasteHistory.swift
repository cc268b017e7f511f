import Engagement
import Feeds
import Model
import Platform
import Ranking
import Synchronization

/// What the user watches, learned from the library's log of visits. The next run of flick no longer knows what was
/// deleted there. A value; reading blocks on the disk.
struct TasteHistory: Sendable {
    private(set) var model = TasteModel()
    /// The last visit that was learned from.
    private var last: Int64 = 0

    /// Of a longer log, the newest visits: half of what was learned is forgotten after 2,000 clips anyway.
    static let most = 5_000

    /// Learns from the visits since the last time. Returns the items of these.
    @discardableResult
    mutating func catchUp(
        with store: Store, _ privateHosts: URLAccessPolicy.PrivateHosts
    ) throws(StoreError) -> Set<ItemKey> {
        var seen: Set<ItemKey> = []
        for visit in try store.visits(after: last, limit: Self.most) {
            last = visit.number
            guard let item = ItemJSON.item(ofLine: visit.item, feed: visit.feed, privateHosts: privateHosts),
                let outcome = Viewing.Outcome(ofLine: visit.detail, visit.memory.reaction)
            else { continue }
            seen.insert(ItemKey(item))
            model.learn(from: Viewing(Candidate(item), outcome, at: Moment(at: visit.at)))
        }
        return seen
    }
}

/// What a place has learned from the log of visits by now. What was read too late for one choice counts for the next.
/// Any thread.
final class LearnedTaste: Sendable {
    private struct State {
        var history = TasteHistory()
        /// The items of the visits since `take`.
        var seen: Set<ItemKey> = []
    }

    private let state = Mutex(State())

    /// Learns from the visits since the last time. Blocks on the disk.
    func catchUp(with store: Store, _ privateHosts: URLAccessPolicy.PrivateHosts) throws(StoreError) {
        var history = state.withLock(\.history)
        let seen = try history.catchUp(with: store, privateHosts)
        let learned = history
        state.withLock { state in
            state.history = learned
            state.seen.formUnion(seen)
        }
    }

    /// What was learned, and the items that were seen since the last time.
    func take() -> (model: TasteModel, seen: Set<ItemKey>) {
        state.withLock { state in
            defer { state.seen = [] }
            return (state.history.model, state.seen)
        }
    }
}

extension Moment {
    /// A moment in the user's time zone, in seconds since 1970.
    init(at seconds: Double) { self.init(seconds: seconds, hour: WallClock.localHour(seconds)) }
}

extension Viewing.Outcome {
    /// A visit's summary, as the log has it; nil if another program has written it.
    init?(ofLine line: String, _ reaction: Reaction) {
        // `try?`: what cannot be read is not learned from.
        guard let json = try? JSON(whole: Array(line.utf8)), let watched = json["watch_time"]?.asNumber,
            watched.isFinite
        else { return nil }
        self.init(
            completion: json["completion"]?.asNumber ?? 0, watchTime: .seconds(min(max(watched, 0), 1e6)),
            replays: json["replay_count"]?.asCount ?? 0, hasSkipped: json["has_skipped"]?.asFlag ?? false,
            reaction: reaction)
    }
}
