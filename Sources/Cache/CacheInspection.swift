import Model

/// Shows, verifies and empties a cache (`flick cache`), also while another flick uses it. A missing folder counts as an
/// empty cache. All calls block. Any thread.
public struct CacheInspection: Sendable {
    public struct Status: Equatable, Sendable {
        public var folder: String
        /// Cached bytes, as the index counts them.
        public var bytes: Int64
        public var limit: Int64
        public var entries: Int
        /// How much of that the user keeps offline, which is beside the limit.
        public var offlineBytes: Int64 = 0
        public var offlineEntries = 0
        /// The version of the index's layout. flick drops a cache of another version than `CacheInspection.version`
        /// when it starts.
        public var version: Int
        public var isSealed: Bool
    }

    public struct Entry: Equatable, Sendable {
        /// The canonical URL; "sealed:" and its SHA-256 if the cache is sealed with a key that was not given.
        public var url: String
        /// Cached bytes.
        public var bytes: Int64
        /// The length of the whole file; nil if unknown.
        public var length: Int64?
        public var type: String?
        /// In seconds since 1970, as last written to the index.
        public var lastUsed: Double
        public var retention: Asset.Retention
        /// Whether the whole file is cached.
        public var isWhole: Bool
    }

    public struct Verification: Equatable, Sendable {
        public var entries = 0
        /// How many bytes were read.
        public var bytes: Int64 = 0
        /// How many of them differ from what was saved.
        public var badBytes: Int64 = 0
        /// How many damaged pieces were dropped.
        public var dropped = 0
    }

    public static let version = CacheIndex.version

    private let options: CacheOptions
    private let sealing: Sealing?
    /// nil if there is no cache.
    private let folder: CacheFolder?
    /// Why the index cannot be read.
    private let damage: String?

    public init(_ options: CacheOptions) throws(CacheInspectionError) {
        let sealing = options.key.flatMap(Sealing.init)
        if options.key != nil, sealing == nil {
            throw CacheInspectionError("cannot open the cache: the key must be \(Sealing.keySize) bytes long")
        }
        let found: (folder: CacheFolder?, damage: String?) = try Self.plainly(options) {
            do {
                return (try CacheFolder.existing(options.folder, sealing: sealing), nil)
            } catch CacheError.damaged(let why) {
                return (nil, why)
            }
        }
        (folder, damage) = found
        self.options = options
        self.sealing = sealing
    }

    public func status() throws(CacheInspectionError) -> Status {
        try inspect { folder in
            let version = try folder?.index.foundVersion() ?? Self.version
            var status = Status(
                folder: options.folder, bytes: 0, limit: options.limit, entries: 0, version: version, isSealed: false)
            guard let folder, try folder.found() != .empty, version == Self.version else { return status }
            status.bytes = try folder.index.total()
            status.entries = try folder.index.rows().count
            let offline = try folder.index.offline()
            (status.offlineBytes, status.offlineEntries) = (offline.values.reduce(0, +), offline.count)
            status.isSealed = try folder.index.seal() != nil
            return status
        }
    }

    /// The most recently used first.
    public func entries() throws(CacheInspectionError) -> [Entry] {
        try inspect { folder in try rows(folder).map(entry) }
    }

    /// Reads every piece and drops damaged ones. Calls `each` after each entry.
    public func verify(_ each: (Entry, _ badBytes: Int64) -> Void) throws(CacheInspectionError) -> Verification {
        try inspect { folder in
            var sum = Verification()
            for row in try rows(folder) {
                guard let folder else { break }
                if try folder.found() == .otherKey { throw CacheError.failed("it is encrypted with another key") }
                let file = folder.file(of: row)
                let pieces = try folder.index.pieces(of: row.edition)
                let bad = pieces.filter { piece in
                    guard let file else { return true }
                    let plain = StoredAsset.plain(
                        of: piece, in: file, sealing: sealing, hash: row.hash, edition: row.edition)
                    return plain == nil
                }
                // Pieces that flick dropped in the meantime do not count as bad.
                let badBytes = bad.isEmpty ? 0 : try folder.index.forget(bad, of: row.edition)
                sum.entries += 1
                sum.bytes += pieces.reduce(0) { $0 + Int64($1.length) }
                sum.badBytes += badBytes
                sum.dropped += badBytes > 0 ? bad.count : 0
                each(entry(row), badBytes)
            }
            return sum
        }
    }

    /// Empties the cache, also while another flick runs; files that it has open disappear when it closes them. Returns
    /// how many bytes were freed.
    public func clear() throws(CacheInspectionError) -> Int64 {
        try Self.plainly(options) {
            do {
                if damage == nil, try folder?.found() != .empty, try folder?.index.foundVersion() == Self.version {
                    return try folder?.clear() ?? 0
                }
            } catch CacheError.damaged {
                // Removes what cannot be read without looking at it.
            }
            if damage != nil || folder != nil { try CacheFolder.removeAll(options.folder) }
            return 0
        }
    }

    /// The rows of the index; none if the cache has another version.
    private func rows(_ folder: CacheFolder?) throws -> [CacheIndex.Row] {
        guard let folder, try folder.index.foundVersion() == Self.version else { return [] }
        return try folder.index.rows()
    }

    private func entry(_ row: CacheIndex.Row) -> Entry {
        // Opening the row decides whether it is sealed: a URL in plain text cannot be opened.
        let sealed = "sealed:" + row.hash
        let isPlain = row.url.starts(with: "http".utf8) || row.url.starts(with: AssetKey.nameMark.utf8)
        let url = isPlain ? row.url : sealing?.unwrap(row.url, as: "url " + row.hash)
        return Entry(
            url: url.map { String(decoding: $0, as: UTF8.self) } ?? sealed, bytes: row.bytes, length: row.facts.length,
            type: row.facts.type, lastUsed: row.used, retention: row.retention, isWhole: row.bytes == row.facts.length)
    }

    private func inspect<Value>(_ body: (CacheFolder?) throws -> Value) throws(CacheInspectionError) -> Value {
        try Self.plainly(options) {
            if let damage { throw CacheError.damaged(damage) }
            return try body(folder)
        }
    }

    private static func plainly<Value>(_ options: CacheOptions, _ body: () throws -> Value) throws(CacheInspectionError)
        -> Value
    {
        let name = ShownName.of(options.folder)
        do {
            return try body()
        } catch CacheError.full {
            throw CacheInspectionError("cannot use the cache in \(name): the disk is full; free some space")
        } catch CacheError.busy {
            throw CacheInspectionError("cannot use the cache in \(name): another program has locked it; try again")
        } catch CacheError.damaged(let why) {
            throw CacheInspectionError(
                "cannot read the cache in \(name): \(why); `flick cache clear` empties it", isDamage: true)
        } catch CacheError.failed(let why) {
            throw CacheInspectionError("cannot use the cache in \(name): \(why)")
        } catch {
            throw CacheInspectionError("cannot use the cache in \(name): \(error)")
        }
    }
}

/// Why `CacheInspection` fails, as one line. A value.
public struct CacheInspectionError: Error, Equatable, Sendable, CustomStringConvertible {
    public let description: String
    /// Whether emptying the cache helps.
    public let isDamage: Bool

    init(_ description: String, isDamage: Bool = false) {
        self.description = description
        self.isDamage = isDamage
    }
}
