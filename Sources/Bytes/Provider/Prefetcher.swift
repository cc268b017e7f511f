import Cache
import Model
import Synchronization

/// Fetches the beginnings of clips that may be wanted soon: 5 MB of a file, less while bandwidth is
/// conserved, or the text of a playlist. Or stills. Any thread.
final class Prefetcher: Sendable {
    /// The kind of assets to fetch.
    enum Kind: Sendable {
        case clips, stills

        var limit: PrefetchPlan.Limit { self == .clips ? .clips : .stills }
        /// In bytes.
        var beginning: Int64 { self == .clips ? ReadAhead.beginning : ReadAhead.still }
    }

    private struct State {
        var plan: PrefetchPlan
        /// The request for each asset.
        var requests: [Asset: ByteRequest] = [:]
        var loaders: [Asset: Loader] = [:]
    }

    private let kind: Kind
    private let registry: LoaderRegistry
    private let texts: TextLoader
    private let state: Mutex<State>

    init(_ kind: Kind, registry: LoaderRegistry, texts: TextLoader) {
        self.kind = kind
        self.registry = registry
        self.texts = texts
        state = Mutex(State(plan: PrefetchPlan(kind.limit)))
    }

    /// Sets the wanted files. Returns at once.
    func replace(_ requests: [ByteRequest]) {
        let known = requests.filter { $0.key != nil }
        carryOut(
            state.withLock { state in
                state.requests = Dictionary(known.map { ($0.asset, $0) }) { first, _ in first }
                state.plan.conservesBandwidth = registry.services.conservesBandwidth
                let actions = state.plan.replace(known.map(\.asset))
                return state.plan.conservesBandwidth ? actions : actions + state.plan.fetchMore()
            })
    }

    /// Fetches the rest of the prefetches that were cut short to conserve bandwidth. Returns at once.
    func fetchMore() { carryOut(state.withLock { $0.plan.fetchMore() }) }

    private func carryOut(_ actions: [PrefetchPlan.Action]) {
        for action in actions {
            switch action {
            case .start(let asset): start(asset)
            case .stop(let asset):
                // A playlist's transfer continues: it is small, and the user may just have turned to its page.
                guard let loader = state.withLock({ $0.loaders.removeValue(forKey: asset) }) else { continue }
                loader.stopPrefetch()
                registry.release(loader, .media)
            }
        }
    }

    private func start(_ asset: Asset) {
        guard var request = state.withLock({ $0.requests[asset] }) else { return finish(asset) }
        guard !PlaylistKind.isPlaylist(url: request.url) else {
            request.role = .playlist
            return texts.fetchAhead(request) { [weak self] in self?.finish(asset) }
        }
        guard let loader = registry.acquire(request) else { return }
        let isWanted = state.withLock { state in
            // A stop may have overtaken this, and another start may have preceded it.
            guard state.plan.isActive(asset), state.loaders[asset] == nil else { return false }
            state.loaders[asset] = loader
            return true
        }
        guard isWanted else { return registry.release(loader, .media) }
        if kind == .stills { loader.isStill = true }
        // Asks the cache first, on the cache's thread.
        registry.services.writer.add { [weak self, kind] in
            loader.lookUp()
            guard self?.isActive(asset) == true else { return }
            loader.prefetch(upTo: kind.beginning) { [weak self] in self?.finish(asset, isCutShort: $0) }
            // The prefetch may have been stopped in the meantime.
            if self?.isActive(asset) != true { loader.stopPrefetch() }
        }
    }

    private func isActive(_ asset: Asset) -> Bool { state.withLock { $0.loaders[asset] != nil } }

    private func finish(_ asset: Asset, isCutShort: Bool = false) {
        let (loader, actions) = state.withLock { state in
            (state.loaders.removeValue(forKey: asset), state.plan.finish(asset, isCutShort: isCutShort))
        }
        if let loader { registry.release(loader, .media) }
        carryOut(actions)
    }
}
