import Model

/// What the user has done with items and creators, and which items they have seen. A value.
public struct Reactions: Sendable {
    /// The heart of a like.
    struct Burst: Sendable, Equatable {
        static let shrinking = Duration.milliseconds(300)
        static let growing = Duration.milliseconds(400)
        static let length = shrinking + growing
        /// In cells; nil for the middle of the page.
        var at: GridPoint?
        var start: Duration
    }

    private var all: [Item.ID: Reaction] = [:]
    /// Those of them that the feed's counts include already.
    private var counted: [Item.ID: Reaction] = [:]
    /// The creators that the user follows, by `Item.Creator.key`.
    public private(set) var follows: Set<String> = []
    /// The items that were played in this session, and what came near of those seen in earlier ones.
    public private(set) var seen: Set<Item.ID> = []
    /// The items and creators that the user has decided about in this session.
    private var decided: Set<Item.ID> = []
    private var decidedFollows: Set<String> = []
    private(set) var burst: Burst?
    var outbox = Outbox()

    /// Whether nothing is known of any item.
    var isEmpty: Bool { all.isEmpty }

    public subscript(item: Item.ID) -> Reaction { all[item] ?? Reaction() }

    public func follows(_ item: Item) -> Bool { item.creator.map { follows.contains($0.key) } ?? false }

    // MARK: What the user does (like and dislike exclude each other)

    /// - Parameter burst: the heart that is shown for it, if one is.
    mutating func like(_ item: Item.ID, _ isLiked: Bool, burst: Burst?) {
        self.burst = burst
        decide(item) {
            $0.isLiked = isLiked
            if isLiked { $0.isDisliked = false }
        }
    }

    mutating func toggleDislike(_ item: Item.ID) {
        burst = nil
        decide(item) {
            $0.isDisliked.toggle()
            if $0.isDisliked { $0.isLiked = false }
        }
    }

    mutating func toggleSave(_ item: Item.ID) { decide(item) { $0.isSaved.toggle() } }

    mutating func share(_ item: Item.ID) { all[item, default: Reaction()].wasShared = true }

    /// Returns whether the creator is followed now.
    mutating func toggleFollow(_ creator: String) -> Bool {
        decidedFollows.insert(creator)
        if follows.remove(creator) != nil { return false }
        follows.insert(creator)
        return true
    }

    mutating func see(_ item: Item.ID) { seen.insert(item) }

    private mutating func decide(_ item: Item.ID, _ change: (inout Reaction) -> Void) {
        change(&all[item, default: Reaction()])
        decided.insert(item)
    }

    // MARK: What the library and the service know

    /// What earlier sessions knew. What was decided in this one counts more.
    ///
    /// - Parameter areCounted: whether the feed's counts include it.
    mutating func recall(_ known: [Item.ID: Reaction], follows creators: Set<String>, areCounted: Bool) {
        for (item, reaction) in known where !decided.contains(item) {
            replace(item, with: reaction)
            if areCounted { counted[item] = reaction }
        }
        follows.formUnion(creators.subtracting(decidedFollows))
        // What the library knows of was seen.
        seen.formUnion(known.keys)
    }

    /// The service rejected a reaction: it is as it was before.
    mutating func takeBack(_ item: Item.ID, to before: Reaction) { replace(item, with: before) }

    mutating func takeBack(follow creator: String, to before: Bool) {
        if before { follows.insert(creator) } else { follows.remove(creator) }
    }

    private mutating func replace(_ item: Item.ID, with reaction: Reaction) {
        let wasShared = self[item].wasShared
        all[item] = reaction
        all[item]?.wasShared = wasShared
    }

    // MARK: Counts

    /// The feed was read.
    ///
    /// - Parameter hasOwn: its counts include what its service has received so far.
    mutating func startCounting(hasOwn: Bool) { counted = hasOwn ? all : [:] }

    /// How many have reacted like this, including the user; nil if the feed does not say.
    func count(_ known: Int?, of mark: KeyPath<Reaction, Bool>, to item: Item.ID) -> Int? {
        guard let known else { return nil }
        let own = self[item][keyPath: mark] ? 1 : 0
        let counted = counted[item]?[keyPath: mark] == true ? 1 : 0
        // A count from before the user's own had arrived there is one too low.
        return max(min(max(known, 0), .max - 1) + own - counted, own)
    }

    /// The item with the counts that its page shows, so that it shows the same ones where its feed is not known.
    public func withOwnCounts(_ item: Item) -> Item {
        guard var stats = item.stats else { return item }
        stats.likes = count(stats.likes, of: \.isLiked, to: item.id)
        stats.dislikes = count(stats.dislikes, of: \.isDisliked, to: item.id)
        stats.saves = count(stats.saves, of: \.isSaved, to: item.id)
        var item = item
        item.stats = stats
        return item
    }

    // MARK: The heart

    mutating func dropBurst() { burst = nil }

    mutating func hideBurst(at now: Duration) {
        if let burst, now - burst.start >= Burst.length { self.burst = nil }
    }
}
