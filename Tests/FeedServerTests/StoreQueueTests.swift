import Synchronization
import TestSupport
import Testing
import Threads

@testable import FeedServer

@Suite struct StoreQueueTests {
    /// A store that waits before each transaction until it may, and remembers how many writes each had.
    private final class GatedStore: ServiceStore {
        let gate = Monitor(0)
        let batches = Mutex<[Int]>([])
        let fails = Atomic(false)

        func open(_ count: Int) { gate.change { $0 += count } }

        func apply(_ writes: [ServiceWrite]) throws(ServiceError) -> [WriteOutcome] {
            batches.withLock { $0.append(writes.count) }
            _ = gate.wait { count -> Void? in
                guard count > 0 else { return nil }
                count -= 1
                return ()
            }
            if fails.load(ordering: .relaxed) { throw ServiceError(why: "it fails") }
            return writes.map { $0 == StoreQueueTests.known ? .repeated : .done }
        }

        func tallies(of items: [String]) throws(ServiceError) -> [String: Tally] { [:] }
        func comments(
            of item: String, before: Int64?, limit: Int, viewer: String
        ) throws(ServiceError) -> StoredComments { StoredComments(threads: [], next: nil, total: 0) }
        func reports(limit: Int) -> [StoredReport] { [] }
        func removal(of item: String) -> ItemRemoval? { nil }
        func watched(since: Double) -> WatchSums { WatchSums() }
        func total() throws(ServiceError) -> Tally { Tally() }
    }

    private static let write = ServiceWrite.follow(creator: "c", viewer: "v", isOn: true, at: 1)
    /// A write that the store has already.
    private static let known = ServiceWrite.follow(creator: "c", viewer: "v", isOn: false, at: 1)

    @Test func writesDuringATransactionShareTheNext() async throws {
        let store = GatedStore()
        let queue = StoreQueue(store)
        async let first = queue.write(Self.write)
        #expect(await onThread { holds(within: .seconds(60)) { store.batches.withLock { $0 == [1] } } })
        let others = (0..<50).map { place in Task { try await queue.write(place < 20 ? Self.known : Self.write) } }
        #expect(await onThread { holds(within: .seconds(60)) { queue.waiting == 50 } })
        // As many as there are: a transaction too many fails the test instead of waiting.
        store.open(51)
        #expect(try await first == .done)
        // Each write gets its own outcome.
        for (place, other) in others.enumerated() { #expect(try await other.value == (place < 20 ? .repeated : .done)) }
        #expect(store.batches.withLock { $0 } == [1, 50])
        await queue.end(upTo: .seconds(5))
    }

    @Test func pendingWritesAreSavedAtTheEnd() async throws {
        let store = GatedStore()
        let queue = StoreQueue(store)
        let first = Task { try await queue.write(Self.write) }
        #expect(await onThread { holds(within: .seconds(60)) { store.batches.withLock { $0 == [1] } } })
        let second = Task { try await queue.write(Self.write) }
        #expect(await onThread { holds(within: .seconds(60)) { queue.waiting == 1 } })
        let start = ContinuousClock.now
        await queue.end(upTo: .milliseconds(50))
        #expect(.now - start >= .milliseconds(50), "it waits for what is not kept yet")
        store.open(3)
        try #require(await onThread { holds(within: .seconds(60)) { store.batches.withLock { $0 == [1, 1] } } })
        #expect(try await first.value == .done)
        #expect(try await second.value == .done)
        await queue.end(upTo: .seconds(5))
        await #expect(throws: ServiceError.self) { try await queue.write(Self.write) }
    }

    @Test func moreThanTheQueueHoldsIsRefused() async throws {
        let store = GatedStore()
        let queue = StoreQueue(store)
        let first = Task { try await queue.write(Self.write) }
        #expect(await onThread { holds(within: .seconds(60)) { store.batches.withLock { $0 == [1] } } })
        let others = (0..<StoreQueue.waitingLimit).map { _ in Task { try await queue.write(Self.write) } }
        #expect(await onThread { holds(within: .seconds(60)) { queue.waiting == StoreQueue.waitingLimit } })
        let failed = Mutex<ServiceError?>(nil)
        let tooMuch = Task {
            do { _ = try await queue.write(Self.write) } catch { failed.withLock { $0 = error as? ServiceError } }
        }
        // At once: nothing can be kept yet.
        let wanted = ServiceError(why: "too many writes are waiting")
        #expect(await onThread { holds(within: .seconds(60)) { failed.withLock { $0 == wanted } } })
        store.open(2 + StoreQueue.waitingLimit / StoreQueue.batchLimit)
        #expect(try await first.value == .done)
        for other in others { #expect(try await other.value == .done) }
        await tooMuch.value
        await queue.end(upTo: .seconds(5))
    }

    @Test func failedTransactionFailsOnlyItsWrites() async throws {
        let store = GatedStore()
        let queue = StoreQueue(store)
        store.fails.store(true, ordering: .relaxed)
        store.open(1)
        await #expect(throws: ServiceError(why: "it fails")) { try await queue.write(Self.write) }
        store.fails.store(false, ordering: .relaxed)
        store.open(1)
        #expect(try await queue.write(Self.write) == .done)
        await queue.end(upTo: .seconds(5))
        store.open(1)
        await #expect(throws: ServiceError.self) { try await queue.write(Self.write) }
    }
}
