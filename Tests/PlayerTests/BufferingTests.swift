import Model
import Testing

@testable import Player

/// When a clip of the network runs, on given times and supplies.
struct BufferingTests {
    private func supply(_ milliseconds: Int, ahead: Double) -> Buffering.Supply {
        Buffering.Supply(now: .milliseconds(milliseconds), ahead: .seconds(ahead))
    }

    /// When the clock starts, in milliseconds, if `rate` seconds of
    /// clip arrive per second; checked 20 times a second for 20 s.
    private func start(_ target: Duration, rate: Double, pace: Double = 1) -> Int? {
        var buffering = Buffering()
        buffering.begin(target)
        for time in stride(from: 0, through: 20_000, by: 50) {
            var supply = supply(time, ahead: Double(time) / 1_000 * rate)
            supply.pace = pace
            if buffering.isEnough(supply) { return time }
        }
        return nil
    }

    @Test func slowLineWaitsForTheWholeTarget() {
        #expect(start(Buffering.playlist, rate: 0.5) == 4_000)
        #expect(start(Buffering.file, rate: 0.5) == 6_000)
        #expect(start(Buffering.file, rate: 1) == 3_000)
    }

    @Test func fastLinkStartsWithOneSecondBuffered() {
        #expect(start(Buffering.file, rate: 1.3) == 800)
        #expect(start(Buffering.file, rate: 1.5) == 700)
        #expect(start(Buffering.file, rate: 1.2) == 2_500)
    }

    @Test func fastLineWaitsUntilItIsKnownToBeOne() {
        #expect(start(Buffering.file, rate: 4) == 500)
        // Three seconds are there before half a second is over.
        #expect(start(Buffering.file, rate: 10) == 300)
    }

    @Test func fasterPlayNeedsMore() {
        #expect(start(Buffering.playlist, rate: 1, pace: 2) == 4_000)
        #expect(start(Buffering.playlist, rate: 2.6, pace: 2) == 800)
    }

    @Test func cameraStartsAtOnceWithoutBufferShare() {
        #expect(start(Buffering.camera, rate: 1) == 0)
        var buffering = Buffering()
        buffering.begin(Buffering.camera)
        #expect(buffering.share(supply(0, ahead: 0)) == nil)
    }

    @Test func wholeClipOrFullDecoderRunsAtOnce() {
        var buffering = Buffering()
        buffering.begin(Buffering.file)
        var all = supply(0, ahead: 0.1)
        all.isAll = true
        var full = supply(0, ahead: 0.1)
        full.isFilling = false
        let (runsWithAll, runsWhenFull, runs) = (
            buffering.isEnough(all), buffering.isEnough(full), buffering.isEnough(supply(0, ahead: 0.1))
        )
        #expect(runsWithAll && runsWhenFull && !runs)
    }

    @Test func runningClipNeedsNoBuffer() {
        var buffering = Buffering()
        buffering.begin(Buffering.file)
        buffering.end()
        let runs = buffering.isEnough(supply(0, ahead: 0))
        #expect(runs)
    }

    @Test func eachWaitMeasuresItsOwnGrowth() {
        var buffering = Buffering()
        buffering.begin(Buffering.again)
        _ = buffering.isEnough(supply(0, ahead: 0))
        buffering.end()
        buffering.begin(Buffering.again)
        let looks = [buffering.isEnough(supply(10_000, ahead: 0.5)), buffering.isEnough(supply(10_600, ahead: 1.5))]
        #expect(looks == [false, true])
    }

    /// Bytes that came before are no sign of how fast the line is.
    @Test func growthIsMeasuredFromWhenTheClockBeganToWait() {
        var buffering = Buffering()
        buffering.begin(Buffering.file)
        var started: Int?
        for time in stride(from: 0, through: 20_000, by: 50) where started == nil {
            if buffering.isEnough(supply(time, ahead: 1.5 + Double(time) / 1_000 * 0.5)) { started = time }
        }
        #expect(started == 3_000)
    }
}

/// What a clip has to play from, on given times.
struct ByteSupplyTests {
    @Test func throughputIsSentAfterAChangeOfATenth() {
        var supply = ByteSupply(isRemote: true)
        let seen: [Int64?] = [nil, 1_000_000, 1_050_000, 1_100_000, 1_000_001, 990_000, nil]
        let sent = seen.map { supply.throughputToSend($0) }
        #expect(sent == [nil, 1_000_000, nil, 1_100_000, nil, 990_000, 0])
    }

    @Test func newDecoderReceivesTheThroughputAgain() {
        var supply = ByteSupply(isRemote: true)
        let first = supply.throughputToSend(1_000_000)
        supply.restart(at: 0, now: .seconds(1))
        let second = supply.throughputToSend(1_000_000)
        #expect(first == 1_000_000 && second == 1_000_000)
    }

    /// The last share is less than the first: the user has sought meanwhile, to where less has come.
    @Test func speedDropsToZeroAfterTwoSecondsWithoutProgress() {
        var supply = ByteSupply(isRemote: true)
        let seen: [(at: Int64, share: Double)] = [(0, 0.8), (1, 0.8), (2, 0.8), (3, 0.1), (4, 0.2), (5, 0.2), (6, 0.2)]
        let speeds = seen.map { at, share in
            _ = supply.note(
                ClipWait(place: "test", isRemote: true, share: share, speed: 1_000), now: .seconds(at))
            return supply.wait?.speed
        }
        #expect(speeds == [1_000, 1_000, 0, 1_000, 1_000, 1_000, 0])
    }
}
