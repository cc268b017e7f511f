import Foundation
import Model
import TestSupport
import Testing

@testable import Feeds

/// Files that describe a clip beside them.
@Suite struct SidecarTests {
    let folder = TemporaryFolder()

    private func items() throws -> [String: Item] {
        let items = try loadFeed(sources: [folder.path]).items
        return Dictionary(
            uniqueKeysWithValues: (0..<items.count).map { index in
                (String(items[index].url.dropFirst(FileURL.url(path: folder.path.utf8).count + 1)), items[index])
            })
    }

    private func url(_ name: String) -> String { FileURL.url(path: (folder.path + "/" + name).utf8) }

    private static let info = """
        {"id": "x1", "title": " Tram 28 ", "formats": [{"url": "https://example.org/v.mp4", "title": "no"}],
        "thumbnail": "https://example.org/t.jpg", "description": "Up the hill.\\n", "channel": "Lisbon", "channel_id": "UC1",
        "channel_url": "https://example.org/c", "uploader": "someone", "timestamp": 1777636800.0, "upload_date": "20260430",
        "tags": ["tram", 7, null, "city"], "duration": 61.25, "webpage_url": "https://example.org/watch?v=x1",
        "like_count": 12, "comment_count": 3, "dislike_count": null, "_type": "video", "http_headers": {"X": "y"}}
        """

    @Test func ytDLPsWordsAreTheItems() throws {
        try folder.write("Tram 28 [x1].mp4")
        try folder.write("Tram 28 [x1].info.json", Self.info.utf8)
        let item = try #require(try items()["Tram%2028%20%5Bx1%5D.mp4"])
        #expect(item.title == "Tram 28" && item.text == "Up the hill." && item.tags == ["tram", "7", "city"])
        #expect(
            item.creator == Item.Creator(id: "UC1", name: "Lisbon", url: "https://example.org/c")
                && item.published == Date(timeIntervalSince1970: 1_777_636_800))
        #expect(item.duration == .milliseconds(61_250) && item.link == "https://example.org/watch?v=x1")
        #expect(item.stats == Item.Stats(likes: 12, comments: 3))
        // No server is queried for the parts of a file.
        #expect(item.thumbnail == nil && item.headers.isEmpty && item.id == ItemID.hash(of: item.url))
    }

    @Test func commonNamesOfFieldsAreRead() throws {
        try folder.write("a.mp4")
        let own =
            #"{"name": "A", "summary": "words", "author": "Ada", "hashtags": ["x"], "date": "2026-05-01T00:00:00Z"}"#
        try folder.write("a.json", own.utf8)
        let item = try #require(try items()["a.mp4"])
        #expect(item.title == "A" && item.text == "words" && item.creator?.name == "Ada" && item.tags == ["x"])
        #expect(item.published != nil)
        #expect(Sidecar.remarks(beside: Array("\(folder.path)/a.mp4".utf8)).isEmpty)
        // Its own name counts more.
        try folder.write("b.mp4")
        try folder.write("b.json", #"{"caption": "less", "description": "more"}"#.utf8)
        #expect(try items()["b.mp4"]?.text == "more")
    }

    @Test func unknownFieldsAreReported() throws {
        func remarks(_ text: String) throws -> [String] {
            try folder.write("a.mp4.json", text.utf8)
            return Sidecar.remarks(beside: Array("\(folder.path)/a.mp4".utf8)).map {
                $0.split(separator: "/").last.map(String.init) ?? ""
            }
        }
        #expect(
            try remarks(#"{"titel": "A", "title": "B", "zoom\u001b": 2}"#) == [
                "a.mp4.json': unknown key 'titel'", "a.mp4.json': unknown key 'zoom\u{FFFD}'",
            ])
        #expect(try remarks("[]") == ["a.mp4.json': it is not an object"])
        #expect(Sidecar.remarks(beside: Array("\(folder.path)/none.mp4".utf8)).isEmpty)
    }

    /// Titles in windows-1250, windows-1251 and Shift_JIS, each byte as a character of Latin-1.
    @Test(arguments: [
        ("P\u{F8}\u{ED}li\u{9A} \u{9E}lu\u{9D}ou\u{E8}k\u{FD} k\u{F9}\u{F2}", "Příliš žluťoučký kůň"),
        ("Ïðèâåò, êàê äåëà?", "Привет, как дела?"),
        ("\u{82}±\u{82}ñ\u{82}É\u{82}¿\u{82}Í\u{81}A\u{89}½\u{82}ð", "こんにちは、何を"),
    ]) func nationalEncodingsAreDetected(bytes: String, title: String) throws {
        let sidecar = #"{"id": "x1", "title": "\#(bytes)"}"#.unicodeScalars.map { UInt8($0.value) }
        try folder.write("a.mp4")
        try folder.write("a.json", sidecar)
        try folder.write("b.mp4")
        try folder.write("b.info.json", sidecar)
        let items = try items()
        #expect(items["a.mp4"]?.title == title && items["b.mp4"]?.title == title)
    }

    @Test func uploadDateIsParsedAndInvalidDatesAreIgnored() throws {
        func published(_ fields: String) throws -> Date? {
            try YTDLPInfo(factsOf: Array("{\"title\": \"a\"\(fields)}".utf8)).item(ofFile: Sidecar.nowhere).published
        }
        #expect(try published(#", "upload_date": "20260501""#) == Date(timeIntervalSince1970: 1_777_593_600))
        #expect(
            try published(#", "release_timestamp": 5, "upload_date": "20260501""#) == Date(timeIntervalSince1970: 5))
        for bad in [
            #", "upload_date": "20261301""#, #", "upload_date": "2026""#, #", "upload_date": 20260501"#,
            #", "upload_date": "00000101""#, #", "timestamp": 1e300"#, #", "timestamp": "soon""#,
        ] { #expect(try published(bad) == nil, "\(bad)") }
        let odd = """
            {"title": ["x"], "description": {"a": 1}, "channel": 5, "tags": "tram", "duration": -1, "like_count": -2,
            "webpage_url": "file:///etc/passwd", "channel_url": "http://127.0.0.1/", "uploader": "  "}
            """
        let info = try YTDLPInfo(factsOf: Array(odd.utf8))
        var item = try info.item(ofFile: Sidecar.nowhere)
        item.title = nil
        #expect(!info.hasTitle && item == Item(id: ItemID.hash(of: Sidecar.nowhere), url: Sidecar.nowhere))
    }

    @Test func truncatedSidecarKeepsItsFirstFields() throws {
        try folder.write("a.mp4")
        try folder.write("a.info.json", Self.info.utf8.prefix(200))
        let whole = #"{"title": "long", "formats": [\#(String(repeating: "0,", count: 1 << 20))0], "channel": "late"}"#
        try folder.write("b.mp4")
        try folder.write("b.info.json", whole.utf8)
        try folder.write("c_c.mp4")
        try folder.write("c_c.info.json", "<html>".utf8)
        let items = try items()
        #expect(items["a.mp4"]?.title == "Tram 28" && items["a.mp4"]?.text == "Up the hill.")
        #expect(items["b.mp4"]?.title == "long" && items["b.mp4"]?.creator == nil)
        #expect(items["c_c.mp4"]?.title == "c c")
    }

    @Test func flicksOwnWordsGoOverYtDLPsAndTheFullerNameGoesFirst() throws {
        try folder.write("a.mp4")
        try folder.write("a.info.json", Self.info.utf8)
        try folder.write("a.json", #"{"title": "stem", "tags": ["x"]}"#.utf8)
        try folder.write("b.mp4")
        try folder.write("b.json", #"{"title": "stem"}"#.utf8)
        try folder.write(
            "b.mp4.json",
            #"{"title": "full", "url": "https://example.org/other", "id": "7", "headers": {"A": "b"}}"#.utf8)
        let items = try items()
        #expect(items["a.mp4"]?.title == "stem" && items["a.mp4"]?.tags == ["x"])
        #expect(items["a.mp4"]?.creator?.name == "Lisbon")
        #expect(items["b.mp4"]?.title == "full" && items["b.mp4"]?.id == ItemID.hash(of: url("b.mp4")))
        #expect(items["b.mp4"]?.headers == [:])
    }

    @Test func picturesBesideClipsAreThumbnails() throws {
        for ending in ["jpg", "jpeg", "png", "webp"] {
            try folder.write("deep/\(ending).mp4")
            try folder.write("deep/\(ending).\(ending)")
            #expect(try items()["deep/\(ending).mp4"]?.thumbnail == url("deep/\(ending).\(ending)"))
        }
        // Another clip's, another folder's, a folder.
        try folder.write("lone.mp4")
        try folder.write("jpg.mp4")
        try folder.write("lone.info.jpg")
        try folder.folder("lone.jpg")
        #expect(try items()["lone.mp4"]?.thumbnail == nil && items()["jpg.mp4"]?.thumbnail == nil)
        // flick's own sidecar names an image beside it, or elsewhere.
        try folder.write("deep/jpg.json", #"{"thumbnail": "covers/1.png"}"#.utf8)
        try folder.write("deep/png.json", #"{"thumbnail": "https://example.org/1.png"}"#.utf8)
        let items = try items()
        #expect(items["deep/jpg.mp4"]?.thumbnail == url("deep/covers/1.png"))
        #expect(items["deep/png.mp4"]?.thumbnail == "https://example.org/1.png")
    }

    @Test func subtitlesAndSidecarsAreNoClips() throws {
        for name in ["a.mp4", "a.vtt", "a.srt", "a.en.vtt", "a.json", "a.info.json", "a.jpg"] { try folder.write(name) }
        #expect(try items().keys.sorted() == ["a.mp4"])
    }

    /// A pipe would keep its reader waiting.
    @Test func onlyRegularFilesAreRead() throws {
        try folder.write("a_a.mp4")
        try #require(mkfifo(folder.path + "/a_a.json", 0o600) == 0)
        try folder.link("b.mp4", to: "a_a.mp4")
        try folder.link("b.json", to: "real")
        try folder.write("real", #"{"title": "linked"}"#.utf8)
        let items = try items()
        #expect(items["a_a.mp4"]?.title == "a a" && items["b.mp4"]?.title == "linked")
    }

    /// An item is made many times while its page is near.
    @Test func aFileIsReadOnce() throws {
        try folder.write("a.mp4")
        let file = try folder.write("a.json", #"{"title": "first"}"#.utf8)
        let list = try loadFeed(sources: [folder.path]).items
        #expect(list[0].title == "first")
        try Data(#"{"title": "second"}"#.utf8).write(to: URL(fileURLWithPath: file))
        #expect(list[0].title == "first" && list.id(at: 0) == list[0].id)
        #expect(try items()["a.mp4"]?.title == "second")
    }

    @Test func sidecarsInMemoryAreLimited() throws {
        let count = 2 * SidecarReader.limit
        for number in 0..<count {
            try folder.write("\(number).mp4")
            try folder.write("\(number).json", #"{"title": "n\#(number)"}"#.utf8)
        }
        let list = try loadFeed(sources: [folder.path]).items
        for index in 0..<count { #expect(list[index].title == "n\(index)") }
        try folder.write("0.json", #"{"title": "again"}"#.utf8)
        #expect(list[0].title == "again")
    }
}
