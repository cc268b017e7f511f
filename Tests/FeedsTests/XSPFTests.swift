import Model
import TestSupport
import Testing

@testable import Feeds

/// XSPF.
@Suite struct XSPFTests {
    private func read(
        _ text: String, at url: String = "https://h.example/lists/l.xspf", piece: Int = 1 << 16,
        most: Int = .max
    ) throws -> (title: String?, isList: Bool, entries: [FeedEntry]) {
        var entries: [FeedEntry] = []
        let list = try XSPFReader.read(stream(Array(text.utf8), piece: piece), at: url, charset: nil) {
            entry, _ in
            entries.append(entry)
            return entries.count < most
        }
        return (list?.title, list != nil, entries)
    }

    private let sample = """
        <?xml version="1.0" encoding="UTF-8"?>
        <playlist version="1" xmlns="http://xspf.org/ns/0/" xmlns:vlc="http://www.videolan.org/vlc/playlist/ns/0/">
          <title>Night &amp; day</title><creator>Ann</creator>
          <trackList>
            <track>
              <location>clips/a%20b.mp4</location><location>https://o.example/a.webm</location>
              <identifier>tag:1</identifier><title> One </title><creator>Ann</creator><annotation>Text</annotation>
              <info>page.html</info><image>a.jpg</image><duration>12500</duration>
              <extension application="http://www.videolan.org/vlc/playlist/0"><vlc:id>0</vlc:id><title>No</title></extension>
            </track>
            <track xml:base="https://o.example/x/"><location>b.mp4</location></track>
            <track><title>Nothing</title><location></location><duration>-1</duration></track>
          </trackList>
        </playlist>
        """

    @Test func tracksAreRead() throws {
        let (title, isList, entries) = try read(sample)
        #expect(isList && title == "Night & day")
        let first = FeedEntry(
            id: "tag:1", title: .init(text: "One", isMarkup: false),
            description: .init(text: "Text", isMarkup: false),
            link: "https://h.example/lists/page.html", creator: .init(name: "Ann"),
            duration: .milliseconds(12_500),
            thumbnails: ["https://h.example/lists/a.jpg"],
            media: [
                FeedMedia(url: "https://h.example/lists/clips/a%20b.mp4"),
                FeedMedia(url: "https://o.example/a.webm"),
            ])
        #expect(
            entries == [
                first, FeedEntry(media: [FeedMedia(url: "https://o.example/x/b.mp4")]),
                FeedEntry(title: .init(text: "Nothing", isMarkup: false)),
            ])
        #expect(
            ItemMapper.item(entries[0], need: MediaNeed())?.url
                == "https://h.example/lists/clips/a%20b.mp4")
        #expect(
            try read(sample, at: "file:///m/l.xspf").entries[0].media[0].url
                == "file:///m/clips/a%20b.mp4")
    }

    /// XML Base: the base of an element holds within it.
    @Test func baseOfATrackEndsWithIt() throws {
        let tracks = """
            <track xml:base="https://o.example/x/"><location>a.mp4</location></track>
            <track><location>b.mp4</location></track>
            <track><location xml:base="y/">c.mp4</location><image>c.jpg</image></track>
            """
        let entries = try read("<playlist><trackList>\(tracks)</trackList></playlist>").entries
        #expect(
            entries.map { $0.media.map(\.url) } == [
                ["https://o.example/x/a.mp4"], ["https://h.example/lists/b.mp4"],
                ["https://h.example/lists/y/c.mp4"],
            ])
        #expect(entries.last?.thumbnails == ["https://h.example/lists/c.jpg"])
    }

    @Test func readingStopsOnRequest() throws {
        #expect(try read(sample, most: 1).entries.count == 1)
    }

    @Test func otherDocumentsAreNoLists() throws {
        for text in ["<rss><channel><title>x</title></channel></rss>", "", "<a>"] {
            let (title, isList, entries) = try read(text)
            #expect(title == nil && !isList && entries == [])
        }
    }

    @Test func thePiecesOfTheInputMakeNoDifference() throws {
        let whole = try read(sample)
        for piece in [1, 2, 7] {
            let parts = try read(sample, piece: piece)
            #expect(parts.entries == whole.entries && parts.title == whole.title && parts.isList)
        }
    }

    @Test func damagedListsAreRead() throws {
        var random = SeededRandom(state: 6)
        var read = 0
        for round in 0..<300 {
            var bytes = Array(sample.utf8)
            if round % 2 == 0 {
                bytes = Array(bytes.prefix(Int.random(in: 0...bytes.count, using: &random)))
            } else {
                for _ in 0..<3 {
                    bytes[Int.random(in: 0..<bytes.count, using: &random)] = .random(
                        in: 0...255, using: &random)
                }
            }
            read += try self.read(String(decoding: bytes, as: UTF8.self)).entries.count
        }
        #expect(read > 100)
    }

    @Test func noFieldIsLongerThanItsLimit() throws {
        let long = String(repeating: "x", count: 200_000)
        let track =
            "<track><location>\(long)</location><title>\(long)</title><annotation>\(long)</annotation><creator>\(long)</creator></track>"
        let many = String(repeating: "<location>a.mp4</location>", count: 500)
        let (title, _, entries) = try read(
            "<playlist><title>\(long)</title><trackList>\(track)<track>\(many)</track></trackList></playlist>"
        )
        #expect(title?.count == ItemLimit.title && entries[0].media == [])
        #expect(
            entries[0].title?.text.count == ItemLimit.title
                && entries[0].description?.text.count == ItemLimit.text)
        #expect(
            entries[0].creator?.name?.count == ItemLimit.word
                && entries[1].media.count == ItemLimit.list)
    }
}
