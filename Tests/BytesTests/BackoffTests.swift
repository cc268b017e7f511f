import Testing
import Threads

@Suite struct BackoffTests {
    @Test func pausesGrowToTheLongestAndStartOver() {
        var backoff = Backoff(from: .seconds(3), upTo: .seconds(30))
        let pauses = (0..<6).map { _ in backoff.next() }
        #expect(pauses == [3, 6, 12, 24, 30, 30].map { .seconds($0) })
        backoff.reset()
        #expect(backoff.pause == .seconds(3))
    }

    @Test func factorCanBeAnother() {
        let backoff = Backoff(from: .milliseconds(10), upTo: .seconds(1), factor: 10)
        #expect((0..<4).map { backoff.pause(after: $0) } == [10, 100, 1_000, 1_000].map { .milliseconds($0) })
    }

    @Test func pauseStaysUntilItGrows() {
        var backoff = Backoff(from: .seconds(1), upTo: .seconds(8))
        #expect(backoff.pause == .seconds(1) && backoff.pause == .seconds(1))
        backoff.grow()
        #expect(backoff.pause == .seconds(2))
    }

    @Test(arguments: [(0, 2_000), (0.5, 3_000), (1, 4_000)] as [(Double, Int)])
    func jitterTakesUpToHalfOfThePause(jitter: Double, milliseconds: Int) {
        let backoff = Backoff(from: .seconds(2), upTo: .seconds(60))
        #expect(backoff.pause(after: 1, jitter: jitter) == .milliseconds(milliseconds))
    }

    @Test(arguments: [Int.min, -1, 0, 62, 63, 64, .max]) func anyNumberOfFailuresHasAPause(failures: Int) {
        let backoff = Backoff(from: .seconds(2), upTo: .seconds(3_600))
        #expect(backoff.pause(after: failures) == (failures > 0 ? .seconds(3_600) : .seconds(2)))
    }

    @Test func firstIsNoLongerThanTheLongest() {
        #expect(Backoff(from: .seconds(5), upTo: .seconds(1)).pause == .seconds(1))
    }
}
