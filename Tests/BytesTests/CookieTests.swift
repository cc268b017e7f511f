import Model
import TestSupport
import Testing

@testable import Bytes
@testable import HTTP

/// Which cookies are stored, and where they are sent.
@Suite struct CookieTests {
    /// The cookies of a request to `url` after a response from `source` at second 1000, at second `now`.
    private func sent(
        _ fields: String..., from source: String = "https://www.example.com/a/list.m3u8", to url: String,
        now: Int64 = 1001
    ) throws -> String {
        var jar = CookieJar()
        jar.store(fields, from: try #require(RemoteURL(source)), now: 1000)
        return jar.pairs(for: try #require(RemoteURL(url)), now: now).map { "\($0.name)=\($0.value)" }
            .joined(separator: "; ")
    }

    @Test(arguments: [
        // Without a domain: the same host, port and folder.
        ("t=1", "https://www.example.com/a/seg.ts", "t=1"), ("t=1", "https://www.example.com/a", "t=1"),
        ("t=1", "https://www.example.com/ab/seg.ts", ""), ("t=1", "https://www.example.com/", ""),
        ("t=1", "https://cdn.example.com/a/seg.ts", ""), ("t=1", "https://www.example.com:8443/a/seg.ts", ""),
        ("t=1", "http://www.example.com/a/seg.ts", ""),
        ("t=1; Path=/", "https://www.example.com/b/seg.ts", "t=1"),
        ("t=1; path=b", "https://www.example.com/a/s", "t=1"),
        ("t=1; Path=/b", "https://www.example.com/b/seg.ts", "t=1"),
        ("t=1; Path=/b/", "https://www.example.com/b", ""),
        // The domain right above.
        ("t=1; Path=/; Domain=example.com", "https://cdn.example.com/b", "t=1"),
        ("t=1; Path=/; Domain=.Example.com; Secure; HttpOnly", "https://a.b.example.com/b", "t=1"),
        ("t=1; Path=/; Domain=example.com", "https://badexample.com/b", ""),
        ("t=1; Path=/; Domain=www.example.com", "https://x.www.example.com/b", "t=1"),
        // Other domains, and those of registries.
        ("t=1; Path=/; Domain=other.com", "https://www.example.com/b", ""),
        ("t=1; Path=/; Domain=other.com", "https://other.com/b", ""),
        ("t=1; Path=/; Domain=com", "https://other.com/b", ""),
        ("t=1; Path=/; Domain=com", "https://www.example.com/b", "t=1"),
        // Malformed ones.
        ("t", "https://www.example.com/a/seg.ts", ""), ("=1", "https://www.example.com/a/seg.ts", ""),
        ("t=a\u{1}b", "https://www.example.com/a/seg.ts", ""), ("", "https://www.example.com/a/seg.ts", ""),
    ]) func cookiesMatchDomainPathAndScheme(field: String, url: String, expected: String) throws {
        #expect(try sent(field, to: url) == expected)
    }

    @Test func publicSuffixesNarrowToTheHost() throws {
        let field = "t=1; Path=/; Domain=co.uk"
        #expect(try sent(field, from: "https://evil.co.uk/", to: "https://evil.co.uk/b") == "t=1")
        #expect(try sent(field, from: "https://evil.co.uk/", to: "https://bank.co.uk/b") == "")
        #expect(try sent("t=1; Domain=1.1", from: "http://127.0.1.1/", to: "http://127.0.1.1/") == "")
        #expect(try sent("t=1; Domain=127.0.0.1", from: "http://127.0.0.1/", to: "http://127.0.0.1/") == "t=1")
    }

    @Test func secureCookiesNeedTLS() throws {
        #expect(try sent("t=1; Secure", from: "http://h/", to: "http://h/") == "")
        #expect(try sent("t=1; Secure", from: "http://h/", to: "https://h/") == "")
        #expect(try sent("t=1", from: "http://h/", to: "https://h/") == "t=1")
    }

    @Test(
        arguments: [
            ("t=1; Max-Age=5", 1004, "t=1"), ("t=1; Max-Age=5", 1005, ""), ("t=1; Max-Age=0", 1000, ""),
            ("t=1; Max-Age=-1", 1000, ""), ("t=1; Max-Age=99999999999999", 1 << 40, "t=1"),
            ("t=1; Expires=Thu, 01 Jan 1970 00:16:45 GMT", 1004, "t=1"),
            ("t=1; Expires=Thu, 01 Jan 1970 00:16:45 GMT", 1005, ""),
            ("t=1; Expires=Thu, 01 Jan 1970 00:00:01 GMT; Max-Age=60", 1059, "t=1"),
            ("t=1; Expires=soon", 1 << 40, "t=1"),
        ] as [(String, Int64, String)]) func cookiesExpire(field: String, now: Int64, expected: String) throws
    {
        #expect(try sent(field, to: "https://www.example.com/a/seg.ts", now: now) == expected)
    }

    @Test func laterCookiesReplaceAndDeleteEarlierOnes() throws {
        let url = "https://www.example.com/a/seg.ts"
        #expect(try sent("t=1", "u=2", "t=3", to: url) == "u=2; t=3")
        #expect(try sent("t=1", "u=2", "t=; Max-Age=0", to: url) == "u=2")
        #expect(try sent("short=1; Path=/", "long=2; Path=/a", to: url) == "long=2; short=1")
    }

    @Test func cookieCountAndSizeAreLimited() throws {
        var jar = CookieJar()
        let url = try #require(RemoteURL("https://h/"))
        jar.store((0..<200).map { "c\($0)=1" }, from: url, now: 0)
        #expect(jar.pairs(for: url, now: 0).map(\.name) == (150..<200).map { "c\($0)" })
        let long = String(repeating: "x", count: 3990)
        jar.store(["long=\(long)", "longer=\(long)", "longest=\(long)", "over=\(long)\(long)"], from: url, now: 0)
        let sent = jar.pairs(for: url, now: 0)
        #expect(sent.reduce(0) { $0 + $1.name.utf8.count + $1.value.utf8.count } < 8000)
        #expect(!sent.contains { $0.name == "over" })
    }

    // MARK: Over a connection

    @Test func redirectToItselfWithACookieIsFollowed() async throws {
        let wire = try Wire()
        wire.server.serve(
            "/clip.mp4",
            Resource(
                .bytes(Array("clip".utf8)),
                faults: [
                    .redirect(to: "/clip.mp4").first(1), .header("Set-Cookie", "seen=1; Path=/").first(1),
                    .requires("cookie", "seen=1", status: 403),
                ]))
        let (answer, bytes) = try await wire.send(wire.request("/clip.mp4"))
        #expect(answer.status == 200)
        #expect(bytes == Array("clip".utf8))
        // One whose cookie does not change is a circle.
        wire.server.serve("/circle", [], faults: [.redirect(to: "/circle"), .header("Set-Cookie", "seen=1")])
        #expect(await wire.reason(wire.request("/circle")) == .redirected(.circle))
    }

    @Test func cookiesAreSentForTheirAssetAndToTheirOriginOnly() async throws {
        let (wire, other) = (try Wire(), try FaultyServer())
        wire.server.serve("/list.m3u8", [1], faults: [.header("Set-Cookie", "t=1; Path=/")])
        wire.server.serve("/seg.ts", [1], faults: [.redirect(to: other.url("/seg.ts")).from(3)])
        other.serve("/seg.ts", [1])
        let list = wire.request("/list.m3u8")
        _ = try await wire.send(list)
        var segment = wire.request("/seg.ts")
        _ = try await wire.send(segment)
        segment.asset = list.asset
        segment.asset.headers = ["cookie": "t=0; lang=en"]
        _ = try await wire.send(segment)
        _ = try await wire.send(segment)
        let cookies = wire.server.requests(for: "/seg.ts").map { $0.headers["cookie"] }
        #expect(cookies == [nil, "lang=en; t=1", "lang=en; t=1"])
        #expect(other.requests.map { $0.headers["cookie"] } == [nil])
    }

    @Test func cookiesOfKeysAndSegmentsAreSentForTheirAssetOnly() async throws {
        let (fixture, other) = (try ProviderFixture(), try FaultyServer())
        let (list, otherList) = (fixture.server.url("/v/list.m3u8"), fixture.server.url("/v/other.m3u8"))
        fixture.server.serve("/v/key", pattern(0, 16), faults: [.header("Set-Cookie", "key=1")])
        other.serve("/v/3.ts", pattern(0, 1000))
        let provider = fixture.provider()
        func read(_ url: String, _ role: ByteRole, of asset: String, count: Int) async throws {
            let source = try await provider.source(url, role: role, asset: asset)
            #expect(try await source.bytes(at: 0, count: count) == pattern(0, count))
        }
        try await read(fixture.server.url("/v/key"), .key, of: list, count: 16)
        let first = fixture.serve("/v/1.ts", length: 1000, [.header("Set-Cookie", "segment=2; HttpOnly")])
        try await read(first, .segment, of: list, count: 1000)
        try await read(fixture.serve("/v/2.ts", length: 1000), .segment, of: list, count: 1000)
        try await read(other.url("/v/3.ts"), .segment, of: list, count: 1000)
        try await read(fixture.serve("/v/4.ts", length: 1000), .segment, of: otherList, count: 1000)
        func sent(_ server: FaultyServer, _ path: String) -> Set<String?> {
            Set(server.requests(for: path).map { $0.headers["cookie"] })
        }
        #expect(sent(fixture.server, "/v/2.ts") == ["key=1; segment=2"])
        #expect(sent(other, "/v/3.ts") == [nil] && sent(fixture.server, "/v/4.ts") == [nil])
        await provider.closed()
    }

    @Test func playlistCookieIsSentForKeysAndSegments() async throws {
        let fixture = try ProviderFixture()
        let faults: [Fault] = [.requires("cookie", "session=a", status: 403)]
        let text = "#EXTM3U\n#EXT-X-TARGETDURATION:6\n#EXTINF:6,\nseg.ts\n#EXT-X-ENDLIST\n"
        fixture.server.serve(
            "/v/list.m3u8", .text(text, type: "application/x-mpegurl", faults: [.header("Set-Cookie", "session=a")]))
        fixture.server.serve("/v/key", Resource(.bytes(pattern(0, 16)), faults: faults))
        let (list, segment) = (fixture.server.url("/v/list.m3u8"), fixture.serve("/v/seg.ts", length: 1000, faults))
        let provider = fixture.provider()
        _ = try await provider.source(list, role: .playlist)
        _ = try await provider.source(fixture.server.url("/v/key"), role: .key, asset: list)
        let source = try await provider.source(segment, role: .segment, asset: list)
        #expect(try await source.bytes(at: 0, count: 1000) == pattern(0, 1000))
        await provider.closed()
    }
}
