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
    let fixture: ProviderFixture

    init() throws { fixture = try ProviderFixture() }

    @Test func prefetchesFetchTheBeginningsOnly() async throws {
        let urls = (0..<4).map { fixture.serve("/\($0).mp4", length: 6 << 20, seed: UInt64($0)) }
        let provider = fixture.provider()
        provider.prefetch(urls.map { Asset(url: $0) })
        let whole = Int64(4 * 5 << 20)
        #expect(await fixture.reports { $0.reduce(0) { $0 + $1.got } >= whole })
        await provider.closed()
        #expect(fixture.server.counts.bodyBytes == whole)
        #expect(fixture.server.requests.allSatisfy { $0.headers["range"] == "bytes=0-5242879" })
        fixture.server.stop()
        let bytes = try await fixture.provider().source(urls[3]).bytes(at: 0, count: 5 << 20)
        #expect(bytes == pattern(0, 5 << 20, seed: 3))
    }

    /// The server answers the first fifteen once all of them are there, and then the others: two round trips.
    @Test func twentyStillsTakeTwoRoundTrips() async throws {
        let arrived = Monitor(0)
        let late = Mutex(0)
        let urls = (0..<20).map { number in
            let still = Resource(
                .dynamic { _ in
                    arrived.change { $0 += 1 }
                    let areThere: Bool? = arrived.wait(upTo: .seconds(30)) { $0 >= 15 ? true : nil }
                    if areThere == nil { late.withLock { $0 += 1 } }
                    return [UInt8](repeating: 7, count: 20_000)
                })
            fixture.server.serve("/\(number).jpg", still)
            return fixture.server.url("/\(number).jpg")
        }
        let provider = fixture.provider()
        provider.prefetchStills(urls.map { Asset(url: $0) })
        #expect(await fixture.reports { $0.count == urls.count })
        #expect(late.withLock { $0 } == 0)
        await provider.closed()
        #expect(fixture.server.counts.requests == 20 && fixture.server.counts.bodyBytes == 400_000)
    }

    /// They take neither its slots nor its connections.
    @Test func hangingStillsDoNotBlockClips() async throws {
        let hanging = Resource(.pattern(length: 1_000, seed: 1), faults: [.slowStart(.seconds(30))])
        fixture.server.serve("/still.jpg", hanging)
        let clips = (0..<5).map { fixture.serve("/\($0).mp4", length: 100_000, seed: UInt64($0)) }
        let provider = fixture.provider()
        provider.prefetchStills((0..<28).map { Asset(url: fixture.server.url("/still.jpg?\($0)")) })
        #expect(await fixture.serverSees { $0.answering == 15 })
        for (seed, url) in clips.enumerated() {
            let bytes = try await provider.source(url).bytes(at: 0, count: 100_000)
            #expect(bytes == pattern(0, 100_000, seed: UInt64(seed)))
        }
        #expect(fixture.server.counts.answering == 15)
        provider.prefetchStills([])
        await provider.closed()
    }

    /// A photo is its own thumbnail.
    @Test func clipThatIsAlsoAStillIsFetchedForBoth() async throws {
        let url = fixture.serve("/photo.jpg", length: 50_000)
        let next = fixture.serve("/next.jpg", length: 50_000)
        let provider = fixture.provider()
        for _ in 0..<3 { provider.prefetch([Asset(url: url)]) }
        provider.prefetchStills([Asset(url: url)])
        provider.prefetch([Asset(url: url), Asset(url: next)])
        #expect(await fixture.reports { $0.reduce(0) { $0 + $1.got } >= 100_000 })
        await provider.closed()
    }

    @Test func droppedPrefetchesStopAndTheirBytesStay() async throws {
        fixture.server.link = FaultyServer.Link(rate: 4_000_000)
        let url = fixture.serve("/clip.mp4", length: 20 << 20)
        let provider = fixture.provider()
        provider.prefetch([Asset(url: url)])
        #expect(await fixture.serverSees { $0.bodyBytes > 1_000_000 })
        provider.prefetch([])
        #expect(await fixture.serverSees { $0.answering == 0 })
        #expect(await fixture.reports { $0.count == 1 })
        await provider.closed()
        // Bytes on their way when the transfer was stopped are dropped.
        let got = Int(fixture.fetched) - (256 << 10)
        #expect(got > 0 && got < 5 << 20)
        fixture.server.stop()
        #expect(try await fixture.provider().source(url).bytes(at: 0, count: got) == pattern(0, got))
    }

    @Test func anItemInViewIsFetchedWhole() async throws {
        let url = fixture.serve("/clip.mp4", length: 20 << 20)
        let provider = fixture.provider()
        provider.focus(on: Asset(url: url))
        let source = try await provider.source(url)
        #expect(try await source.bytes(at: 0, count: 10) == pattern(0, 10))
        let isFetched = await fixture.reports { $0.reduce(0) { $0 + $1.got } >= 20 << 20 }
        #expect(isFetched)
        await provider.written()
        #expect(provider.available(of: Asset(url: url), duration: nil) == [0...1])
    }

    @Test func onASlowLinkLittleIsFetchedBeforeTheUserStays() async throws {
        fixture.server.link = FaultyServer.Link(rate: 500_000)
        let urls = (0..<2).map { fixture.serve("/\($0).mp4", length: 1 << 20, seed: UInt64($0)) }
        let other = fixture.serve("/other.mp4", length: 1 << 20)
        let provider = fixture.provider()
        // From this the provider knows how slow it is.
        provider.focus(on: Asset(url: other))
        _ = try await provider.source(other).bytes(at: 0, count: 1 << 20)
        #expect(await fixture.reports { !$0.isEmpty })
        fixture.forget()
        let opened = try await provider.source(urls[0])
        _ = try await opened.bytes(at: 0, count: 1_000)
        provider.focus(on: Asset(url: urls[0]))
        provider.prefetch([Asset(url: urls[1])])
        let little = ReadAhead.minWhileConserving + ReadAhead.beginningWhileSparing
        #expect(await fixture.reports { $0.reduce(0) { $0 + $1.got } >= little })
        #expect(await fixture.serverSees { $0.answering == 0 })
        #expect(fixture.server.counts.bodyBytes == little)
        provider.stay()
        #expect(await fixture.reports { $0.reduce(0) { $0 + $1.got } >= 2 << 20 })
        #expect(fixture.server.counts.bodyBytes == 2 << 20)
        // Another page is in view: nothing is known of its user.
        provider.focus(on: Asset(url: urls[1]))
        #expect(provider.services.conservesBandwidth)
        provider.focus(on: nil)
        #expect(!provider.services.conservesBandwidth)
    }

    @Test(arguments: [[], [Fault.noRanges]]) func othersWaitWhileTheClipInViewIsStalledAndItsBytesCome(
        _ faults: [Fault]
    ) async throws {
        fixture.server.link = FaultyServer.Link(rate: 1_000_000)
        let view = fixture.serve("/view.mp4", length: 1 << 20, seed: 1, faults)
        let url = fixture.serve("/other.mp4", length: 3 << 20, seed: 2, faults)
        let provider = fixture.provider()
        func held() -> Double {
            provider.available(of: Asset(url: url), duration: nil).reduce(0) { $0 + $1.upperBound - $1.lowerBound }
        }
        let other = try await provider.source(url)
        #expect(try await other.bytes(at: 0, count: 1_000) == pattern(0, 1_000, seed: 2))
        provider.focus(on: Asset(url: view))
        // On a busy machine bytes come late.
        provider.services.viewPriority.withLock { ($0.patience, $0.longest) = (.seconds(60), .seconds(60)) }
        provider.setViewStalled(true)
        let before = held()
        async let others = other.bytes(at: 1_000, count: 3 << 20)
        #expect(try await provider.source(view).bytes(at: 0, count: 1 << 20) == pattern(0, 1 << 20, seed: 1))
        // If they shared the link, the other would have got as many bytes: a third of its file.
        #expect(held() - before < 0.2)
        provider.setViewStalled(false)
        #expect(try await others == pattern(1_000, 3 << 20 - 1_000, seed: 2))
    }

    @Test func othersContinueIfTheStalledClipGetsNoBytes() async throws {
        let url = fixture.serve("/other.mp4", length: 1 << 20)
        let provider = fixture.provider()
        provider.focus(on: Asset(url: fixture.server.url("/view.mp4")))
        provider.setViewStalled(true)
        let began = ContinuousClock.now
        #expect(try await provider.source(url).bytes(at: 0, count: 1 << 20) == pattern(0, 1 << 20))
        #expect(ContinuousClock.now - began >= ViewPriority().patience - .milliseconds(100))
    }

    @Test func anItemOutOfViewReadsLittleAhead() async throws {
        let url = fixture.serve("/clip.mp4", length: 20 << 20)
        let provider = fixture.provider()
        let source = try await provider.source(url)
        #expect(try await source.bytes(at: 0, count: 10) == pattern(0, 10))
        #expect(await fixture.serverSees { $0.requests >= 1 && $0.answering == 0 })
        await provider.closed()
        #expect(fixture.server.counts.bodyBytes <= 2 << 20)
    }

    @Test func leavingAnItemStopsItsTransfer() async throws {
        // All of it would take a minute and a half, longer than any machine takes to stop.
        fixture.server.link = FaultyServer.Link(rate: 500_000)
        let url = fixture.serve("/clip.mp4", length: 40 << 20)
        let provider = fixture.provider()
        provider.focus(on: Asset(url: url))
        var source: (any ByteSource)? = try await provider.source(url)
        _ = try await source?.bytes(at: 0, count: 1_000)
        source = nil
        #expect(await fixture.serverSees { $0.answering == 0 })
        #expect(fixture.server.counts.bodyBytes < 40 << 20)
    }

    @Test func aSeekStopsTheOldTransferAndStartsAtItsTarget() async throws {
        fixture.server.link = FaultyServer.Link(rate: 3_000_000)
        let url = fixture.serve("/clip.mp4", length: 40 << 20)
        let provider = fixture.provider(cached: false)
        let source = try await provider.source(url)
        _ = try await source.bytes(at: 0, count: 1_000)
        let began = ContinuousClock.now
        #expect(try await source.bytes(at: 30 << 20, count: 1_000) == pattern(30 << 20, 1_000))
        #expect(ContinuousClock.now - began < .seconds(5))
        #expect(await fixture.serverSees { $0.answering <= 1 })
    }

    @Test func anAnnouncedSegmentIsFetchedBeforeItIsOpened() async throws {
        let url = fixture.serve("/1.ts", length: 1_000_000)
        let item = fixture.server.url("/master.m3u8")
        let request = ByteRequest(
            url: url, asset: Asset(url: item), role: .segment, clipTimes: .seconds(4)..<(.seconds(8)))
        let provider = fixture.provider()
        provider.expect(request)
        #expect(await fixture.reports { $0.reduce(0) { $0 + $1.got } >= 1_000_000 })
        await provider.written()
        fixture.server.stop()
        let source = try await onThread { try provider.open(request, cancellation: Cancellation()) }
        #expect(try await source.bytes(at: 0, count: 2_000_000) == pattern(0, 1_000_000))
        #expect(provider.available(of: Asset(url: item), duration: .seconds(16)) == [0.25...0.5])
    }

    /// The reader takes the transfer over from the announcement.
    @Test func announcedSegmentThatIsOpenedMeanwhileIsRequestedOnce() async throws {
        let url = fixture.serve("/1.ts", length: 1_000, [.slowStart(.milliseconds(200))])
        let request = ByteRequest(
            url: url, asset: Asset(url: fixture.server.url("/master.m3u8")), role: .segment)
        let provider = fixture.provider()
        provider.expect(request)
        #expect(await fixture.serverSees { $0.requests == 1 })
        let source = try await onThread { try provider.open(request, cancellation: Cancellation()) }
        #expect(try await source.bytes(at: 0, count: 2_000) == pattern(0, 1_000))
        #expect(fixture.server.counts.requests == 1)
    }

    /// Pictures and sound, each with the three segments behind the one that is opened.
    @Test func segmentIsRequestedOnceAlthoughOthersAreAnnouncedBeforeItIsOpened() async throws {
        let requests = ["video", "audio"].flatMap { kind in
            (1...4).map { number in
                ByteRequest(
                    url: fixture.serve("/\(kind)-\(number).ts", length: 1_000, [.slowStart(.milliseconds(200))]),
                    asset: Asset(url: fixture.server.url("/master.m3u8")), role: .segment)
            }
        }
        let provider = fixture.provider()
        provider.expect(requests[0])
        #expect(await fixture.serverSees { $0.requests == 1 })
        for request in requests.dropFirst() { provider.expect(request) }
        let source = try await onThread { try provider.open(requests[0], cancellation: Cancellation()) }
        #expect(try await source.bytes(at: 0, count: 2_000) == pattern(0, 1_000))
        #expect(fixture.server.requests(for: "/video-1.ts").count == 1)
        await provider.closed()
    }

    @Test func liveSegmentsAreNotCached() async throws {
        let url = fixture.serve("/live.ts", length: 700_000)
        let provider = fixture.provider()
        #expect(try await provider.source(url, role: .liveSegment).bytes(at: 0, count: 800_000) == pattern(0, 700_000))
        #expect(try await provider.source(url, role: .liveSegment).bytes(at: 0, count: 10) == pattern(0, 10))
        await provider.closed()
        #expect(fixture.server.counts.requests >= 2)
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

    @Test func aFinishedPlaylistIsRequestedOnce() async throws {
        fixture.server.serve("/vod.m3u8", .text(Self.finished, type: "application/vnd.apple.mpegurl"))
        let url = fixture.server.url("/vod.m3u8")
        let provider = fixture.provider()
        for role in [ByteRole.playlist, .media, .playlist] {
            let text = try await provider.source(url, role: role).bytes(at: 0, count: 10_000)
            #expect(String(decoding: text, as: UTF8.self) == Self.finished)
        }
        #expect(fixture.server.counts.requests == 1)
    }

    @Test func aReaderThatOpensWhileTheLastOneClosesIsServed() async throws {
        let services = LoaderServices(cache: nil, network: NetworkOptions(), report: { _ in }, notice: { _ in })
        let retention = TextLoader(services: services)
        let left = Cancellation()
        left.cancel()
        for number in 0..<20 {
            fixture.server.serve("/\(number).m3u8", .text(Self.finished))
            let url = fixture.server.url("/\(number).m3u8")
            let request = ByteRequest(url: url, asset: Asset(url: url), role: .playlist)
            let text = try await onThread {
                #expect(throws: BytesError.self) { try retention.text(request, left) }
                return try retention.text(request, Cancellation())
            }
            #expect(text.bytes == Array(Self.finished.utf8))
        }
        await onThread { services.transport.close() }
    }

    @Test func allTextsOfADistrustedAssetAreRequestedAgain() async throws {
        fixture.server.serve("/720.m3u8", .text(Self.finished))
        let (url, asset) = (fixture.server.url("/720.m3u8"), fixture.server.url("/master.m3u8"))
        let provider = fixture.provider()
        _ = try await provider.source(url, role: .playlist, asset: asset)
        let republished = Self.finished.replacingOccurrences(of: "segment", with: "other")
        fixture.server.serve("/720.m3u8", .text(republished))
        provider.revalidate(Asset(url: asset))
        let text = try await provider.source(url, role: .playlist, asset: asset).bytes(at: 0, count: 10_000)
        #expect(String(decoding: text, as: UTF8.self) == republished)
        #expect(fixture.server.requests.last?.headers["cache-control"] == "no-cache")
    }

    @Test func playlistsAreFetchedAheadTwoAtATimeAndOnce() async throws {
        let most = Mutex(0)
        let urls = (0..<6).map { number in
            let live = Resource(
                .dynamic { [server = fixture.server] _ in
                    most.withLock { $0 = max($0, server.counts.answering) }
                    return Array("#EXTM3U\n#EXTINF:6.0,\n1.ts\n".utf8)
                }, faults: [.slowStart(.milliseconds(50))])
            fixture.server.serve("/\(number).m3u8", live)
            return fixture.server.url("/\(number).m3u8")
        }
        let provider = fixture.provider()
        provider.prefetch(urls.map { Asset(url: $0) })
        #expect(await fixture.reports { $0.count == urls.count })
        provider.prefetch(urls.reversed().map { Asset(url: $0) })
        fixture.server.serve("/end.m3u8", .text(Self.finished))
        _ = try await provider.source(fixture.server.url("/end.m3u8"), role: .playlist)
        await provider.closed()
        #expect(most.withLock { $0 } <= PrefetchPlan.concurrent)
        #expect(fixture.server.counts.requests == urls.count + 1)
    }

    @Test func aLivePlaylistIsRequestedEachTime() async throws {
        fixture.server.serve("/live.m3u8", .text("#EXTM3U\n#EXTINF:6.0,\n1.ts\n"))
        let provider = fixture.provider()
        for _ in 0..<3 { _ = try await provider.source(fixture.server.url("/live.m3u8"), role: .playlist) }
        #expect(fixture.server.counts.requests == 3)
    }

    @Test func aPlaylistIsRecognisedByItsTypeOrItsFirstBytes() async throws {
        fixture.server.serve("/typed", .text(Self.finished, type: "application/vnd.apple.mpegurl"))
        fixture.server.serve("/sniffed", .text(Self.finished, type: "application/octet-stream"))
        let provider = fixture.provider()
        for path in ["/typed", "/sniffed"] {
            let source = try await provider.source(fixture.server.url(path))
            let text = try await source.bytes(at: 0, count: 10_000)
            #expect(String(decoding: text, as: UTF8.self) == Self.finished)
        }
        await provider.closed()
        fixture.server.stop()
        // No file stores its bytes.
        let store = AssetStore(CacheOptions(folder: fixture.cacheFolder)) { _ in }
        for path in ["/typed", "/sniffed"] {
            let key = try #require(AssetKey(fixture.server.url(path)))
            #expect(store.asset(key) == nil)
        }
    }

    @Test func aFinishedPlaylistIsAvailableOffline() async throws {
        fixture.server.serve("/vod.m3u8", .text(Self.finished))
        let url = fixture.server.url("/vod.m3u8")
        let provider = fixture.provider()
        _ = try await provider.source(url, role: .playlist)
        await provider.closed()
        fixture.server.stop()
        let text = try await fixture.provider().source(url, role: .playlist).bytes(at: 0, count: 10_000)
        let lines = String(decoding: text, as: UTF8.self).split(separator: "\n")
        #expect(lines.contains("segment-2.ts") && lines.contains("#EXT-X-ENDLIST") && !lines.contains("# made by hand"))
        try fixture.server.restart()
        fixture.server.serve("/vod.m3u8", nil)
        #expect(await reason { try await fixture.provider().source(url, role: .playlist) } == .status(404))
    }

    @Test func aKeyIsRequestedOnce() async throws {
        fixture.server.serve("/key", [UInt8](0..<16))
        let provider = fixture.provider()
        for _ in 0..<3 {
            #expect(
                try await provider.source(fixture.server.url("/key"), role: .key).bytes(at: 0, count: 99)
                    == [UInt8](0..<16))
        }
        #expect(fixture.server.counts.requests == 1)
    }

    /// A copy of the cache does not contain the keys to what is in it.
    @Test func keysAreNotCached() async throws {
        fixture.server.serve("/key", [UInt8](repeating: 0x61, count: 16))
        let (url, provider) = (fixture.server.url("/key"), fixture.provider())
        _ = try await provider.source(url, role: .key)
        await provider.written()
        await provider.closed()
        fixture.server.stop()
        #expect(await reason { try await fixture.provider().source(url, role: .key) } != nil)
    }

    @Test func theThroughputIsMeasured() async throws {
        fixture.server.link = FaultyServer.Link(rate: 1_000_000)
        let url = fixture.serve("/clip.mp4", length: 1_000_000)
        let provider = fixture.provider()
        #expect(provider.throughput == nil)
        _ = try await provider.source(url).bytes(at: 0, count: 1_000_000)
        let measured = try #require(provider.throughput)
        #expect(measured > 500_000 && measured < 16_000_000)
    }
}
