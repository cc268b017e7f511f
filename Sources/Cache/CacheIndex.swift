internal import Databases
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

    /// The result of a save.
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
        /// Assets of a home feed that the user has requested by name: they get the lasting retention.
        var lasting: Set<Int64> = []
        var isEmpty: Bool { assets.isEmpty && texts.isEmpty && lasting.isEmpty }
    }

    private static let columns = "edition, hash, url, length, type, etag, modified, ranged, shelf, bytes, made, used"

    private let pool: DatabasePool
    private let path: String
    private let identity: FileIdentity?

    /// Opens an index, or creates one. Throws `CacheError`.
    init(path: String) throws {
        self.path = path
        // The picture waits for what is cached, but not for a program that keeps the file locked.
        let wait = Database.Wait.upTo(500)
        try Self.refuseOthers(path, wait)
        pool = try Self.plainly { try DatabasePool(path, DatabasePool.Options(wait: wait, readers: 3)) }
        identity = FileIdentity(path)
    }

    /// Whether the file was removed or replaced, so that what is written to it is lost.
    var isRemoved: Bool { FileIdentity(path) != identity }

    /// Whether another file has the name, as when another flick has made the index again.
    var isReplaced: Bool { isRemoved && FileIdentity(path) != nil }

    /// Throws `CacheError.failed` for another program's database, to which nothing was written.
    static func refuseOthers(_ path: String) throws { try refuseOthers(path, .upTo(0)) }

    private static func refuseOthers(_ path: String, _ wait: Database.Wait) throws {
        guard try plainly({ try DatabaseKind.cache.mayWrite(path, wait: wait) }) else {
            throw CacheError.failed(
                "\(ShownName.of(path)) is another program's database; pass another --cache-dir")
        }
    }

    /// nil if the file has no schema yet.
    func foundVersion() throws -> Int? {
        try read { db in
            guard try db.hasRow("SELECT 1 FROM sqlite_master") else { return nil }
            return try db.value("PRAGMA user_version")
        }
    }

    func seal() throws -> [UInt8]? {
        try read { try $0.first("SELECT seal FROM cache") { try $0[0] as [UInt8]? } ?? nil }
    }

    func create(seal: [UInt8]?) throws {
        try write { db in
            try db.execute(
                """
                CREATE TABLE cache (held INTEGER NOT NULL, seal BLOB);
                CREATE TABLE asset (
                    edition INTEGER PRIMARY KEY, hash TEXT NOT NULL UNIQUE, url BLOB NOT NULL, length INTEGER, type TEXT,
                    etag TEXT,
                    modified TEXT, ranged INTEGER, shelf TEXT NOT NULL, bytes INTEGER NOT NULL, made REAL NOT NULL,
                    used REAL NOT NULL);
                CREATE TABLE piece (
                    edition INTEGER NOT NULL REFERENCES asset ON DELETE CASCADE, start INTEGER NOT NULL,
                    length INTEGER NOT NULL,
                    proof BLOB NOT NULL, PRIMARY KEY (edition, start)) WITHOUT ROWID;
                CREATE TABLE outline (
                    hash TEXT PRIMARY KEY, body BLOB NOT NULL, size INTEGER NOT NULL, made REAL NOT NULL,
                    used REAL NOT NULL) WITHOUT ROWID;
                PRAGMA user_version = \(Self.version);
                PRAGMA application_id = \(DatabaseKind.cache.rawValue);
                """)
            try db.execute("INSERT INTO cache (held, seal) VALUES (0, ?)", [seal])
        }
    }

    func close() {
        pool.close()
    }

    /// Runs any statement, for tests.
    func run(_ sql: String) throws { try write { try $0.execute(sql) } }

    // MARK: - Assets

    func edition(of hash: String) throws -> Int64? {
        try read { try $0.value("SELECT edition FROM asset WHERE hash = ?", [hash]) }
    }

    /// An asset with its valid pieces.
    func asset(_ edition: Int64) throws -> (row: Row, pieces: [Piece])? {
        try read { db in
            let found = try db.first("SELECT \(Self.columns) FROM asset WHERE edition = ?", [edition], Row.init)
            guard let found, let row = found else { return nil }
            return (row, try Self.pieces(db, "edition = ?", [edition]))
        }
    }

    func rows() throws -> [Row] {
        try read { try $0.all("SELECT \(Self.columns) FROM asset ORDER BY used DESC", [], Row.init).compactMap(\.self) }
    }

    func pieces(of edition: Int64) throws -> [Piece] { try read { try Self.pieces($0, "edition = ?", [edition]) } }

    /// The bytes of all assets.
    func total() throws -> Int64 { try read(Self.total) }

    /// Enters a new asset. Returns the edition that it replaces.
    func add(_ row: Row) throws -> Int64? {
        try write { db in
            let old: Int64? = try db.value("SELECT edition FROM asset WHERE hash = ?", [row.hash])
            if let old { try Self.drop(db, old) }
            try db.execute(
                "INSERT INTO asset VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, 0, ?, ?)",
                [
                    row.edition, row.hash, row.url, row.facts.length, row.facts.type, row.facts.etag,
                    row.facts.lastModified, row.facts.servesRanges, row.retention.rawValue, row.made, row.used,
                ])
            return old
        }
    }

    func learn(_ facts: AssetFacts, of edition: Int64) throws {
        try write { db in
            try db.execute(
                "UPDATE asset SET length = ?, type = ?, etag = ?, modified = ?, ranged = ? WHERE edition = ?",
                [facts.length, facts.type, facts.etag, facts.lastModified, facts.servesRanges, edition])
        }
    }

    /// Returns how many bytes of it were cached.
    @discardableResult
    func drop(_ edition: Int64) throws -> Int64 { try write { try Self.drop($0, edition) } }

    /// Drops everything. Returns how many bytes were cached.
    func dropAll() throws -> Int64 {
        try write { db in
            let total = try Self.total(db)
            let outlines: Int64 = try db.value("SELECT ifnull(sum(size), 0) FROM outline") ?? 0
            try db.execute("DELETE FROM piece; DELETE FROM asset; DELETE FROM outline; UPDATE cache SET held = 0")
            return total.advanced(upTo: outlines)
        }
    }

    /// The hashes of the assets kept offline, and how many bytes of each are cached.
    func offline() throws -> [String: Int64] {
        try read { db in
            let sql = "SELECT hash, bytes FROM asset WHERE shelf = ?"
            var found: [String: Int64] = [:]
            try db.forEachRow(sql, [Asset.Retention.offline.rawValue]) { row in
                guard let hash: String = row.valid("hash"), let bytes: Int64 = row.valid("bytes"), bytes >= 0
                else { return }
                found[hash] = bytes
            }
            return found
        }
    }

    func set(_ retention: Asset.Retention, of hash: String) throws {
        try write {
            try $0.execute("UPDATE asset SET shelf = ? WHERE hash = ?", [retention.rawValue, hash])
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
            guard try db.hasRow("SELECT 1 FROM asset WHERE edition = ?", [edition]) else { return nil }
            // No piece is longer than the limit, so none that begins earlier reaches the range.
            let present = try Self.pieces(
                db, "edition = ? AND start BETWEEN ? AND ? AND start + length >= ?",
                [edition, range.lowerBound - Int64(Piece.limit), range.upperBound, range.lowerBound])
            let added = try fill(present)
            var growth: Int64 = 0
            for piece in added {
                growth += Int64(piece.length) - Int64(present.first { $0.start == piece.start }?.length ?? 0)
                try db.execute(
                    "INSERT OR REPLACE INTO piece VALUES (?, ?, ?, ?)",
                    [edition, piece.start, piece.length, piece.check.bytes])
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
                try db.execute(
                    "DELETE FROM piece WHERE edition = ? AND start = ? AND length = ? AND proof = ?",
                    [edition, piece.start, piece.length, piece.check.bytes])
                if db.changes > 0 { bytes += Int64(piece.length) }
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

    // The table is named after its first use: another name would be another version, which drops the cache.

    func text(_ kind: KeptText, _ hash: String) throws -> (body: [UInt8], made: Double)? {
        try read { db in
            let sql = "SELECT body, made FROM outline WHERE hash = ?"
            let found = try db.first(sql, [kind.prefix + hash]) { row -> (body: [UInt8], made: Double)? in
                guard let body: [UInt8] = row.valid("body"), let made: Double = row.valid("made") else { return nil }
                return (body, made)
            }
            return found ?? nil
        }
    }

    /// Saves or removes a text. Drops the least recently used ones of its kind that exceed its limit in all, and those
    /// made before `oldest`.
    func setText(
        _ kind: KeptText, _ body: [UInt8]?, hash: String, now: Double, oldest: Double, noting uses: Uses
    ) throws {
        let isOfKind = kind.prefix.isEmpty ? "hash NOT LIKE '% %'" : "hash LIKE '\(kind.prefix)%'"
        try write { db in
            try Self.note(db, uses)
            let name = kind.prefix + hash
            try db.execute(
                "DELETE FROM outline WHERE hash = ? OR (made < ? AND \(isOfKind))", [name, oldest])
            guard let body else { return }
            try db.execute(
                "INSERT INTO outline VALUES (?, ?, ?, ?, ?)", [name, body, body.count, now, now])
            try db.execute(
                """
                DELETE FROM outline WHERE hash IN (SELECT hash FROM (
                    SELECT hash, sum(size) OVER (ORDER BY used DESC, made DESC, hash) AS upTo FROM outline
                    WHERE \(isOfKind))
                    WHERE upTo > ?)
                """, [kind.limitOfAll])
        }
    }

    // MARK: - Within a transaction

    private static func pieces(
        _ db: Database, _ condition: String, _ arguments: [any DatabaseValue]
    ) throws -> [Piece] {
        var pieces: [Piece] = []
        try db.forEachRow("SELECT start, length, proof FROM piece WHERE \(condition) ORDER BY start", arguments) {
            row in
            // Another program may have written the file: skip pieces that overlap or cannot be valid.
            guard let start: Int64 = row.valid("start"), let length: Int = row.valid("length"),
                let check = row.valid("proof").flatMap(Piece.Check.init),
                let piece = Piece(start: start, length: length, check: check),
                pieces.last.map({ $0.range.upperBound < start }) ?? true
            else { return }
            pieces.append(piece)
        }
        return pieces
    }

    private static func total(_ db: Database) throws -> Int64 {
        let total: Int64 = try db.value("SELECT held FROM cache") ?? 0
        guard total >= 0 else { throw CacheError.damaged("a cache of \(total) bytes") }
        return total
    }

    @discardableResult
    private static func drop(_ db: Database, _ edition: Int64) throws -> Int64 {
        let bytes: Int64 = try db.value("SELECT bytes FROM asset WHERE edition = ?", [edition]) ?? 0
        guard bytes >= 0 else { throw CacheError.damaged("an asset of \(bytes) bytes") }
        try grow(db, edition, by: -bytes)
        try db.execute("DELETE FROM asset WHERE edition = ?", [edition])
        return bytes
    }

    private static func grow(_ db: Database, _ edition: Int64, by bytes: Int64) throws {
        guard bytes != 0 else { return }
        try db.execute("UPDATE asset SET bytes = bytes + ? WHERE edition = ?", [bytes, edition])
        if db.changes > 0 { try db.execute("UPDATE cache SET held = held + ?", [bytes]) }
    }

    private static func note(_ db: Database, _ uses: Uses) throws {
        for (edition, used) in uses.assets {
            try db.execute("UPDATE asset SET used = ? WHERE edition = ?", [used, edition])
        }
        for edition in uses.lasting {
            try db.execute(
                "UPDATE asset SET shelf = ? WHERE edition = ? AND shelf = ?",
                [Asset.Retention.lasting.rawValue, edition, Asset.Retention.home.rawValue])
        }
        for (hash, used) in uses.texts {
            try db.execute("UPDATE outline SET used = ? WHERE hash = ?", [used, hash])
        }
    }

    private func read<Value>(_ body: (Database) throws -> Value) throws -> Value {
        try Self.plainly { try pool.read(body) }
    }

    private func write<Value>(_ body: (Database) throws -> Value) throws -> Value {
        try Self.plainly { try pool.write(body) }
    }

    /// Turns SQLite's errors into `CacheError`.
    private static func plainly<Value>(_ body: () throws -> Value) throws -> Value {
        do {
            return try body()
        } catch let error as DatabaseError {
            switch error.kind {
            case .full: throw CacheError.full
            case .corrupt, .notADatabase, .generic, .type: throw CacheError.damaged(error.description)
            case .busy: throw CacheError.busy
            default: throw CacheError.failed(error.description)
            }
        }
    }
}

extension CacheIndex.Row {
    /// nil for values that flick would not have written.
    fileprivate init?(_ row: borrowing Databases.Row) {
        guard let edition: Int64 = row.valid("edition"), let hash: String = row.valid("hash"),
            // The hash becomes part of a file name.
            hash.utf8.count == 64, hash.utf8.allSatisfy({ (48...57).contains($0) || (97...102).contains($0) }),
            let url: [UInt8] = row.valid("url"),
            let retention = row.valid("shelf").flatMap(Asset.Retention.init),
            let bytes: Int64 = row.valid("bytes"), bytes >= 0,
            let made: Double = row.valid("made"), let used: Double = row.valid("used")
        else { return nil }
        let length: Int64? = row.valid("length")
        guard length.map({ $0 >= 0 }) ?? true else { return nil }
        self.init(
            edition: edition, hash: hash, url: url,
            facts: AssetFacts(
                length: length, type: row.valid("type"), etag: row.valid("etag"), lastModified: row.valid("modified"),
                servesRanges: row.valid("ranged")),
            retention: retention, bytes: bytes, made: made, used: used)
    }
}
