/// The writes of one transaction, sorted by their subject and summed up, with the same result as if
/// done one after the other. This keeps the number of queries to a remote database small, and servers
/// that write at the same time lock rows in the same order. A value.
struct WriteBatch {
    struct EventKey: Hashable {
        var kind: String
        var id: String
    }

    struct ReactionKey: Hashable, Comparable {
        var item: String
        var viewer: String
        var kind: String

        static func < (left: ReactionKey, right: ReactionKey) -> Bool {
            (left.item, left.viewer, left.kind) < (right.item, right.viewer, right.kind)
        }
    }

    struct FollowKey: Hashable, Comparable {
        var creator: String
        var viewer: String

        static func < (left: FollowKey, right: FollowKey) -> Bool {
            (left.creator, left.viewer) < (right.creator, right.viewer)
        }
    }

    /// Whether something is on, and since when.
    struct Change: Equatable {
        var isOn: Bool
        var at: Double
    }

    let writes: [ServiceWrite]
    /// Each once, sorted by kind and id.
    private(set) var events: [ServiceEvent] = []
    /// Sorted.
    private(set) var reactions: [(key: ReactionKey, change: Change)] = []
    private(set) var follows: [(key: FollowKey, change: Change)] = []
    /// Each once, in the order in which they came.
    private(set) var comments: [(event: String, remark: Remark)] = []
    /// Those of a comment in the order in which they came, with their places among the writes.
    private(set) var changes: [(place: Int, change: CommentChange)] = []
    /// The last of each item, sorted by item.
    private(set) var removals: [ItemRemoval] = []

    init(_ writes: [ServiceWrite]) {
        self.writes = writes
        var events: [EventKey: ServiceEvent] = [:]
        var reactions: [ReactionKey: Change] = [:]
        var follows: [FollowKey: Change] = [:]
        var known: Set<String> = []
        var removals: [String: ItemRemoval] = [:]
        for (place, write) in writes.enumerated() {
            switch write {
            case .event(let event):
                let key = EventKey(kind: event.kind.rawValue, id: event.id)
                if events[key] == nil { events[key] = event }
            case .reaction(let reaction, let item, let viewer, let isOn, let at):
                func set(_ kind: ServiceReaction, _ isOn: Bool) {
                    let key = ReactionKey(item: item, viewer: viewer, kind: kind.rawValue)
                    if let there = reactions[key], there.at > at { return }
                    reactions[key] = Change(isOn: isOn, at: at)
                }
                set(reaction, isOn)
                if isOn, let opposite = reaction.opposite { set(opposite, false) }
            case .follow(let creator, let viewer, let isOn, let at):
                let key = FollowKey(creator: creator, viewer: viewer)
                if let there = follows[key], there.at > at { continue }
                follows[key] = Change(isOn: isOn, at: at)
            case .comment(let remark, let event):
                if known.insert(event).inserted { comments.append((event, remark)) }
            case .change(let change): changes.append((place, change))
            case .removal(let removal): removals[removal.item] = removal
            }
        }
        self.removals = removals.values.sorted { $0.item < $1.item }
        changes.sort { ($0.change.comment, $0.place) < ($1.change.comment, $1.place) }
        self.events = events.values.sorted { ($0.kind.rawValue, $0.id) < ($1.kind.rawValue, $1.id) }
        self.reactions = reactions.map { ($0.key, $0.value) }.sorted { $0.0 < $1.0 }
        self.follows = follows.map { ($0.key, $0.value) }.sorted { $0.0 < $1.0 }
    }

    /// The outcome of each write.
    ///
    /// - Parameters:
    ///   - added: the events that were not there before.
    ///   - comments: the outcome of each, by event.
    ///   - changes: the outcome of each, by its place.
    func outcomes(
        added: Set<EventKey>, comments: [String: WriteOutcome], changes: [Int: WriteOutcome]
    ) -> [WriteOutcome] {
        var (added, seen) = (added, Set<String>())
        return writes.enumerated().map { place, write in
            switch write {
            case .reaction, .follow, .removal: return .done
            case .change: return changes[place] ?? .refused(.unknown)
            case .event(let event):
                return added.remove(EventKey(kind: event.kind.rawValue, id: event.id)) == nil ? .repeated : .done
            case .comment(_, let event):
                let outcome = comments[event] ?? .noParent
                // The first one has added it, if any has.
                guard case .comment(let stored, isNew: true) = outcome, !seen.insert(event).inserted else {
                    return outcome
                }
                return .comment(stored, isNew: false)
            }
        }
    }
}
