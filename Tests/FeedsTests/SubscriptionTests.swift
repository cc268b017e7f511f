import Bytes
import Model
import Testing

@testable import Feeds

/// OPML lists of feeds.
@Suite struct SubscriptionTests {
    private static let opml = """
        <?xml version="1.0" encoding="ISO-8859-1"?>
        <opml version="1.1"><head><title>Mine</title></head><body>
        <outline text="Film &amp; more"><outline type="rss" text="One" title="The &lt;first&gt;" xmlUrl="https://h/1.xml" htmlUrl="https://h/"/></outline>
        <outline text="Two" xmlurl="2.xml"/><outline text="again" xmlUrl="https://h/1.xml"/>
        <outline text="none"/><outline text="file" xmlUrl="file:///etc/passwd"/><outline xmlUrl="https://h/3.xml"/>
        </body></opml>
        """

    private func list(_ text: String) throws -> [Subscription]? {
        try Subscription.list(
            at: "https://h/list.opml", provider: ScriptedProvider(["https://h/list.opml": text]),
            privateHosts: .sameOrigin)
    }

    @Test func theFeedsOfAllGroupsAreFound() throws {
        #expect(
            try list(Self.opml) == [
                Subscription(title: "The <first>", url: "https://h/1.xml"),
                Subscription(title: "Two", url: "https://h/2.xml"),
                Subscription(title: nil, url: "https://h/3.xml"),
            ])
    }

    @Test func subscriptionSchemesMapToFeedURLs() throws {
        let feed = "<rss><channel><item><enclosure url='a.mp3'/></item></channel></rss>"
        for (address, url) in [
            ("feed:https://h/rss", "https://h/rss"), ("feed://h/rss", "http://h/rss"),
            ("FEED:http://h/rss", "http://h/rss"),
            ("pcast://h/rss", "http://h/rss"), ("itpc://h/rss", "http://h/rss"), ("podcast://h/rss", "http://h/rss"),
        ] {
            let provider = ScriptedProvider([url: feed])
            #expect(try loadFeed(sources: [address], provider: provider).items.count == 1)
            #expect(provider.asked.map(\.url) == [url])
            #expect(try list("<opml><body><outline xmlUrl='\(address)'/></body></opml>")?.map(\.url) == [url])
        }
        // Not everything with such a scheme is an address.
        #expect(FeedScheme.plain("feed:me") == "feed:me" && FeedScheme.plain("podcast.mp3") == "podcast.mp3")
        #expect(
            try list("<opml><body><outline xmlUrl='feed:file:///etc/passwd'/><outline xmlUrl='1'/></body></opml>")?
                .count == 1)
    }

    @Test func otherDocumentsAreRejected() throws {
        #expect(try list("<rss><channel/></rss>") == nil)
        #expect(throws: FeedsError.self) { try list("<opml><body><outline text='x'/></body></opml>") }
        #expect(throws: FeedsError.self) { try list("<opml><body>") }
    }

    @Test func writtenListIsReadBack() throws {
        let feeds = [
            Subscription(title: "<A> & \"B\"\u{1} 'é", url: "https://h/1.xml?a=1&b=2"),
            Subscription(title: nil, url: "https://h/2.xml"),
        ]
        let read = try #require(try list(Subscription.opml(feeds, title: "a<b")))
        #expect(read.map(\.url) == feeds.map(\.url))
        #expect(read.map(\.title) == ["<A> & \"B\" 'é", "https://h/2.xml"])
    }

    @Test func tooManyAreCut() throws {
        let outlines = (0..<6_000).map { "<outline xmlUrl='https://h/\($0).xml'/>" }.joined()
        #expect(try list("<opml>\(outlines)</opml>")?.count == 5_000)
    }

    @Test func aListPlaysAsItsFeeds() throws {
        let provider = ScriptedProvider([
            "https://h/list.opml": Self.opml, "https://h/1.xml": Self.rss("1"), "https://h/2.xml": Self.rss("2"),
            // A list in a list is not followed.
            "https://h/3.xml": Self.opml,
        ])
        let feed = try loadFeed(sources: ["https://h/list.opml"], provider: provider)
        #expect((0..<feed.items.count).map { feed.items[$0].url } == ["https://h/1.mp4", "https://h/2.mp4"])
        #expect(feed.source == "https://h/list.opml" && feed.title == "The <first>, Two" && feed.warnings.count == 1)
    }

    private static func rss(_ name: String) -> String {
        "<rss><channel><title>\(name)</title><item><enclosure url='\(name).mp4' type='video/mp4'/></item></channel></rss>"
    }
}
