import Cache
import HTTP
import Model
import Synchronization
import Threads

/// Fetches the bytes of one URL for all its readers. `LoaderState` makes the decisions; the loader carries them out.
///
/// Readers are threads that block in `read`. Transfers are tasks on the network thread. The cache's own thread writes
/// to the disk. They share one monitor, which only this type can reach and which is locked for moments only. A change
/// of the state yields two lists of orders: those for the disk enter the cache's queue while the monitor is locked; all
/// others are carried out after it was unlocked.
final class Loader: Sendable {
    private struct Shared {
        var state: LoaderState
        /// The most recent request: its asset and its URL, as signatures in older URLs expire.
        var request: ByteRequest
        var stored: StoredAsset?
        var isLookingUp = false
        /// Transfers that wait until they may receive more.
        var paused: [Int: CheckedContinuation<Void, Never>] = [:]
        var onPrefetched: (@Sendable (_ isCutShort: Bool) -> Void)?
        var onWholeEnded: (@Sendable () -> Void)?
        /// The state last reported to `services`.
        var isViewWaiting = false
        var isClosed = false
    }

    let key: AssetKey
    let services: LoaderServices
    /// Its file is a still, whose transfers have separate slots.
    var isStill: Bool {
        get { still.load(ordering: .relaxed) }
        set { still.store(newValue, ordering: .relaxed) }
    }
    private let still = Atomic(false)
    private let monitor: Monitor<Shared>
    private let tasks = Mutex<[Int: Task<Void, Never>]>([:])

    init(key: AssetKey, request: ByteRequest, services: LoaderServices) {
        self.key = key
        self.services = services
        let cache = services.writer.options
        let caches = cache != nil && (request.role == .media || request.role == .segment)
        let settings = LoaderState.Settings(
            // Together with what the HTTP client has received but not passed on, a kill then loses at most the
            // configured piece size.
            pieceSize: max((cache?.pieceSize ?? 512 << 10) - Transport.readSize, 64 << 10), caches: caches,
            readAhead: ReadAhead(cacheLimit: caches ? cache?.limit : nil),
            isOwnFile: request.isOwnFile, isSegment: request.role != .media, isLive: request.role == .liveSegment,
            savesAtEnd: cache?.savesAtEnd ?? false)
        let state = LoaderState(url: request.url, settings: settings, mayBePlaylist: request.role == .media)
        monitor = Monitor(Shared(state: state, request: request))
    }

    // MARK: - Changing the state

    /// Changes the state, lets it start and stop transfers as needed, and carries out what follows. Wakes all who wait.
    @discardableResult
    func update<Result>(_ body: (inout LoaderState) -> Result) -> Result {
        let (result, following) = change(body)
        carryOut(following)
        return result
    }

    /// The work of `carryOut` once the monitor is unlocked.
    struct Following {
        fileprivate var orders: [LoaderState.TransferOrder] = []
        /// Whether the cache's thread has new jobs.
        fileprivate var mustWakeWriter = false
        fileprivate var resumed: [CheckedContinuation<Void, Never>] = []
        fileprivate var viewWaitingChanged = false
        /// The callbacks of wishes that have ended.
        fileprivate var ends: [@Sendable () -> Void] = []
        /// The last reference closes a file, which must not happen while the monitor is locked.
        fileprivate var released: StoredAsset?
    }

    /// The first half of `update`. Another thread may come between the two halves.
    func change<Result>(_ body: (inout LoaderState) -> Result) -> (Result, Following) {
        let now = services.now
        let (reach, conservesLink, savesData) = (services.reach, services.conservesBandwidth, services.savesData)
        let isViewFirst = services.viewPriorityEnd(after: now) != nil
        return monitor.change { shared in
            shared.state.reach = reach
            shared.state.conservesLink = conservesLink
            shared.state.savesData = savesData
            shared.state.isViewFirst = isViewFirst
            let result = body(&shared.state)
            return (result, follow(&shared, now: now))
        }
    }

    /// Needs the locked monitor. Disk orders enter the cache's queue right away, so that the provider's later end of
    /// the queue cannot overtake them.
    private func follow(_ shared: inout Shared, now: Duration) -> Following {
        var following = Following()
        if !shared.isClosed { shared.state.balance(now: now) }
        let orders = shared.state.drainOrders()
        for order in orders.disk { queue(order, &shared, &following) }
        following.mustWakeWriter = !orders.disk.isEmpty
        following.orders = orders.transfers
        for case .prefetched(let isCutShort) in orders.transfers {
            guard let end = shared.onPrefetched.take() else { continue }
            following.ends.append { end(isCutShort) }
        }
        if orders.transfers.contains(.wholeEnded), let end = shared.onWholeEnded {
            following.ends.append(end)
            shared.onWholeEnded = nil
        }
        for number in shared.paused.keys where !shared.state.mustPause(number) {
            if let continuation = shared.paused.removeValue(forKey: number) { following.resumed.append(continuation) }
        }
        if shared.isViewWaiting != shared.state.isViewWaiting {
            shared.isViewWaiting = shared.state.isViewWaiting
            following.viewWaitingChanged = true
        }
        return following
    }

    private func queue(_ order: LoaderState.DiskOrder, _ shared: inout Shared, _ following: inout Following) {
        switch order {
        case .save(let piece):
            // If the piece will not be written, no reader may wait for it.
            if !services.writer.put({ [self] in write(piece) }) { shared.state.saved(piece, false) }
        case .learn(let facts):
            _ = services.writer.put { [self] in monitor.withLock(\.stored)?.learn(facts) }
        case .discard:
            // Set `stored` to nil at once, so that nothing of the new edition is written to it.
            guard let stored = shared.stored else { return }
            // A reader that opens before the cache's thread drops it must not find it.
            stored.markOutdated()
            _ = services.writer.put { stored.drop() }
            following.released = stored
            shared.stored = nil
        }
    }

    func carryOut(_ following: Following) {
        for order in following.orders {
            switch order {
            case .start(let number): begin(number)
            case .stop(let number): tasks.withLock { $0[number] }?.cancel()
            case .prefetched, .wholeEnded: services.setPrefetching(isPrefetching, self)
            }
        }
        if following.mustWakeWriter { services.writer.wake() }
        for continuation in following.resumed { continuation.resume() }
        if following.viewWaitingChanged { reportViewWaiting() }
        for end in following.ends { end() }
    }

    /// Reports until the last report is true: two threads that report can overtake each other.
    private func reportViewWaiting() {
        var reported: Bool
        repeat {
            reported = monitor.withLock(\.isViewWaiting)
            services.setViewWaiting(reported, self)
        } while monitor.withLock(\.isViewWaiting) != reported
    }

    // MARK: - Transfers

    /// A stop can overtake the start of its transfer. The task then finds that its transfer is gone, and ends.
    private func begin(_ number: Int) {
        tasks.withLock { tasks in
            tasks[number] = Transport.task { [self] in
                let transfer = LoaderTransfer(number, of: self)
                await transfer.run()
                transfer.abandon()
                // The code that started the task has unlocked `tasks` by now, so this runs after it.
                _ = self.tasks.withLock { $0.removeValue(forKey: number) }
            }
        }
    }

    /// What a transfer must request now, whether a reader waits, and whether all are patient; nil if it is over.
    func request(of number: Int) -> (Transport.Request, isUrgent: Bool, isPatient: Bool)? {
        monitor.withLock { shared in
            guard let question = shared.state.question(of: number) else { return nil }
            var request = Transport.Request(
                url: shared.request.url, asset: shared.request.asset, range: question.range,
                ifRange: question.ifRange, isFresh: question.isFresh)
            request.acceptsTitles = shared.request.role == .media && question.range?.from ?? 0 == 0
            let isUrgent = shared.state.transfers.first { $0.number == number }?.isUrgent ?? false
            return (request, isUrgent, shared.state.isPatient)
        }
    }

    /// The URL of a transfer that is still wanted; nil otherwise.
    func url(ofTransfer number: Int) -> String? {
        monitor.withLock { shared in
            shared.state.transfers.contains { $0.number == number } ? shared.request.url : nil
        }
    }

    /// Waits until a transfer may receive more. This is not a wait for the network.
    func pause(_ number: Int) async {
        await withCheckedContinuation { continuation in
            let mustResume = monitor.withLock { shared in
                guard shared.state.mustPause(number) else { return true }
                shared.paused[number] = continuation
                return false
            }
            if mustResume { continuation.resume() }
        }
    }

    // MARK: - Readers

    var url: String { monitor.withLock(\.state.url) }
    /// In bytes; nil while unknown. A broadcast has none, even after its end: decoders take it for a camera or a radio
    /// by that, and must not take it for a file if it ends early.
    var length: Int64? { monitor.withLock { $0.state.isBroadcast ? nil : $0.state.facts.length } }
    var isSeekable: Bool { monitor.withLock(\.state.isSeekable) }
    var isPlaylist: Bool { monitor.withLock(\.state.isPlaylist) }
    var isBroadcast: Bool { monitor.withLock(\.state.isBroadcast) }
    var hasReaders: Bool { monitor.withLock { !$0.state.readers.isEmpty } }

    /// Registers a reader that begins with `range`, and returns its number. Blocks on the disk the first time.
    func open(_ range: Range<Int64>?) -> Int {
        lookUp()
        return monitor.withLock { $0.state.open(from: range?.lowerBound ?? 0, end: range?.upperBound) }
    }

    func close(_ reader: Int) { update { $0.close(reader) } }

    /// Blocks until it is known whether there is anything to read. Returns nil if there is.
    func waitUntilKnown(_ reader: Int, _ cancellation: Cancellation) -> BytesError.Reason? {
        let number = cancellation.onCancel { [self] in update { _ in } }
        defer { cancellation.forget(number) }
        let now = services.now
        let found =
            update { $0.opening(reader, isPatient: cancellation.isPatient, now: now) }
            ?? monitor.wait { shared in
                if cancellation.isCancelled { return .failed(.cancelled) }
                // `now` is when the wait began: a failure since then is reported, however late this thread sees it.
                return shared.state.opening(reader, isPatient: cancellation.isPatient, now: now)
            }
        if case .failed(let reason)? = found { return reason }
        return nil
    }

    /// Blocks until there are bytes at `offset`. Copies bytes from memory into `buffer`; for bytes on disk it returns
    /// where they are.
    func read(
        _ reader: Int, at offset: Int64, into buffer: UnsafeMutableRawBufferPointer, _ cancellation: Cancellation
    ) -> (LoaderState.Reading, StoredAsset?) {
        let now = services.now
        let (found, following) = monitor.withLock { shared in
            shared.state.readers[reader]?.isPatient = cancellation.isPatient
            let reading = shared.state.read(reader, at: offset, into: buffer, now: now)
            let isSettled = shared.state.isSettled(reader)
            return (reading.map { ($0, shared.stored) }, isSettled ? Following() : follow(&shared, now: now))
        }
        carryOut(following)
        if let found { return found }
        let number = cancellation.onCancel { [self] in update { _ in } }
        defer { cancellation.forget(number) }
        let waited = monitor.wait { shared -> (LoaderState.Reading, StoredAsset?)? in
            if cancellation.isCancelled {
                shared.state.readers[reader]?.waits = false
                return (.failed(.cancelled), nil)
            }
            // `now` is when the wait began: see `waitUntilKnown`.
            let reading = shared.state.read(reader, at: offset, into: buffer, now: now)
            return reading.map { ($0, shared.stored) }
        }
        if cancellation.isCancelled { update { _ in } }
        return waited ?? (.failed(.cancelled), nil)
    }

    /// The reader has read more bytes from the disk.
    func advance(_ reader: Int, to offset: Int64) { monitor.withLock { $0.state.advance(reader, to: offset) } }

    // MARK: - What is available

    /// The ranges in memory and on disk, and the file's length; nil for a playlist.
    var available: (ranges: [ClosedRange<Int64>], length: Int64?)? {
        monitor.withLock { shared in
            shared.state.isPlaylist
                ? nil : (shared.state.cached.ranges + shared.state.window.ranges, shared.state.facts.length)
        }
    }

    var isWhollyCached: Bool { monitor.withLock(\.state.isWhollyCached) }

    /// How many bytes of the file are on disk.
    var cachedBytes: Int64 {
        monitor.withLock { $0.state.cached.ranges.reduce(0) { $0 + ($1.upperBound - $1.lowerBound + 1) } }
    }

    /// The part of the file that is on disk, 0 … 1; nil while its length is unknown.
    var cachedPart: Double? {
        length.flatMap { $0 > 0 ? Double(cachedBytes) / Double($0) : nil }
    }

    /// Why the last request failed, in a few words; nil if it did not, or that is long ago.
    var failure: String? {
        monitor.withLock { shared in
            shared.state.failure.map { BytesError(verb: .read, url: shared.state.url, reason: $0.reason).why }
        }
    }

    /// Whether all bytes of the range that the file has are in memory or on disk.
    func isAvailable(_ range: Range<Int64>) -> Bool {
        monitor.withLock { shared in
            let end = min(range.upperBound, shared.state.facts.length ?? .max)
            return end < .max && shared.state.gap(from: range.lowerBound, below: end) == nil
        }
    }

    /// How many bytes are in memory.
    var bufferedCount: Int { monitor.withLock(\.state.window.total) }

    /// Drops bytes from memory that are saved or need not be. Returns how many.
    func dropBuffered() -> Int {
        monitor.withLock { shared in
            let before = shared.state.window.total
            shared.state.trim(to: 0)
            return before - shared.state.window.total
        }
    }

    // MARK: - The disk

    /// Finds out what is cached. Blocks on the disk the first time and after idle times: do not call it on the main
    /// thread or the shared pool.
    func lookUp() {
        let isMine = monitor.withLock { shared in
            guard !shared.state.isLookedUp || shared.state.isIdle, !shared.isLookingUp else { return false }
            shared.isLookingUp = true
            return true
        }
        guard isMine else {
            _ = monitor.wait { shared in shared.isLookingUp ? nil : () }
            return
        }
        let (caches, retention) = monitor.withLock { ($0.state.settings.caches, $0.request.asset.retention) }
        let found = caches ? services.writer.store()?.asset(key, on: retention) : nil
        let isPage = found.map(isPage) ?? false
        let now = services.now
        var released: StoredAsset?
        let following = monitor.change { shared in
            shared.isLookingUp = false
            // It may have been discarded in the meantime.
            let found = found?.isOutdated == true ? nil : found
            // A piece may have been written in the meantime.
            if found != nil || shared.stored == nil {
                if shared.state.lookedUp(found?.facts, found?.ranges ?? ByteRanges()) {
                    // The last reference closes a file, which must not happen while the monitor is locked.
                    released = shared.stored
                    shared.stored = found
                }
            }
            if isPage { shared.state.forget() }
            return follow(&shared, now: now)
        }
        withExtendedLifetime(released) { carryOut(following) }
    }

    /// Whether a web page was cached in place of the file, in pieces too small to recognise it when they arrived.
    /// Blocks on the disk.
    private func isPage(_ stored: StoredAsset) -> Bool {
        withUnsafeTemporaryAllocation(byteCount: WebPage.looksAt, alignment: 1) { buffer in
            let count = stored.read(at: 0, into: buffer)
            return WebPage.isPage(beginning: UnsafeRawBufferPointer(rebasing: buffer[..<count]))
        }
    }

    /// Runs on the cache's thread.
    private func write(_ piece: Window.Piece) {
        let isSaved = piece.memory.withBytes(piece.part) { bytes in
            guard let stored = entry(for: piece) else { return false }
            return stored.save(bytes, at: piece.offset)
        }
        update { $0.saved(piece, isSaved) }
    }

    /// The cache's entry for pieces of that edition; nil if none can be made.
    private func entry(for piece: Window.Piece) -> StoredAsset? {
        let (stored, facts, retention, isCurrent) = monitor.withLock { shared in
            (shared.stored, shared.state.facts, shared.request.asset.retention, shared.state.edition == piece.edition)
        }
        guard isCurrent else { return nil }
        if let stored { return stored }
        guard let store = services.writer.store() else { return nil }
        // Another process may have begun to save the same file.
        let there = store.asset(key, on: retention).flatMap { $0.facts.agrees(with: facts) ? $0 : nil }
        guard let entry = there ?? store.make(key, facts: facts, retention: retention) else { return nil }
        var released: StoredAsset?
        let isStillCurrent = monitor.withLock { shared in
            guard shared.state.edition == piece.edition else {
                // The edition was discarded before this entry was made, which no reader may find from now on.
                entry.markOutdated()
                if shared.stored === entry { shared.stored = nil }
                return false
            }
            released = shared.stored
            shared.stored = entry
            return true
        }
        if !isStillCurrent { entry.drop() }
        return withExtendedLifetime(released) { isStillCurrent ? entry : nil }
    }

    // MARK: - Users

    /// Ends everything; saves what has arrived.
    func close() {
        if isBroadcast { services.titles.remove(monitor.withLock(\.request.asset.url)) }
        let now = services.now
        let following = monitor.change { shared in
            shared.isClosed = true
            shared.state.closeReaders()
            shared.state.expected = []
            (shared.state.prefetchEnd, shared.state.isWantedWhole) = (nil, false)
            for transfer in shared.state.transfers { shared.state.stop(transfer.number) }
            shared.state.failure = (.cancelled, .seconds(Int64(Int32.max)), isHeldBack: false)
            return follow(&shared, now: now)
        }
        carryOut(following)
    }

    /// What it has of its URL is useless: see `LoaderState.discard`.
    func discard() {
        services.budgets.discard(monitor.withLock(\.request.url))
        update { $0.discard() }
    }

    /// Fetches the file's beginning ahead, up to the byte `end`. Calls `done` when it is there or cannot be fetched, or
    /// another prefetch of the same file takes its place.
    func prefetch(upTo end: Int64, _ done: @escaping @Sendable (_ isCutShort: Bool) -> Void) {
        let replaced = exchangePrefetchEnd(done)
        services.setPrefetching(true, self)
        update { [services] state in
            state.prefetchEnd = end
            state.yields = services.isViewWaiting
        }
        replaced?(false)
    }

    func stopPrefetch() {
        let stopped = exchangePrefetchEnd(nil)
        update { $0.prefetchEnd = nil }
        services.setPrefetching(isPrefetching, self)
        // A file may be a clip and another clip's still: the caller that did not stop it has to be notified.
        stopped?(false)
    }

    private func exchangePrefetchEnd(_ end: (@Sendable (Bool) -> Void)?) -> (@Sendable (Bool) -> Void)? {
        monitor.withLock { shared in
            defer { shared.onPrefetched = end }
            return shared.onPrefetched
        }
    }

    /// Fetches all of the file to the disk, behind what is waited for. Calls
    /// `done` when it is there, or nothing more comes.
    func fetchWhole(_ done: @escaping @Sendable () -> Void) {
        monitor.withLock { $0.onWholeEnded = done }
        services.setPrefetching(true, self)
        update { [services] state in
            state.isWantedWhole = true
            state.yields = services.isViewWaiting
        }
    }

    func stopFetchingWhole() {
        monitor.withLock { $0.onWholeEnded = nil }
        update { $0.isWantedWhole = false }
        services.setPrefetching(isPrefetching, self)
    }

    private var isPrefetching: Bool { monitor.withLock { $0.state.prefetchEnd != nil || $0.state.isWantedWhole } }

    /// Takes over the URL and asset of a new request. The caller has locked the registry.
    func belong(to request: ByteRequest, isFocused: Bool) {
        monitor.withLock { shared in
            // An error at another address does not concern this one.
            if shared.request.url != request.url { shared.state.failure = nil }
            shared.request = request
            shared.state.isFocused = isFocused
        }
    }

    /// Whether the last request was for this asset.
    func belongs(to asset: String) -> Bool { monitor.withLock { $0.request.asset.url == asset } }

    /// Sets the asset in view. Returns true if that changes anything: the caller, who has locked the registry, must
    /// then unlock it and call `update`.
    func setFocus(_ asset: String?) -> Bool {
        monitor.withLock { shared in
            let isFocused = shared.request.asset.url == asset
            defer { shared.state.isFocused = isFocused }
            return isFocused != shared.state.isFocused
        }
    }
}
