import Model
import TestSupport
import Testing
import Wire

@testable import Player

/// C10 and C11 on decoders that misbehave.
@Suite(.serialized) @MainActor struct RecoveryTests {
    private let item = Item(id: "a", url: "file:///script")

    @Test(arguments: [
        ScriptedDecoder.Fault.dies, .hangs, .garbage, .takenSlot, .noSlot, .tooMuchSound,
    ])
    func brokenDecoderIsReplacedWhereItWasWithItsPictureInView(fault: ScriptedDecoder.Fault) {
        let stage = Stage(
            audio: TestOutput(), loop: false,
            spawn: ScriptedDecoder.inTurn([ScriptedDecoder(fault: fault, after: 20), ScriptedDecoder()]))
        defer { stage.pool.close() }
        stage.pool.play(item, now: stage.now)
        if fault == .hangs {
            let stalled = stage.run(item) { $0.reports.contains(.stalled(true)) }
            #expect(stalled)
            stage.skip(.seconds(2))
        }
        let recovered = stage.run(item) { !$0.events.all("recover").isEmpty }
        #expect(recovered)
        let before = stage.position()
        stage.reports = []
        let back = stage.run(item) { $0.position() > before + .milliseconds(300) }
        #expect(back)
        #expect(!stage.lostPicture)
        let first = stage.reports.lazy.compactMap { if case .position(let time, _) = $0 { time } else { nil } }.first
        #expect(first.map { abs(($0 - before) / .milliseconds(1)) < 250 } == true)
        #expect(stage.events.all("recover").count == 1)
    }

    @Test func threeRecoveriesThenTheErrorPageThenRetryWorks() {
        let dying = ScriptedDecoder(fault: .dies, after: 5)
        let stage = Stage(spawn: ScriptedDecoder.inTurn([dying, dying, dying, dying, ScriptedDecoder()]))
        defer { stage.pool.close() }
        stage.pool.play(item, now: stage.now)
        let failed = stage.run(item) { $0.reports.contains { if case .failed = $0 { true } else { false } } }
        #expect(failed)
        #expect(stage.events.all("recover").count == 3)
        #expect(stage.events.all("gave_up").count == 1)
        #expect(stage.pool.nextWake(now: stage.now) == nil)
        stage.reports = []
        stage.pool.retry(item, now: stage.now)
        let back = stage.run(item) { $0.position() > .milliseconds(300) }
        #expect(back)
        #expect(!stage.lostPicture)
    }

    @Test func picturesOfSeeksThatNobodyAskedForGoBackUnseen() {
        let stage = Stage(spawn: ScriptedDecoder(fault: .staleSerial, after: 10).start)
        defer { stage.pool.close() }
        stage.pool.play(item, now: stage.now)
        let played = stage.run(item) { $0.position() > .seconds(2) }
        #expect(played)
        // A slot that was kept would be missing before long.
        #expect(!stage.reports.contains(.stalled(true)))
        #expect(stage.events.all("recover").isEmpty)
    }

    @Test func pausedClipWhoseDecoderDiesKeepsItsPictureAndPlaysOnFromThere() {
        let stage = Stage(spawn: ScriptedDecoder.inTurn([ScriptedDecoder(fault: .dies, after: 30), ScriptedDecoder()]))
        defer { stage.pool.close() }
        stage.pool.play(item, now: stage.now)
        _ = stage.run(item) { $0.position() > .milliseconds(500) }
        stage.pool.pause(item.id, now: stage.now)
        stage.pool.seek(item.id, to: .seconds(2), now: stage.now)
        let recovered = stage.run(item) { !$0.events.all("recover").isEmpty }
        #expect(recovered)
        stage.reports = []
        stage.pool.play(item, now: stage.now)
        let back = stage.run(item) { $0.position() > .milliseconds(2_200) }
        #expect(back)
        #expect(stage.position() < .milliseconds(2_600))
        #expect(!stage.lostPicture)
    }

    @Test func seekBeforeTheClipIsOpenIsKept() {
        let stage = Stage(spawn: ScriptedDecoder().start)
        defer { stage.pool.close() }
        stage.pool.play(item, now: stage.now)
        stage.pool.seek(item.id, to: .seconds(2), now: stage.now)
        let landed = stage.run(item, limit: .seconds(1)) { $0.position() > .milliseconds(2_100) }
        #expect(landed)
        #expect(stage.position() < .milliseconds(2_400))
    }

    @Test func clipThatCannotBeSoughtInIsOpenedAnewToPlayAgain() {
        var live = ScriptedDecoder()
        live.isSeekable = false
        live.duration = 400_000
        let stage = Stage(loop: false, spawn: live.start)
        defer { stage.pool.close() }
        stage.pool.play(item, now: stage.now)
        let ended = stage.run(item) { $0.reports.contains(.ended) }
        #expect(ended)
        stage.reports = []
        stage.pool.play(item, now: stage.now)
        let again = stage.run(item) { $0.reports.contains(.ended) }
        #expect(again)
        #expect(stage.events.all("recover").isEmpty)
        #expect(!stage.lostPicture)
    }

    @Test func previewsAreLookedAtAndOnlyTheCommitPlaysOn() {
        let stage = Stage(spawn: ScriptedDecoder().start)
        defer { stage.pool.close() }
        stage.pool.play(item, now: stage.now)
        _ = stage.run(item) { $0.position() > .milliseconds(200) }
        for second in 1...3 { stage.pool.preview(item.id, to: .seconds(second), now: stage.now) }
        stage.reports = []
        let seen = stage.run(item) { $0.reports.contains(.sought(.seconds(3))) }
        #expect(seen)
        // The first, which was under way, and the newest.
        #expect(
            stage.reports.filter { if case .sought = $0 { true } else { false } } == [
                .sought(.seconds(1)), .sought(.seconds(3)),
            ])
        stage.reports = []
        let moved = stage.run(item, limit: .milliseconds(300)) {
            $0.pool.pictureIdentity(of: "a")?.mediaTime != .seconds(3)
        }
        #expect(!moved)
        stage.pool.seek(item.id, to: .milliseconds(3_100), now: stage.now)
        let plays = stage.run(item) { $0.position() > .milliseconds(3_300) }
        #expect(plays)
    }
}
