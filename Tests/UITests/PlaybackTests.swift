import Model
import Testing

@testable import UI

@Suite struct PlaybackTests {
    private func playback(_ change: (inout Options) -> Void = { _ in }) -> Playback {
        var options = Options()
        change(&options)
        return Playback(options)
    }

    @Test func autoAdvanceDoesNotLoop() {
        let playback = playback { ($0.autoAdvance, $0.isMuted) = (true, true) }
        #expect(playback.settings(Options()) == [.setVolume(0), .setLoop(false), .setFit(.auto), .setSpeed(1)])
    }

    @Test func speedsAreFurtherApartAboveTwo() {
        var playback = playback()
        var up: [String] = []
        for _ in 0..<5 {
            playback.setSpeed(playback.speed(by: 1))
            up.append(playback.speedText)
        }
        #expect(up == ["1.25x", "1.5x", "1.75x", "2x", "2.5x"])
        playback.setSpeed(playback.speed(by: -1))
        #expect(playback.speedText == "2x")
        playback.setSpeed(9)
        #expect(playback.speed == Playback.speeds.upperBound)
        playback.setSpeed(0)
        #expect(playback.speed == Playback.speeds.lowerBound)
    }

    @Test func fitGoesRound() {
        var playback = playback()
        let names = (0..<3).map { _ in playback.nextFit() }
        #expect(names == ["Fit mode: fill", "Fit mode: fit", "Fit mode: auto"] && playback.fit == .auto)
    }

    @Test func anotherPagePlays() {
        var playback = playback()
        playback.wantsPlay = false
        playback.showPop(now: .zero)
        #expect(playback.pop?.mark == .pause)
        playback.arrive()
        #expect(playback.wantsPlay && playback.pop == nil)
    }

    @Test func popIsShownForItsLength() {
        var playback = playback()
        playback.showPop(now: .seconds(1))
        playback.hidePop(at: .seconds(1) + Playback.Pop.length - .milliseconds(1))
        #expect(playback.pop?.mark == .play)
        playback.hidePop(at: .seconds(1) + Playback.Pop.length)
        #expect(playback.pop == nil)
    }

    @Test func onlyTheFirstPassingPageHadAPlayer() {
        var playback = playback()
        let had = [playback.pass(now: .seconds(1)), playback.pass(now: .seconds(2))]
        #expect(had == [true, false] && playback.due == .seconds(2) + Playback.passingPause)
        playback.endPassing()
        #expect(playback.due == nil)
    }

    @Test func pageWithoutAnEndIsShownForAWhile() {
        var playback = playback()
        let end = Duration.seconds(1) + Playback.endlessShown
        let first = playback.isEndlessOver(true, now: .seconds(1))
        #expect(!first && playback.due == end)
        let (before, at) = (
            playback.isEndlessOver(true, now: end - .milliseconds(1)), playback.isEndlessOver(true, now: end)
        )
        #expect(!before && at && playback.due == nil)
    }

    @Test func pauseStartsThatTimeAgain() {
        var playback = playback()
        let ends = [(true, 1), (false, 3), (true, 4), (true, 8), (true, 9)].map {
            playback.isEndlessOver($0.0, now: .seconds($0.1))
        }
        #expect(ends == [false, false, false, false, true])
    }

    @Test func peekReportsAnItemOnce() {
        var playback = playback()
        let isNew = [playback.peek(at: nil), playback.peek(at: "a"), playback.peek(at: "a"), playback.peek(at: nil)]
        #expect(isNew == [false, true, false, true])
    }
}

@Suite struct SoundTests {
    @Test func louderUnmutesAndQuieterDoesNot() {
        var sound = Sound(volume: 0.5, isMuted: true)
        sound.setVolume(0.45)
        #expect(sound.isMuted && sound.level == 0 && sound.volume == 0.45)
        sound.setVolume(0.5)
        #expect(!sound.isMuted && sound.level == 0.5)
    }

    @Test func volumeStaysInItsRange() {
        var sound = Sound(volume: 7, isMuted: false)
        #expect(sound.volume == 1)
        sound.setVolume(-1)
        #expect(sound.volume == 0 && sound.isSilent)
        sound.setVolume(0.333)
        #expect(sound.volume == 0.33)
    }

    @Test func missingSoundIsSilent() {
        var sound = Sound(volume: 1, isMuted: false)
        #expect(!sound.isSilent)
        sound.isMissing = true
        #expect(sound.isSilent && sound.level == 1)
    }

    @Test func wordsFitTheTerminal() {
        var sound = Sound(volume: 0.65, isMuted: false)
        #expect(sound.words(isASCII: false, isPlain: false) == "Volume ▮▮▮▮▮▮▯▯▯▯ 65 %")
        #expect(sound.words(isASCII: true, isPlain: false) == "Volume [######....] 65 %")
        #expect(sound.words(isASCII: false, isPlain: true) == "Volume 65 %")
        sound.isMuted = true
        #expect(sound.words(isASCII: false, isPlain: false) == "Muted")
    }
}
