import Model
import Synchronization
import Testing

@testable import Player

/// Whether memory is short.
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
