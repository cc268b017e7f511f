internal import Databases
import Model
import Platform
import Synchronization
import Threads

/// flick's library, in one file of SQLite: items that were seen, reactions,
/// follows, places in long clips, and the engagement log.
///
/// Each call is one transaction, so several flicks can use the file at once. If the file was replaced or removed, it is
/// opened or created again: SQLite itself would keep writing to the unlinked file. Blocks on the disk, and
/// up to 5 s on other processes. Any thread.
public final class Store: Sendable {
    private struct Opened {
        var pool: DatabasePool
        var identity: FileIdentity
    }

    private let path: String
    private let lock: LockWait
    private let opened: Mutex<Opened>
    /// Pauses before a file that could not be used is tried again.
    static let backoff = Backoff(from: .seconds(1), upTo: .seconds(60))
    /// Where a damaged file was put that had this one's name; nil if there was none.
    public let damagedFile: String?

    /// Opens the file, creates it if it is missing, and migrates it to this version's schema. A damaged file is
    /// renamed, and a new one is created. Another program's database stays untouched.
    ///
    /// - Parameter path: in a folder that is created if it is missing, for the user alone.
    public convenience init(path: String) throws(StoreError) { try self.init(path: path, lock: LockWait()) }

    /// - Parameter lock: says how long a lock of another process has been waited for.
    init(path: String, lock: LockWait) throws(StoreError) {
        self.path = path
        self.lock = lock
        let (opened, aside) = try Self.make(path, lock)
        self.opened = Mutex(opened)
        damagedFile = aside
    }

    /// Whether there is a file to read.
    public static func exists(at path: String) -> Bool { access(path, F_OK) == 0 }

    /// Opens a file that exists, to read it. A damaged one stays where it is.
    ///
    /// - Parameter lockLimit: how long another process may keep the file locked; nil: 5 s.
    public init(reading path: String, lockLimit: Duration? = nil) throws(StoreError) {
        self.path = path
        lock = lockLimit.map { LockWait(limit: $0) } ?? LockWait()
        opened = Mutex(try Self.open(path, lock))
        damagedFile = nil
    }

    /// The database that has the name now.
    var pool: DatabasePool {
        get throws(StoreError) {
            let result: Result<DatabasePool, StoreError> = opened.withLock { opened in
                if opened.identity == FileIdentity(path) { return .success(opened.pool) }
                do throws(StoreError) {
                    opened = try Self.make(path, lock).opened
                    return .success(opened.pool)
                } catch {
                    return .failure(error)
                }
            }
            return try result.get()
        }
    }

    /// Whether `pool` is still the one of the file that has the name.
    func isCurrent(_ pool: DatabasePool) -> Bool {
        opened.withLock { $0.pool === pool && $0.identity == FileIdentity(path) }
    }

    private static func make(
        _ path: String, _ lock: LockWait
    ) throws(StoreError) -> (opened: Opened, damagedFile: String?) {
        Folders.make(above: path)
        do throws(StoreError) {
            return (try open(path, lock), nil)
        } catch {
            guard case .damaged = error, let aside = putAside(path) else { throw error }
            return (try open(path, lock), aside)
        }
    }

    private static func open(_ path: String, _ lock: LockWait) throws(StoreError) -> Opened {
        let wait = Database.Wait.handler { lock.keepsWaiting($0) }
        guard try StoreError.plainly({ try DatabaseKind.library.mayWrite(path, wait: wait) }) else {
            throw .foreign
        }
        // One thread reads at a time. What is forgotten is overwritten. A few pages in memory do for a row at a time:
        // the file is in the system's cache anyway.
        let options = DatabasePool.Options(
            wait: wait, readerWait: wait, readers: 1, setup: "PRAGMA secure_delete = ON; PRAGMA cache_size = -256")
        // Files that other threads create meanwhile are readable by the user alone, too.
        let before = umask(0o077)
        defer { umask(before) }
        return try StoreError.plainly {
            let pool = try DatabasePool(path, options)
            guard let identity = FileIdentity(path) else { throw StoreError.failed("the file was removed") }
            let migrations = StoreSchema.migrations
            if try pool.read(migrations.areSuperseded) { throw StoreError.newer }
            try DatabaseKind.library.mark(pool)
            if try !pool.read(migrations.areComplete) { try migrations.run(on: pool) }
            return Opened(pool: pool, identity: identity)
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

    // MARK: Forgetting

    /// Forgets, with the events of what is forgotten. Returns how many items that concerned; if none, how many rules
    /// that hide something.
    ///
    /// - Parameter before: only what was seen, and logged, before that time (seconds since 1970). What is liked, saved
    ///   or hidden stays so.
    public func forget(_ what: Forgetting, before: Double? = nil) throws(StoreError) -> Int {
        let (filter, hidden, arguments): (String, String, [any DatabaseValue]) =
            switch what {
            case .all: ("1", "1", [])
            case .item(let name): ("(id = ? OR url = ?)", "kind = 'clip' AND (value = ? OR url = ?)", [name, name])
            case .source(let source): ("source = ?", "source = ?", [source])
            }
        func delete(_ db: Database) throws -> Int {
            if let before {
                try db.execute(
                    "DELETE FROM event WHERE at < ? AND item IN (SELECT number FROM item WHERE \(filter))",
                    [before] + arguments)
                try db.execute(
                    """
                    UPDATE item SET seen = NULL, place = NULL WHERE seen < ? AND \(filter)
                        AND (liked IS NOT NULL OR disliked IS NOT NULL OR saved IS NOT NULL)
                    """, [before] + arguments)
                let kept = db.changes
                try db.execute("DELETE FROM item WHERE seen < ? AND \(filter)", [before] + arguments)
                return kept + db.changes
            }
            try db.execute("DELETE FROM item WHERE \(filter)", arguments)
            let count = db.changes
            try db.execute("DELETE FROM hidden WHERE \(hidden)", arguments)
            let rules = db.changes
            // Services get a new viewer.
            if what == .all { try db.execute("DELETE FROM follow; DELETE FROM message; DELETE FROM service") }
            return count > 0 ? count : rules
        }
        let pool = try pool
        return try StoreError.plainly {
            let (count, isChanged) = try pool.write { db -> (Int, Bool) in
                let changes = db.totalChanges
                let count = try delete(db)
                return (count, db.totalChanges > changes)
            }
            guard isChanged else { return count }
            // The log of changes would still have what is forgotten.
            try pool.writeOutsideTransaction { db in
                try db.execute("VACUUM")
                try db.checkpoint()
            }
            return count
        }
    }

    /// Makes a file of an earlier form, and runs the statements that `fill` returns, for tests.
    static func make(at path: String, upTo step: String, _ fill: () -> String) throws {
        let pool = try DatabasePool(path, DatabasePool.Options(wait: .upTo(0), readers: 1))
        try StoreSchema.migrations.run(on: pool, upTo: step)
        try pool.write { try $0.execute(fill()) }
        pool.close()
    }
}
