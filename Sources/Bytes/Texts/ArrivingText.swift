import Cache
import HTTP
import Model
import Synchronization
import Threads

/// A text that arrives while it is read: a manifest of any length. It is not cached, and the server sends no more than
/// is read, so only a part of it is in memory. One thread at a time reads it, from the beginning on; a read further
/// back requests it again.
final class ArrivingText: ByteSource {
    private struct State {
        var arrival: Arrival
        /// The offset in the text at which `buffered` begins.
        var offset: Int64 = 0
        var buffered = BodyChunk()
        var isOver = false
        /// A read failed or was cancelled: no more bytes arrive.
        var isBroken = false
        var rate = MinimumRate()

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
    }

    let url: String
    /// Unknown, because the response may be compressed.
    let length: Int64? = nil
    let isSeekable = false
    private let request: ByteRequest
    /// Keeps the provider alive as long as somebody reads.
    private let provider: CachedProvider
    private let facts: AssetFacts
    private let state: Mutex<State>

    /// Requests the text, with retries where they can help. Blocks until the response begins.
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
            if let count = state.withLock({ $0.copy(from: offset, into: buffer) }) { return count }
            let arrival = state.withLock(\.arrival)
            do {
                let began = provider.services.now
                let bytes = try Transport.wait(cancellation) { try await arrival.next() }.get()
                let wait = provider.services.now - began
                if let bytes, !state.withLock({ $0.rate.isMet(bytes.count, after: wait) }) {
                    throw failure(.timedOut(.nextByte, MinimumRate.span))
                }
                if state.withLock({ $0.offset == 0 }), let bytes,
                    bytes.withBytes({ WebPage.isPage(type: facts.type, beginning: $0) })
                {
                    arrival.slot.endedInVain(.webPage)
                    throw failure(.webPage)
                }
                if let bytes, bytes.count > 0 { arrival.slot.progressed() }
                state.withLock { state in
                    state.isOver = bytes == nil
                    state.buffered = bytes ?? BodyChunk()
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
        if let error = provider.retryAfter.refusal(key, at: services.now) { throw error }
        let arrival = Transport.wait(cancellation) {
            try await RetryPolicy.run {
                let slot = try await HostSlot.enter(request, services)
                return Arrival(slot: slot, answer: try await slot.ask())
            }
        }
        do { return try arrival.get() } catch {
            provider.retryAfter.note(error, key, at: services.now)
            throw error as? BytesError ?? BytesError(verb: .open, url: request.url, reason: .cancelled)
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
}

/// One of a host's slots for transfers. Releasing the last reference frees the slot and reports the transfer.
private final class HostSlot: Sendable {
    let got = Atomic<Int64>(0)
    private let status = Atomic(0)
    private let asked = Mutex<AskLimits.Ask?>(nil)
    private let request: Transport.Request
    private let host: String
    private let services: LoaderServices
    private let began: Duration

    /// Waits until the host has a free slot.
    static func enter(_ request: ByteRequest, _ services: LoaderServices) async throws -> HostSlot {
        try await services.hosts.enter(request.origin, isUrgent: true)
        return HostSlot(request, services)
    }

    private init(_ request: ByteRequest, _ services: LoaderServices) {
        var asked = Transport.Request(url: request.url, asset: request.asset)
        asked.acceptsCompressed = true
        asked.unpackedLimit = .max
        self.request = asked
        host = request.origin
        self.services = services
        began = services.now
    }

    deinit {
        services.hosts.leave(host)
        services.report(
            request, got: got.load(ordering: .relaxed), status: status.load(ordering: .relaxed), since: began)
    }

    func ask() async throws -> Transport.Answer {
        let ask = try await services.asks.ask(request.url)
        asked.withLock { $0 = ask }
        do {
            let answer = try await services.transport.send(request)
            status.store(answer.status, ordering: .relaxed)
            // Until there is a first byte, it has been asked for in vain.
            guard answer.status != 200 else {
                ask.endedInVain(.empty)
                return answer
            }
            let failed = FailedAttempt(answer, of: request.url)
            ask.endedInVain(failed.error.reason)
            throw failed
        } catch let error as BytesError {
            if !error.isOffline { ask.endedInVain(error.reason) }
            throw FailedAttempt(error)
        }
    }

    /// See `AskLimits.Ask`.
    func progressed() { asked.withLock(\.self)?.progressed() }
    func endedInVain(_ reason: BytesError.Reason) { asked.withLock(\.self)?.endedInVain(reason) }
}
