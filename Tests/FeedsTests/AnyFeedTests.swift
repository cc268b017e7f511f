import Bytes
import Model
import Testing

@testable import Feeds

/// Feeds of every format, from what a server sends to items.
@Suite struct AnyFeedTests {
    private static let rss = """
        <?xml version="1.0"?>
        <rss version="2.0" xmlns:atom="http://www.w3.org/2005/Atom"><channel><title>Market &amp; more</title>
        <atom:link rel="next" href="/two.xml"/>
        <item><title>Lanterns</title><guid isPermaLink="false">g1</guid><link>https://h/lanterns</link>
        <pubDate>Fri, 01 May 2026 12:00:00 GMT</pubDate>
        <enclosure url="media/1.mp4?a=1&b=2" length="1000" type="video/mp4"/></item>
        <item><title>Only words</title><guid>https://h/words</guid></item>
        <item><title>Rain</title><enclosure url="https://h/2.mp3" type="audio/mpeg" length="5"/></item>
        </channel></rss>
        """
    private static let second = """
        <feed xmlns="http://www.w3.org/2005/Atom"><title>Older</title><entry><title>Snow</title><id>g3</id>
        <link rel="enclosure" type="video/webm" href="3.webm"/><updated>2026-04-01T00:00:00Z</updated></entry></feed>
        """

    private func urls(_ items: any ItemList) -> [String] { (0..<items.count).map { items[$0].url } }

    @Test func aSyndicationFeedIsReadPageByPage() throws {
        let provider = ScriptedProvider(["https://h/feed": Self.rss, "https://h/two.xml": Self.second])
        let feed = try loadFeed(sources: ["https://h/feed"], provider: provider)
        #expect(feed.title == "Market & more")
        #expect(urls(feed.items) == ["https://h/media/1.mp4?a=1&b=2", "https://h/2.mp3"])
        let first = feed.items[0]
        #expect(first.id == "g1" && first.title == "Lanterns" && first.link == "https://h/lanterns")
        #expect(first.published.map(RFC3339.text(from:)) == "2026-05-01T12:00:00Z")
        #expect(first.feed == "https://h/feed")
        #expect(feed.warnings.isEmpty && feed.withoutMedia == 1)
        // It was requested once, although its name does not reveal its type.
        #expect(provider.asked.map(\.url) == ["https://h/feed"])
        let page = try #require(try feed.pages?.load())
        #expect(page.added == 1 && urls(page.items).last == "https://h/3.webm" && page.next == nil)
    }

    @Test func aJSONFeedIsReadByItsVersionOrItsEntries() throws {
        let entries = """
            [{"id": "1", "url": "https://h/page", "title": "One", "date_published": "2026-05-01T12:00:00Z",
              "attachments": [{"url": "one.mp4", "mime_type": "video/mp4"}]}, {"id": "2", "content_text": "words"}]
            """
        for text in [
            "{\"version\": \"https://jsonfeed.org/version/1.1\", \"title\": \"J\", \"next_url\": \"two\", \"items\": \(entries)}",
            "{\"title\": \"J\", \"items\": \(entries), \"next_url\": \"two\", \"version\": \"https://jsonfeed.org/version/1\"}",
        ] {
            let provider = ScriptedProvider(["https://h/feed.json": text, "https://h/two": Self.second])
            let feed = try loadFeed(sources: ["https://h/feed.json"], provider: provider)
            #expect(urls(feed.items) == ["https://h/one.mp4"] && feed.title == "J" && feed.next == "https://h/two")
            #expect(feed.items[0].link == "https://h/page" && feed.items[0].id == "1")
        }
    }

    /// Only the page is the same: each entry has its own media.
    @Test(arguments: [
        """
        <rss><channel><item><title>A</title><link>https://h/page</link><guid>https://h/page</guid>
        <enclosure url="a.mp4" type="video/mp4"/></item><item><title>B</title><link>https://h/page</link>
        <guid>https://h/page</guid><enclosure url="b.mp4" type="video/mp4"/></item></channel></rss>
        """,
        """
        {"version": "https://jsonfeed.org/version/1.1", "items": [
         {"id": "https://h/page", "url": "https://h/page", "attachments": [{"url": "a.mp4"}]},
         {"id": "https://h/page", "url": "https://h/page", "attachments": [{"url": "b.mp4"}]}]}
        """,
        """
        {"items": [{"id": "https://h/page", "url": "a.mp4", "link": "https://h/page"},
                   {"id": "https://h/page", "url": "b.mp4", "link": "https://h/page"}]}
        """,
    ])
    func entriesThatShareTheirPageHaveTheirOwnMedia(text: String) throws {
        let feed = try loadFeed(sources: ["https://h/feed"], provider: ScriptedProvider(["https://h/feed": text]))
        #expect(urls(feed.items) == ["https://h/a.mp4", "https://h/b.mp4"])
        let items = (0..<feed.items.count).map { feed.items[$0] }
        #expect(items.map(\.id) == ["https://h/page", "https://h/page~2"])
        #expect(items.allSatisfy { $0.link == "https://h/page" && $0.resolver == nil })
    }

    @Test func aListOfChannelsIsAFeedAndAStreamIsAClip() throws {
        let list =
            "#EXTM3U\n#EXTINF:-1 tvg-logo=\"http://h/a.png\" group-title=\"News;World\",A\nhttp://h/a.m3u8\n"
            + "#EXTINF:-1,B\nhttp://h/b\n"
        let stream = "#EXTM3U\n#EXT-X-TARGETDURATION:4\n#EXTINF:4,\na.ts\n"
        let provider = ScriptedProvider(["https://h/tv.m3u8": list, "https://h/live.m3u8": stream])
        let feed = try loadFeed(sources: ["https://h/tv.m3u8"], provider: provider)
        #expect(urls(feed.items) == ["http://h/a.m3u8", "http://h/b"])
        #expect(feed.items[0].title == "A" && feed.items[0].tags == ["News", "World"])
        // As a feed it is stored for use while its server is unreachable.
        #expect(provider.asked.map(\.role) == [.playlist, .feed])
        #expect(try Source.parse("https://h/live.m3u8", provider: provider) == .clip("https://h/live.m3u8"))
        #expect(provider.asked.last?.role == .playlist)
    }

    @Test func aWebPageLeadsToItsFeed() throws {
        let page = """
            <!DOCTYPE html><html><head><title>Blog</title>
            <link rel="alternate" type="application/rss+xml" title="Blog » Comments" href="/comments">
            <link rel="stylesheet" href="/x.css"><link rel=alternate type=application/rss+xml href=/feed>
            </head><body><link rel="alternate" type="application/rss+xml" href="/hidden"></body></html>
            """
        let provider = ScriptedProvider(["https://h/": page, "https://h/feed": Self.rss])
        let feed = try loadFeed(sources: ["https://h/"], provider: provider)
        #expect(feed.title == "Market & more" && feed.items.count == 2)
        #expect(provider.asked.map(\.url) == ["https://h/", "https://h/feed"])
    }

    /// A page from the network leads neither to files nor to private hosts.
    @Test(arguments: ["file:///feed.xml", "http://127.0.0.1/feed", "javascript:0", ""])
    func aWebPageLeadsNowhereElse(address: String) {
        let page = "<html><head><link rel=alternate type=application/atom+xml href=\"\(address)\"></head></html>"
        let provider = ScriptedProvider(["https://h/": page])
        #expect(throws: FeedsError.pageWithoutFeed("https://h/")) {
            try loadFeed(sources: ["https://h/"], provider: provider)
        }
        #expect(provider.asked.count == 1)
    }

    @Test(
        arguments: [
            (
                "<html><body>Nothing",
                "this web page has no feed; pass a clip or a feed, or install yt-dlp"
            ),
            ("%PDF-1.4", "it is a PDF document; pass a clip, a folder or a feed"),
            (
                "<rss><channel><item><title>Words</title></item></channel></rss>",
                "its only entry has no video or audio"
            ),
            ("<rss><channel></channel></rss>", "it lists no items"),
        ])
    func unplayableSourcesNameTheReason(text: String, why: String) {
        let provider = ScriptedProvider(["https://h/x": text])
        do {
            _ = try loadFeed(sources: ["https://h/x"], provider: provider)
            Issue.record("it was read")
        } catch {
            #expect(error.description == "cannot play 'https://h/x': \(why)")
        }
    }

    /// Feeds from the network lead to the network only, and to no private host.
    @Test func addressesOfEntriesAreChecked() throws {
        let text = ["file:///etc/hostname", "http://127.0.0.1:9/a.mp4", "https://h/ok.mp4"].map {
            "<item><title>x</title><enclosure url=\"\($0)\" type=\"video/mp4\"/></item>"
        }
        let provider = ScriptedProvider(["https://h/x": "<rss><channel>\(text.joined())</channel></rss>"])
        let feed = try loadFeed(sources: ["https://h/x"], provider: provider)
        #expect(urls(feed.items) == ["https://h/ok.mp4"])
        #expect(feed.warnings.count == 2 && feed.warnings[0].contains("item 0 is skipped: this feed may not link to"))
    }
}
