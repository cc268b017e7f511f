import Bytes
import Cache
import Engagement
import Feeds
import Foundation
import HTTP
import Model
import TestSupport
import Testing
import UI

@testable import App

/// Following with real servers on loopback, a folder, a cache and a library of SQLite.
@Suite(.timeLimit(.minutes(2))) struct FollowingTests {
    private let server: FaultyServer
    private let folder = TemporaryFolder()
    private var path: String { folder.path + "/flick.db" }

    init() throws { server = try FaultyServer() }

    // MARK: Parts

    private struct Entry {
        var name: String
        /// Of May 2026.
        var day: Int
        var creator = "Mira"
    }

    private func serve(_ path: String, _ entries: [Entry], on other: FaultyServer? = nil, faults: [Fault] = []) {
        let items = entries.map { entry in
            """
            <item><title>\(entry.name)</title><guid isPermaLink="false">id-of-\(entry.name)</guid>
            <pubDate>\(String(format: "%02d", entry.day)) May 2026 12:00:00 GMT</pubDate>
            <dc:creator>\(entry.creator)</dc:creator>
            <enclosure url="/\(entry.name).mp4" type="video/mp4"/></item>
            """
        }
        let text = "<rss xmlns:dc=\"http://purl.org/dc/elements/1.1/\"><channel><title>\(path)</title>"
        var feed = Resource(
            .bytes(Array((text + items.joined() + "</channel></rss>").utf8)), type: "text/xml", etag: "\"\(path)\"",
            faults: faults)
        feed.answersConditions = true
        (other ?? server).serve(path, feed)
    }

    private func follow(_ name: String, feed: String?, isShared: Bool = false, scope: String? = nil) throws {
        let entry = LibraryItem(key: ItemKey(scope: "", id: "x"), url: "u", json: "{}", source: "s")
        let creator = CreatorKey(scope: scope ?? String(server.url("")), id: name)
        try Store(path: path).apply([
            .followed(
                entry, creator, name: name, feed: feed.map { FollowedFeed(address: $0, isShared: isShared) },
                hasID: false, true, at: 1)
        ])
    }

    private func see(_ id: String) throws {
        let key = ItemKey(scope: server.url(""), id: id)
        try Store(path: path).apply([.seen(LibraryItem(key: key, url: "u", json: "{}", source: "s"), at: 2)])
    }

    private func provider(keepsCache: Bool = false) -> CachedProvider {
        var network = NetworkOptions()
        network.environment = [:]
        return CachedProvider(
            cache: keepsCache ? CacheOptions(folder: folder.path + "/cache") : nil, network: network)
    }

    private func loader(
        _ provider: CachedProvider, home: [FeedSource] = [FeedSource("/nowhere")], _ inbox: Inbox<LoopMessage>,
        hidden: HiddenItems = HiddenItems(), order: FeedOptions.Order? = nil
    ) throws -> FeedLoader {
        FeedLoader(
            places: try PlaceSources(named: [], home: home), libraryPath: path, placesPath: path,
            ignoresLastSeen: false, isShuffled: false, exploration: 0, subtitles: nil, provider: provider,
            options: FeedOptions(order: order, spoolFolder: folder.path), inbox: inbox, hidden: hidden)
    }

    /// Reads Following as the loop does, up to its end.
    private func following(
        home: [FeedSource] = [FeedSource("/nowhere")], hidden: HiddenItems = HiddenItems(), keepsCache: Bool = false,
        order: FeedOptions.Order? = nil
    ) async throws -> Feed {
        let (provider, inbox) = (provider(keepsCache: keepsCache), try Inbox<LoopMessage>())
        let loader = try loader(provider, home: home, inbox, hidden: hidden, order: order)
        return try await onThread {
            defer { provider.close() }
            loader.load(.following)
            var feed: Feed?
            while feed == nil {
                for case .feed(.read(_, let result)) in inbox.drain() { feed = try result.get().feed }
                usleep(1_000)  // The inbox has no call that waits: the loop polls its pipe.
            }
            var read = try #require(feed)
            while let page = try read.pages?.load() {
                (read.items, read.warnings) = (page.items, read.warnings + page.warnings)
                if page.next == nil { break }
            }
            return read
        }
    }

    private func titles(_ feed: Feed) -> [String] { (0..<feed.items.count).map { feed.items[$0].title ?? "" } }

    // MARK: Order

    @Test func newestUnseenOfAllFeedsComesFirst() async throws {
        serve("/a.xml", [Entry(name: "a9", day: 9), Entry(name: "a8", day: 8), Entry(name: "a1", day: 1)])
        serve("/b.xml", [Entry(name: "b5", day: 5), Entry(name: "b2", day: 2)])
        try follow("A", feed: server.url("/a.xml"))
        try follow("B", feed: server.url("/b.xml"))
        #expect(try await titles(following()) == ["a9", "a8", "b5", "b2", "a1"])
        try see("id-of-a9")
        try see("id-of-b2")
        #expect(try await titles(following()) == ["a8", "b5", "a1", "a9", "b2"])
    }

    @Test func feedOfASingleCreatorBeginsAtTheNewestUnseen() async throws {
        serve("/a.xml", (1...9).map { Entry(name: "a\($0)", day: $0) })
        try follow("A", feed: server.url("/a.xml"))
        try see("id-of-a9")
        #expect(try await titles(following()) == [8, 7, 6, 5, 4, 3, 2, 1, 9].map { "a\($0)" })
    }

    @Test func orderOfTheSourcesIsNotThatOfFollowing() async throws {
        serve("/a.xml", [Entry(name: "a1", day: 1), Entry(name: "a9", day: 9)])
        serve("/b.xml", [Entry(name: "b5", day: 5)])
        try follow("A", feed: server.url("/a.xml"))
        try follow("B", feed: server.url("/b.xml"))
        for order in [FeedOptions.Order.name, .oldest] {
            #expect(try await titles(following(order: order)) == ["a9", "b5", "a1"])
        }
    }

    @Test func placeHasItsOwnTitle() async throws {
        serve("/a.xml", [Entry(name: "a", day: 1)])
        try follow("A", feed: server.url("/a.xml"))
        #expect(try await following().title == "Following")
        server.serve("/a.xml", nil as Resource?)
        let empty = try await following()
        #expect(empty.title == "Following" && empty.source == "following:" && empty.items.count == 0)
    }

    @Test func foldersAreFeedsToo() async throws {
        _ = try folder.write("clips/otters/one.mp4")
        _ = try folder.write("clips/others/two.mp4")
        serve("/a.xml", [Entry(name: "a9", day: 9)])
        try follow("otters", feed: "file://\(folder.path)/clips/otters", scope: "")
        try follow("A", feed: server.url("/a.xml"))
        let feed = try await following()
        #expect(Set(titles(feed)) == ["one", "a9"])
    }

    // MARK: Whose clips

    @Test func feedOfSeveralCreatorsGivesThoseThatAreFollowed() async throws {
        serve(
            "/planet.xml",
            [
                Entry(name: "m", day: 3), Entry(name: "i", day: 2, creator: "Ilma"),
                Entry(name: "b", day: 1, creator: "Bo"),
            ])
        try follow("Mira", feed: server.url("/planet.xml"), isShared: true)
        #expect(try await titles(following()) == ["m"])
        try follow("Bo", feed: server.url("/planet.xml"), isShared: true)
        server.resetCounts()
        #expect(try await titles(following()) == ["m", "b"])
        // Both are of one feed, which is read once.
        #expect(server.counts.requests == 1)
    }

    @Test func creatorsWithoutAFeedComeFromHome() async throws {
        serve("/home.xml", [Entry(name: "h7", day: 7, creator: "Ilma"), Entry(name: "h6", day: 6, creator: "Bo")])
        serve("/a.xml", [Entry(name: "a9", day: 9), Entry(name: "a5", day: 5)])
        try follow("A", feed: server.url("/a.xml"))
        let home = [FeedSource(server.url("/home.xml"))]
        #expect(try await titles(following(home: home)) == ["a9", "a5"])
        // No creator is without a feed, so Home is not read.
        #expect(server.requests(for: "/home.xml").isEmpty)
        try follow("Ilma", feed: nil)
        #expect(try await titles(following(home: home)) == ["a9", "h7", "a5"])
    }

    @Test func hiddenCreatorsAreNotRead() async throws {
        serve("/a.xml", [Entry(name: "a", day: 1, creator: "A")])
        serve("/b.xml", [Entry(name: "b", day: 2, creator: "B")])
        try follow("A", feed: server.url("/a.xml"))
        try follow("B", feed: server.url("/b.xml"))
        let hidden = HiddenItems(configured: [HideRule(.creator, value: "A")])
        #expect(try await titles(following(hidden: hidden)) == ["b"])
        #expect(server.requests(for: "/a.xml").isEmpty)
    }

    // MARK: Errors

    @Test func feedThatFailsIsAWarning() async throws {
        serve("/a.xml", [Entry(name: "a", day: 1)])
        try follow("A", feed: server.url("/a.xml"))
        try follow("Gone", feed: server.url("/gone.xml"))
        let feed = try await following()
        #expect(titles(feed) == ["a"])
        #expect(feed.warnings.count == 1 && feed.warnings[0].hasPrefix("Gone: cannot open"), "\(feed.warnings)")
    }

    @Test func placeIsThereEvenIfNoFeedIs() async throws {
        try follow("Gone", feed: server.url("/gone.xml"))
        let feed = try await following()
        #expect(feed.items.count == 0 && feed.warnings.count == 1)
    }

    /// Whatever the library's file has as a feed: it is no error, and no other file or protocol is read.
    @Test(arguments: [
        "", "-", "library:liked", "ftp://h/", "javascript:x", "/etc/passwd", "file:", "\u{0}", "peertube:", "http://",
    ])
    func oddAddressesInTheLibraryAreNoSources(text: String) {
        let follow = Follow(
            creator: CreatorKey(scope: "", id: "x"), name: "X", since: 1,
            feed: FollowedFeed(address: text, isShared: false))
        #expect(FollowedFeeds([follow]).sources.isEmpty && FollowedFeeds([follow]).others == [follow.creator])
    }

    // MARK: Unchanged feeds

    /// 300 creators on ten servers: what is not changed is not sent again.
    @Test func unchangedFeedsSendNoBodies() async throws {
        let servers = try (0..<10).map { _ in try FaultyServer() }
        let changes = (0..<300).map { number -> Change in
            let server = servers[number % 10]
            serve("/\(number).xml", [Entry(name: "c\(number)", day: 1 + number % 28)], on: server)
            let entry = LibraryItem(key: ItemKey(scope: "", id: "x"), url: "u", json: "{}", source: "s")
            return .followed(
                entry, CreatorKey(scope: server.url(""), id: "c\(number)"), name: "C\(number)",
                feed: FollowedFeed(address: server.url("/\(number).xml"), isShared: false), hasID: false, true, at: 1)
        }
        try Store(path: path).apply(changes)
        #expect(try await following(keepsCache: true).items.count == 300)
        for server in servers {
            #expect(server.counts.bodyBytes > 0)
            server.resetCounts()
            server.link = .init(latency: .milliseconds(100))
        }
        let began = ContinuousClock.now
        let feed = try await following(keepsCache: true)
        print("300 unchanged creators: \(ContinuousClock.now - began)")
        #expect(feed.items.count == 300 && feed.warnings.isEmpty, "\(feed.warnings.prefix(3))")
        #expect(servers.map(\.counts.requests) == Array(repeating: 30, count: 10))
        #expect(servers.map(\.counts.bodyBytes) == Array(repeating: 0, count: 10))
    }
}
