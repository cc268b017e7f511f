import Model
import Testing

@testable import App

@Suite struct OutputStatsTests {
    /// Notes updates; returns what the last one completes.
    private func last(
        _ updates: [(milliseconds: Int, isNew: Bool, coarseness: Double)], in stats: inout OutputStats
    ) -> OutputStats.Second? {
        var seconds: [OutputStats.Second?] = []
        for update in updates {
            seconds.append(
                stats.note(
                    hasNewPicture: update.isNew, coarseness: update.coarseness, now: .milliseconds(update.milliseconds))
            )
        }
        #expect(seconds.dropLast().allSatisfy { $0 == nil })
        return seconds.last.flatMap(\.self)
    }

    private func equals(_ second: OutputStats.Second?, _ pictures: Double, _ coarseness: Double) -> Bool {
        guard let second else { return false }
        return abs(second.picturesPerSecond - pictures) < 1e-9 && abs(second.coarseness - coarseness) < 1e-9
    }

    /// The update that begins a second belongs to none.
    @Test func figuresAreThoseOfTheTimeThatPassed() {
        var stats = OutputStats()
        let first = last([(0, true, 1), (400, true, 0.5), (800, false, 0.25), (1_250, true, 0)], in: &stats)
        #expect(equals(first, 1.6, 0.25))
        let second = last([(1_750, true, 1), (2_250, true, 0)], in: &stats)
        #expect(equals(second, 2, 0.5))
    }

    @Test func secondIsOverAfterASecond() {
        var stats = OutputStats()
        let early = last([(0, false, 0), (999, true, 0)], in: &stats)
        #expect(early == nil)
        let second = last([(1_000, true, 0)], in: &stats)
        #expect(equals(second, 2, 0))
    }

    @Test func secondBeginsAgainAfterAPause() {
        var stats = OutputStats()
        let none = last([(0, true, 1), (500, true, 1), (2_000, true, 1)], in: &stats)
        #expect(none == nil)
        let second = last([(2_500, false, 0), (3_000, true, 0)], in: &stats)
        #expect(equals(second, 1, 0))
    }
}
