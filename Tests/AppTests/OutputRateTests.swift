import Testing

@testable import App

struct OutputRateTests {
    @Test func theRateIsWhatWasWrittenInTheLastSecond() {
        var rate = OutputRate()
        let none = rate.bytesPerSecond(now: .seconds(5))
        #expect(none == 0)
        for step in 0..<100 { rate.note(1_000, now: .milliseconds(40 * step)) }
        let steady = rate.bytesPerSecond(now: .milliseconds(3_990))
        #expect(steady == 25_000)
        let later = rate.bytesPerSecond(now: .milliseconds(4_460))
        #expect(later == 13_000)
        let over = rate.bytesPerSecond(now: .seconds(6))
        #expect(over == 0)
    }

    @Test func manySmallWritesTakeLittleMemoryAndLoseNothing() {
        var rate = OutputRate()
        for step in 0..<10_000 { rate.note(1, now: .microseconds(50 * step)) }
        let all = rate.bytesPerSecond(now: .milliseconds(500))
        #expect(all == 10_000)
    }

    @Test func writeCountsForLessThanASecond() {
        var rate = OutputRate()
        rate.note(1_000, now: .zero)
        rate.note(200, now: .milliseconds(500))
        let during = rate.bytesPerSecond(now: .milliseconds(999))
        #expect(during == 1_200)
        let after = rate.bytesPerSecond(now: .seconds(1))
        #expect(after == 200)
    }

    /// Otherwise writes in quick succession would never be forgotten.
    @Test func writesThatShareAnEntryHaveTheTimeOfTheFirst() {
        var rate = OutputRate()
        for (milliseconds, bytes) in [(0, 1), (3, 10), (6, 100), (9, 1_000)] {
            rate.note(bytes, now: .milliseconds(milliseconds))
        }
        let rest = rate.bytesPerSecond(now: .milliseconds(1_005))
        #expect(rest == 1_100)
        let none = rate.bytesPerSecond(now: .milliseconds(1_006))
        #expect(none == 0)
    }
}
