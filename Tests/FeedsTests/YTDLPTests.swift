import Bytes
import Foundation
import Model
import Synchronization
import TestSupport
import Testing
import Threads

@testable import Feeds

/// yt-dlp as a source: a script stands for it.
@Suite struct YTDLPTests {
    /// A channel as `--flat-playlist` prints it.
    static let channel = #"""
        {"id": "UC1", "title": "Night walks", "channel": "Lena", "channel_id": "UC1", "_type": "playlist",
         "channel_url": "https://tube.example.org/@lena", "playlist_count": 3, "extractor_key": "TubeTab",
         "webpage_url": "https://tube.example.org/@lena/videos", "entries": [
          {"_type": "url", "ie_key": "Tube", "id": "aaa", "url": "https://tube.example.org/watch?v=aaa",
           "title": "Rain \u001b[31mon\nglass", "duration": 61.5, "timestamp": 1777636800, "view_count": 12,
           "description": "All of it", "live_status": null, "like_count": 7, "comment_count": 2,
           "thumbnails": [{"url": "https://i.example.org/s.jpg", "width": 120}, {"url": "https://i.example.org/m.jpg", "width": 480},
                          {"url": "https://i.example.org/l.jpg", "width": 1280}]},
          {"_type": "url", "ie_key": "Tube", "id": "bbb", "url": "/watch?v=bbb", "title": "Soon", "live_status": "is_upcoming"},
          {"_type": "url", "ie_key": "Tube", "id": "ccc", "url": "http://10.0.0.1/secret", "title": "Inside"},
          {"_type": "url", "ie_key": "Tube", "id": "ddd", "url": "file:///etc/passwd", "title": "File"},
          {"_type": "playlist", "id": "nested", "title": "More", "webpage_url": "https://tube.example.org/list?x",
           "entries": [{"id": "no", "url": "https://tube.example.org/no"}]},
          null, 3]}
        """#
    /// One clip as `-J` prints it.
    static let clip = #"""
        {"id": "aaa", "title": "Rain", "extractor": "tube", "extractor_key": "Tube", "duration": 61, "channel": "Lena",
         "webpage_url": "https://tube.example.org/watch?v=aaa", "upload_date": "20260501", "tags": ["rain", "glass"],
         "categories": ["Rain", "Film"], "track": "Drops", "artist": "Lena", "automatic_captions": {"en": [{"url": "x"}]},
         "formats": [
          {"format_id": "sb0", "protocol": "mhtml", "vcodec": "none", "acodec": "none", "url": "https://i.example.org/sb"},
          {"format_id": "140", "protocol": "https", "vcodec": "none", "acodec": "mp4a.40.2", "url": "https://v.example.org/140"},
          {"format_id": "18", "protocol": "https", "vcodec": "avc1.42001E", "acodec": "mp4a.40.2", "height": 360,
           "url": "https://v.example.org/18?expire=1", "http_headers": {"User-Agent": "Mozilla/5.0", "Host": "evil", "X": "a\r\nb"}},
          {"format_id": "22", "protocol": "https", "vcodec": "avc1.64001F", "acodec": "mp4a.40.2", "height": 720,
           "url": "https://v.example.org/22?expire=1", "http_headers": {"Referer": "https://tube.example.org/"}},
          {"format_id": "37", "protocol": "https", "vcodec": "avc1", "acodec": "mp4a", "height": 1080, "url": "https://v.example.org/37"}]}
        """#

    private func feed(_ program: YTDLP, _ pages: [String: String], source: String = "https://tube.example.org/@lena")
        throws
        -> Feed
    {
        try loadFeed(
            sources: [source], provider: ScriptedProvider(pages), options: FeedOptions(ytDLP: program))
    }

    private let page = ["https://tube.example.org/@lena": "<!doctype html><html><body>Nothing"]

    @Test func pageWithoutAFeedIsResolved() throws {
        let program = try ScriptedProgram(printing: Self.channel)
        let feed = try feed(program.ytDLP, page)
        #expect(feed.title == "Night walks")
        #expect(
            (0..<feed.items.count).map { feed.items[$0].url } == [
                "https://tube.example.org/watch?v=aaa", "https://tube.example.org/no",
            ])
        let item = feed.items[0]
        #expect(item.resolver == .ytDLP && item.id == "tube:aaa" && item.link == item.url)
        #expect(item.feed == "https://tube.example.org/@lena")
        #expect(item.title?.contains("glass") == true && item.text == "All of it")
        #expect(item.duration == .milliseconds(61_500) && item.thumbnail == "https://i.example.org/m.jpg")
        #expect(item.published.map(RFC3339.text) == "2026-05-01T12:00:00Z")
        #expect(item.creator == Item.Creator(id: "UC1", name: "Lena", url: "https://tube.example.org/@lena"))
        #expect(item.stats?.likes == 7 && item.stats?.comments == 2)
        #expect(feed.warnings.count == 3, "\(feed.warnings)")
        #expect(feed.warnings.first?.contains("it has not started yet") == true)
        // Its arguments use nothing of the user's, write nothing to the disk, and never take the page for an option.
        let asked = program.text("asked")
        for option in ["--flat-playlist", "-J", "--ignore-config", "--no-cache-dir", "--playlist-end 200"] {
            #expect(asked.contains(option), "\(asked)")
        }
        #expect(asked.hasSuffix("-- https://tube.example.org/@lena\n"))
    }

    @Test func singleClipIsOneItemAndResolvedOnce() throws {
        let program = try ScriptedProgram(printing: Self.clip)
        let ytDLP = program.ytDLP
        let feed = try feed(ytDLP, page)
        #expect(feed.items.count == 1)
        let item = feed.items[0]
        #expect(item.tags == ["rain", "glass", "Film"] && item.sound == Item.Sound(title: "Drops", artist: "Lena"))
        #expect(item.published.map(RFC3339.text) == "2026-05-01T00:00:00Z")
        let resolver = YTDLPResolver(ytDLP)
        let asset = Asset(url: item.url, feed: item.feed, resolver: item.resolver)
        let media = try resolver.resolve(asset, with: ScriptedProvider([:]), cancellation: Cancellation())
        #expect(
            media
                == ResolvedMedia(
                    url: "https://v.example.org/22?expire=1", headers: ["Referer": "https://tube.example.org/"],
                    cacheName: "tube:aaa:22"))
        #expect(program.text("asked").split(separator: "\n").count == 1)
        // When that is no longer valid, yt-dlp runs again.
        _ = try resolver.resolve(asset, with: ScriptedProvider([:]), cancellation: Cancellation())
        let second = try #require(program.text("asked").split(separator: "\n").last)
        #expect(second.contains("--no-playlist") && !second.contains("--flat-playlist"))
        #expect(second.hasSuffix("-- https://tube.example.org/watch?v=aaa"))
    }

    /// A page with two `<video>` elements, as `--flat-playlist` prints it.
    static let page = #"""
        {"id": "page", "title": "Two clips", "_type": "playlist", "extractor_key": "Generic",
         "webpage_url": "https://tube.example.org/@lena", "playlist_count": 2, "entries": [
          {"id": "page-1", "title": "Two clips (1)", "extractor_key": "HTML5MediaEmbed", "extractor": "html5",
           "webpage_url": "https://tube.example.org/@lena", "playlist_index": 1,
           "formats": [{"format_id": "0", "protocol": "http", "vcodec": null, "url": "http://v.example.org/a.mp4"}]},
          {"id": "page-2", "title": "Two clips (2)", "extractor_key": "HTML5MediaEmbed", "extractor": "html5",
           "webpage_url": "https://tube.example.org/@lena", "playlist_index": 2,
           "formats": [{"format_id": "0", "protocol": "http", "vcodec": null, "url": "http://v.example.org/b.mp4"}]}]}
        """#

    @Test func clipsOfOnePageHaveDistinctAddresses() throws {
        let program = try ScriptedProgram(printing: Self.page)
        let ytDLP = program.ytDLP
        let feed = try feed(ytDLP, page)
        let items = (0..<feed.items.count).map { feed.items[$0] }
        #expect(
            items.map(\.url) == [
                "https://tube.example.org/@lena#yt-dlp-entry=page-1",
                "https://tube.example.org/@lena#yt-dlp-entry=page-2",
            ])
        #expect(Set(items.map(\.id)).count == 2)
        #expect(items.allSatisfy { $0.link == "https://tube.example.org/@lena" && $0.resolver == .ytDLP })
        // The list has their media; later the page is requested again, once for all clips.
        let resolver = YTDLPResolver(ytDLP)
        for times in [1, 2] {
            let media = try items.map { item in
                try resolver.resolve(
                    Asset(url: item.url, feed: item.feed, resolver: item.resolver), with: ScriptedProvider([:]),
                    cancellation: Cancellation())
            }
            #expect(media.map(\.url) == ["http://v.example.org/a.mp4", "http://v.example.org/b.mp4"])
            // Other pages have clips with the same names.
            #expect(media.allSatisfy { $0.cacheName == nil })
            let asked = program.text("asked").split(separator: "\n")
            #expect(asked.count == times)
            #expect(
                asked.allSatisfy { $0.contains("--flat-playlist") && $0.hasSuffix("-- https://tube.example.org/@lena") }
            )
        }
        #expect(throws: YTDLP.ResolveError.missingEntry) {
            try ytDLP.single("https://tube.example.org/@lena#yt-dlp-entry=page-3", Cancellation())
        }
    }

    /// An entry without an id, and a list, as `-J` prints them.
    private func unnamed(at page: String, media: String) -> String {
        #"""
        {"title": "\#(media)", "webpage_url": "https://tube.example.org/\#(page)", "extractor_key": "Generic",
         "formats": [{"format_id": "0", "protocol": "http", "url": "http://v.example.org/\#(media).mp4"}]}
        """#
    }

    private func list(at page: String, _ entries: String...) -> String {
        #"""
        {"_type": "playlist", "title": "List", "webpage_url": "https://tube.example.org/\#(page)",
         "extractor_key": "Generic", "entries": [\#(entries.joined(separator: ", "))]}
        """#
    }

    private func media(of feed: Feed, with program: YTDLP) throws -> [String] {
        try (0..<feed.items.count).map { place in
            let item = feed.items[place]
            let asset = Asset(url: item.url, feed: item.feed, resolver: item.resolver)
            let resolver = YTDLPResolver(program)
            return try resolver.resolve(asset, with: ScriptedProvider([:]), cancellation: Cancellation()).url
        }
    }

    /// Each is the first clip of its list, and their address is that of neither list.
    @Test func unnamedClipsOfNestedListsHaveDistinctAddresses() throws {
        let program = try ScriptedProgram(
            printing: list(
                at: "@lena", list(at: "one", unnamed(at: "watch", media: "a")),
                list(at: "two", unnamed(at: "watch", media: "b"))))
        let ytDLP = program.ytDLP
        let feed = try feed(ytDLP, page)
        #expect(
            (0..<feed.items.count).map { feed.items[$0].url } == [
                "https://tube.example.org/watch#yt-dlp-entry=1", "https://tube.example.org/watch#yt-dlp-entry=2",
            ])
        // First from the list, then from the page of the clips.
        for _ in 0..<2 {
            #expect(try media(of: feed, with: ytDLP) == ["http://v.example.org/a.mp4", "http://v.example.org/b.mp4"])
        }
    }

    /// The page of the clips lists another one before them.
    @Test func unnamedClipsAreFoundInTheListOfTheirPage() throws {
        let program = try ScriptedProgram(
            "case \"$*\" in *watch) cat \"$HERE/watch\";; *) cat \"$HERE/list\";; esac")
        try program.folder.write(
            "list", list(at: "@lena", unnamed(at: "watch", media: "a"), unnamed(at: "watch", media: "b")).utf8)
        try program.folder.write(
            "watch",
            list(
                at: "watch", unnamed(at: "other", media: "x"), unnamed(at: "watch", media: "c"),
                unnamed(at: "watch", media: "d")
            ).utf8)
        let ytDLP = program.ytDLP
        let feed = try feed(ytDLP, page)
        #expect(try media(of: feed, with: ytDLP) == ["http://v.example.org/a.mp4", "http://v.example.org/b.mp4"])
        #expect(try media(of: feed, with: ytDLP) == ["http://v.example.org/c.mp4", "http://v.example.org/d.mp4"])
    }

    @Test func entryAddressLoadsOnlyThatClip() throws {
        let source = "https://tube.example.org/@lena#yt-dlp-entry=page-2"
        let program = try ScriptedProgram(printing: Self.page)
        let feed = try feed(program.ytDLP, [source: "<!doctype html><html><body>Nothing"], source: source)
        #expect((0..<feed.items.count).map { feed.items[$0].title } == ["Two clips (2)"])
        #expect(feed.items[0].url == source)
    }

    @Test func entryAddressesRoundTrip() {
        for page in ["https://h/p?q=1", "https://h/p#video", "https://h/#/a&b"] {
            for entry in [nil, "page-2", "a&b#c=ü %"] {
                let address = YTDLPAddress(page: page, entry: entry)
                #expect(YTDLPAddress(address.url) == address)
            }
        }
    }

    @Test func readsChannelTabsInOrder() throws {
        let program = try ScriptedProgram(
            printing: #"""
                {"id": "UC1", "title": "Lena", "channel": "Lena", "_type": "playlist", "playlist_count": 2, "entries": [
                 {"_type": "playlist", "title": "Lena - Videos", "webpage_url": "https://tube.example.org/@lena/videos",
                  "extractor_key": "TubeTab", "playlist_count": 2, "entries": [
                   {"_type": "url", "ie_key": "Tube", "id": "aaa", "url": "https://tube.example.org/watch?v=aaa", "title": "A"},
                   {"_type": "url", "ie_key": "Tube", "id": "bbb", "url": "https://tube.example.org/watch?v=bbb", "title": "B"}]},
                 {"_type": "playlist", "title": "Lena - Shorts", "webpage_url": "https://tube.example.org/@lena/shorts",
                  "extractor_key": "TubeTab", "entries": [
                   {"_type": "url", "ie_key": "Tube", "id": "ccc", "url": "https://tube.example.org/shorts/ccc", "title": "C"},
                   {"_type": "playlist", "title": "Deeper", "webpage_url": "https://tube.example.org/deeper", "entries": [
                    {"id": "no", "url": "https://tube.example.org/no"}]}]}]}
                """#)
        let feed = try feed(program.ytDLP, page)
        #expect(feed.title == "Lena")
        #expect((0..<feed.items.count).map { feed.items[$0].title } == ["A", "B", "C"])
        #expect((0..<feed.items.count).allSatisfy { feed.items[$0].creator?.name == "Lena" })
        #expect(feed.warnings.count == 1 && feed.warnings[0].contains("it is a list"), "\(feed.warnings)")
    }

    @Test func feedWithoutMediaResolvesItsPage() throws {
        let program = try ScriptedProgram(printing: Self.channel)
        let pages = [
            "https://tube.example.org/@lena":
                "<!doctype html><head><link rel=alternate type=application/rss+xml href=/rss></head>",
            "https://tube.example.org/rss":
                "<rss><channel><item><title>a</title><link>https://tube.example.org/a</link></item></channel></rss>",
        ]
        #expect(try feed(program.ytDLP, pages).items.count == 2)
        #expect(throws: FeedsError.noEntryWithMedia("https://tube.example.org/@lena", entries: 1)) {
            try feed(YTDLP(named: ""), pages)
        }
    }

    @Test(arguments: [
        (
            "echo 'WARNING: old' >&2; echo 'ERROR: [tube] aaa: Video \u{1B}[31munavailable' >&2; echo null; exit 1",
            "[tube] aaa: Video \u{FFFD}unavailable"
        ),
        ("echo 'env: python3: No such file' >&2; exit 127", "env: python3: No such file"),
        ("kill -9 $$", "invalid output"), ("echo '<html>'", "invalid output"),
        ("printf '{\"title\": \"cut'", "invalid output"), ("echo '[1,2]'", "invalid output"),
        ("head -c 3000000 /dev/zero", "more output than 1 MB"), ("sleep 1000", "no output for 1 s"),
    ])
    func ytDLPErrorsAreReported(script: String, why: String) throws {
        let scripted = try ScriptedProgram(script)
        let program = scripted.ytDLP(silence: .seconds(1))
        do {
            _ = try feed(program, page)
            Issue.record("it returned something")
        } catch {
            let message = "this web page has no feed, and yt-dlp found nothing to play: \(why)"
            #expect("\(error)".hasSuffix(message), "\(error)")
        }
        let asset = Asset(url: "https://tube.example.org/a", resolver: .ytDLP)
        #expect(
            throws: BytesError(verb: .open, url: asset.url, reason: .unresolved(by: "yt-dlp", why: why))
        ) {
            try YTDLPResolver(program).resolve(asset, with: ScriptedProvider([:]), cancellation: Cancellation())
        }
    }

    @Test func withoutYTDLPThePageErrorGivesAdvice() throws {
        for name in ["", "/nowhere/yt-dlp", "yt-dlp-that-is-nowhere"] {
            #expect(throws: FeedsError.pageWithoutFeed("https://tube.example.org/@lena")) {
                try feed(YTDLP(named: name), page)
            }
        }
    }

    @Test func itIsFoundInPATHButNotInTheFolderOfTheUser() throws {
        let program = try ScriptedProgram("true")
        let found = YTDLP(variables: { $0 == "PATH" ? "relative:.:/nowhere:\(program.folder.path)" : nil })
        #expect(found.path == program.path)
        #expect(YTDLP(variables: { $0 == "PATH" ? "." : nil }).path == nil)
        #expect(YTDLP(named: program.folder.path).path == nil)
    }

    @Test func closingKillsRunningPrograms() async throws {
        let program = try ScriptedProgram("echo $$ > \"$HERE/self\"; sleep 1000")
        let ytDLP = program.ytDLP
        let trouble = Mutex<YTDLP.ResolveError?>(nil)
        let hasEnded = DispatchSemaphore(value: 0)
        // Not in a task: it would wait for the few threads of tasks, which other tests can keep for a minute.
        Thread.detachNewThread {
            do throws(YTDLP.ResolveError) {
                _ = try ytDLP.list("https://tube.example.org/", Cancellation())
            } catch {
                trouble.withLock { $0 = error }
            }
            hasEnded.signal()
        }
        #expect(await onThread { !program.line("self").isEmpty })
        ytDLP.close()
        await onThread { hasEnded.wait() }
        #expect(trouble.withLock(\.self) == .program(.cancelled))
        #expect(throws: YTDLP.ResolveError.program(.cancelled)) {
            try ytDLP.single("https://tube.example.org/", Cancellation())
        }
    }

    @Test func hostileAnswersAreBounded() throws {
        func info(_ text: String) throws -> YTDLPInfo? { try YTDLPInfo(Array(text.utf8)) }
        #expect(try info(String(repeating: "[", count: 100_000)) == nil)
        #expect(throws: JSONError.self) { try info(#"{"entries": "# + String(repeating: "[", count: 100_000)) }
        #expect(try info("null") == nil && info("") == nil)
        let many = String(repeating: #"{"url": "https://h/"},"#, count: 20_000)
        #expect(try info(#"{"_type": "playlist", "entries": [\#(many)1]}"#)?.entries.count == 1_000)
        let forms = String(repeating: #"{"url": "https://h/", "ext": "mp4"},"#, count: 20_000)
        #expect(try info(#"{"formats": [\#(forms)1]}"#)?.formats.count == 1_000)
        let long = String(repeating: "a", count: 300_000)
        #expect(try info(#"{"title": "\#(long)", "id": "x"}"#)?["title"] == nil)
        let odd = #"{"_type": 3, "title": [], "url": {}, "formats": {}, "entries": 5, "duration": -1, "thumbnails": 4}"#
        #expect(try info(odd)?.items(at: "https://h/p.php").count == 1)
    }
}
