import Foundation
import Model
import TestSupport
import Testing

@testable import Feeds

/// What all lists have in common, PLS, and how lists differ from streams.
@Suite struct ListTests {
    private func lines(_ bytes: [UInt8], piece: Int) -> [LineReader.Line] {
        var reader = LineReader(stream(bytes, piece: piece))
        var lines: [LineReader.Line] = []
        while let line = reader.next() { lines.append(line) }
        return lines
    }

    @Test(arguments: [
        ("a\nb\r\nc\rd", ["a", "b", "c", "d"]), ("\n\n a \r\n\r\n", [" a "]), ("", []), ("\r", []), ("a", ["a"]),
        ("\u{FEFF}a\n\u{FEFF}b", ["a", "\u{FEFF}b"]), ("\u{FEFF}\na", ["a"]), ("\n\u{FEFF}a", ["a"]),
    ])
    func linesEndInEveryWay(text: String, expected: [String]) {
        for piece in [1, 2, 7, 1 << 16] {
            #expect(lines(Array(text.utf8), piece: piece) == expected.map { .bytes(Array($0.utf8)[...]) })
        }
    }

    @Test func longLinesAreSkipped() {
        let fits = [UInt8](repeating: 0x61, count: LineReader.limit)
        let bytes = fits + [0x61, 0x0A, 0x62, 0x0A] + fits + [0x0D] + fits + fits
        for piece in [7, 4_000, 1 << 16] {
            #expect(lines(bytes, piece: piece) == [.tooLong, .bytes([0x62]), .bytes(fits[...]), .tooLong])
        }
        let list = ReadList(Array("http://h/1\n#".utf8) + fits + [0x0A] + Array("http://h/2".utf8))
        #expect(
            list.errors == ["its line is longer than 64 KB"] && list.items.map(\.url) == ["http://h/1", "http://h/2"])
    }

    @Test func aLineWithoutEndIsSkipped() {
        var left = 8 << 20
        let long = ByteStream("long", limit: .max) { _, buffer in
            let count = min(left, buffer.count)
            left -= count
            buffer.initializeMemory(as: UInt8.self, repeating: 0x61)
            return count
        }
        var reader = LineReader(long)
        #expect(reader.next() == .tooLong && reader.next() == nil && left == 0)
    }

    // MARK: PLS

    @Test func tracksAreReadInAnyOrder() {
        let list = ReadList(
            """
            [playlist]\r
            Title2=Second, one\r
            NumberOfEntries=3\r
            File1=https://h.example/a b.mp4\r
            file2 = sub/b_c.mp4 \r
            Length1=12.5
            LENGTH2=-1
            FILE10=c.mp4
            Title1=
            File3=
            Title4=No file
            File99999999999999999999=x.mp4
            Filex=y.mp4
            Version=2
            """, at: "https://h.example/lists/l.pls", .pls)
        #expect(
            list.items.map(\.url)
                == ["a%20b.mp4", "lists/sub/b_c.mp4", "lists/c.mp4"].map { "https://h.example/" + $0 })
        #expect(list.items.map(\.title) == ["a b", "Second, one", "c"])
        #expect(
            list.items.map(\.duration) == [.milliseconds(12_500), nil, nil] && list.errors == ["its URL is empty"]
        )
        #expect(list.items[0].id == ItemID.hash(of: "https://h.example/a%20b.mp4"))
        #expect(ReadList("File1=a b.mp4", at: "file:///m/l.pls", .pls).items.map(\.url) == ["file:///m/a%20b.mp4"])
    }

    @Test func aListOfTracksHasItsLimit() {
        let long = String(repeating: "x", count: 60_000)
        let text = (0..<200).map { "File\($0)=\(long)\nTitle\($0)=\(long)\n" }.joined()
        let list = ReadList(text, .pls)
        #expect(list.items == [] && list.errors.first == "the list is larger than 16 MB")
        #expect(list.errors.dropFirst().allSatisfy { $0 == "its URL is too long" })
        let same = ReadList(String(repeating: "File1=a.mp4\n", count: 10_000), .pls)
        #expect(same.items.count == 1)
        #expect(ReadList(Array("File1=a\nFile2=b\nFile3=c".utf8), .pls, most: 2).items.count == 2)
    }

    // MARK: Anything

    @Test func equalEntriesStay() {
        let list = ReadList(String(repeating: "#EXTINF:-1 tvg-id=\"x\",Same\nhttp://h/1\n", count: 10_000))
        #expect(list.items.count == 10_000 && Set(list.items).count == 1)
    }

    @Test(arguments: [ReadList.Format.m3u, .pls])
    func thePiecesOfTheInputMakeNoDifference(format: ReadList.Format) {
        let parts = [
            "#EXTM3U\n", "#EXTINF:-1 tvg-logo=\"a.png\" group-title='x;y',Name, two\r\n", "#EXTINF:3 x", "#EXTGRP:g\n",
            "#EXTVLCOPT:http-user-agent=U\r", "#KODIPROP:inputstream.adaptive.stream_headers=A=b&C=%64\n",
            "http://h/1|B=c\n",
            "clips/a b.mp4\n", "C:\\x\n", "\r\n", "é\n", "#PLAYLIST:T\n", "#EXTHTTP:{\"A\":\"b\"}\n", "File1=a.mp4\n",
            "Title1=é\n",
            "Length2=5\r\n", "File2=http://h/2\n", "[playlist]\n",
        ]
        var random = SeededRandom(state: 8)
        var read = 0
        for round in 0..<400 {
            let text = (0..<Int.random(in: 0..<14, using: &random)).map { _ in parts.randomElement(using: &random) ?? ""
            }
            var bytes = Array(text.joined().utf8)
            if round % 3 == 1 { bytes = Array(bytes.prefix(Int.random(in: 0...bytes.count, using: &random))) }
            if round % 3 == 2, let place = bytes.indices.randomElement(using: &random) {
                bytes[place] = .random(in: 0...255, using: &random)
            }
            for url in ["file:///m/l.m3u", "https://h.example/l.m3u"] {
                let whole = ReadList(bytes, at: url, format)
                for piece in [1, 2, 7] {
                    #expect(
                        ReadList(bytes, at: url, format, piece: piece) == whole,
                        "\(String(decoding: bytes, as: UTF8.self))")
                }
                read += whole.items.count
            }
        }
        #expect(read > 100)
    }

    // MARK: Kinds

    @Test(arguments: [
        "#EXTM3U\n#EXT-X-VERSION:3\n#EXT-X-TARGETDURATION:10\n#EXTINF:9.9,\na.ts\n",
        "\u{FEFF}#EXTM3U\r\n#EXT-X-STREAM-INF:BANDWIDTH=1\r\nlow.m3u8", "#EXTM3U\n#EXT-X-MEDIA-SEQUENCE:3",
        "# made by x\n\n#EXTM3U\n#EXT-X-MEDIA:TYPE=AUDIO,GROUP-ID=\"a\",NAME=\"tvg-\"\n",
        "#EXTM3U\n#EXTINF:10,no desc\na.ts\n#EXT-X-DISCONTINUITY\n",
        "#EXTM3U\n#EXTINF:10,\na.ts\n#EXTINF:10,\nb.ts?x=1\n#EXT-X-ENDLIST",
        "#EXTM3U\n#EXTINF:10,\na.ts\n#EXTINF:10,Na",
        "#EXTM3U\n#EXTINF:6.0,\n0.m4s\n#EXTINF:6.0,\n1.m",
    ])
    func streamsAreStreams(text: String) { #expect(ListKind.isStream(Array(text.utf8))) }

    @Test(arguments: [
        "", "#EXTM3U", "a.mp4\nb.mp4\n", "#EXTM3U\n#EXTINF:213,Artist - Title\na.mp3\n",
        "#EXTM3U x-tvg-url=\"https://h.example/guide.xml\"\n#EXTINF:0,One\nhttp://h/1.ts\n",
        "#EXTM3U url-tvg=\"x\"\nhttp://h/1.ts\n",
        "#EXTM3U\n#EXTINF:-1,One\n#EXT-X-PLAYLIST-TYPE:VOD\nhttp://h/master.m3u8\n",
        "#EXTM3U\n#EXTINF:0 tvg-id=\"\" group-title=\"x\",One\nhttp://h/a.ts\n#EXT-X-TARGETDURATION:10\n",
        "#EXTM3U\n#EXT-X-APP APTV\n#EXT-X-APTV-TYPE remote\n#EXTINF:-1,One\nhttp://h/1\n",
        "#EXTM3U\n#PLAYLIST:x\n#EXT-X-TARGETDURATION:10\n", "#EXTM3U\n#EXTVLCOPT:http-user-agent=x\nhttp://h/1\n",
        "#EXTM3U\n#EXTINF:10,\nhttp://h/1/master.m3u8\n", "#EXTM3U\n#EXTINF:3600,\na.ts\n",
        "#EXTM3U\n#EXTINF:10,Jingle\na.ts\n",
        "#EXTM3U\na.ts\nb.ts\n", "#EXTM3U\n#EXTINF:10,\na.ts\nb.ts\n", "[playlist]\nFile1=a.ts\n",
    ])
    func listsAreLists(text: String) { #expect(!ListKind.isStream(Array(text.utf8))) }

    @Test func anyBeginningDecidesTheKind() {
        // However short the beginning of a stream is, it is not taken for a list of channels, and vice versa.
        let channels = Array("#EXTM3U\n#EXTINF:-1 tvg-id=\"1\",One\nhttp://h/1.ts\n".utf8)
        for count in 0...channels.count { #expect(!ListKind.isStream(channels.prefix(count))) }
        var random = SeededRandom(state: 5)
        for _ in 0..<500 {
            _ = ListKind.isStream((0..<60).map { _ in UInt8.random(in: 0...255, using: &random) })
        }
        #expect(!ListKind.isStream([UInt8](repeating: 0x23, count: 1 << 20)))
    }
}
