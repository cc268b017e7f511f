import Foundation
import Model
import TestSupport
import Testing
import Threads

@testable import Bytes
@testable import Cache

/// Clips whose URL is only a name for them.
@Suite struct ResolvingTests {
    let fixture: ProviderFixture

    init() throws { fixture = try ProviderFixture() }

    private var page: String { fixture.server.url("/page") }
    private var asset: Asset { Asset(url: page, resolver: .ytDLP) }

    private func open(
        _ provider: CachedProvider, url: String? = nil, of asset: Asset? = nil, role: ByteRole = .media,
        _ cancellation: Cancellation = Cancellation()
    ) async throws -> any ByteSource {
        let asset = asset ?? self.asset
        return try await onThread {
            try provider.open(
                ByteRequest(url: url ?? asset.url, asset: asset, role: role), cancellation: cancellation)
        }
    }

    @Test func manyReadersAskOnce() async throws {
        let resolver = ScriptedResolver(fixture.serve("/clip.mp4", length: 300_000))
        let provider = fixture.provider(resolver: resolver)
        resolver.hold(true)
        let readers = (0..<6).map { _ in
            Task { try await self.open(provider).bytes(at: 1_000, count: 5_000) }
        }
        #expect(await onThread { resolver.waits(asked: 1) })
        resolver.hold(false)
        for reader in readers { #expect(try await reader.value == pattern(1_000, 5_000)) }
        #expect(try await open(provider).bytes(at: 0, count: 10) == pattern(0, 10))
        #expect(resolver.asked == [page])
        #expect(fixture.server.requests(for: "/page").isEmpty)
        await provider.closed()
        #expect(resolver.isClosed)
    }

    @Test(arguments: [401, 403, 404, 410])
    func expiredAddressIsResolvedOnceMore(status: Int) async throws {
        let old = fixture.serve("/old.mp4", length: 1_000, [.status(status)])
        let new = fixture.serve("/new.mp4", length: 1_000, seed: 2)
        let resolver = ScriptedResolver(old, new)
        let provider = fixture.provider(resolver: resolver)
        #expect(try await open(provider).bytes(at: 0, count: 1_000) == pattern(0, 1_000, seed: 2))
        #expect(resolver.asked.count == 2)
        // It holds now.
        _ = try await open(provider).bytes(at: 0, count: 10)
        #expect(resolver.asked.count == 2)
        await provider.closed()
    }

    @Test func aServerInTroubleIsNoReasonToAsk() async throws {
        let resolver = ScriptedResolver(fixture.serve("/clip.mp4", length: 1_000, [.status(451)]))
        let provider = fixture.provider(resolver: resolver)
        #expect(await reason { try await open(provider) } == .status(451))
        #expect(resolver.asked.count == 1)
        await provider.closed()
    }

    @Test func thereIsAnEndToAsking() async throws {
        let old = fixture.serve("/old.mp4", length: 1_000, [.status(403)])
        let resolver = ScriptedResolver([.media(ResolvedMedia(url: old))])
        let provider = fixture.provider(resolver: resolver)
        for _ in 0..<6 { #expect(await reason { try await open(provider) } == .status(403)) }
        #expect(resolver.asked.count == RequestBudget.limit)
        await provider.closed()
    }

    /// With a name of their own the bytes of both places are the same file's;
    /// without one they are only if their lengths agree.
    @Test(arguments: [nil, "tube:1:22"])
    func readingContinuesWhenTheAddressExpires(name: String?) async throws {
        let first = fixture.serve(
            "/first.mp4", length: 3 << 20, [.cut(after: 1 << 20).on(1), .status(403).from(2)])
        let second = fixture.serve("/second.mp4", length: 3 << 20)
        let resolver = ScriptedResolver(
            [first, second].map { .media(ResolvedMedia(url: $0, cacheName: name)) })
        let provider = fixture.provider(resolver: resolver)
        let source = try await open(provider)
        #expect(try await source.bytes(at: 0, count: 3 << 20) == pattern(0, 3 << 20))
        #expect(resolver.asked.count == 2)
        await provider.closed()
    }

    @Test func anotherFileIsAChange() async throws {
        let first = fixture.serve(
            "/first.mp4", length: 3 << 20, [.cut(after: 1 << 20).on(1), .status(410).from(2)])
        let resolver = ScriptedResolver(first, fixture.serve("/second.mp4", length: 2 << 20))
        let provider = fixture.provider(resolver: resolver)
        let source = try await open(provider)
        #expect(await reason { try await source.bytes(at: 0, count: 3 << 20) } == .changed)
        await provider.closed()
    }

    @Test func relativeAddressesAndHeadersHold() async throws {
        let list = "#EXTM3U\n#EXT-X-TARGETDURATION:4\n#EXTINF:4,\na.ts\n#EXT-X-ENDLIST\n"
        fixture.server.serve("/hls/index.m3u8", .text(list, type: "application/vnd.apple.mpegurl"))
        let segment = fixture.serve("/hls/a.ts", length: 1_000)
        let media = ResolvedMedia(
            url: fixture.server.url("/hls/index.m3u8"), headers: ["Referer": "https://example.org/", "X-A": "common"])
        let provider = fixture.provider(resolver: ScriptedResolver([.media(media)]))
        var own = asset
        own.headers = ["x-a": "own"]
        let source = try await open(provider, of: own)
        #expect(source.url == media.url)
        #expect(try await source.bytes(at: 0, count: 1_000) == Array(list.utf8))
        provider.expect(ByteRequest(url: segment, asset: own, role: .segment))
        let part = try await open(provider, url: segment, of: own, role: .segment)
        #expect(try await part.bytes(at: 0, count: 1_000) == pattern(0, 1_000))
        for path in ["/hls/index.m3u8", "/hls/a.ts"] {
            let requests = fixture.server.requests(for: path)
            #expect(
                !requests.isEmpty
                    && requests.allSatisfy {
                        $0.headers["referer"] == "https://example.org/" && $0.headers["x-a"] == "own"
                    })
        }
        await provider.closed()
    }

    /// An error of a segment's server means that the clip was resolved too long ago.
    @Test func failedSegmentHasTheClipResolvedAgain() async throws {
        let segment = fixture.serve("/a.ts", length: 1_000, [.status(403)])
        let resolver = ScriptedResolver(fixture.serve("/clip.mp4", length: 1_000))
        let provider = fixture.provider(resolver: resolver)
        _ = try await open(provider)
        #expect(await reason { try await open(provider, url: segment, role: .segment) } == .status(403))
        _ = try await open(provider)
        #expect(resolver.asked.count == 2)
        await provider.closed()
    }

    @Test func distrustAndRejectionAskAgain() async throws {
        let resolver = ScriptedResolver(fixture.serve("/clip.mp4", length: 1_000))
        let provider = fixture.provider(resolver: resolver)
        _ = try await open(provider)
        provider.revalidate(asset)
        _ = try await open(provider)
        #expect(resolver.asked.count == 2)
        for count in 3...RequestBudget.limit {
            provider.reject(asset)
            _ = try await open(provider)
            #expect(resolver.asked.count == count)
        }
        // Not for ever: what is known is used then.
        provider.reject(asset)
        _ = try await open(provider)
        #expect(resolver.asked.count == RequestBudget.limit)
        await provider.closed()
    }

    @Test func resolverErrorIsReported() async throws {
        let provider = fixture.provider(resolver: ScriptedResolver([.failure("gone\u{1B}[2J for good")]))
        do {
            _ = try await open(provider)
            Issue.record("it opened")
        } catch {
            #expect("\(error)".hasSuffix("resolver: gone\u{FFFD} for good"), "\(error)")
        }
        await provider.closed()
        let none = fixture.provider()
        let why = BytesError.Reason.unresolved(by: "yt-dlp", why: "not available here")
        #expect(await reason { try await open(none) } == why)
        await none.closed()
    }

    @Test func aReaderThatIsCancelledWaitsNoLonger() async throws {
        let resolver = ScriptedResolver([.silence])
        let provider = fixture.provider(resolver: resolver)
        let cancellation = Cancellation()
        let reader = Task { await reason { try await open(provider, cancellation) } }
        #expect(await onThread { resolver.waits(asked: 1) })
        #expect(provider.delay(of: asset) == "resolving with yt-dlp")
        cancellation.cancel()
        #expect(await reader.value == .cancelled)
        // The question itself ends with the provider.
        await provider.closed()
        #expect(await onThread { resolver.waits(cancelled: 1) })
        #expect(await reason { try await open(provider) } == .cancelled)
    }

    /// Pages that are opened ahead are left after two seconds, and come again.
    @Test func answerIsStoredForReturningReaders() async throws {
        let resolver = ScriptedResolver(fixture.serve("/clip.mp4", length: 1_000))
        let provider = fixture.provider(resolver: resolver)
        resolver.hold(true)
        let cancellation = Cancellation()
        let reader = Task { await reason { try await open(provider, cancellation) } }
        #expect(await onThread { resolver.waits(asked: 1) })
        cancellation.cancel()
        #expect(await reader.value == .cancelled)
        resolver.hold(false)
        #expect(try await open(provider).bytes(at: 0, count: 1_000) == pattern(0, 1_000))
        #expect(resolver.asked.count == 1)
        await provider.closed()
    }

    /// Each opens a clip that another answer is needed for, until `cancellation`.
    private func readers(
        _ numbers: Range<Int>, of provider: CachedProvider, _ cancellation: Cancellation
    ) -> [Task<BytesError.Reason?, Never>] {
        numbers.map { number in
            Task {
                let asset = Asset(url: "\(page)/\(number)", resolver: .ytDLP)
                return await reason { try await open(provider, of: asset, cancellation) }
            }
        }
    }

    @Test func questionWithoutReadersIsCancelledForAnother() async throws {
        let resolver = ScriptedResolver([.silence])
        let provider = fixture.provider(resolver: resolver)
        let cancellation = Cancellation()
        let idle = readers(0..<Resolutions.atOnce, of: provider, cancellation)
        #expect(await onThread { resolver.waits(asked: Resolutions.atOnce) })
        cancellation.cancel()
        for reader in idle { #expect(await reader.value == .cancelled) }
        let another = Task { await reason { try await open(provider) } }
        #expect(await onThread { resolver.waits(asked: Resolutions.atOnce + 1, cancelled: 1) })
        #expect(resolver.asked.last == page)
        await provider.closed()
        #expect(await another.value == .cancelled)
    }

    /// Of two readers, one has left.
    @Test func questionWithAReaderIsNotCancelledForAnother() async throws {
        let resolver = ScriptedResolver([.silence])
        let provider = fixture.provider(resolver: resolver)
        let (early, late) = (Cancellation(), Cancellation())
        early.cancel()
        let staying = Task { await reason { try await open(provider) } }
        #expect(await onThread { resolver.waits(asked: 1) })
        #expect(await reason { try await open(provider, early) } == .cancelled)
        let idle = readers(1..<Resolutions.atOnce, of: provider, late)
        #expect(await onThread { resolver.waits(asked: Resolutions.atOnce) })
        late.cancel()
        for reader in idle { #expect(await reader.value == .cancelled) }
        let another = Task {
            await reason { try await open(provider, of: Asset(url: "\(page)/another", resolver: .ytDLP)) }
        }
        #expect(await onThread { resolver.waits(asked: Resolutions.atOnce + 1, cancelled: 1) })
        #expect(provider.delay(of: asset) == "resolving with yt-dlp")
        await provider.closed()
        #expect(await [staying.value, another.value] == [.cancelled, .cancelled])
    }

    @Test func itMayNotLeadWhereItsFeedMayNot() async throws {
        let clip = fixture.serve("/clip.mp4", length: 1_000)
        for url in [clip, "file:///etc/passwd"] {
            let provider = fixture.provider(resolver: ScriptedResolver(url))
            let remote = Asset(url: "http://page.example.org/", resolver: .ytDLP)
            let why = await reason { try await open(provider, of: remote) }
            #expect(why == (url == clip ? .privateHost("127.0.0.1") : .forbidden), "\(url)")
            let named = Asset(url: page, feed: "http://feed.example.org/", resolver: .ytDLP)
            #expect(await reason { try await open(provider, of: named) } != nil)
            await provider.closed()
        }
        #expect(fixture.server.requests.isEmpty)
    }

    @Test func cacheNameFindsTheBytesAgain() async throws {
        let first = ResolvedMedia(url: fixture.serve("/1.mp4", length: 1 << 20), cacheName: "tube:1:22")
        let provider = fixture.provider(resolver: ScriptedResolver([.media(first)]))
        _ = try await open(provider).bytes(at: 0, count: 1 << 20)
        await provider.closed()
        fixture.forget()
        let second = ResolvedMedia(url: fixture.server.url("/2.mp4"), cacheName: "tube:1:22")
        let later = fixture.provider(resolver: ScriptedResolver([.media(second)]))
        #expect(try await open(later).bytes(at: 0, count: 1 << 20) == pattern(0, 1 << 20))
        #expect(fixture.server.requests.isEmpty)
        #expect(later.available(of: asset, duration: nil) == [0...1])
        await later.closed()
        let inspection = try CacheInspection(CacheOptions(folder: fixture.cacheFolder))
        #expect(try inspection.entries().map(\.url) == ["media:tube:1:22"])
    }

    @Test func nearClipsAreNotResolved() async throws {
        let other = fixture.serve("/other.mp4", length: 1_000)
        let resolver = ScriptedResolver(fixture.serve("/clip.mp4", length: 2_000))
        let provider = fixture.provider(resolver: resolver)
        provider.prefetch([asset, Asset(url: other)])
        #expect(await fixture.serverSees { $0.bodyBytes >= 1_000 })
        #expect(provider.available(of: asset, duration: nil).isEmpty && provider.offline(asset) == .no)
        #expect(resolver.asked.isEmpty && fixture.server.requests(for: "/clip.mp4").isEmpty)
        await provider.closed()
    }

    @Test func offlineClipIsResolvedFirst() async throws {
        let resolver = ScriptedResolver(fixture.serve("/clip.mp4", length: 1 << 20))
        let provider = fixture.provider(resolver: resolver)
        resolver.hold(true)
        provider.keepOffline(asset, true)
        #expect(provider.offline(asset) == .fetching(nil))
        resolver.hold(false)
        let (asset, server) = (asset, fixture.server)
        #expect(await onThread { holds(within: .seconds(60)) { provider.offline(asset) == .whole } })
        #expect(server.requests(for: "/clip.mp4").count >= 1 && resolver.asked.count == 1)
        provider.keepOffline(asset, false)
        await provider.written()
        #expect(provider.offline(asset) == .no)
        await provider.closed()
        let silent = fixture.provider(resolver: ScriptedResolver([.failure("it is gone")]))
        silent.keepOffline(asset, true)
        #expect(
            await onThread {
                holds(within: .seconds(60)) {
                    silent.offline(asset) == .failed("resolver: it is gone")
                }
            })
        silent.keepOffline(asset, false)
        #expect(silent.offline(asset) == .no)
        await silent.closed()
    }
}
