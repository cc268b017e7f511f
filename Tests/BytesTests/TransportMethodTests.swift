import Model
import Synchronization
import TestSupport
import Testing

@testable import HTTP

/// Requests that change something on a server: what they carry, where they are led, and whether they are sent twice.
@Suite struct TransportMethodTests {
    private let wire: Wire
    private static let json = Array(#"{"like":true}"#.utf8)
    private static let methods: Set<String> = ["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE"]

    init() throws {
        wire = try Wire()
        serve("/likes/7")
    }

    /// Answers any method with the method's name.
    private func serve(_ path: String, on server: FaultyServer? = nil, _ faults: [Fault] = []) {
        var resource = Resource(.dynamic { Array($0.method.utf8) }, type: "text/plain", faults: faults)
        resource.methods = Self.methods
        (server ?? wire.server).serve(path, resource)
    }

    private func request(_ method: Transport.Method, _ path: String, sends content: Bool = true) -> Transport.Request {
        var request = wire.request(path)
        request.method = method
        if content { request.content = .json(Self.json) }
        return request
    }

    @Test(arguments: [Transport.Method.post, .put, .patch, .delete])
    func contentArrivesWithItsTypeAndLength(method: Transport.Method) async throws {
        let (answer, bytes) = try await wire.send(request(method, "/likes/7"))
        #expect(answer.status == 200 && bytes == Array(method.name.utf8))
        let seen = try #require(wire.server.requests.first)
        #expect(seen.method == method.name && seen.body == Self.json)
        #expect(seen.headers["content-type"] == "application/json")
        #expect(seen.headers["content-length"] == "\(Self.json.count)" && seen.headers["transfer-encoding"] == nil)
        #expect(wire.server.requests.count == 1)
    }

    @Test func aPostWithoutContentSendsALengthOfZero() async throws {
        _ = try await wire.send(request(.post, "/likes/7", sends: false))
        let seen = try #require(wire.server.requests.first)
        #expect(seen.headers["content-length"] == "0" && seen.headers["content-type"] == nil && seen.body.isEmpty)
    }

    @Test func deleteWithoutContentSendsNoBody() async throws {
        let (_, bytes) = try await wire.send(request(.delete, "/likes/7", sends: false))
        #expect(bytes == Array("DELETE".utf8))
        #expect(wire.server.requests.first?.headers["content-type"] == nil)
    }

    @Test func aFeedCannotSetTheTypeOfContent() async throws {
        var post = request(.post, "/likes/7")
        post.asset.headers = ["content-type": "text/html", "Content-Language": "en", "X-Kind": "a"]
        _ = try await wire.send(post)
        let seen = try #require(wire.server.requests.first)
        #expect(seen.rawHeaders.filter { $0.name.lowercased() == "content-type" }.map(\.value) == ["application/json"])
        #expect(seen.headers["content-language"] == nil && seen.headers["x-kind"] == "a")
    }

    /// RFC 9110, 15.4: what 301, 302, 303, 307 and 308 make of each method.
    @Test(arguments: [301, 302, 303, 307, 308], [Transport.Method.post, .put, .delete, .patch])
    func aRedirectionKeepsMethodAndContentOrAsksWithGet(status: Int, method: Transport.Method) async throws {
        serve("/old", [.redirect(to: "/likes/7", status: status)])
        let (answer, bytes) = try await wire.send(request(method, "/old"))
        #expect(answer.url == wire.server.url("/likes/7"))
        let becomesGet = status == 303 || (method == .post && status < 303)
        #expect(bytes == Array((becomesGet ? "GET" : method.name).utf8))
        let seen = try #require(wire.server.requests(for: "/likes/7").first)
        #expect(seen.body == (becomesGet ? [] : Self.json))
        #expect(seen.headers["content-type"] == (becomesGet ? nil : "application/json"))
    }

    @Test func aHeadStaysAHeadAfter303() async throws {
        serve("/old", [.redirect(to: "/likes/7", status: 303)])
        _ = try await wire.send(request(.head, "/old", sends: false))
        #expect(wire.server.requests.map(\.method) == ["HEAD", "HEAD"])
    }

    @Test func aPostMayBeRedirectedToItsOwnURL() async throws {
        serve("/likes", [.redirect(to: "/likes", status: 303).of("POST")])
        let (_, bytes) = try await wire.send(request(.post, "/likes"))
        #expect(bytes == Array("GET".utf8))
    }

    @Test func redirectionLoopsOfPostsEnd() async {
        serve("/a", [.redirect(to: "/b", status: 307)])
        serve("/b", [.redirect(to: "/a", status: 307)])
        #expect(await wire.reason(request(.post, "/a")) == .redirected(.circle))
    }

    @Test(arguments: [Transport.Method.post, .put, .delete])
    func unsafeMethodsAreNotRedirectedToOtherServers(method: Transport.Method) async throws {
        let other = try FaultyServer()
        serve("/there", on: other)
        serve("/here", [.redirect(to: other.url("/there"), status: 307)])
        #expect(await wire.reason(request(method, "/here")) == .redirected(.otherServer))
        #expect(other.counts.connections == 0)
    }

    @Test func postRedirectedAsGetDropsContentAndSecrets() async throws {
        let other = try FaultyServer()
        serve("/there", on: other)
        serve("/here", [.redirect(to: other.url("/there"), status: 303)])
        var post = request(.post, "/here")
        post.asset.headers = ["Authorization": "Bearer x"]
        _ = try await wire.send(post)
        #expect(wire.server.requests.first?.headers["authorization"] == "Bearer x")
        let seen = try #require(other.requests.first)
        #expect(seen.method == "GET" && seen.body.isEmpty && seen.headers["authorization"] == nil)
    }

    @Test func aPublicAssetCannotPostToAPrivateHost() async {
        var post = request(.post, "/likes/7")
        post.asset.url = "https://example.com/feed.json"
        #expect(await wire.reason(post) == .privateHost("127.0.0.1"))
        #expect(wire.server.counts.connections == 0)
    }

    @Test func responsesWithoutABodyAreAccepted() async throws {
        serve("/gone", [.status(204)])
        #expect(try await wire.send(request(.delete, "/gone")).answer.status == 204)
        wire.server.serve("/read-only", Array("x".utf8))
        #expect(try await wire.send(request(.post, "/read-only")).answer.status == 405)
    }

    // MARK: Trying again

    /// Sends to a server that cuts the connection, like a caller that tries again; returns how many requests it got.
    private func attempts(_ method: Transport.Method, _ faults: [Fault]) async -> Int {
        serve("/likes/7", faults)
        wire.server.resetCounts()
        let sent = request(method, "/likes/7")
        _ = await reason {
            try await RetryPolicy.run(method) {
                do {
                    let answer = try await wire.transport.send(sent)
                    guard answer.status == 200 else {
                        throw FailedAttempt(answer, of: sent.url)
                    }
                    _ = try await answer.body.all()
                } catch let error as BytesError {
                    throw FailedAttempt(error)
                }
            }
        }
        return wire.server.requests(for: "/likes/7").count
    }

    @Test func aPostThatMayHaveArrivedIsNotSentAgain() async {
        #expect(await attempts(.post, [.cut(after: 0)]) == 1)
        #expect(await attempts(.patch, [.status(503)]) == 1)
    }

    /// One that has been used can break just then, and curl would send the request again by itself.
    @Test func onlyIdempotentRequestsUseConnectionsAgain() async throws {
        for (method, connections) in [(Transport.Method.get, 1), (.put, 1), (.post, 2), (.patch, 3)] {
            _ = try await wire.send(request(method, "/likes/7", sends: !method.isSafe))
            #expect(wire.server.counts.connections == connections)
        }
    }

    @Test func aPutIsSentAgainUntilItIsAnswered() async {
        #expect(await attempts(.put, [.cut(after: 0).first(2)]) == 3)
        #expect(await attempts(.delete, [.status(503).first(1)]) == 2)
    }

    @Test func aPostIsSentAgainIfNoConnectionWasMade() async throws {
        wire.server.stop()
        let count = Counter()
        let request = request(.post, "/likes/7")
        let reason = await reason {
            try await RetryPolicy.run(.post) {
                count.add()
                do { _ = try await wire.transport.send(request) } catch let error as BytesError {
                    throw FailedAttempt(error)
                }
            }
        }
        #expect(reason == .refused && count.value == RetryPolicy.attemptsUnreachable)
    }
}

private final class Counter: Sendable {
    private let count = Atomic(0)
    var value: Int { count.load(ordering: .relaxed) }
    func add() { count.add(1, ordering: .relaxed) }
}
