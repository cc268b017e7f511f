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

    @Test func soundWithoutPicturesTellsItsPositionAndLevels() {
        let stage = Stage(audio: TestOutput(), loop: false, spawn: soundOnly.start)
        defer { stage.pool.close() }
        stage.pool.play(item, now: stage.now)
        let ended = stage.run(item) { $0.reports.contains(.ended) }
        #expect(ended)
        #expect(levels(stage) > 4)
        #expect(stage.position() > .milliseconds(700))
    }

    @Test func soundWithoutPicturesAndWithoutDevicePlaysByTheClock() {
        for audio in [TestOutput(missing: true), nil] {
            let stage = Stage(audio: audio, loop: false, spawn: soundOnly.start)
            defer { stage.pool.close() }
            let began = stage.now
            stage.pool.play(item, now: stage.now)
            let ended = stage.run(item, limit: .seconds(5)) { $0.reports.contains(.ended) }
            #expect(ended)
            #expect(stage.now - began > .milliseconds(700))
            #expect(levels(stage) > 4)
        }
    }

    @Test func lostDeviceIsToldOnceAndTheClipPlaysOn() {
        let audio = TestOutput()
        let stage = Stage(audio: audio, spawn: ScriptedDecoder().start)
        defer { stage.pool.close() }
        stage.pool.play(item, now: stage.now)
        _ = stage.run(item) { $0.position() > .milliseconds(300) }
        audio.lose()
        let played = stage.run(item) { $0.position() > .milliseconds(1_000) }
        #expect(played)
        #expect(stage.notices == ["no sound: pulled out"])
        #expect(stage.events.all("recover").isEmpty)
    }

    @Test func pausedAndLeftClipGetsNoMoreSound() {
        let audio = TestOutput()
        let stage = Stage(audio: audio, spawn: ScriptedDecoder().start)
        defer { stage.pool.close() }
        stage.pool.play(item, now: stage.now)
        _ = stage.run(item) { $0.position() > .milliseconds(300) }
        stage.pool.pause(item.id, now: stage.now)
        #expect(audio.queuedFrames == 0)
        let heard = audio.heard.count
        _ = stage.run(item, limit: .milliseconds(200)) { _ in false }
        #expect(audio.heard.count == heard)
        #expect(stage.pool.nextWake(now: stage.now) == nil)
    }

    @Test func volumeScalesWhatIsHeardAndZeroIsSilence() {
        let audio = TestOutput()
        let stage = Stage(audio: audio, spawn: ScriptedDecoder().start)
        defer { stage.pool.close() }
        stage.pool.setVolume(0)
        stage.pool.play(item, now: stage.now)
        _ = stage.run(item) { $0.position() > .milliseconds(300) }
        #expect(audio.heard.allSatisfy { $0 == 0 } && !audio.heard.isEmpty)
        stage.pool.setVolume(1)
        _ = stage.run(item) { $0.position() > .milliseconds(600) }
        #expect(audio.heard.last == 1_000)
    }

    @Test func warmNeighbourBeginsAtOnceWithPictureAndSound() {
        let audio = TestOutput()
        let stage = Stage(audio: audio, spawn: ScriptedDecoder().start)
        defer { stage.pool.close() }
        let next = Item(id: "b", url: "file:///other")
        stage.pool.play(item, now: stage.now)
        stage.pool.keepWarm([next], now: stage.now)
        _ = stage.run(item) { stage in
            stage.pool.openAhead(now: stage.now)
            return stage.position() > .milliseconds(300) && stage.pool.pictureIdentity(of: "b") != nil
        }
        stage.pool.pause(item.id, now: stage.now)
        let before = audio.heard.count
        stage.pool.play(next, now: stage.now)
        #expect(stage.pool.pictureIdentity(of: "b") != nil)
        stage.pool.advance(now: stage.now)
        #expect(audio.heard.count > before)
        #expect(stage.events.all("claim").last == .claim(item: "b", index: nil, how: .warm))
        stage.pool.play(item, now: stage.now)
        #expect(stage.events.all("claim").last == .claim(item: "a", index: nil, how: .resume))
    }
}
