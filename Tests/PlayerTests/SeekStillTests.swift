import Foundation
import Model
import TestSupport
import Testing
import Wire

@testable import Player

/// The small stills above the scrubber, in the hands of a pool.
@Suite(.serialized) @MainActor struct SeekStillTests {
    private let item = Item(id: "0", url: "file:///0")

    /// Every still has its place in milliseconds as its colour, unless `answer` says otherwise.
    private func stage(
        _ answer: @escaping @Sendable (Microseconds) -> ScriptedDecoder.StillAnswer = { .pixels(UInt32($0 / 1_000)) }
    ) -> Stage {
        var script = ScriptedDecoder()
        script.still = { _, time in answer(time) }
        let stage = Stage(audio: TestOutput(), decoders: [script])
        stage.play(item)
        return stage
    }

    private func run(_ stage: Stage, for limit: Duration = .seconds(10), until done: (Stage) -> Bool) -> Bool {
        stage.run(item, limit: limit) { stage in
            stage.openAhead()
            return done(stage)
        }
    }

    private func want(_ stage: Stage, _ milliseconds: Int) {
        stage.wantSeekStill(of: item, at: .milliseconds(milliseconds))
    }

    private func pixel(_ stage: Stage) -> UInt32? {
        stage.pool.withSeekStill(of: item.id) { view, _ in view.pixels[0] & 0xFF_FFFF }
    }

    private func tried(_ stage: Stage) -> Int {
        stage.events.all("still").count { if case .still(_, "seek", _, _) = $0 { true } else { false } }
    }

    @Test func makesTheLatestPlaceAndCachesIt() {
        let stage = stage()
        defer { stage.pool.close() }
        for place in stride(from: 100, through: 2_000, by: 100) { want(stage, place) }
        #expect(run(stage) { pixel($0) == 2_000 })
        // The first was under way; those between were left out.
        #expect(tried(stage) == 2 && stage.seekStills.count == 2)
        want(stage, 700)
        #expect(run(stage) { pixel($0) == 700 })
        want(stage, 2_000)
        #expect(pixel(stage) == 2_000 && tried(stage) == 3)
    }

    /// A still that comes late does not replace the one of the place where the pointer is again.
    @Test func lateStillReplacesNoOther() {
        let stage = stage()
        defer { stage.pool.close() }
        want(stage, 100)
        #expect(run(stage) { pixel($0) == 100 })
        want(stage, 900)
        want(stage, 100)
        #expect(!run(stage, for: .seconds(2)) { pixel($0) != 100 })
        #expect(tried(stage) == 2)
    }

    @Test func theDecoderEndsAfterAWhile() {
        let stage = stage()
        defer { stage.pool.close() }
        let hasEnded = { (stage: Stage) in stage.pool.seekStills.worker.decoderInUse == nil }
        want(stage, 100)
        #expect(run(stage) { pixel($0) == 100 && !hasEnded($0) })
        #expect(!run(stage, for: SeekStillMaker.patience - .seconds(1)) { hasEnded($0) })
        #expect(run(stage, for: .seconds(2)) { hasEnded($0) })
        #expect(pixel(stage) == 100)
    }

    @Test func stopsAfterRepeatedFailures() {
        let stage = stage { _ in .none("no picture") }
        defer { stage.pool.close() }
        for place in 1...10 {
            want(stage, place * 100)
            _ = run(stage, for: .milliseconds(500)) { _ in false }
        }
        #expect(tried(stage) == SeekStillMaker.maxFailures && pixel(stage) == nil)
        #expect(stage.notices.isEmpty && stage.events.all("error").isEmpty)
    }

    /// The pointer moves on while each of them is being made.
    @Test func stopsAfterRepeatedFailuresOfPlacesThatWereLeft() {
        let stage = stage { _ in .none("no picture") }
        defer { stage.pool.close() }
        var place = 0
        #expect(
            !run(stage, for: .seconds(5)) { stage in
                if tried(stage) < SeekStillMaker.maxFailures {
                    want(stage, place + 100)
                    want(stage, place + 200)
                    place += 200
                }
                return tried(stage) > SeekStillMaker.maxFailures
            })
        #expect(tried(stage) == SeekStillMaker.maxFailures)
    }

    @Test func oldStillsAreForgotten() {
        let stage = stage()
        defer { stage.pool.close() }
        let places = (1...SeekStillMaker.most + 1).map { $0 * 100 }
        for place in places {
            want(stage, place)
            #expect(run(stage) { pixel($0) == UInt32(place) })
        }
        want(stage, places[0])
        #expect(run(stage) { pixel($0) == UInt32(places[0]) })
        #expect(tried(stage) == places.count + 1)
    }

    @Test func leftClipGetsNoMore() {
        let stage = stage()
        defer { stage.pool.close() }
        let other = Item(id: "1", url: "file:///1")
        want(stage, 100)
        want(stage, 900)
        stage.play(other)
        _ = stage.run(other, limit: .seconds(2)) { stage in
            stage.openAhead()
            return false
        }
        #expect(tried(stage) == 1)
    }

    @Test func lateStillOfALeftClipIsDropped() {
        let stage = stage()
        defer { stage.pool.close() }
        let other = Item(id: "1", url: "file:///1")
        want(stage, 100)
        stage.play(other)
        stage.wantSeekStill(of: other, at: .milliseconds(900))
        var seen: Set<UInt32> = []
        let isShown = stage.run(other, limit: .seconds(10)) { stage in
            stage.openAhead()
            stage.pool.withSeekStill(of: other.id) { view, _ in _ = seen.insert(view.pixels[0] & 0xFF_FFFF) }
            return seen.contains(900)
        }
        #expect(isShown && seen == [900] && tried(stage) == 2)
    }

    @Test func onlyTheClipInViewHasThem() {
        let stage = stage()
        defer { stage.pool.close() }
        let other = Item(id: "1", url: "file:///1")
        stage.wantSeekStill(of: other, at: .seconds(1))
        #expect(!run(stage, for: .seconds(1)) { tried($0) > 0 })
        want(stage, 100)
        #expect(run(stage) { pixel($0) == 100 })
        stage.play(other)
        stage.wantSeekStill(of: other, at: .seconds(1))
        #expect(pixel(stage) == nil)
    }
}
