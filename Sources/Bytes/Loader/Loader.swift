import Cache
import HTTP
import Synchronization
import Threads

/// Everything that is read of one asset's URL goes through its loader, whoever reads it (L1). It runs what `LoaderState` decides.
///
/// Readers are threads that block in `wait`; transfers are tasks; the disk is written to by the cache's own thread. They meet in one monitor, which is
/// held for moments: orders are carried out after it was let go.
final class Loader: Sendable {
    struct Shared {
        var state: LoaderState
        /// On whose behalf it was opened last, and by which URL: signatures in it expire.
        var request: ByteRequest
        var stored: StoredAsset?
        var isLookingUp = false
        /// Transfers that must not take more in for now.
        var held: [Int: CheckedContinuation<Void, Never>] = [:]
        var onPrefetched: (@Sendable () -> Void)?
        var isHungry = false
        var isClosed = false
    }

    let key: AssetKey
    let services: LoaderServices
    let monitor: Monitor<Shared>
    private let tasks = Mutex<[Int: Task<Void, Never>]>([:])

    init(key: AssetKey, request: ByteRequest, services: LoaderServices) {
        self.key = key
        self.services = services
        let cache = services.writer.options
        let keeps = cache?.pieceSize != nil && (request.role == .media || request.role == .segment)
        let settings = LoaderState.Settings(
            // With what the HTTP client has taken and not handed on, a kill loses no more than the piece that was asked for.
            pieceSize: max((cache?.pieceSize ?? 512 << 10) - HTTPClients.mostTaken, 64 << 10), keeps: keeps,
            readAhead: ReadAhead(cacheLimit: keeps ? cache?.limit : nil),
            isOwnFile: request.role == .media && request.url == request.asset.url, isSegment: request.role != .media)
        let state = LoaderState(url: request.url, settings: settings, mayBePlaylist: request.role == .media)
        monitor = Monitor(Shared(state: state, request: request))
    }

    // MARK: - Changing the state

    /// Changes the state, has it look at who needs what, and carries out what follows. Wakes all who wait.
    @discardableResult
    func update<Result>(_ body: (inout LoaderState) -> Result) -> Result {
        let now = services.now
        let reach = services.reach
        let (result, follows) = monitor.change { shared in
            shared.state.reach = reach
            let result = body(&shared.state)
            return (result, follow(&shared, now: now))
        }
        carryOut(follows)
        return result
    }

    /// What follows from a change, to be carried out after the lock was let go.
    struct Following {
        var orders: [LoaderState.Order] = []
        /// Whether the cache's thread was given anything.
        var mustWake = false
        var released: [CheckedContinuation<Void, Never>] = []
        var hungerChanged = false
        var onPrefetched: (@Sendable () -> Void)?
        /// What was let go of under the lock, and is to be freed after it.
        var left: StoredAsset?
    }

    /// Under the lock. What is for the cache's thread is in its queue right away, so that the provider's end, which comes after, does not overtake it.
    func follow(_ shared: inout Shared, now: Duration) -> Following {
        var following = Following()
        if !shared.isClosed { shared.state.balance(now: now) }
        for order in shared.state.takeOrders() {
            switch order {
            case .keep(let keeping):
                queue(keeping, &shared, &following)
                following.mustWake = true
            case .prefetched:
                following.orders.append(order)
                following.onPrefetched = shared.onPrefetched
                shared.onPrefetched = nil
            case .start, .stop: following.orders.append(order)
            }
        }
        for number in shared.held.keys where !shared.state.mustHold(number) {
            if let continuation = shared.held.removeValue(forKey: number) { following.released.append(continuation) }
        }
        if shared.isHungry != shared.state.isHungry {
            shared.isHungry = shared.state.isHungry
            following.hungerChanged = true
        }
        return following
    }

    private func queue(_ keeping: LoaderState.Keeping, _ shared: inout Shared, _ following: inout Following) {
        switch keeping {
        case .save(let piece):
            let isTaken = services.writer.put { [self] runs in
                // What nobody writes is not waited for.
                if runs { write(piece) } else { update { $0.saved(piece, false) } }
            }
            if !isTaken { shared.state.saved(piece, false) }
        case .learn(let facts):
            _ = services.writer.put { [self] runs in if runs { monitor.withLock(\.stored)?.learn(facts) } }
        case .discard:
            // It is let go of at once, so that nothing of the new edition is written to it.
            guard let stored = shared.stored else { return }
            _ = services.writer.put { runs in if runs { stored.drop() } }
            // The last reference may not go under the lock: it closes a file.
            following.left = stored
            shared.stored = nil
        }
    }

    func carryOut(_ following: Following) {
        for order in following.orders {
            switch order {
            case .start(let number): begin(number)
            case .stop(let number): tasks.withLock { $0[number] }?.cancel()
            case .prefetched: services.setPrefetching(false, self)
            // Done already.
            case .keep: break
            }
        }
        if following.mustWake { services.writer.wake() }
        for continuation in following.released { continuation.resume() }
        if following.hungerChanged { tellHunger() }
        following.onPrefetched?()
    }

    /// Whoever tells last looks once more: two threads that have something to tell may overtake each other.
    private func tellHunger() {
        var told: Bool
        repeat {
            told = monitor.withLock(\.isHungry)
            services.setHungry(told, self)
        } while monitor.withLock(\.isHungry) != told
    }

    /// A stop may overtake the start that it is meant for: the task then finds that it is not wanted, and ends.
    private func begin(_ number: Int) {
        tasks.withLock { tasks in
            tasks[number] = Transport.task { [self] in
                await run(number)
                abandon(number)
                // Whoever began it has let go of the lock by now, so that this comes after.
                _ = self.tasks.withLock { $0.removeValue(forKey: number) }
            }
        }
    }

    /// Waits until a transfer may take more in. Not a wait for the network.
    func holdUp(_ number: Int) async {
        await withCheckedContinuation { continuation in
            let mayGo = monitor.withLock { shared in
                guard shared.state.mustHold(number) else { return true }
                shared.held[number] = continuation
                return false
            }
            if mayGo { continuation.resume() }
        }
    }

    // MARK: - The disk

    /// Finds out what is kept. Blocks on the disk the first time, and again when it was idle: not for the main thread, nor the shared pool.
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
        let (keeps, retention) = monitor.withLock { ($0.state.settings.keeps, $0.request.asset.retention) }
        let found = keeps ? services.writer.store()?.asset(key, on: retention) : nil
        let isPage = found.map(isPage) ?? false
        let now = services.now
        var left: StoredAsset?
        let following = monitor.change { shared in
            shared.isLookingUp = false
            // A piece may have been written meanwhile.
            if found != nil || shared.stored == nil {
                if shared.state.lookedUp(found?.facts, found?.ranges ?? ByteRanges()) {
                    // The last reference may not go under the lock: it closes a file.
                    left = shared.stored
                    shared.stored = found
                }
            }
            if isPage { shared.state.forget() }
            return follow(&shared, now: now)
        }
        withExtendedLifetime(left) { carryOut(following) }
    }

    /// Whether a page for browsers was kept, in pieces too small to be told from media when they came. Blocks on the disk.
    private func isPage(_ stored: StoredAsset) -> Bool {
        withUnsafeTemporaryAllocation(byteCount: WebPage.looksAt, alignment: 1) { buffer in
            let count = stored.read(at: 0, into: buffer)
            return WebPage.isPage(beginning: UnsafeRawBufferPointer(rebasing: buffer[..<count]))
        }
    }

    /// On the cache's thread.
    private func write(_ piece: Window.Piece) {
        let isKept = piece.memory.withBytes(piece.part) { bytes in
            guard let place = place(for: piece) else { return false }
            return place.save(bytes, at: piece.offset)
        }
        update { $0.saved(piece, isKept) }
    }

    /// Where pieces of that edition are kept; nil if they are not.
    private func place(for piece: Window.Piece) -> StoredAsset? {
        let (stored, facts, retention, isCurrent) = monitor.withLock { shared in
            (shared.stored, shared.state.facts, shared.request.asset.retention, shared.state.edition == piece.edition)
        }
        guard isCurrent else { return nil }
        if let stored { return stored }
        guard let store = services.writer.store() else { return nil }
        // Another process may have begun to keep the same.
        var place = store.asset(key, on: retention)
        if let there = place, !there.facts.agrees(with: facts) { place = nil }
        place = place ?? store.make(key, facts: facts, retention: retention)
        var left: StoredAsset?
        monitor.withLock { shared in
            guard shared.state.edition == piece.edition else { return }
            left = shared.stored
            shared.stored = place
        }
        return withExtendedLifetime(left) { place }
    }

    // MARK: - Who wants it

    /// Ends all; what came is saved.
    func close() {
        let now = services.now
        let following = monitor.change { shared in
            shared.isClosed = true
            shared.state.readers = [:]
            shared.state.expected = []
            shared.state.prefetchEnd = nil
            for transfer in shared.state.transfers { shared.state.stop(transfer.number) }
            shared.state.failure = (.cancelled, .seconds(Int64(Int32.max)))
            return follow(&shared, now: now)
        }
        carryOut(following)
    }

    /// Has the file's beginning fetched; `done` is called once it is there, or is not to be had.
    func prefetch(_ done: @escaping @Sendable () -> Void) {
        monitor.withLock { $0.onPrefetched = done }
        services.setPrefetching(true, self)
        update { [services] state in
            state.prefetchEnd = ReadAhead.beginning
            state.yields = services.isHungry
        }
    }

    func stopPrefetch() {
        monitor.withLock { $0.onPrefetched = nil }
        services.setPrefetching(false, self)
        update { $0.prefetchEnd = nil }
    }

    /// Another opening: by whose leave and by which URL it is asked for from now on. The retention's lock is held.
    func belong(to request: ByteRequest, isFocused: Bool) {
        monitor.withLock { shared in
            shared.request = request
            shared.state.isFocused = isFocused
        }
    }

    /// Notes whose item is in view. True if that makes a difference: `update` is then called, once the retention's lock, which is held, was let go.
    func setFocus(_ asset: String?) -> Bool {
        monitor.withLock { shared in
            let isFocused = shared.request.asset.url == asset
            defer { shared.state.isFocused = isFocused }
            return isFocused != shared.state.isFocused
        }
    }
}
