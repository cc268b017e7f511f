import Model
import TerminalInput

/// A comment that was begun and not sent. A value.
struct Draft: Sendable, Equatable {
    var field: TextField
    /// The id of the comment that it answers.
    var parent: String?
}

/// The comments of the items that were looked at last, the user's drafts, and what the sheet shows of them. A value.
struct Discussion: Sendable {
    /// The most items whose comments are kept, and the most drafts.
    static let maxLists = 16
    static let maxDrafts = 64
    /// How long after a letter the next one belongs to the same comment.
    static let refusalPause = Duration.seconds(1)

    private var lists: [Item.ID: CommentList] = [:]
    /// The items of `lists`, the one that was used last at the end.
    private var order: [Item.ID] = []
    private var drafts: [(item: Item.ID, draft: Draft)] = []
    /// How many of the user's comments the count of a feed does not include; negative if it includes deleted ones.
    private var added: [Item.ID: Int] = [:]
    private var localCount = 0
    /// The user types a comment where none can be written: until then, letters are not commands.
    private var refusesTextUntil: Duration?
    /// The chosen comment in the sheet; nil for the first.
    var chosen: String?
    /// How many rows the chosen comment's first row is below the first one in view; negative if it is above that.
    var lead = 0
    /// The comments that were deleted from services, by id: one returns if its service refuses that.
    var deleted: [String: Comment] = [:]
    /// The rows of the comments in the sheet, so that they are not laid out for every drawing.
    var rows: CommentRows?

    /// An item's comments; an empty list if nothing is known of them.
    subscript(item: Item.ID) -> CommentList {
        get { lists[item] ?? CommentList() }
        set {
            if order.last != item {
                order.removeAll { $0 == item }
                order.append(item)
            }
            lists[item] = newValue
            // What is on its way is needed until it has arrived.
            guard order.count > Self.maxLists,
                let oldest = order.firstIndex(where: { (lists[$0]?.sendingCount ?? 0) == 0 })
            else { return }
            lists[order.remove(at: oldest)] = nil
        }
    }

    // MARK: Drafts

    func draft(of item: Item.ID) -> Draft? { drafts.first { $0.item == item }?.draft }

    /// Keeps a draft; forgets it if it is empty.
    mutating func keepDraft(_ draft: Draft, of item: Item.ID) {
        drafts.removeAll { $0.item == item }
        guard !draft.field.text.allSatisfy(\.isWhitespace) else { return }
        drafts.append((item, draft))
        if drafts.count > Self.maxDrafts { drafts.removeFirst() }
    }

    mutating func dropDraft(of item: Item.ID) { drafts.removeAll { $0.item == item } }

    // MARK: Where none can be written

    /// The user wants to write where that cannot be done.
    mutating func refuseText(now: Duration) { refusesTextUntil = now + Self.refusalPause }

    /// Whether a key is part of a comment that the user continues to type although there is no field.
    mutating func isRefusedText(_ key: Key, now: Duration) -> Bool {
        guard let until = refusesTextUntil else { return false }
        guard now < until, case .character = key.base, key.modifiers.isEmpty else {
            refusesTextUntil = nil
            return false
        }
        refuseText(now: now)
        return true
    }

    // MARK: Counting

    mutating func makeID() -> String {
        localCount += 1
        return "local-\(localCount)"
    }

    mutating func count(_ change: Int, of item: Item.ID) { added[item, default: 0] += change }

    /// The feed was read again, and its counts include what was sent.
    mutating func forgetCounts() {
        added = added.filter { (lists[$0.key]?.sendingCount ?? 0) > 0 }
        for item in added.keys { added[item] = lists[item]?.sendingCount }
    }

    /// How many comments an item has; nil if unknown. The rail and the sheet's heading show it, and the sheet never has
    /// more entries: it is as many as the service, or else the feed, counts, with the user's own that are on their way;
    /// but at least those that are listed, of which answers and own ones that were refused count like all others.
    func count(of item: Item) -> Int? {
        let listed = lists[item.id]?.listed ?? 0
        return counted(of: item).map { max($0, listed) } ?? (listed > 0 ? listed : nil)
    }

    private func counted(of item: Item) -> Int? {
        if let list = lists[item.id], let total = list.total { return total + list.sendingCount }
        let (own, known) = (added[item.id] ?? 0, item.stats?.comments)
        guard own > 0 || (own < 0 && known != nil) else { return known }
        let limit = 1 << 20
        let base = min(max(known ?? 0, 0), Int.max - limit)
        return max(base + min(own, limit), 0)
    }
}
