import Model
import Testing

@testable import Feeds

/// The choice among an entry's media.
@Suite struct MediaChoiceTests {
    /// `video/mp4 720 default` …: a type or `-`, then a height, a bitrate
    /// ("800k"), `default`, `sample`, `1x1`, a medium.
    private func media(_ description: String, name: String) -> FeedMedia {
        var media = FeedMedia(url: "https://h.example/\(name)")
        for (index, word) in description.split(separator: " ").enumerated() {
            switch word {
            case _ where index == 0: media.type = word == "-" ? nil : String(word)
            case "default": media.isDefault = true
            case "sample": media.isSample = true
            case "1x1": (media.width, media.height) = (1, 1)
            case "video": media.medium = .video
            case "audio": media.medium = .audio
            case "image": media.medium = .image
            case "other": media.medium = .other
            default:
                if word.hasSuffix("k") {
                    media.bitrate = Int(word.dropLast()).map { $0 * 1_000 }
                } else {
                    media.height = Int(word)
                }
            }
        }
        return media
    }

    private func choice(_ list: [String], height: Int) -> Int? {
        let all = list.enumerated().map { index, text in
            // "type … @name" sets the name.
            let parts = text.split(separator: "@").map(String.init)
            return media(parts[0], name: "\(index)/" + (parts.count > 1 ? parts[1] : "x"))
        }
        let best = MediaChoice.best(of: all, need: MediaNeed(height: height))
        return best.flatMap { best in all.firstIndex { $0.url == best.url } }
    }

    @Test(arguments: [
        // The smallest that covers the surface; of equals the default, then the first.
        (["video/mp4 1080", "video/mp4 480", "video/mp4 720"], 400, 1),
        (["video/mp4 1080", "video/mp4 480", "video/mp4 720"], 480, 1),
        (["video/mp4 1080", "video/mp4 480", "video/mp4 720"], 500, 2),
        (["video/mp4 720", "video/webm 720 default"], 700, 1), (["video/mp4 720", "video/webm 720"], 700, 0),
        (["video/mp4 1080 default", "video/mp4 720"], 700, 1),
        // None covers it: the largest.
        (["video/mp4 240", "video/mp4 480", "video/mp4 360"], 1_000, 1),
        // Without heights: by bitrate, then as they come.
        (["video/mp4 5000k", "video/mp4 2500k", "video/mp4 300k"], 720, 1),
        (["video/mp4 5000k", "video/mp4 2500k", "video/mp4 300k"], 200, 2),
        (["video/mp4", "video/webm"], 720, 0), (["video/mp4", "video/webm default"], 720, 1),
        // One that covers it, then what adapts itself, then the unknown, then what is too small.
        (["application/x-mpegurl", "video/mp4 720"], 700, 1), (["video/mp4 480", "application/x-mpegurl"], 700, 1),
        (["video/mp4", "application/vnd.apple.mpegurl"], 700, 1), (["video/mp4 240", "video/mp4"], 700, 1),
        (["application/dash+xml", "application/x-mpegurl"], 700, 1), (["- @a.mpd", "- @a.m3u8"], 700, 1),
        (["video/mp4 0", "video/mp4 240"], 700, 0),
        // Never a part, if there is a whole.
        (["video/mp4 720 sample", "video/mp4 240"], 700, 1), (["video/mp4 sample", "audio/mpeg"], 700, 1),
        (["video/mp4 sample", "image/jpeg"], 700, 0), (["audio/mpeg sample", "video/mp4 sample"], 700, 1),
        // Sound only without pictures, pictures only without both.
        (["audio/mpeg default", "video/mp4"], 700, 1), (["image/jpeg default", "audio/mpeg"], 700, 1),
        (["image/jpeg 100", "image/jpeg 800"], 700, 1), (["-", "image/png"], 700, 1), (["-"], 700, 0),
    ])
    func theBestIsChosen(list: [String], height: Int, expected: Int) {
        #expect(choice(list, height: height) == expected)
    }

    @Test(arguments: [
        "application/x-shockwave-flash", "text/html", "text/plain", "application/pdf", "application/x-bittorrent",
        "application/zip", "application/json", "image/gif 1x1", "- 1x1 image", "image/svg+xml", "- other @x",
        "video/mp4 @page.html", "- @x.torrent", "- video @player.swf", "audio/midi", "video/youtube", "audio/x-scpls",
        "text/html @x.mp4", "font/woff",
    ])
    func unplayableMediaAreNotChosen(media: String) {
        #expect(choice([media], height: 720) == nil)
        #expect(choice([media, "image/jpeg"], height: 720) == 1)
    }

    @Test(arguments: [
        ("- @a.mp4", MediaKind.video), ("- @a.MP4", .video), ("- @a.mp4?x=1.html", .video), ("- @a.m3u8", .adaptive),
        ("- @a.mpd", .adaptive), ("- @a.mp3", .audio), ("- @a.webp", .image), ("- @a.gif", .image),
        ("- @watch", .unknown), ("- video @watch", .video), ("- audio @a.php", .audio), ("- audio @a.mp4", .video),
        ("application/octet-stream @a.mkv", .video), ("application/octet-stream audio @a", .audio),
        ("audio/mpegurl @a", .adaptive), ("video/mp4 @a.mp3", .video), ("audio/mpeg @a.mp4", .audio),
        ("video/mp2t @a.m3u8", .adaptive), ("application/ogg @a.ogg", .audio), ("application/ogg @a.ogv", .video),
        ("application/mp4 @a", .video), ("mp3 @a", .audio), ("video @a", .video), ("image/jpeg @a.m3u8", .image),
    ])
    func typeThenNameThenMediumDecideTheKind(description: String, kind: MediaKind) {
        let parts = description.split(separator: "@").map(String.init)
        #expect(MediaKind(media(parts[0], name: parts[1])) == kind)
    }

    @Test func aLinkToAClipIsOne() {
        func url(_ link: String, _ media: [FeedMedia] = []) -> String? {
            MediaChoice.best(of: FeedEntry(link: link, media: media), need: MediaNeed())?.url
        }
        #expect(url("https://h.example/a.mp4?x") == "https://h.example/a.mp4?x")
        #expect(
            url("https://h.example/a.mp4", [FeedMedia(url: "https://h.example/p.pdf")]) == "https://h.example/a.mp4")
        #expect(
            url("https://h.example/a.mp4", [FeedMedia(url: "https://h.example/b.mp3")]) == "https://h.example/b.mp3")
        let picture = FeedMedia(url: "https://h.example/p", type: "image/png")
        #expect(url("https://h.example/a.mp4", [picture]) == "https://h.example/a.mp4")
        #expect(url("https://h.example/a.html", [picture]) == "https://h.example/p")
        #expect(url("https://h.example/a.html") == nil && url("https://h.example/mp4") == nil)
        #expect(url("rtsp://h.example/a.mp4") == nil && url("a.mp4") == nil)
    }

    @Test(arguments: ["rtmp://h.example/a.mp4", "magnet:?xt=a.mp4", "data:video/mp4,x", "blob:https://h.example/a.mp4"])
    func forbiddenLinksAreNotChosen(url: String) {
        let web = FeedMedia(url: "https://h.example/b", type: "video/mp4")
        let other = FeedMedia(url: url, type: "video/mp4", height: 720)
        #expect(MediaChoice.best(of: [other, web], need: MediaNeed()) == web)
        let long = FeedMedia(url: "https://h.example/" + String(repeating: "x", count: 9_000), type: "video/mp4")
        #expect(MediaChoice.best(of: [other, long], need: MediaNeed()) == nil)
    }
}
