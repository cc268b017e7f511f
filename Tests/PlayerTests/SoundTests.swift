import Model
import TestSupport
import Testing
import Wire

@testable import Player

@Suite(.serialized) @MainActor struct SoundTests {
    private let item = Item(id: "a", url: "file:///script")

    private var soundOnly: ScriptedDecoder {
        var script = ScriptedDecoder()
        script.hasVideo = false
        script.duration = 800_000
        return script
    }

    private func levels(_ stage: Stage) -> Int {
        stage.reports.count { if case .level(let level) = $0 { level > 0 } else { false } }
    }

    @Test func audioOnlyClipReportsPositionAndLevels() {
        let stage = Stage(audio: TestOutput(), loop: false, decoders: [soundOnly])
        defer { stage.pool.close() }
        stage.play(item)
        let ended = stage.run(item) { $0.reports.contains(.ended) }
        #expect(ended)
        #expect(levels(stage) > 4)
        #expect(stage.position() > .milliseconds(700))
    }

    @Test func soundWithoutPicturesAndWithoutDevicePlaysByTheClock() {
        for audio in [TestOutput(missing: true), nil] {
            let stage = Stage(audio: audio, loop: false, decoders: [soundOnly])
            defer { stage.pool.close() }
            let began = stage.now
            stage.play(item)
            let ended = stage.run(item, limit: .seconds(5)) { $0.reports.contains(.ended) }
            #expect(ended)
            #expect(stage.now - began > .milliseconds(700))
            #expect(levels(stage) > 4)
        }
    }

    @Test func lostDeviceIsReportedOnceAndTheClipPlaysOn() {
        let audio = TestOutput()
        let stage = Stage(audio: audio, decoders: [ScriptedDecoder()])
        defer { stage.pool.close() }
        stage.play(item)
        _ = stage.run(item) { $0.position() > .milliseconds(300) }
        audio.lose()
        let played = stage.run(item) { $0.position() > .milliseconds(1_000) }
        #expect(played)
        #expect(stage.notices == ["no audio: the device was removed; plug one in"])
        #expect(stage.events.all("recover").isEmpty)
    }

    @Test func pausedAndLeftClipGetsNoMoreSound() {
        let audio = TestOutput()
        let stage = Stage(audio: audio, decoders: [ScriptedDecoder()])
        defer { stage.pool.close() }
        stage.play(item)
        _ = stage.run(item) { $0.position() > .milliseconds(300) }
        stage.pause(item.id)
        #expect(audio.queuedFrames == 0)
        let heard = audio.heard.count
        _ = stage.run(item, limit: .milliseconds(200)) { _ in false }
        #expect(audio.heard.count == heard)
        #expect(stage.wantsNoWake)
    }

    @Test func fetchedSoundIsNotHeardYet() throws {
        let (audio, clock) = (TestOutput(buffer: 1_024), ManualClock())
        audio.follow(clock)
        var feed = AudioSink(output: audio)
        feed.openDevice()
        let fits = feed.append(pts: 1_000_000, mediaTime: 1_000_000, samples: Array(repeating: 1, count: 96_000))
        #expect(fits)
        let begins = feed.play(from: 1_000_000, isAudible: true, volume: 1, now: clock.now)
        #expect(begins)
        clock.advance(by: .milliseconds(100))
        // 4,800 frames were played; the device has fetched five buffers, and guesses that one of them is not heard yet.
        let position = feed.heardPosition(now: clock.now)
        let heard = try #require(position)
        #expect(abs(heard - (1_000_000 + 4 * 1_024 * 1_000_000 / 48_000)) <= 1)
    }

    /// Each piece of 20 ms is as loud as its time in milliseconds, times eight.
    private var rising: ScriptedDecoder {
        var script = ScriptedDecoder()
        script.sample = { Int16($0 / 1_000 * 8) }
        return script
    }

    @Test func resumedClipStartsWithTheUnheardSound() {
        let audio = TestOutput()
        let stage = Stage(audio: audio, decoders: [rising])
        defer { stage.pool.close() }
        stage.play(item)
        _ = stage.run(item) { $0.position() > .milliseconds(500) }
        stage.pause(item.id)
        stage.skip(.seconds(1))
        stage.play(item)
        _ = stage.run(item) { $0.position() > .milliseconds(900) }
        #expect(zip(audio.heard, audio.heard.dropFirst()).allSatisfy { $1 == $0 || $1 == $0 + 160 })
        #expect(audio.heard.last.map { $0 >= 900 * 8 } == true)
    }

    @Test func anotherVolumeLosesNoSound() {
        let audio = TestOutput()
        let stage = Stage(audio: audio, decoders: [rising])
        defer { stage.pool.close() }
        stage.play(item)
        _ = stage.run(item) { $0.position() > .milliseconds(500) }
        let played = Int(audio.playedFrames.rounded(.up)) * 2
        // Half the volume is an eighth as loud.
        stage.setVolume(0.5)
        _ = stage.run(item) { $0.position() > .milliseconds(900) }
        let heard = audio.heard.prefix(played).map { $0 / 8 } + audio.heard.dropFirst(played)
        #expect(heard.count > played)
        #expect(zip(heard, heard.dropFirst()).allSatisfy { $1 == $0 || $1 == $0 + 20 })
    }

    /// Sounds like the second of the clip that it belongs to.
    private var numbered: ScriptedDecoder {
        var script = ScriptedDecoder()
        script.sample = { Int16(100 + $0 / 1_000_000) }
        return script
    }

    /// On, and back to where the sound that was sent ahead would be in the way.
    @Test(arguments: [(start: 500, target: 3_000), (start: 2_500, target: 1_000)])
    func soundFromBeforeASeekIsNotHeardAfterIt(start: Int, target: Int) {
        let audio = TestOutput()
        let stage = Stage(audio: audio, decoders: [numbered])
        defer { stage.pool.close() }
        stage.play(item)
        _ = stage.run(item) { $0.position() > .milliseconds(start) }
        stage.seek(item.id, to: .milliseconds(target))
        // What lay in the device is gone, and what the decoder had sent ahead stays unheard.
        #expect(audio.queuedFrames == 0)
        let before = audio.heard.count
        stage.reports = []
        let played = stage.run(item) { $0.position() > .milliseconds(target + 400) }
        #expect(played)
        let after = audio.heard.dropFirst(before)
        #expect(after.count > 2 * 48_000 * 3 / 10)
        #expect(after.allSatisfy { $0 == 100 + Int16(target / 1_000) }, "\(Set(after))")
    }

    @Test func soundOfAnotherSeekIsNotHeard() {
        let audio = TestOutput()
        let stage = Stage(audio: audio, decoders: [ScriptedDecoder(fault: .staleSound, after: 5)])
        defer { stage.pool.close() }
        stage.play(item)
        let played = stage.run(item) { $0.position() > .milliseconds(1_500) }
        #expect(played)
        #expect(audio.heard.contains(1_000) && !audio.heard.contains(ScriptedDecoder.staleSample))
        #expect(stage.events.all("recover").isEmpty)
    }

    @Test func soundAfterAPreviewIsDropped() {
        let audio = TestOutput()
        let stage = Stage(audio: audio, decoders: [numbered])
        defer { stage.pool.close() }
        stage.play(item)
        _ = stage.run(item) { $0.position() > .milliseconds(500) }
        stage.preview(item.id, to: .seconds(2))
        let before = audio.heard.count
        _ = stage.run(item, limit: .milliseconds(500)) { _ in false }
        #expect(audio.heard.count == before)
        stage.seek(item.id, to: .seconds(3))
        let played = stage.run(item) { $0.position() > .milliseconds(3_300) }
        #expect(played)
        #expect(audio.heard.dropFirst(before).allSatisfy { $0 == 103 })
    }

    @Test func volumeScalesWhatIsHeardAndZeroIsSilence() {
        let audio = TestOutput()
        let stage = Stage(audio: audio, decoders: [ScriptedDecoder()])
        defer { stage.pool.close() }
        stage.setVolume(0)
        stage.play(item)
        _ = stage.run(item) { $0.position() > .milliseconds(300) }
        #expect(audio.heard.allSatisfy { $0 == 0 } && !audio.heard.isEmpty)
        stage.setVolume(1)
        _ = stage.run(item) { $0.position() > .milliseconds(600) }
        #expect(audio.heard.last == 1_000)
    }

    @Test func warmNeighbourBeginsAtOnceWithPictureAndSound() {
        let audio = TestOutput()
        let stage = Stage(audio: audio, decoders: [ScriptedDecoder()])
        defer { stage.pool.close() }
        let next = Item(id: "b", url: "file:///other")
        stage.play(item)
        stage.keepWarm([next])
        _ = stage.run(item) { stage in
            stage.openAhead()
            return stage.position() > .milliseconds(300) && stage.pool.pictureIdentity(of: "b") != nil
        }
        stage.pause(item.id)
        let before = audio.heard.count
        stage.play(next)
        #expect(stage.pool.pictureIdentity(of: "b") != nil)
        stage.advance()
        #expect(audio.heard.count > before)
        #expect(stage.events.all("claim").last == .claim(item: "b", index: nil, how: .pool))
        stage.play(item)
        #expect(stage.events.all("claim").last == .claim(item: "a", index: nil, how: .resume))
    }
}
