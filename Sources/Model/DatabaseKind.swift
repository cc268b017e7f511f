#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

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

    /// Whether a file is flick's to write: it is of this kind, or has nothing in it.
    ///
    /// - Parameters:
    ///   - id: the `application_id` of its header (https://www.sqlite.org/fileformat2.html#application_id), 0 if there
    ///     is none.
    ///   - tables: the names of its tables.
    package func owns(id: Int32, tables: Set<String>) -> Bool {
        if id != 0 { return id == rawValue }
        // GRDB makes the table of migrations before the first one.
        return tables.subtracting(["grdb_migrations"]).isEmpty || self.tables.isSubset(of: tables)
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
