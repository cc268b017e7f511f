import Foundation
import Model
import TestSupport
import Testing
import Threads

@testable import Bytes
@testable import Cache

/// The last good answer for a feed.
@Suite struct KeptFeedTests {
    private let fixture: ProviderFixture
    private static let text = "<rss><channel><title>Kept</title></channel></rss>"

    init() throws { fixture = try ProviderFixture() }

    /// Reads a feed whole with a new provider, as after a restart. Returns its text and how old it is said to be.
    private func read() async throws -> (text: String, age: Duration?) {
        let provider = fixture.provider()
        let url = fixture.server.url("/feed")
        let source = try await provider.source(url, role: .feed)
        let bytes = try await source.bytes(at: 0, count: 1 << 20)
        #expect(source.url == url && source.type == MediaType(name: "text/xml", charset: "utf-8"))
        await provider.written()
        await provider.closed()
        return (String(decoding: bytes, as: UTF8.self), source.age)
    }

    private func serve(_ text: String = Self.text, etag: String? = "\"1\"", date: String? = nil, _ faults: [Fault] = [])
    {
        var resource = Resource(
            .bytes(Array(text.utf8)), type: "text/xml; charset=UTF-8", etag: etag, lastModified: date, faults: faults)
        resource.answersConditions = true
        fixture.server.serve("/feed", resource)
    }

    @Test(arguments: [true, false])
    func anUnchangedFeedIsNotSentAgain(hasTag: Bool) async throws {
        let date = "Fri, 01 May 2026 12:00:00 GMT"
        serve(etag: hasTag ? "\"1\"" : nil, date: hasTag ? nil : date)
        #expect(try await read().text == Self.text)
        let sent = fixture.server.counts.bodyBytes
        for _ in 0..<2 {
            let again = try await read()
            #expect(again.text == Self.text && again.age == nil)
        }
        #expect(fixture.server.counts.requests == 3 && fixture.server.counts.bodyBytes == sent)
        // A changed answer is read and stored in turn.
        serve("<rss/>", etag: "\"2\"")
        #expect(try await read().text == "<rss/>")
        #expect(try await read().text == "<rss/>")
        #expect(fixture.server.counts.bodyBytes == sent + 6)
    }

    /// A user who reloads a feed again and again is not said to be offline.
    @Test func aFeedThatIsReloadedOftenStaysCurrent() async throws {
        serve()
        _ = try await read()
        let provider = fixture.provider()
        for _ in 0..<8 {
            let source = try await provider.source(fixture.server.url("/feed"), role: .feed)
            #expect(try await source.bytes(at: 0, count: 1 << 20) == Array(Self.text.utf8))
            #expect(source.age == nil)
        }
        #expect(fixture.server.counts.requests == 1 + RequestBudget.limit)
        await provider.closed()
    }

    /// A server that was away is requested as soon as it is back, whatever it answered before.
    @Test func aServerThatIsBackIsRequestedAtOnce() async throws {
        let server = fixture.server
        serve()
        _ = try await read()
        let provider = fixture.provider()
        server.serve("/feed", .text("<!DOCTYPE html><title>Sign in</title>", type: "text/html"))
        let page = try await provider.source(server.url("/feed"), role: .feed)
        _ = try await page.bytes(at: 0, count: 1)
        #expect(page.age != nil)
        let asked = server.counts.requests
        server.stop()
        for _ in 0..<6 { #expect(try await provider.source(server.url("/feed"), role: .feed).age != nil) }
        serve()
        try server.restart()
        #expect(try await provider.source(server.url("/feed"), role: .feed).age == nil)
        #expect(server.counts.requests == asked + 1)
        await provider.closed()
    }

    /// Feeds of one server that do not answer, as those of the creators that the user follows there.
    @Test func clipDoesNotWaitForFeedsOfItsServer() async throws {
        let server = fixture.server
        for number in 0..<12 {
            server.serve(
                "/feed\(number)", Resource(.bytes(Array("<rss/>".utf8)), faults: [.slowStart(.seconds(60))]))
        }
        server.serve("/clip.mp4", Resource(.bytes([1, 2, 3, 4]), type: "video/mp4"))
        let provider = fixture.provider()
        let feeds = (0..<12).map { number in
            Task { try await provider.source(server.url("/feed\(number)"), role: .feed) }
        }
        #expect(await onThread { holds(within: .seconds(20)) { server.requests.count == 8 } })
        let clip = try await provider.source(server.url("/clip.mp4"), role: .media)
        #expect(try await clip.bytes(at: 0, count: 4) == [1, 2, 3, 4])
        #expect(server.requests.count { $0.path.hasPrefix("/feed") } == 8)
        await provider.closed()
        for feed in feeds { _ = await feed.result }
    }

    @Test func withoutItsServerTheLastAnswerIsRead() async throws {
        serve()
        _ = try await read()
        fixture.server.stop()
        fixture.forget()
        let kept = try await read()
        #expect(kept.text == Self.text && kept.age != nil)
        // There are no further attempts, which could not help.
        #expect(await fixture.reports { !$0.isEmpty })
        #expect(fixture.reported.count == 1)
    }

    @Test(arguments: [[Fault.status(503)], [.status(500)], [.garbage()]])
    func aServerInTroubleLeadsToTheLastAnswer(faults: [Fault]) async throws {
        serve()
        _ = try await read()
        serve("broken", etag: "\"2\"", faults)
        let kept = try await read()
        #expect(kept.text == Self.text && kept.age != nil)
    }

    @Test func aLoginPageLeadsToTheLastAnswer() async throws {
        serve()
        _ = try await read()
        fixture.server.serve("/feed", .text("<!DOCTYPE html><title>Sign in</title>", type: "text/html"))
        let kept = try await read()
        #expect(kept.text == Self.text && kept.age != nil)
        // It has not taken its place.
        fixture.server.stop()
        #expect(try await read().text == Self.text)
    }

    /// Only the reader finds out, after the whole answer was cached.
    @Test func answerThatIsNoFeedDoesNotReplaceTheLastOne() async throws {
        serve()
        _ = try await read()
        serve("{}", etag: "\"2\"")
        let provider = fixture.provider()
        let source = try await provider.source(fixture.server.url("/feed"), role: .feed)
        #expect(String(decoding: try await source.bytes(at: 0, count: 1 << 20), as: UTF8.self) == "{}")
        await provider.written()
        #expect(source.fallBack())
        #expect(String(decoding: try await source.bytes(at: 0, count: 1 << 20), as: UTF8.self) == Self.text)
        await provider.written()
        await provider.closed()
        fixture.server.stop()
        #expect(try await read().text == Self.text)
    }

    @Test func offlineReaderGetsTheLastAnswer() async throws {
        serve()
        _ = try await read()
        let provider = fixture.provider()
        let (kept, url) = (provider.kept, fixture.server.url("/feed"))
        let before = fixture.server.counts.requests
        let source = try await onThread {
            try kept.open(ByteRequest(url: url, asset: Asset(url: url), role: .feed), cancellation: Cancellation())
        }
        #expect(source.url == url && source.type == MediaType(name: "text/xml", charset: "utf-8"))
        #expect(String(decoding: try await source.bytes(at: 0, count: 1 << 20), as: UTF8.self) == Self.text)
        for (path, role) in [("/feed", ByteRole.playlist), ("/feed", .media), ("/other", .feed)] {
            let url = fixture.server.url(path)
            let refused = await reason {
                try await onThread {
                    try kept.open(
                        ByteRequest(url: url, asset: Asset(url: url), role: role), cancellation: Cancellation())
                }
            }
            #expect(refused == .unreachable)
        }
        // A finished playlist's outline is stored.
        fixture.server.serve("/list.m3u8", .text("#EXTM3U\n#EXT-X-STREAM-INF:BANDWIDTH=1\na.m3u8\n"))
        let list = fixture.server.url("/list.m3u8")
        let playlist = ByteRequest(url: list, asset: Asset(url: list), role: .playlist)
        _ = try await onThread { try provider.open(playlist, cancellation: Cancellation()) }
        await provider.written()
        let asked = fixture.server.counts.requests
        let outline = try await onThread { try kept.open(playlist, cancellation: Cancellation()) }
        #expect(
            String(decoding: try await outline.bytes(at: 0, count: 100), as: UTF8.self).contains("\na.m3u8\n"))
        #expect(fixture.server.counts.requests == asked && asked == before + 1)
        // An address that a public feed may not lead to cannot be read here either.
        let asset = Asset(url: "https://example.org/feed")
        let refused = await reason {
            try await onThread {
                try kept.open(ByteRequest(url: url, asset: asset, role: .feed), cancellation: Cancellation())
            }
        }
        #expect(refused != nil && refused != .unreachable)
        #expect(fixture.server.counts.requests == asked)
        await provider.closed()
    }

    /// The error of a feed that is gone or closed is reported.
    @Test(arguments: [404, 410, 401, 403])
    func clientErrorIsNotReplacedByTheLastAnswer(status: Int) async throws {
        serve()
        _ = try await read()
        serve(etag: "\"2\"", [.status(status)])
        #expect(await reason { try await read() } == .status(status))
    }

    @Test func truncatedAnswerIsNotStored() async throws {
        serve(String(repeating: "x", count: 300_000), etag: "\"1\"", [.cut(after: 200_000, .closed)])
        #expect(await reason { try await read() } == .dropped)
        fixture.server.stop()
        #expect(await reason { try await read() } != nil)
    }

    @Test func itIsReadBackAsItWasWritten() throws {
        var facts = AssetFacts(type: "text/xml", etag: "\"a\"", lastModified: "yesterday")
        facts.charset = "koi8-r"
        let feed = KeptFeed(url: "https://h/feed", facts: facts, body: [0x0A, 0, 0xFF, 0x0A])
        let bytes = try #require(feed.bytes)
        #expect(KeptFeed(bytes, age: 0) == feed)
        let plain = KeptFeed(url: "https://h/", facts: AssetFacts(), body: [])
        #expect(KeptFeed(try #require(plain.bytes), age: 0) == plain)
        for count in 0..<(bytes.count - 4) { #expect(KeptFeed(Array(bytes.prefix(count)), age: 0) == nil) }
        facts.etag = "a\nb"
        #expect(KeptFeed(url: "https://h/", facts: facts, body: []).bytes == nil)
    }

    @Test func anOldAnswerIsDropped() throws {
        let folder = TemporaryFolder()
        let key = try #require(AssetKey("https://h/feed"))
        let other = try #require(AssetKey("https://h/other"))
        var options = CacheOptions(folder: folder.path + "/cache")
        options.feedAge = .seconds(100)
        func store(at time: Double) -> AssetStore {
            AssetStore(options, now: { time }, sweepsSoon: false, notice: { _ in })
        }
        store(at: 1_000).setText(.feed, [1], for: key)
        store(at: 1_000).setText(.outline, [2], for: key)
        #expect(store(at: 1_050).text(.feed, for: key)?.age == 50)
        #expect(store(at: 1_101).text(.feed, for: key) == nil)
        // Answers that are too old are removed when the next one is stored, and only those of the same kind.
        store(at: 1_200).setText(.feed, [3], for: other)
        #expect(store(at: 1_050).text(.feed, for: key) == nil)
        #expect(store(at: 1_050).text(.outline, for: key)?.bytes == [2])
    }
}
