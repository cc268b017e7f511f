internal import Databases
import Model

extension Store {
    /// The library's data on items, without those that it does not know.
    public func memories(of keys: [ItemKey]) throws(StoreError) -> [ItemKey: ItemMemory] {
        try read { db in
            let sql = "SELECT place, liked, disliked, saved FROM item WHERE scope = ? AND id = ?"
            var found: [ItemKey: ItemMemory] = [:]
            for key in keys { found[key] = try db.first(sql, [key.scope, key.id], ItemMemory.init) }
            return found
        }
    }

    /// The most comments on an item that are read, and shown.
    static let maxComments = 2_000

    /// The user's comments on an item that are stored here only, the newest first.
    public func comments(on key: ItemKey) throws(StoreError) -> [OwnComment] {
        try read { db in
            try db.all(
                """
                SELECT comment.id AS name, parent, text, at FROM comment JOIN item ON item.number = comment.item
                WHERE scope = ? AND item.id = ? ORDER BY at DESC, comment.rowid DESC LIMIT ?
                """, [key.scope, key.id, Self.maxComments], OwnComment.init)
        }
    }

    /// Which of these items were seen.
    public func seen(among keys: [ItemKey]) throws(StoreError) -> Set<ItemKey> {
        try read { db in
            let sql = "SELECT 1 FROM item WHERE scope = ? AND id = ? AND seen IS NOT NULL"
            return Set(try keys.filter { try db.hasRow(sql, [$0.scope, $0.id]) })
        }
    }

    /// Which of these creators are followed.
    ///
    /// - Parameter withoutFeed: only those whose feed is not known.
    public func follows(
        among creators: [CreatorKey], withoutFeed: Bool = false
    ) throws(StoreError) -> [CreatorKey] {
        try read { db in
            let sql =
                "SELECT 1 FROM follow WHERE scope = ? AND creator = ?" + (withoutFeed ? " AND feed IS NULL" : "")
            return try creators.filter { try db.hasRow(sql, [$0.scope, $0.id]) }
        }
    }

    /// The most creators that are read.
    static let maxFollows = 5_000

    /// The creators that the user follows, those followed last first.
    public func follows() throws(StoreError) -> [Follow] {
        try read { db in
            try db.all(
                "SELECT * FROM follow ORDER BY since DESC, name, scope, creator LIMIT ?", [Self.maxFollows],
                Follow.init)
        }
    }

    /// The items of a feed that were seen last, the newest first, at most `limit`.
    public func lastSeen(in source: String, limit: Int) throws(StoreError) -> [LastSeen] {
        try read { db in
            try db.all(
                """
                SELECT scope, id, page,
                    \(LibraryList.hasPlayed) AS played,
                    EXISTS (SELECT 1 FROM event WHERE event.item = item.number
                        AND what = 'milestone' AND detail LIKE '%"percent":95%') AS finished
                FROM item WHERE source = ? AND seen IS NOT NULL ORDER BY seen DESC LIMIT ?
                """, [source, limit], LastSeen.init)
        }
    }

    /// At most `limit` entries of a list, the newest first, from behind `place` on.
    public func entries(
        of list: LibraryList, after place: LibraryEntry.Place? = nil, limit: Int
    ) throws(StoreError) -> [LibraryEntry] {
        let column = list.column
        return try read { db in
            let after = place == nil ? "" : "AND (\(column), number) < (?, ?)"
            var arguments: [any DatabaseValue] = []
            if let place { arguments += [place.at, place.number] }
            return try db.all(
                """
                SELECT *, \(column) AS at FROM item WHERE \(list.condition) \(after)
                ORDER BY \(column) DESC, number DESC LIMIT ?
                """, arguments + [limit], LibraryEntry.init)
        }
    }

    /// Those remembered items, of the newest `limit`, whose URL is wanted; the newest first.
    public func items(
        lookingAt limit: Int, where isWanted: (_ url: String) -> Bool
    ) throws(StoreError) -> [LibraryItem] {
        try read { db in
            var found: [LibraryItem] = []
            try db.forEachRow("SELECT * FROM item ORDER BY number DESC LIMIT ?", [limit]) { row in
                if isWanted(try row["url"]) { found.append(try LibraryItem(row)) }
            }
            return found
        }
    }

    /// At most `limit` events with a higher number than `number`, the oldest first, of those that happened at `since`
    /// (seconds since 1970) or later.
    public func events(
        after number: Int64 = 0, since: Double = -.infinity, limit: Int
    ) throws(StoreError) -> [EventEntry] {
        try read { db in
            try db.all(
                """
                SELECT event.*, item.scope AS scope, item.id AS name, item.url AS url, item.source AS source FROM event
                JOIN item ON item.number = event.item WHERE event.number > ? AND at >= ?
                ORDER BY event.number LIMIT ?
                """, [number, since, limit], EventEntry.init)
        }
    }

    /// The newest visits with a higher number than `number`, at most `limit`, the oldest first.
    public func visits(after number: Int64 = 0, limit: Int) throws(StoreError) -> [VisitEntry] {
        try read { db in
            try db.all(
                """
                SELECT event.number AS number, event.at AS at, event.detail AS detail, item.json AS json,
                    item.feed AS feed, item.place AS place, item.liked AS liked, item.disliked AS disliked,
                    item.saved AS saved
                FROM event JOIN item ON item.number = event.item
                WHERE event.number > ? AND what = 'summary' ORDER BY event.number DESC LIMIT ?
                """, [number, limit], VisitEntry.init
            ).reversed()
        }
    }

    /// How many items each list has.
    public func counts() throws(StoreError) -> [LibraryList: Int] {
        try read { db in
            var counts: [LibraryList: Int] = [:]
            for list in LibraryList.allCases {
                counts[list] = try db.value("SELECT count(*) FROM item WHERE \(list.condition)") ?? 0
            }
            return counts
        }
    }

    /// What the user hides, the newest first.
    public func hidden() throws(StoreError) -> [HiddenEntry] {
        try read { db in
            let entries = try db.all("SELECT * FROM hidden ORDER BY since DESC, number DESC", [], HiddenEntry?.init)
            return entries.compactMap(\.self)
        }
    }

    private func read<Value>(_ body: (Database) throws -> Value) throws(StoreError) -> Value {
        try StoreError.plainly { try pool.read(body) }
    }
}

extension ItemMemory {
    init(_ row: borrowing Row) throws {
        let place: Double? = try row["place"]
        func isSet(_ column: StaticString, _ row: borrowing Row) throws -> Bool { try row[column] as Double? != nil }
        self.init(
            reaction: Reaction(
                isLiked: try isSet("liked", row), isDisliked: try isSet("disliked", row),
                isSaved: try isSet("saved", row)),
            place: place.flatMap { $0.isFinite && $0 > 0 ? .seconds($0) : nil })
    }
}

extension OwnComment {
    fileprivate init(_ row: borrowing Row) throws {
        self.init(id: try row["name"], text: try row["text"], parent: try row["parent"], at: try row["at"])
    }
}

extension Follow {
    init(_ row: borrowing Row) throws {
        let (address, isShared): (String?, Bool) = (try row["feed"], try row["shared"])
        self.init(
            creator: CreatorKey(scope: try row["scope"], id: try row["creator"]), name: try row["name"],
            since: try row["since"], feed: address.map { FollowedFeed(address: $0, isShared: isShared) })
    }
}

extension LastSeen {
    fileprivate init(_ row: borrowing Row) throws {
        self.init(
            key: ItemKey(scope: try row["scope"], id: try row["id"]), page: try row["page"],
            hasPlayed: try row["played"], isFinished: try row["finished"])
    }
}

extension LibraryItem {
    fileprivate init(_ row: borrowing Row) throws {
        self.init(
            key: ItemKey(scope: try row["scope"], id: try row["id"]), url: try row["url"], json: try row["json"],
            feed: try row["feed"], source: try row["source"], endpoint: try row["endpoint"])
    }
}

extension LibraryEntry {
    fileprivate init(_ row: borrowing Row) throws {
        self.init(
            place: Place(at: try row["at"], number: try row["number"]),
            item: try LibraryItem(row), memory: try ItemMemory(row))
    }
}

extension HiddenEntry? {
    /// nil for a kind that only a later flick knows.
    fileprivate init(_ row: borrowing Row) throws {
        guard let kind = HideRule.Kind(rawValue: try row["kind"]) else {
            self = nil
            return
        }
        let rule = HideRule(
            kind, scope: try row["scope"], value: try row["value"], url: try row["url"], name: try row["name"])
        self = HiddenEntry(rule: rule, since: try row["since"])
    }
}

extension VisitEntry {
    fileprivate init(_ row: borrowing Row) throws {
        self.init(
            number: try row["number"], at: try row["at"], detail: try row["detail"], item: try row["json"],
            feed: try row["feed"], memory: try ItemMemory(row))
    }
}

extension EventEntry {
    fileprivate init(_ row: borrowing Row) throws {
        self.init(
            number: try row["number"], item: ItemKey(scope: try row["scope"], id: try row["name"]),
            url: try row["url"], source: try row["source"],
            event: LoggedEvent(
                id: try row["id"], session: try row["session"], at: try row["at"], what: try row["what"],
                detail: try row["detail"]))
    }
}
