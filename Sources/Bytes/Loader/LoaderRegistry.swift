import Cache
import HTTP
import Platform
import Synchronization

/// All loaders, one for each key. Loaders in use stay; of the others, the most recently used stay because of what they
/// know. Any thread.
final class LoaderRegistry: Sendable {
    private struct Entry {
        let loader: Loader
        var users: Int
    }

    private struct State {
        /// Files of media, and separately segments: a clip of a thousand
        /// segments must not push out other clips' loaders.
        var files: Recent<AssetKey, Entry>
        var segments: Recent<AssetKey, Entry>
        /// The loaders of broadcasts: each has one reader, and ends with it.
        var broadcasts: [Loader] = []
        var focus: String?
        /// Assets whose bytes are bad, and those of their URLs that have been fetched again since.
        var rejected = Recent<String, Set<AssetKey>>(limit: 16)
        var isClosed = false
        /// Resumes the other assets if the asset in view gets no bytes.
        var watch: Task<Void, Never>?
    }

    /// In bytes: the most that the windows of all idle loaders have together.
    static let memoryLimit = 16 << 20

    let services: LoaderServices
    /// Lock order: a loader's monitor can be locked while this is locked, never the other way round.
    private let state: Mutex<State>

    init(services: LoaderServices, limit: Int = KnowledgeLimit.here) {
        self.services = services
        state = Mutex(State(files: Recent(limit: limit), segments: Recent(limit: 16)))
    }

    /// The loader of a request's URL, in use until `release`; nil for URLs that are not on the network, and after
    /// `close`. An unread loader that turned out to be a broadcast's is not reused: its bytes are old.
    func acquire(_ request: ByteRequest) -> Loader? {
        guard let key = request.key else { return nil }
        let path = LoaderRegistry.path(request.role)
        let (loader, isRejected, gone) = state.withLock { state -> (Loader?, Bool, [Entry]) in
            guard !state.isClosed else { return (nil, false, []) }
            // Its loader may be new, and what was cached of it before is as bad.
            let isRejected = state.rejected.peek(request.asset.url).map { !$0.contains(key) } ?? false
            if isRejected { state.rejected[request.asset.url]?.insert(key) }
            let known = state[keyPath: path][key]
            let old = known.flatMap { $0.users == 0 && $0.loader.isBroadcast ? $0 : nil }
            var entry =
                (old == nil ? known : nil)
                ?? Entry(loader: Loader(key: key, request: request, services: services), users: 0)
            entry.users += 1
            state[keyPath: path][key] = entry
            // Done under the lock, so that it cannot overwrite a newer focus with an older one.
            entry.loader.belong(to: request, isFocused: state.focus == request.asset.url)
            return (entry.loader, isRejected, state[keyPath: path].trim { $0.users == 0 } + [old].compactMap(\.self))
        }
        for entry in gone { entry.loader.close() }
        if isRejected { loader?.update { $0.reject() } }
        return loader
    }

    /// The bytes of an asset are bad: none that is cached is used again, also of URLs that have no loader now.
    func reject(_ asset: String) {
        let loaders = state.withLock { state -> [Loader] in
            let loaders = (state.files.all + state.segments.all).map(\.loader).filter { $0.belongs(to: asset) }
            state.rejected[asset] = Set(loaders.map(\.key))
            _ = state.rejected.trim()
            return loaders
        }
        for loader in loaders { loader.update { $0.reject() } }
    }

    /// Gives a broadcast's loader to its reader alone: another reader would miss what the first has read. Returns false
    /// if it has been given to another reader already.
    func separate(_ loader: Loader, _ role: ByteRole) -> Bool {
        let path = LoaderRegistry.path(role)
        return state.withLock { state in
            guard state[keyPath: path].peek(loader.key)?.loader === loader else { return false }
            state[keyPath: path][loader.key] = nil
            state.broadcasts.append(loader)
            return true
        }
    }

    /// Ends a use that `acquire` began. The loader of a live segment goes with its last user.
    func release(_ loader: Loader, _ role: ByteRole) {
        let path = LoaderRegistry.path(role)
        let gone = state.withLock { state -> [Loader] in
            if let place = state.broadcasts.firstIndex(where: { $0 === loader }) {
                guard !loader.hasReaders else { return [] }
                return [state.broadcasts.remove(at: place)]
            }
            guard var entry = state[keyPath: path][loader.key], entry.loader === loader else { return [] }
            entry.users -= 1
            let isOver = entry.users == 0 && role == .liveSegment
            state[keyPath: path][loader.key] = isOver ? nil : entry
            return ((isOver ? [entry] : []) + state[keyPath: path].trim { $0.users == 0 }).map(\.loader)
        }
        for loader in gone { loader.close() }
        dropIdleBuffers()
    }

    /// The loader of a key, if there is one. Does not count as a use.
    func peek(_ key: AssetKey, _ role: ByteRole) -> Loader? {
        state.withLock { $0[keyPath: LoaderRegistry.path(role)].peek(key)?.loader }
    }

    var all: [Loader] { state.withLock { LoaderRegistry.all($0) } }

    private static func all(_ state: borrowing State) -> [Loader] {
        (state.files.all + state.segments.all).map(\.loader) + state.broadcasts
    }

    func focus(on asset: String?) {
        let loaders = state.withLock { state -> [Loader] in
            state.focus = asset
            return LoaderRegistry.all(state).filter { $0.setFocus(asset) }
        }
        for loader in loaders { loader.update { _ in } }
    }

    /// Sets whether the clip in view is stalled for lack of bytes: while it is and
    /// its bytes come, transfers of other assets pause.
    func setViewStalled(_ isStalled: Bool) {
        guard services.setViewStalled(isStalled) else { return }
        let before = state.withLock { state in
            defer { state.watch = isStalled ? Transport.task { [weak self] in await self?.watchStall() } : nil }
            return state.watch
        }
        before?.cancel()
        if !isStalled { updateAll() }
    }

    /// Ends with the stall, or when the others may continue in spite of it.
    private func watchStall() async {
        while let end = services.viewPriorityEnd(after: services.now) {
            // Arriving bytes postpone the end, and no event reports bytes that do not arrive.
            do {
                try await Task.sleep(for: end - services.now)
            } catch {
                // The stall has ended, and the code that ended it has updated everything.
                return
            }
        }
        updateAll()
    }

    /// Lets all loaders look at what the services say.
    func updateAll() { for loader in all { loader.update { _ in } } }

    /// Ends everything; saves what has arrived.
    func close() {
        let loaders = state.withLock { state -> [Loader] in
            defer {
                state.isClosed = true
                state.watch?.cancel()
                state.files.removeAll()
                state.segments.removeAll()
                state.broadcasts.removeAll()
            }
            return LoaderRegistry.all(state)
        }
        for loader in loaders { loader.close() }
    }

    /// Frees memory of idle loaders, the least recently used first.
    private func dropIdleBuffers() {
        let (all, idle) = state.withLock { state in
            let entries = state.segments.all + state.files.all
            return (entries.map(\.loader), entries.filter { $0.users == 0 }.map(\.loader))
        }
        var total = all.reduce(0) { $0 + $1.bufferedCount }
        for loader in idle where total > LoaderRegistry.memoryLimit {
            total -= loader.dropBuffered()
        }
    }

    private static func path(_ role: ByteRole) -> WritableKeyPath<State, Recent<AssetKey, Entry>> & Sendable {
        role == .media ? \.files : \.segments
    }
}

/// How many URLs' loaders stay in memory while unused.
enum KnowledgeLimit {
    /// The limit for a machine with `memory` bytes.
    static func of(memory: UInt64) -> Int {
        switch memory >> 30 {
        case ..<4: 15
        case ..<6: 25
        case ..<8: 40
        default: 60
        }
    }

    /// The limit for this machine.
    static var here: Int {
        let (pages, size) = (sysconf(Int32(_SC_PHYS_PAGES)), sysconf(Int32(_SC_PAGESIZE)))
        // sysconf returns -1 if it does not know; treat that as a small machine.
        return pages > 0 && size > 0 ? of(memory: UInt64(pages) * UInt64(size)) : of(memory: 0)
    }
}
