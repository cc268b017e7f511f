import Cache
import HTTP
import Model
import Synchronization
import Threads

/// Reads small texts whole: playlists, which are requested again unless they are finished, and keys (never cached as
/// files). Any thread.
final class TextLoader: Sendable {
    struct Text: Sendable {
        /// After all redirections.
        var url: String
        var bytes: [UInt8]

        init(url: String, bytes: [UInt8]) { (self.url, self.bytes) = (url, bytes) }

        /// The cached outline of a playlist, for use without a network; nil if it is not cached. Blocks on the disk.
        init?(outlineOf key: AssetKey, in writer: CacheWriter) {
            guard let text = writer.store()?.text(.outline, for: key), let outline = PlaylistOutline.read(text.bytes)
            else { return nil }
            (url, bytes) = (outline.url, outline.text)
        }
    }

    typealias Answer = Result<Text, BytesError>

    /// A transfer that several readers can wait for.
    private final class Fetching: Sendable {
        let answer = Monitor<Answer?>(nil)
        private let task = Mutex<Task<Void, Never>?>(nil)

        func begin(_ body: @escaping @Sendable () async -> Void) { task.withLock { $0 = Transport.task(body) } }

        func cancel() { task.withLock { $0 }?.cancel() }
    }

    private struct UnderWay {
        var fetching: Fetching
        var waiters = 0
        /// A prefetch that waits for a slot at its host and lets others go first.
        var yields = false
    }

    /// A text that will not change.
    private struct Finished {
        var key: AssetKey
        var text: Text
        /// The URL of the asset that it was fetched for.
        var asset: String
    }

    private struct State {
        /// In memory, until flick ends.
        var finished = Recent<AssetKey, Finished>(limit: 64)
        var underWay: [AssetKey: UnderWay] = [:]
        /// The last versions of texts that may change, for the times at which they may not be requested again.
        var last = Recent<String, Text>(limit: 16)
        /// The next request for these bypasses all caches on the way.
        var doubted = Recent<AssetKey, Void>(limit: 64)
        var isClosed = false
    }

    /// In bytes: the longest text, and the longest that is remembered.
    static let limit = 8 << 20
    private static let rememberedLimit = 512 << 10
    /// The time limit for a whole text.
    static let timeLimit: Duration = .seconds(30)

    private let services: LoaderServices
    private let timeLimit: Duration
    private let state = Mutex(State())

    init(services: LoaderServices, timeLimit: Duration = TextLoader.timeLimit) {
        self.services = services
        self.timeLimit = timeLimit
    }

    /// Reads a text whole. Blocks.
    func text(_ request: ByteRequest, _ cancellation: Cancellation) throws(BytesError) -> Text {
        guard let key = AssetKey(request.url) else {
            throw BytesError(verb: .open, url: request.url, reason: .malformed)
        }
        if let text = state.withLock({ $0.finished[key]?.text }) { return text }
        let fetching = fetch(key, request, isAhead: false, repeats: !cancellation.isPatient)
        let number = cancellation.onCancel { fetching.answer.change { _ in } }
        let answer = fetching.answer.wait { answer -> Answer? in
            cancellation.isCancelled
                ? .failure(BytesError(verb: .open, url: request.url, reason: .cancelled)) : answer
        }
        cancellation.forget(number)
        leave(fetching, key)
        if case .failure(let error)? = answer, error.isOffline || error.reason == .webPage,
            let text = Text(outlineOf: key, in: services.writer)
        {
            return text
        }
        guard let answer else { throw BytesError(verb: .open, url: request.url, reason: .cancelled) }
        return try answer.get()
    }

    /// Fetches a text that will soon be wanted, unless it is known. Returns at once. Calls `then` when it has arrived
    /// or cannot be fetched, at once or on the network thread.
    func fetchAhead(_ request: ByteRequest, then: @escaping @Sendable () -> Void = {}) {
        guard let key = AssetKey(request.url),
            state.withLock({ $0.finished[key] == nil && $0.underWay[key] == nil && !$0.isClosed })
        else { return then() }
        _ = fetch(key, request, isAhead: true, then: then)
    }

    /// Forgets all texts of an asset: its playlist and further ones. Their next requests bypass all caches on the way.
    func revalidate(_ asset: String) {
        state.withLock { state in
            let texts = state.finished.all.filter { $0.asset == asset }.map(\.key)
            for key in texts + [AssetKey(asset)].compactMap(\.self) {
                state.finished[key] = nil
                state.doubted[key] = ()
            }
            _ = state.doubted.trim()
        }
    }

    func close() {
        let underWay = state.withLock { state in
            state.isClosed = true
            return Array(state.underWay.values)
        }
        for one in underWay { one.fetching.cancel() }
    }

    /// Joins the running transfer, or starts one. A reader that waits does not
    /// join a transfer that lets others go first.
    private func fetch(
        _ key: AssetKey, _ request: ByteRequest, isAhead: Bool, repeats: Bool = true,
        then: @escaping @Sendable () -> Void = {}
    ) -> Fetching {
        let (fetching, overtaken, isNew, isClosed) = state.withLock { state in
            let known = state.underWay[key]
            let overtaken = known.flatMap { $0.yields && !isAhead ? $0.fetching : nil }
            let isNew = known == nil || overtaken != nil
            var one = UnderWay(fetching: Fetching(), yields: isAhead)
            if let known, !isNew { one = known }
            if !isAhead { one.waiters += 1 }
            if !isNew || !state.isClosed { state.underWay[key] = one }
            return (one.fetching, overtaken, isNew, state.isClosed)
        }
        overtaken?.cancel()
        if isClosed {
            fetching.answer.change {
                $0 = $0 ?? .failure(BytesError(verb: .open, url: request.url, reason: .cancelled))
            }
        } else if isNew {
            fetching.begin { [self] in
                let answer = await run(key, request, isUrgent: !isAhead, repeats: repeats) {
                    state.withLock { if $0.underWay[key]?.fetching === fetching { $0.underWay[key]?.yields = false } }
                }
                if case .success(let text) = answer { remember(text, key, request) }
                forget(fetching, key)
                fetching.answer.change { $0 = answer }
                then()
            }
        }
        return fetching
    }

    /// A reader has stopped waiting. A transfer without readers ends, and cannot be joined any more.
    private func leave(_ fetching: Fetching, _ key: AssetKey) {
        let isAbandoned = state.withLock { state in
            guard let one = state.underWay[key], one.fetching === fetching else { return false }
            state.underWay[key] = one.waiters > 1 ? UnderWay(fetching: fetching, waiters: one.waiters - 1) : nil
            return one.waiters <= 1
        }
        if isAbandoned { fetching.cancel() }
    }

    private func forget(_ fetching: Fetching, _ key: AssetKey) {
        state.withLock { if $0.underWay[key]?.fetching === fetching { $0.underWay[key] = nil } }
    }

    /// Whether this differs from the last answer.
    private func isNew(_ text: Text, of request: ByteRequest) -> Bool {
        guard !text.bytes.isEmpty else { return false }
        // A range or a large text always counts as new: no caller can request one again and again at little cost.
        guard request.range == nil, text.bytes.count <= TextLoader.rememberedLimit else { return true }
        return state.withLock { state in
            defer {
                state.last[request.url] = text
                _ = state.last.trim()
            }
            return state.last[request.url]?.bytes != text.bytes
        }
    }

    private func remember(_ text: Text, _ key: AssetKey, _ request: ByteRequest) {
        guard text.bytes.count <= TextLoader.rememberedLimit else { return }
        guard request.role == .key || PlaylistKind.isFinished(String(decoding: text.bytes, as: UTF8.self)) else {
            return
        }
        state.withLock { state in
            state.finished[key] = Finished(key: key, text: text, asset: request.asset.url)
            _ = state.finished.trim()
        }
        guard request.role != .key else { return }
        services.writer.add { [writer = services.writer] in
            writer.store()?.setText(.outline, PlaylistOutline.make(text.bytes, url: text.url), for: key)
        }
    }

    // MARK: - Fetching

    /// - Parameter entered: called when the transfer has its slot at the host.
    private func run(
        _ key: AssetKey, _ request: ByteRequest, isUrgent: Bool, repeats: Bool, entered: @Sendable () -> Void
    ) async -> Answer {
        let isFresh = state.withLock { $0.doubted.peek(key) != nil }
        do {
            defer { services.delays.end(request.asset.url, key) }
            let text = try await RetryPolicy.run(
                repeats: repeats, pausing: { services.delays.begin(request.asset.url, key, $0) },
                {
                    let permit: RequestBudgets.Permit
                    do {
                        permit = try await services.budgets.permit(for: request.url)
                    } catch let error as BytesError {
                        // The budget is used up: what came last still holds.
                        guard request.range == nil, let text = state.withLock({ $0.last[request.url] }) else {
                            throw error
                        }
                        return text
                    }
                    try await services.hosts.enter(request.origin, isUrgent: isUrgent)
                    defer { services.hosts.leave(request.origin) }
                    entered()
                    return try await attempt(request, isFresh: isFresh, permit)
                })
            if isFresh { state.withLock { $0.doubted[key] = nil } }
            return .success(text)
        } catch {
            let error = error as? BytesError ?? BytesError(verb: .open, url: request.url, reason: .cancelled)
            services.budgets.giveUp(request.url, because: error)
            return .failure(error)
        }
    }

    private func attempt(_ request: ByteRequest, isFresh: Bool, _ permit: RequestBudgets.Permit) async throws -> Text {
        let began = services.now
        var bytes: [UInt8] = []
        var status = 0
        var asked = Transport.Request(url: request.url, asset: request.asset, isFresh: isFresh)
        asked.acceptsCompressed = request.range == nil
        asked.range = request.range.map { .init(from: $0.lowerBound, to: $0.upperBound - 1) }
        defer { services.report(asked, got: Int64(bytes.count), status: status, since: began) }
        do {
            let answer = try await services.transport.send(asked)
            status = answer.status
            permit.answered()
            guard status == 200 || status == 206 else {
                let failed = FailedAttempt(answer, of: request.url)
                permit.fruitless(failed.error.reason)
                throw failed
            }
            while let more = try await answer.body.next() {
                more.withBytes { bytes.append(contentsOf: $0) }
                guard bytes.count <= TextLoader.limit else {
                    throw BytesError(verb: .read, url: request.url, reason: .tooLarge(limit: TextLoader.limit))
                }
                guard services.now - began < timeLimit else {
                    throw BytesError(verb: .read, url: request.url, reason: .timedOut(.end, timeLimit))
                }
            }
            if bytes.withUnsafeBytes({ WebPage.isPage(type: answer.facts.type, beginning: $0) }) {
                throw BytesError(verb: .open, url: request.url, reason: .webPage)
            }
            let text = Text(url: answer.url, bytes: bytes)
            if isNew(text, of: request) { permit.progressed() } else { permit.fruitless(.empty) }
            return text
        } catch let error as BytesError {
            permit.failed(error)
            // A part of a text is not progress: the next attempt starts from the beginning.
            throw FailedAttempt(error)
        }
    }
}

/// The minimum rate of a text that may be endless; a slower transfer fails. Pure.
struct MinimumRate: Sendable {
    /// The time over which the rate is measured: only time spent waiting for bytes counts.
    static let span: Duration = .seconds(30)
    /// The fewest bytes in that time. Any item has more.
    static let least = 64

    private var waited = Duration.zero
    private var got = 0

    /// Counts bytes that arrived after a wait. False once too few arrived in `span`.
    mutating func isMet(_ bytes: Int, after wait: Duration) -> Bool {
        waited += wait
        got += bytes
        guard waited >= MinimumRate.span else { return true }
        defer { (waited, got) = (.zero, 0) }
        return got >= MinimumRate.least
    }
}
