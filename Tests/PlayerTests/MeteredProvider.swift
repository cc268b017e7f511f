import Bytes
import Model
import Threads

/// A network of one resource, which has arrived up to where the test lets it. Records the calls that it receives.
final class MeteredProvider: ByteProvider, MediaNetwork {
    private struct State {
        /// How many bytes from the beginning have arrived.
        var arrived: Int64
        var failure: BytesError.Reason?
        /// Counts the files that have been there.
        var edition = 0
        var requests: [ByteRequest] = []
        /// Which reads were patient.
        var patience: [Bool] = []
        var open = 0
        /// The reads that are under way.
        var reads: [ObjectIdentifier: (offset: Int64, edition: Int, cancellation: Cancellation)] = [:]
        var waiting: Int { reads.count }
        var cancelled = 0
        var focus: [Asset?] = []
        var stays = 0
        var stalls: [Bool] = []
        var saving: [Bool] = []
        var prefetch: [[Asset]] = []
        var stills: [[Asset]] = []
        var distrusted: [Asset] = []
        var rejected: [Asset] = []
        var discarded: [Asset] = []
        var expected: [ByteRequest] = []
        var held: [ClosedRange<Double>] = []
        var heldAsked = 0
        var throughput: Int64?
        var delay: String?
    }

    private let data: [UInt8]
    private let state: Monitor<State>

    init(_ data: [UInt8], arrived: Int64 = 0) {
        self.data = data
        state = Monitor(State(arrived: arrived))
    }

    convenience init(size: Int, arrived: Int64 = 0) { self.init(Array(repeating: 7, count: size), arrived: arrived) }

    // MARK: The test's side

    func arrive(_ count: Int64) { state.change { $0.arrived = max($0.arrived, count) } }
    func arriveWhole() { arrive(Int64(data.count)) }
    /// What waits, and what comes later, fails; nil: the network is back.
    func fail(_ reason: BytesError.Reason?) { state.change { $0.failure = reason } }
    /// Another file takes the place of the one that was there: what was opened
    /// before fails, what is opened now does not.
    func replaceFile() { state.change { $0.edition += 1 } }
    func setThroughput(_ bits: Int64?) { state.withLock { $0.throughput = bits } }
    func setDelay(_ why: String?) { state.withLock { $0.delay = why } }
    func setHeld(_ ranges: [ClosedRange<Double>]) { state.withLock { $0.held = ranges } }

    var requests: [ByteRequest] { state.withLock(\.requests) }
    var patience: [Bool] { state.withLock(\.patience) }
    var openSources: Int { state.withLock(\.open) }
    var waitingReads: Int { state.withLock(\.waiting) }
    /// Reads that will not end before the test does something.
    var stuckReads: Int {
        state.withLock { state in
            state.reads.values.count { read in
                !read.cancellation.isCancelled && state.failure == nil && read.edition == state.edition
                    && read.offset >= state.arrived
            }
        }
    }
    var cancelledReads: Int { state.withLock(\.cancelled) }
    var focused: [Asset?] { state.withLock(\.focus) }
    var stallsReported: [Bool] { state.withLock(\.stalls) }
    var savingReported: [Bool] { state.withLock(\.saving) }
    var staysReported: Int { state.withLock(\.stays) }
    var prefetched: [[Asset]] { state.withLock(\.prefetch) }
    var prefetchedStills: [[Asset]] { state.withLock(\.stills) }
    var distrusted: [Asset] { state.withLock(\.distrusted) }
    var rejected: [Asset] { state.withLock(\.rejected) }
    var discarded: [Asset] { state.withLock(\.discarded) }
    var expected: [ByteRequest] { state.withLock(\.expected) }
    var heldAsked: Int { state.withLock(\.heldAsked) }

    /// Blocks until `count` reads wait; false if it takes 10 s.
    func waitForReads(_ count: Int) -> Bool { wait { $0.waitingReads == count } }

    /// Blocks until something is so; false if it takes longer than `limit`.
    func wait(for limit: Duration = .seconds(10), until isSo: (MeteredProvider) -> Bool) -> Bool {
        let end = ContinuousClock.now + limit
        while !isSo(self) {
            if ContinuousClock.now > end { return false }
            // The state changes without this provider's doing, too: what it is asked is looked at again soon.
            let _: Bool? = state.wait(upTo: .milliseconds(5)) { _ in nil }
        }
        return true
    }

    // MARK: The player's side

    func open(_ request: ByteRequest, cancellation: Cancellation) throws(BytesError) -> any ByteSource {
        let (failure, edition) = state.change { state in
            state.requests.append(request)
            if state.failure == nil { state.open += 1 }
            return (state.failure, state.edition)
        }
        if let failure { throw BytesError(verb: .open, url: request.url, reason: failure) }
        return Source(url: request.url, edition: edition, provider: self)
    }

    func expect(_ request: ByteRequest) { state.change { $0.expected.append(request) } }
    func focus(on asset: Asset?) { state.change { $0.focus.append(asset) } }
    func setViewStalled(_ isStalled: Bool) { state.change { $0.stalls.append(isStalled) } }
    func setSavesData(_ savesData: Bool) { state.change { $0.saving.append(savesData) } }
    func stay() { state.change { $0.stays += 1 } }
    func prefetch(_ assets: [Asset]) { state.change { $0.prefetch.append(assets) } }
    func prefetchStills(_ assets: [Asset]) { state.change { $0.stills.append(assets) } }
    func revalidate(_ asset: Asset) { state.change { $0.distrusted.append(asset) } }
    func reject(_ asset: Asset) { state.change { $0.rejected.append(asset) } }
    func discard(_ asset: Asset) { state.change { $0.discarded.append(asset) } }
    func available(of asset: Asset, duration: Duration?) -> [ClosedRange<Double>] {
        state.withLock { state in
            state.heldAsked += 1
            return state.held
        }
    }
    func keepOffline(_ asset: Asset, _ isKept: Bool) {}
    func offline(_ asset: Asset) -> OfflineState { .no }
    func title(of asset: Asset) -> String? { nil }
    func delay(of asset: Asset) -> String? { state.withLock(\.delay) }
    var throughput: Int64? { state.withLock(\.throughput) }

    private final class Source: ByteSource {
        let url: String
        let edition: Int
        let provider: MeteredProvider
        var length: Int64? { Int64(provider.data.count) }
        let isSeekable = true

        init(url: String, edition: Int, provider: MeteredProvider) {
            self.url = url
            self.edition = edition
            self.provider = provider
        }

        deinit { provider.state.change { $0.open -= 1 } }

        func read(
            at offset: Int64, into buffer: UnsafeMutableRawBufferPointer, cancellation: Cancellation
        ) throws(BytesError) -> Int {
            guard offset < provider.data.count else { return 0 }
            let state = provider.state
            let handler = cancellation.onCancel { state.change { _ in } }
            defer { cancellation.forget(handler) }
            state.change { state in
                state.reads[ObjectIdentifier(cancellation)] = (offset, edition, cancellation)
                state.patience.append(cancellation.isPatient)
            }
            let found: Result<Int64, BytesError>? = state.wait { state in
                if cancellation.isCancelled { return .failure(BytesError(verb: .read, url: url, reason: .cancelled)) }
                let reason = state.failure ?? (edition == state.edition ? nil : .changed)
                if let reason { return .failure(BytesError(verb: .read, url: url, reason: reason)) }
                return offset < state.arrived ? .success(state.arrived) : nil
            }
            state.change { state in
                state.reads[ObjectIdentifier(cancellation)] = nil
                if cancellation.isCancelled { state.cancelled += 1 }
            }
            guard let found else { return 0 }
            let end = min(try found.get(), Int64(provider.data.count))
            let count = min(buffer.count, Int(end - offset))
            buffer.copyBytes(from: provider.data[Int(offset)..<Int(offset) + count])
            return count
        }
    }
}
