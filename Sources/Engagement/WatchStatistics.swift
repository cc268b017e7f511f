internal import Databases
import Model

extension Store {
    /// Computes the watch statistics. Reads each event once: a second for some hundred thousands.
    ///
    /// - Parameters:
    ///   - source: only items that were last seen in this feed; nil for all.
    ///   - excluded: without items that were last seen in this feed; nil for all.
    ///   - since: only what happened then (seconds since 1970) or later.
    ///   - limit: the most creators and the most topics.
    public func statistics(
        of source: String? = nil, without excluded: String? = nil, since: Double = -.infinity, limit: Int
    ) throws(StoreError) -> Statistics {
        let sources = [("= ?", source), ("<> ?", excluded)].filter { $0.1 != nil }
        let filter = sources.map { "AND item.source \($0.0)" }.joined(separator: " ")
        let arguments: [any DatabaseValue] = [since] + sources.compactMap(\.1)
        func figure(_ name: String) -> String { "CAST(coalesce(json_extract(detail, '$.\(name)'), 0) AS REAL)" }
        let (seconds, share) = (figure("watch_time"), figure("completion"))
        let counts = Statistics.counts(seconds: seconds, share: share)
        /// Rows of visits that count, which end with a summary.
        func visits(_ columns: String, from more: String = "", then rest: String = "") -> String {
            """
            SELECT \(columns), sum(\(seconds)) AS watched, count(*) AS visits, avg(\(share)) AS completion
            FROM event JOIN item ON item.number = event.item\(more)
            WHERE what = 'summary' AND at >= ? \(filter) AND \(counts) \(rest)
            """
        }
        return try StoreError.plainly {
            try pool.read { db in
                let byName = "GROUP BY name ORDER BY watched DESC, name LIMIT \(limit)"
                let name = "json_extract(item.json, '$.creator.name')"
                let all = try db.first(
                    visits("'' AS name, count(DISTINCT event.item) AS clips"), arguments
                ) { (group: try Statistics.Group($0), clips: try $0["clips"] as Int) }
                let days = try db.all(
                    visits(
                        "date(at, 'unixepoch', 'localtime') AS name",
                        then: "GROUP BY name HAVING name IS NOT NULL ORDER BY name"), arguments
                ) { Statistics.Day(date: try $0["name"], watched: try $0["watched"]) }
                let creators = try db.all(
                    visits("\(name) AS name", then: "AND \(name) IS NOT NULL \(byName)"), arguments,
                    Statistics.Group.init)
                let topics = try db.all(
                    visits("tag.value AS name", from: ", json_each(item.json, '$.tags') AS tag", then: byName),
                    arguments, Statistics.Group.init)
                var skips = [Int](repeating: 0, count: Statistics.skipTenths)
                try db.forEachRow(
                    """
                    SELECT CAST(json_extract(detail, '$.completion') * 10 AS INTEGER) AS tenth, count(*) AS count
                    FROM event JOIN item ON item.number = event.item WHERE what = 'skip' AND at >= ? \(filter)
                    GROUP BY tenth
                    """, arguments
                ) { row in
                    guard let tenth: Int = try row["tenth"], skips.indices.contains(tenth) else { return }
                    skips[tenth] = try row["count"]
                }
                return Statistics(
                    all: all?.group ?? Statistics.nothing.all, clips: all?.clips ?? 0, days: days, creators: creators,
                    topics: topics, skips: skips)
            }
        }
    }
}

extension Statistics.Group {
    /// Sums of no rows are NULL; what is in a feed's JSON may have any type.
    fileprivate init(_ row: borrowing Row) throws {
        self.init(
            name: row.valid("name") ?? "", watched: row.valid("watched") ?? 0, visits: try row["visits"],
            completion: row.valid("completion") ?? 0)
    }
}
