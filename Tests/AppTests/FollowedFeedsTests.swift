import Engagement
import Feeds
import Model
import Ranking
import Testing

@testable import App

/// Which feeds Following is read from.
@Suite struct FollowedFeedsTests {
    private let first = "https://h.example/1.xml"
    private let second = "https://h.example/2.xml"

    private func follow(_ name: String, _ address: String?, isShared: Bool = false) -> Follow {
        Follow(
            creator: CreatorKey(scope: "https://h.example", id: "id of \(name)"), name: name, since: 1,
            feed: address.map { FollowedFeed(address: $0, isShared: isShared) })
    }

    @Test func feedsAreInTheOrderOfTheFollows() {
        let follows = [follow("Bo", second), follow("Cleo", nil), follow("Ada", first)]
        let feeds = FollowedFeeds(follows)
        #expect(feeds.sources == [FeedSource(second, name: "Bo"), FeedSource(first, name: "Ada")])
        #expect(feeds.others == [follows[1].creator])
    }

    @Test func sharedFeedIsLimitedToFollowedCreators() {
        let (ada, bo) = (follow("Ada", first, isShared: true), follow("Bo", first, isShared: true))
        #expect(FollowedFeeds([ada]).sources == [FeedSource(first, name: "Ada", creators: ["id of Ada"])])
        // It has no creator's name, and the other feed keeps its place.
        #expect(
            FollowedFeeds([ada, follow("Cleo", second), bo]).sources == [
                FeedSource(first, creators: ["id of Ada", "id of Bo"]), FeedSource(second, name: "Cleo"),
            ])
    }

    /// All clips of a feed that is one creator's are by that creator.
    @Test(arguments: [true, false]) func ownFeedIsNotLimited(isSharedFirst: Bool) {
        let follows = [follow("Ada", first, isShared: isSharedFirst), follow("Bo", first, isShared: !isSharedFirst)]
        #expect(FollowedFeeds(follows).sources == [FeedSource(first)])
    }

    @Test func hiddenFeedsAndCreatorsAreLeftOut() {
        let follows = [follow("Ada", first), follow("Bo", second), follow("Cleo", nil)]
        let source = HiddenRules([HideRule(.source, value: first)])
        #expect(FollowedFeeds(follows, without: source).sources == [FeedSource(second, name: "Bo")])
        #expect(FollowedFeeds(follows, without: source).others == [follows[2].creator])
        // By its id, in the feeds of its server.
        let creator = HiddenRules([HideRule(.creator, scope: "https://h.example", value: "id of Cleo", name: "C")])
        #expect(FollowedFeeds(follows, without: creator).sources.map(\.text) == [first, second])
        #expect(FollowedFeeds(follows, without: creator).others.isEmpty)
        let elsewhere = HiddenRules([HideRule(.creator, scope: "https://i.example", value: "id of Cleo")])
        #expect(FollowedFeeds(follows, without: elsewhere).others == [follows[2].creator])
    }

    @Test func creatorIsKnownByItsServerAndId() {
        let creator = Item.Creator(id: "c 7", name: "Ada", url: "https://h.example/ada")
        let item = Item(
            id: "i1", url: "https://cdn.example/1.mp4", creator: creator, feed: "https://h.example/feed.json")
        #expect(CreatorKey(of: item) == CreatorKey(scope: "https://h.example", id: "c 7"))
        let file = Item(id: "i2", url: "file:///clips/ada/2.mp4", folder: "ada")
        #expect(CreatorKey(of: file) == CreatorKey(scope: "", id: "file:///clips/ada"))
        #expect(CreatorKey(of: Item(id: "i3", url: "file:///3.mp4")) == nil)
    }

    /// A feed with a service has a part for each creator; another one is shared.
    @Test func creatorsFeedIsAPartOfAService() {
        let feed = "https://h.example/feed.json"
        let item = Item(
            id: "i1", url: "https://h.example/1.mp4", creator: Item.Creator(id: "c 7", name: "Ada"), feed: feed)
        let part = FollowedFeed(address: "https://h.example/api/feed.json?creator=c%207", isShared: false)
        #expect(FollowedFeed(of: item, endpoint: "https://h.example/api") == part)
        #expect(FollowedFeed(of: item, endpoint: nil) == FollowedFeed(address: feed, isShared: true))
    }
}
