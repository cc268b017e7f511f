import Bytes
import Engagement
import Feeds
import Model
import Ranking
import TestSupport
import Testing

@testable import App

/// How much of each source is new, with folders and a library of SQLite.
@Suite struct UnseenCountTests {
    private let folder = TemporaryFolder()
    private var path: String { folder.path + "/flick.db" }

    private func url(_ name: String) -> String { FileURL.url(path: "\(folder.path)/\(name)".utf8) }

    /// A folder with this many clips: 0.mp4, 1.mp4 …
    private func clips(_ name: String, _ count: Int) throws -> FeedSource {
        for number in 0..<count { try folder.write("\(name)/\(number).mp4") }
        return FeedSource("\(folder.path)/\(name)")
    }

    private func see(_ urls: String...) throws {
        let entries = urls.map {
            LibraryItem(key: ItemKey(scope: "", id: ItemID.hash(of: $0)), url: $0, json: "{}", source: "s")
        }
        try Store(path: path).apply(entries.map { .seen($0, at: 1) })
    }

    private func follow(_ name: String, feed: FollowedFeed? = nil) throws {
        let entry = LibraryItem(key: ItemKey(scope: "", id: "x"), url: "u", json: "{}", source: "s")
        let creator = CreatorKey(scope: "", id: url(name))
        try Store(path: path).apply([.followed(entry, creator, name: name, feed: feed, hasID: false, true, at: 1)])
    }

    private func counts(_ sources: FeedSource..., hidden: HiddenRules = HiddenRules()) throws -> [UnseenCount?] {
        try UnseenCount.counts(
            of: sources, provider: FileProvider(), options: FeedOptions(spoolFolder: folder.path), hidden: hidden,
            libraryPath: path)
    }

    @Test func eachSourceHasItsOwnCount() throws {
        let (otters, seals) = (try clips("otters", 3), try clips("seals", 2))
        try see(url("otters/1.mp4"), url("seals/0.mp4"), url("seals/1.mp4"))
        #expect(
            try counts(otters, FeedSource("\(folder.path)/missing"), seals)
                == [UnseenCount(known: 3, unseen: 2), nil, UnseenCount(known: 2, unseen: 0)])
    }

    @Test func hiddenClipsAreNotCounted() throws {
        let otters = try clips("otters", 3)
        let hidden = HiddenRules([HideRule(.clip, value: url("otters/0.mp4"))])
        #expect(try counts(otters, hidden: hidden) == [UnseenCount(known: 2, unseen: 2)])
    }

    /// Of a live stream no list is stored: only that it was played.
    @Test func unreadableSourceCountsOnlyIfItWasPlayedItself() throws {
        let urls = ["https://h.example/live", "https://h.example/other"]
        try see(urls[0])
        #expect(
            try counts(FeedSource(urls[0]), FeedSource(urls[1])) == [UnseenCount(known: 1, unseen: 0), nil])
    }

    /// A creator with a feed has another count.
    @Test func unseenClipsOfFollowedCreatorsWithoutAFeedAreCounted() throws {
        for (name, count) in [("bo", 2), ("ilma", 4)] { _ = try clips("all/\(name)", count) }
        try follow("all/ilma")
        try follow("all/bo", feed: FollowedFeed(address: url("all/bo"), isShared: false))
        try see(url("all/ilma/2.mp4"))
        let all = FeedSource("\(folder.path)/all")
        #expect(try counts(all) == [UnseenCount(known: 6, unseen: 5, followed: 3)])
    }

    @Test func onlyTheFirstClipsOfALongSourceAreCounted() throws {
        let items = (0..<UnseenCount.most + 2).map { "\"https://h.example/\($0).mp4\"" }
        let source = FeedSource(
            try folder.write("long.json", "{\"items\": [\(items.joined(separator: ","))]}".utf8))
        try see("https://h.example/0.mp4", "https://h.example/1001.mp4")
        let count = try #require(try counts(source)[0])
        #expect(count == UnseenCount(known: 1_000, unseen: 999) && count.text == "999+ new")
    }

    @Test func libraryThatCannotBeReadIsAnError() throws {
        let otters = try clips("otters", 3)
        try folder.write("flick.db", "no database".utf8)
        #expect(throws: AppError.self) { try counts(otters) }
    }

    @Test(arguments: [(1_000, 5, "5+ new"), (999, 5, "5 new"), (1_000, 0, "nothing new")])
    func countSaysWhetherThereMayBeMore(known: Int, unseen: Int, text: String) {
        #expect(UnseenCount(known: known, unseen: unseen).text == text)
    }
}
