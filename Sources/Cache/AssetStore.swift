import Model
import Threads

#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

/// The cache on disk: sparse files and an index (C2–C5). Blocks on files and SQLite: not for the shared pool, nor the main thread.
///
/// It never fails its users: where the folder cannot be used (read-only, full, gone, damaged) it says so once, keeps nothing, and finds nothing.
/// Any thread; two processes may share a folder.
package final class AssetStore: Sendable {
    private struct State {
        /// nil: the folder cannot be used.
        var folder: CacheFolder?
        /// In use by this process, by hash.
        var assets: [String: Held] = [:]
        /// Not written down yet.
        var uses = CacheIndex.Uses()
        var told: Set<Trouble> = []
        /// Nothing more is kept.
        var isFull = false
        var isEvicting = false
    }

    private final class Held: Sendable {
        let identity: ObjectIdentifier
        // Set once; the runtime clears it as one step.
        weak let asset: StoredAsset?

        init(_ asset: StoredAsset) {
            identity = ObjectIdentifier(asset)
            self.asset = asset
        }
    }

    /// Each is told once.
    private enum Trouble { case full, unusable, damaged, otherVersion, busy }

    /// The most bytes of one outline, and of all.
    static let outlineLimit = 1 << 20
    static let outlinesLimit = 20 << 20

    let options: CacheOptions
    /// Seconds since 1970.
    let now: @Sendable () -> Double
    let opened = OpenedPieces()
    private let write: SparseFile.Write
    private let notice: @Sendable (String) -> Void
    private let state = Monitor(State())

    /// Opens the folder, dropping a cache of another version or key; what has expired is dropped soon after. `notice` is called once at most for
    /// each kind of trouble, on any thread.
    init(
        _ options: CacheOptions, now: @escaping @Sendable () -> Double = AssetStore.wallClock,
        write: @escaping SparseFile.Write = SparseFile.writeAll, sweepsSoon: Bool = true,
        notice: @escaping @Sendable (String) -> Void
    ) {
        self.options = options
        self.now = now
        self.write = write
        self.notice = notice
        openFolder(isFresh: false)
        // Whoever reads first does not wait for this; if there is no thread, the next eviction or start does it.
        if sweepsSoon { BlockingThread.start { [weak self] in self?.sweep() } }
    }

    /// What is kept under a key; nil if nothing is. Counts as a use (C5: noted in memory only). What a home feed left is kept longer once it is asked
    /// for on the lasting retention (C4).
    package func asset(_ key: AssetKey, on retention: Asset.Retention = .home) -> StoredAsset? {
        let (held, folder) = state.withLock { ($0.assets[key.hash]?.asset, $0.folder) }
        if let held, !held.isGone {
            use(held.edition, on: retention)
            held.touch()
            return held
        }
        guard let folder else { return nil }
        do {
            guard var found = try folder.find(key.hash) else { return nil }
            let age = options.age / .seconds(1)
            if Eviction.isExpired(retention: found.row.retention, made: found.row.made, age: age, now: now()) {
                try folder.drop(hash: key.hash, edition: found.row.edition)
                return nil
            }
            use(found.row.edition, on: found.row.retention == .home ? retention : .home)
            found.row.used = now()
            return hold(
                StoredAsset(
                    store: self, folder: folder, file: found.file, row: found.row, pieces: found.pieces,
                    saves: options.pieceSize))
        } catch {
            trouble(error, with: folder)
            return nil
        }
    }

    /// A place to keep bytes under a key, whatever was kept there before being dropped. nil if nothing can be kept.
    package func make(_ key: AssetKey, facts: AssetFacts, retention: Asset.Retention) -> StoredAsset? {
        let (held, folder, isFull) = state.withLock { ($0.assets[key.hash]?.asset, $0.folder, $0.isFull) }
        guard let folder, let pieceSize = options.pieceSize, !isFull else { return nil }
        held?.leave()
        let url = Array(key.text.utf8)
        let row = CacheIndex.Row(
            edition: Int64.random(in: 1...Int64.max), hash: key.hash,
            url: folder.sealing?.wrap(url, as: "url " + key.hash) ?? url, facts: facts, retention: retention, bytes: 0,
            made: now(), used: now())
        do {
            let file = try makingRoom(in: folder) { try folder.make(row) }
            let asset = StoredAsset(store: self, folder: folder, file: file, row: row, pieces: [], saves: pieceSize)
            state.withLock { $0.assets[key.hash] = Held(asset) }
            return asset
        } catch {
            trouble(error, with: folder)
            return nil
        }
    }

    /// A few kilobytes that belong to a key, not counted among its bytes: what is known of a finished playlist, for when the network is away. nil
    /// forgets it. More than 1 MB are not kept.
    package func setOutline(_ bytes: [UInt8]?, for key: AssetKey) {
        guard let folder = state.withLock({ $0.folder }), options.pieceSize != nil || bytes == nil else { return }
        let body = bytes.flatMap { $0.count > Self.outlineLimit ? nil : $0 }
            .map { folder.sealing?.wrap($0, as: "outline " + key.hash) ?? $0 }
        do {
            try makingRoom(in: folder) { [now = now()] in
                try noting { uses in
                    try folder.index.setOutline(
                        body, hash: key.hash, now: now, oldest: now - options.age / .seconds(1),
                        limit: Self.outlinesLimit, noting: uses)
                }
            }
        } catch {
            trouble(error, with: folder)
        }
    }

    package func outline(for key: AssetKey) -> [UInt8]? {
        guard let folder = state.withLock({ $0.folder }) else { return nil }
        do {
            guard let (body, made) = try folder.index.outline(key.hash), now() - made <= options.age / .seconds(1)
            else { return nil }
            state.withLock { [now = now()] in $0.uses.outlines[key.hash] = now }
            guard let sealing = folder.sealing else { return body }
            return sealing.unwrap(body, as: "outline " + key.hash)
        } catch {
            trouble(error, with: folder)
            return nil
        }
    }

    /// Writes down what is only in memory (last uses). Blocks.
    package func settle() {
        guard let folder = state.withLock({ $0.folder }) else { return }
        for asset in inUse().values { use(asset.edition, at: asset.used) }
        do { try noting { try folder.index.note($0) } } catch { trouble(error, with: folder) }
    }

    // MARK: - For assets

    /// Notes a use in memory.
    func use(_ edition: Int64, at time: Double? = nil, on retention: Asset.Retention = .home) {
        let time = time ?? now()
        state.withLock { state in
            state.uses.assets[edition] = time
            if retention == .lasting { state.uses.lasting.insert(edition) }
        }
    }

    /// Whether bytes are still kept.
    var isKeeping: Bool { state.withLock { $0.folder != nil && !$0.isFull } }

    /// Calls `body` with the uses that are to be written along; they stay in memory if it throws.
    func noting<Value>(_ body: (CacheIndex.Uses) throws -> Value) throws -> Value {
        let uses = state.withLock { state in
            defer { state.uses = CacheIndex.Uses() }
            return state.uses
        }
        do {
            return try body(uses)
        } catch {
            state.withLock { state in
                state.uses.assets.merge(uses.assets) { newer, _ in newer }
                state.uses.outlines.merge(uses.outlines) { newer, _ in newer }
                state.uses.lasting.formUnion(uses.lasting)
            }
            throw error
        }
    }

    /// Calls `body`, and where the disk is full once more after an eviction. If that is not enough, nothing more is kept.
    func makingRoom<Value>(in folder: CacheFolder, _ body: () throws -> Value) throws -> Value {
        if folder.isRemoved { throw CacheTrouble.failed("\(ShownName.of(folder.path)) was removed") }
        do {
            return try body()
        } catch CacheTrouble.full {
            evict(isFull: true)
            return try body()
        }
    }

    /// All assets hold so many bytes now.
    func grown(to bytes: Int64) { if bytes > options.limit { evict() } }

    /// What to do about an error of `folder`'s. Keeping goes on where it can.
    func trouble(_ error: any Error, with folder: CacheFolder) {
        switch error as? CacheTrouble {
        case .full:
            state.withLock { $0.isFull = true }
            tell(.full, "cannot keep clips: no space left on device; free some, or give --cache-dir a folder elsewhere")
        case .busy:
            tell(.busy, "cannot keep some clips: another program holds \(ShownName.of(folder.path + "/index.db"))")
        case .damaged(let why):
            let isFirst = state.withLock { state in
                guard state.folder === folder else { return false }
                state.folder = nil
                return state.told.contains(.damaged) == false
            }
            for asset in inUse().values { asset.leave() }
            tell(.damaged(why))
            if isFirst { openFolder(isFresh: true) }
        case .failed(let why): close(why)
        case nil: close(String(describing: error))
        }
    }

    // MARK: - Taking away

    /// What is to be done some time after the start.
    func sweep() {
        evict()
        guard let folder = state.withLock({ $0.folder }) else { return }
        do { try folder.sweep() } catch { trouble(error, with: folder) }
    }

    /// Drops what has expired, and what is too much. One thread does; others go on, but for those that found the disk full: they wait for theirs.
    func evict(isFull: Bool = false) {
        guard let folder = beginEvicting(within: isFull ? .seconds(2) : .zero) else { return }
        defer { state.change { $0.isEvicting = false } }
        do {
            // A full disk takes no more notes.
            if !isFull { try noting { try folder.index.note($0) } }
            try evict(from: folder, isFull: isFull)
        } catch {
            trouble(error, with: folder)
        }
    }

    /// Blocks until it is this thread's turn, for `limit` at most. nil if it did not become so, or nothing is kept.
    private func beginEvicting(within limit: Duration) -> CacheFolder? {
        let turn: CacheFolder?? = state.wait(upTo: limit) { state in
            guard let folder = state.folder else { return .some(nil) }
            guard !state.isEvicting else { return nil }
            state.isEvicting = true
            return folder
        }
        return turn ?? nil
    }

    private func evict(from folder: CacheFolder, isFull: Bool) throws {
        let rows = try folder.index.rows()
        // Flick writes each edition once; the index may be anyone's work.
        let byEdition = Dictionary(rows.map { ($0.edition, $0) }) { first, _ in first }
        let inUse = inUse()
        let candidates = rows.map { row in
            Eviction.Candidate(
                edition: row.edition, bytes: row.bytes, used: inUse[row.edition]?.used ?? row.used, made: row.made,
                retention: row.retention, isInUse: inUse[row.edition] != nil)
        }
        var eviction = Eviction(
            candidates, held: try folder.index.held(), limit: options.limit, lowWater: options.lowWater,
            age: options.age / .seconds(1), now: now(), isFull: isFull)
        while let order = eviction.next() {
            switch order {
            case .drop(let edition):
                if let row = byEdition[edition] { eviction.freed(try folder.evict(row)) }
            case .thin(let edition, let bytes):
                if let asset = inUse[edition] { eviction.freed(try asset.thin(bytes)) }
            }
        }
    }

    /// Assets of this process, by edition.
    private func inUse() -> [Int64: StoredAsset] {
        let assets = state.withLock { $0.assets.values.compactMap(\.asset) }
        return Dictionary(assets.map { ($0.edition, $0) }) { first, _ in first }
    }

    /// The asset is not in use any more.
    func release(_ identity: ObjectIdentifier, hash: String, edition: Int64, used: Double) {
        state.withLock { state in
            state.uses.assets[edition] = used
            if state.assets[hash]?.identity == identity { state.assets[hash] = nil }
        }
    }

    /// Enters an asset, or returns the one that another thread has entered meanwhile.
    private func hold(_ asset: StoredAsset) -> StoredAsset {
        // What is read of a weak reference leaves the lock alive: were this the last use of it, `release` would wait for the lock.
        let other: StoredAsset? = state.withLock { state in
            let other = state.assets[asset.hash]?.asset
            if other?.edition != asset.edition { state.assets[asset.hash] = Held(asset) }
            return other
        }
        return other?.edition == asset.edition ? other ?? asset : asset
    }

    // MARK: - The folder

    private func openFolder(isFresh: Bool) {
        var sealing: Sealing?
        if let key = options.key {
            sealing = Sealing(key: key)
            if sealing == nil { return close("the key has \(key.count) bytes instead of \(Sealing.keySize)") }
        }
        do {
            let folder = try CacheFolder.open(
                options.folder, sealing: sealing, isFresh: isFresh, write: write, tell: tell)
            state.withLock { $0.folder = folder }
        } catch CacheTrouble.full {
            close("no space left on device")
        } catch CacheTrouble.busy {
            close("another program holds \(ShownName.of(options.folder))")
        } catch CacheTrouble.damaged(let why), CacheTrouble.failed(let why) {
            close(why)
        } catch {
            close(String(describing: error))
        }
    }

    private func close(_ why: String) {
        state.withLock { $0.folder = nil }
        tell(.unusable, "cannot keep clips: \(why); they come from the network each time")
    }

    private func tell(_ loss: CacheFolder.Loss) {
        switch loss {
        case .damaged(let why):
            tell(.damaged, "the cache was damaged (\(why)) and begins anew; clips are fetched again")
        case .otherVersion:
            tell(.otherVersion, "the cache was another version's and begins anew; clips are fetched again")
        }
    }

    private func tell(_ trouble: Trouble, _ text: String) {
        if state.withLock({ $0.told.insert(trouble).inserted }) { notice(text) }
    }

    static let wallClock: @Sendable () -> Double = {
        var time = timespec()
        clock_gettime(CLOCK_REALTIME, &time)
        return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
    }
}
