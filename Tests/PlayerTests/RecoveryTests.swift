import Model
import TestSupport
import Testing
import Wire

@testable import Player

/// Decoders that misbehave are replaced.
@Suite(.serialized) @MainActor struct RecoveryTests {
    private let item = Item(id: "a", url: "file:///script")

    @Test(arguments: [
        ScriptedDecoder.Fault.dies, .hangs, .garbage, .takenSlot, .noSlot, .tooMuchSound,
    ])
    func brokenDecoderIsReplacedWhereItWasWithItsPictureInView(fault: ScriptedDecoder.Fault) {
        let stage = Stage(
            audio: TestOutput(), loop: false,
            decoders: [ScriptedDecoder(fault: fault, after: 20), ScriptedDecoder()])
        defer { stage.pool.close() }
        stage.play(item)
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

    @Test func undisplayedPictureIsRedrawnWhileSoundPlays() {
        let stage = Stage(audio: TestOutput(), decoders: [ScriptedDecoder()])
        stage.showsPictures = false
        defer { stage.pool.close() }
        stage.play(item)
        var identities: [PictureIdentity] = []
        _ = stage.run(item, limit: .milliseconds(900)) { stage in
            if let picture = stage.pool.pictureIdentity(of: "a"), picture != identities.last {
                identities.append(picture)
            }
            return false
        }
        #expect(
            stage.events.all("watchdog") == [
                .watchdog(item: "a", check: "picture", attempt: 0, why: "audio without video")
            ])
        // The same picture, but to be drawn again: another number.
        let repeats = zip(identities, identities.dropFirst()).count { $0.pts == $1.pts && $0 != $1 }
        #expect(repeats == 1)
        #expect(stage.events.all("recover").isEmpty && !stage.reports.contains(.firstFrame))
        stage.showsPictures = true
        let shown = stage.run(item) { $0.reports.contains(.firstFrame) }
        #expect(shown)
    }

    @Test func threeRecoveriesThenTheErrorPageThenRetryWorks() {
        let dying = ScriptedDecoder(fault: .dies, after: 5)
        let stage = Stage(decoders: [dying, dying, dying, dying, ScriptedDecoder()])
        defer { stage.pool.close() }
        stage.play(item)
        let failed = stage.run(item) { $0.reports.contains { if case .failed = $0 { true } else { false } } }
        #expect(failed)
        #expect(stage.events.all("recover").count == 3)
        #expect(stage.events.all("gave_up").count == 1)
        #expect(stage.wantsNoWake)
        stage.reports = []
        stage.retry(item)
        let back = stage.run(item) { $0.position() > .milliseconds(300) }
        #expect(back)
        #expect(!stage.lostPicture)
    }

    @Test func soundWithoutTheFurtherPicturesIsFoundAfterTwoSecondsAndAShorterTrackIsNot() {
        var losing = ScriptedDecoder(fault: .losesPictures, after: 25)
        losing.duration = 20_000_000
        var honest = losing
        honest.fault = nil
        let stage = Stage(audio: TestOutput(), loop: false, decoders: [losing, honest])
        defer { stage.pool.close() }
        stage.play(item)
        let found = stage.run(item) { !$0.events.all("recover").isEmpty }
        #expect(found)
        #expect(
            stage.events.all("recover") == [
                .recover(item: "a", check: "zombie", attempt: 1, why: "audio continues without video")
            ])
        // The pictures end at 1 s.
        #expect(abs((stage.position() - .seconds(3)) / .milliseconds(1)) < 200, "\(stage.position())")
        let back = stage.run(item) { $0.position() > .milliseconds(3_500) }
        #expect(back && !stage.lostPicture)

        honest.picturesEnd = 1_000_000
        honest.duration = 6_000_000
        let other = Stage(audio: TestOutput(), loop: false, decoders: [honest])
        defer { other.pool.close() }
        other.play(item)
        let ended = other.run(item) { $0.reports.contains(.ended) }
        #expect(ended && other.events.all("recover").isEmpty)
    }

    @Test func picturesOfOtherSeeksAreGivenBackUnseen() {
        let stage = Stage(decoders: [ScriptedDecoder(fault: .staleSerial, after: 10)])
        defer { stage.pool.close() }
        stage.play(item)
        let played = stage.run(item) { $0.position() > .seconds(2) }
        #expect(played)
        // A slot that was kept would be missing before long.
        #expect(!stage.reports.contains(.stalled(true)))
        #expect(stage.events.all("recover").isEmpty)
    }

    @Test func staleBufferedMessageIsIgnoredAfterSeek() {
        let stage = Stage(decoders: [ScriptedDecoder(fault: .staleBuffered, after: 10)])
        defer { stage.pool.close() }
        stage.play(item)
        let played = stage.run(item) { $0.position() > .seconds(1) }
        #expect(played)
        #expect(!stage.reports.contains { if case .buffered = $0 { true } else { false } })
        #expect(stage.events.all("recover").isEmpty)
    }

    @Test func dryClipStopsAtItsLastPicture() {
        let stage = Stage(decoders: [ScriptedDecoder(fault: .hangs, after: 20)])
        defer { stage.pool.close() }
        stage.play(item)
        let stalled = stage.run(item) { $0.reports.contains(.stalled(true)) }
        #expect(stalled)
        stage.pause(item.id)
        #expect(stage.position() == .milliseconds(800))
    }

    @Test func pausedClipWhoseDecoderDiesKeepsItsPictureAndPlaysOnFromThere() {
        let stage = Stage(decoders: [ScriptedDecoder(fault: .dies, after: 30), ScriptedDecoder()])
        defer { stage.pool.close() }
        stage.play(item)
        _ = stage.run(item) { $0.position() > .milliseconds(500) }
        stage.pause(item.id)
        stage.seek(item.id, to: .seconds(2))
        let recovered = stage.run(item) { !$0.events.all("recover").isEmpty }
        #expect(recovered)
        stage.reports = []
        stage.play(item)
        let back = stage.run(item) { $0.position() > .milliseconds(2_200) }
        #expect(back)
        #expect(stage.position() < .milliseconds(2_600))
        #expect(!stage.lostPicture)
    }

    @Test func seekBeforeTheClipIsOpenIsKept() {
        let stage = Stage(decoders: [ScriptedDecoder()])
        defer { stage.pool.close() }
        stage.play(item)
        stage.seek(item.id, to: .seconds(2))
        let landed = stage.run(item, limit: .seconds(1)) { $0.position() > .milliseconds(2_100) }
        #expect(landed)
        #expect(stage.position() < .milliseconds(2_400))
    }

    @Test func unseekableClipIsReopenedToPlayAgain() {
        var live = ScriptedDecoder()
        live.isSeekable = false
        live.duration = 400_000
        let stage = Stage(loop: false, decoders: [live])
        defer { stage.pool.close() }
        stage.play(item)
        let ended = stage.run(item) { $0.reports.contains(.ended) }
        #expect(ended)
        stage.reports = []
        stage.play(item)
        let again = stage.run(item) { $0.reports.contains(.ended) }
        #expect(again)
        #expect(stage.events.all("recover").isEmpty)
        #expect(!stage.lostPicture)
    }

    @Test func previewsAreShownAndPlaybackContinuesAfterTheFinalSeek() {
        let stage = Stage(decoders: [ScriptedDecoder()])
        defer { stage.pool.close() }
        stage.play(item)
        _ = stage.run(item) { $0.position() > .milliseconds(200) }
        for second in 1...3 { stage.preview(item.id, to: .seconds(second)) }
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
        stage.seek(item.id, to: .milliseconds(3_100))
        let plays = stage.run(item) { $0.position() > .milliseconds(3_300) }
        #expect(plays)
    }
}
