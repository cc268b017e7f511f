import Bytes
import Cache
import Engagement
import Feeds
import Foundation
import HTTP
import Model
import Ranking
import TestSupport
import Testing
import UI

@testable import App

/// The place Offline with a real cache, a library of SQLite and a server on loopback.
@Suite(.timeLimit(.minutes(1))) struct OfflineClipsTests {
    private let server: FaultyServer
    private let folder = TemporaryFolder()
    private var path: String { folder.path + "/flick.db" }

    init() throws { server = try FaultyServer() }

    private func provider() -> CachedProvider {
        var network = NetworkOptions()
        network.environment = [:]
        return CachedProvider(cache: CacheOptions(folder: folder.path + "/cache"), network: network)
    }

    private func clips(_ provider: CachedProvider) -> OfflineClips {
        OfflineClips(library: LibraryReader(path: path, privateHosts: .always), provider: provider)
    }

    private func item(_ name: String) -> Item {
        Item(id: name, url: server.url("/\(name).mp4"), title: name, feed: server.url("/feed.json"))
    }

    private func remember(_ item: Item, _ change: (LibraryItem) -> Change) throws {
        let entry = LibraryItem(
            key: ItemKey(item), url: item.url, json: ItemJSON.line(item, source: "s"), feed: item.feed, source: "s")
        try Store(path: path).apply([change(entry)])
    }

    /// Downloads a clip whole, or some of it.
    private func download(_ name: String, isWhole: Bool = true, with provider: CachedProvider) throws {
        server.serve("/\(name).mp4", Resource(.bytes([UInt8](repeating: 7, count: 600_000)), type: "video/mp4"))
        server.link = .init(rate: isWhole ? 100_000_000 : 200_000, latency: .milliseconds(1))
        let result = provider.fetchWhole(Asset(item(name), retention: .home), room: isWhole ? 1 << 20 : 10_000)
        switch result {
        case .whole: #expect(isWhole)
        case .tooLarge: #expect(!isWhole)
        default: Issue.record("\(name): \(result)")
        }
    }

    @Test func wholeClipsAreListedNewestFirst() async throws {
        for name in ["old", "part", "new", "none", "unknown"] where name != "unknown" {
            try remember(item(name)) { name == "new" ? .fetched($0) : .seen($0, at: 1) }
        }
        try remember(Item(id: "file", url: "file:///clips/file.mp4")) { .seen($0, at: 2) }
        let titles = try await onThread {
            let provider = provider()
            for name in ["old", "new", "unknown"] { try download(name, with: provider) }
            try download("part", isWhole: false, with: provider)
            provider.close()
            // A later session knows it from the disk, without a server.
            server.stop()
            let later = self.provider()
            defer { later.close() }
            return try clips(later).items().map(\.title)
        }
        #expect(titles == ["new", "old"])
    }

    /// By when they were downloaded, not by when they were seen.
    @Test func orderIsThatOfTheDownloads() async throws {
        for name in ["late", "early"] { try remember(item(name)) { .seen($0, at: 1) } }
        let ids = try await onThread {
            let provider = provider()
            defer { provider.close() }
            for name in ["early", "late"] { try download(name, with: provider) }
            return try clips(provider).items().map(\.id)
        }
        #expect(ids == ["late", "early"])
    }

    /// Finding their media takes a network.
    @Test func resolvedClipsAreNotListed() async throws {
        var resolved = item("a")
        resolved.resolver = .ytDLP
        for clip in [resolved, item("b")] { try remember(clip) { .seen($0, at: 1) } }
        let ids = try await onThread {
            let provider = provider()
            defer { provider.close() }
            for name in ["a", "b"] { try download(name, with: provider) }
            return try clips(provider).items().map(\.id)
        }
        #expect(ids == ["b"])
    }

    @Test func hiddenClipsAreNotListed() async throws {
        for name in ["a", "b"] { try remember(item(name)) { .seen($0, at: 1) } }
        let ids = try await onThread {
            let provider = provider()
            defer { provider.close() }
            for name in ["a", "b"] { try download(name, with: provider) }
            return try clips(provider).items(without: HiddenRules([HideRule(clip: item("a"))])).map(\.id)
        }
        #expect(ids == ["b"])
    }

    @Test func clipOfSeveralItemsIsListedOnce() async throws {
        for id in ["a", "again"] {
            var item = item("a")
            item.id = id
            try remember(item) { .seen($0, at: 1) }
        }
        let urls = try await onThread {
            let provider = provider()
            defer { provider.close() }
            try download("a", with: provider)
            return try clips(provider).items().map(\.url)
        }
        #expect(urls == [server.url("/a.mp4")])
    }

    @Test func withoutACacheOrALibraryNothingIsListed() async throws {
        let items = try await onThread {
            let provider = CachedProvider(cache: nil, network: NetworkOptions())
            defer { provider.close() }
            return try clips(provider).items()
        }
        #expect(items.isEmpty)
        let whole = try await onThread {
            let provider = provider()
            defer { provider.close() }
            try download("a", with: provider)
            return try clips(provider).items()
        }
        #expect(whole.isEmpty)
    }

    @Test func lockedLibraryIsAnError() async throws {
        try remember(item("a")) { .seen($0, at: 1) }
        let locked = AppError("cannot read flick's database: locked by another program")
        try await onThread {
            let provider = provider()
            defer { provider.close() }
            try download("a", with: provider)
            let database = try LockedDatabase(path, by: LockedDatabase.excludesReaders)
            defer { database.release() }
            let library = LibraryReader(path: path, privateHosts: .always, lockLimit: .milliseconds(50))
            let began = ContinuousClock.now
            #expect(throws: locked) { try OfflineClips(library: library, provider: provider).items() }
            #expect(ContinuousClock.now - began < .seconds(3))
        }
    }
}
