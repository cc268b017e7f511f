import Bytes
import HTTP
import Model
import Synchronization
import TestSupport
import Testing

@testable import Feeds

/// Services as feeds: the requests to a loopback server that answers like them, and the feeds from its answers.
@Suite struct ServiceFeedTests {
    private let server: FaultyServer
    private let provider = CachedProvider(cache: nil, network: NetworkOptions())

    init() throws { server = try FaultyServer() }

    /// "peertube:http://127.0.0.1:1234/@otters".
    private func address(_ service: Service, _ path: String = "") -> String {
        "\(service.rawValue):\(server.url(path.isEmpty ? "/" : path))"
    }

    private func load(_ sources: String...) throws(FeedsError) -> Feed {
        try loadFeed(sources: sources, provider: provider)
    }

    /// All items, page by page.
    private func pages(_ feed: Feed) throws -> [[Item]] {
        var (pages, count) = ([[Item]](), 0)
        var items: any ItemList = feed.items
        while true {
            pages.append((count..<items.count).map { items[$0] })
            count = items.count
            guard let page = try feed.pages?.load() else { return pages }
            items = page.items
        }
    }

    private func message(_ sources: String...) -> String {
        do throws(FeedsError) {
            _ = try loadFeed(sources: sources, provider: provider)
            return "it was read"
        } catch {
            return error.description
        }
    }

    private func queries(_ path: String) -> [String] { server.requests(for: path).map { $0.query ?? "" } }

    /// What "All clips from …" names and hides.
    @Test func itemsNameTheirInstanceAsTheirSource() throws {
        RecordedService.servePeerTube(on: server, videos: 13, media: ["/x.m3u8"])
        let items = try pages(load(address(.peerTube, "/c/river"))).joined()
        let host = server.url("").split(separator: "/").last.map(String.init)
        #expect(Set(items.map { HideRule(sourceOf: $0).name }) == [host])
        let rule = HideRule(sourceOf: try #require(items.first))
        #expect(items.allSatisfy { $0.feed == rule.id.value })
    }

    @Test(arguments: [
        ("/", "videos", "127.0.0.1"), ("/@otters", "accounts/otters/videos", "@otters@127.0.0.1"),
        ("/c/river", "video-channels/river/videos", "river · 127.0.0.1"),
        ("/?search=street%20food", "search/videos", "“street food” · 127.0.0.1"),
    ])
    func peerTubeComesByTheDozen(path: String, asked: String, title: String) throws {
        RecordedService.servePeerTube(on: server, videos: 30, media: ["/x.m3u8"])
        let feed = try load(address(.peerTube, path))
        #expect(feed.title == title && feed.warnings.isEmpty)
        let pages = try pages(feed)
        try #require(pages.map(\.count) == [12, 12, 6])
        #expect(pages.joined().map(\.id) == (0..<30).map(RecordedService.uuid))
        #expect(pages.joined().allSatisfy { $0.resolver == .peerTube && $0.feed == server.url("") })
        #expect(
            pages[2][5].title == "video 29"
                && pages[0][0].url == server.url("/api/v1/videos/\(RecordedService.uuid(0))"))
        // One request a page, and none for media.
        #expect(server.counts.requests == 3)
        #expect(queries("/api/v1/\(asked)").map { QueryItem.value("start", in: $0) } == ["0", "12", "24"])
        #expect(queries("/api/v1/\(asked)").allSatisfy { QueryItem.value("count", in: $0) == "12" })
    }

    @Test func loopsComesByTheDozen() throws {
        RecordedService.serveLoops(on: server, videos: 30, media: ["/a.mp4", "/b.mp4"])
        for (path, asked) in [("/@otters", "feed/account/7"), ("/#otters", "explore/tag-feed/otters")] {
            server.resetCounts()
            let pages = try pages(try load(address(.loops, path)))
            try #require(pages.map(\.count) == [12, 12, 6] && Set(pages.joined().map(\.id)).count == 30)
            #expect(queries("/api/v1/\(asked)").map { QueryItem.value("cursor", in: $0) } == [nil, "c12", "c24"])
            #expect(pages[0][1].url == server.url("/b.mp4") && pages[0][1].creator?.name == "Otters")
        }
    }

    @Test func mastodonComesFortyPostsAtATime() throws {
        RecordedService.serveMastodon(on: server, posts: 90, media: ["/a.mp4"])
        let sources = [
            ("/@otters", "accounts/109/statuses"), ("/#otters", "timelines/tag/otters"), ("", "timelines/public"),
        ]
        for (path, asked) in sources {
            server.resetCounts()
            let feed = try load(address(.mastodon, path))
            // Each third post has something that its instance does not know.
            #expect(feed.withoutMedia == 13)
            let pages = try pages(feed)
            try #require(pages.map(\.count).prefix(3) == [27, 27, 6] && Set(pages.joined().map(\.id)).count == 60)
            #expect(queries("/api/v1/\(asked)").count == 4)
            #expect(queries("/api/v1/\(asked)").allSatisfy { QueryItem.value("limit", in: $0) == "40" })
            #expect(pages[0][0].blurHash == "UBL_:rOpGG-;~qj[j[WB" && pages[0][0].tags == ["river"])
        }
    }

    /// New videos push those that follow to the next page.
    @Test func noItemComesTwice() throws {
        let asked = Mutex(0)
        server.serve(
            "/api/v1/videos",
            Resource(
                .dynamic { _ in
                    let first = asked.withLock { count in
                        defer { count += 10 }
                        return count
                    }
                    let data = (first..<first + 12).map { #"{"uuid": "u\#($0)", "name": "n"}"# }
                    return Array(#"{"total": 34, "data": [\#(data.joined(separator: ","))]}"#.utf8)
                }, type: "application/json", etag: nil))
        let found = try self.pages(try load(address(.peerTube)))
        #expect(found.map(\.count) == [12, 10, 10] && Set(found.joined().map(\.id)).count == 32)
    }

    @Test func severalInstancesAreReadTogether() throws {
        RecordedService.servePeerTube(on: server, videos: 2, media: ["/x.m3u8"])
        RecordedService.serveMastodon(on: server, posts: 2, media: ["/a.mp4"])
        let feed = try load(address(.peerTube), address(.mastodon), address(.loops, "/@nobody"))
        #expect(feed.items.count == 4 && feed.warnings.count == 1)
        #expect(feed.source == "\(address(.peerTube).dropLast()) \(address(.mastodon).dropLast())")
    }

    /// A channel may be what is meant by "@name", too.
    @Test func unknownAccountIsTriedAsAChannel() throws {
        RecordedService.servePeerTube(on: server, videos: 3, media: ["/x.m3u8"])
        #expect(try load(address(.peerTube, "/@river")).items.count == 3)
        #expect(
            message(address(.peerTube, "/@nobody"))
                == "cannot play 'peertube:\(server.url("/@nobody"))': no account 'nobody' on 127.0.0.1")
    }

    // MARK: Refusals

    @Test(
        arguments: [
            (Service.mastodon, "", "timelines/public", 422, "127.0.0.1 requires a login for timelines"),
            (.mastodon, "/#otters", "timelines/tag/otters", 401, "127.0.0.1 requires a login for timelines"),
            (.mastodon, "/@otters", "accounts/lookup", 404, "no account 'otters' on 127.0.0.1"),
            (.mastodon, "/@otters", "accounts/lookup", 401, "127.0.0.1 requires a login for this"),
            (.loops, "/@otters", "account/username/otters", 403, "127.0.0.1 requires a login for this"),
            (.loops, "/#otters", "explore/tag-feed/otters", 404, "127.0.0.1 has no tag 'otters'"),
            (.peerTube, "/c/river", "video-channels/river/videos", 404, "no channel 'river' on 127.0.0.1"),
            (.peerTube, "/w/abc", "videos/abc", 403, "127.0.0.1 requires a login for this"),
            (.peerTube, "", "videos", 404, "127.0.0.1 is not a PeerTube server"),
            (.peerTube, "", "videos", 429, "the server returned 429; try again in 5 min"),
            (.peerTube, "", "videos", 410, "127.0.0.1 is not a PeerTube server"),
        ])
    func instanceErrorsAreReported(service: Service, path: String, asked: String, status: Int, why: String) {
        let fault = Fault.status(status, retryAfter: status == 429 ? "300" : nil)
        server.serve("/api/v1/\(asked)", .text("{}", type: "application/json", faults: [fault]))
        let text = message(address(service, path))
        #expect(text.contains("': \(why)"), "\(text)")
        #expect(server.counts.requests == 1)
    }

    @Test(
        arguments: [
            ("<!doctype html><title>Log in</title>", "127.0.0.1 sent a web page instead of PeerTube"),
            ("", "127.0.0.1 did not send JSON (line 1, column 1: it ends too early)"),
            ("[", "127.0.0.1 did not send JSON (line 1, column 2"),
            ("{\"data\": [1, ", "127.0.0.1 did not send JSON (line 1"),
            ("{\"total\": 1}", "unexpected response from 127.0.0.1; is it a PeerTube server?"),
            ("{\"data\": null}", "unexpected response from 127.0.0.1; is it a PeerTube server?"),
            ("{\"data\": {\"uuid\": \"u\"}}", "unexpected response from 127.0.0.1; is it a PeerTube server?"),
            ("12", "unexpected response from 127.0.0.1; is it a PeerTube server?"),
            ("null", "unexpected response from 127.0.0.1; is it a PeerTube server?"),
            ("{\"data\": []}", "it lists no items"), ("[]", "it lists no items"),
            (
                "{\"data\": [1, null, {}]}",
                "none of its 3 items can be used; item 0 is skipped: not a PeerTube item"
            ),
            ("{\"data\": [{\"uuid\": \"u\", \"state\": {\"id\": 4}}]}", "its only entry has no video or audio"),
        ])
    func badAnswersAreReported(answer: String, why: String) {
        server.serve("/api/v1/videos", .text(answer, type: "application/json"))
        let text = message(address(.peerTube))
        #expect(text.contains("': \(why)"), "\(text)")
    }

    @Test(arguments: ["{}", "[]", "1", "{\"id\": null}", "{\"id\": \"../2\"}", "<html>"])
    func accountWithoutIDIsReported(answer: String) {
        server.serve("/api/v1/accounts/lookup", .text(answer, type: "application/json"))
        #expect(
            message(address(.mastodon, "/@otters")).contains(
                "': unexpected response from 127.0.0.1; is it a Mastodon server?"))
        #expect(server.counts.requests == 1)
    }

    /// The entries that are complete are shown.
    @Test func aCutAnswerIsReadAsFarAsItGoes() throws {
        let item = #"{"uuid": "u", "name": "n"}"#
        server.serve(
            "/api/v1/videos", .text("{\"total\": 9, \"data\": [\(item), {\"uuid\": \"v", type: "application/json"))
        let feed = try load(address(.peerTube))
        #expect(feed.items.count == 1 && feed.warnings.count == 1 && feed.warnings[0].contains("the rest is not JSON"))
    }

    @Test func endlessAnswerIsCutOff() throws {
        let item = #"{"uuid": "u", "name": "n"},"#
        let long = String(repeating: " ", count: 9 << 20)
        server.serve("/api/v1/videos", .text("{\"data\": [\(item)\(long)", type: "application/json"))
        let feed = try load(address(.peerTube))
        #expect(feed.items.count == 1 && feed.warnings[0].contains("it is larger than 8 MB"), "\(feed.warnings)")
        server.serve("/api/v1/videos", .text("{\"a\": \"\(long)", type: "application/json"))
        #expect(message(address(.peerTube)).contains("': it is larger than 8 MB"))
    }

    /// Items lead where a feed of the instance may, and no further.
    @Test func addressesOfEntriesAreChecked() throws {
        let provider = ScriptedProvider([
            "https://h/api/v1/timelines/public?local=true&only_media=true&limit=40": """
            [{"id": "2", "media_attachments": [{"type": "video", "url": "file:///etc/hostname"},
            {"type": "video", "url": "http://127.0.0.1:9/a.mp4"}, {"type": "video", "url": "https://cdn.example/a.mp4"}]}]
            """
        ])
        let feed = try loadFeed(sources: ["mastodon:h"], provider: provider)
        #expect(feed.items.count == 1 && feed.items[0].url == "https://cdn.example/a.mp4")
        #expect(feed.warnings.count == 2 && feed.warnings[0].contains("is skipped: this feed may not link to"))
    }

    // MARK: Pages of the web

    @Test(
        arguments: [
            ("/c/river", "<meta property=\"og:platform\" content=\"PeerTube\" />", 12),
            ("/w/\(RecordedService.uuid(1))", "<meta property=og:platform content=PeerTube>", 1),
            ("/@otters", "<script id=\"initial-state\" type=\"application/json\">{\"a\":\"<x>\"}</script>", 27),
        ])
    func servicePageLeadsToItsFeed(path: String, sign: String, count: Int) throws {
        RecordedService.servePeerTube(on: server, videos: 30, media: ["/x.m3u8"])
        RecordedService.serveMastodon(on: server, posts: 40, media: ["/a.mp4"])
        let feed = "<link rel=\"alternate\" type=\"application/rss+xml\" href=\"/feed.xml\">"
        server.serve(path, .text("<!doctype html><head>\(feed)\(sign)</head><body>", type: "text/html"))
        #expect(try load(server.url(path)).items.count == count)
        #expect(server.requests(for: "/feed.xml").isEmpty)
    }

    /// A page that shows no part of it is left to its feed.
    @Test func anotherPageOfAServiceIsReadByItsFeed() throws {
        let head =
            "<meta property=og:platform content=PeerTube><link rel=alternate type=application/rss+xml href=/feed.xml>"
        server.serve("/about/peertube", .text("<!doctype html><head>\(head)</head><body>", type: "text/html"))
        let rss = "<rss><channel><item><enclosure url=\"/a.mp4\" type=\"video/mp4\"/></item></channel></rss>"
        server.serve("/feed.xml", .text(rss, type: "text/xml"))
        #expect(try load(server.url("/about/peertube")).items.count == 1)
    }
}
