import Foundation
import Model
import TestSupport
import Testing

@testable import Player

/// The part of a clip that is repeated.
@Suite(.serialized) @MainActor struct RepeatedPartTests {
    private func returns(_ part: inout RepeatedPart, _ positions: [Int64]) -> [Bool] {
        positions.map { part.returns(at: $0 * 1_000) }
    }

    @Test func returnsAtItsEndAndWhenTheClipComesRound() {
        var part = RepeatedPart(2_000_000..<5_000_000)
        #expect(returns(&part, [2_000, 4_999, 5_000]) == [false, false, true])
        part.seek()
        // The clock follows the audio a little.
        #expect(returns(&part, [2_000, 1_960, 4_900, 4_860]) == [false, false, false, false])
        #expect(returns(&part, [10]) == [true])
    }

    @Test func endThatWasJustMarkedCountsAtOnce() {
        var part = RepeatedPart(2_000_000..<5_000_000)
        #expect(returns(&part, [5_010]) == [true])
    }

    @Test func seekPastThePartPlaysOn() {
        var part = RepeatedPart(2_000_000..<5_000_000)
        part.seek()
        #expect(returns(&part, [8_000, 9_000, 9_999, 20, 4_990, 5_000]) == [false, false, false, false, false, true])
    }

    /// In milliseconds.
    private func part(_ start: Int, _ end: Int) -> Range<Duration> {
        Duration.milliseconds(start)..<Duration.milliseconds(end)
    }

    private func item(_ recipe: TestClips.Recipe) throws -> Item {
        Item(id: "a", url: URL(fileURLWithPath: try TestClips.path(recipe)).absoluteString)
    }

    /// The frames that were shown, each with the time at which it was first seen.
    private func frames(
        of stage: Stage, _ item: Item, for time: Duration
    ) -> [(media: Duration, at: Duration)] {
        var seen: [(media: Duration, at: Duration)] = []
        _ = stage.run(item, limit: time) { stage in
            if let picture = stage.pool.pictureIdentity(of: "a"), picture.mediaTime != seen.last?.media {
                seen.append((picture.mediaTime, stage.now))
            }
            return false
        }
        return seen
    }

    @Test func framesStayInThePart() throws {
        let (stage, item) = (Stage(audio: TestOutput()), try item(TestClips.portrait))
        defer { stage.pool.close() }
        stage.play(item)
        _ = stage.run(item) { $0.position() > .milliseconds(300) }
        stage.repeatPart(item.id, part(2_500, 3_500))
        stage.seek(item.id, to: .milliseconds(2_600))
        let arrived = stage.run(item) { part(2_600, 3_400).contains($0.position()) }
        #expect(arrived)
        let frames = frames(of: stage, item, for: .seconds(4))
        #expect(frames.allSatisfy { part(2_460, 3_520).contains($0.media) })
        let returns = zip(frames, frames.dropFirst()).filter { $0.media > $1.media }
        #expect(returns.count >= 3)
        let gaps = returns.map { ($1.at - $0.at).milliseconds }
        // The last frame stays until the first one is decoded from the key frame before it.
        #expect(gaps.allSatisfy { $0 < 400 }, "gaps of \(gaps) ms")
        #expect(!stage.reports.contains(.ended) && stage.events.all("recover").isEmpty)
        stage.repeatPart(item.id, nil)
        let left = stage.run(item) { $0.position() > .seconds(4) }
        #expect(left)
    }

    /// The end of a clip that does not loop.
    @Test func partUpToTheEndIsRepeated() throws {
        let recipe = TestClips.Recipe("player-mute-1.mp4", width: 320, height: 240, seconds: 2, tone: 0)
        let (stage, item) = (Stage(loop: false), try item(recipe))
        defer { stage.pool.close() }
        stage.play(item)
        stage.repeatPart(item.id, part(1_200, 2_000))
        let frames = frames(of: stage, item, for: .seconds(5))
        let returns = zip(frames, frames.dropFirst()).filter { $0.media > $1.media }
        #expect(returns.count >= 2 && returns.allSatisfy { abs(($1.media - .milliseconds(1_200)).milliseconds) < 50 })
        #expect(!stage.reports.contains(.ended))
    }

    @Test func partEndsWithItsPage() throws {
        let (stage, item) = (Stage(), try item(TestClips.portrait))
        defer { stage.pool.close() }
        stage.play(item)
        _ = stage.run(item) { $0.position() > .milliseconds(300) }
        stage.repeatPart(item.id, part(0, 1_000))
        let next = Item(id: "b", url: try #require(Stage.otherClip).absoluteString)
        stage.keepWarm([item, next])
        stage.play(next)
        _ = stage.run(next) { $0.reports.contains(.firstFrame) }
        stage.play(item)
        stage.reports = []
        let passed = stage.run(item, limit: .seconds(5)) { $0.position() > .milliseconds(1_500) }
        #expect(passed)
    }
}
