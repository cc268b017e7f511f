import Model

/// The service's store in a database of PostgreSQL, which any number of servers share.
///
/// The servers know nothing of each other: unique indexes decide what is new,
/// and rows are locked before they are changed.
final class PostgresStore: ServiceStore {
    /// Connections for the thread that writes, and for those that read.
    private let writing: PostgresConnections
    private let reading: PostgresConnections

    /// Connects, and brings the database to this version's form. Blocks.
    init(_ address: PostgresAddress) throws(ServiceError) {
        writing = PostgresConnections(address, limit: 1)
        reading = PostgresConnections(address, limit: 3)
        _ = try writing.run { connection throws(PostgresError) in try connection.run("SELECT") }
    }

    // MARK: Writing

    func apply(_ writes: [ServiceWrite]) throws(ServiceError) -> [WriteOutcome] {
        let batch = WriteBatch(writes)
        return try writing.run { connection throws(PostgresError) in
            try connection.inTransaction { () throws(PostgresError) in try PostgresWriting(connection).keep(batch) }
        }
    }

    // MARK: Reading

    func tallies(of items: [String]) throws(ServiceError) -> [String: Tally] {
        guard !items.isEmpty else { return [:] }
        return try reading.run { connection throws(PostgresError) in
            let rows = try connection.run(
                """
                SELECT likes, dislikes, saves, comments, shares, views, item FROM tally WHERE item = ANY($1::text[])
                """, [PostgresArray.text(items)])
            return Dictionary((0..<rows.count).map { (rows.required($0, 6), Self.tally(rows, $0)) }) { first, _ in first
            }
        }
    }

    func total() throws(ServiceError) -> Tally {
        let sums = ["likes", "dislikes", "saves", "comments", "shares", "views"].map { "coalesce(sum(\($0)), 0)" }
        return try reading.run { connection throws(PostgresError) in
            Self.tally(try connection.run("SELECT \(sums.joined(separator: ", ")) FROM tally", []), 0)
        }
    }

    private static func tally(_ rows: PostgresRows, _ row: Int) -> Tally {
        func count(_ column: Int) -> Int { Int(rows.integer(row, column)) }
        return Tally(
            likes: count(0), dislikes: count(1), saves: count(2), comments: count(3), shares: count(4), views: count(5))
    }

    func watched(since: Double) throws(ServiceError) -> WatchSums {
        try reading.run { connection throws(PostgresError) in
            func rows(_ columns: String, _ rest: String) throws(PostgresError) -> PostgresRows {
                try connection.run(
                    "SELECT \(columns) FROM event WHERE kind = 'engagement' AND at >= $1 \(rest)", ["\(since)"])
            }
            let (seconds, share) = ("(detail::json->>'watch_time')::float8", "(detail::json->>'completion')::float8")
            var sums = WatchSums()
            let counts = "AND " + Statistics.counts(seconds: seconds, share: share)
            let items = try rows("item, sum(\(seconds)), count(*), sum(\(share))", "\(counts) GROUP BY item")
            for row in 0..<items.count {
                sums.items[items.required(row, 0)] = WatchSums.Sum(
                    watched: items.number(row, 1), visits: Int(items.integer(row, 2)), completion: items.number(row, 3))
            }
            let day = "to_char(to_timestamp(at) AT TIME ZONE 'UTC', 'YYYY-MM-DD') AS day"
            let days = try rows("\(day), sum(\(seconds))", "\(counts) GROUP BY day ORDER BY day")
            sums.days = (0..<days.count).map {
                Statistics.Day(date: days.required($0, 0), watched: days.number($0, 1))
            }
            let skips = try rows(
                "trunc(\(share) * 10)::int AS tenth, count(*)",
                "AND (detail::json->>'has_skipped')::boolean GROUP BY tenth")
            for row in 0..<skips.count {
                sums.addSkips(Int(skips.integer(row, 1)), inTenth: Int(skips.integer(row, 0)))
            }
            return sums
        }
    }

    func comments(
        of item: String, before: Int64?, limit: Int, viewer: String
    ) throws(ServiceError) -> StoredComments {
        try reading.run { connection throws(PostgresError) in
            try PostgresComments(connection).page(of: item, before: before, limit: limit, viewer: viewer)
        }
    }

    func reports(limit: Int) throws(ServiceError) -> [StoredReport] {
        try reading.run { connection throws(PostgresError) in try PostgresComments(connection).reports(limit: limit) }
    }

    func removal(of item: String) throws(ServiceError) -> ItemRemoval? {
        try reading.run { connection throws(PostgresError) in
            let rows = try connection.run("SELECT is_removed, path, place FROM removal WHERE item = $1", [item])
            guard rows.count > 0 else { return nil }
            return ItemRemoval(
                item: item, isRemoved: rows.integer(0, 0) != 0, path: FeedCursor.path(of: rows.required(0, 1)) ?? [],
                place: rows.required(0, 2))
        }
    }
}
