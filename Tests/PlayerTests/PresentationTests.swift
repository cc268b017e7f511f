import Testing
import Wire

@testable import Player

private func picture(_ slot: UInt32, at pts: Int64, serial: UInt32 = 0, generation: UInt32 = 1) -> PictureHeader {
    PictureHeader(
        slot: slot, serial: serial, generation: generation, pts: pts, mediaTime: pts, duration: 40_000, width: 2,
        height: 2, stride: 2)
}

@Suite struct PresentationTests {
    @Test func newestDuePictureIsShownAndTheOthersGoBack() {
        var pictures = Presentation()
        for index in 0..<4 { _ = pictures.add(picture(UInt32(index), at: Int64(index) * 40_000)) }
        let free = pictures.advance(to: 85_000)
        #expect(free == [0, 1])
        #expect(pictures.current?.header.slot == 2)
        #expect(pictures.dropped == 2)
        let later = pictures.advance(to: 120_000)
        #expect(later == [2])
    }

    @Test func slotsGoBackSeveralAtATimeWhileEnoughPicturesWait() {
        var pictures = Presentation()
        for index in 0..<12 { _ = pictures.add(picture(UInt32(index), at: Int64(index) * 40_000)) }
        let freed = (0..<12).map { pictures.advance(to: Int64($0) * 40_000) }
        #expect(freed[..<6].joined().isEmpty)
        #expect(freed[6] == [0, 1, 2, 3, 4, 5])
        // Fewer than four wait from here on.
        #expect(freed[7].isEmpty && freed[8] == [6, 7])
        #expect(freed[9...] == [[8], [9], [10]])
    }

    @Test func keptSlotsAreReleasedOnceWhenIdle() {
        var pictures = Presentation()
        for index in 0..<12 { _ = pictures.add(picture(UInt32(index), at: Int64(index) * 40_000)) }
        _ = pictures.advance(to: 80_000)
        #expect(pictures.owns(slot: 0) && pictures.owns(slot: 1) && pictures.owns(slot: 2))
        let kept = pictures.freePassed()
        #expect(kept == [0, 1] && !pictures.owns(slot: 0))
        let again = pictures.freePassed()
        #expect(again.isEmpty)
        _ = pictures.advance(to: 120_000)
        let afterSeek = pictures.forgetWaiting()
        #expect(afterSeek.first == 2)
    }

    @Test func pictureStaysUntilTheNextIsDue() {
        var pictures = Presentation()
        _ = pictures.add(picture(0, at: 0))
        _ = pictures.add(picture(1, at: 40_000))
        _ = pictures.advance(to: 0)
        let free = pictures.advance(to: 39_999)
        #expect(free.isEmpty)
        #expect(pictures.current?.header.slot == 0)
    }

    @Test func pictureShownAgainIsAnotherOneInTheSamePlace() {
        var pictures = Presentation()
        pictures.showAgain()
        #expect(pictures.current == nil)
        _ = pictures.add(picture(0, at: 0))
        _ = pictures.advance(to: 0)
        let before = pictures.current?.number
        pictures.showAgain()
        #expect(pictures.current?.header.slot == 0 && pictures.current?.number != before)
        #expect(pictures.dropped == 0)
    }

    @Test func pictureOfTheNewSizeReplacesWaitingOnesFromItsMomentOn() {
        var pictures = Presentation()
        for index in 0..<3 { _ = pictures.add(picture(UInt32(index), at: Int64(index) * 40_000)) }
        let free = pictures.add(picture(3, at: 40_000, generation: 2))
        #expect(free == [1, 2])
        #expect(pictures.waiting.map(\.slot) == [0, 3])
    }

    @Test func seekKeepsWhatIsSeen() {
        var pictures = Presentation()
        for index in 0..<3 { _ = pictures.add(picture(UInt32(index), at: Int64(index) * 40_000)) }
        _ = pictures.advance(to: 0)
        let free = pictures.forgetWaiting()
        #expect(free == [1, 2])
        #expect(pictures.current?.header.slot == 0)
    }
}

@Suite struct MediaClockTests {
    @Test func clockRunsAtItsRateUntilStopped() {
        var clock = MediaClock()
        clock.setRate(2, now: .zero)
        clock.run(now: .seconds(1))
        #expect(clock.position(at: .milliseconds(1_500)) == 1_000_000)
        clock.stop(now: .milliseconds(1_500))
        #expect(clock.position(at: .seconds(9)) == 1_000_000)
    }

    @Test func anotherRateLeavesARunningClockWhereItIs() {
        var clock = MediaClock()
        clock.run(now: .zero)
        clock.setRate(2, now: .seconds(1))
        #expect(clock.position(at: .seconds(1)) == 1_000_000)
        #expect(clock.position(at: .seconds(2)) == 3_000_000)
        clock.setRate(0.5, now: .seconds(2))
        #expect(clock.position(at: .seconds(4)) == 4_000_000)
    }

    @Test func largeOffsetsAreTakenOverSmallOnesSmoothed() {
        var clock = MediaClock()
        clock.run(now: .zero)
        let large = clock.follow(1_100_000, now: .seconds(1))
        #expect(large == 100_000)
        #expect(clock.position(at: .seconds(1)) == 1_100_000)
        let small = clock.follow(1_116_000, now: .seconds(1))
        #expect(small == 16_000)
        #expect(clock.position(at: .seconds(1)) == 1_101_000)
    }
}

@Suite struct SoundQueueTests {
    private func tone(_ frames: Int, _ value: Int16 = 1) -> [Int16] { Array(repeating: value, count: frames * 2) }

    @Test func framesPutBackAreHeardAgain() {
        var queue = SoundQueue()
        queue.append(pts: 0, mediaTime: 0, samples: tone(4_800))
        _ = queue.next(2_400)
        queue.putBack(1_200)
        #expect(queue.frames == 3_600)
        #expect(queue.start == 25_000)
    }

    @Test func gapIsFilledWithSilence() {
        var queue = SoundQueue()
        queue.append(pts: 0, mediaTime: 0, samples: tone(480))
        queue.append(pts: 110_000, mediaTime: 110_000, samples: tone(480))
        let all = queue.next(10_000)
        #expect(all.count / 2 == 480 + 4_800 + 480)
        #expect(all[480 * 2] == 0)
    }

    @Test func overlapIsLeftOutAndWhatIsLeftKeepsItsPlaceInTheClip() {
        var queue = SoundQueue()
        queue.append(pts: 0, mediaTime: 0, samples: tone(4_800))
        queue.append(pts: 50_000, mediaTime: 50_000, samples: tone(4_800, 2))
        #expect(queue.frames == 7_200)
        let first = queue.next(4_800)
        #expect(first.allSatisfy { $0 == 1 })
        #expect(queue.start == 100_000 && queue.mediaOffset == 0)
    }

    @Test func soundBeforeThePictureIsDropped() {
        var queue = SoundQueue()
        queue.append(pts: 0, mediaTime: 0, samples: tone(4_800))
        queue.drop(before: 50_000)
        #expect(queue.frames == 2_400)
    }
}
