import Model
import Testing

@testable import Engagement

@Suite struct ItemKeyTests {
    private func key(_ id: String, feed: String?, url: String = "https://cdn.example/v.mp4") -> ItemKey {
        ItemKey(Item(id: id, url: url, feed: feed))
    }

    @Test func anIdOfAFeedBelongsToItsServer() {
        #expect(key("v1", feed: "https://A.example/feed?page=1").scope == "https://a.example")
        #expect(key("v1", feed: "https://a.example/feed?page=2") == key("v1", feed: "https://a.example/feed?page=1"))
        #expect(key("v1", feed: "https://a.example/feed") != key("v1", feed: "https://b.example/feed"))
        #expect(key("v1", feed: "https://user:password@a.example/").scope == "https://a.example")
        #expect(key("v1", feed: "file:///home/u/feed.json").scope == "file:///home/u/feed.json")
    }

    @Test func anIdThatIsMadeOfTheURLIsTheSameInEveryFeed() {
        let url = "file:///clips/a.mp4"
        let id = ItemID.hash(of: url)
        #expect(key(id, feed: "file:///one.json", url: url) == key(id, feed: nil, url: url))
        #expect(key(id, feed: nil, url: url) == ItemKey(scope: "", id: id))
    }
}
