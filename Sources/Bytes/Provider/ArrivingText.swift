import Cache
import HTTP
import Model
import Synchronization
import Threads

/// A text that arrives while it is read: a feed of any length. The server sends no more than is read,
/// so only a part of it is in memory, besides the part to be stored. One thread at a time reads it,
/// from the beginning on; a read further back requests it again.
///
/// The last whole answer is stored on disk (`KeptFeed`). The server is asked whether it has changed; if it
/// has not, or if the server is unreachable, the stored answer is read.
final class ArrivingText: ByteSource {
    /// The text's source.
    private enum Content {
        case arriving(Arrival)
        /// An earlier answer. `age` is nil if the server says that it still holds.
        case kept(KeptFeed, age: Duration?)
    }

    private struct State {
        var content: Content
        /// The offset in the text at which `buffered` begins.
        var offset: Int64 = 0
        var buffered = BodyChunk()
        var isOver = false
        /// A read failed or was cancelled: no more bytes arrive.
        var isBroken = false
        var rate = MinimumRate()
        var isPage = false
        /// The whole response was passed to the cache.
        var isKept = false
        /// All that has come; nil if it is not to be kept.
        var whole: [UInt8]? = []

        init(_ content: Content) {
            self.content = content
            guard case .kept(let feed, _) = content else { return }
            (buffered, isOver, whole) = (BodyChunk(feed.body), true, nil)
        }

        /// Returns how many bytes from `wanted` on were copied, 0 at the end; nil if more bytes must arrive first.
        mutating func copy(from wanted: Int64, into buffer: UnsafeMutableRawBufferPointer) -> Int? {
            let skipped = Int(clamping: min(wanted - offset, Int64(buffered.count)))
            buffered.removeFirst(skipped)
            offset += Int64(skipped)
            guard buffered.count > 0 else { return isOver ? 0 : nil }
            let count = min(buffer.count, buffered.count)
            buffered.withBytes { buffer.copyMemory(from: UnsafeRawBufferPointer(rebasing: $0[..<count])) }
            buffered.removeFirst(count)
            offset += Int64(count)
            return count
        }

        /// The next bytes have come; nil at the end.
        mutating func take(_ bytes: BodyChunk?) {
            isOver = bytes == nil
            buffered = bytes ?? BodyChunk()
            guard let bytes, let before = whole?.count else { return }
            if before + bytes.count > KeptText.feed.limit {
                whole = nil
            } else {
                bytes.withBytes { whole?.append(contentsOf: $0) }
            }
        }
    }

    /// Unknown, because the response may be compressed.
    let length: Int64? = nil
    let isSeekable = false
    private let request: ByteRequest
    /// Keeps the provider alive while there are readers.
    private let provider: CachedProvider
    private let key: AssetKey?
    private let known: KeptFeed?
    private let state: Mutex<State>

    /// Requests the text, with retries where they can help. Blocks until the response begins.
    init(_ request: ByteRequest, _ provider: CachedProvider, _ cancellation: Cancellation) throws(BytesError) {
        self.request = request
        self.provider = provider
        key = AssetKey(request.url)
        known = key.flatMap { KeptFeed($0, in: provider.services.writer) }
        state = Mutex(State(try ArrivingText.begin(request, provider, known, cancellation)))
    }

    var url: String {
        state.withLock { state in
            switch state.content {
            case .arriving(let arrival): arrival.answer.url
            case .kept(let feed, _): feed.url
            }
        }
    }

    var type: MediaType? { facts.mediaType }

    var age: Duration? {
        state.withLock { state in
            guard case .kept(_, let age) = state.content else { return nil }
            return age
        }
    }

    private var facts: AssetFacts {
        state.withLock { state in
            switch state.content {
            case .arriving(let arrival): arrival.answer.facts
            case .kept(let feed, _): feed.facts
            }
        }
    }

    func read(
        at offset: Int64, into buffer: UnsafeMutableRawBufferPointer, cancellation: Cancellation
    ) throws(BytesError) -> Int {
        guard offset >= 0 else { throw failure(.negativeOffset) }
        guard buffer.count > 0 else { return 0 }
        if state.withLock({ offset < $0.offset || $0.isBroken }) { try restart(cancellation) }
        while true {
            if let count = state.withLock({ $0.copy(from: offset, into: buffer) }) { return count }
            guard case .arriving(let arrival) = state.withLock(\.content) else { return 0 }
            do {
                let began = provider.services.now
                let isFirst = offset == 0 && state.withLock { $0.whole?.isEmpty == true }
                let bytes = try Transport.wait(cancellation) {
                    try await isFirst ? arrival.beginning() : arrival.next()
                }.get()
                let wait = provider.services.now - began
                if let bytes, !state.withLock({ $0.rate.isMet(bytes.count, after: wait) }) {
                    throw failure(.timedOut(.nextByte, MinimumRate.span))
                }
                if let bytes, isPage(bytes, of: arrival) {
                    // The page may name a feed, but requesting it again and again is fruitless.
                    arrival.slot.permit.fruitless(.webPage)
                    // A login page has replaced what was a feed.
                    if let known, offset == 0 {
                        state.withLock { $0 = State(.kept(known, age: .seconds(known.age))) }
                        continue
                    }
                    state.withLock { ($0.isPage, $0.whole) = (true, nil) }
                }
                if let bytes, bytes.count > 0, !state.withLock(\.isPage) { arrival.slot.permit.progressed() }
                state.withLock { $0.take(bytes) }
                if bytes == nil { keep(arrival) }
            } catch {
                state.withLock { $0.isBroken = true }
                throw error as? BytesError ?? failure(.cancelled)
            }
        }
    }

    /// Whether the text begins like a web page with these bytes.
    private func isPage(_ bytes: BodyChunk, of arrival: Arrival) -> Bool {
        guard state.withLock({ $0.offset == 0 && $0.whole?.isEmpty == true }) else { return false }
        return bytes.withBytes { WebPage.isPage(type: arrival.answer.facts.type, beginning: $0) }
            || bytes.withBytes { WebPage.isPage(beginning: $0) }
    }

    /// Keeps a whole answer, later on the cache's thread.
    private func keep(_ arrival: Arrival) {
        guard let key, let body = state.withLock({ $0.whole.take() }), !body.isEmpty else { return }
        let feed = KeptFeed(url: arrival.answer.url, facts: arrival.answer.facts, body: body)
        let writer = provider.services.writer
        writer.add { writer.store()?.setText(.feed, feed.bytes, for: key) }
        state.withLock { $0.isKept = true }
    }

    func fallBack() -> Bool {
        let (isArriving, wasKept) = state.withLock { state in
            state.whole = nil
            guard case .arriving = state.content else { return (false, false) }
            return (true, state.isKept)
        }
        guard isArriving else { return false }
        if wasKept, let key {
            let writer = provider.services.writer
            writer.add { [known] in writer.store()?.setText(.feed, known?.bytes, for: key) }
        }
        guard let known else { return false }
        state.withLock { $0 = State(.kept(known, age: .seconds(known.age))) }
        return true
    }

    private func restart(_ cancellation: Cancellation) throws(BytesError) {
        if case .kept = state.withLock(\.content) { return state.withLock { $0 = State($0.content) } }
        let (before, url) = (facts, self.url)
        let content = try ArrivingText.begin(request, provider, nil, cancellation)
        guard case .arriving(let arrival) = content, arrival.answer.facts.agrees(with: before),
            arrival.answer.url == url
        else { throw failure(.changed) }
        state.withLock { $0 = State(content) }
    }

    private func failure(_ reason: BytesError.Reason) -> BytesError {
        BytesError(verb: .read, url: request.url, reason: reason)
    }

    /// - Parameter known: an earlier answer, which is read if the server has nothing newer or is unreachable.
    private static func begin(
        _ request: ByteRequest, _ provider: CachedProvider, _ known: KeptFeed?, _ cancellation: Cancellation
    ) throws(BytesError) -> Content {
        let services = provider.services
        let arrival = Transport.wait(cancellation) {
            try await RetryPolicy.run {
                let slot = try await HostSlot.enter(request, known?.facts, services)
                do { return Arrival(slot: slot, answer: try await slot.send()) } catch let failed as FailedAttempt {
                    // With an earlier answer there is no point in waiting for an absent network.
                    guard known != nil, failed.error.isOffline else { throw failed }
                    throw FailedAttempt(error: failed.error, failure: nil)
                }
            }
        }
        do {
            let arrival = try arrival.get()
            guard arrival.answer.status == 304, let known else { return .arriving(arrival) }
            arrival.slot.permit.fruitless(.status(304))
            return .kept(known, age: nil)
        } catch {
            let failure = error as? BytesError ?? BytesError(verb: .open, url: request.url, reason: .cancelled)
            // The budget is used up, and the last answer was that nothing is newer.
            if failure.reason == .status(304), let known { return .kept(known, age: nil) }
            services.budgets.giveUp(request.url, because: failure)
            guard let known, KeptFeed.stands(inPlaceOf: failure) else { throw failure }
            return .kept(known, age: .seconds(known.age))
        }
    }
}

/// A text that is arriving.
private struct Arrival: Sendable {
    let slot: HostSlot
    let answer: Transport.Answer

    func next() async throws -> BodyChunk? {
        let bytes = try await answer.body.next()
        slot.got.add(Int64(bytes?.count ?? 0), ordering: .relaxed)
        return bytes
    }

    /// The first bytes: enough to recognize a web page, which may come byte by byte.
    func beginning() async throws -> BodyChunk? {
        guard var bytes = try await next() else { return nil }
        while bytes.withBytes(WebPage.isUndecided), let more = try await next() { bytes.append(more) }
        return bytes
    }
}

/// One of a host's slots for transfers. Releasing the last reference frees the slot and reports the transfer.
private final class HostSlot: Sendable {
    let got = Atomic<Int64>(0)
    private let status = Atomic(0)
    let permit: RequestBudgets.Permit
    private let request: Transport.Request
    private let host: String
    private let services: LoaderServices
    private let began: Duration

    /// Waits until the URL may be requested and the host has a free slot.
    /// - Parameter known: of an earlier answer.
    static func enter(
        _ request: ByteRequest, _ known: AssetFacts?, _ services: LoaderServices
    ) async throws -> HostSlot {
        let permit = try await services.budgets.permit(for: request.url)
        try await services.feedHosts.enter(request.origin, isUrgent: true)
        return HostSlot(request, known, permit, services)
    }

    private init(
        _ request: ByteRequest, _ known: AssetFacts?, _ permit: RequestBudgets.Permit, _ services: LoaderServices
    ) {
        var asked = Transport.Request(url: request.url, asset: request.asset)
        asked.known = known
        asked.acceptsCompressed = true
        asked.unpackedLimit = .max
        self.request = asked
        self.permit = permit
        host = request.origin
        self.services = services
        began = services.now
    }

    deinit {
        services.feedHosts.leave(host)
        services.report(
            request, got: got.load(ordering: .relaxed), status: status.load(ordering: .relaxed), since: began)
    }

    func send() async throws -> Transport.Answer {
        do {
            let answer = try await services.transport.send(request)
            status.store(answer.status, ordering: .relaxed)
            permit.answered()
            guard answer.status != 200, answer.status != 304 || request.known == nil else { return answer }
            throw FailedAttempt(answer, of: request.url)
        } catch let failed as FailedAttempt {
            permit.fruitless(failed.error.reason)
            throw failed
        } catch let error as BytesError {
            permit.failed(error)
            throw FailedAttempt(error)
        }
    }
}
