internal import GRDB
import Model

#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

/// What flick remembers, in one file of SQLite: items that were seen, reactions, follows, places in long clips, and the engagement log.
///
/// Each call is one transaction, so several flicks can use the file at once. Blocks on the disk, and up to 5 s on other processes. Any thread.
public final class Store: Sendable {
    let pool: DatabasePool
    /// Where a damaged file was put that had this one's name; nil if there was none.
    public let damagedFile: String?

    /// Opens the file, creates it if there is none, and brings it to this version's form. A damaged one is kept under another name, and a new one begins.
    ///
    /// - Parameter path: in a folder that is made if it is missing, for the user alone.
    public init(path: String) throws(StoreTrouble) {
        Self.makeFolder(of: path)
        do throws(StoreTrouble) {
            pool = try Self.open(path)
            damagedFile = nil
        } catch {
            guard case .damaged = error, let aside = Self.putAside(path) else { throw error }
            pool = try Self.open(path)
            damagedFile = aside
        }
    }

    /// Whether there is a file to read.
    public static func exists(at path: String) -> Bool { access(path, F_OK) == 0 }

    /// Opens a file that exists, to read it. A damaged one stays where it is.
    public init(reading path: String) throws(StoreTrouble) {
        pool = try Self.open(path)
        damagedFile = nil
    }

    private static func open(_ path: String) throws(StoreTrouble) -> DatabasePool {
        var configuration = Configuration()
        configuration.busyMode = .timeout(5)
        // One thread reads at a time.
        configuration.maximumReaderCount = 1
        configuration.label = "store"
        // What is forgotten is overwritten. A few pages in memory do for a row at a time: the file is in the system's cache anyway.
        configuration.prepareDatabase { try $0.execute(sql: "PRAGMA secure_delete = ON; PRAGMA cache_size = -256") }
        let before = umask(0o077)
        defer { umask(before) }
        return try StoreTrouble.plainly {
            let pool = try DatabasePool(path: path, configuration: configuration)
            let migrator = StoreSchema.migrator
            if try pool.read(migrator.hasBeenSuperseded) { throw StoreTrouble.newer }
            if try !pool.read(migrator.hasCompletedMigrations) { try migrator.migrate(pool) }
            return pool
        }
    }

    private static func makeFolder(of path: String) {
        var end = path.startIndex
        // Those above it, too. One that cannot be made is told by what opens the file.
        while let slash = path[end...].dropFirst().firstIndex(of: "/") {
            mkdir(String(path[..<slash]), 0o700)
            end = slash
        }
    }

    /// Gives a damaged file, and what belongs to it, another name; nil if that is impossible.
    private static func putAside(_ path: String) -> String? {
        var number = 1
        while access("\(path).damaged-\(number)", F_OK) == 0 { number += 1 }
        let aside = "\(path).damaged-\(number)"
        guard rename(path, aside) == 0 else { return nil }
        // They may be missing. With another database they would damage that.
        for suffix in ["-wal", "-shm"] { rename(path + suffix, aside + suffix) }
        return aside
    }

    // MARK: Writing

    /// Remembers all of `changes`, or none.
    public func apply(_ changes: [Change]) throws(StoreTrouble) {
        try StoreTrouble.plainly {
            try pool.write { db in for change in changes { try Self.apply(change, db) } }
        }
    }

    private static func apply(_ change: Change, _ db: Database) throws {
        switch change {
        case .seen(let item, let at):
            let number = try self.number(of: item, db)
            try db.cachedStatement(sql: "UPDATE item SET seen = max(ifnull(seen, 0), ?) WHERE number = ?")
                .execute(arguments: [at, number])
        case .left(let key, let place):
            try db.cachedStatement(sql: "UPDATE item SET place = ? WHERE scope = ? AND id = ?")
                .execute(arguments: [place.map { $0 / .seconds(1) }, key.scope, key.id])
        case .reacted(let item, let reaction, let at):
            let number = try self.number(of: item, db)
            // What holds already keeps its time.
            try db.cachedStatement(
                sql: """
                    UPDATE item SET liked = CASE WHEN ?1 THEN ifnull(liked, ?4) END,
                        disliked = CASE WHEN ?2 THEN ifnull(disliked, ?4) END,
                        saved = CASE WHEN ?3 THEN ifnull(saved, ?4) END WHERE number = ?5
                    """
            ).execute(arguments: [reaction.isLiked, reaction.isDisliked, reaction.isSaved, at, number])
        case .followed(let creator, let name, true, let at):
            try db.cachedStatement(
                sql: "INSERT INTO follow VALUES (?, ?, ?, ?) ON CONFLICT DO UPDATE SET name = excluded.name"
            ).execute(arguments: [creator.scope, creator.id, name, at])
        case .followed(let creator, _, false, _):
            try db.cachedStatement(sql: "DELETE FROM follow WHERE scope = ? AND creator = ?")
                .execute(arguments: [creator.scope, creator.id])
        case .event(let item, let event):
            let number = try self.number(of: item, db)
            try db.cachedStatement(
                sql: """
                    INSERT INTO event (id, item, session, at, what, detail) VALUES (?, ?, ?, ?, ?, ?)
                    ON CONFLICT (id) DO NOTHING
                    """
            ).execute(arguments: [event.id, number, event.session, event.at, event.what, event.detail])
        }
    }

    /// The item's number; it is entered, or what the feed says of it now.
    private static func number(of item: LibraryItem, _ db: Database) throws -> Int64 {
        let found = try db.cachedStatement(
            sql: """
                INSERT INTO item (scope, id, url, json, feed, source) VALUES (?1, ?2, ?3, ?4, ?5, ?6)
                ON CONFLICT (scope, id) DO UPDATE SET url = iif(?6 = '', url, ?3), json = iif(?6 = '', json, ?4),
                    feed = iif(?6 = '', feed, ?5), source = iif(?6 = '', source, ?6) RETURNING number
                """)
        let arguments: StatementArguments = [
            item.key.scope, item.key.id, item.url, item.json, item.feed, item.source,
        ]
        guard let number = try Int64.fetchOne(found, arguments: arguments) else {
            throw StoreTrouble.failed("an item could not be entered")
        }
        return number
    }

    /// Forgets, with the events of what is forgotten. Returns how many items that concerned.
    ///
    /// - Parameter before: only what was seen, and logged, before that time (seconds since 1970). What is liked or saved stays so.
    public func forget(_ what: Forgetting, before: Double? = nil) throws(StoreTrouble) -> Int {
        let (filter, arguments): (String, StatementArguments) =
            switch what {
            case .all: ("1", [])
            case .item(let name): ("(id = ? OR url = ?)", [name, name])
            case .source(let source): ("source = ?", [source])
            }
        return try StoreTrouble.plainly {
            let count = try pool.write { db -> Int in
                if let before {
                    try db.execute(
                        sql: "DELETE FROM event WHERE at < ? AND item IN (SELECT number FROM item WHERE \(filter))",
                        arguments: [before] + arguments)
                    try db.execute(
                        sql: """
                            UPDATE item SET seen = NULL, place = NULL WHERE seen < ? AND \(filter)
                                AND (liked IS NOT NULL OR disliked IS NOT NULL OR saved IS NOT NULL)
                            """, arguments: [before] + arguments)
                    let kept = db.changesCount
                    try db.execute(
                        sql: "DELETE FROM item WHERE seen < ? AND \(filter)", arguments: [before] + arguments)
                    return kept + db.changesCount
                }
                try db.execute(sql: "DELETE FROM item WHERE \(filter)", arguments: arguments)
                let count = db.changesCount
                if what == .all { try db.execute(sql: "DELETE FROM follow") }
                return count
            }
            // The log of changes would still have what is forgotten.
            try pool.writeWithoutTransaction { db in
                try db.execute(sql: "VACUUM")
                _ = try db.checkpoint(.truncate)
            }
            return count
        }
    }
}
