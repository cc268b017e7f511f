import Bytes
import Foundation
import Model
import Platform
import TestSupport
import Testing

@testable import Feeds

@Suite struct ManifestTests {
    private func parse(_ text: String, at url: String = "file:///m/feed.json") throws -> ReadManifest {
        try ReadManifest(Array(text.utf8), at: url)
    }

    @Test func everyFieldIsRead() throws {
        let manifest = try parse(
            """
            {"title": "Night", "next": "feed2.json", "engagement": "https://h/e",
             "accepts": ["like_comment", "new_word", 3], "unknown": [1, {"x": null}],
             "headers": {"Referer": "https://h/", "X-A": "1"}, "items": [{"id": "v1", "url": "v/master.m3u8", "thumbnail": "v1.jpg", "blurhash": "LEHV6n", "title": "T", "description": "D",
              "duration": "21.4", "published": "2026-05-01T12:00:00Z",
              "creator": {"id": "c7", "name": "N", "avatar": "a.jpg", "url": "https://h/c7"}, "tags": ["street", "food"],
              "sound": {"title": "S", "artist": "A"}, "trust": {"score": 82, "label": "L", "reasons": ["r"]},
              "stats": {"likes": 1234, "dislikes": 3, "comments": "45", "saves": 9, "shares": 2}, "link": "https://h/v1", "own": true, "sensitive": true, "warning": "W",
              "headers": {"x-a": "2"}}]}
            """)
        #expect(manifest.title == "Night")
        #expect(manifest.next == "file:///m/feed2.json")
        #expect(manifest.engagement == "https://h/e" && manifest.abilities == [.likeComment])
        #expect(manifest.warnings == [])
        var expected = Item(
            id: "v1", url: "file:///m/v/master.m3u8", thumbnail: "file:///m/v1.jpg", blurHash: "LEHV6n", title: "T",
            text: "D",
            duration: .milliseconds(21_400), published: Date(timeIntervalSince1970: 1_777_636_800),
            creator: .init(id: "c7", name: "N", avatar: "file:///m/a.jpg", url: "https://h/c7"),
            tags: ["street", "food"],
            sound: .init(title: "S", artist: "A"), trust: .init(score: 82, label: "L", reasons: ["r"]),
            stats: .init(likes: 1234, dislikes: 3, comments: 45, saves: 9, shares: 2), link: "https://h/v1", own: true,
            headers: ["Referer": "https://h/", "x-a": "2"])
        (expected.isSensitive, expected.warning) = (true, "W")
        #expect(manifest.items == [expected])
    }

    @Test func sensitiveItemsCanBeHidden() throws {
        let provider = ScriptedProvider([
            "https://h/feed.json":
                #"["https://h/a.mp4", {"url": "https://h/b.mp4", "sensitive": true}, "https://h/c.mp4"]"#
        ])
        var options = FeedOptions()
        #expect(try loadFeed(sources: ["https://h/feed.json"], provider: provider, options: options).items.count == 3)
        options.skipsSensitive = true
        let feed = try loadFeed(sources: ["https://h/feed.json"], provider: provider, options: options)
        #expect((0..<feed.items.count).map { feed.items[$0].url } == ["https://h/a.mp4", "https://h/c.mp4"])
        #expect(feed.warnings.isEmpty)
    }

    @Test func allFormsOfAManifestAreRead() throws {
        #expect(try parse("{\"videos\": [\"a.mp4\"]}").items.map(\.url) == ["file:///m/a.mp4"])
        let bare = try parse("\u{FEFF} [\"https://h/a.mp4\", {\"url\": \"b_c.mp4\"}]").items
        #expect(bare.map(\.url) == ["https://h/a.mp4", "file:///m/b_c.mp4"])
        #expect(bare[1].id == ItemID.hash(of: bare[1].url))
        #expect(bare[1].title == "b c")
    }

    @Test func badItemsAreSkippedWithIndexAndReason() throws {
        let manifest = try parse(
            #"[7, {"title": "x"}, {"url": 3}, {"url": ""}, {"url": "rtsp://h/\u001b"}, "ok.mp4", {"url": "t.mp4", "trust": {"score": 400}, "stats": 3, "tags": "one", "published": "soon"}]"#
        )
        #expect(manifest.items.map(\.url) == ["file:///m/ok.mp4", "file:///m/t.mp4"])
        #expect(
            manifest.warnings == [
                "item 0 is skipped: it is neither an object nor a URL", "item 1 is skipped: it has no \"url\"",
                "item 2 is skipped: its \"url\" is not a string", "item 3 is skipped: its \"url\" is empty",
                "item 4 is skipped: this feed may not link to 'rtsp://h/%1B'",
            ])
        let odd = manifest.items[1]
        #expect(odd.trust == nil && odd.stats == nil && odd.tags == ["one"] && odd.published == nil)
    }

    @Test func aRemoteManifestNeverLeadsToFiles() throws {
        let manifest = try parse(
            #"{"next": "file:///x", "items": ["file:///etc/passwd", "a.mp4", {"url": "b.mp4", "thumbnail": "file:///secret.jpg"}]}"#,
            at: "https://h/feed.json")
        #expect(manifest.items.map(\.url) == ["https://h/a.mp4", "https://h/b.mp4"])
        #expect(manifest.items[1].thumbnail == nil)
        #expect(manifest.next == nil)
    }

    @Test(arguments: [
        ("{\"items\": [}", "line 1, column 12: this is not JSON"),
        ("[1,\n 2", "line 2, column 3: a comma or ] is missing"),
        ("[\"abc", "line 1, column 6: a string has no closing quote"),
        ("[] x", "line 1, column 4: unexpected text after the value"),
        ("", "line 1, column 1: it ends too early"),
        ("[\"\\u12g4\"]", "line 1, column 7: \\u needs four hexadecimal digits"),
        (String(repeating: "[", count: 70), "line 1, column 65: it is nested too deeply"),
    ])
    func invalidJSONIsReportedWithItsPlace(text: String, why: String) {
        let expected = "cannot read '/m/feed.json' as a manifest: \(why)"
        do {
            _ = try parse(text)
            Issue.record("it was read")
        } catch {
            #expect("\(error)" == expected)
        }
    }

    @Test func anOverflowingNumberOnlyLosesItsField() throws {
        let value = try parseJSON(Array(#"{"duration": 1e999, "likes": -1e999, "title": "x"}"#.utf8))
        #expect(value["duration"] == nil && value["likes"] == nil && value["title"] == .text("x"))
    }

    @Test func surrogatesAreJoinedOrReplaced() throws {
        #expect(try parseJSON(Array(#""\ud83c\udf05 \ud800 \u00e9""#.utf8)) == .text("🌅 \u{FFFD} é"))
    }

    @Test func thePrintedItemReadsBackTheSame() throws {
        let item = Item(
            id: "a\"\\\n\u{1B}\u{202E}", url: "file:///x%0A.mp4", title: "🌅", text: "l1\nl2\u{9B}",
            duration: .milliseconds(12_340),
            published: Date(timeIntervalSince1970: 1_777_636_800.25), creator: .init(name: "N"), tags: ["a", "b"],
            sound: .init(title: "S"), trust: .init(score: 12, reasons: ["r"]), stats: .init(likes: 1),
            link: "https://h/", own: true, headers: ["Referer": "https://h/"])
        let line = ItemJSON.line(item, source: "file:///feed.json")
        #expect(
            line.unicodeScalars.allSatisfy { $0.value >= 0x20 && !(0x7F...0x9F).contains($0.value) && $0 != "\u{202E}" }
        )
        #expect(
            line.hasSuffix("\"own\":true,\"headers\":{\"Referer\":\"https://h/\"},\"source\":\"file:///feed.json\"}"))
        #expect(try parse("[\(line)]").items == [item])
    }

    /// It would have flick start a program for a page of the feed's choice.
    @Test func noManifestNamesAResolver() throws {
        let item = Item(id: "1", url: "https://h/page", feed: "https://h/", resolver: .ytDLP)
        let line = ItemJSON.line(item, source: "s")
        #expect(line.contains(#""resolver":"yt-dlp""#))
        #expect(try parse("[\(line)]").items.map(\.resolver) == [nil])
        // Only a line of flick's own does.
        #expect(
            ItemJSON.item(ofLine: line, feed: "https://h/", privateHosts: .sameOrigin)?.resolver == .ytDLP)
        let odd = line.replacing("yt-dlp", with: "sh")
        #expect(ItemJSON.item(ofLine: odd, feed: "https://h/", privateHosts: .sameOrigin)?.resolver == nil)
    }

    /// As on its page, and so in the history.
    @Test func aFolderStandsForTheCreator() throws {
        var item = Item(id: "1", url: "file:///clips/Ada/a.mp4")
        item.folder = "Ada"
        #expect(ItemJSON.line(item, source: "s").contains(#""creator":{"name":"Ada"}"#))
        item.creator = Item.Creator(name: "Grace")
        #expect(ItemJSON.line(item, source: "s").contains(#""creator":{"name":"Grace"}"#))
    }

    @Test(arguments: [
        ("2026-05-01T12:00:00Z", "2026-05-01T12:00:00Z"), ("2026-05-01t14:00:00.5+02:00", "2026-05-01T12:00:00.500Z"),
        ("2026-05-01", "2026-05-01T00:00:00Z"), ("1969-12-31 23:59:59Z", "1969-12-31T23:59:59Z"),
        ("2024-02-29T00:00:00-0130", "2024-02-29T01:30:00Z"), ("0001-01-01T00:00:00Z", "0001-01-01T00:00:00Z"),
        // A leap second counts as the one before it.
        ("2016-12-31T23:59:60Z", "2016-12-31T23:59:59Z"),
    ])
    func datesAreRFC3339(text: String, expected: String) throws {
        #expect(RFC3339.text(from: try #require(RFC3339.date(from: text))) == expected)
    }

    @Test(arguments: [
        "2025-02-29", "2026-13-01", "soon", "2026-05-01T25:00:00Z", "2026-05-01T12:00:61Z", "2026-05-01T12:00:00Zx", "",
    ])
    func otherTextsAreNoDates(text: String) { #expect(RFC3339.date(from: text) == nil) }
}

@Suite struct SourceTests {
    let folder = TemporaryFolder()

    /// The feed of `sources`, with `bytes` in a pipe as standard input.
    private func load(_ sources: [String], input bytes: [UInt8] = []) throws -> Feed {
        var ends: [Int32] = [0, 0]
        try #require(pipe(&ends) == 0)
        try #require(write(ends[1], bytes, bytes.count) == bytes.count)
        close(ends[1])
        defer { close(ends[0]) }
        return try loadFeed(sources: sources, options: FeedOptions(standardInput: ends[0]))
    }

    private func urls(_ feed: Feed) -> [String] { (0..<feed.items.count).map { feed.items[$0].url } }
    private func url(_ path: String) -> String { FileURL.url(path: path.utf8) }

    @Test func severalSourcesFollowEachOther() throws {
        let clip = try folder.write("x.mp4", [0])
        try folder.write("f/2.mp4")
        let manifest = try folder.write("m.json", Array("[\"f/2.mp4\", 3]".utf8))
        let feed = try load([clip, folder.path + "/f", manifest, clip])
        #expect(urls(feed) == [clip, folder.path + "/f/2.mp4", folder.path + "/f/2.mp4", clip].map(url))
        #expect(feed.warnings.count == 1)
    }

    @Test func linesThatAreNoUTF8LeadToTheirFolders() throws {
        let path = Array(folder.path.utf8) + [0x2F, 0xE9]
        try #require(path.withCString { mkdir($0, 0o700) } == 0)
        let clip = path + Array("/x.mp4".utf8)
        let made = clip.withCString { creat($0, 0o600) }
        try #require(made >= 0)
        close(made)
        #expect(urls(try load(["-"], input: path + [0x0A])) == [FileURL.url(path: clip)])
    }

    @Test func aManifestIsRecognisedByItsContent() throws {
        let feed = try load([try folder.write("list.txt", Array("\n {\"title\": \"T\", \"items\": [\"a.mp4\"]}".utf8))])
        #expect(feed.title == "T")
    }

    @Test func listsAreSeparatedByLinesOrNUL() throws {
        let lines = try load(["-"], input: Array("/a.mp4\r\n\n/b c.mp4\n".utf8))
        #expect(urls(lines) == ["file:///a.mp4", "file:///b%20c.mp4"])
        let nul = try load(["-"], input: Array("/a\n1.mp4\0/b.mp4\0".utf8))
        #expect(urls(nul) == ["file:///a%0A1.mp4", "file:///b.mp4"])
    }

    @Test func oneBadSourceAmongGoodOnesIsAWarning() throws {
        let clip = try folder.write("x.mp4", [0])
        let feed = try load(["/no/such.mp4", clip])
        #expect(urls(feed) == [url(clip)])
        #expect(feed.warnings == ["cannot open '/no/such.mp4': no such file"])
    }

    @Test func theFirstErrorIsThrownIfNothingCanBePlayed() {
        #expect(
            throws: FeedsError.unreadable(BytesError(verb: .open, url: "file:///no/such.mp4", reason: .system(ENOENT)))
        ) {
            try load(["/no/such.mp4", "https://h/x"])
        }
        #expect(throws: FeedsError.noSources) { try load([]) }
    }

    @Test func aPlaylistOfAStreamIsOneClip() throws {
        let list = try folder.write("x.m3u8", Array("#EXTM3U\n#EXT-X-TARGETDURATION:4\n".utf8))
        #expect(urls(try load([list])) == [url(list)])
    }
}
