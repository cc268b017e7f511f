import Testing
import Wire

@testable import Media

@Suite struct CueDensityTests {
    /// How many of `count` cues that begin `interval` apart, from `start` on, pass.
    private func passed(_ count: Int, every interval: Microseconds, from start: Microseconds = 0) -> Int {
        var density = CueDensity()
        return (0..<Microseconds(count)).count { density.allows(start + $0 * interval) }
    }

    @Test func readableCuesPass() {
        #expect(passed(1_000, every: 40_000) == 1_000)
        #expect(passed(CueDensity.most, every: 0) == CueDensity.most)
    }

    @Test func firstCuesOfEachSecondPass() {
        #expect(passed(10_000, every: 0) == CueDensity.most)
        #expect(passed(3_000, every: 1_000) == 3 * CueDensity.most)
        #expect(passed(10_000, every: 0, from: .max - 1_000_000) == CueDensity.most)
    }

    @Test func earlierOnesCanFollow() {
        var density = CueDensity()
        for _ in 0..<100 { _ = density.allows(60_000_000) }
        let isReported = density.allows(1_000_000)
        #expect(isReported)
    }
}
