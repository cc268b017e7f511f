import Model
import TestSupport
import Testing
import Threads

@testable import Bytes
@testable import HTTP

/// Where requests are led, and what is said there.
@Suite struct RedirectionTests {
    private let wire: Wire

    init() throws {
        wire = try Wire()
        wire.server.serve("/clip.mp4", Array("clip".utf8))
    }

    private func chain(_ count: Int) -> Transport.Request {
        for step in 0..<count {
            let next = step + 1 == count ? "/clip.mp4" : "/step\(step + 1)"
            wire.server.serve(
                "/step\(step)", [], faults: [.redirect(to: next, status: [301, 302, 303, 307, 308][step % 5])])
        }
        return wire.request("/step0", range: .init(from: 1, to: 2))
    }

    @Test func tenRedirectionsAreFollowed() async throws {
        let (answer, bytes) = try await wire.send(chain(10))
        #expect(answer.url == wire.server.url("/clip.mp4"))
        #expect(bytes == Array("li".utf8))
        #expect(wire.server.counts.connections == 1)
    }

    @Test func elevenRedirectionsAreAnError() async { #expect(await wire.reason(chain(11)) == .redirected(.tooOften)) }

    @Test func circlesOfRedirectionsAreErrors() async {
        wire.server.serve("/a", [], faults: [.redirect(to: "/b")])
        wire.server.serve("/b", [], faults: [.redirect(to: "/a#again")])
        #expect(await wire.reason(wire.request("/a")) == .redirected(.circle))
    }

    @Test(.timeLimit(.minutes(1))) func redirectionWithAnEndlessBodyIsFollowed() async throws {
        wire.server.serve("/here", [], faults: [.redirect(to: "/clip.mp4"), .stall(after: 1)])
        #expect(try await wire.send(wire.request("/here")).bytes == Array("clip".utf8))
    }

    @Test func relativeLocationsAreResolved() async throws {
        wire.server.serve("/deep/a", [], faults: [.redirect(to: "../other/./b?x=%41")])
        wire.server.serve("/other/b", Array("b".utf8))
        let (answer, bytes) = try await wire.send(wire.request("/deep/a"))
        #expect(answer.url == wire.server.url("/other/b?x=%41"))
        #expect(bytes == Array("b".utf8))
    }

    @Test(arguments: ["file:///etc/passwd", "ftp://host/a", "data:text/plain,x", "http://user@/", "http://host:99999/"])
    func redirectionsLeadToHTTPOnly(location: String) async {
        wire.server.serve("/a", [], faults: [.redirect(to: location)])
        let reason = await wire.reason(wire.request("/a"))
        #expect(reason == .forbidden || reason == .malformed)
    }

    @Test func aStatusWithoutLocationIsAnAnswer() async throws {
        wire.server.serve("/a", [], faults: [.status(302)])
        #expect(try await wire.send(wire.request("/a")).answer.status == 302)
    }

    @Test func secretsStayAtTheirOrigin() async throws {
        let other = try FaultyServer()
        other.serve("/clip.mp4", Array("clip".utf8))
        wire.server.serve("/here", [], faults: [.redirect(to: "/there")])
        wire.server.serve("/there", [], faults: [.redirect(to: other.url("/clip.mp4"))])
        var request = wire.request("/here")
        request.asset.headers = [
            "authorization": "Bearer x", "COOKIE": "a=b", "X-Api-Key": "k", "Referer": "http://page/", "Host": "evil",
            "User-Agent": "given", "flick-viewer": "me", "Range": "bytes=0-0", "X-Split": "a\r\nEvil: b",
        ]
        _ = try await wire.send(request)
        for path in ["/here", "/there"] {
            let headers = try #require(wire.server.requests(for: path).first).headers
            #expect(headers["authorization"] == "Bearer x" && headers["cookie"] == "a=b" && headers["x-api-key"] == "k")
            #expect(headers["flick-viewer"] == "me")
            #expect(headers["referer"] == "http://page/" && headers["user-agent"] == "given")
            #expect(headers["host"] == "127.0.0.1:\(wire.server.port)")
            #expect(headers["range"] == nil && headers["x-split"] == nil && headers["evil"] == nil)
        }
        let led = try #require(other.requests.first).headers
        #expect(led["authorization"] == nil && led["cookie"] == nil && led["x-api-key"] == nil)
        #expect(led["flick-viewer"] == nil)
        #expect(led["referer"] == "http://page/")
    }

    @Test func aUserInAURLIsSentToItsOriginOnly() async throws {
        let other = try FaultyServer()
        other.serve("/clip.mp4", Array("clip".utf8))
        wire.server.serve("/here", [], faults: [.redirect(to: other.url("/clip.mp4"))])
        let url = "http://me:p%40ss@" + wire.server.url("/here").dropFirst("http://".count)
        let (answer, _) = try await wire.send(Transport.Request(url: url, asset: Asset(url: url)))
        #expect(wire.server.requests.first?.headers["authorization"] == "Basic bWU6cEBzcw==")
        #expect(other.requests.first?.headers["authorization"] == nil)
        #expect(answer.url == other.url("/clip.mp4"))
        // The references of such an asset's playlist have no user in them.
        let segment = Transport.Request(url: wire.server.url("/clip.mp4"), asset: Asset(url: url))
        _ = try await wire.send(segment)
        #expect(wire.server.requests(for: "/clip.mp4").first?.headers["authorization"] == "Basic bWU6cEBzcw==")
    }

    @Test func feedPasswordIsSentToItsOriginOnly() async throws {
        let other = try FaultyServer()
        other.serve("/clip.mp4", Array("clip".utf8))
        let feed = "http://me:p%40ss@" + wire.server.url("/feed.xml").dropFirst("http://".count)
        wire.server.serve("/away", [], faults: [.redirect(to: other.url("/clip.mp4"))])
        for url in [wire.server.url("/clip.mp4"), wire.server.url("/away"), other.url("/clip.mp4")] {
            _ = try await wire.send(Transport.Request(url: url, asset: Asset(url: url, feed: feed)))
        }
        let sent = wire.server.requests.map { $0.headers["authorization"] }
        #expect(sent == ["Basic bWU6cEBzcw==", "Basic bWU6cEBzcw=="])
        #expect(other.requests.count == 2)
        #expect(other.requests.allSatisfy { $0.headers["authorization"] == nil })
        // A clip with its own user keeps it.
        let url = "http://you@" + wire.server.url("/clip.mp4").dropFirst("http://".count)
        _ = try await wire.send(Transport.Request(url: url, asset: Asset(url: url, feed: feed)))
        #expect(wire.server.requests.last?.headers["authorization"] == "Basic eW91Og==")
    }

    @Test func aPublicAssetDoesNotReachAPrivateHost() async throws {
        var request = wire.request("/clip.mp4")
        request.asset.url = "https://example.com/feed.json"
        #expect(await wire.reason(request) == .privateHost("127.0.0.1"))
        #expect(wire.server.counts.connections == 0)
    }

    @Test func anItemMayNotLeadFurtherThanItsFeed() async throws {
        wire.server.serve("/clip.mp4", Array("clip".utf8))
        var request = wire.request("/clip.mp4")
        request.asset.feed = "https://example.com/feed.json"
        #expect(await wire.reason(request) == .privateHost("127.0.0.1"))
        #expect(wire.server.counts.connections == 0)
        for feed in [wire.server.url("/feed.json"), "file:///feed.json"] {
            request.asset.feed = feed
            #expect(try await wire.send(request).bytes == Array("clip".utf8))
        }
    }

    @Test func aProviderAppliesTheRuleForPrivateHosts() async throws {
        wire.server.serve("/clip.mp4", Array("clip".utf8))
        let url = wire.server.url("/clip.mp4")
        func refusal(_ feed: String, _ rule: URLAccessPolicy.PrivateHosts) async -> BytesError.Reason? {
            var network = NetworkOptions()
            network.privateHosts = rule
            let provider = CachedProvider(cache: nil, network: network)
            let request = ByteRequest(url: url, asset: Asset(url: url, feed: feed))
            let refusal = await reason {
                try await onThread { try provider.open(request, cancellation: Cancellation()) }
            }
            await provider.closed()
            return refusal
        }
        #expect(await refusal("file:///feed.json", .sameOrigin) == nil)
        #expect(await refusal("file:///feed.json", .never) == .privateHost("127.0.0.1"))
        #expect(await refusal("https://example.com/feed.json", .sameOrigin) == .privateHost("127.0.0.1"))
        #expect(await refusal("https://example.com/feed.json", .always) == nil)
    }

    @Test func allowedPrivateHostsAreReached() async throws {
        let wire = try Wire { $0.privateHosts = .always }
        wire.server.serve("/clip.mp4", Array("clip".utf8))
        var request = wire.request("/clip.mp4")
        request.asset.url = "https://example.com/feed.json"
        #expect(try await wire.send(request).bytes == Array("clip".utf8))
    }
}
