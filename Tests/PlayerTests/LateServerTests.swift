import Bytes
import Model
import TestSupport
import Testing
import Wire

@testable import Player

/// The clip in view, while its server is away or slow: when it is tried again, and when it is stalled.
@Suite(.serialized) @MainActor struct LateServerTests {
    private static let item = Item(id: "a", url: "http://test/clip")

    /// A stage on which the clip has run, and failed for that reason.
    private func failed(
        _ reason: BytesError.Reason, _ provider: MeteredProvider, role: WireByteRole = .media
    ) throws -> Stage {
        var decoder = ScriptedDecoder()
        decoder.role = role
        decoder.duration = 8_000_000
        decoder.bytesPerPicture = 1_000
        let stage = Stage(loop: false, network: provider, decoders: [decoder])
        stage.play(Self.item)
        try #require(stage.run(Self.item) { $0.position() > .milliseconds(200) })
        provider.fail(reason)
        try #require(stage.run(Self.item) { !$0.events.all("error").isEmpty })
        return stage
    }

    @Test func clipInViewResumesWhenItsServerIsBack() throws {
        let provider = MeteredProvider(size: 200_000, arrived: 100_000)
        let stage = try failed(.refused, provider)
        defer { stage.pool.close() }
        let place = stage.position()
        // It is tried again, and has failed again.
        #expect(stage.run(Self.item) { $0.events.all("error").count == 2 })
        provider.fail(nil)
        #expect(stage.run(Self.item) { $0.position() > place + .milliseconds(300) })
        #expect(provider.distrusted.isEmpty && provider.rejected.isEmpty && !stage.lostPicture)
    }

    @Test func liveStreamWithoutNextSegmentIsRetriedAutomatically() throws {
        let provider = MeteredProvider(size: 200_000, arrived: 100_000)
        let stage = try failed(.status(404), provider, role: .liveSegment)
        defer { stage.pool.close() }
        let place = stage.position()
        provider.fail(nil)
        #expect(stage.run(Self.item) { $0.position() > place + .milliseconds(300) })
    }

    @Test func failedReadIsReportedAfterBufferedPicturesPlayed() throws {
        var script = ScriptedDecoder()
        script.duration = 8_000_000
        script.bytesPerPicture = 1_000
        let provider = MeteredProvider(size: 200_000, arrived: 100_000)
        let stage = Stage(loop: false, network: provider, decoders: [script])
        defer { stage.pool.close() }
        stage.play(Self.item)
        try #require(stage.run(Self.item) { $0.position() > .milliseconds(200) })
        provider.fail(.refused)
        let failed = stage.now
        try #require(stage.run(Self.item) { !$0.events.all("error").isEmpty })
        // Twelve pictures are ahead.
        #expect(stage.now - failed > .milliseconds(350), "\(stage.now - failed)")
    }

    /// nil: it is paused then.
    @Test(arguments: [nil, 404]) func pausedOrMissingClipIsNotRetriedAutomatically(_ status: Int?) throws {
        let stage = try failed(status.map { .status($0) } ?? .refused, MeteredProvider(size: 200_000, arrived: 100_000))
        defer { stage.pool.close() }
        if status == nil { stage.pause(Self.item.id) }
        #expect(!stage.run(Self.item, limit: .seconds(40)) { $0.events.all("claim").count > 1 })
    }

    @Test func attemptsComeMoreAndMoreSeldom() {
        var attempts = AutoRetry()
        func note(_ id: Item.ID = "a", mayOpenLater: Bool = false, at second: Int) -> Bool {
            attempts.note(id, mayOpenLater: mayOpenLater, now: .seconds(second))
        }
        /// When it is tried again, if it fails at once each time.
        func times(_ seconds: ClosedRange<Int>) -> [Int] { seconds.filter { note(mayOpenLater: true, at: $0) } }
        var seen = [note(at: 0)]
        #expect(times(0...100) == [3, 10, 23, 48, 79])
        // It is open for a moment, then for longer than the longest pause.
        seen.append(note(at: 101))
        #expect(attempts.due == nil)
        #expect(times(102...140) == [132])
        seen.append(note(at: 141))
        #expect(times(163...170) == [166])
        // Another page comes into view; then this one again, as it was left: failed.
        seen.append(note("b", at: 171))
        #expect(times(172...176) == [172, 176])
        #expect(seen == [false, false, false, false])
    }

    @Test func shortPausesAreNotStalls() {
        var stall = ViewStall()
        func note(_ standsStill: Bool, at milliseconds: Int) -> Bool? {
            stall.note(standsStill: standsStill, now: .milliseconds(milliseconds))
        }
        let short = [note(true, at: 0), note(true, at: 199), note(false, at: 200), note(true, at: 250)]
        #expect(short == [nil, nil, nil, nil] && stall.due == .milliseconds(450))
        let long = [note(true, at: 450), note(true, at: 900), note(false, at: 901), note(false, at: 902)]
        #expect(long == [true, nil, false, nil] && stall.due == nil)
    }
}
