import Model
import Synchronization
import Testing

@testable import Player

/// What the policies of warm clips conclude: how fast pages are turned, what was left where, whether memory is short.
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

@Suite struct MemoryPressureTests {
    /// What is said of one look after another, five seconds apart.
    private func looks(_ files: [MemoryPressure.Files]) -> [Bool?] {
        let next = Mutex(0)
        var memory = MemoryPressure {
            next.withLock { next in
                defer { next += 1 }
                return files[next]
            }
        }
        return files.indices.map { memory.look(now: .seconds(5 * $0)) }
    }

    private let ease = MemoryPressure.Files()

    @Test func stallFiguresSignalPressureForTenSeconds() {
        let some = "some avg10=10.00 avg60=0.10 avg300=0.00 total=9\nfull avg10=0.00 avg60=0.00 avg300=0.00 total=0\n"
        let little = some.replacing("10.00", with: "9.99")
        #expect(looks([.init(pressure: [little, some]), ease, ease, ease]) == [true, true, false, false])
        #expect(looks([.init(pressure: [little])]) == [false])
        #expect(looks([.init(pressure: ["", "some avg10=x"])]) == [false])
    }

    @Test func countersOfTheGroupCountOnceTheyRise() {
        func events(_ max: Int) -> MemoryPressure.Files {
            .init(events: "low 0\nhigh 3\nmax \(max)\noom 0\noom_kill 0\n")
        }
        #expect(looks([events(7), events(7), events(8), events(8), events(8)]) == [false, false, true, true, false])
    }

    @Test func lessThanATwentiethOfMemoryIsShort() {
        func left(_ kilobytes: Int) -> MemoryPressure.Files {
            .init(available: "MemTotal:       1000000 kB\nMemFree: 1 kB\nMemAvailable:    \(kilobytes) kB\n")
        }
        #expect(looks([left(50_000)]) == [false])
        #expect(looks([left(49_999)]) == [true])
    }

    @Test func memoryIsCheckedEveryFiveSeconds() {
        var memory = MemoryPressure { .init() }
        #expect(memory.look(now: .seconds(1)) == false)
        #expect(memory.look(now: .milliseconds(5_999)) == nil)
        #expect(memory.nextLook == .seconds(6))
        #expect(memory.look(now: .seconds(6)) == false)
    }
}
