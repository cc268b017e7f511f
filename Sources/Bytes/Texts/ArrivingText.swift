import Cache
import HTTP
import Model
import Synchronization
import Threads

/// A text that is taken in as it is read: a manifest of any length. It is kept nowhere, and what nobody has read yet is not asked of the server, so that
/// memory holds a piece of it. Read by one thread at a time, from the beginning on; going back begins anew.
final class ArrivingText: ByteSource {
    private struct State {
        var arrival: Arrival
        /// Where `rest` begins, of the text.
        var offset: Int64 = 0
        var rest = BodyChunk()
        var isOver = false
        /// A read failed or was cancelled, and so no more comes.
        var isBroken = false
        var trickle = Trickle()

        /// How many bytes from `offset` on were copied, 0 at the end; nil: more must come first.
        mutating func take(from wanted: Int64, into buffer: UnsafeMutableRawBufferPointer) -> Int? {
            let skipped = Int(clamping: min(wanted - offset, Int64(rest.count)))
            rest.removeFirst(skipped)
            offset += Int64(skipped)
            guard rest.count > 0 else { return isOver ? 0 : nil }
            let count = min(buffer.count, rest.count)
            rest.withBytes { buffer.copyMemory(from: UnsafeRawBufferPointer(rebasing: $0[..<count])) }
            rest.removeFirst(count)
            offset += Int64(count)
            return count
        }
    }

    let url: String
    /// Not known of what may come compressed.
    let length: Int64? = nil
    let isSeekable = false
    private let request: ByteRequest
    /// Who still reads has not left.
    private let provider: CachedProvider
    private let facts: AssetFacts
    private let state: Mutex<State>

    /// Asks for it, again where that may help. Blocks until the answer begins.
    init(_ request: ByteRequest, _ provider: CachedProvider, _ cancellation: Cancellation) throws(BytesError) {
        self.request = request
        self.provider = provider
        let arrival = try ArrivingText.begin(request, provider, cancellation)
        url = arrival.answer.url
        facts = arrival.answer.facts
        state = Mutex(State(arrival: arrival))
    }

    func read(
        at offset: Int64, into buffer: UnsafeMutableRawBufferPointer, cancellation: Cancellation
    ) throws(BytesError) -> Int {
        guard offset >= 0 else { throw failure(.negativeOffset) }
        guard buffer.count > 0 else { return 0 }
        if state.withLock({ offset < $0.offset || $0.isBroken }) { try beginAnew(cancellation) }
        while true {
            if let count = state.withLock({ $0.take(from: offset, into: buffer) }) { return count }
            let arrival = state.withLock(\.arrival)
            do {
                let began = provider.services.now
                let bytes = try Transport.wait(cancellation) { try await arrival.next() }.get()
                let wait = provider.services.now - began
                if let bytes, !state.withLock({ $0.trickle.flows(bytes.count, after: wait) }) {
                    throw failure(.timedOut(.nextByte, Trickle.span))
                }
                if state.withLock({ $0.offset == 0 }), let bytes,
                    bytes.withBytes({ WebPage.isPage(type: facts.type, beginning: $0) })
                {
                    throw failure(.webPage)
                }
                state.withLock { state in
                    state.isOver = bytes == nil
                    state.rest = bytes ?? BodyChunk()
                }
            } catch {
                state.withLock { $0.isBroken = true }
                throw error as? BytesError ?? failure(.cancelled)
            }
        }
    }

    private func beginAnew(_ cancellation: Cancellation) throws(BytesError) {
        let arrival = try ArrivingText.begin(request, provider, cancellation)
        guard arrival.answer.facts.agrees(with: facts), arrival.answer.url == url else { throw failure(.changed) }
        state.withLock { $0 = State(arrival: arrival) }
    }

    private func failure(_ reason: BytesError.Reason) -> BytesError {
        BytesError(verb: .read, url: request.url, reason: reason)
    }

    private static func begin(
        _ request: ByteRequest, _ provider: CachedProvider, _ cancellation: Cancellation
    ) throws(BytesError) -> Arrival {
        let (key, services) = (AssetKey(request.url), provider.services)
        if let error = provider.rests.refusal(key, at: services.now) { throw error }
        let arrival = Transport.wait(cancellation) {
            try await RetryPolicy.run {
                let place = try await HostSlot.take(request, services)
                return Arrival(place: place, answer: try await place.ask())
            }
        }
        do { return try arrival.get() } catch {
            provider.rests.note(error, key, at: services.now)
            throw error as? BytesError ?? BytesError(verb: .open, url: request.url, reason: .cancelled)
        }
    }
}

/// A text on its way.
private struct Arrival: Sendable {
    let place: HostSlot
    let answer: Transport.Answer

    func next() async throws -> BodyChunk? {
        let bytes = try await answer.body.next()
        place.got.add(Int64(bytes?.count ?? 0), ordering: .relaxed)
        return bytes
    }
}

/// A place among the transfers of a host, which is given back, and the transfer reported, when nobody holds it any more.
private final class HostSlot: Sendable {
    let got = Atomic<Int64>(0)
    private let status = Atomic(0)
    private let request: ByteRequest
    private let services: LoaderServices
    private let began: Duration

    /// Waits for a place.
    static func take(_ request: ByteRequest, _ services: LoaderServices) async throws -> HostSlot {
        try await services.hosts.enter(request.origin, isUrgent: true)
        return HostSlot(request, services)
    }

    private init(_ request: ByteRequest, _ services: LoaderServices) {
        self.request = request
        self.services = services
        began = services.now
    }

    deinit {
        services.hosts.leave(request.origin)
        services.reporter.add(
            Fetch(
                asset: request.asset.url, url: SafeURL.text(request.url), from: 0, to: nil,
                got: got.load(ordering: .relaxed), source: .network, status: status.load(ordering: .relaxed),
                time: services.now - began))
    }

    func ask() async throws -> Transport.Answer {
        var asked = Transport.Request(url: request.url, asset: request.asset)
        asked.acceptsCompressed = true
        asked.unpackedLimit = .max
        do {
            let answer = try await services.transport.send(asked)
            status.store(answer.status, ordering: .relaxed)
            guard answer.status != 200 else { return answer }
            throw FailedAttempt(
                error: .refusal(answer.status, retryAfter: answer.retryAfter, of: request.url),
                failure: .status(answer.status, retryAfter: answer.retryAfter))
        } catch let error as BytesError {
            throw FailedAttempt(error: error, failure: error.failure(progress: false))
        }
    }
}
