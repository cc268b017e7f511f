import Bytes
import Foundation
import Model
import TestSupport
import Testing

@testable import Feeds

@Suite struct SyndicationTests {
    private struct Outcome: Equatable {
        var feed: SyndicationFeed?
        var entries: [FeedEntry] = []
    }

    private func read(
        _ text: String, at url: String = "https://example.org/f/feed.xml", piece: Int = 1 << 16, limit: Int = .max
    ) throws -> Outcome {
        try read(Array(text.utf8), at: url, piece: piece, limit: limit)
    }

    private func read(_ bytes: [UInt8], at url: String, piece: Int = 1 << 16, limit: Int = .max) throws -> Outcome {
        var outcome = Outcome()
        outcome.feed = try SyndicationReader.read(stream(bytes, piece: piece), at: url, charset: nil) { entry, _ in
            outcome.entries.append(entry)
            return outcome.entries.count < limit
        }
        return outcome
    }

    /// The only entry of an RSS feed in which these elements are.
    private func entry(_ elements: String, _ attributes: String = "") throws -> FeedEntry {
        let read = try read("<rss version='2.0' \(attributes)><channel><item>\(elements)</item></channel></rss>")
        #expect(read.entries.count == 1)
        return try #require(read.entries.first)
    }

    private static let spaces =
        "xmlns:media='http://search.yahoo.com/mrss/' xmlns:itunes='http://www.itunes.com/dtds/podcast-1.0.dtd' "
        + "xmlns:dc='http://purl.org/dc/elements/1.1/' xmlns:content='http://purl.org/rss/1.0/modules/content/' "
        + "xmlns:atom='http://www.w3.org/2005/Atom' xmlns:podcast='https://podcastindex.org/namespace/1.0'"

    private static let rss = """
        <?xml version="1.0"?>
        <rss version="2.0" \(spaces) xml:lang="de"><channel><title>Night</title><link>https://example.org/</link>
        <description>About</description><language>en</language>
        <atom:link rel="self" href="https://example.org/f/feed.xml"/><atom:link rel="next" href="?page=2"/>
        <image><title>Logo</title><link>https://example.org/home</link><url>/logo.png</url></image>
        <itunes:author>The Station</itunes:author>
        <item><title>Tom &amp;amp; &lt;b&gt;Jerry&lt;/b&gt;</title><link> clips/1 </link><guid isPermaLink="false">urn:1</guid>
        <pubDate>Thu, 01 Jan 2004 19:48:21 GMT</pubDate><description>&lt;p&gt;Short&lt;/p&gt;</description>
        <content:encoded><![CDATA[<p>Much longer &amp; better</p>]]></content:encoded>
        <dc:creator>Ann</dc:creator><category>street, food</category><category domain="x">night</category>
        <itunes:duration>1:01</itunes:duration><itunes:image href="i.jpg"/><itunes:keywords>a, b ,,a</itunes:keywords>
        <enclosure url="v.mp4?a=1&b=2" length="1,234" type="Video/MP4; codecs=x"/>
        <media:group><media:content url="v.webm" type="video/webm" medium="video" fileSize="99" bitrate="500" width="720" height="1280"
         duration="61.5" isDefault="true" lang="en"><media:title>The clip</media:title></media:content>
        <media:content url="s.mp4" expression="sample"/><media:content url="v.mp4?a=1&amp;b=2" height="480"/>
        <media:thumbnail url="t.jpg" width="10"/><media:title>Other</media:title>
        <media:community><media:starRating count="12" average="4"/><media:statistics views="99" favorites="7"/></media:community>
        </media:group></item>
        <item><title>Bare</title><author>ann@example.org (Ann Lee)</author><source url="https://example.org/x"><title>No</title></source>
        <podcast:alternateEnclosure type="video/mp4" length="9" bitrate="1500.5" height="1080" default="true" title="HD">
        <podcast:source uri="https://example.org/hd.mp4"/><podcast:source uri="ipfs://x" contentType="video/x"/>
        </podcast:alternateEnclosure></item></channel></rss>
        """

    @Test func everyFieldOfRSSIsRead() throws {
        let outcome = try read(Self.rss)
        #expect(
            outcome.feed
                == SyndicationFeed(
                    title: .init(text: "Night", isMarkup: false), next: "https://example.org/f/feed.xml?page=2",
                    image: "https://example.org/logo.png",
                    creator: .init(name: "The Station"), language: "de"))
        var first = FeedEntry()
        first.id = "urn:1"
        first.title = .init(text: "Tom &amp; <b>Jerry</b>", isMarkup: true)
        first.description = .init(text: "<p>Much longer &amp; better</p>", isMarkup: true)
        first.link = "https://example.org/f/clips/1"
        first.published = RFC3339.date(from: "2004-01-01T19:48:21Z")
        first.creator = .init(name: "Ann")
        first.tags = ["street, food", "night", "a", "b"]
        first.duration = .seconds(61)
        first.thumbnails = ["https://example.org/f/i.jpg", "https://example.org/f/t.jpg"]
        first.stats = .init(likes: 12, saves: 7)
        var mp4 = FeedMedia(url: "https://example.org/f/v.mp4?a=1&b=2")
        (mp4.type, mp4.length, mp4.height) = ("video/mp4", 1_234, 480)
        var webm = FeedMedia(url: "https://example.org/f/v.webm")
        (webm.type, webm.medium, webm.length, webm.bitrate) = ("video/webm", .video, 99, 500_000)
        (webm.width, webm.height, webm.duration) = (720, 1_280, .milliseconds(61_500))
        (webm.isDefault, webm.language, webm.title) = (true, "en", "The clip")
        var sample = FeedMedia(url: "https://example.org/f/s.mp4")
        sample.isSample = true
        first.media = [mp4, webm, sample]
        #expect(outcome.entries.first == first)

        var second = FeedEntry()
        second.title = .init(text: "Bare", isMarkup: false)
        second.creator = .init(name: "Ann Lee")
        second.thumbnails = ["https://example.org/logo.png"]
        var hd = FeedMedia(url: "https://example.org/hd.mp4")
        (hd.type, hd.length, hd.bitrate, hd.height) = ("video/mp4", 9, 1_500, 1_080)
        (hd.isDefault, hd.title) = (true, "HD")
        var other = hd
        (other.url, other.type) = ("ipfs://x", "video/x")
        second.media = [hd, other]
        #expect(outcome.entries.last == second && outcome.entries.count == 2)
    }

    private static let atom = """
        <feed xmlns="http://www.w3.org/2005/Atom" xml:base="https://example.net/a/" xml:lang="en"><title type="text">A &amp; B</title>
        <link rel="alternate" href="home"/><link rel="prev-archive" href="old.xml"/><logo>l.png</logo>
        <author><name>Ann</name><email>ann@example.org</email><uri>~ann</uri></author>
        <entry xml:base="b/"><id>tag:example.org,2004:1</id><title type="html">Tom &amp;amp; &lt;i&gt;J&lt;/i&gt;</title>
        <link href="page"/><link rel="enclosure" type="video/mp4" href="v.mp4" length="5" hreflang="en"/>
        <link rel="alternate" type="application/json" href="page.json"/>
        <published>2004-01-01T19:48:21Z</published><updated>2004-01-02</updated>
        <summary>1 &lt; 2 &lt;b&gt;</summary><category term="t1" label="Label"/><category term="t2"/>
        <content type="xhtml" xml:base="c/"><div xmlns="http://www.w3.org/1999/xhtml"><p>One &amp; <b>two</b><br/>&lt;three&gt;</p>
        <title>kept</title></div></content>
        <source><id>no</id><title>No</title><updated>1999-01-01</updated><author><name>No</name></author></source>
        <contributor><name>Cid</name></contributor></entry>
        <entry><id>https://example.org/2</id><title type="xhtml"><x:div xmlns:x="http://www.w3.org/1999/xhtml">A<x:i>B</x:i></x:div></title>
        <author><uri>bob</uri><name>Bob</name></author><content type="video/mp4" src="w.mp4"/></entry></feed>
        """

    @Test func everyFieldOfAtomIsRead() throws {
        let outcome = try read(Self.atom)
        #expect(
            outcome.feed
                == SyndicationFeed(
                    title: .init(text: "A & B", isMarkup: false), next: "https://example.net/a/old.xml",
                    image: "https://example.net/a/l.png",
                    creator: .init(name: "Ann", url: "https://example.net/a/~ann"), language: "en"))
        var first = FeedEntry()
        first.id = "tag:example.org,2004:1"
        first.title = .init(text: "Tom &amp; <i>J</i>", isMarkup: true)
        first.link = "https://example.net/a/b/page"
        first.published = RFC3339.date(from: "2004-01-01T19:48:21Z")
        first.updated = RFC3339.date(from: "2004-01-02")
        first.description = .init(
            text: "<div><p>One &amp; <b>two</b><br>&lt;three></p>\n<title>kept</title></div>", isMarkup: true)
        first.tags = ["Label", "t2"]
        first.creator = outcome.feed?.creator
        first.thumbnails = ["https://example.net/a/l.png"]
        var media = FeedMedia(url: "https://example.net/a/b/v.mp4")
        (media.type, media.length, media.language) = ("video/mp4", 5, "en")
        first.media = [media]
        #expect(outcome.entries.first == first)
        let second = try #require(outcome.entries.last)
        #expect(second.title == .init(text: "<div>A<i>B</i></div>", isMarkup: true))
        #expect(
            second.creator == .init(name: "Bob", url: "https://example.net/a/bob")
                && second.link == "https://example.org/2")
        #expect(second.media.map(\.url) == ["https://example.net/a/w.mp4"])
    }

    @Test(arguments: [
        ("<guid>/posts/1</guid>", "https://example.org/posts/1"),
        ("<guid isPermaLink='true'>posts/1.html</guid>", "https://example.org/f/posts/1.html"),
        ("<guid isPermaLink=' TRUE '>?p=1</guid>", "https://example.org/f/feed.xml?p=1"),
        ("<guid>https://h/1</guid>", "https://h/1"), ("<guid isPermaLink='false'>https://h/1</guid>", nil),
        ("<guid isPermaLink='true'>12</guid>", nil), ("<guid>posts-1</guid>", nil),
        ("<guid isPermaLink='true'>urn:uuid:1</guid>", nil),
        ("<guid>/a</guid><link>b</link>", "https://example.org/f/b"),
    ])
    func permalinkGuidIsTheLink(elements: String, link: String?) throws {
        #expect(try entry(elements).link == link)
    }

    @Test(arguments: [
        "xmlns:psc='http://podlove.org/simple-chapters'", "xmlns:psc='http://podlove.org/simple-chapters/'", "",
    ])
    func parsesSimpleChapters(declaration: String) throws {
        let entry = try entry(
            """
            <title>Talk</title><psc:chapters version='1.2'><psc:chapter start='00:00:00.000' title='Intro'/>
            <psc:chapter start='01:02:03.5' title='End &amp;amp; more' href='https://h/'/><psc:chapter start='3:07' title='Middle'/>
            <psc:chapter title='no start'/><psc:chapter start='x' title='no time'/></psc:chapters>
            <enclosure url='https://h/a.mp3'/>
            """, declaration)
        #expect(
            entry.chapters == [
                Chapter(start: .zero, title: "Intro"), Chapter(start: .seconds(187), title: "Middle"),
                Chapter(start: .milliseconds(3_723_500), title: "End &amp; more"),
            ])
        #expect(entry.title?.text == "Talk")
        #expect(ItemMapper.item(entry, need: MediaNeed())?.chapters.count == 3)
    }

    @Test func oldKindsAreRead() throws {
        let rdf = try read(
            """
            <rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#" xmlns="http://purl.org/rss/1.0/"
             xmlns:dc="http://purl.org/dc/elements/1.1/"><channel rdf:about="https://example.org/"><title>R</title>
            <items><rdf:Seq><rdf:li rdf:resource="https://example.org/1"/></rdf:Seq></items><image rdf:resource="x.png"/></channel>
            <image rdf:about="x.png"><title>No</title><url>x.png</url></image>
            <item rdf:about="https://example.org/1"><title>One</title><link>https://example.org/one</link><dc:date>2004-01-01</dc:date>
            <dc:subject>s</dc:subject></item><textinput><title>No</title><name>q</name></textinput></rdf:RDF>
            """)
        #expect(rdf.feed?.title?.text == "R" && rdf.feed?.image == "https://example.org/f/x.png")
        #expect(rdf.entries.map(\.title?.text) == ["One"] && rdf.entries.map(\.id) == ["https://example.org/1"])
        #expect(rdf.entries[0].updated == RFC3339.date(from: "2004-01-01") && rdf.entries[0].tags == ["s"])
        let atom03 = try read(
            """
            <feed version="0.3" xmlns="http://purl.org/atom/ns#"><title>T</title><entry><title mode="escaped" type="text/html">&lt;b&gt;x&lt;/b&gt;</title>
            <issued>2004-01-01</issued><modified>2004-01-02</modified><content type="text/html" mode="xml"><b>y</b></content></entry></feed>
            """)
        #expect(atom03.entries.map(\.title) == [.init(text: "<b>x</b>", isMarkup: true)])
        #expect(atom03.entries.map(\.description) == [.init(text: "<b>y</b>", isMarkup: true)])
        #expect(atom03.entries[0].published == RFC3339.date(from: "2004-01-01"))
        for root in [
            "<rss><channel>", "<rss version='0.91'>", "<channel>", "<RSS xmlns='http://h.invalid/x'><CHANNEL>",
        ] {
            #expect(try read(root + "<ITEM><Title>x</Title></ITEM>").entries.map(\.title?.text) == ["x"])
        }
    }

    @Test(arguments: ["<html><body><item/></body></html>", "<svg/>", "", "x", "<opml><body><outline/></body></opml>"])
    func otherDocumentsAreNoFeed(text: String) throws {
        let outcome = try read(text)
        #expect(outcome.feed == nil && outcome.entries == [])
    }

    // MARK: Abuses

    @Test func namespacesAreRecognizedDespiteMisspelling() throws {
        for space in [
            "http://search.yahoo.com/mrss", "http://search.yahoo.com/mrss/", "http://SEARCH.yahoo.com/rss/mrss",
            "http://search.yahoo.com/searchmonkey/media/mrss", "https://search.yahoo.com/mrss/",
        ] {
            let entry = try entry("<m:content url='v.mp4'/>", "xmlns:m='\(space)'")
            #expect(entry.media.map(\.url) == ["https://example.org/f/v.mp4"], "\(space)")
        }
        // Declared nowhere.
        let bare = try entry(
            "<media:content url='v.mp4'/><itunes:duration>5</itunes:duration><dc:creator>A</dc:creator>")
        #expect(bare.media.count == 1 && bare.duration == .seconds(5) && bare.creator?.name == "A")
        #expect(try entry("<content:encoded>x</content:encoded><foo:title>no</foo:title>").title == nil)
        // Another namespace for all.
        let other = try read("<rss xmlns='http://h.invalid/x'><channel><item><title>x</title></item></channel></rss>")
        #expect(other.entries.map(\.title?.text) == ["x"])
    }

    @Test func unclosedEntriesAreRead() throws {
        let open = try read(
            "<rss><channel><item><title>1<link>a</link><item><title>2</title><pubDate>2004</pubDate><item><title>3")
        #expect(open.entries.map(\.title?.text) == ["1", "2", "3"])
        #expect(open.entries.map(\.link) == ["https://example.org/f/a", nil, nil])
        let markup = try entry("<description>a <p>b <b>c<pubDate>2004-01-01</pubDate>")
        #expect(markup.published != nil && markup.description?.text == "a <p>b <b>c")
    }

    @Test func unescapedMarkupIsRead() throws {
        let entry = try entry(
            "<title>A &lt; <i>B</i> &lt; C</title><description>x &lt;b&gt; <p>1 &lt; 2<br>3</p></description>")
        #expect(entry.title == .init(text: "A &lt; <i>B</i> &lt; C", isMarkup: true))
        #expect(entry.description == .init(text: "x <b> <p>1 &lt; 2<br>3</p>", isMarkup: true))
    }

    @Test(arguments: [
        ("Plain", false), ("AT&amp;T", false), ("1 &lt; 2", false), ("a &lt;b&gt;b&lt;/b&gt;", true),
        ("a &amp;amp; b", true),
        ("&lt;script&gt;x&lt;/script&gt;", true), ("&lt;script&gt;x", false),
        ("Use &lt;div&gt; and &lt;main&gt;", false), ("I &lt;3 u", false),
        ("a&lt;br/&gt;b", true), ("&amp;#8217;", true), ("&lt;", false), ("&amp;", false), ("&lt;/", false),
    ])
    func titlesOfRSSAreMarkupIfTheyLookLikeIt(text: String, isMarkup: Bool) throws {
        #expect(try entry("<title>\(text)</title>").title?.isMarkup == isMarkup)
    }

    @Test(arguments: ["&lt;img src=&quot;a.gif&quot; alt=&quot;x&quot;&gt;", "<![CDATA[<img src='a.gif'/>]]>"])
    func escapedImageIsNotATitle(text: String) throws {
        let entry = try entry("<title>\(text)</title><enclosure url='night_market.mp4' type='video/mp4'/>")
        #expect(entry.title?.isMarkup == true)
        #expect(ItemMapper.item(entry, need: MediaNeed())?.title == "night market")
    }

    @Test func theBetterOfTwoCounts() throws {
        let titles = try entry(
            "<media:title>M</media:title><title>A</title><title>B</title><itunes:title>I</itunes:title>")
        #expect(titles.title?.text == "A")
        let authors = try entry(
            "<author>ann@example.org</author><media:credit>C</media:credit><itunes:author>I</itunes:author>")
        #expect(authors.creator?.name == "I")
        let long = String(repeating: "x", count: ItemLimit.text + 1)
        for elements in [
            "<description>\(long)</description><itunes:summary>fits</itunes:summary>",
            "<itunes:summary>fits</itunes:summary><description>\(long)</description>",
        ] {
            #expect(try entry(elements).description?.text == "fits")
        }
        #expect(try entry("<description>\(long)</description>").description?.text == long)
        // The description of an image may be longer than the text that it belongs to.
        let alternative =
            "<media:content url='v.mp4'><media:description type='plain'>a long text</media:description></media:content>"
        #expect(try entry(alternative).description?.text == "a long text")
        #expect(try entry(alternative + "<description>short</description>").description?.text == "short")
        #expect(try entry("<guid>https://example.org/g</guid>").link == "https://example.org/g")
        #expect(try entry("<guid>urn:x</guid>").link == nil)
        #expect(try entry("<guid isPermaLink='false'>https://example.org/g</guid>").link == nil)
        #expect(try entry("<guid>https://example.org/g</guid><link>l</link>").link == "https://example.org/f/l")
        #expect(try entry("<pubDate>2004-01-01</pubDate><pubDate>soon</pubDate>").published != nil)
    }

    @Test(
        arguments: [
            ("ann@example.org (Ann Lee)", "Ann Lee"), ("Ann Lee &lt;ann@example.org&gt;", "Ann Lee"),
            ("ann@example.org", "ann@example.org"),
            ("&lt;ann@example.org&gt;", "ann@example.org"), ("Ann", "Ann"), ("Ann (ann@example.org)", "Ann"),
            ("a@b ()", "a@b"),
            ("", nil), (")@(", ")@("),
        ] as [(String, String?)])
    func authorsAreNames(text: String, expected: String?) throws {
        #expect(try entry("<author>\(text)</author>").creator?.name == expected)
    }

    // MARK: Hostile feeds

    @Test func longTextsAreLookedAtOnce() throws {
        let many = String(repeating: "<description>x</description><media:title>y</media:title>", count: 5_000)
        let long = String(repeating: "é", count: 30_000)
        let start = ContinuousClock.now
        #expect(try entry("<description>\(long)</description>" + many).description?.text == "x")
        let spaces = (0..<20).map {
            "xmlns:n\($0)='\($0)\(String(repeating: "s", count: $0 % 2 == 0 ? 400 : 60_000))'"
        }
        let elements = (0..<20_000).map { "<n\($0 % 20):x/>" }.joined()
        let declared = spaces.map { "<a \($0)>" }.joined()
        #expect(try entry(declared + elements).media.isEmpty)
        #expect(ContinuousClock.now - start < .seconds(30))
    }

    @Test func countsAreLimited() throws {
        let media = (0..<1_000).map {
            "<enclosure url='\($0).mp4'/><media:thumbnail url='\($0).jpg'/><category>\($0)</category>"
        }
        let entry = try entry(media.joined() + "<link>\(String(repeating: "x", count: 9_000))</link>", Self.spaces)
        #expect(entry.media.count == EntryDraft.mediaLimit && entry.tags.count == EntryDraft.tagLimit)
        #expect(entry.thumbnails.count == EntryDraft.thumbnailLimit && entry.link == nil)
        let long = try self.entry("<title>\(String(repeating: "é", count: 1 << 20))</title>").title?.text.utf8.count
        #expect(long == SyndicationField.textLimit)
    }

    @Test func readingStopsWhenThereIsEnough() throws {
        let feed = "<rss><channel>" + String(repeating: "<item><title>x</title></item>", count: 10_000)
        #expect(try read(feed, limit: 3).entries.count == 3)
        // Of an endless one, not much more than that is read.
        var count = 0
        let endless = ByteStream("https://example.org/f", limit: .max) { offset, buffer in
            #expect(offset < 1 << 20, "it reads on")
            let part = offset == 0 ? "<rss><channel>" : "<item><title>x</title></item>"
            buffer.copyBytes(from: part.utf8)
            return part.utf8.count
        }
        _ = try SyndicationReader.read(endless, at: "https://example.org/f", charset: nil) { _, _ in
            count += 1
            return count < 10
        }
        #expect(count == 10)
    }

    @Test func thePiecesOfAFeedMakeNoDifference() throws {
        for feed in [Self.rss, Self.atom] {
            let whole = try read(feed)
            for piece in [1, 2, 7] { #expect(try read(feed, piece: piece) == whole) }
        }
    }

    @Test func damagedFeedsAreReadAsFarAsTheyCanBe() throws {
        var random = SeededRandom(state: 5)
        var read = 0
        for round in 0..<400 {
            var bytes = Array((round % 2 == 0 ? Self.rss : Self.atom).utf8)
            if round % 4 < 2 { bytes = Array(bytes.prefix(Int.random(in: 0...bytes.count, using: &random))) }
            for _ in 0..<Int.random(in: 0...8, using: &random) {
                if let place = bytes.indices.randomElement(using: &random) {
                    bytes[place] = .random(in: 0...255, using: &random)
                }
            }
            let whole = try self.read(bytes, at: "https://example.org/f/feed.xml")
            #expect(try self.read(bytes, at: "https://example.org/f/feed.xml", piece: 7) == whole)
            read += whole.entries.count
        }
        #expect(read > 400)
    }

    /// As feedparser has it: what is neither HTML nor text nor XML is base64.
    @Test(arguments: [
        ("type='application/octet-stream'", "RXhhbXBsZSA8Yj5BdG9tPC9iPg==", "Example <b>Atom</b>", true),
        ("type='application/octet-stream'", " RXhh\n bXBsZQ== ", "Example", false),
        ("mode='base64'", "RXhhbXBsZQ==", "Example", false),
        ("type='application/octet-stream'", "Plain words", "Plain words", false),
        ("type='application/octet-stream'", "//79", "//79", false),
        ("type='text/plain'", "RXhhbXBsZQ==", "RXhhbXBsZQ==", false),
        ("type='application/foo+xml'", "RXhhbXBsZQ==", "RXhhbXBsZQ==", true),
    ])
    func titlesMayBeBase64(attributes: String, text: String, title: String, isMarkup: Bool) throws {
        let feed = try read(
            "<feed xmlns='http://www.w3.org/2005/Atom'><entry><title \(attributes)>\(text)</title></entry></feed>")
        #expect(feed.entries.first?.title == .init(text: title, isMarkup: isMarkup))
    }

    @Test func binaryContentIsNoDescription() throws {
        let feed = try read(
            "<feed xmlns='http://www.w3.org/2005/Atom'><entry><title>a</title><content type='image/png'>RXhhbXBsZQ==</content></entry></feed>"
        )
        #expect(feed.entries.first?.description == nil)
    }

    @Test(arguments: [
        ("safe&lt;script type='x'&gt;alert(1)&lt;/script&gt; title", "safe title"),
        ("&lt;STYLE&gt;b{}&lt;/Style&gt;A title", "A title"), ("How to use &lt;script&gt;", "How to use <script>"),
        ("&lt;custom&gt; and &lt;script&gt;x&lt;/script&gt;", "<custom> and <script>x</script>"),
    ])
    func scriptsAreNoPartOfATitle(text: String, title: String) throws {
        let found = try #require(try entry("<title>\(text)</title>").title)
        #expect(ItemMapper.line(found, limit: 100) == title)
    }

    @Test func adultRatingsMakeAnItemSensitive() throws {
        let adult = "<media:rating scheme='urn:simple'>Adult</media:rating>"
        #expect(try entry(adult, Self.spaces).isSensitive)
        #expect(try entry("<media:content url='v.mp4'>\(adult)</media:content>", Self.spaces).isSensitive)
        #expect(try entry("<media:adult>true</media:adult>", Self.spaces).isSensitive)
        for other in [
            "<media:rating scheme='urn:simple'>nonadult</media:rating>", "<media:rating>r</media:rating>",
            "<media:adult>false</media:adult>", "<itunes:explicit>true</itunes:explicit>", "<rating>adult</rating>",
        ] { #expect(!(try entry(other, Self.spaces).isSensitive), "\(other)") }
    }
}
