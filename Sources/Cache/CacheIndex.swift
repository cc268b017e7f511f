internal import Databases
import FoundationEssentials
internal import GRDB
import Model

/// The index of the cache: what is saved, and where. Each change is one transaction. The WAL mode lets other processes
/// read and write too. Blocks. Any thread.
///
/// An asset's number is its edition: a random number for each version that was ever cached under a key, so that a piece
/// of an old edition cannot end up in a newer one. Two columns have historical names: `shelf` is the retention and
/// `held` the bytes of all assets. Renaming them would drop every existing cache.
final class CacheIndex: Sendable {
    /// The version of the schema below and of the pieces' checks. A cache of another version is dropped whole.
    static let version = 1

    /// An asset's row in the index.
    struct Row: Equatable, Sendable {
        var edition: Int64
        var hash: String
        /// Sealed if the cache is.
        var url: [UInt8]
        var facts: AssetFacts
        var retention: Asset.Retention
        /// The bytes of all its pieces.
        var bytes: Int64
        /// In seconds since 1970.
        var made: Double
        var used: Double

        /// Each edition has its own file, so that no process finds another edition's bytes in it.
        var fileName: String { Self.fileName(hash: hash, edition: edition) }

        /// Whether flick gives files such names.
        static func isFileName(_ name: String) -> Bool {
            let parts = name.utf8.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
            let digits = Set("0123456789abcdef".utf8)
            return parts.count == 2 && parts[0].count == 64 && (1...16).contains(parts[1].count)
                && parts.allSatisfy { $0.allSatisfy(digits.contains) }
        }

        static func fileName(hash: String, edition: Int64) -> String { hash + "." + String(edition, radix: 16) }
    }

    /// What a save found and did.
    struct Saved {
        /// The pieces in the range and directly before it that were there already, perhaps from another process.
        var present: [Piece]
        var added: [Piece]
        /// The bytes of all assets now.
        var total: Int64
    }

    /// Last uses that are not in the index yet. They are written together with the next change.
    struct Uses: Sendable {
        var assets: [Int64: Double] = [:]
        var texts: [String: Double] = [:]
        /// Assets of a home feed that the user asked for by name: they get the lasting retention.
        var lasting: Set<Int64> = []
        var isEmpty: Bool { assets.isEmpty && texts.isEmpty && lasting.isEmpty }
    }

    private static let columns = "edition, hash, url, length, type, etag, modified, ranged, shelf, bytes, made, used"

    private let pool: DatabasePool
    private let path: String
    private let identity: FileIdentity?

    /// Opens an index, or creates one. Throws `CacheTrouble`.
    init(path: String) throws {
        self.path = path
        var configuration = Configuration()
        // The picture waits for what is cached, but not for a program that keeps the file locked.
        configuration.busyMode = .timeout(0.5)
        configuration.maximumReaderCount = 3
        configuration.label = "cache index"
        try Self.refuseOthers(path, configuration)
        pool = try Self.plainly { try DatabasePool(path: path, configuration: configuration) }
        identity = FileIdentity(path)
    }

    /// Whether the file was removed or replaced, so that what is written to it is lost.
    var isRemoved: Bool { FileIdentity(path) != identity }

    /// Whether another file has the name, as when another flick has made the index again.
    var isReplaced: Bool { isRemoved && FileIdentity(path) != nil }

    /// Throws `CacheTrouble.failed` for another program's database, to which nothing was written.
    static func refuseOthers(_ path: String) throws { try refuseOthers(path, Configuration()) }

    private static func refuseOthers(_ path: String, _ configuration: Configuration) throws {
        guard try plainly({ try DatabaseKind.cache.mayWrite(path, configuration) }) else {
            throw CacheTrouble.failed(
                "\(ShownName.of(path)) is another program's database; pass another --cache-dir")
        }
    }

    /// nil if the file has no schema yet.
    func foundVersion() throws -> Int? {
        try read { db in
            guard try Bool.fetchOne(db, sql: "SELECT count(*) > 0 FROM sqlite_master") == true else { return nil }
            return try Int.fetchOne(db, sql: "PRAGMA user_version")
        }
    }

    func seal() throws -> [UInt8]? {
        try read { try Data.fetchOne($0, sql: "SELECT seal FROM cache").map { Array($0) } }
    }

    func create(seal: [UInt8]?) throws {
        try write { db in
            try db.execute(
                sql: """
                    CREATE TABLE cache (held INTEGER NOT NULL, seal BLOB);
                    CREATE TABLE asset (
                        edition INTEGER PRIMARY KEY, hash TEXT NOT NULL UNIQUE, url BLOB NOT NULL, length INTEGER, type TEXT, etag TEXT,
                        modified TEXT, ranged INTEGER, shelf TEXT NOT NULL, bytes INTEGER NOT NULL, made REAL NOT NULL, used REAL NOT NULL);
                    CREATE TABLE piece (
                        edition INTEGER NOT NULL REFERENCES asset ON DELETE CASCADE, start INTEGER NOT NULL, length INTEGER NOT NULL,
                        proof BLOB NOT NULL, PRIMARY KEY (edition, start)) WITHOUT ROWID;
                    CREATE TABLE outline (
                        hash TEXT PRIMARY KEY, body BLOB NOT NULL, size INTEGER NOT NULL, made REAL NOT NULL, used REAL NOT NULL) WITHOUT ROWID;
                    PRAGMA user_version = \(Self.version);
                    PRAGMA application_id = \(DatabaseKind.cache.rawValue);
                    """)
            try db.execute(sql: "INSERT INTO cache (held, seal) VALUES (0, ?)", arguments: [seal.map { Data($0) }])
        }
    }

    func close() {
        // A statement that still runs elsewhere keeps the database open (SQLITE_BUSY); the pool's last reference then
        // closes it.
        try? pool.close()
    }

    /// Runs any statement, for tests.
    func run(_ sql: String) throws { try write { try $0.execute(sql: sql) } }

    // MARK: - Assets

    func edition(of hash: String) throws -> Int64? {
        try read { try Int64.fetchOne($0, sql: "SELECT edition FROM asset WHERE hash = ?", arguments: [hash]) }
    }

    /// An asset with its valid pieces.
    func asset(_ edition: Int64) throws -> (row: Row, pieces: [Piece])? {
        try read { db in
            let found = try GRDB.Row.fetchOne(
                db, sql: "SELECT \(Self.columns) FROM asset WHERE edition = ?", arguments: [edition])
            guard let row = found.flatMap(Row.init) else { return nil }
            return (row, try Self.pieces(db, "edition = ?", [edition]))
        }
    }

    func rows() throws -> [Row] {
        try read {
            try GRDB.Row.fetchAll($0, sql: "SELECT \(Self.columns) FROM asset ORDER BY used DESC").compactMap(Row.init)
        }
    }

    func pieces(of edition: Int64) throws -> [Piece] { try read { try Self.pieces($0, "edition = ?", [edition]) } }

    /// The bytes of all assets.
    func total() throws -> Int64 { try read(Self.total) }

    /// Enters a new asset. Returns the edition that it replaces.
    func add(_ row: Row) throws -> Int64? {
        try write { db in
            let old = try Int64.fetchOne(db, sql: "SELECT edition FROM asset WHERE hash = ?", arguments: [row.hash])
            if let old { try Self.drop(db, old) }
            try db.execute(
                sql: "INSERT INTO asset VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, 0, ?, ?)",
                arguments: [
                    row.edition, row.hash, Data(row.url), row.facts.length, row.facts.type, row.facts.etag,
                    row.facts.lastModified, row.facts.servesRanges, row.retention.rawValue, row.made, row.used,
                ])
            return old
        }
    }

    func learn(_ facts: AssetFacts, of edition: Int64) throws {
        try write { db in
            try db.execute(
                sql: "UPDATE asset SET length = ?, type = ?, etag = ?, modified = ?, ranged = ? WHERE edition = ?",
                arguments: [facts.length, facts.type, facts.etag, facts.lastModified, facts.servesRanges, edition])
        }
    }

    /// Returns how many bytes of it were cached.
    @discardableResult
    func drop(_ edition: Int64) throws -> Int64 { try write { try Self.drop($0, edition) } }

    /// Drops everything. Returns how many bytes were cached.
    func dropAll() throws -> Int64 {
        try write { db in
            let total = try Self.total(db)
            let outlines = try Int64.fetchOne(db, sql: "SELECT sum(size) FROM outline") ?? 0
            try db.execute(sql: "DELETE FROM piece; DELETE FROM asset; DELETE FROM outline; UPDATE cache SET held = 0")
            return total.advanced(upTo: outlines)
        }
    }

    /// The hashes of what is kept offline, and how many bytes of each are cached.
    func offline() throws -> [String: Int64] {
        try read { db in
            let sql = "SELECT hash, bytes FROM asset WHERE shelf = ?"
            let rows = try GRDB.Row.fetchAll(db, sql: sql, arguments: [Asset.Retention.offline.rawValue])
            return Dictionary(
                rows.compactMap { row in
                    guard let hash = String.fromDatabaseValue(row["hash"]),
                        let bytes = Int64.fromDatabaseValue(row["bytes"]), bytes >= 0
                    else { return nil }
                    return (hash, bytes)
                }, uniquingKeysWith: { first, _ in first })
        }
    }

    func set(_ retention: Asset.Retention, of hash: String) throws {
        try write {
            try $0.execute(sql: "UPDATE asset SET shelf = ? WHERE hash = ?", arguments: [retention.rawValue, hash])
        }
    }

    func note(_ uses: Uses) throws { if !uses.isEmpty { try write { try Self.note($0, uses) } } }

    // MARK: - Pieces

    /// Saves a range in one transaction that excludes other writers. `fill` gets the pieces that are there, writes the
    /// missing bytes to the file and returns their pieces. A piece replaces another with the same start. nil if the
    /// asset is gone. If `fill` throws, nothing changes and the error is rethrown.
    func save(
        _ range: ClosedRange<Int64>, of edition: Int64, noting uses: Uses, fill: ([Piece]) throws -> [Piece]
    ) throws -> Saved? {
        try write { (db) -> Saved? in
            // Done even if this asset is gone: the uses are of other assets.
            try Self.note(db, uses)
            let exists = try Bool.fetchOne(db, sql: "SELECT 1 FROM asset WHERE edition = ?", arguments: [edition])
            guard exists == true else { return nil }
            // No piece is longer than the limit, so none that begins earlier reaches the range.
            let present = try Self.pieces(
                db, "edition = ? AND start BETWEEN ? AND ? AND start + length >= ?",
                [edition, range.lowerBound - Int64(Piece.limit), range.upperBound, range.lowerBound])
            let added = try fill(present)
            var growth: Int64 = 0
            for piece in added {
                growth += Int64(piece.length) - Int64(present.first { $0.start == piece.start }?.length ?? 0)
                try db.cachedStatement(sql: "INSERT OR REPLACE INTO piece VALUES (?, ?, ?, ?)").execute(
                    arguments: [edition, piece.start, piece.length, Data(piece.check.bytes)])
            }
            try Self.grow(db, edition, by: growth)
            return Saved(present: present, added: added, total: try Self.total(db))
        }
    }

    /// Drops those of `pieces` that are unchanged in the index. Returns how many bytes they had.
    @discardableResult
    func forget(_ pieces: [Piece], of edition: Int64) throws -> Int64 {
        try write { db in
            var bytes: Int64 = 0
            for piece in pieces {
                try db.cachedStatement(
                    sql: "DELETE FROM piece WHERE edition = ? AND start = ? AND length = ? AND proof = ?"
                ).execute(arguments: [edition, piece.start, piece.length, Data(piece.check.bytes)])
                if db.changesCount > 0 { bytes += Int64(piece.length) }
            }
            try Self.grow(db, edition, by: -bytes)
            return bytes
        }
    }

    /// Calls `body` for each part of `ranges` that no piece covers, while no process can save.
    func forEachFree(_ ranges: [ClosedRange<Int64>], of edition: Int64, _ body: (ClosedRange<Int64>) -> Void) throws {
        try write { db in
            var taken = ByteRanges()
            for piece in try Self.pieces(db, "edition = ?", [edition]) { taken.insert(piece.range) }
            for range in ranges { taken.gaps(in: range).forEach(body) }
        }
    }

    // MARK: - Texts

    // The table is called after its first use: another name would be another version, which drops the cache.

    func text(_ kind: KeptText, _ hash: String) throws -> (body: [UInt8], made: Double)? {
        try read { db in
            let sql = "SELECT body, made FROM outline WHERE hash = ?"
            guard let row = try GRDB.Row.fetchOne(db, sql: sql, arguments: [kind.prefix + hash]),
                let body = Data.fromDatabaseValue(row["body"]), let made = Double.fromDatabaseValue(row["made"])
            else { return nil }
            return (Array(body), made)
        }
    }

    /// Saves or removes a text. Drops the least recently used ones of its kind that exceed its limit in all, and those made before `oldest`.
    func setText(
        _ kind: KeptText, _ body: [UInt8]?, hash: String, now: Double, oldest: Double, noting uses: Uses
    ) throws {
        let isOfKind = kind.prefix.isEmpty ? "hash NOT LIKE '% %'" : "hash LIKE '\(kind.prefix)%'"
        try write { db in
            try Self.note(db, uses)
            let name = kind.prefix + hash
            try db.execute(
                sql: "DELETE FROM outline WHERE hash = ? OR (made < ? AND \(isOfKind))", arguments: [name, oldest])
            guard let body else { return }
            try db.execute(
                sql: "INSERT INTO outline VALUES (?, ?, ?, ?, ?)", arguments: [name, Data(body), body.count, now, now])
            try db.execute(
                sql: """
                    DELETE FROM outline WHERE hash IN (SELECT hash FROM (
                        SELECT hash, sum(size) OVER (ORDER BY used DESC, made DESC, hash) AS upTo FROM outline WHERE \(isOfKind))
                        WHERE upTo > ?)
                    """, arguments: [kind.limitOfAll])
        }
    }

    // MARK: - Within a transaction

    private static func pieces(_ db: Database, _ condition: String, _ arguments: StatementArguments) throws -> [Piece] {
        let sql = "SELECT start, length, proof FROM piece WHERE \(condition) ORDER BY start"
        let rows = try GRDB.Row.fetchCursor(try db.cachedStatement(sql: sql), arguments: arguments)
        var pieces: [Piece] = []
        while let row = try rows.next() {
            // Another program may have written the file: skip pieces that overlap or cannot be valid.
            guard let start = Int64.fromDatabaseValue(row["start"]), let length = Int.fromDatabaseValue(row["length"]),
                let data = Data.fromDatabaseValue(row["proof"]), let check = Piece.Check(Array(data)),
                let piece = Piece(start: start, length: length, check: check),
                pieces.last.map({ $0.range.upperBound < start }) ?? true
            else { continue }
            pieces.append(piece)
        }
        return pieces
    }

    private static func total(_ db: Database) throws -> Int64 {
        let total = try Int64.fetchOne(db, sql: "SELECT held FROM cache") ?? 0
        guard total >= 0 else { throw CacheTrouble.damaged("a cache of \(total) bytes") }
        return total
    }

    @discardableResult
    private static func drop(_ db: Database, _ edition: Int64) throws -> Int64 {
        let bytes = try Int64.fetchOne(db, sql: "SELECT bytes FROM asset WHERE edition = ?", arguments: [edition]) ?? 0
        guard bytes >= 0 else { throw CacheTrouble.damaged("an asset of \(bytes) bytes") }
        try grow(db, edition, by: -bytes)
        try db.execute(sql: "DELETE FROM asset WHERE edition = ?", arguments: [edition])
        return bytes
    }

    private static func grow(_ db: Database, _ edition: Int64, by bytes: Int64) throws {
        guard bytes != 0 else { return }
        try db.execute(sql: "UPDATE asset SET bytes = bytes + ? WHERE edition = ?", arguments: [bytes, edition])
        if db.changesCount > 0 { try db.execute(sql: "UPDATE cache SET held = held + ?", arguments: [bytes]) }
    }

    private static func note(_ db: Database, _ uses: Uses) throws {
        for (edition, used) in uses.assets {
            try db.execute(sql: "UPDATE asset SET used = ? WHERE edition = ?", arguments: [used, edition])
        }
        for edition in uses.lasting {
            try db.execute(
                sql: "UPDATE asset SET shelf = ? WHERE edition = ? AND shelf = ?",
                arguments: [Asset.Retention.lasting.rawValue, edition, Asset.Retention.home.rawValue])
        }
        for (hash, used) in uses.texts {
            try db.execute(sql: "UPDATE outline SET used = ? WHERE hash = ?", arguments: [used, hash])
        }
    }

    private func read<Value>(_ body: (Database) throws -> Value) throws -> Value {
        try Self.plainly { try pool.read(body) }
    }

    private func write<Value>(_ body: (Database) throws -> Value) throws -> Value {
        try Self.plainly { try pool.write(body) }
    }

    /// Turns SQLite's errors into `CacheTrouble`.
    private static func plainly<Value>(_ body: () throws -> Value) throws -> Value {
        do {
            return try body()
        } catch let error as DatabaseError {
            switch error.resultCode {
            case .SQLITE_FULL: throw CacheTrouble.full
            // SQLITE_ERROR means a missing table or column: not flick's database.
            case .SQLITE_CORRUPT, .SQLITE_NOTADB, .SQLITE_ERROR: throw CacheTrouble.damaged(error.message ?? "damaged")
            case .SQLITE_BUSY: throw CacheTrouble.busy
            default: throw CacheTrouble.failed(error.message ?? "error \(error.resultCode.rawValue) of SQLite")
            }
        } catch let error as CacheTrouble {
            throw error
        } catch {
            // A value of a type that flick does not write.
            throw CacheTrouble.damaged(String(describing: error))
        }
    }
}

extension CacheIndex.Row {
    /// nil for values that flick would not have written.
    fileprivate init?(_ row: GRDB.Row) {
        guard let edition = Int64.fromDatabaseValue(row["edition"]), let hash = String.fromDatabaseValue(row["hash"]),
            // The hash becomes part of a file name.
            hash.utf8.count == 64, hash.utf8.allSatisfy({ (48...57).contains($0) || (97...102).contains($0) }),
            let url = Data.fromDatabaseValue(row["url"]),
            let retention = String.fromDatabaseValue(row["shelf"]).flatMap(Asset.Retention.init),
            let bytes = Int64.fromDatabaseValue(row["bytes"]), bytes >= 0,
            let made = Double.fromDatabaseValue(row["made"]),
            let used = Double.fromDatabaseValue(row["used"])
        else { return nil }
        let length = Int64.fromDatabaseValue(row["length"])
        guard length.map({ $0 >= 0 }) ?? true else { return nil }
        self.init(
            edition: edition, hash: hash, url: Array(url),
            facts: AssetFacts(
                length: length, type: String.fromDatabaseValue(row["type"]),
                etag: String.fromDatabaseValue(row["etag"]), lastModified: String.fromDatabaseValue(row["modified"]),
                servesRanges: Bool.fromDatabaseValue(row["ranged"])),
            retention: retention, bytes: bytes, made: made, used: used)
    }
}
