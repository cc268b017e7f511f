import Bytes
import Cache
import HTTP
import Model
import TestSupport
import Testing

@testable import Feeds

/// The server sends something else than the feed that was read before, such as a captive portal's login page.
@Suite(.timeLimit(.minutes(1))) struct LoginPageTests {
    private let server: FaultyServer
    private let folder = TemporaryFolder()

    init() throws { server = try FaultyServer() }

    private static let login = "<!DOCTYPE html><html><title>Log in</title><p>Log in</html>"
    static let wrong = [
        Resource.text(login, type: "text/html"),
        .text("\n" + login, type: "text/html", faults: [.stall(after: 1, for: .milliseconds(50))]),
        .text(login, type: "application/json"), .text("Please log in", type: "text/plain"),
        Resource(.bytes(Array("Please log in".utf8)), type: nil), .text("<p>Log in", type: "text/html"),
        .text("<wispr/>", type: "text/xml"), .text(#"{"error":"log in"}"#, type: "application/json"),
        .text("{}", type: "application/json"), .text("[[[[", type: "application/json"),
        .text(String(repeating: " ", count: 100_000), type: "application/json"),
        .text("", faults: [.status(407)]), .text("", faults: [.status(511)]),
        .text("", faults: [.redirect(to: "?", status: 307)]),
    ]

    private func load(_ path: String) async throws -> Feed {
        let (url, cache) = (server.url(path), CacheOptions(folder: folder.path + "/cache"))
        return try await onThread {
            var network = NetworkOptions()
            network.environment = [:]
            let provider = CachedProvider(cache: cache, network: network)
            defer { provider.close() }
            return try loadFeed(sources: [url], provider: provider)
        }
    }

    @Test(arguments: ["/feed", "/feed.json"], wrong.indices)
    func loginPageDoesNotReplaceTheCachedFeed(path: String, wrong: Int) async throws {
        server.serve(path, .text(#"{"items":[{"id":"a","url":"/a.mp4"}]}"#, type: "application/json"))
        #expect(try await load(path).items.count == 1)
        server.serve(path, Self.wrong[wrong])
        let feed = try await load(path)
        #expect(
            feed.items.count == 1 && feed.warnings.contains { $0.contains("showing items cached") }, "\(feed.warnings)")
        server.stop()
        #expect(try await load(path).items.count == 1)
    }

    @Test func responseThatIsNotAFeedIsNotCached() async throws {
        server.serve("/feed", .text("Please log in", type: "text/plain"))
        await #expect(throws: FeedsError.self) { try await load("/feed") }
        server.stop()
        await #expect(throws: FeedsError.self) { try await load("/feed") }
        try server.restart()
        server.serve("/feed", .text(#"{"items":[{"id":"a","url":"/a.mp4"}]}"#, type: "application/json"))
        #expect(try await load("/feed").items.count == 1)
    }
}
