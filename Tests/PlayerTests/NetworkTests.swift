import Bytes
import Foundation
import Model
import TestSupport
import Testing
import Threads
import Wire

@testable import Player

/// Clips whose bytes come over a network, as slowly as a test wants.
@Suite(.serialized) @MainActor struct NetworkTests {
    private let item = Item(id: "a", url: "http://test/clip", headers: ["Referer": "http://test/"])
    /// A second of the clip, and all of it.
    private static let second: Int64 = 25_000
    private static let size = 200_000

    private var decoder: ScriptedDecoder {
        var decoder = ScriptedDecoder()
        decoder.duration = 8_000_000
        decoder.bytesPerPicture = 1_000
        return decoder
    }

    /// A stage on which the clip has begun to run.
    private func playing(_ provider: MeteredProvider) -> Stage {
        let stage = Stage(loop: false, network: provider, decoders: [decoder])
        stage.play(item)
        _ = stage.run(item) { $0.position() > .milliseconds(200) }
        return stage
    }

    private func isFailed(_ stage: Stage) -> Bool {
        stage.reports.contains { if case .failed = $0 { true } else { false } }
    }

    // MARK: When it runs

    @Test func firstPictureIsShownBeforeTheClockRuns() {
        let provider = MeteredProvider(size: Self.size, arrived: Self.second / 2)
        let stage = Stage(loop: false, network: provider, decoders: [decoder])
        defer { stage.pool.close() }
        stage.play(item)
        let shown = stage.run(item) { $0.reports.contains(.firstFrame) && $0.reports.contains(.stalled(true)) }
        #expect(shown)
        let ran = stage.run(item, limit: .milliseconds(700)) { $0.position() > .zero }
        #expect(!ran)
        #expect(provider.stallsReported == [true])
        // Three seconds are ahead: the clock runs, though no more has come.
        provider.arrive(Self.second * 3)
        let runs = stage.run(item) { $0.position() > .milliseconds(200) }
        #expect(runs)
        #expect(stage.reports.filter { $0 == .stalled(true) }.count == 1)
        #expect(stage.reports.contains(.stalled(false)))
        #expect(provider.stallsReported == [true, false])
        #expect(stage.events.all("stall").isEmpty && stage.events.all("resume").isEmpty)
        #expect(stage.events.all("watchdog").isEmpty && stage.events.all("recover").isEmpty)
    }

    @Test func waitForBytesIsReportedWithItsReason() {
        let provider = MeteredProvider(size: Self.size)
        provider.setDelay("the server is busy; retrying in 20 s")
        let stage = Stage(loop: false, network: provider, decoders: [decoder])
        defer { stage.pool.close() }
        stage.play(item)
        let began = stage.now
        let isReported = stage.run(item) { Self.wait($0)?.trouble == "the server is busy; retrying in 20 s" }
        #expect(isReported)
        #expect(stage.now - began < .milliseconds(500))
        #expect(Self.wait(stage)?.place == "test" && Self.wait(stage)?.isRemote == true)
        provider.setDelay(nil)
        // Also where nothing has failed so far.
        let isOver = stage.run(item, limit: .milliseconds(500)) { Self.wait($0).map { $0.trouble == nil } == true }
        #expect(isOver)
        provider.arriveWhole()
        let runs = stage.run(item) { Self.wait($0) == nil && $0.position() > .zero }
        #expect(runs)
    }

    @Test func waitSaysHowMuchOfWhatIsNeededHasComeAndWhenNothingComes() {
        let provider = MeteredProvider(size: Self.size)
        let stage = Stage(loop: false, network: provider, decoders: [decoder])
        defer { stage.pool.close() }
        // Half a second of the three that are needed.
        provider.arrive(Self.second / 2)
        stage.play(item)
        let isReported = stage.run(item, limit: .milliseconds(900)) { Self.wait($0)?.share != nil }
        #expect(isReported)
        let before = Self.wait(stage)?.share ?? 1
        #expect(before > 0.1 && before < 0.25)
        provider.arrive(Self.second * 9 / 10)
        let isMore = stage.run(item, limit: .milliseconds(600)) { abs((Self.wait($0)?.share ?? 0) - 0.3) < 0.05 }
        #expect(isMore)
        let isDry = stage.run(item, limit: .milliseconds(2_600)) { Self.wait($0)?.speed == 0 }
        #expect(isDry)
    }

    /// What the clip waits for, as last reported to the page.
    private static func wait(_ stage: Stage) -> ClipWait? {
        for case .waits(let wait) in stage.reports.reversed() { return wait }
        return nil
    }

    @Test func playlistWaitsForTwoSeconds() {
        var playlist = decoder
        playlist.container = "hls"
        let provider = MeteredProvider(size: Self.size, arrived: Self.second * 2)
        let stage = Stage(loop: false, network: provider, decoders: [playlist])
        defer { stage.pool.close() }
        stage.play(item)
        let runs = stage.run(item) { $0.position() > .milliseconds(200) }
        #expect(runs)
    }

    @Test func cachedPartsCountAsBufferedAndAreReported() {
        let provider = MeteredProvider(size: Self.size, arrived: Self.second / 2)
        provider.setHeld([0...0.5])
        let stage = Stage(loop: false, network: provider, decoders: [decoder])
        defer { stage.pool.close() }
        stage.play(item)
        let runs = stage.run(item) { $0.position() > .milliseconds(100) }
        #expect(runs)
        #expect(stage.reports.contains(.cached([0...0.5])))
    }

    @Test func stalledClipResumesOnlyWhenLikelyToKeepUp() {
        let provider = MeteredProvider(size: Self.size, arrived: Self.second * 3)
        let stage = Stage(loop: false, network: provider, decoders: [decoder])
        defer { stage.pool.close() }
        stage.play(item)
        let stalled = stage.run(item) { !$0.events.all("stall").isEmpty }
        #expect(stalled)
        #expect(abs(stage.position() / .seconds(1) - 3) < 0.2)
        // A few pictures are no reason to resume.
        provider.arrive(Self.second * 7 / 2)
        let early = stage.run(item, limit: .milliseconds(700)) { !$0.events.all("resume").isEmpty }
        #expect(!early)
        provider.arrive(Self.second * 11 / 2)
        let resumed = stage.run(item) { $0.position() > .milliseconds(3_300) }
        #expect(resumed)
        #expect(stage.events.all("stall").count == 1 && stage.events.all("resume").count == 1)
        #expect(stage.events.all("recover").isEmpty)
    }

    @Test func seekIntoWhatIsNotThereWaitsAndThenPlaysFromThere() {
        let provider = MeteredProvider(size: Self.size, arrived: Self.second * 4)
        let stage = playing(provider)
        defer { stage.pool.close() }
        stage.seek(item.id, to: .seconds(5))
        #expect(provider.waitForReads(1))
        // Back to what is there: that is not held up by the read that waits.
        stage.seek(item.id, to: .seconds(1))
        stage.reports = []
        let back = stage.run(item) { $0.position() > .milliseconds(1_300) }
        #expect(back)
        #expect(stage.position() < .milliseconds(1_800))
        #expect(provider.cancelledReads >= 1)
    }

    /// A page that is left knows of no wait when the user comes back.
    @Test func pauseEndsTheReportedWait() {
        let provider = MeteredProvider(size: Self.size, arrived: Self.second * 4)
        let stage = playing(provider)
        defer { stage.pool.close() }
        stage.seek(item.id, to: .seconds(5))
        let isReported = stage.run(item) { Self.wait($0) != nil }
        #expect(isReported)
        stage.pause(item.id)
        #expect(Self.wait(stage) == nil)
    }

    @Test func fileOnThisMachineWaitsForNothing() {
        let provider = MeteredProvider(size: Self.size, arrived: Self.second / 2)
        let stage = Stage(loop: false, network: provider, decoders: [decoder])
        defer { stage.pool.close() }
        let item = Item(id: "a", url: "file:///clip")
        stage.play(item)
        let runs = stage.run(item) { $0.position() > .milliseconds(200) }
        #expect(runs)
        #expect(provider.heldAsked == 0)
    }

    // MARK: Who waits for whom

    /// Nothing has arrived yet, or enough for a picture but not to continue.
    @Test(arguments: [0, 12_500]) func networkWaitDoesNotReplaceTheDecoder(arrived: Int64) {
        let provider = MeteredProvider(size: Self.size, arrived: arrived)
        let stage = Stage(loop: false, network: provider, decoders: [decoder])
        defer { stage.pool.close() }
        stage.play(item)
        let waits = stage.run(item) { $0.reports.contains(.firstFrame) == (arrived > 0) && provider.waitingReads == 1 }
        #expect(waits)
        for _ in 0..<6 {
            stage.skip(.seconds(5))
            _ = stage.run(item, limit: .milliseconds(50)) { _ in false }
        }
        #expect(stage.events.all("watchdog").isEmpty && stage.events.all("recover").isEmpty)
    }

    @Test func pauseLeaveAndCloseNeverWaitForTheServer() {
        let provider = MeteredProvider(size: Self.size)
        let stage = Stage(loop: false, network: provider, decoders: [decoder])
        let next = Item(id: "b", url: "http://test/next")
        stage.play(item)
        _ = stage.run(item, limit: .milliseconds(100)) { _ in false }
        #expect(provider.waitForReads(1))
        // Real time: nothing may block.
        let began = ContinuousClock.now
        stage.pause(item.id)
        stage.play(next)
        stage.keepWarm([next])
        _ = stage.run(next, limit: .milliseconds(100)) { _ in false }
        #expect(provider.waitForReads(1))
        stage.pool.close()
        let took = ContinuousClock.now - began
        #expect(took < .milliseconds(250), "\(took)")
        #expect(provider.wait { $0.openSources == 0 && $0.waitingReads == 0 })
    }

    @Test func twoHundredOpeningsLeakNothing() {
        final class Weak: Sendable {
            // Weak references are counted by the runtime itself.
            nonisolated(unsafe) private weak var object: AnyObject?
            var isGone: Bool { object == nil }
            init(_ object: AnyObject) { self.object = object }
        }
        let provider = MeteredProvider(size: Self.size)
        let channels = Monitor([Weak]())
        let decoder = decoder
        let stage = Stage(
            loop: false, network: provider,
            spawn: {
                let process = try decoder.start()
                channels.change { $0.append(Weak(process.channel)) }
                return process
            })
        for number in 0..<200 {
            let item = Item(id: "\(number)", url: "http://test/\(number)")
            stage.keepWarm([])
            stage.play(item)
            // Every other one is left before, the rest in the middle of a read.
            if number.isMultiple(of: 2) { #expect(provider.wait { $0.requests.contains { $0.url == item.url } }) }
            stage.pause(item.id)
            stage.advance()
        }
        stage.pool.close()
        #expect(provider.wait { $0.openSources == 0 })
        // A channel is held by the thread that listens to it and by those that serve it.
        let all = channels.withLock { $0 }
        #expect(all.count == 200)
        #expect(provider.wait { _ in all.allSatisfy(\.isGone) })
    }

    // MARK: What goes wrong

    @Test func networkErrorIsReportedAtOnceAndRetryWorks() {
        let provider = MeteredProvider(size: Self.size, arrived: Self.second * 4)
        let stage = playing(provider)
        defer { stage.pool.close() }
        provider.fail(.system(ENETUNREACH))
        let failed = stage.run(item, until: isFailed)
        #expect(failed)
        #expect(
            stage.reports.contains(
                .failed("network is unreachable", detail: "cannot read 'http://test/clip': network is unreachable")),
            "\(stage.reports.suffix(3))")
        #expect(stage.events.all("recover").isEmpty)
        #expect(provider.wait { $0.openSources == 0 })
        let place = stage.position()
        stage.reports = []
        stage.retry(item)
        let failedAgain = stage.run(item, until: isFailed)
        #expect(failedAgain)
        provider.fail(nil)
        stage.reports = []
        stage.retry(item)
        let back = stage.run(item) { $0.position() > place + .milliseconds(300) }
        #expect(back)
        #expect(provider.distrusted.isEmpty)
        // It went on where the network left it.
        let first = stage.reports.lazy.compactMap { if case .position(let time, _) = $0 { time } else { nil } }.first
        #expect(first.map { abs(($0 - place) / .milliseconds(1)) < 250 } == true)
        #expect(!stage.lostPicture)
    }

    @Test func fileChangedOnTheServerIsReopenedAtItsPosition() {
        let provider = MeteredProvider(size: Self.size, arrived: Self.second * 4)
        let stage = playing(provider)
        defer { stage.pool.close() }
        provider.replaceFile()
        let recovered = stage.run(item) { !$0.events.all("recover").isEmpty || isFailed($0) }
        #expect(recovered)
        let place = stage.position()
        stage.reports.removeAll { if case .position = $0 { true } else { false } }
        provider.arriveWhole()
        let back = stage.run(item) { $0.position() > place + .milliseconds(300) }
        #expect(back)
        let first = stage.reports.lazy.compactMap { if case .position(let time, _) = $0 { time } else { nil } }.first
        #expect(first.map { abs(($0 - place) / .milliseconds(1)) < 250 } == true)
        #expect(!isFailed(stage) && !stage.lostPicture)
        #expect(stage.events.all("recover").count == 1)
        #expect(provider.distrusted == [Asset(url: item.url, headers: item.headers)])
    }

    @Test func everChangingFileEndsOnTheErrorPage() {
        let provider = MeteredProvider(size: Self.size, arrived: Self.second * 4)
        let stage = playing(provider)
        defer { stage.pool.close() }
        provider.fail(.changed)
        let failed = stage.run(item, until: isFailed)
        #expect(failed)
        #expect(stage.events.all("recover").count == Recovery.limit)
        #expect(provider.wait { $0.openSources == 0 })
    }

    @Test func recoveryDistrustsWhatIsCached() {
        var dying = decoder
        dying.fault = (.dies, 20)
        let provider = MeteredProvider(size: Self.size, arrived: Int64(Self.size))
        let stage = Stage(loop: false, network: provider, decoders: [dying, decoder])
        defer { stage.pool.close() }
        stage.play(item)
        let back = stage.run(item) { !$0.events.all("recover").isEmpty && $0.position() > .milliseconds(900) }
        #expect(back)
        #expect(provider.distrusted == [Asset(url: item.url, headers: item.headers)])
    }

    @Test func nonMediaBytesAreRevalidatedAtOnce() {
        var finding = decoder
        finding.fault = (.findsNoMedia, 1)
        let provider = MeteredProvider(size: Self.size, arrived: Int64(Self.size))
        let stage = Stage(loop: false, network: provider, decoders: [finding])
        defer { stage.pool.close() }
        stage.play(item)
        let failed = stage.run(item, until: isFailed)
        #expect(failed)
        #expect(provider.distrusted == [Asset(url: item.url, headers: item.headers)])
    }

    @Test func fromTheSecondRecoveryOnAndWithRetryNothingCachedIsUsed() {
        var dying = decoder
        dying.fault = (.dies, 5)
        let provider = MeteredProvider(size: Self.size, arrived: Int64(Self.size))
        let stage = Stage(loop: false, network: provider, decoders: [dying, dying, dying, dying, decoder])
        defer { stage.pool.close() }
        stage.play(item)
        let failed = stage.run(item, until: isFailed)
        #expect(failed)
        #expect(provider.distrusted.count == 1 && provider.rejected.count == Recovery.limit - 1)
        stage.retry(item)
        #expect(provider.distrusted.count == 1 && provider.rejected.count == Recovery.limit)
    }

    // MARK: What is reported

    @Test func throughputIsSentBeforeOpeningAndWhenItChangesByATenth() {
        let heard = Monitor([ToDecoder]())
        var decoder = decoder
        decoder.hears = { order in heard.change { $0.append(order) } }
        let provider = MeteredProvider(size: Self.size, arrived: Int64(Self.size))
        provider.setThroughput(2_000_000)
        let stage = Stage(loop: false, network: provider, decoders: [decoder])
        defer { stage.pool.close() }
        func links(_ orders: [ToDecoder]) -> [Int64] {
            orders.compactMap { if case .link(let bits) = $0 { bits } else { nil } }
        }
        stage.play(item)
        _ = stage.run(item) { $0.position() > .milliseconds(100) }
        let orders = heard.withLock { $0 }
        #expect(orders.prefix(2).contains(.link(bitsPerSecond: 2_000_000)))
        for bits: Int64 in [2_100_000, 1_850_000, 1_800_000, 900_000] {
            provider.setThroughput(bits)
            stage.skip(.seconds(1))
            _ = stage.run(item, limit: .milliseconds(50)) { _ in false }
        }
        // What changes within a second waits for the next.
        provider.setThroughput(5_000_000)
        _ = stage.run(item, limit: .milliseconds(50)) { _ in false }
        let sent = heard.wait(upTo: .seconds(10)) { links($0).count == 3 ? links($0) : nil }
        #expect(sent == [2_000_000, 1_800_000, 900_000])
    }

    @Test func retentionAppliesToClipsOpenedLater() {
        let provider = MeteredProvider(size: Self.size, arrived: Int64(Self.size))
        let stage = Stage(loop: false, network: provider, decoders: [decoder])
        let next = ["http://test/c", "http://test/d"].map { Item(id: $0, url: $0) }
        stage.pool.retention = .home
        stage.play(next[0])
        stage.pool.retention = .lasting
        stage.play(next[1])
        stage.pool.prefetch([item])
        stage.pool.close()
        #expect(provider.focused.map { $0?.retention } == [.home, .lasting, nil])
        #expect(provider.prefetched.first?.map(\.retention) == [.lasting])
    }

    @Test func providerLearnsTheClipInViewAndThePrefetchList() {
        let provider = MeteredProvider(size: Self.size, arrived: Int64(Self.size))
        let stage = Stage(loop: false, network: provider, decoders: [decoder])
        let feed = "https://test/feed.json"
        let next = ["file:///b", "http://test/c", "https://test/d"].map { Item(id: $0, url: $0, feed: feed) }
        stage.play(item)
        stage.pool.prefetch([item] + next)
        stage.play(next[1])
        stage.pool.close()
        let mine = Asset(url: item.url, headers: item.headers)
        let other = Asset(url: "http://test/c", feed: feed)
        #expect(provider.focused == [mine, other, nil])
        #expect(provider.prefetched == [["http://test/c", "https://test/d"].map { Asset(url: $0, feed: feed) }])
        #expect(provider.requests.allSatisfy { $0.asset == mine || $0.asset == other })
    }

    /// The next three first, then one behind for two ahead; not the one in view, nor what is hidden, nor files.
    @Test func prefetchesThumbnailsInStillOrder() {
        let provider = MeteredProvider(size: Self.size, arrived: Int64(Self.size))
        let stage = Stage(loop: false, network: provider, decoders: [decoder])
        func item(_ offset: Int) -> Item {
            Item(
                id: "\(offset)", url: "https://test/\(offset).mp4",
                thumbnail: offset == 5 ? "file:///5.jpg" : "https://test/\(offset).jpg")
        }
        _ = stage.pool.wantStills(of: (-9...21).map { (item($0), $0) }, isHidden: { $0.id == "4" })
        let wanted = provider.prefetchedStills.last?.map(\.url) ?? []
        let first = [1, 2, 3, -1, -2, 6, 7, -3].map { "https://test/\($0).jpg" }
        #expect(Array(wanted.prefix(first.count)) == first)
        #expect(wanted.count == 26)
        _ = stage.pool.wantStills(of: (0..<4).map { (item($0), $0) }, areInView: true)
        #expect(provider.prefetchedStills.last?.map(\.url) == (0..<4).map { "https://test/\($0).jpg" })
        stage.pool.close()
    }

    /// Six seconds: most pages are left before.
    @Test func longStayIsReportedOncePerPage() {
        let provider = MeteredProvider(size: Self.size, arrived: Int64(Self.size))
        let stage = Stage(loop: false, network: provider, decoders: [decoder])
        stage.play(item)
        #expect(stage.pool.nextWake(now: stage.now) != nil)
        for (time, reported) in [(5.9, 0), (0.2, 1), (60, 1)] {
            stage.skip(.seconds(time))
            _ = stage.run(item, limit: .milliseconds(1)) { _ in false }
            #expect(provider.staysReported == reported)
        }
        let other = Item(id: "c", url: "http://test/c")
        stage.play(other)
        _ = stage.run(other, limit: .milliseconds(1)) { _ in false }
        #expect(provider.staysReported == 1)
        stage.skip(.seconds(6))
        _ = stage.run(other, limit: .milliseconds(1)) { _ in false }
        #expect(provider.staysReported == 2)
        stage.pool.close()
    }

    @Test func cachedPartsAreLookedUpFourTimesASecondAndReportedWhenTheyChange() {
        let provider = MeteredProvider(size: Self.size, arrived: Int64(Self.size))
        provider.setHeld([0...0.25, 0.5...0.75])
        let stage = Stage(loop: false, network: provider, decoders: [decoder])
        defer { stage.pool.close() }
        stage.play(item)
        _ = stage.run(item) { $0.position() > .milliseconds(100) }
        let (asked, began) = (provider.heldAsked, stage.now)
        _ = stage.run(item, limit: .milliseconds(900)) { _ in false }
        #expect(provider.heldAsked - asked <= Int((stage.now - began) / .milliseconds(250)) + 1)
        #expect(provider.heldAsked - asked >= 2)
        stage.pause(item.id)
        #expect(stage.wantsNoWake)
        #expect(
            stage.reports.filter { if case .cached = $0 { true } else { false } } == [.cached([0...0.25, 0.5...0.75])])
    }

    @Test func diagnosticsIncludeThroughputAndBuffer() {
        let provider = MeteredProvider(size: Self.size, arrived: Int64(Self.size))
        provider.setThroughput(3_000_000)
        let stage = Stage(loop: false, network: provider, decoders: [decoder])
        defer { stage.pool.close() }
        stage.play(item)
        let isReported = stage.run(item) { stage in
            stage.reports.contains {
                guard case .diagnostics(let figures) = $0 else { return false }
                return figures.throughput == 3_000_000 && figures.ahead.map { $0 > .seconds(1) } == true
            }
        }
        #expect(isReported)
    }
}
