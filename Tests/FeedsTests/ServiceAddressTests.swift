import Bytes
import Model
import Testing

@testable import Feeds

/// How parts of services are written.
@Suite struct ServiceAddressTests {
    @Test(
        arguments: [
            ("peertube:video.example.org", "https://video.example.org", ServiceAddress.Part.all, "video.example.org"),
            ("peertube:video.example.org/", "https://video.example.org", .all, "video.example.org"),
            ("PeerTube://Video.Example.org:8443", "https://video.example.org:8443", .all, "video.example.org"),
            (
                "peertube:video.example.org/@otters", "https://video.example.org", .account("otters"),
                "@otters@video.example.org"
            ),
            (
                "peertube:http://127.0.0.1:9/a/otters/videos", "http://127.0.0.1:9", .account("otters"),
                "@otters@127.0.0.1"
            ),
            (
                "peertube:https://h.example/c/river%20side/videos?s=1", "https://h.example", .channel("river side"),
                "river side · h.example"
            ),
            ("peertube:h.example/video-channels/river", "https://h.example", .channel("river"), "river · h.example"),
            (
                "peertube:h.example?search=street+food%21", "https://h.example", .search("street food!"),
                "“street food!” · h.example"
            ),
            ("peertube:h.example/search?sort=1&search=a%26b", "https://h.example", .search("a&b"), "“a&b” · h.example"),
            (
                "peertube:h.example/w/2y84q2MQUMWPbiEcxNXMgC", "https://h.example", .one("2y84q2MQUMWPbiEcxNXMgC"),
                "h.example"
            ),
            ("peertube:h.example/videos/watch/9c9de5e8-0a1e", "https://h.example", .one("9c9de5e8-0a1e"), "h.example"),
            ("peertube:h.example/w/p/abc", "https://h.example", .playlist("abc"), "h.example"),
            ("peertube:h.example/videos/watch/playlist/abc", "https://h.example", .playlist("abc"), "h.example"),
            ("peertube:h.example/#otters", "https://h.example", .tag("otters"), "#otters · h.example"),
            ("loops:h.example/@otters", "https://h.example", .account("otters"), "@otters@h.example"),
            ("loops:h.example/#otters", "https://h.example", .tag("otters"), "#otters · h.example"),
            ("loops:h.example#otters", "https://h.example", .tag("otters"), "#otters · h.example"),
            ("mastodon:h.example", "https://h.example", .all, "h.example"),
            ("mastodon:h.example/public/local", "https://h.example", .all, "h.example"),
            ("mastodon:h.example/@otters/media", "https://h.example", .account("otters"), "@otters@h.example"),
            ("mastodon:h.example/@a@b.example", "https://h.example", .account("a@b.example"), "@a@b.example"),
            ("mastodon:@otters@h.example", "https://h.example", .account("otters"), "@otters@h.example"),
            ("mastodon:h.example/tags/%C3%B6tter", "https://h.example", .tag("ötter"), "#ötter · h.example"),
            ("mastodon:h.example/#ötter", "https://h.example", .tag("ötter"), "#ötter · h.example"),
            ("mastodon:h.example/@otters/1160000", "https://h.example", .one("1160000"), "h.example"),
        ] as [(String, String, ServiceAddress.Part, String)])
    func isParsed(argument: String, origin: String, part: ServiceAddress.Part, title: String) throws {
        let address = try #require(ServiceAddress(argument))
        #expect(address.origin == origin && address.part == part && address.title == title)
        // However it was written, it is known by one text, which means the same.
        #expect(ServiceAddress(address.text) == address, "\(address.text)")
        #expect(!address.text.contains(" ") && !address.text.contains("#"))
    }

    @Test(arguments: [
        "peertube:", "peertube:/", "peertube:h/unknown/page", "peertube:h/@", "peertube:h/w/%2e%2e",
        "peertube:h/a/..%2F",
        "peertube:u:p@h/@x", "peertube:h/@a\u{1B}[2J", "loops:h", "loops:h/", "mastodon:h/about", "mastodon:@h",
        "mastodon:h/tags/", "mastodon:h:99999/@x", "mastodon:h/@" + String(repeating: "x", count: 201),
        "mastodon:" + String(repeating: "x", count: 3_000),
    ])
    func misspelledAddressesAreReported(argument: String) throws {
        let service = try #require(Service(namedBy: argument))
        #expect(ServiceAddress(argument) == nil)
        let provider = ScriptedProvider([:])
        do {
            _ = try loadFeed(sources: [argument], provider: provider)
            Issue.record("it was read")
        } catch {
            let text = error.description
            #expect(text.hasSuffix("': invalid address; write it as \(service.forms)"))
            #expect(text.unicodeScalars.allSatisfy { $0.value >= 0x20 && $0.value != 0x7F })
        }
        #expect(provider.asked.isEmpty)
    }

    @Test(arguments: ["peertube", "peertubes:h", "clips/peertube:h", "https://peertube:80/", "./loops:h", ""])
    func otherArgumentsAreNot(argument: String) { #expect(Service(namedBy: argument) == nil) }

    @Test func requestsAreThoseOfTheInterface() throws {
        func pages(_ argument: String, account: String? = nil) throws -> [String] {
            try #require(ServiceAddress(argument)).firstPages(account: account)
        }
        #expect(try pages("peertube:h") == ["https://h/api/v1/videos?start=0&count=12&sort=-publishedAt"])
        #expect(
            try pages("peertube:h/@a b") == [
                "https://h/api/v1/accounts/a%20b/videos?start=0&count=12&sort=-publishedAt",
                "https://h/api/v1/video-channels/a%20b/videos?start=0&count=12&sort=-publishedAt",
            ])
        #expect(
            try pages("peertube:h?search=a%26b") == ["https://h/api/v1/search/videos?search=a%26b&start=0&count=12"])
        #expect(try pages("peertube:h/w/p/x") == ["https://h/api/v1/video-playlists/x/videos?start=0&count=12"])
        let mastodon = try #require(ServiceAddress("mastodon:h/@a@b.example"))
        #expect(mastodon.lookup == "https://h/api/v1/accounts/lookup?acct=a%40b.example")
        #expect(mastodon.account(in: .object(["id": .text("109")])) == "109")
        #expect(mastodon.account(in: .object(["id": .text("../109")])) == nil)
        #expect(
            mastodon.firstPages(account: "109") == [
                "https://h/api/v1/accounts/109/statuses?exclude_replies=true&exclude_reblogs=true&only_media=true&limit=40"
            ])
        #expect(mastodon.firstPages(account: nil).isEmpty)
        #expect(try pages("mastodon:h") == ["https://h/api/v1/timelines/public?local=true&only_media=true&limit=40"])
        #expect(try pages("mastodon:h/#a b") == ["https://h/api/v1/timelines/tag/a%20b?only_media=true&limit=40"])
        let loops = try #require(ServiceAddress("loops:h/@a"))
        #expect(loops.lookup == "https://h/api/v1/account/username/a")
        #expect(loops.account(in: .object(["data": .object(["id": .text("7")])])) == "7")
        #expect(loops.firstPages(account: "7") == ["https://h/api/v1/feed/account/7?sort=Latest&limit=12"])
        #expect(try pages("loops:h/#a") == ["https://h/api/v1/explore/tag-feed/a?limit=12"])
    }

    @Test func furtherPagesAreThoseOfTheInterface() throws {
        let peerTube = try #require(ServiceAddress("peertube:h"))
        let first = "https://h/api/v1/videos?start=0&count=12&sort=-publishedAt"
        func next(_ url: String, _ end: ServicePageEnd) -> String? { peerTube.nextPage(after: url, end) }
        let second = "https://h/api/v1/videos?count=12&sort=-publishedAt&start=12"
        #expect(next(first, ServicePageEnd(count: 12, total: 13)) == second)
        #expect(next(first, ServicePageEnd(count: 12, total: 12)) == nil)
        #expect(next(first, ServicePageEnd(count: 12)) == second)
        // An instance that skips some entries counts them nevertheless.
        #expect(next(first, ServicePageEnd(count: 3, total: 13)) == second)
        #expect(next(first, ServicePageEnd(count: 0, total: 13)) == nil)
        #expect(next("https://h/x?start=9223372036854775807", ServicePageEnd(count: 12)) == nil)
        let mastodon = try #require(ServiceAddress("mastodon:h"))
        #expect(
            mastodon.nextPage(after: "https://h/p?max_id=9&limit=40", ServicePageEnd(count: 40, lastID: "5"))
                == "https://h/p?limit=40&max_id=5")
        #expect(mastodon.nextPage(after: "https://h/p", ServicePageEnd(count: 40)) == nil)
        let loops = try #require(ServiceAddress("loops:h/#a"))
        #expect(
            loops.nextPage(after: "https://h/p?limit=12", ServicePageEnd(count: 1, cursor: "e=&x"))
                == "https://h/p?limit=12&cursor=e%3D%26x")
        #expect(loops.nextPage(after: "https://h/p", ServicePageEnd(count: 10)) == nil)
    }
}
