import Model
import Platform

/// Why the cache cannot be used. A value.
enum CacheError: Error, Equatable {
    /// The disk is full.
    case full
    /// The index is not what flick wrote.
    case damaged(String)
    /// Another process has locked it for too long.
    case busy
    case failed(String)
}

/// The cache's folder: `index.db`, and `assets/` with a sparse file for each asset. Other users of the machine cannot
/// read it. Blocks. Any thread.
///
/// A change to a whole asset that is interrupted leaves at most a file without an entry, which `sweep` removes.
final class CacheFolder: Sendable {
    let path: String
    let index: CacheIndex
    let sealing: Sealing?
    private let assets: Int32
    private let write: SparseFile.Write

    /// The state of a folder's index.
    enum Found { case usable, empty, otherVersion, otherKey }

    /// Why flick drops a whole cache without a request from the user.
    enum DropReason { case damaged(String), otherVersion }

    /// A text sealed in the index: it opens only with the right key.
    private static let sealed = Array("flick".utf8)

    /// Opens the folder, or creates it. Drops a cache that is damaged, of another version, or sealed with another key.
    /// Throws `CacheError`.
    /// - Parameters:
    ///   - isFresh: drops any existing cache.
    ///   - index: the index that is unusable: if another flick has replaced it,
    ///     that one's cache is opened, not dropped.
    ///   - report: called if flick drops the cache for a reason that the user did not cause.
    static func open(
        _ path: String, sealing: Sealing?, isFresh: Bool = false, insteadOf index: CacheIndex? = nil,
        write: @escaping SparseFile.Write, report: (DropReason) -> Void
    ) throws -> CacheFolder {
        try makeFolders(path)
        let lock = try lock(path)
        defer { close(lock) }
        let assets = try openFolder(path + "/assets", isToBeMade: true)
        do {
            if isFresh, index?.isReplaced != true { try removeOwn(path, assets) }
            do {
                let index = try usableIndex(path, assets, sealing, report)
                return CacheFolder(path, assets, index, sealing, write)
            } catch CacheError.damaged(let why) {
                report(.damaged(why))
                removeAll(path, assets)
                let index = try usableIndex(path, assets, sealing, report)
                return CacheFolder(path, assets, index, sealing, write)
            }
        } catch {
            close(assets)
            throw error
        }
    }

    /// Whether the folder was removed, so that anything written to it is lost.
    var isRemoved: Bool {
        var facts = stat()
        return fstat(assets, &facts) != 0 || facts.st_nlink == 0
    }

    /// Opens an existing folder without changing it; nil if there is no cache. Throws `CacheError`.
    static func existing(_ path: String, sealing: Sealing?) throws -> CacheFolder? {
        guard access(path + "/index.db", F_OK) == 0 else {
            if errno == ENOENT || errno == ENOTDIR { return nil }
            throw CacheError.failed("'\(path)': \(SystemError.text(errno))")
        }
        let assets = try openFolder(path + "/assets", isToBeMade: true)
        do {
            let index = try CacheIndex(path: path + "/index.db")
            return CacheFolder(path, assets, index, sealing, SparseFile.writeAll)
        } catch {
            close(assets)
            throw error
        }
    }

    /// Removes index and files, also if the index cannot be opened. Throws `CacheError`.
    static func removeAll(_ path: String) throws {
        let lock = try lock(path)
        defer { close(lock) }
        let assets = try openFolder(path + "/assets", isToBeMade: true)
        defer { close(assets) }
        try removeOwn(path, assets)
    }

    private init(
        _ path: String, _ assets: Int32, _ index: CacheIndex, _ sealing: Sealing?, _ write: @escaping SparseFile.Write
    ) {
        self.path = path
        self.assets = assets
        self.index = index
        self.sealing = sealing
        self.write = write
    }

    deinit { close(assets) }

    /// Whether the index has this version and this key (or no key, if none is given).
    func found() throws -> Found { try Self.found(index, sealing) }

    // MARK: - Assets

    /// Creates an empty file, and replaces what was cached under `row.hash`. Throws `CacheError`.
    func make(_ row: CacheIndex.Row) throws -> SparseFile {
        guard let file = SparseFile(folder: assets, name: row.fileName, isNew: true, write: write), file.lock(.shared)
        else { throw Self.systemError(errno, "'\(path)/assets'") }
        do {
            if let old = try index.add(row) { remove(hash: row.hash, edition: old) }
        } catch {
            remove(hash: row.hash, edition: row.edition)
            throw error
        }
        return file
    }

    /// The asset cached under a hash, locked against eviction; nil if it is not cached. Throws `CacheError`.
    func find(_ hash: String) throws -> (row: CacheIndex.Row, pieces: [Piece], file: SparseFile)? {
        guard let edition = try index.edition(of: hash) else { return nil }
        let name = CacheIndex.Row.fileName(hash: hash, edition: edition)
        guard let file = SparseFile(folder: assets, name: name, isNew: false, write: write) else {
            if errno == ENOENT { try index.drop(edition) }
            return nil
        }
        guard Self.wait(for: file), file.isNamed, let found = try index.asset(edition) else { return nil }
        return (found.row, found.pieces, file)
    }

    /// Waits for a lock. A process that evicts is done within moments; if it is
    /// not (it was stopped), the asset counts as missing.
    private static func wait(for file: SparseFile) -> Bool {
        for _ in 0..<50 {
            if file.lock(.shared) { return true }
            // flock(2) has no timeout, so this polls.
            usleep(2000)
        }
        return false
    }

    /// Drops an asset unless another process uses it. Returns how many bytes
    /// were freed, 0 if it is in use. Throws `CacheError`.
    func evict(_ row: CacheIndex.Row) throws -> Int64 {
        let file = SparseFile(folder: assets, name: row.fileName, isNew: false, write: write)
        if let file, !file.lock(.exclusive) { return 0 }
        return try withExtendedLifetime(file) { try drop(hash: row.hash, edition: row.edition) }
    }

    /// Drops an asset even if it is in use: its users keep their open file. Throws `CacheError`.
    @discardableResult
    func drop(hash: String, edition: Int64) throws -> Int64 {
        let bytes = try index.drop(edition)
        remove(hash: hash, edition: edition)
        return bytes
    }

    /// Removes files without an entry, which a killed process left behind. Throws `CacheError`.
    func sweep() throws {
        let names = Self.names(assets)
        let known = Set(try index.rows().map(\.fileName))
        for name in names where !known.contains(name) {
            // A file that is being created right now is locked, or will be in a moment: only older ones are removed.
            var facts = stat()
            guard fstatat(assets, name, &facts, AT_SYMLINK_NOFOLLOW) == 0, time(nil) - facts.modified.tv_sec > 60 else {
                continue
            }
            if let file = SparseFile(folder: assets, name: name, isNew: false, write: write), !file.lock(.exclusive) {
                continue
            }
            unlinkat(assets, name, 0)
        }
    }

    /// Drops all assets, also those in use. Returns how many bytes were cached. Throws `CacheError`.
    func clear() throws -> Int64 {
        let bytes = try index.dropAll()
        for name in Self.names(assets) { unlinkat(assets, name, 0) }
        return bytes
    }

    /// The file of an asset, for inspection; nil if it is gone.
    func file(of row: CacheIndex.Row) -> SparseFile? {
        SparseFile(folder: assets, name: row.fileName, isNew: false, write: write)
    }

    private func remove(hash: String, edition: Int64) {
        // Ignores failures: a file that is not there need not be removed, and `sweep` retries the others.
        unlinkat(assets, CacheIndex.Row.fileName(hash: hash, edition: edition), 0)
    }

    // MARK: - Opening

    private static func found(_ index: CacheIndex, _ sealing: Sealing?) throws -> Found {
        guard let version = try index.foundVersion() else { return .empty }
        guard version == CacheIndex.version else { return .otherVersion }
        guard let seal = try index.seal() else { return sealing == nil ? .usable : .otherKey }
        return sealing?.unwrap(seal, as: "cache") == sealed ? .usable : .otherKey
    }

    private static func usableIndex(
        _ path: String, _ assets: Int32, _ sealing: Sealing?, _ report: (DropReason) -> Void
    ) throws -> CacheIndex {
        let index = try indexFile(path)
        let found = try found(index, sealing)
        switch found {
        case .usable: return index
        case .empty:
            try index.create(seal: sealing?.wrap(sealed, as: "cache"))
            return index
        case .otherVersion, .otherKey:
            index.close()
            removeAll(path, assets)
            if found == .otherVersion { report(.otherVersion) }
            let new = try indexFile(path)
            try new.create(seal: sealing?.wrap(sealed, as: "cache"))
            return new
        }
    }

    /// SQLite gives its journal the permissions of the database file, so this creates the file first.
    private static func indexFile(_ path: String) throws -> CacheIndex {
        let name = path + "/index.db"
        let descriptor = openFile(name, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK, 0o600)
        guard descriptor >= 0 else { throw systemError(errno, "'\(name)'") }
        close(descriptor)
        return try CacheIndex(path: name)
    }

    /// Removes everything, unless the index is another program's. A damaged
    /// index counts as flick's. Throws `CacheError`.
    private static func removeOwn(_ path: String, _ assets: Int32) throws {
        do { try CacheIndex.refuseOthers(path + "/index.db") } catch CacheError.damaged {}
        removeAll(path, assets)
    }

    private static func removeAll(_ path: String, _ assets: Int32) {
        for name in ["index.db", "index.db-wal", "index.db-shm"] { unlink(path + "/" + name) }
        for name in names(assets) { unlinkat(assets, name, 0) }
    }

    private static func makeFolders(_ path: String) throws {
        var made = ""
        for part in path.split(separator: "/") {
            made += "/" + part
            if mkdir(made, 0o700) == 0 || errno == EEXIST { continue }
            let code = errno
            if access(made, F_OK) != 0 { throw systemError(code, "'\(made)'") }
        }
    }

    /// Takes a lock while a cache is opened or removed, so that two processes that start together do not both do that.
    private static func lock(_ path: String) throws -> Int32 {
        let name = path + "/lock"
        let descriptor = openFile(name, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK, 0o600)
        guard descriptor >= 0 else { throw systemError(errno, "'\(path)'") }
        for _ in 0..<500 {
            if flock(descriptor, LOCK_EX | LOCK_NB) == 0 { return descriptor }
            // Polls as `wait` does, because flock(2) has no timeout.
            usleep(10_000)
        }
        close(descriptor)
        throw CacheError.busy
    }

    private static func openFolder(_ path: String, isToBeMade: Bool) throws -> Int32 {
        if isToBeMade, mkdir(path, 0o700) != 0, errno != EEXIST { throw systemError(errno, "'\(path)'") }
        let descriptor = openFile(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC | O_NOFOLLOW)
        guard descriptor >= 0 else { throw systemError(errno, "'\(path)'") }
        return descriptor
    }

    /// Only flick's own files: other files in a folder that the user named are not removed.
    private static func names(_ folder: Int32) -> [String] {
        // A second descriptor: `fdopendir` owns it with its position, and `closedir` closes it.
        let descriptor = openat(folder, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard descriptor >= 0 else { return [] }
        guard let stream = fdopendir(descriptor) else {
            close(descriptor)
            return []
        }
        defer { closedir(stream) }
        var names: [String] = []
        while let entry = readdir(stream) {
            let name = withUnsafePointer(to: &entry.pointee.d_name) { name in
                name.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) }
            }
            if CacheIndex.Row.isFileName(name) { names.append(name) }
        }
        return names
    }

    static func systemError(_ code: Int32, _ subject: String) -> CacheError {
        code == ENOSPC || code == EDQUOT ? .full : .failed("\(subject): \(SystemError.text(code))")
    }
}

/// open(2). The name `open` means a method of this file.
private func openFile(_ path: String, _ flags: Int32, _ mode: mode_t = 0) -> Int32 { open(path, flags, mode) }
