internal import Databases
import Model

extension Store {
    /// Saves all of `changes`, or none.
    ///
    /// - Parameter queuesMessages: whether to queue messages for the services that feeds declare; see `nextMessage`.
    /// - Returns: whether a new message was queued.
    @discardableResult
    public func apply(_ changes: [Change], queuesMessages: Bool = true) throws(StoreError) -> Bool {
        var hasQueued = false
        // Repeats more than once only if a file system gives the file another identity each time.
        for _ in 0..<3 {
            let pool = try pool
            hasQueued = try StoreError.plainly {
                try pool.write { db in
                    var writing = StoreWriting(db: db, queuesMessages: queuesMessages)
                    for change in changes { try writing.apply(change) }
                    return writing.hasQueued
                }
            }
            // If the file was removed meanwhile, what was written is lost.
            if isCurrent(pool) { break }
        }
        return hasQueued
    }

    static func follow(
        _ creator: CreatorKey, name: String, feed: FollowedFeed? = nil, _ follows: Bool, at: Double, _ db: Database
    ) throws {
        if follows {
            try db.execute(
                """
                INSERT INTO follow (scope, creator, name, since) VALUES (?, ?, ?, ?)
                ON CONFLICT DO UPDATE SET name = excluded.name
                """, [creator.scope, creator.id, name, at])
            if let feed { try note(feed, of: creator, db) }
        } else {
            try db.execute("DELETE FROM follow WHERE scope = ? AND creator = ?", [creator.scope, creator.id])
        }
    }

    /// A feed that is known already stays.
    fileprivate static func note(_ feed: FollowedFeed, of creator: CreatorKey, _ db: Database) throws {
        try db.execute(
            "UPDATE follow SET feed = ?, shared = ? WHERE scope = ? AND creator = ? AND feed IS NULL",
            [feed.address, feed.isShared, creator.scope, creator.id])
    }
}

/// One transaction of changes.
private struct StoreWriting {
    let db: Database
    let queuesMessages: Bool
    /// Whether a message was queued.
    var hasQueued = false

    /// An item as the store knows it.
    struct Known {
        var number: Int64
        /// The endpoint of the feed that wants reports, and the feed.
        var service: (endpoint: String, feed: String)?
    }

    init(db: Database, queuesMessages: Bool) { (self.db, self.queuesMessages) = (db, queuesMessages) }

    mutating func apply(_ change: Change) throws {
        switch change {
        case .seen(let item, let page, let at):
            let known = try enter(item, renews: true)
            try db.execute(
                "UPDATE item SET seen = max(ifnull(seen, 0), ?), page = ifnull(?, page) WHERE number = ?",
                [at, page, known.number])
        case .left(let key, let place):
            try db.execute("UPDATE item SET place = ? WHERE scope = ? AND id = ?", [place?.seconds, key.scope, key.id])
        case .reacted(let item, let reaction, let at):
            let known = try enter(item, renews: true)
            try react(to: known, item.key.id, reaction, at: at)
        case .followed(let item, let creator, let name, let feed, let hasID, let follows, let at):
            let known = try enter(item, renews: true)
            let before = try db.hasRow(
                "SELECT 1 FROM follow WHERE scope = ? AND creator = ?", [creator.scope, creator.id])
            try Store.follow(creator, name: name, feed: feed, follows, at: at, db)
            guard hasID, before != follows else { break }
            try queue(.follow(creator.id, follows, at: at), of: known, at: at)
        case .foundFeed(let feed, let creator): try Store.note(feed, of: creator, db)
        case .shared(let item, let at):
            try queue(.share(video: item.key.id, at: at), of: try enter(item, renews: true), at: at)
        case .hidden(let rule, let source, let hides, let at): try hide(rule, source: source, hides, at: at)
        case .commented(let item, let comment):
            let message = ServiceMessage.comment(comment, video: item.key.id)
            try queue(message, of: try enter(item, renews: true), at: comment.at)
        case .keptComment(let item, let comment):
            try db.execute(
                "INSERT INTO comment (id, item, parent, text, at) VALUES (?, ?, ?, ?, ?) ON CONFLICT (id) DO NOTHING",
                [comment.id, try enter(item, renews: true).number, comment.parent, comment.text, comment.at])
        case .deletedComment(let id): try db.execute("DELETE FROM comment WHERE id = ?", [id])
        case .changedComment(let item, let comment, let act, let at):
            let message = ServiceMessage.change(of: comment, act, video: item.key.id, at: at)
            try queue(message, of: try enter(item, renews: true), at: at)
        case .deletedItem(let item, let deletes, let at):
            let message = ServiceMessage.deletion(of: item.key.id, deletes, at: at)
            try queue(message, of: try enter(item, renews: true), at: at)
        case .event(let item, let event, let what):
            // Its page is seen, or was: that renews it.
            let known = try enter(item, renews: false)
            try db.execute(
                """
                INSERT INTO event (id, item, session, at, what, detail) VALUES (?, ?, ?, ?, ?, ?)
                ON CONFLICT (id) DO NOTHING
                """, [event.id, known.number, event.session, event.at, event.what, event.detail])
            guard let message = what.flatMap({ ServiceMessage($0, event, of: item.key.id) }) else { break }
            try queue(message, of: known, at: event.at)
        }
    }

    /// What is hidden already keeps its time.
    private func hide(_ rule: HideRule, source: String, _ hides: Bool, at: Double) throws {
        let id: [any DatabaseValue] = [rule.kind.rawValue, rule.id.scope, rule.id.value]
        if hides {
            try db.execute(
                """
                INSERT INTO hidden (kind, scope, value, url, name, source, since) VALUES (?, ?, ?, ?, ?, ?, ?)
                ON CONFLICT (kind, scope, value) DO NOTHING
                """, id + [rule.url, rule.name, source, at])
        } else {
            try db.execute("DELETE FROM hidden WHERE kind = ? AND scope = ? AND value = ?", id)
        }
    }

    private mutating func react(to known: Known, _ id: String, _ reaction: Reaction, at: Double) throws {
        let before =
            try db.first(
                "SELECT place, liked, disliked, saved FROM item WHERE number = ?", [known.number]
            ) { try ItemMemory($0).reaction } ?? Reaction()
        // A reaction that holds already keeps its time.
        try db.execute(
            """
            UPDATE item SET liked = iif(?1, ifnull(liked, ?4), NULL), disliked = iif(?2, ifnull(disliked, ?4), NULL),
                saved = iif(?3, ifnull(saved, ?4), NULL) WHERE number = ?5
            """, [reaction.isLiked, reaction.isDisliked, reaction.isSaved, at, known.number])
        for message in ServiceMessage.reaction(from: before, to: reaction, video: id, at: at) {
            try queue(message, of: known, at: at)
        }
    }

    /// Inserts a new item. Updates a known one from its feed if `renews` is set and the item comes from a feed.
    private func enter(_ item: LibraryItem, renews: Bool) throws -> Known {
        let before = try db.first(
            "SELECT number, endpoint, feed FROM item WHERE scope = ? AND id = ?", [item.key.scope, item.key.id]
        ) { Known(number: try $0["number"], service: service(try $0["endpoint"], try $0["feed"])) }
        guard let before else {
            try db.execute(
                "INSERT INTO item (scope, id, url, json, feed, source, endpoint) VALUES (?, ?, ?, ?, ?, ?, ?)",
                [item.key.scope, item.key.id, item.url, item.json, item.feed, item.source, item.endpoint])
            return Known(number: db.lastInsertedRow, service: service(item.endpoint, item.feed))
        }
        guard renews, !item.source.isEmpty else { return before }
        try db.execute(
            "UPDATE item SET url = ?, json = ?, feed = ?, source = ?, endpoint = ? WHERE number = ?",
            [item.url, item.json, item.feed, item.source, item.endpoint, before.number])
        return Known(number: before.number, service: service(item.endpoint, item.feed))
    }

    private func service(_ endpoint: String?, _ feed: String?) -> (endpoint: String, feed: String)? {
        guard let endpoint, let feed else { return nil }
        return (endpoint, feed)
    }

    /// Queues a message, if the item's feed wants any.
    private mutating func queue(_ message: ServiceMessage, of known: Known, at: Double) throws {
        guard queuesMessages, let service = known.service else { return }
        hasQueued = try Store.queue(message, to: service, item: known.number, at: at, db) || hasQueued
    }
}
