import Testing

@testable import Player

struct ProcessorWatchTests {
    /// Asks sixty times a second for a minute and a half. `cores` are used all the time. Returns when it gave up, and
    /// how often it looked.
    private func run(cores: Double, brings: (Duration) -> Int = { _ in 0 }) -> (end: Duration?, looks: Int) {
        var watch = ProcessorWatch(now: .seconds(5))
        var looks = 0
        for tick in 0..<90 * 60 {
            let now = Duration.seconds(5) + .seconds(1) * tick / 60
            func used() -> Duration? {
                looks += 1
                return (now - .seconds(5)) * cores
            }
            if watch.check(used: used(), brought: brings(now), now: now) { return (now - .seconds(5), looks) }
        }
        return (nil, looks)
    }

    @Test func decoderThatComputesWithoutOutputIsEnded() throws {
        let one = try #require(run(cores: 1).end)
        #expect(one > .seconds(20) && one < .seconds(22))
        let two = try #require(run(cores: 2).end)
        #expect(two > .seconds(10) && two < .seconds(12))
    }

    @Test func occasionalOutputKeepsTheDecoder() {
        #expect(run(cores: 2, brings: { Int($0 / .seconds(8)) }).end == nil)
    }

    @Test func looksOnceASecond() {
        let resting = run(cores: 0.1)
        #expect(resting.end == nil && (85...90).contains(resting.looks))
    }

    @Test func allDecodersAreCheckedTogetherThreeTimesAMinute() {
        for now in [Duration.zero, .seconds(3), .milliseconds(19_999)] {
            #expect(ProcessorWatch.nextWake(after: now) == .seconds(20))
        }
        #expect(ProcessorWatch.nextWake(after: .seconds(20)) == .seconds(40))
    }

    /// While nothing plays, nothing but the watch itself has the loop come round.
    @Test func idleLoopStillEndsABusyDecoder() {
        var watch = ProcessorWatch(now: .zero)
        var now = Duration.zero
        repeat {
            now = ProcessorWatch.nextWake(after: now)
        } while !watch.check(used: now, brought: 0, now: now) && now < .seconds(100)
        #expect(now == .seconds(40))
    }

    @Test func missingProcessIsIgnored() {
        var watch = ProcessorWatch(now: .zero)
        let mustEnd = watch.check(used: nil, brought: 0, now: .seconds(3))
        #expect(!mustEnd)
    }
}
