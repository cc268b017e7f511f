import Engagement
import Feeds
import Model
import TestSupport
import Testing

@testable import App

/// How mixed feeds know what was seen.
@Suite struct SeenItemsTests {
    private let folder = TemporaryFolder()
    private let items = ["a", "b", "c"].map {
        Item(id: $0, url: "https://h.example/\($0).mp4", feed: "https://h.example/feed.json")
    }

    @Test func mixDistinguishesSeenItems() throws {
        let path = folder.path + "/flick.db"
        let mix = FeedOptions.Mix.unseenFirst(path: path, within: .seconds(20))
        #expect(mix.seen(items) == [false, false, false])
        let entry = LibraryItem(key: ItemKey(items[1]), url: items[1].url, json: "{}", source: "s")
        try Store(path: path).apply([.seen(entry, at: 1)])
        #expect(mix.seen(items) == [false, true, false])
        #expect(mix.seen([items[1], items[0]]) == [true, false])
        #expect(FeedOptions.Mix.unseenFirst(path: nil).seen(items) == [false, false, false])
    }

    @Test func followingIsMixedByDateAndWaitsLonger() {
        let (home, following) = (FeedOptions.Mix.unseenFirst(path: nil), FeedOptions.Mix.newestFirst(path: nil))
        #expect(home.order == .turns && home.patience == .milliseconds(2_500))
        #expect(following.order == .newest && following.patience == .seconds(6))
    }
}
