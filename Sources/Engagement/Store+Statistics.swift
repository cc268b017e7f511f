internal import GRDB
import Model

extension Store {
    /// Reckons what was watched. Reads each event once: a second for some hundred thousands.
    ///
    /// - Parameters:
    ///   - source: only items that were last seen in this feed; nil for all.
    ///   - since: only what happened then (seconds since 1970) or later.
    ///   - limit: so many creators and topics at most.
    public func statistics(
        of source: String? = nil, since: Double = -.infinity, limit: Int
    ) throws(StoreTrouble) -> Statistics {
        let (filter, arguments): (String, StatementArguments) =
            source.map { ("AND item.source = ?", [since, $0]) } ?? ("", [since])
        /// Rows of visits, which end with a summary.
        func visits(_ columns: String, from more: String = "", then rest: String = "") -> String {
            """
            SELECT \(columns), sum(coalesce(json_extract(detail, '$.watch_time'), 0)) AS watched, count(*) AS visits,
                avg(coalesce(json_extract(detail, '$.completion'), 0)) AS completion
            FROM event JOIN item ON item.number = event.item\(more)
            WHERE what = 'summary' AND at >= ? \(filter) \(rest)
            """
        }
        return try StoreTrouble.plainly {
            try pool.read { db in
                let byName = "GROUP BY name ORDER BY watched DESC, name LIMIT \(limit)"
                let name = "json_extract(item.json, '$.creator.name')"
                let all = try Row.fetchOne(
                    db, sql: visits("'' AS name, count(DISTINCT event.item) AS clips"), arguments: arguments)
                let days = try Row.fetchAll(
                    db,
                    sql: visits("date(at, 'unixepoch', 'localtime') AS name", then: "GROUP BY name ORDER BY name"),
                    arguments: arguments)
                let creators = try Row.fetchAll(
                    db, sql: visits("\(name) AS name", then: "AND \(name) IS NOT NULL \(byName)"),
                    arguments: arguments)
                let topics = try Row.fetchAll(
                    db, sql: visits("tag.value AS name", from: ", json_each(item.json, '$.tags') AS tag", then: byName),
                    arguments: arguments)
                var skips = [Int](repeating: 0, count: Statistics.skipTenths)
                let left = try Row.fetchCursor(
                    db,
                    sql: """
                        SELECT CAST(json_extract(detail, '$.completion') * 10 AS INTEGER) AS tenth, count(*) AS count
                        FROM event JOIN item ON item.number = event.item WHERE what = 'skip' AND at >= ? \(filter) GROUP BY tenth
                        """, arguments: arguments)
                while let row = try left.next() {
                    guard let tenth: Int = row["tenth"], skips.indices.contains(tenth) else { continue }
                    skips[tenth] = row["count"]
                }
                return Statistics(
                    all: all.map(Statistics.Group.init) ?? Statistics.nothing.all,
                    clips: all?["clips"] ?? 0,
                    days: days.map { Statistics.Day(date: $0["name"], watched: $0["watched"]) },
                    creators: creators.map(Statistics.Group.init), topics: topics.map(Statistics.Group.init),
                    skips: skips)
            }
        }
    }
}

extension Statistics.Group {
    fileprivate init(_ row: Row) {
        self.init(
            name: row["name"] ?? "", watched: row["watched"] ?? 0, visits: row["visits"] ?? 0,
            completion: row["completion"] ?? 0)
    }
}
