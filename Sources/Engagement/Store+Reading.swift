internal import GRDB
import Model

extension Store {
    /// What is remembered of items; those of which nothing is are left out.
    public func memories(of keys: [ItemKey]) throws(StoreTrouble) -> [ItemKey: ItemMemory] {
        try read { db in
            let statement = try db.cachedStatement(
                sql: "SELECT place, liked, disliked, saved FROM item WHERE scope = ? AND id = ?")
            var found: [ItemKey: ItemMemory] = [:]
            for key in keys {
                guard let row = try Row.fetchOne(statement, arguments: [key.scope, key.id]) else { continue }
                found[key] = ItemMemory(row)
            }
            return found
        }
    }

    /// Which of these items were seen.
    public func seen(among keys: [ItemKey]) throws(StoreTrouble) -> Set<ItemKey> {
        try read { db in
            let statement = try db.cachedStatement(
                sql: "SELECT 1 FROM item WHERE scope = ? AND id = ? AND seen IS NOT NULL")
            return Set(try keys.filter { try Row.fetchOne(statement, arguments: [$0.scope, $0.id]) != nil })
        }
    }

    /// Which of these creators are followed.
    public func follows(among creators: [CreatorKey]) throws(StoreTrouble) -> [CreatorKey] {
        try read { db in
            let statement = try db.cachedStatement(sql: "SELECT 1 FROM follow WHERE scope = ? AND creator = ?")
            return try creators.filter { try Row.fetchOne(statement, arguments: [$0.scope, $0.id]) != nil }
        }
    }

    /// The item of a feed that was watched last; nil if none was.
    public func lastSeen(in source: String) throws(StoreTrouble) -> LastSeen? {
        try read { db in
            try Row.fetchOne(
                db,
                sql: """
                    SELECT scope, id, page FROM item WHERE source = ? AND seen IS NOT NULL ORDER BY seen DESC LIMIT 1
                    """, arguments: [source]
            ).map { LastSeen(key: ItemKey(scope: $0["scope"], id: $0["id"]), page: $0["page"]) }
        }
    }

    /// At most `limit` entries of a list, the newest first, from behind `place` on.
    public func entries(
        of list: LibraryList, after place: LibraryEntry.Place? = nil, limit: Int
    ) throws(StoreTrouble) -> [LibraryEntry] {
        let column = list.column
        return try read { db in
            let after = place == nil ? "" : "AND (\(column), number) < (?, ?)"
            var arguments: StatementArguments = []
            if let place { arguments += [place.at, place.number] }
            return try Row.fetchAll(
                db,
                sql: """
                    SELECT *, \(column) AS at FROM item WHERE \(column) IS NOT NULL \(after)
                    ORDER BY \(column) DESC, number DESC LIMIT ?
                    """, arguments: arguments + [limit]
            ).map(LibraryEntry.init)
        }
    }

    /// At most `limit` events with a higher number than `number`, the oldest first, of those that happened at `since` (seconds since 1970) or later.
    public func events(
        after number: Int64 = 0, since: Double = -.infinity, limit: Int
    ) throws(StoreTrouble) -> [EventEntry] {
        try read { db in
            try Row.fetchAll(
                db,
                sql: """
                    SELECT event.*, item.scope AS scope, item.id AS name, item.url AS url FROM event
                    JOIN item ON item.number = event.item WHERE event.number > ? AND at >= ?
                    ORDER BY event.number LIMIT ?
                    """, arguments: [number, since, limit]
            ).map(EventEntry.init)
        }
    }

    private func read<Value>(_ body: (Database) throws -> Value) throws(StoreTrouble) -> Value {
        try StoreTrouble.plainly { try pool.read(body) }
    }
}

extension ItemMemory {
    init(_ row: Row) {
        let place: Double? = row["place"]
        self.init(
            reaction: Reaction(
                isLiked: row.hasValue("liked"), isDisliked: row.hasValue("disliked"), isSaved: row.hasValue("saved")),
            place: place.flatMap { $0.isFinite && $0 > 0 ? .seconds($0) : nil })
    }
}

extension LibraryEntry {
    fileprivate init(_ row: Row) {
        self.init(
            place: Place(at: row["at"], number: row["number"]),
            item: LibraryItem(
                key: ItemKey(scope: row["scope"], id: row["id"]), url: row["url"], json: row["json"],
                feed: row["feed"], source: row["source"], endpoint: row["endpoint"]), memory: ItemMemory(row))
    }
}

extension EventEntry {
    fileprivate init(_ row: Row) {
        self.init(
            number: row["number"], item: ItemKey(scope: row["scope"], id: row["name"]), url: row["url"],
            event: LoggedEvent(
                id: row["id"], session: row["session"], at: row["at"], what: row["what"], detail: row["detail"]))
    }
}

extension Row {
    fileprivate func hasValue(_ column: String) -> Bool { (self[column] as DatabaseValue) != .null }
}
