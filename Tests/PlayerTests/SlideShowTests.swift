import Model
import TestSupport
import Testing
import Wire

@testable import Player

/// Clips with long-lasting pictures: the clock, not the picture, defines the position.
@Suite(.serialized) @MainActor struct SlideShowTests {
    private let item = Item(id: "a", url: "file:///script")

    /// Six slides of ten seconds each. The sound says where it is, in hundredths of a second.
    private func slides() -> ScriptedDecoder {
        var script = ScriptedDecoder()
        (script.picture, script.duration) = (10_000_000, 60_000_000)
        script.sample = { Int16($0 / 10_000) }
        return script
    }

    @Test func clockContinuesAtTheSeekTarget() throws {
        let audio = TestOutput()
        let stage = Stage(audio: audio, decoders: [slides()])
        defer { stage.pool.close() }
        stage.play(item)
        #expect(stage.run(item) { $0.position() > .milliseconds(300) })
        stage.seek(item.id, to: .seconds(32))
        #expect(stage.run(item) { $0.reports.contains(.sought(.seconds(32))) })
        #expect(stage.pool.pictureIdentity(of: item.id)?.mediaTime == .seconds(30))
        let began = stage.now
        #expect(stage.run(item) { $0.position() >= .milliseconds(32_500) })
        #expect(stage.now - began < .milliseconds(700))
        let heard = try #require(audio.sounding)
        #expect((3_230...3_270).contains(heard), "\(heard)")
    }

    @Test func resizeKeepsThePosition() {
        let stage = Stage(audio: TestOutput(), decoders: [slides()])
        defer { stage.pool.close() }
        stage.play(item)
        #expect(stage.run(item) { $0.position() > .milliseconds(2_300) })
        stage.pause(item.id)
        let place = stage.position()
        stage.resize()
        stage.reports = []
        #expect(!stage.run(item, limit: .milliseconds(300)) { _ in false })
        stage.play(item)
        #expect(stage.run(item) { $0.position() > place })
        #expect(stage.position() < place + .milliseconds(300))
    }

    @Test func lateFirstPictureKeepsAllSound() throws {
        var script = slides()
        (script.picture, script.firstPicture) = (40_000, 2_000_000)
        let audio = TestOutput()
        let stage = Stage(audio: audio, decoders: [script])
        defer { stage.pool.close() }
        stage.play(item)
        #expect(stage.run(item) { $0.position() >= .milliseconds(500) })
        let heard = try #require(audio.sounding)
        #expect((40...60).contains(heard), "\(heard)")
    }

    @Test func newDecoderContinuesAtTheClock() {
        var dying = slides()
        dying.fault = (.losesPictures, 1)
        let stage = Stage(audio: TestOutput(), decoders: [dying, slides()])
        defer { stage.pool.close() }
        stage.play(item)
        #expect(stage.run(item, limit: .seconds(20)) { !$0.events.all("recover").isEmpty })
        let place = stage.position()
        #expect(place > .seconds(10))
        stage.reports = []
        #expect(stage.run(item) { $0.position() > place })
        #expect(stage.position() < place + .milliseconds(500))
    }
}
