import Foundation
import Model
import TestSupport
import Testing

@testable import Feeds

/// JSON Feed 1.0 and 1.1.
@Suite struct JSONFeedTests {
    private func entry(_ text: String) throws -> FeedEntry? {
        FeedEntry(jsonFeed: try parseJSON(Array(text.utf8)), base: "https://h.example/feeds/all.json")
    }

    @Test func everyFieldIsRead() throws {
        let entry = try entry(
            """
            {"id": "1", "url": "/post/1", "external_url": "https://o.example/x", "title": "A <b> & B", "content_html": "<p>Hi</p>",
             "summary": "S", "image": "../i.jpg", "banner_image": "b.jpg", "date_published": "2026-05-01T12:00:00Z",
             "date_modified": "2026-05-01T14:00:00+01:00", "tags": ["street", 7, null], "language": "de",
             "authors": [{"name": "Ann", "url": "https://a.example/", "avatar": "a.png"}, {"name": "Bo"}], "author": {"name": "Old"},
             "attachments": [{"url": "v.mp4", "mime_type": "Video/MP4; codecs=x", "title": "V", "size_in_bytes": 123, "duration_in_seconds": 21.4}]}
            """)
        var video = FeedMedia(url: "https://h.example/feeds/v.mp4", type: "video/mp4", length: 123)
        (video.duration, video.language, video.title) = (.milliseconds(21_400), "de", "V")
        let expected = FeedEntry(
            id: "1", title: .init(text: "A <b> & B", isMarkup: false),
            description: .init(text: "<p>Hi</p>", isMarkup: true),
            link: "https://h.example/post/1", published: Date(timeIntervalSince1970: 1_777_636_800),
            updated: Date(timeIntervalSince1970: 1_777_640_400),
            creator: .init(name: "Ann", avatar: "https://h.example/feeds/a.png", url: "https://a.example/"),
            tags: ["street", "7"], thumbnails: ["https://h.example/i.jpg", "https://h.example/feeds/b.jpg"],
            media: [video])
        #expect(entry == expected)
    }

    @Test(arguments: [
        ("{\"content_text\": \"t\", \"content_html\": \"h\", \"summary\": \"s\"}", "t", false),
        ("{\"content_html\": \"h\", \"summary\": \"s\"}", "h", true),
        ("{\"content_text\": \" \", \"summary\": \"s\"}", "s", false),
    ])
    func theBestTextIsTheDescription(text: String, expected: String, isMarkup: Bool) throws {
        #expect(try entry(text)?.description == .init(text: expected, isMarkup: isMarkup))
    }

    @Test func oldAndOddFormsAreRead() throws {
        #expect(try entry(#"{"id": 12, "author": {"name": "Old"}}"#)?.creator == .init(name: "Old"))
        #expect(try entry(#"{"id": 12}"#)?.id == "12")
        let date = try entry(#"{"date_published": "Fri, 01 May 2026 12:00:00 GMT", "date_modified": "soon"}"#)
        #expect(date?.published == Date(timeIntervalSince1970: 1_777_636_800) && date?.updated == nil)
        #expect(try entry(#"{"id": 12.5, "tags": "one"}"#)?.tags == ["one"])
        #expect(try entry(#"{"external_url": "https://o.example/x"}"#)?.link == "https://o.example/x")
        #expect(
            try entry(#"{"authors": [], "author": {"url": "https://a.example/"}}"#)?.creator?.url
                == "https://a.example/")
    }

    @Test func fieldsOfTheWrongTypeAreLeftOut() throws {
        let entry = try entry(
            """
            {"id": {}, "url": 3, "title": ["x"], "content_html": 4, "image": {}, "date_published": 5, "tags": 6, "authors": "x", "author": 3,
             "attachments": {"url": "v.mp4"}, "language": []}
            """)
        #expect(entry == FeedEntry(tags: ["6"]))
        let attachments =
            #"[3, null, {}, {"url": ""}, {"url": 3}, {"url": "v.mp4", "mime_type": 3, "size_in_bytes": -1, "duration_in_seconds": "x"}]"#
        #expect(
            try self.entry(#"{"attachments": \#(attachments)}"#)?.media == [
                FeedMedia(url: "https://h.example/feeds/v.mp4")
            ])
        for text in ["3", "null", "[]", "\"https://h.example/v.mp4\""] { #expect(try self.entry(text) == nil) }
    }

    /// Equal titles are one thing in several forms; others are something else.
    @Test(
        arguments: [
            ([("a.mp3", "Talk"), ("b.mp4", "Talk")], ["a.mp3", "b.mp4"]),
            ([("a.mp3", "Talk"), ("b.mp4", "Trailer")], ["a.mp3"]),
            (
                [("i.jpg", "Cover"), ("b.mp4", "Film"), ("c.mp4", "Extra"), ("d.webm", "Film")],
                ["i.jpg", "b.mp4", "d.webm"]
            ),
            ([("a.mp3", nil), ("b.mp4", nil)], ["a.mp3", "b.mp4"]), ([("p.pdf", nil), ("b.mp4", "Film")], ["b.mp4"]),
            ([("p.pdf", nil)], ["p.pdf"]),
        ] as [([(String, String?)], [String])])
    func attachmentsWithOneTitleAreAlternates(given: [(String, String?)], kept: [String]) throws {
        let attachments = given.map { name, title in
            #"{"url": "\#(name)""# + (title.map { #", "title": "\#($0)""# } ?? "") + "}"
        }
        let entry = try entry(#"{"attachments": [\#(attachments.joined(separator: ","))]}"#)
        #expect(entry?.media.map(\.url) == kept.map { "https://h.example/feeds/" + $0 })
    }

    @Test func aPostThatPointsToAFileIsThatFile() throws {
        let entry = try entry(#"{"url": "/post/1", "external_url": "https://o.example/x.mp4"}"#)
        #expect(
            entry?.media == [FeedMedia(url: "https://o.example/x.mp4")] && entry?.link == "https://h.example/post/1")
    }

    @Test func noFieldIsLongerThanItsLimit() throws {
        let long = String(repeating: "x", count: 300_000)
        let many = Array(repeating: "{\"url\": \"v.mp4\"}", count: 500).joined(separator: ",")
        let entry = try entry(
            """
            {"id": "\(long)", "url": "\(long)", "title": "\(long)", "content_html": "\(long)", "image": "\(long)", "language": "\(long)",
             "authors": [{"name": "\(long)"}], "tags": ["\(long)"], "attachments": [\(many), {"url": "\(long)"}]}
            """)
        let read = try #require(entry)
        #expect(read.id?.count == ItemLimit.url && read.link == nil && read.thumbnails == [])
        #expect(
            read.title?.text.count == ItemLimit.title && read.description?.text.count == 8 * ItemLimit.text)
        #expect(read.creator?.name?.count == ItemLimit.word && read.tags.map(\.count) == [ItemLimit.word])
        #expect(read.media.count == ItemLimit.list)
    }

    @Test func damagedEntriesAreRead() throws {
        let text =
            #"{"id": 1, "title": "T", "authors": [{"name": "N"}], "attachments": [{"url": "v.mp4", "title": "x", "size_in_bytes": 12}], "tags": ["a"]}"#
        var random = SeededRandom(state: 3)
        var read = 0
        for _ in 0..<2_000 {
            var bytes = Array(text.utf8)
            for _ in 0..<3 {
                bytes[Int.random(in: 0..<bytes.count, using: &random)] = .random(in: 0x20...0x7E, using: &random)
            }
            let value: JSON
            // Most are no JSON then, which is the parser's to say.
            do { value = try parseJSON(bytes) } catch is JSONError { continue }
            if let entry = FeedEntry(jsonFeed: value, base: "https://h.example/") {
                _ = ItemMapper.item(entry, need: MediaNeed())
                read += 1
            }
        }
        #expect(read > 100)
    }
}
