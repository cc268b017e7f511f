import Foundation
import Model
import Testing

@testable import Feeds

/// Where the feed of an item's creator is.
@Suite struct CreatorFeedTests {
    private func item(
        _ creator: Item.Creator?, id: String = "1", url: String = "https://h.example/1.mp4",
        feed: String? = "https://h.example/feed.xml", resolver: Resolver? = nil
    ) -> Item {
        Item(id: id, url: url, creator: creator, feed: feed, resolver: resolver)
    }

    private func source(_ item: Item, at endpoint: String? = nil) -> String? {
        CreatorFeed(of: item, endpoint: endpoint)?.source
    }

    private static let mira = Item.Creator(id: "mira", name: "Mira", url: "https://h.example/mira")

    @Test func feedOfTheItemHasItsCreatorAmongOthers() throws {
        let feed = try #require(CreatorFeed(of: item(Self.mira)))
        #expect(feed.source == "https://h.example/feed.xml" && feed.isShared)
        #expect(source(item(Self.mira, feed: "file:///clips/list.json")) == "file:///clips/list.json")
        #expect(source(item(nil)) == nil && source(item(Self.mira, feed: nil)) == nil)
    }

    @Test func servedFeedHasAPartForEachCreator() throws {
        let creator = Item.Creator(id: "a/b ü&c", name: "A")
        let feed = try #require(
            CreatorFeed(of: item(creator, feed: "https://h.example/tv/feed.json"), endpoint: "https://h.example/tv/"))
        #expect(feed.source == "https://h.example/tv/feed.json?creator=a%2Fb%20%C3%BC%26c" && !feed.isShared)
        // Without an id of the service, or at another server, the feed itself has to do.
        for (creator, endpoint) in [
            (Item.Creator(name: "A"), "https://h.example/"), (creator, "https://other.example/"),
            (creator, "https://h.example:8443/"), (creator, "file:///"), (creator, "x"),
        ] {
            #expect(source(item(creator), at: endpoint) == "https://h.example/feed.xml")
        }
    }

    @Test(arguments: [
        ("river@h.example", "https://h.example/video-channels/river", "peertube:h.example/c/river"),
        ("river@h.example", "https://h.example/c/river", "peertube:h.example/c/river"),
        ("otters@h.example", "https://h.example/accounts/otters", "peertube:h.example/@otters"),
        // Of another instance, by way of the one that the user named.
        ("otters@else.example", "https://else.example/accounts/otters", "peertube:h.example/@otters@else.example"),
        ("otters", nil, "peertube:h.example/@otters"),
    ])
    func channelsAndAccountsOfPeerTube(id: String, url: String?, source: String) {
        let creator = Item.Creator(id: id, name: "N", url: url)
        let item = item(creator, feed: "https://h.example", resolver: .peerTube)
        #expect(self.source(item) == source && CreatorFeed(of: item)?.isShared == false)
    }

    @Test func accountsOfMastodonAndLoops() {
        let creator = Item.Creator(id: "otters@h.example", name: "Otters", url: "https://h.example/@otters")
        let (post, video) = ("https://h.example/api/v1/statuses/7#2", "https://h.example/api/v1/video/7")
        #expect(source(item(creator, id: post, feed: "https://h.example")) == "mastodon:h.example/@otters")
        #expect(source(item(creator, id: video, feed: "https://h.example/@x")) == "loops:h.example/@otters")
        let far = Item.Creator(id: "o@else.example")
        #expect(source(item(far, id: post, feed: "https://h.example")) == "mastodon:h.example/@o@else.example")
        // Instances at other ports and without TLS.
        let local = item(
            Item.Creator(id: "a@127.0.0.1"), id: "http://127.0.0.1:81/api/v1/statuses/1", feed: "http://127.0.0.1:81")
        #expect(source(local) == "mastodon:http://127.0.0.1:81/@a")
    }

    @Test func channelsOfYTDLP() {
        let channel = "https://www.video.example/channel/UC1"
        let creator = Item.Creator(id: "UC1", name: "C", url: channel)
        for feed in ["https://www.video.example/@c", "https://video.example/playlist?list=1"] {
            #expect(source(item(creator, feed: feed, resolver: .ytDLP)) == channel)
        }
        #expect(source(item(creator, feed: "https://m.else.example/", resolver: .ytDLP)) == "https://m.else.example/")
    }

    @Test func folderStandsInForACreator() {
        var clip = Item(id: "1", url: "file:///clips/otters%20%26%20more/1.mp4", folder: "otters & more")
        #expect(source(clip) == "file:///clips/otters%20%26%20more" && CreatorFeed(of: clip)?.isShared == false)
        clip.folder = nil
        #expect(source(clip) == nil)
        // Only files have folders.
        #expect(source(Item(id: "1", url: "https://h.example/a/1.mp4", folder: "a")) == nil)
    }

    /// What a feed says of a creator leads to no other server, to no file, and to no other protocol.
    @Test(arguments: [
        "http://127.0.0.1/", "http://10.0.0.1:631/", "file:///etc", "file:///etc/passwd", "ftp://h.example/",
        "javascript:alert(1)", "https://evil.example/", "https://h.example@evil.example/",
        "https://h.example.evil.example/", "https://evil.example/#h.example", "//evil.example", "gopher://h.example",
        "\u{1B}]52;c;x\u{7}", "../../../etc/passwd", "https://h.example\\@evil.example/", "-", "library:liked",
        String(repeating: "a", count: 100_000),
    ])
    func hostileCreatorsLeadNowhereElse(text: String) {
        for resolver in [nil, Resolver.peerTube, .ytDLP] {
            for id in ["1", "https://h.example/api/v1/statuses/1", "https://h.example/api/v1/video/1"] {
                for creator in [
                    Item.Creator(id: text, name: text, url: text), Item.Creator(name: text),
                    Item.Creator(id: "a@h.example", url: text),
                ] {
                    let item = item(creator, id: id, feed: "https://h.example/feed", resolver: resolver)
                    for endpoint in [nil, text, "https://h.example/"] {
                        guard let source = CreatorFeed(of: item, endpoint: endpoint)?.source else { continue }
                        let host = ServiceAddress(source)?.host ?? RemoteURL(source)?.origin.host
                        #expect(host == "h.example", "\(source)")
                        #expect(source.unicodeScalars.allSatisfy { $0.value > 0x20 && $0.value < 0x7F }, "\(source)")
                    }
                }
            }
        }
    }

    @Test func listsOfSubscriptionsHaveWebPages() {
        #expect(CreatorFeed.subscription(to: "https://h/f.xml") == "https://h/f.xml")
        #expect(CreatorFeed.subscription(to: "peertube:h/c/river") == "https://h/c/river")
        #expect(CreatorFeed.subscription(to: "mastodon:http://127.0.0.1:81/@a") == "http://127.0.0.1:81/@a")
        #expect(CreatorFeed.subscription(to: "loops:h/@a") == "loops:h/@a")
        #expect(CreatorFeed.subscription(to: "file:///clips") == nil)
    }
}
