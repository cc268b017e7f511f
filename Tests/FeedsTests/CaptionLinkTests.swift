import Bytes
import Foundation
import Model
import TestSupport
import Testing

@testable import Feeds

/// Files of subtitles and chapters that items lead to.
@Suite struct CaptionLinkTests {
    private let folder = TemporaryFolder()

    // MARK: Folders

    private func item(_ name: String) throws -> Item {
        let items = try loadFeed(sources: [folder.path]).items
        let url = FileURL.url(path: (folder.path + "/" + name).utf8)
        return try #require((0..<items.count).map { items[$0] }.first { $0.url == url })
    }

    private func names(_ item: Item) -> [String] {
        item.captions.map { "\(($0.url as NSString).lastPathComponent) \($0.language ?? "-")" }
    }

    @Test func filesBesideAClipAreItsSubtitles() throws {
        for name in [
            "clip.mp4", "clip.vtt", "clip.en.vtt", "clip.en.srt", "clip.pt-BR.srt", "clip.notes.vtt",
            "clip.zh-Hans.vtt",
            "clip.en.mp4", "other.mp4", "clips.vtt", ".vtt", "clip.e.vtt", "lonely.en.vtt", "sub/clip.de.vtt",
        ] { try folder.write(name, "x".utf8) }
        #expect(
            names(try item("clip.mp4")) == [
                "clip.vtt -", "clip.en.vtt en", "clip.pt-BR.srt pt-BR", "clip.zh-Hans.vtt zh-Hans",
            ])
        // Perhaps another language version of the clip.
        #expect(names(try item("clip.en.mp4")) == ["clip.en.vtt -"])
        #expect(try item("other.mp4").captions.isEmpty)
        let named = try loadFeed(sources: [folder.path + "/clip.mp4", folder.path + "/other.mp4"]).items
        #expect(try named[0].captions == item("clip.mp4").captions && named[1].captions.isEmpty)
        #expect(try loadFeed(sources: [folder.path]).items.count == 3)
    }

    @Test func aSidecarsWordsGoOverThem() throws {
        try folder.write("clip.mp4")
        try folder.write("clip.vtt")
        try folder.write(
            "clip.json", #"{"subtitles": [{"url": "words/x.srt", "language": "de", "label": "Deutsch"}]}"#.utf8)
        try folder.write("clip.info.json", #"{"title": "a", "chapters": [{"start_time": 61.5, "title": "b"}]}"#.utf8)
        let item = try item("clip.mp4")
        #expect(names(item) == ["x.srt de"] && item.captions.first?.title == "Deutsch")
        #expect(item.chapters == [Chapter(start: .milliseconds(61_500), title: "b")])
    }

    // MARK: Manifests

    private func read(_ item: String, at url: String = "https://example.org/f/feed.json") throws -> Item {
        try ItemReader(base: url, privateHosts: .sameOrigin).item(JSON(whole: Array(item.utf8))).item
    }

    @Test func manifestsNameSubtitlesAndChapters() throws {
        let item = try read(
            """
            {"url": "a.mp4", "chapters_url": "a.chapters.json", "comments_url": "a.comments.json",
             "subtitles": [{"url": "a.en.vtt", "language": "en", "label": "English"}, "a.srt", 7, {"language": "fr"},
                           {"url": "file:///etc/passwd"}, {"url": "http://127.0.0.1/x.vtt"}],
             "chapters": [{"start": 12.5, "title": "Later\\u001b"}, {"start": 0, "title": "Intro"}, {"start": -1},
                          {"start": 5, "toc": false}, {"start": 1e300, "title": "x"}, "no"]}
            """)
        #expect(
            item.captions == [
                CaptionLink(url: "https://example.org/f/a.en.vtt", language: "en", title: "English"),
                CaptionLink(url: "https://example.org/f/a.srt"),
            ])
        #expect(
            item.chapters == [
                Chapter(start: .zero, title: "Intro"), Chapter(start: .milliseconds(12_500), title: "Later\u{FFFD}"),
            ])
        #expect(item.chaptersURL == "https://example.org/f/a.chapters.json")
        #expect(item.commentsURL == "https://example.org/f/a.comments.json")
    }

    @Test func captionLinksSurviveTheSpoolAndItemLines() throws {
        var item = Item(id: "a", url: "https://example.org/a.mp4")
        item.captions = [
            CaptionLink(url: "https://example.org/a.vtt", language: "en", title: "English"),
            CaptionLink(url: "https://example.org/b.vtt"),
        ]
        item.chapters = [Chapter(start: .zero, title: ""), Chapter(start: .milliseconds(1_234), title: "é")]
        item.chaptersURL = "https://example.org/c.json"
        item.commentsURL = "https://example.org/comments.json"
        item.resolver = .ytDLP
        var bytes: [UInt8] = []
        ItemCode.append(item, to: &bytes)
        ItemCode.append(Item(id: "b", url: "https://example.org/b.mp4"), to: &bytes)
        #expect(ItemCode.items(bytes) == [item, Item(id: "b", url: "https://example.org/b.mp4")])
        let line = ItemJSON.line(item, source: "x")
        var read = ItemJSON.item(ofLine: line, feed: nil, privateHosts: .sameOrigin)
        read?.title = nil
        #expect(read == item)
    }

    // MARK: Feeds

    @Test func podcastsNameTranscriptsAndChapters() throws {
        var entries: [FeedEntry] = []
        let text = """
            <rss version='2.0' xmlns:podcast='https://podcastindex.org/namespace/1.0' xmlns:media='http://search.yahoo.com/mrss/'><channel><item>
            <enclosure url='e.mp3' type='audio/mpeg' length='1000'/>
            <podcast:transcript url='t.html' type='text/html'/><podcast:transcript url='t.json' type='application/json' language='en'/>
            <podcast:transcript url='t.vtt' type='text/vtt' language='en'/><podcast:transcript url='t.srt' type='application/x-subrip' language='en'/>
            <podcast:transcript url='d.srt' type='text/plain' language='de'/>
            <media:subTitle type='text/vtt' lang='fr' href='f.vtt'/>
            <podcast:chapters url='c.json' type='application/json+chapters'/><podcast:chapters url='later.json'/>
            </item></channel></rss>
            """
        let stream = ByteStream(Array(text.utf8), name: "x")
        _ = try SyndicationReader.read(stream, at: "https://example.org/f.xml", charset: nil) { entry, _ in
            entries.append(entry)
            return true
        }
        let item = try #require(entries.first.flatMap { ItemMapper.item($0, need: MediaNeed()) })
        func link(_ name: String, _ language: String) -> CaptionLink {
            CaptionLink(url: "https://example.org/\(name)", language: language)
        }
        #expect(item.captions == [link("t.vtt", "en"), link("d.srt", "de"), link("f.vtt", "fr")])
        #expect(item.chaptersURL == "https://example.org/c.json")
    }

    @Test func aFeedMayNotLeadToFilesOrPrivateHosts() throws {
        var item = Item(id: "a", url: "https://example.org/a.mp4")
        item.captions = ["file:///etc/passwd", "http://10.0.0.1/a.vtt", "https://example.org/a.vtt"].map {
            CaptionLink(url: $0)
        }
        item.chaptersURL = "file:///etc/passwd"
        let checked = try FeedLinks(base: "https://example.org/f.xml", privateHosts: .sameOrigin).checked(item)
        #expect(checked.captions.map(\.url) == ["https://example.org/a.vtt"] && checked.chaptersURL == nil)
    }

    // MARK: yt-dlp

    @Test func onlySpokenLanguageAutomaticCaptionsAreListed() throws {
        func form(_ name: String) -> String {
            #"[{"ext": "json3", "url": "https://example.org/\#(name).json3"}, {"ext": "vtt", "url": "https://example.org/\#(name).vtt", "name": "x"}]"#
        }
        let info = try #require(
            try YTDLPInfo(
                Array(
                    """
                    {"id": "a", "title": "b", "webpage_url": "https://example.org/a", "language": "en",
                     "subtitles": {"de": \(form("de")), "live_chat": [{"ext": "json", "url": "x"}], "fr": null},
                     "automatic_captions": {"af": \(form("af")), "en-orig": \(form("orig")), "en": \(form("en"))},
                     "chapters": [{"start_time": 1, "end_time": 2, "title": "c"}], "formats": []}
                    """.utf8)))
        let item = try #require(try info.items(at: "https://example.org/a").first?.get())
        #expect(
            item.captions == [
                CaptionLink(url: "https://example.org/de.vtt", language: "de", title: "x"),
                CaptionLink(url: "https://example.org/orig.vtt", language: "en", title: "English (auto)"),
            ])
        #expect(item.chapters == [Chapter(start: .seconds(1), title: "c")])
    }
}
