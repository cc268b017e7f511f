import Model
import Platform
import Threads

/// The cache on disk: sparse files and an index. Blocks on files and SQLite: do not call it on the shared pool or the
/// main thread. Any other thread; several processes can share a folder.
///
/// Its callers never see it fail. If the folder cannot be used (read-only, full, removed, damaged) it reports that
/// once, saves nothing and finds nothing.
package final class AssetStore: Sendable {
    private struct State {
        /// nil if the folder cannot be used.
        var folder: CacheFolder?
        /// The assets that this process uses, by hash.
        var assets: [String: Entry] = [:]
        /// Uses that are not in the index yet.
        var uses = CacheIndex.Uses()
        var reported: Set<Problem> = []
        /// The hashes of what the user keeps offline, cached or not yet.
        var offline: Set<String> = []
        /// Their bytes when they were last counted. They are beside the limit.
        var offlineBytes: Int64 = 0
        /// The disk is full: nothing more is saved.
        var isFull = false
        var isEvicting = false
    }

    private final class Entry: Sendable {
        let identity: ObjectIdentifier
        // Set once. The runtime clears it atomically.
        weak let asset: StoredAsset?

        init(_ asset: StoredAsset) {
            identity = ObjectIdentifier(asset)
            self.asset = asset
        }
    }

    /// Each kind is reported once.
    private enum Problem { case full, unusable, damaged, otherVersion, busy }

    let options: CacheOptions
    /// Seconds since 1970.
    let now: @Sendable () -> Double
    let opened = OpenedPieces()
    private let write: SparseFile.Write
    private let notice: @Sendable (String) -> Void
    private let state = Monitor(State())

    /// Opens the folder. Drops a cache of another version or with another key at once, and expired assets soon after.
    /// Calls `notice` on any thread, at most once for each kind of error.
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
        // The first reader does not wait for the sweep. If no thread can be started, the next eviction or the next
        // start of flick does it.
        if sweepsSoon { BlockingThread.start { [weak self] in self?.sweep() } }
    }

    /// The cached asset under a key, or nil. Counts as a use, noted in memory only. An asset of a home feed gets the
    /// lasting retention when it is requested with that. Blocks.
    package func asset(_ key: AssetKey, on retention: Asset.Retention = .home) -> StoredAsset? {
        let (entered, folder) = state.withLock { ($0.assets[key.hash]?.asset, $0.folder) }
        if let entered, entered.isOutdated { return nil }
        if let entered, !entered.isGone {
            use(entered.edition, on: retention)
            entered.touch()
            return entered
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
            return enter(
                StoredAsset(
                    store: self, folder: folder, file: found.file, row: found.row, pieces: found.pieces,
                    saves: options.pieceSize))
        } catch {
            handle(error, with: folder)
            return nil
        }
    }

    /// Makes a new, empty entry under a key and drops an older one. nil if nothing can be saved. Blocks.
    package func make(_ key: AssetKey, facts: AssetFacts, retention: Asset.Retention) -> StoredAsset? {
        let (entered, folder, isFull, isOffline) = state.withLock {
            ($0.assets[key.hash]?.asset, $0.folder, $0.isFull, $0.offline.contains(key.hash))
        }
        guard let folder, !isFull else { return nil }
        let retention = isOffline ? .offline : retention
        entered?.retire()
        let url = Array(key.text.utf8)
        let row = CacheIndex.Row(
            edition: Int64.random(in: 1...Int64.max), hash: key.hash,
            url: folder.sealing?.wrap(url, as: "url " + key.hash) ?? url, facts: facts, retention: retention, bytes: 0,
            made: now(), used: now())
        do {
            let file = try makingRoom(in: folder) { try folder.make(row) }
            let asset = StoredAsset(
                store: self, folder: folder, file: file, row: row, pieces: [], saves: options.pieceSize)
            state.withLock { $0.assets[key.hash] = Entry(asset) }
            return asset
        } catch {
            handle(error, with: folder)
            return nil
        }
    }

    /// Saves a text under a key. It does not count as bytes of the asset. nil removes it; one over its kind's limit is
    /// not saved. Blocks.
    package func setText(_ kind: KeptText, _ bytes: [UInt8]?, for key: AssetKey) {
        guard let folder = state.withLock({ $0.folder }) else { return }
        let body = bytes.flatMap { $0.count > kind.limit ? nil : $0 }
            .map { folder.sealing?.wrap($0, as: kind.seal(key.hash)) ?? $0 }
        do {
            try makingRoom(in: folder) { [now = now()] in
                try noting { uses in
                    try folder.index.setText(
                        kind, body, hash: key.hash, now: now, oldest: now - kind.age(options) / .seconds(1),
                        noting: uses)
                }
            }
        } catch {
            handle(error, with: folder)
        }
    }

    /// The text under a key, and its age in seconds; nil if it is not cached. Blocks.
    package func text(_ kind: KeptText, for key: AssetKey) -> (bytes: [UInt8], age: Double)? {
        guard let folder = state.withLock({ $0.folder }) else { return nil }
        do {
            guard let (body, made) = try folder.index.text(kind, key.hash) else { return nil }
            let age = now() - made
            guard age <= kind.age(options) / .seconds(1) else { return nil }
            state.withLock { [now = now()] in $0.uses.texts[kind.prefix + key.hash] = now }
            guard let sealing = folder.sealing else { return (body, age) }
            return sealing.unwrap(body, as: kind.seal(key.hash)).map { ($0, age) }
        } catch {
            handle(error, with: folder)
            return nil
        }
    }

    /// Writes the uses noted in memory to the index. Blocks.
    package func writeUses() {
        guard let folder = state.withLock({ $0.folder }) else { return }
        for asset in inUse().values { use(asset.edition, at: asset.used) }
        do { try noting { try folder.index.note($0) } } catch { handle(error, with: folder) }
    }

    // MARK: - Offline

    /// Whether the user keeps this offline, cached or not yet. Does not block.
    package func isOffline(_ key: AssetKey) -> Bool { state.withLock { $0.offline.contains(key.hash) } }

    /// From now on, also in later sessions, the cached bytes of a key stay, or are again what may go. A later edition
    /// of the file follows. Returns whether anything can be kept at all. Blocks.
    @discardableResult
    package func setOffline(_ isOffline: Bool, _ key: AssetKey) -> Bool {
        let found = state.withLock { state -> CacheFolder? in
            guard let folder = state.folder else { return nil }
            if isOffline { state.offline.insert(key.hash) } else { state.offline.remove(key.hash) }
            return folder
        }
        guard let folder = found else { return false }
        do {
            try folder.index.set(isOffline ? .offline : .lasting, of: key.hash)
            let bytes = try folder.index.offline().values
            state.withLock { $0.offlineBytes = bytes.reduce(0, +) }
            return isKeeping
        } catch {
            handle(error, with: folder)
            return false
        }
    }

    /// When the first bytes of each file were saved that is cached whole and has not expired, by the hash of its key;
    /// in seconds since 1970. Blocks.
    package func wholeAssets() -> [String: Double] {
        guard let folder = state.withLock(\.folder) else { return [:] }
        do {
            let (age, now) = (options.age / .seconds(1), now())
            let whole = try folder.index.rows().filter { row in
                row.bytes > 0 && row.bytes == row.facts.length
                    && !Eviction.isExpired(retention: row.retention, made: row.made, age: age, now: now)
            }
            // The index has each hash once.
            return Dictionary(whole.map { ($0.hash, $0.made) }) { first, _ in first }
        } catch {
            handle(error, with: folder)
            return [:]
        }
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

    /// Whether bytes can still be saved.
    var isKeeping: Bool { state.withLock { $0.folder != nil && !$0.isFull } }

    /// Passes the noted uses to `body`, which writes them to the index. They stay noted if it throws.
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
                state.uses.texts.merge(uses.texts) { newer, _ in newer }
                state.uses.lasting.formUnion(uses.lasting)
            }
            throw error
        }
    }

    /// Calls `body`. If the disk is full, evicts and calls it once more; if that fails too, nothing more is saved.
    func makingRoom<Value>(in folder: CacheFolder, _ body: () throws -> Value) throws -> Value {
        if folder.isRemoved { throw CacheError.failed("\(ShownName.of(folder.path)) was removed") }
        if folder.index.isRemoved { throw CacheError.damaged("the index was removed") }
        do {
            return try body()
        } catch CacheError.full {
            evict(isFull: true)
            return try body()
        }
    }

    /// Evicts if all assets together, now `bytes`, exceed the limit.
    func grown(to bytes: Int64) { if bytes - state.withLock(\.offlineBytes) > options.limit { evict() } }

    /// Handles an error of `folder`. Keeps saving where possible.
    func handle(_ error: any Error, with folder: CacheFolder) {
        switch error as? CacheError {
        case .full:
            state.withLock { $0.isFull = true }
            report(
                .full, "cannot cache clips: the disk is full; free some space, or pass --cache-dir")
        case .busy:
            report(
                .busy, "cannot cache some clips: another program has locked \(ShownName.of(folder.path + "/index.db"))")
        case .damaged(let why):
            let isFirst = state.withLock { state in
                guard state.folder === folder else { return false }
                state.folder = nil
                return state.reported.contains(.damaged) == false
            }
            for asset in inUse().values { asset.retire() }
            report(.damaged(why))
            if isFirst { openFolder(isFresh: true, insteadOf: folder.index) }
        case .failed(let why): close(why)
        case nil: close(String(describing: error))
        }
    }

    // MARK: - Evicting

    /// Work for some time after the start: evicts, and removes files without a row.
    func sweep() {
        evict()
        guard let folder = state.withLock({ $0.folder }) else { return }
        do { try folder.sweep() } catch { handle(error, with: folder) }
    }

    /// Drops what has expired, then what exceeds the limit. One thread evicts at a time; a second one returns at once,
    /// unless it found the disk full: then it waits for its turn.
    func evict(isFull: Bool = false) {
        guard let folder = beginEvicting(within: isFull ? .seconds(2) : .zero) else { return }
        defer { state.change { $0.isEvicting = false } }
        do {
            // Nothing can be written to the index on a full disk.
            if !isFull { try noting { try folder.index.note($0) } }
            try evict(from: folder, isFull: isFull)
        } catch {
            handle(error, with: folder)
        }
    }

    /// Waits for this thread's turn to evict, up to `limit`. nil if the wait
    /// took longer, or if there is no usable folder.
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
        let offlineBytes = rows.reduce(0) { $1.retention == .offline ? $0 + $1.bytes : $0 }
        state.withLock { $0.offlineBytes = offlineBytes }
        // flick writes each edition once, but another program may have written this index.
        let byEdition = Dictionary(rows.map { ($0.edition, $0) }) { first, _ in first }
        let inUse = inUse()
        let candidates = rows.map { row in
            Eviction.Candidate(
                edition: row.edition, bytes: row.bytes, used: inUse[row.edition]?.used ?? row.used, made: row.made,
                retention: row.retention, isInUse: inUse[row.edition] != nil)
        }
        var eviction = Eviction(
            candidates, total: try folder.index.total(), limit: options.limit, lowWater: options.lowWater,
            age: options.age / .seconds(1), now: now(), isFull: isFull)
        while let order = eviction.next() {
            switch order {
            case .drop(let edition):
                if let row = byEdition[edition] { eviction.freed(try folder.evict(row)) }
            case .shrink(let edition, let bytes):
                if let asset = inUse[edition] { eviction.freed(try asset.shrink(by: bytes)) }
            }
        }
    }

    /// The assets that this process uses, by edition.
    private func inUse() -> [Int64: StoredAsset] {
        let assets = state.withLock { $0.assets.values.compactMap(\.asset) }
        return Dictionary(assets.map { ($0.edition, $0) }) { first, _ in first }
    }

    /// This process no longer uses the asset.
    func release(_ identity: ObjectIdentifier, hash: String, edition: Int64, used: Double) {
        state.withLock { state in
            state.uses.assets[edition] = used
            if state.assets[hash]?.identity == identity { state.assets[hash] = nil }
        }
    }

    /// Registers an asset, or returns the one that another thread registered in the meantime.
    private func enter(_ asset: StoredAsset) -> StoredAsset {
        // The closure returns the reference: if it were released inside, `release` would deadlock on the lock.
        let other: StoredAsset? = state.withLock { state in
            let other = state.assets[asset.hash]?.asset
            if other?.edition != asset.edition { state.assets[asset.hash] = Entry(asset) }
            return other
        }
        return other?.edition == asset.edition ? other ?? asset : asset
    }

    // MARK: - The folder

    private func openFolder(isFresh: Bool, insteadOf index: CacheIndex? = nil) {
        var sealing: Sealing?
        if let key = options.key {
            sealing = Sealing(key: key)
            if sealing == nil { return close("the key must be \(Sealing.keySize) bytes long") }
        }
        do {
            let folder = try CacheFolder.open(
                options.folder, sealing: sealing, isFresh: isFresh, insteadOf: index, write: write, report: report)
            let offline = try folder.index.offline()
            state.withLock { state in
                (state.folder, state.offlineBytes) = (folder, offline.values.reduce(0, +))
                // The offline assets of a damaged folder stay offline in the new one.
                state.offline.formUnion(offline.keys)
            }
        } catch CacheError.full {
            close("the disk is full")
        } catch CacheError.busy {
            state.withLock { $0.folder = nil }
            report(.busy, "cannot cache clips yet: another program has locked \(ShownName.of(options.folder))")
            openOnceReleased()
        } catch CacheError.damaged(let why), CacheError.failed(let why) {
            close(why)
        } catch {
            close(String(describing: error))
        }
    }

    /// Opens the folder as soon as the program that has locked it releases it. Until then nothing is found or saved.
    private func openOnceReleased() {
        BlockingThread.start { [weak self] in
            // SQLite cannot wait for another program's lock without polling. Other processes that open the folder wait
            // for this one, so it leaves them time.
            usleep(Self.reopeningPause)
            self?.openFolder(isFresh: false)
        }
    }

    private func close(_ why: String) {
        state.withLock { $0.folder = nil }
        report(.unusable, "cannot cache clips: \(why); they are downloaded each time")
    }

    private func report(_ reason: CacheFolder.DropReason) {
        switch reason {
        case .damaged(let why):
            report(.damaged, "the cache was damaged (\(why)) and was reset; clips are downloaded again")
        case .otherVersion:
            report(.otherVersion, "the cache was written by another version and was reset; clips are downloaded again")
        }
    }

    private func report(_ problem: Problem, _ text: String) {
        if state.withLock({ $0.reported.insert(problem).inserted }) { notice(text) }
    }

    /// Between two attempts to open a locked folder, in microseconds.
    private static let reopeningPause: UInt32 = 500_000

    static let wallClock: @Sendable () -> Double = {
        var time = timespec()
        clock_gettime(CLOCK_REALTIME, &time)
        return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
    }
}
