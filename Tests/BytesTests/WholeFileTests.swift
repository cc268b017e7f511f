import Foundation
import Model
import TestSupport
import Testing
import Threads

@testable import Bytes
@testable import Cache

/// Fetching files whole, for `flick fetch`.
@Suite struct WholeFileTests {
    let fixture: ProviderFixture

    init() throws { fixture = try ProviderFixture() }

    private func fetch(
        _ url: String, from provider: CachedProvider, feed: String? = nil, room: Int64 = 1 << 40
    ) async -> WholeFile {
        await onThread { provider.fetchWhole(Asset(url: url, feed: feed), room: room) }
    }

    @Test(arguments: [[], [Fault.noRanges]]) func fileIsFetchedWholeOnce(faults: [Fault]) async throws {
        let url = fixture.serve("/clip.mp4", length: 9 << 20, faults)
        let provider = fixture.provider()
        #expect(await fetch(url, from: provider) == .whole(bytes: 9 << 20, fetched: 9 << 20))
        #expect(await fetch(url, from: provider) == .whole(bytes: 9 << 20, fetched: 0))
        // It counts towards the cache's limit, unlike clips kept offline with `D`.
        #expect(provider.offline(Asset(url: url)) == .no)
        await provider.closed()
        #expect(fixture.fetched == 9 << 20)
        fixture.server.stop()
        let later = fixture.provider()
        #expect(await fetch(url, from: later) == .whole(bytes: 9 << 20, fetched: 0))
        #expect(try await later.source(url).bytes(at: 0, count: 9 << 20) == pattern(0, 9 << 20))
        await later.closed()
    }

    @Test func interruptedTransferContinues() async throws {
        fixture.server.link = FaultyServer.Link(rate: 500_000)
        let url = fixture.serve("/clip.mp4", length: 40 << 20)
        let first = fixture.provider()
        async let interrupted = fetch(url, from: first)
        #expect(await fixture.serverSees { $0.bodyBytes > 2 << 20 })
        await first.closed()
        if case .failed = await interrupted {} else { Issue.record("it was interrupted") }
        let already = fixture.fetched
        #expect(already < 40 << 20)
        fixture.server.link = FaultyServer.Link()
        let second = fixture.provider()
        guard case .whole(bytes: 40 << 20, let fetched) = await fetch(url, from: second) else {
            Issue.record("it is not whole")
            return
        }
        #expect(fetched <= (40 << 20) - already + (1 << 20))
        await second.closed()
    }

    @Test func tooLargeFileIsNotFetched() async throws {
        let url = fixture.serve("/clip.mp4", length: 200 << 20)
        let provider = fixture.provider()
        #expect(await fetch(url, from: provider, room: 10 << 20) == .tooLarge(bytes: 200 << 20))
        await provider.closed()
        #expect(fixture.fetched < 150 << 20)
    }

    @Test func streamsAndFailedRequestsAreReported() async throws {
        let named = fixture.server.url("/list.m3u8")
        fixture.server.serve("/odd", .text("#EXTM3U\n#EXT-X-STREAM-INF:BANDWIDTH=1\na.m3u8\n", type: "text/plain"))
        let provider = fixture.provider()
        #expect(await fetch(named, from: provider) == .stream)
        #expect(await fetch(fixture.server.url("/odd"), from: provider) == .stream)
        #expect(fixture.server.requests.map(\.path) == ["/odd"])
        if case .failed(let why) = await fetch(fixture.server.url("/none.mp4"), from: provider) {
            #expect(why.contains("404") || why.contains("not there") || !why.isEmpty)
        } else {
            Issue.record("no such file")
        }
        // A public feed does not lead to this machine.
        let refused = await fetch(fixture.serve("/a.mp4", length: 10), from: provider, feed: "https://example.org/feed")
        if case .failed(let why) = refused {
            #expect(why.contains("private"), "\(why)")
        } else {
            Issue.record("\(refused)")
        }
        #expect(await fetch("file:///etc/hosts", from: provider) == .failed("not a network address"))
        await provider.closed()
    }

    @Test func clipIsResolvedFirst() async throws {
        let page = fixture.server.url("/watch/1")
        let resolver = ScriptedResolver([
            .media(ResolvedMedia(url: fixture.serve("/clip.mp4", length: 1 << 20), cacheName: "tube:1:22")),
            .media(ResolvedMedia(url: fixture.server.url("/master.m3u8"))), .failure("private"),
            .media(ResolvedMedia(url: "file:///etc/hosts")),
        ])
        let provider = fixture.provider(resolver: resolver)
        func fetch(_ page: String) async -> WholeFile {
            await onThread { provider.fetchWhole(Asset(url: page, resolver: .ytDLP), room: 1 << 40) }
        }
        #expect(await fetch(page) == .whole(bytes: 1 << 20, fetched: 1 << 20))
        #expect(await fetch(page + "2") == .stream)
        if case .failed(let why) = await fetch(page + "3") {
            #expect(why.contains("private"))
        } else {
            Issue.record("it did not fail")
        }
        if case .failed = await fetch(page + "4") {} else { Issue.record("it leads to a file of this machine") }
        #expect(fixture.server.requests.allSatisfy { $0.path == "/clip.mp4" })
        await provider.closed()
    }

    @Test func withoutACacheFetchWholeFails() async throws {
        let url = fixture.serve("/clip.mp4", length: 1 << 20)
        let provider = fixture.provider(cached: false)
        #expect(await fetch(url, from: provider) == .failed("the disk is full"))
        await provider.closed()
    }
}
