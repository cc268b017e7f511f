import TestSupport
import Testing

@testable import Threads

@Suite struct ThreadPoolTests {
    /// Threads of a system that may refuse them.
    private final class System: Sendable {
        let state = Monitor((made: 0, refuses: false))

        func make(_ body: @escaping ThreadPool.Body) -> Bool {
            let isMade = state.withLock { state in
                guard !state.refuses else { return false }
                state.made += 1
                return true
            }
            if isMade { BlockingThread.start(body) }
            return isMade
        }

        var made: Int { state.withLock(\.made) }
    }

    private let system = System()
    private let pool: ThreadPool
    private let done = Monitor(0)

    init() { pool = ThreadPool(make: system.make) }

    /// Starts a body that ends once `gate` is open.
    private func start(until gate: Monitor<Bool>) {
        pool.start { [done] in
            let _: Void? = gate.wait { $0 ? () : nil }
            done.change { $0 += 1 }
        }
    }

    private func areDone(_ count: Int) async -> Bool {
        await onThread { [done] in done.wait(upTo: .seconds(20)) { $0 == count ? true : nil } ?? false }
    }

    @Test func bodiesThatWaitForEachOtherRunAtOnce() async {
        #expect(pool.begin(2))
        let gate = Monitor(0)
        for _ in 0..<8 {
            pool.start { [done] in
                gate.change { $0 += 1 }
                let _: Void? = gate.wait { $0 == 8 ? () : nil }
                done.change { $0 += 1 }
            }
        }
        #expect(await areDone(8))
        #expect(system.made <= 8)
    }

    @Test func threadsOfTheBeginningAreUsedAgain() async {
        #expect(pool.begin(3))
        #expect(system.made == 3)
        for count in 1...50 {
            pool.start { [done] in done.change { $0 += 1 } }
            #expect(await areDone(count))
        }
        #expect(system.made == 3)
        #expect(pool.begin(3) && system.made == 3, "they are there already")
    }

    @Test func beginningFailsWithoutThreads() {
        system.state.withLock { $0.refuses = true }
        #expect(!pool.begin(1))
    }

    @Test func bodiesWaitForAThreadThatTheSystemRefuses() async {
        #expect(pool.begin(1))
        system.state.withLock { $0.refuses = true }
        let gate = Monitor(false)
        for _ in 0..<3 { start(until: gate) }
        gate.change { $0 = true }
        #expect(await areDone(3))
        #expect(system.made == 1)
    }

    @Test func bodiesBeyondTheLimitWait() async {
        let gate = Monitor(false)
        for _ in 0..<ThreadPool.limit + 5 { start(until: gate) }
        #expect(system.made == ThreadPool.limit)
        gate.change { $0 = true }
        #expect(await areDone(ThreadPool.limit + 5))
    }
}
