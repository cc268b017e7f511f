import Bytes
import Model
import Platform
import Threads
import Wire

/// Answers a decoder's `openURL` and `read` from the byte provider, however long that takes.
///
/// It has its own threads, which open, read and close sources; they are started when first needed.
/// All functions may be called from any thread and return at once. The owner must call `end`.
final class ReadServer: Sendable {
    private enum Job {
        case open(ByteRequest, isPatient: Bool)
        case read(offset: Int64, count: Int, isPatient: Bool)
    }

    private struct Extent {
        var length: Int64 = -1
        var seekable = false
    }

    private struct Source {
        /// It is the clip itself.
        var isClip = false
        /// It is a segment of a live stream.
        var isLive = false
        /// nil until it is open.
        var opened: (any ByteSource)?
        /// What was reported to the decoder: the length, -1 if unknown, and whether it is seekable.
        var reported = Extent()
        /// The next job.
        var waiting: Job?
        /// The current job. A source is read by one thread at a time.
        var running: Cancellation?
    }

    private struct State {
        /// The asset that everything is read for; nil until the decoder is ordered to open something.
        var asset: Asset?
        /// What may be opened for it; nothing before there is an asset.
        var reach = ReadPermissions(url: "")
        var sources: [UInt32: Source] = [:]
        /// The sources that have something to do and no thread yet, in the order in which they came.
        var ready: [UInt32] = []
        /// Closed sources. A thread releases the last reference to each, as that may block.
        var leaving: [any ByteSource] = []
        var threads = 0
        /// Threads that have nothing to do, or are sending an answer: a decoder that does not read it would not read
        /// another one either.
        var free = 0
        /// The number of announcements since the last opening.
        var expected = 0
        /// Counts the requested reads and openings.
        var requests = 0
        /// The decoder's remaining budget.
        var allowance = TokenBucket.requests
        /// Answers that are being sent.
        var answering = 0
        /// Why the last opening or read that failed did so.
        var failure: ByteReadError?
        var isOver = false
    }

    /// What a thread does next.
    private enum Work {
        case open(ByteRequest, as: UInt32, Cancellation)
        case read(any ByteSource, id: UInt32, offset: Int64, count: Int, Cancellation)
        case close([any ByteSource])
        case leave
    }

    private let provider: any ByteProvider
    private let prefetch: (any PrefetchControl)?
    private let send: @Sendable (ToDecoder) -> Void
    private let began = ContinuousClock.now
    private let state = Monitor(State())

    /// More than any playlist needs.
    private static let maxSources = 64
    /// More than any playlist announces before it opens some of it.
    private static let maxExpected = 64
    /// A decoder waits for one read, and may have left others behind that do not end at once.
    private static let maxThreads = 3

    /// `send` is called on the server's threads, and may block while the decoder does not listen.
    ///
    /// - Parameter prefetch: hears what the decoder will open soon.
    init(
        provider: any ByteProvider, prefetch: (any PrefetchControl)?, send: @escaping @Sendable (ToDecoder) -> Void
    ) {
        self.provider = provider
        self.prefetch = prefetch
        self.send = send
    }

    /// The decoder is about to be ordered to open `asset`. Whatever it still has open of
    /// the previous one is no longer the clip: those bytes say nothing about this one.
    ///
    /// - Parameter kind: what the asset is, if that is known.
    func begin(_ asset: Asset, as kind: ReadPermissions.Kind = .unknown) {
        state.withLock { state in
            state.asset = asset
            state.reach = ReadPermissions(url: asset.url, kind: kind)
            for id in state.sources.keys { state.sources[id]?.isClip = false }
        }
    }

    /// The decoder was sent an order, for which it may ask for bytes.
    func noteOrder() { state.withLock { $0.allowance.earn(TokenBucket.requestsOfOrder) } }

    /// Whether the decoder waits for bytes, and the number of its requests.
    var load: (isServing: Bool, requests: Int) {
        state.withLock { state in
            (state.sources.values.contains { $0.waiting != nil || $0.running != nil }, state.requests)
        }
    }

    /// Whether an answer is being sent at this moment.
    var isAnswering: Bool { state.withLock { $0.answering > 0 } }

    /// Why the decoder was refused bytes last. It is known before the decoder hears of it.
    var failure: ByteReadError? { state.withLock(\.failure) }

    /// Handles a message about bytes, and ignores others. Throws if the message violates the protocol.
    func handle(_ message: FromDecoder) throws(WireError) {
        guard message.isAboutBytes else { return }
        let now = ContinuousClock.now - began
        guard state.withLock({ $0.allowance.take(now: now) }) else { throw .tooMany("requests") }
        switch message {
        case .openURL(let id, let want, let isPatient):
            let isHonest = state.change { state in
                guard let asset = state.asset, state.sources[id] == nil, state.sources.count < ReadServer.maxSources
                else { return false }
                state.sources[id] = Source(
                    isClip: want.url == asset.url, isLive: want.role == .liveSegment,
                    waiting: .open(ByteRequest(want, of: asset), isPatient: isPatient))
                state.ready.append(id)
                state.requests += 1
                state.expected = 0
                return true
            }
            guard isHonest else { throw .invalid("source number") }
        case .read(let id, let offset, let count, let isPatient):
            try read(id: id, .read(offset: offset, count: Int(count), isPatient: isPatient))
        case .closeURL(let id):
            let running = state.change { state in
                guard let source = state.sources.removeValue(forKey: id) else { return Cancellation?.none }
                state.ready.removeAll { $0 == id }
                // A source that is being read is closed by the thread that reads it.
                if source.running == nil, let opened = source.opened { state.leaving.append(opened) }
                return source.running
            }
            running?.cancel()
        case .expect(let want):
            let asset = state.withLock { state in
                state.expected += 1
                guard state.expected <= ReadServer.maxExpected, state.reach.allows(want.url) else {
                    return Asset?.none
                }
                return state.asset
            }
            guard let asset else { throw .invalid("expectation") }
            prefetch?.expect(ByteRequest(want, of: asset))
        default: return
        }
        startThreadIfNeeded()
    }

    /// The newest read of a source is the one that counts.
    private func read(id: UInt32, _ job: Job) throws(WireError) {
        let (isHonest, older) = state.change { state in
            guard state.sources[id]?.opened != nil else { return (false, Cancellation?.none) }
            let older = state.sources[id]?.running
            if older == nil, state.sources[id]?.waiting == nil { state.ready.append(id) }
            state.sources[id]?.waiting = job
            state.requests += 1
            return (true, older)
        }
        guard isHonest else { throw .invalid("source number") }
        older?.cancel()
    }

    /// Cancels all reads, answers nothing more, and ends the threads once the provider returns.
    func end() {
        let (running, sources) = state.change { state in
            defer {
                state.isOver = true
                state.sources = [:]
                state.ready = []
                state.leaving = []
            }
            return (
                state.sources.values.compactMap(\.running), state.sources.values.compactMap(\.opened) + state.leaving
            )
        }
        for cancellation in running { cancellation.cancel() }
        // Closing may block: it happens here, where the lock is not taken.
        _ = sources
    }

    // MARK: Threads

    private func startThreadIfNeeded() {
        let isNeeded = state.withLock { state in
            guard !state.isOver, state.free < state.ready.count + min(state.leaving.count, 1),
                state.threads < ReadServer.maxThreads
            else { return false }
            state.threads += 1
            state.free += 1
            return true
        }
        if isNeeded { BlockingThread.start { [self] in serve() } }
    }

    private func serve() {
        while true {
            switch state.wait(for: { ReadServer.next(of: &$0) }) {
            case .leave, nil: return
            case .close: break
            case .open(let request, let id, let cancellation): open(request, as: id, cancellation)
            case .read(let source, let id, let offset, let count, let cancellation):
                let answer = read(source, id: id, offset: offset, count: count, cancellation)
                reportExtent(of: source, id: id)
                finish(id, cancellation, answer)
            }
        }
    }

    private static func next(of state: inout State) -> Work? {
        if state.isOver {
            state.threads -= 1
            return .leave
        }
        if !state.leaving.isEmpty {
            defer { state.leaving = [] }
            return .close(state.leaving)
        }
        guard !state.ready.isEmpty else { return nil }
        let id = state.ready.removeFirst()
        let cancellation: Cancellation
        let work: Work
        switch (state.sources[id]?.waiting, state.sources[id]?.opened) {
        case (.open(let request, let isPatient), _):
            cancellation = Cancellation(isPatient: isPatient)
            work = .open(request, as: id, cancellation)
        case (.read(let offset, let count, let isPatient), let source?):
            cancellation = Cancellation(isPatient: isPatient)
            work = .read(source, id: id, offset: offset, count: count, cancellation)
        default: preconditionFailure("source \(id) is ready and has nothing to do")
        }
        state.sources[id]?.waiting = nil
        state.sources[id]?.running = cancellation
        state.free -= 1
        return work
    }

    /// Answers, unless the request was cancelled. The bytes that it brings allow the decoder more requests.
    private func finish(
        _ id: UInt32, _ cancellation: Cancellation, opened: (any ByteSource)? = nil, _ answer: ToDecoder
    ) {
        let isWanted = state.change { state in
            state.free += 1
            guard state.sources[id]?.running === cancellation else { return false }
            state.sources[id]?.running = nil
            if let opened { state.sources[id]?.opened = opened }
            if case .source(_, _, let length, let seekable, _) = answer {
                state.sources[id]?.reported = Extent(length: length, seekable: seekable)
            }
            if state.sources[id]?.opened == nil { state.sources[id] = nil }
            guard state.sources[id]?.waiting != nil else {
                if case .data(_, _, let bytes, _) = answer, bytes.count >= TokenBucket.bytesOfRead {
                    state.allowance.earn(2)
                }
                state.answering += 1
                return true
            }
            state.ready.append(id)
            return false
        }
        guard isWanted else { return }
        send(answer)
        state.change { $0.answering -= 1 }
    }

    /// Updates the decoder when more is known of the clip's file than was reported.
    private func reportExtent(of source: any ByteSource, id: UInt32) {
        guard
            state.withLock({
                $0.sources[id].map { $0.isClip && ($0.reported.length < 0 || !$0.reported.seekable) } ?? false
            })
        else { return }
        let (length, seekable) = (source.length ?? -1, source.isSeekable)
        let isNews = state.withLock { state in
            guard let reported = state.sources[id]?.reported else { return false }
            guard reported.length < 0 && length >= 0 || !reported.seekable && seekable else { return false }
            state.sources[id]?.reported = Extent(length: length, seekable: seekable || reported.seekable)
            return true
        }
        if isNews { send(.source(id: id, url: source.url, length: length, seekable: seekable, error: "")) }
    }

    private func open(_ request: ByteRequest, as id: UInt32, _ cancellation: Cancellation) {
        do throws(BytesError) {
            guard state.withLock({ $0.reach.allows(request.url) }) else {
                throw BytesError(verb: .open, url: request.url, reason: .forbidden)
            }
            let source = try provider.open(request, cancellation: cancellation)
            guard source.url.utf8.count <= WireLimit.text else {
                throw BytesError(verb: .open, url: source.url, reason: .malformed)
            }
            let answer = ToDecoder.source(
                id: id, url: source.url, length: source.length ?? -1, seekable: source.isSeekable, error: "")
            finish(id, cancellation, opened: source, answer)
        } catch {
            note(error, id: id)
            finish(
                id, cancellation,
                .source(id: id, url: request.url, length: -1, seekable: false, error: error.description))
        }
    }

    private func read(
        _ source: any ByteSource, id: UInt32, offset: Int64, count: Int, _ cancellation: Cancellation
    ) -> ToDecoder {
        var failure: BytesError?
        let bytes = [UInt8](unsafeUninitializedCapacity: count) { buffer, filled in
            let room = UnsafeMutableRawBufferPointer(buffer)
            do throws(BytesError) {
                filled = count == 0 ? 0 : try source.read(at: offset, into: room, cancellation: cancellation)
            } catch {
                failure = error
                filled = 0
            }
        }
        if let failure { note(failure, id: id) }
        state.withLock { state in
            if state.sources[id]?.isClip == true { state.reach.note(bytes, at: offset) }
        }
        return .data(id: id, offset: offset, bytes: bytes, error: failure?.description ?? "")
    }

    /// The decoder gets the reason as text only; what flick needs of it is noted here.
    private func note(_ error: BytesError, id: UInt32) {
        guard error.reason != .cancelled else { return }
        state.withLock { $0.failure = ByteReadError(error: error, isLive: $0.sources[id]?.isLive ?? false) }
    }
}

/// Why a decoder was refused bytes.
struct ByteReadError {
    var error: BytesError
    /// It requested a segment of a live stream: others follow.
    var isLive: Bool

    /// Whether the same clip may be played later.
    var mayPass: Bool { isLive || error.mayPass }
}

extension FromDecoder {
    /// Whether it requests bytes, or closes their source.
    var isAboutBytes: Bool {
        switch self {
        case .openURL, .read, .closeURL, .expect: true
        default: false
        }
    }
}

extension ByteRequest {
    /// What a decoder wants on behalf of `asset`. Its numbers have been checked by the wire.
    init(_ want: ByteWant, of asset: Asset) {
        let role: Bytes.ByteRole =
            switch want.role {
            case .media: .media
            case .playlist: .playlist
            case .segment: .segment
            case .liveSegment: .liveSegment
            case .key: .key
            }
        self.init(
            url: want.url, asset: asset, role: role, range: want.end >= 0 ? want.offset..<want.end : nil,
            clipTimes: want.to > want.from ? .microseconds(want.from) ..< .microseconds(want.to) : nil)
    }
}
