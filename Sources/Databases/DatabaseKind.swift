import Platform

/// Which of flick's databases a file of SQLite is. The `application_id` in its header says so; files of earlier
/// versions have none and are known by their tables. A value.
package enum DatabaseKind: Int32, Sendable {
    /// "flkL": what flick remembers.
    case library = 0x666C_6B4C
    /// "flkS": what viewers of a served feed did.
    case service = 0x666C_6B53
    /// "flkC": the index of the cache.
    case cache = 0x666C_6B43

    /// Tables of the first version of each.
    private var tables: Set<String> {
        switch self {
        case .library: ["item", "follow", "event"]
        case .service: ["event", "reaction", "follow", "comment", "tally"]
        case .cache: ["cache", "asset", "piece", "outline"]
        }
    }

    /// Whether the file at `path` is flick's to write: it is of this kind, has nothing in it, or is not there. Only
    /// reads it, and leaves no file beside it; but a transaction that a killed program left half-written is undone,
    /// as by every program that reads it. Blocks, no longer than `wait` says. Throws `DatabaseError`.
    package func mayWrite(_ path: String, wait: Database.Wait) throws -> Bool {
        guard let identity = FileIdentity(path), !identity.isEmpty else { return true }
        guard let url = Self.untouchedURL(path) else { return try owns(path, wait) }
        do {
            return try owns(url, wait)
        } catch let error as DatabaseError where error.kind == .cannotOpen {
            // A SQLite that was built without URLs.
            return try owns(path, wait)
        }
    }

    private func owns(_ name: String, _ wait: Database.Wait) throws -> Bool {
        do {
            return try owns(name, .readOnly, wait)
        } catch let error as DatabaseError where error.kind == .readOnly {
            // There is a hot journal (https://www.sqlite.org/rescode.html#readonly_rollback).
            return try owns(name, .readWrite, wait)
        }
    }

    private func owns(_ name: String, _ mode: Database.Mode, _ wait: Database.Wait) throws -> Bool {
        let database = try Database(name, mode, wait: wait)
        return try database.transaction(writes: false) { database in
            let tables: [String] = try database.all("SELECT name FROM sqlite_master WHERE type = 'table'") { try $0[0] }
            return owns(id: try database.value("PRAGMA application_id") ?? 0, tables: Set(tables))
        }
    }

    /// Opens the file as immutable (https://www.sqlite.org/uri.html#uriimmutable): otherwise SQLite creates two files
    /// beside a database in WAL mode, even to read it. nil if there is a log, which has to be read too.
    private static func untouchedURL(_ path: String) -> String? {
        guard access(path + "-wal", F_OK) != 0, access(path + "-journal", F_OK) != 0 else { return nil }
        let escaped = path.utf8.flatMap { byte in
            "%?#".utf8.contains(byte) ? Array("%\(String(byte, radix: 16, uppercase: true))".utf8) : [byte]
        }
        return "file:\(String(decoding: escaped, as: UTF8.self))?immutable=1"
    }

    /// Writes the kind into the header, unless it is there. Comes before the first table, so that another flick does
    /// not take the file for another program's. Blocks.
    package func mark(_ pool: DatabasePool) throws {
        let id: Int32? = try pool.read { try $0.value("PRAGMA application_id") }
        if id != rawValue { try pool.write { try $0.execute("PRAGMA application_id = \(rawValue)") } }
    }

    /// - Parameters:
    ///   - id: the `application_id` of its header (https://www.sqlite.org/fileformat2.html#application_id), or 0
    ///     without one.
    ///   - tables: the names of its tables.
    private func owns(id: Int32, tables: Set<String>) -> Bool {
        if id != 0 { return id == rawValue }
        // The table of migrations is made before the first one.
        return tables.subtracting([Migrations.table]).isEmpty || self.tables.isSubset(of: tables)
    }
}

/// Which file a name leads to. A value.
package struct FileIdentity: Equatable, Sendable {
    private let device: UInt64
    private let node: UInt64
    package let isEmpty: Bool

    /// nil if there is no file.
    package init?(_ path: String) {
        var facts = stat()
        guard stat(path, &facts) == 0 else { return nil }
        (device, node, isEmpty) = (UInt64(facts.st_dev), UInt64(facts.st_ino), facts.st_size == 0)
    }

    /// A file that has grown is still the same.
    package static func == (one: FileIdentity, other: FileIdentity) -> Bool {
        one.device == other.device && one.node == other.node
    }
}
