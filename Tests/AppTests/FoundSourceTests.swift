import Bytes
import Feeds
import HTTP
import TestSupport
import Testing

@testable import App

/// What is added to Home, with a folder and a server on loopback.
@Suite(.timeLimit(.minutes(1))) struct FoundSourceTests {
    private let server: FaultyServer
    private let folder = TemporaryFolder()
    private let provider: CachedProvider

    init() throws {
        server = try FaultyServer()
        var network = NetworkOptions()
        network.environment = [:]
        provider = CachedProvider(cache: nil, network: network)
    }

    private func checked(_ source: String) throws(FeedsError) -> [FoundSource] {
        try FoundSource.checked(source, provider: provider, options: FeedOptions(spoolFolder: folder.path))
    }

    private func serve(_ path: String, _ manifest: String) {
        server.serve(path, .text(manifest, type: "application/json"))
    }

    @Test func homeFolderIsNamedByATildeWhereItIsKnown() throws {
        try folder.folder("clips")
        #expect(FoundSource.kept("~/clips", home: folder.path) == "\(folder.path)/clips")
        #expect(FoundSource.kept("~", home: folder.path) == folder.path)
        #expect(FoundSource.kept("~/clips") == nil && FoundSource.kept("~clips", home: folder.path) == nil)
        #expect(FoundSource.kept("~/gone", home: folder.path) == nil)
        #expect(FoundSource.kept("https://h.example/~/a", home: folder.path) == "https://h.example/~/a")
    }

    @Test func feedHasItsTitleAndItsWarnings() throws {
        defer { provider.close() }
        let url = server.url("/sea.json")
        serve("/sea.json", "{\"title\": \"Sea\", \"items\": [\"\(server.url("/a.mp4"))\", {}]}")
        let found = try checked(url)
        #expect(found.map(\.source) == [FeedSource(url)] && found.map(\.title) == ["Sea"])
        #expect(found[0].warnings.count == 1 && found[0].failure == nil)
        #expect(throws: FeedsError.self) { try checked(server.url("/gone.json")) }
    }

    @Test func listHasTheNamesOfItsFeedsAndWhichOfThemFail() throws {
        defer { provider.close() }
        let urls = ["/gone.json", "/sea.json"].map { server.url($0) }
        let list = Subscription.opml(
            [Subscription(title: "Gone", url: urls[0]), Subscription(title: "Otters", url: urls[1])], title: "Mine")
        server.serve("/list.opml", .text(list, type: "text/xml"))
        serve("/sea.json", "{\"title\": \"Sea\", \"items\": [\"\(server.url("/a.mp4"))\"]}")
        let found = try checked(server.url("/list.opml"))
        #expect(found.map(\.source) == [FeedSource(urls[0], name: "Gone"), FeedSource(urls[1], name: "Otters")])
        #expect(found.map { $0.failure == nil } == [false, true])
    }
}
