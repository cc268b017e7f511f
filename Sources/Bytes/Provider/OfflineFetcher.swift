import Cache
import Model
import Synchronization

/// Fetches what the user keeps offline: whole files, one after the other, behind what is waited for. Any thread.
final class OfflineFetcher: Sendable {
    private struct State {
        /// In the order of the requests; the first one is fetched.
        var wanted: [(key: AssetKey, request: ByteRequest)] = []
        var active: Loader?
        /// Files that the cache's thread has not heard of yet.
        var unmarked: Set<AssetKey> = []
        /// Why files could not be fetched whole.
        var failures: [AssetKey: String] = [:]
        /// Clips that are being resolved first, by the asset's URL, or why that failed.
        var searches: [String: OfflineState] = [:]
    }

    private let registry: LoaderRegistry
    private let state = Mutex(State())

    init(registry: LoaderRegistry) { self.registry = registry }

    /// Begins to keep a file, or lets it go. Returns at once.
    func keep(_ request: ByteRequest, _ isKept: Bool) {
        guard let key = request.key else { return }
        state.withLock { state in
            state.failures[key] = nil
            state.searches[request.asset.url] = nil
            if isKept { state.unmarked.insert(key) } else { state.unmarked.remove(key) }
        }
        if !isKept { drop(key) }
        registry.services.writer.add { [weak self] in
            guard let self else { return }
            let store = registry.services.writer.store()
            defer { state.withLock { _ = $0.unmarked.remove(key) } }
            guard isKept else {
                // The order to keep it may have waited for this thread.
                drop(key)
                _ = store?.setOffline(false, key)
                return next()
            }
            // First, as what is marked and not wanted counts as whole.
            let isNew = enqueue(request, key)
            guard store?.setOffline(true, key) ?? false else {
                state.withLock { $0.wanted.removeAll { $0.key == key } }
                return fail(key, "the cache cannot be written")
            }
            if isNew { next() }
        }
    }

    /// The clip is in view: fetches the missing parts of a file that is kept offline. Returns at once.
    func resume(_ request: ByteRequest) {
        guard let key = request.key else { return }
        // The first clip is in view before the cache is open.
        registry.services.writer.add { [weak self] in
            guard let self, registry.services.writer.store()?.isOffline(key) == true else { return }
            if enqueue(request, key) { next() }
        }
    }

    /// Does not block.
    func state(of request: ByteRequest) -> OfflineState {
        guard let key = request.key else { return .no }
        let (isWanted, failure) = state.withLock { state in
            (state.unmarked.contains(key) || state.wanted.contains { $0.key == key }, state.failures[key])
        }
        if let failure { return .failed(failure) }
        guard isWanted || registry.services.writer.opened?.isOffline(key) == true else { return .no }
        guard let loader = registry.peek(key, .media) else { return isWanted ? .fetching(nil) : .whole }
        return loader.isWhollyCached ? .whole : .fetching(loader.cachedPart)
    }

    // MARK: Clips whose place is not known

    /// Keeps a clip offline once it is resolved.
    func beginSearch(_ url: String) { state.withLock { $0.searches[url] = .fetching(nil) } }

    /// Its place is known, or it is not to be kept any more. Returns whether it was to be kept until now.
    @discardableResult
    func endSearch(_ url: String, failure: String? = nil) -> Bool {
        state.withLock { state in
            guard state.searches[url] != nil else { return false }
            state.searches[url] = failure.map { .failed($0) }
            return true
        }
    }

    /// The state of that; nil for clips that are not being resolved.
    func search(_ url: String) -> OfflineState? { state.withLock { $0.searches[url] } }

    func close() {
        let active = state.withLock { state in
            defer { state = State() }
            return state.active
        }
        if let active { end(active) }
    }

    private func drop(_ key: AssetKey) {
        let dropped = state.withLock { state -> Loader? in
            let isActive = state.active?.key == key
            state.wanted.removeAll { $0.key == key }
            defer { if isActive { state.active = nil } }
            return isActive ? state.active : nil
        }
        if let dropped { end(dropped) }
    }

    /// Whether it was not wanted before. Runs on the cache's thread, as `next` and `finish` do.
    private func enqueue(_ request: ByteRequest, _ key: AssetKey) -> Bool {
        state.withLock { state in
            guard !state.wanted.contains(where: { $0.key == key }) else { return false }
            state.wanted.append((key, request))
            state.failures[key] = nil
            return true
        }
    }

    /// Starts the first file, if none is being fetched.
    private func next() {
        guard let (key, request) = state.withLock({ $0.active == nil ? $0.wanted.first : nil }),
            let loader = registry.acquire(request)
        else { return }
        let isMine = state.withLock { state in
            // It may have been let go meanwhile.
            guard state.active == nil, state.wanted.first?.key == key else { return false }
            state.active = loader
            return true
        }
        guard isMine else { return registry.release(loader, .media) }
        loader.lookUp()
        loader.fetchWhole { [weak self, weak loader] in
            guard let self, let loader else { return }
            registry.services.writer.add { [weak self] in self?.finish(loader) }
        }
    }

    /// All of it is there, or it cannot be had.
    private func finish(_ loader: Loader) {
        let isMine = state.withLock { state in
            guard state.active === loader else { return false }
            state.active = nil
            if state.wanted.first?.key == loader.key { state.wanted.removeFirst() }
            return true
        }
        guard isMine else { return }
        if loader.isPlaylist {
            // Its segments are many files, of which none is the whole.
            registry.services.writer.store()?.setOffline(false, loader.key)
            fail(loader.key, "streams cannot be downloaded")
        } else if !loader.isWhollyCached {
            fail(loader.key, loader.failure ?? "the disk is full")
        }
        end(loader)
        next()
    }

    private func fail(_ key: AssetKey, _ why: String) { state.withLock { $0.failures[key] = why } }

    private func end(_ loader: Loader) {
        loader.stopFetchingWhole()
        registry.release(loader, .media)
    }
}
