import Testing

@testable import Feeds

/// The kind of content at an address.
@Suite struct ContentKindTests {
    private static let hls = "#EXTM3U\n#EXT-X-TARGETDURATION:4\n#EXTINF:4,\na.ts\n"
    private static let channels =
        "#EXTM3U x-tvg-url=\"http://tv.example/epg\"\n#EXTINF:-1 tvg-id=\"a\",A\nhttp://tv.example/a\n"

    @Test(
        arguments: [
            ("{\"items\": []}", nil, nil, .json), ("\u{FEFF} \n[\n\"a.mp4\"]", nil, nil, .json),
            ("[Script Info]\nTitle: x", nil, nil, .media), ("[playlist]\nFile1=a.mp3", nil, nil, .pls),
            ("[Playlist]\r\nFile1=a.mp3", nil, nil, .pls), ("File1=a.mp3", "audio/x-scpls", nil, .pls),
            (hls, nil, nil, .stream), (hls, nil, "m3u8", .stream), (channels, nil, nil, .channels),
            (channels, "application/vnd.apple.mpegurl", "m3u8", .channels),
            ("#EXTINF:12,One\none.mp3", nil, nil, .channels), ("one.mp3\ntwo.mp3\n", nil, "m3u", .channels),
            ("one.mp3\ntwo.mp3\n", "audio/x-mpegurl", nil, .channels), ("one.mp3\ntwo.mp3\n", nil, nil, .media),
            ("<?xml version=\"1.0\"?>\n<!-- a > b --><rss version=\"2.0\">", nil, nil, .syndication),
            ("\u{FEFF}\n <feed xmlns=\"http://www.w3.org/2005/Atom\">", nil, nil, .syndication),
            ("<rdf:RDF xmlns:rdf=\"x\">", nil, nil, .syndication), ("<RSS>", nil, nil, .syndication),
            (
                "<!DOCTYPE rss PUBLIC \"-//N//DTD RSS 0.91//EN\" \"http://n.example/rss.dtd\"><rss>", nil, nil,
                .syndication
            ),
            ("<!DOCTYPE x [<!ENTITY a \"b\"><!ENTITY c \"d\">]>\n<rss>", nil, nil, .syndication),
            ("<?xml version=\"1.0\"?><playlist xmlns=\"http://xspf.org/ns/0/\">", nil, nil, .xspf),
            ("<?xml version=\"1.0\"?><MPD type=\"static\">", nil, nil, .stream),
            ("<!doctype HTML><title>x</title>", "text/html", nil, .page), ("<html lang=de>", nil, nil, .page),
            ("<!-- only a comment", "text/html", nil, .page), ("<p>Hello", "text/html", nil, .page),
            ("nonsense before it <rss>", "application/rss+xml", nil, .syndication),
            ("nonsense before it <rss>", nil, "rss", .syndication),
            ("<opml version=\"2.0\">", nil, nil, .opml),
            ("<svg xmlns=\"x\">", nil, "svg", .other("an SVG drawing")),
            ("<note>", "text/xml", nil, .other("XML but not a feed: it starts with <note>")),
            ("%PDF-1.7", nil, nil, .other("a PDF document")), ("PK\u{3}\u{4}x", nil, nil, .other("a ZIP archive")),
            ("d8:announce35:http://t", nil, nil, .other("a torrent; open it in a torrent client")),
            ("Hello there", "text/plain", nil, .other("plain text")), ("", nil, nil, .media),
            ("\u{0}\u{0}\u{0}\u{18}ftypmp42", "text/html", nil, .media), ("ID3\u{4}\u{0}", nil, nil, .media),
            ("\u{1A}E\u{DF}\u{A3}", nil, nil, .media),
        ] as [(String, String?, String?, ContentKind)])
    func kindIsRecognized(text: String, type: String?, ending: String?, kind: ContentKind) {
        #expect(ContentKind(Array(text.utf8), type: type, ending: ending) == kind, "\(text)")
    }

    @Test(arguments: [true, false], [true, false])
    func markupInUTF16IsRecognized(isBigEndian: Bool, hasMark: Bool) {
        let units = Array(((hasMark ? "\u{FEFF}" : "") + "<?xml version='1.0'?><rss>").utf16)
        let bytes = units.flatMap { unit -> [UInt8] in
            let pair = [UInt8(unit >> 8), UInt8(unit & 0xFF)]
            return isBigEndian ? pair : pair.reversed()
        }
        #expect(ContentKind(bytes, type: nil, ending: nil) == .syndication)
    }

    @Test(arguments: [true, false], [true, false])
    func recognizesMarkupInUTF32(isBigEndian: Bool, hasMark: Bool) {
        let scalars = Array(((hasMark ? "\u{FEFF}" : "") + "<?xml version='1.0'?><rss>").unicodeScalars)
        let bytes = scalars.flatMap { scalar -> [UInt8] in
            let four = (0..<4).map { UInt8(truncatingIfNeeded: scalar.value >> (24 - 8 * $0)) }
            return isBigEndian ? four : four.reversed()
        }
        #expect(ContentKind(bytes, type: nil, ending: nil) == .syndication)
    }

    /// No beginning crashes it, and none takes long.
    @Test func anyBytesAreSomething() {
        var random = SystemRandomNumberGenerator()
        let pieces: [[UInt8]] = [
            Array("<!".utf8), Array("<?".utf8), Array("[".utf8), Array("<!--".utf8), Array("]>".utf8), [0xFF, 0xFE],
            [0xFE], Array("<a:".utf8), [0], Array("#EXT".utf8), [0xEF, 0xBB, 0xBF], Array(" ".utf8),
        ]
        for _ in 0..<2_000 {
            let bytes = (0..<Int.random(in: 0..<60, using: &random)).flatMap { _ in
                pieces.randomElement(using: &random) ?? []
            }
            _ = ContentKind(bytes, type: nil, ending: nil)
        }
        let clock = ContinuousClock()
        let long = Array(String(repeating: "<", count: ContentKind.looksAt).utf8)
        #expect(clock.measure { _ = ContentKind(long, type: nil, ending: nil) } < .seconds(1))
    }
}
