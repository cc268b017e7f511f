import Foundation
import Model
import TestSupport
import Testing

@testable import Feeds

/// A list that was read from bytes.
struct ReadList: Equatable {
    var title: String?
    var items: [Item] = []
    var errors: [String] = []
    var warnings: [String] = []

    enum Format { case m3u, pls }

    /// - Parameters:
    ///   - piece: how many bytes arrive at a time.
    ///   - most: the number of entries after which reading stops.
    init(
        _ bytes: [UInt8], at url: String = "https://h.example/lists/tv.m3u", _ format: Format = .m3u,
        piece: Int = 1 << 16,
        most: Int = .max
    ) {
        var (items, errors, warnings): ([Item], [String], [String]) = ([], [], [])
        let add = { (entry: ListEntry) -> Bool in
            switch entry {
            case .success(let (item, warned)):
                items.append(item)
                warnings += warned
            case .failure(let error): errors.append(error.why)
            }
            return items.count + errors.count < most
        }
        let stream = stream(bytes, piece: piece)
        let facts =
            switch format {
            case .m3u: M3UReader.read(stream, at: url) { entry, _ in add(entry) }
            case .pls: PLSReader.read(stream, at: url, add: add)
            }
        (title, self.items, self.errors, self.warnings) = (facts.title, items, errors, warnings)
    }

    init(_ text: String, at url: String = "https://h.example/lists/tv.m3u", _ format: Format = .m3u) {
        self.init(Array(text.utf8), at: url, format)
    }
}

/// M3U and IPTV.
@Suite struct M3UTests {
    @Test func channelsAreRead() {
        let list = ReadList(
            """
            \u{FEFF}#EXTM3U x-tvg-url="https://h.example/guide.xml"\r
            #PLAYLIST: My channels \r
            # a remark\r
            #EXTINF:-1 tvg-id="one.ch" tvg-name="One, HD" tvg-logo="logos/1.png" tvg-language="German" group-title="News;World; ;News",Eins, HD\r
            https://h.example/1/master.m3u8\r
            \r
            #EXTINF:0 tvg-name='Two' group-title=Sport,\r
            http://h.example/2.ts\r
            #EXTINF:12.5,Artist - Title\r
            ../clips/a b.mp4\r
            """)
        #expect(list.title == "My channels" && list.errors == [] && list.warnings == [])
        let urls = ["https://h.example/1/master.m3u8", "http://h.example/2.ts", "https://h.example/clips/a%20b.mp4"]
        #expect(
            list.items == [
                Item(
                    id: ItemID.hash(of: urls[0]), url: urls[0], thumbnail: "https://h.example/lists/logos/1.png",
                    title: "Eins, HD", tags: ["News", "World"]),
                Item(id: ItemID.hash(of: urls[1]), url: urls[1], title: "Two", tags: ["Sport"]),
                Item(
                    id: ItemID.hash(of: urls[2]), url: urls[2], title: "Artist - Title", duration: .milliseconds(12_500)
                ),
            ])
    }

    @Test(
        arguments: [
            ("-1,Name", nil, "Name", ""), ("-1 a=\"x, y\" b='1 \" 2' c=3,Name", nil, "Name", "x, y|1 \" 2|3"),
            (" 10 a = \"x\"b=\"y\",N", 10, "N", "x|y|"), ("3.5,", 3.5, "", ""), ("", nil, "", ""), ("5", 5, "", ""),
            ("-1 Name without comma", nil, " Name without comma", ""), ("a=1,N", nil, "N", "1||"),
            ("-1 a=,N", nil, "N", "||"),
            ("-1 a=\"x,N", nil, "N", "x||"), ("-1 a=\"x", nil, "", "x||"), ("-1 a,N", nil, "N", ""),
            ("-1 =x,N", nil, "N", ""),
            ("-1 A=\"x\" a=\"z\",N", nil, "N", "x||"), ("1e5,N", 1, "N", ""), ("--,N", nil, "N", ""),
            ("3:25,N", 3, "N", ""),
            ("-1 a=\"x\"", nil, "", "x||"),
        ] as [(String, Double?, String, String)])
    func namesStandBehindTheAttributes(line: String, duration: Double?, name: String, attributes: String) {
        let info = ExtInf(Array(line.utf8)[...])
        #expect(info.duration == duration && String(decoding: info.name, as: UTF8.self) == name)
        let names: [StaticString] = ["a", "b", "c"]
        let values = names.map { String(decoding: info.attribute($0) ?? [], as: UTF8.self) }
        #expect(
            values
                == (attributes.isEmpty
                    ? ["", "", ""]
                    : attributes.split(separator: "|", omittingEmptySubsequences: false).map(String.init)))
    }

    @Test(arguments: [
        (
            "#EXTVLCOPT:http-user-agent=A b\n#EXTVLCOPT:http-referrer=https://r/\n#EXTVLCOPT:http-origin=https://o/\n#EXTVLCOPT:network-caching=9\nhttp://h/1",
            "Origin=https://o/|Referer=https://r/|User-Agent=A b"
        ),
        (
            "#EXTINF:-1 http-referrer=\"https://r/\" http-user-agent='U',N\nhttp://h/1",
            "Referer=https://r/|User-Agent=U"
        ),
        ("#EXTVLCOPT:--http-referer=r\nhttp://h/1", "Referer=r"),
        (
            "#KODIPROP:inputstream.adaptive.stream_headers=User-Agent=A%20b&Cookie=a%3Db&x\nhttp://h/1",
            "Cookie=a=b|User-Agent=A b"
        ),
        (
            "#KODIPROP:inputstream=inputstream.adaptive\n#KODIPROP:inputstream.adaptive.manifest_type=hls\nhttp://h/1",
            ""
        ),
        ("#EXTHTTP:{\"Cookie\": \"c\", \"x\": 3}\nhttp://h/1", "Cookie=c"),
        (
            "http://h/1|User-Agent=A+b&Referer=https%3A%2F%2Fr%2F&seekable=0&!Auth=x",
            "Auth=x|Referer=https://r/|User-Agent=A b"
        ),
        // The nearest counts, however it is spelt.
        (
            "#EXTVLCOPT:http-user-agent=far\n#EXTINF:-1,N\n#EXTVLCOPT:http-user-agent=near\nhttp://h/1",
            "User-Agent=near"
        ),
        ("#EXTVLCOPT:http-user-agent=far\nhttp://h/1|user-agent=near", "user-agent=near"),
        // Headers of another address.
        ("#EXTVLCOPT:http-user-agent=U\nhttp://h/0\nhttp://h/1", ""),
        ("#EXTINF:-1 http-user-agent=\"U\",N\n#EXTINF:-1,N\nhttp://h/1", ""),
        // Feeds must not set headers that frame a message.
        ("http://h/1|Host=evil&Content-Length=3&X=a%0D%0AHost:b&A b=c", ""),
    ])
    func headersAreSentWithTheClip(text: String, headers: String) throws {
        let item = try #require(ReadList(text).items.last)
        #expect(item.url == "http://h/1")
        #expect(item.headers.map { "\($0.key)=\($0.value)" }.sorted().joined(separator: "|") == headers)
    }

    @Test func invalidHeadersAreReported() {
        let list = ReadList("#EXTHTTP:{\nhttp://h/1|Host=evil")
        #expect(
            list.warnings == [
                "its headers are ignored: line 1, column 2: a key in quotes is missing",
                "a header is ignored: Host cannot be set by a feed",
            ])
        let many = (0..<200).map { "H\($0)=1" }.joined(separator: "&")
        let lines = Array(repeating: "#KODIPROP:inputstream.adaptive.stream_headers=\(many)\n", count: 100).joined()
        let full = ReadList(lines + "http://h/1|A=1")
        #expect(
            full.items.map(\.headers) == [[:]]
                && full.warnings == ["\"headers\" is ignored: it has more than 32 entries"])
    }

    @Test(arguments: [
        "http://h/a|b.mp4", "http://h/a?s=1|2&c=d", "http://h/a|", "http://h/a|=x",
    ])
    func barsMayBePartOfAnAddress(url: String) {
        #expect(ReadList(url).items.map(\.url) == [url])
    }

    @Test(arguments: [
        "#KODIPROP:inputstream.adaptive.license_type=com.widevine.alpha\nhttp://h/1",
        "http://h/1|drmScheme=clearkey&drmLicense=x",
        "#KODIPROP:inputstream.adaptive.drm_legacy=org.w3.clearkey|x\nhttp://h/1",
    ])
    func entriesWithDRMAreRejected(text: String) {
        let list = ReadList(text + "\nhttp://h/2")
        #expect(
            list.errors == ["protected (DRM)"] && list.items.map(\.url) == ["http://h/2"])
    }

    /// As Kodi has it since 2023.
    @Test func groupsHoldUntilTheNext() {
        let list = ReadList(
            """
            http://h/0
            #EXTGRP:News;World
            #EXTINF:-1,1
            http://h/1
            http://h/2
            #EXTINF:-1 group-title="Sport",3
            http://h/3
            http://h/4
            #EXTINF:-1,5
            #EXTGRP:Films
            http://h/5
            #EXTGRP:
            http://h/6
            """)
        #expect(list.items.map(\.tags) == [[], ["News", "World"], ["News", "World"], ["Sport"], [], ["Films"], []])
    }

    @Test(arguments: [
        ("-1, group-title=\"News;World\",Name, with a comma", "Name, with a comma", ["News", "World"]),
        ("-1,tvg-id=\"a\" group-title=\"A\",Name", "Name", ["A"]),
        ("-1 tvg-id=\"a\", group-title=\"A\" ,Name", "Name", ["A"]),
        ("-1, group-title=\"A\" Name", "Name", ["A"]), ("-1,a=b, c", "a=b, c", []), ("-1,x = \"y\"", "x = \"y\"", []),
    ])
    func attributesMayFollowAComma(info: String, title: String, tags: [String]) {
        let list = ReadList("#EXTINF:\(info)\nhttp://h/1")
        #expect(list.items.map(\.title) == [title] && list.items.map(\.tags) == [tags])
    }

    @Test func listsWithoutMarksAreRead() {
        let list = ReadList("a.mp4\r\rhttps://o.example/b_c.mp4\n  \n\td.mp4  \n#EXTINF:5,no address")
        #expect(list.items.map(\.title) == ["a", "b c", "d"] && list.errors == [])
        #expect(ReadList("").items == [] && ReadList("#EXTM3U").items == [])
    }

    @Test func detectsNationalEncodingsOfTitles() {
        // "Первый канал", "Россия", "Новости" in windows-1251; a path stays as the disk has it.
        let (first, second): ([UInt8], [UInt8]) = (
            [0xCF, 0xE5, 0xF0, 0xE2, 0xFB, 0xE9, 0x20, 0xEA, 0xE0, 0xED, 0xE0, 0xEB],
            [0xD0, 0xEE, 0xF1, 0xF1, 0xE8, 0xFF]
        )
        let group: [UInt8] = [0xCD, 0xEE, 0xE2, 0xEE, 0xF1, 0xF2, 0xE8]
        let m3u =
            Array("#EXTM3U\n#EXTINF:-1 group-title=\"".utf8) + group + Array("\",".utf8) + first + Array("\n".utf8)
            + second
            + Array(".mp4\n#EXTINF:-1,".utf8) + second + Array("\nb.mp4\n".utf8)
        let list = ReadList(m3u, at: "file:///m/tv.m3u")
        #expect(list.items.map(\.title) == ["Первый канал", "Россия"] && list.items.map(\.tags) == [["Новости"], []])
        #expect(list.items.first?.url == "file:///m/%D0%EE%F1%F1%E8%FF.mp4")
        let pls = Array("[playlist]\nFile1=a.mp4\nTitle1=".utf8) + first + Array("\n".utf8)
        #expect(ReadList(pls, .pls).items.map(\.title) == ["Первый канал"])
    }

    @Test func textsThatAreNotUTF8AreInWindows1252() {
        var bytes = Array("#EXTINF:-1 group-title=\"Fran".utf8)
        bytes += [0xE7] + Array("ais\",Caf".utf8)
        bytes += [0xE9, 0x20, 0x96] + Array(" 5 ".utf8)
        bytes += [0x80] + Array("\nhttp://h/1".utf8)
        let list = ReadList(bytes)
        #expect(list.items.map(\.title) == ["Café – 5 €"] && list.items.map(\.tags) == [["Français"]])
    }

    @Test(
        arguments: [
            ("a b.mp4", "file:///m/lists/a%20b.mp4"), ("100%.mp4", "file:///m/lists/100%25.mp4"),
            ("a%20b.mp4", "file:///m/lists/a%2520b.mp4"),
            ("#1.mp4", nil), ("a#1?.mp4", "file:///m/lists/a%231%3F.mp4"),
            ("./x/../y.mp4", "file:///m/lists/x/../y.mp4"),
            ("../y.mp4", "file:///m/lists/../y.mp4"), ("/abs/x.mp4", "file:///abs/x.mp4"),
            ("sub\\x\\y.mp4", "file:///m/lists/sub/x/y.mp4"),
            ("a\\b/c.mp4", "file:///m/lists/a%5Cb/c.mp4"), ("file:///abs/a%20b.mp4", "file:///abs/a%20b.mp4"),
            ("file:/abs/a b.mp4", "file:///abs/a%20b.mp4"), ("FILE://localhost/x.mp4", "file:///x.mp4"),
            ("file://other/x.mp4", nil),
            ("https://h.example/a b.mp4", "https://h.example/a%20b.mp4"),
            ("HTTP://h.example/a.mp4", "HTTP://h.example/a.mp4"),
            ("C:\\clips\\a.mp4", nil), ("c:/clips/a.mp4", nil), ("\\\\server\\clips\\a.mp4", nil),
            ("12:30 news.mp4", "file:///m/lists/12%3A30%20news.mp4"),
            ("live: a.mp4", "file:///m/lists/live%3A%20a.mp4"),
            ("a|b=c.mp4", "file:///m/lists/a%7Cb%3Dc.mp4"), ("list.m3u8", "file:///m/lists/list.m3u8"),
        ] as [(String, String?)])
    func localListsNamePaths(entry: String, url: String?) {
        let list = ReadList(entry, at: "file:///m/lists/my%20list.m3u")
        #expect(list.items.map(\.url) == (url.map { [$0] } ?? []))
        #expect(list.errors.count == (url == nil && !entry.hasPrefix("#") ? 1 : 0))
    }

    @Test func localPathsNeedNotBeUTF8() {
        let list = ReadList([0xE9, 0x2E, 0x6D, 0x70, 0x34], at: "file:///m/l.m3u")
        #expect(list.items.map(\.url) == ["file:///m/%E9.mp4"])
    }

    @Test(
        arguments: [
            ("a%20b.mp4?x#y", "https://h.example/lists/a%20b.mp4?x#y"),
            ("100%.mp4", "https://h.example/lists/100%25.mp4"),
            ("sub\\x.mp4", "https://h.example/lists/sub/x.mp4"), ("/x.mp4", "https://h.example/x.mp4"),
            ("//o.example/x.mp4", "https://o.example/x.mp4"),
            ("file:///etc/passwd", "file:///etc/passwd"), ("C:\\a.mp4", nil),
            ("rtmp://o.example/live", "rtmp://o.example/live"),
        ] as [(String, String?)])
    func listsFromTheNetworkNameReferences(entry: String, url: String?) {
        #expect(ReadList(entry).items.map(\.url) == (url.map { [$0] } ?? []))
    }

    @Test func oddLogosAreLeftOut() {
        for logo in ["", "data:image/png;base64,xx", "C:\\x.png", String(repeating: "x", count: 9_000)] {
            let list = ReadList("#EXTINF:-1 tvg-logo=\"\(logo)\",N\nhttp://h/1")
            #expect(list.items.count == 1 && list.items[0].thumbnail == nil, "\(logo.prefix(20))")
        }
    }

    @Test func everythingIsAsLongAsAManifestMayHaveIt() {
        let long = String(repeating: "é", count: 20_000)
        let groups = (0..<500).map { "g\($0)" }.joined(separator: ";")
        let list = ReadList(
            "#PLAYLIST:\(long)\n#EXTINF:1 group-title=\"\(groups)\",\(long)\nhttp://h/1\nhttp://h/\(long)\n#EXTGRP:\(long)\nhttp://h/2"
        )
        #expect(list.title?.count == ItemLimit.title && list.items[0].title?.count == ItemLimit.title)
        #expect(
            list.items[0].tags.count == ItemLimit.list
                && list.items[1].tags.map(\.count) == [ItemLimit.word])
        #expect(list.errors == ["its URL is too long"])
    }

    @Test func readingStopsOnRequest() {
        let text = (0..<9).map { "http://h/\($0)\n" }.joined()
        #expect(ReadList(Array(text.utf8), most: 3).items.count == 3)
    }
}
