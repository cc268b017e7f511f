import Synchronization

/// Fetches announced segments (`expect`) ahead, a few for each clip. Any thread.
final class Expectations: Sendable {
    private struct Expected {
        let request: ByteRequest
        let loader: Loader
        var range: Range<Int64> { request.range ?? 0..<Int64.max }
    }

    private struct State {
        /// By the clip's URL, the oldest first.
        var clips: [String: [Expected]] = [:]
        var focus: String?
        /// Not looked up in the cache yet.
        var waiting: [Expected] = []
    }

    /// The most for each clip: pictures and sound, of which decoders announce a header, the segment that they open next
    /// and three behind it. What is displaced while it comes is requested again.
    static let limit = 10

    private let registry: LoaderRegistry
    private let state = Mutex(State())

    init(registry: LoaderRegistry) { self.registry = registry }

    /// Returns at once. Does nothing for a clip out of view.
    func add(_ request: ByteRequest) {
        let clip = request.asset.url
        let isWanted = state.withLock { state in
            (state.focus == nil || state.focus == clip)
                && state.clips[clip]?.contains { $0.request == request } != true
        }
        guard isWanted, let loader = registry.acquire(request) else { return }
        let expected = Expected(request: request, loader: loader)
        let (displaced, isFirst) = state.withLock { state -> (Expected?, Bool) in
            state.clips[clip, default: []].append(expected)
            state.waiting.append(expected)
            let isFirst = state.waiting.count == 1
            guard let all = state.clips[clip], all.count > Expectations.limit else { return (nil, isFirst) }
            return (state.clips[clip]?.removeFirst(), isFirst)
        }
        if let displaced { drop(displaced) }
        // Asks the cache first, on the cache's thread, once for all segments that are announced until then.
        guard isFirst, !registry.services.writer.add({ [weak self] in self?.lookUp() }) else { return }
        // The provider is closing.
        state.withLock { $0.waiting = [] }
    }

    private func lookUp() {
        let waiting = state.withLock { state in
            defer { state.waiting = [] }
            return state.waiting
        }
        for expected in waiting where isExpected(expected.request) {
            expected.loader.lookUp()
            guard isExpected(expected.request) else { continue }
            expected.loader.update { $0.expected.append(expected.range) }
            if !isExpected(expected.request) { forget(expected) }
        }
    }

    /// The segment was opened: from now on its reader decides what is fetched.
    func fulfil(_ request: ByteRequest) {
        let expected = state.withLock { state -> Expected? in
            guard let index = state.clips[request.asset.url]?.firstIndex(where: { $0.request == request }) else {
                return nil
            }
            return state.clips[request.asset.url]?.remove(at: index)
        }
        if let expected { drop(expected) }
    }

    /// Stops fetching the segments of other clips.
    func focus(on asset: String?) {
        let left = state.withLock { state -> [Expected] in
            state.focus = asset
            guard let asset else { return [] }
            let left = state.clips.filter { $0.key != asset }.flatMap(\.value)
            state.clips = state.clips.filter { $0.key == asset }
            return left
        }
        for expected in left { drop(expected) }
    }

    private func isExpected(_ request: ByteRequest) -> Bool {
        state.withLock { $0.clips[request.asset.url]?.contains { $0.request == request } == true }
    }

    private func drop(_ expected: Expected) {
        forget(expected)
        registry.release(expected.loader, expected.request.role)
    }

    private func forget(_ expected: Expected) {
        expected.loader.update { state in
            guard let index = state.expected.firstIndex(of: expected.range) else { return }
            state.expected.remove(at: index)
        }
    }
}
