import Model
import Testing

@testable import Player

/// How fast pages are turned, and what was left where.
@Suite struct SkimDetectorTests {
    private func pace(_ stays: [(stay: Int, duration: Int?)]) -> PreloadPlan.Pace {
        var pace = SkimDetector()
        for page in stays {
            pace.leave(after: .milliseconds(page.stay), duration: page.duration.map { .milliseconds($0) })
        }
        return pace.pace
    }

    @Test func fourFifthsSkippedOfTheLastTwentyIsFast() {
        let skipped = (stay: 800, duration: Optional(20_000)), seen = (stay: 6_000, duration: Optional(20_000))
        #expect(pace(Array(repeating: skipped, count: 19)) == .usual)
        #expect(pace(Array(repeating: skipped, count: 20)) == .fast)
        #expect(pace(Array(repeating: skipped, count: 16) + Array(repeating: seen, count: 4)) == .fast)
        #expect(pace(Array(repeating: skipped, count: 15) + Array(repeating: seen, count: 5)) == .usual)
        #expect(pace(Array(repeating: skipped, count: 4) + Array(repeating: seen, count: 16)) == .slow)
        // Only the last ones count.
        #expect(pace(Array(repeating: skipped, count: 40) + Array(repeating: seen, count: 20)) == .slow)
    }

    @Test func watchedShortClipIsNotSkipped() {
        #expect(pace(Array(repeating: (1_000, 1_200), count: 20)) == .slow)
        #expect(pace(Array(repeating: (1_000, nil), count: 20)) == .fast)
    }

    @Test func placesOfLongClipsAreForgottenByAge() {
        var places = LeftPlaces()
        for number in 0..<LeftPlaces.limit { places.note("\(number)", 5) }
        places.note("0", 7)
        places.note("new", 9)
        #expect(places["0"] == 7 && places["1"] == 0 && places["2"] == 5 && places["new"] == 9)
    }
}
