import Foundation
import Model
import Synchronization
import TestSupport
import Testing
import Threads

@testable import Bytes
@testable import Cache
@testable import HTTP

@Suite struct ProviderAheadTests {
    let stage: ProviderStage

    init() throws { stage = try ProviderStage() }

    @Test func theBeginningsOfClipsAreFetchedAndNoMore() async throws {
        let urls = (0..<4).map { stage.serve("/\($0).mp4", length: 6 << 20, seed: UInt64($0)) }
        let provider = stage.provider()
        provider.prefetch(urls.map { Asset(url: $0) })
        let whole = Int64(4 * 5 << 20)
        #expect(await stage.reports { $0.reduce(0) { $0 + $1.got } >= whole })
        await provider.closed()
        #expect(stage.server.counts.bodyBytes == whole)
        #expect(stage.server.requests.allSatisfy { $0.headers["range"] == "bytes=0-5242879" })
        stage.server.stop()
        let bytes = try await stage.provider().source(urls[3]).bytes(at: 0, count: 5 << 20)
        #expect(bytes == pattern(0, 5 << 20, seed: 3))
    }

    @Test func prefetchesNotNamedAnyMoreStopAndTheirBytesStay() async throws {
        stage.server.link = FaultyServer.Link(rate: 4_000_000)
        let url = stage.serve("/clip.mp4", length: 20 << 20)
        let provider = stage.provider()
        provider.prefetch([Asset(url: url)])
        #expect(await stage.serverSees { $0.bodyBytes > 1_000_000 })
        provider.prefetch([])
        #expect(await stage.serverSees { $0.answering == 0 })
        #expect(await stage.reports { $0.count == 1 })
        await provider.closed()
        // What was on its way when the transfer was stopped is not taken in any more.
        let got = Int(stage.fetched) - (256 << 10)
        #expect(got > 0 && got < 5 << 20)
        stage.server.stop()
        #expect(try await stage.provider().source(url).bytes(at: 0, count: got) == pattern(0, got))
    }

    @Test func anItemInViewIsFetchedWhole() async throws {
        let url = stage.serve("/clip.mp4", length: 20 << 20)
        let provider = stage.provider()
        provider.focus(on: Asset(url: url))
        let source = try await provider.source(url)
        #expect(try await source.bytes(at: 0, count: 10) == pattern(0, 10))
        let isFetched = await stage.reports { $0.reduce(0) { $0 + $1.got } >= 20 << 20 }
        #expect(isFetched)
        await onThread { provider.services.writer.drain(upTo: .seconds(10)) }
        #expect(provider.available(of: Asset(url: url), duration: nil) == [0...1])
    }

    @Test func anItemOutOfViewIsFetchedALittleAhead() async throws {
        let url = stage.serve("/clip.mp4", length: 20 << 20)
        let provider = stage.provider()
        let source = try await provider.source(url)
        #expect(try await source.bytes(at: 0, count: 10) == pattern(0, 10))
        #expect(await stage.serverSees { $0.requests >= 1 && $0.answering == 0 })
        await provider.closed()
        #expect(stage.server.counts.bodyBytes <= 2 << 20)
    }

    @Test func leavingAnItemStopsItsTransfer() async throws {
        // All of it would take a minute and a half, longer than any machine takes to stop.
        stage.server.link = FaultyServer.Link(rate: 500_000)
        let url = stage.serve("/clip.mp4", length: 40 << 20)
        let provider = stage.provider()
        provider.focus(on: Asset(url: url))
        var source: (any ByteSource)? = try await provider.source(url)
        _ = try await source?.bytes(at: 0, count: 1_000)
        source = nil
        #expect(await stage.serverSees { $0.answering == 0 })
        #expect(stage.server.counts.bodyBytes < 40 << 20)
    }

    @Test func aSeekLeavesTheOldPlaceAndStartsThere() async throws {
        stage.server.link = FaultyServer.Link(rate: 3_000_000)
        let url = stage.serve("/clip.mp4", length: 40 << 20)
        let provider = stage.provider(cached: false)
        let source = try await provider.source(url)
        _ = try await source.bytes(at: 0, count: 1_000)
        let began = ContinuousClock.now
        #expect(try await source.bytes(at: 30 << 20, count: 1_000) == pattern(30 << 20, 1_000))
        #expect(ContinuousClock.now - began < .seconds(5))
        #expect(await stage.serverSees { $0.answering <= 1 })
    }

    @Test func anExpectedSegmentIsThereWhenItIsOpened() async throws {
        let url = stage.serve("/1.ts", length: 1_000_000)
        let item = stage.server.url("/master.m3u8")
        let request = ByteRequest(
            url: url, asset: Asset(url: item), role: .segment, clipTimes: .seconds(4)..<(.seconds(8)))
        let provider = stage.provider()
        provider.expect(request)
        #expect(await stage.reports { $0.reduce(0) { $0 + $1.got } >= 1_000_000 })
        await onThread { provider.services.writer.drain(upTo: .seconds(10)) }
        stage.server.stop()
        let source = try await onThread { try provider.open(request, cancellation: Cancellation()) }
        #expect(try await source.bytes(at: 0, count: 2_000_000) == pattern(0, 1_000_000))
        #expect(provider.available(of: Asset(url: item), duration: .seconds(16)) == [0.25...0.5])
    }

    @Test func liveSegmentsAreNotCached() async throws {
        let url = stage.serve("/live.ts", length: 700_000)
        let provider = stage.provider()
        #expect(try await provider.source(url, role: .liveSegment).bytes(at: 0, count: 800_000) == pattern(0, 700_000))
        #expect(try await provider.source(url, role: .liveSegment).bytes(at: 0, count: 10) == pattern(0, 10))
        await provider.closed()
        #expect(stage.server.counts.requests >= 2)
    }

    // MARK: - Playlists

    private static let finished = """
        #EXTM3U
        #EXT-X-TARGETDURATION:6
        # made by hand
        #EXTINF:6.0,a title
        segment-1.ts
        #EXTINF:6.0,
        segment-2.ts
        #EXT-X-ENDLIST

        """

    @Test func aFinishedPlaylistIsAskedForOnceASession() async throws {
        stage.server.serve("/vod.m3u8", .text(Self.finished, type: "application/vnd.apple.mpegurl"))
        let url = stage.server.url("/vod.m3u8")
        let provider = stage.provider()
        for role in [ByteRole.playlist, .media, .playlist] {
            let text = try await provider.source(url, role: role).bytes(at: 0, count: 10_000)
            #expect(String(decoding: text, as: UTF8.self) == Self.finished)
        }
        #expect(stage.server.counts.requests == 1)
    }

    @Test func aReaderThatOpensWhileTheLastOneLeavesIsServed() async throws {
        let services = LoaderServices(cache: nil, network: NetworkOptions(), report: { _ in }, notice: { _ in })
        let retention = TextLoader(services: services)
        let left = Cancellation()
        left.cancel()
        for number in 0..<20 {
            stage.server.serve("/\(number).m3u8", .text(Self.finished))
            let url = stage.server.url("/\(number).m3u8")
            let request = ByteRequest(url: url, asset: Asset(url: url), role: .playlist)
            let text = try await onThread {
                #expect(throws: BytesError.self) { try retention.text(request, left) }
                return try retention.text(request, Cancellation())
            }
            #expect(text.bytes == Array(Self.finished.utf8))
        }
        await onThread { services.transport.close() }
    }

    @Test func allTextsOfADistrustedAssetAreAskedForAnew() async throws {
        stage.server.serve("/720.m3u8", .text(Self.finished))
        let (url, asset) = (stage.server.url("/720.m3u8"), stage.server.url("/master.m3u8"))
        let provider = stage.provider()
        _ = try await provider.source(url, role: .playlist, asset: asset)
        let republished = Self.finished.replacingOccurrences(of: "segment", with: "other")
        stage.server.serve("/720.m3u8", .text(republished))
        provider.distrust(Asset(url: asset))
        let text = try await provider.source(url, role: .playlist, asset: asset).bytes(at: 0, count: 10_000)
        #expect(String(decoding: text, as: UTF8.self) == republished)
        #expect(stage.server.requests.last?.headers["cache-control"] == "no-cache")
    }

    @Test func playlistsAreFetchedAheadTwoAtATimeAndOnce() async throws {
        let most = Mutex(0)
        let urls = (0..<6).map { number in
            let live = Resource(
                .dynamic { [server = stage.server] _ in
                    most.withLock { $0 = max($0, server.counts.answering) }
                    return Array("#EXTM3U\n#EXTINF:6.0,\n1.ts\n".utf8)
                }, faults: [.slowStart(.milliseconds(50))])
            stage.server.serve("/\(number).m3u8", live)
            return stage.server.url("/\(number).m3u8")
        }
        let provider = stage.provider()
        provider.prefetch(urls.map { Asset(url: $0) })
        #expect(await stage.reports { $0.count == urls.count })
        provider.prefetch(urls.reversed().map { Asset(url: $0) })
        stage.server.serve("/end.m3u8", .text(Self.finished))
        _ = try await provider.source(stage.server.url("/end.m3u8"), role: .playlist)
        await provider.closed()
        #expect(most.withLock { $0 } <= PrefetchPlan.concurrent)
        #expect(stage.server.counts.requests == urls.count + 1)
    }

    @Test func aLivePlaylistIsAskedForAnewEachTime() async throws {
        stage.server.serve("/live.m3u8", .text("#EXTM3U\n#EXTINF:6.0,\n1.ts\n"))
        let provider = stage.provider()
        for _ in 0..<3 { _ = try await provider.source(stage.server.url("/live.m3u8"), role: .playlist) }
        #expect(stage.server.counts.requests == 3)
    }

    @Test func aPlaylistIsRecognisedByItsTypeOrItsFirstBytes() async throws {
        stage.server.serve("/typed", .text(Self.finished, type: "application/vnd.apple.mpegurl"))
        stage.server.serve("/sniffed", .text(Self.finished, type: "application/octet-stream"))
        let provider = stage.provider()
        for path in ["/typed", "/sniffed"] {
            let source = try await provider.source(stage.server.url(path))
            let text = try await source.bytes(at: 0, count: 10_000)
            #expect(String(decoding: text, as: UTF8.self) == Self.finished)
        }
        await provider.closed()
        stage.server.stop()
        // Its bytes are kept by no file.
        let store = AssetStore(CacheOptions(folder: stage.cacheFolder)) { _ in }
        for path in ["/typed", "/sniffed"] {
            let key = try #require(AssetKey(stage.server.url(path)))
            #expect(store.asset(key) == nil)
        }
    }

    @Test func aFinishedPlaylistOutlivesTheNetwork() async throws {
        stage.server.serve("/vod.m3u8", .text(Self.finished))
        let url = stage.server.url("/vod.m3u8")
        let provider = stage.provider()
        _ = try await provider.source(url, role: .playlist)
        await provider.closed()
        stage.server.stop()
        let text = try await stage.provider().source(url, role: .playlist).bytes(at: 0, count: 10_000)
        let lines = String(decoding: text, as: UTF8.self).split(separator: "\n")
        #expect(lines.contains("segment-2.ts") && lines.contains("#EXT-X-ENDLIST") && !lines.contains("# made by hand"))
        try stage.server.restart()
        stage.server.serve("/vod.m3u8", nil)
        #expect(await reason { try await stage.provider().source(url, role: .playlist) } == .status(404))
    }

    @Test func aKeyIsAskedForOnce() async throws {
        stage.server.serve("/key", [UInt8](0..<16))
        let provider = stage.provider()
        for _ in 0..<3 {
            #expect(
                try await provider.source(stage.server.url("/key"), role: .key).bytes(at: 0, count: 99)
                    == [UInt8](0..<16))
        }
        #expect(stage.server.counts.requests == 1)
    }

    @Test func theThroughputIsMeasured() async throws {
        stage.server.link = FaultyServer.Link(rate: 1_000_000)
        let url = stage.serve("/clip.mp4", length: 1_000_000)
        let provider = stage.provider()
        #expect(provider.throughput == nil)
        _ = try await provider.source(url).bytes(at: 0, count: 1_000_000)
        let measured = try #require(provider.throughput)
        #expect(measured > 500_000 && measured < 16_000_000)
    }
}
