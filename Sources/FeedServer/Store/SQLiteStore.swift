internal import Databases
import Model
import Platform
import Synchronization

/// The service's store in one file of SQLite.
///
/// If the file is removed while the server runs, calls throw for a second, in which it may come back, and then a new
/// one is created: SQLite itself would keep writing to the unlinked file.
final class SQLiteStore: ServiceStore {
    private struct Opened {
        var pool: DatabasePool
        var identity: FileIdentity
    }

    private struct State {
        var opened: Opened?
        /// When the file was first missed; nil while it is there.
        var missedSince: ContinuousClock.Instant?
    }

    /// How long to wait for a removed file to come back.
    static let grace = Duration.seconds(1)

    let path: String
    private let state: Mutex<State>
    private let now: @Sendable () -> ContinuousClock.Instant

    /// Opens or creates the file and migrates it to this version. Creates its folders for the user alone. Refuses
    /// another program's database and does not change it. Blocks.
    init(
        path: String, now: @escaping @Sendable () -> ContinuousClock.Instant = { .now }
    ) throws(ServiceError) {
        self.path = path
        self.now = now
        Folders.make(above: path)
        state = Mutex(State(opened: try Self.open(path)))
    }

    private static func open(_ path: String) throws(ServiceError) -> Opened {
        let wait = Database.Wait.upTo(5_000)
        guard try plainly({ try DatabaseKind.service.mayWrite(path, wait: wait) }) else {
            throw ServiceError(why: "another program's database")
        }
        let before = umask(0o077)
        defer { umask(before) }
        return try plainly {
            let pool = try DatabasePool(path, DatabasePool.Options(wait: wait, readers: 2))
            if try pool.read(migrations.areSuperseded) {
                throw ServiceError(why: "written by a newer flick")
            }
            try DatabaseKind.service.mark(pool)
            if try !pool.read(migrations.areComplete) { try migrations.run(on: pool) }
            // An answered write must survive a power failure.
            try pool.writeOutsideTransaction { try $0.execute("PRAGMA synchronous = FULL") }
            guard let identity = FileIdentity(path) else { throw ServiceError(why: "the file is gone") }
            return Opened(pool: pool, identity: identity)
        }
    }

    private static let migrations = Migrations(ServiceSchema.steps(.sqlite))

    /// The database, opened again if another file has the name, and made again if none has it for `grace`.
    private func pool() throws(ServiceError) -> DatabasePool {
        let result: Result<DatabasePool, ServiceError> = state.withLock { state in
            let identity = FileIdentity(path)
            if let identity, let there = state.opened, there.identity == identity {
                state.missedSince = nil
                return .success(there.pool)
            }
            if identity == nil {
                let now = now()
                let since = state.missedSince ?? now
                state.missedSince = since
                guard now - since >= Self.grace else { return .failure(ServiceError(why: "the file is gone")) }
                Folders.make(above: path)
            }
            state.opened = nil
            do throws(ServiceError) {
                let new = try Self.open(path)
                (state.opened, state.missedSince) = (new, nil)
                return .success(new.pool)
            } catch {
                return .failure(error)
            }
        }
        return try result.get()
    }

    /// Turns SQLite's errors into `ServiceError`.
    private static func plainly<Value>(_ body: () throws -> Value) throws(ServiceError) -> Value {
        do { return try body() } catch let error as ServiceError {
            throw error
        } catch {
            throw ServiceError(why: CleanText.line("\(error)", limit: 300))
        }
    }

    /// How SQLite waits for the disk. For tests.
    var synchronous: Int? {
        get throws { try pool().writeOutsideTransaction { try $0.value("PRAGMA synchronous") } }
    }

    // MARK: Writing

    func apply(_ writes: [ServiceWrite]) throws(ServiceError) -> [WriteOutcome] {
        let pool = try pool()
        return try Self.plainly { try pool.write { db in try writes.map { try Self.apply($0, db) } } }
    }

    private static func apply(_ write: ServiceWrite, _ db: Database) throws -> WriteOutcome {
        switch write {
        case .event(let event): return try add(event, db)
        case .reaction(let reaction, let item, let viewer, let isOn, let at):
            try set(reaction, item: item, viewer: viewer, isOn: isOn, at: at, db)
            if isOn, let opposite = reaction.opposite {
                try set(opposite, item: item, viewer: viewer, isOn: false, at: at, db)
            }
            return .done
        case .follow(let creator, let viewer, let isOn, let at):
            try db.execute(
                """
                INSERT INTO follow (creator, viewer, is_on, at) VALUES (?, ?, ?, ?)
                ON CONFLICT (creator, viewer) DO UPDATE SET is_on = excluded.is_on, at = excluded.at
                    WHERE excluded.at >= follow.at
                """, [creator, viewer, isOn ? 1 : 0, at])
            return .done
        case .comment(let new, let event): return try add(new, event: event, db)
        case .change(let change): return try SQLiteComments.apply(change, db)
        case .removal(let removal):
            try db.execute(
                """
                INSERT INTO removal (item, is_removed, path, place) VALUES (?, ?, ?, ?)
                ON CONFLICT (item) DO UPDATE SET is_removed = excluded.is_removed, path = excluded.path,
                    place = excluded.place
                """, [removal.item, removal.isRemoved ? 1 : 0, FeedCursor.text(of: removal.path), removal.place])
            return .done
        }
    }

    private static func add(_ event: ServiceEvent, _ db: Database) throws -> WriteOutcome {
        try db.execute(
            """
            INSERT INTO event (kind, id, item, viewer, session, at, received, clock_off, detail)
            VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT (kind, id) DO NOTHING
            """,
            [
                event.kind.rawValue, event.id, event.item, event.viewer, event.session, event.at, event.received,
                event.isClockOff ? 1 : 0, event.detail,
            ])
        guard db.changes > 0 else { return .repeated }
        switch event.kind {
        case .view: try count("views", 1, of: event.item, db)
        case .share: try count("shares", 1, of: event.item, db)
        case .engagement: break
        }
        return .done
    }

    private static func set(
        _ reaction: ServiceReaction, item: String, viewer: String, isOn: Bool, at: Double, _ db: Database
    ) throws {
        let known = try db.first(
            "SELECT is_on, at FROM reaction WHERE item = ? AND viewer = ? AND kind = ?",
            [item, viewer, reaction.rawValue]
        ) { (isOn: try $0[0] as Bool, at: try $0[1] as Double) }
        let wasOn = known?.isOn ?? false
        if let known, known.at > at { return }
        try db.execute(
            """
            INSERT INTO reaction (item, viewer, kind, is_on, at) VALUES (?, ?, ?, ?, ?)
            ON CONFLICT (item, viewer, kind) DO UPDATE SET is_on = excluded.is_on, at = excluded.at
            """, [item, viewer, reaction.rawValue, isOn ? 1 : 0, at])
        guard wasOn != isOn else { return }
        let column =
            switch reaction {
            case .like: "likes"
            case .dislike: "dislikes"
            case .save: "saves"
            }
        try count(column, isOn ? 1 : -1, of: item, db)
    }

    /// - Parameter column: one of the tally's, never a client's text.
    static func count(_ column: String, _ change: Int, of item: String, _ db: Database) throws {
        try db.execute(
            """
            INSERT INTO tally (item, \(column)) VALUES (?, ?)
            ON CONFLICT (item) DO UPDATE SET \(column) = tally.\(column) + excluded.\(column)
            """, [item, change])
    }

    private static func add(_ new: Remark, event: String, _ db: Database) throws -> WriteOutcome {
        let columns = SQLiteComments.columns
        let known = try db.first("SELECT \(columns) FROM comment WHERE event = ?", [event], SQLiteComments.comment)
        if let known { return .comment(known, isNew: false) }
        var kept = new
        if let asked = new.parent {
            let found = try db.first(
                "SELECT parent FROM comment WHERE number = ? AND item = ?", [asked, new.item]
            ) { try $0[0] as Int64? }
            guard let parent = found else { return .noParent }
            // A reply to a reply hangs under the same comment.
            kept.parent = parent ?? asked
        }
        try db.execute(
            """
            INSERT INTO comment (event, item, viewer, name, body, at, clock_off, parent)
            VALUES (?, ?, ?, ?, ?, ?, ?, ?)
            """,
            [
                event, kept.item, kept.viewer, kept.name, kept.text, kept.at, kept.isClockOff ? 1 : 0, kept.parent,
            ])
        let number = db.lastInsertedRow
        try count("comments", 1, of: new.item, db)
        return .comment(StoredComment(number: number, remark: kept), isNew: true)
    }

    // MARK: Reading

    func tallies(of items: [String]) throws(ServiceError) -> [String: Tally] {
        guard !items.isEmpty else { return [:] }
        let pool = try pool()
        return try Self.plainly {
            try pool.read { db in
                let marks = items.map { _ in "?" }.joined(separator: ",")
                var tallies: [String: Tally] = [:]
                try db.forEachRow(
                    "SELECT likes, dislikes, saves, comments, shares, views, item FROM tally WHERE item IN (\(marks))",
                    items
                ) { row in tallies[try row[6]] = try Self.tally(row) }
                return tallies
            }
        }
    }

    private static func tally(_ row: borrowing Row) throws -> Tally {
        Tally(
            likes: try row[0], dislikes: try row[1], saves: try row[2], comments: try row[3], shares: try row[4],
            views: try row[5])
    }

    func total() throws(ServiceError) -> Tally {
        let pool = try pool()
        return try Self.plainly {
            let sums = ["likes", "dislikes", "saves", "comments", "shares", "views"].map { "coalesce(sum(\($0)), 0)" }
            let sql = "SELECT \(sums.joined(separator: ", ")) FROM tally"
            return try pool.read { db in try db.first(sql, [], Self.tally) ?? Tally() }
        }
    }

    func watched(since: Double) throws(ServiceError) -> WatchSums {
        let pool = try pool()
        return try Self.plainly {
            try pool.read { db in
                var sums = WatchSums()
                func forEachRow(
                    _ columns: String, _ rest: String, _ body: (borrowing Row) throws -> Void
                ) throws {
                    let sql = "SELECT \(columns) FROM event WHERE kind = 'engagement' AND at >= ? \(rest)"
                    try db.forEachRow(sql, [since], body)
                }
                let (seconds, share) = ("json_extract(detail, '$.watch_time')", "json_extract(detail, '$.completion')")
                let counts = "AND " + Statistics.counts(seconds: seconds, share: share)
                try forEachRow("item, sum(\(seconds)), count(*), sum(\(share))", "\(counts) GROUP BY item") { row in
                    sums.items[try row[0]] = WatchSums.Sum(
                        watched: try row[1], visits: try row[2], completion: try row[3])
                }
                try forEachRow(
                    "date(at, 'unixepoch') AS day, sum(\(seconds))",
                    "\(counts) GROUP BY day HAVING day IS NOT NULL ORDER BY day"
                ) { row in
                    sums.days.append(Statistics.Day(date: try row[0], watched: try row[1]))
                }
                try forEachRow(
                    "CAST(\(share) * 10 AS INTEGER) AS tenth, count(*)",
                    "AND json_extract(detail, '$.has_skipped') GROUP BY tenth"
                ) { row in sums.addSkips(try row[1], inTenth: try row[0]) }
                return sums
            }
        }
    }

    func comments(
        of item: String, before: Int64?, limit: Int, viewer: String
    ) throws(ServiceError) -> StoredComments {
        let pool = try pool()
        return try Self.plainly {
            try pool.read { try SQLiteComments.page(of: item, before: before, limit: limit, viewer: viewer, $0) }
        }
    }

    func reports(limit: Int) throws(ServiceError) -> [StoredReport] {
        let pool = try pool()
        return try Self.plainly { try pool.read { try SQLiteComments.reports(limit: limit, $0) } }
    }

    func removal(of item: String) throws(ServiceError) -> ItemRemoval? {
        let pool = try pool()
        return try Self.plainly {
            try pool.read { db in
                try db.first("SELECT is_removed, path, place FROM removal WHERE item = ?", [item]) { row in
                    ItemRemoval(
                        item: item, isRemoved: try row[0], path: FeedCursor.path(of: try row[1]) ?? [],
                        place: try row[2])
                }
            }
        }
    }
}
