import Foundation
import Model
import Synchronization
import TestSupport
import Testing
import Threads

@testable import Bytes
@testable import Cache
@testable import HTTP

/// Reports that block, and servers that are slow.
@Suite struct ProviderWaitTests {
    let fixture: ProviderFixture

    init() throws { fixture = try ProviderFixture() }

    // MARK: - Reports

    /// The length is known only when a transfer ends. So each read returns
    /// after the end of its transfer, and transfers end in order.
    @Test func transfersContinueWhileAReportBlocks() async throws {
        let gate = Monitor((isOpen: false, reported: [String]()))
        let provider = CachedProvider(
            cache: nil, network: NetworkOptions(),
            report: { fetch in
                gate.wait { $0.isOpen ? () : nil }
                gate.change { $0.reported.append(fetch.url) }
            })
        let urls = (0..<3).map { fixture.serve("/\($0).mp4", length: 1_000, [.chunked]) }
        for url in urls { #expect(try await provider.source(url).bytes(at: 0, count: 2_000).count == 1_000) }
        #expect(gate.withLock(\.reported).isEmpty)
        gate.change { $0.isOpen = true }
        let reported = await onThread {
            gate.wait(upTo: .seconds(60)) { $0.reported.count == urls.count ? $0.reported : nil }
        }
        #expect(reported == urls)
        await provider.closed()
        #expect(gate.withLock(\.reported) == urls)
    }

    @Test func endingTheReporterWaitsForEarlierReports() async {
        let gate = Monitor((isOpen: false, reported: [String]()))
        let reporter = Reporter { fetch in
            gate.wait { $0.isOpen ? () : nil }
            gate.change { $0.reported.append(fetch.url) }
        }
        func fetch(_ url: String) -> Fetch {
            Fetch(asset: "a", url: url, from: 0, to: nil, got: 0, source: .network, status: 200, time: .zero)
        }
        for url in ["1", "2", "3"] { reporter.add(fetch(url)) }
        gate.change { $0.isOpen = true }
        await onThread { reporter.end(within: .seconds(60)) }
        reporter.add(fetch("4"))
        #expect(gate.withLock(\.reported) == ["1", "2", "3"])
    }

    // MARK: - Waiting

    @Test(arguments: [ByteRole.media, .playlist])
    func delaysAreReported(role: ByteRole) async throws {
        let provider = fixture.provider()
        let reported = Mutex<[String?]>([])
        let url = fixture.server.url("/busy.ts")
        fixture.server.serve(
            "/busy.ts",
            Resource(
                .dynamic { _ in
                    reported.withLock { $0.append(provider.delay(of: Asset(url: url))) }
                    return [1, 2, 3]
                }, faults: [.status(429, retryAfter: "1").first(1)]))
        #expect(try await provider.source(url, role: role).bytes(at: 0, count: 9) == [1, 2, 3])
        #expect(reported.withLock { $0.contains("the server is busy; retrying in 1 s") })
        #expect(provider.delay(of: Asset(url: url)) == nil)
    }

    @Test func aLongRetryAfterFailsAtOnceAndStopsRequests() async throws {
        let url = fixture.serve("/clip.mp4", length: 1000, [.status(503, retryAfter: "60")])
        let provider = fixture.provider()
        #expect(await reason { try await provider.source(url) } == .busy(503, .seconds(60)))
        #expect(await reason { try await provider.source(url) } == .busy(503, .seconds(60)))
        #expect(fixture.server.counts.requests == 1)
    }

    @Test(arguments: [ByteRole.playlist, .feed])
    func aTextIsNotRequestedDuringItsRetryAfter(role: ByteRole) async throws {
        let url = fixture.serve("/feed", length: 1000, [.status(503, retryAfter: "3600")])
        let provider = fixture.provider()
        for _ in 0..<2 {
            #expect(await reason { try await provider.source(url, role: role) } == .busy(503, .seconds(3600)))
        }
        #expect(fixture.server.counts.requests == 1)
    }

    @Test func slowPlaylistTimesOut() async throws {
        fixture.server.serve("/drops.m3u8", Resource(.pattern(length: 4_000, seed: 1), faults: [.chunked]))
        fixture.server.link = .init(rate: 2_000)
        let services = LoaderServices(cache: nil, network: NetworkOptions(), report: { _ in }, notice: { _ in })
        let (retention, url) = (
            TextLoader(services: services, timeLimit: .milliseconds(300)), fixture.server.url("/drops.m3u8")
        )
        let refusal = await reason {
            try await onThread {
                try retention.text(ByteRequest(url: url, asset: Asset(url: url), role: .playlist), Cancellation())
            }
        }
        #expect(refusal == .timedOut(.end, .milliseconds(300)))
        await onThread { services.transport.close() }
    }

    @Test func aTextBelowTheMinimumRateIsTooSlow() {
        var feed = MinimumRate()
        let flows = (0..<100).map { _ in feed.isMet(100, after: .seconds(9)) }
        #expect(flows.allSatisfy { $0 })
        var drops = MinimumRate()
        let drips = (0..<4).map { _ in drops.isMet(1, after: .seconds(9)) }
        #expect(drips == [true, true, true, false])
        // Earlier bytes do not count for ever.
        var trickle = MinimumRate()
        let spans = [10_000, 64, 63].map { trickle.isMet($0, after: MinimumRate.span) }
        #expect(spans == [true, true, false])
    }
}
