import Foundation
import Model
import TestSupport
import Testing

extension EndToEnd {
    /// Feeds with clips from a server that sometimes fails.
    @Suite struct ServedTests {
        private let feed: ServedFeed
        private let folder = TemporaryFolder()

        init() throws { feed = try ServedFeed(server: FaultyServer()) }

        /// flick with the served feed, or with another manifest.
        private func browse(_ source: String? = nil, _ arguments: String...) throws -> FlickSession {
            try FlickSession(
                ["--reduced-motion", "--cache-dir", folder.path + "/cache"] + arguments + [source ?? feed.url])
        }

        /// Waits until an item of the feed, counted from 1, visibly moves.
        @discardableResult
        private func expect(
            _ number: Int, on flick: FlickSession, after code: Int = 0, within limit: Duration = .seconds(10)
        ) throws -> CapturedScreen {
            try flick.terminal.waitUntil("clip \(number) after picture \(code)", within: limit) { screen in
                screen.rows[0].contains("\(number)/") && (screen.frameCode() ?? 0) > code
            }
        }

        @Test func everyFormatPlays() throws {
            let flick = try browse()
            let clips = ServedFeed.Clip.allCases.filter { $0 != .live }
            for (index, clip) in clips.enumerated() {
                // All clips have the same numbers, so the trace identifies the clip.
                try flick.waitForTrace("first_frame") { $0.item == clip.title }
                try expect(index + 1, on: flick)
                let fetched = try flick.waitForTrace("fetch") { $0.item == clip.title }
                #expect(fetched.source == "network" && fetched.url?.hasPrefix("http://127.0.0.1") == true)
                try flick.terminal.press("Down")
            }
            try flick.terminal.press("q")
            #expect(try flick.terminal.waitForExit() == 0)
            // The trace claims no bytes that the server did not send.
            let got = try flick.trace("fetch").filter { $0.source == "network" }.reduce(0) { $0 + ($1.got ?? 0) }
            #expect(got <= feed.server.counts.bodyBytes && got > 0)
            #expect(try flick.trace("error").isEmpty)
        }

        /// Downloaded whole, it plays when the server is gone. While it is paused, the download shows its end as well.
        @Test(arguments: [[], ["Space"]]) func downloadedClipPlaysWithoutTheNetwork(before keys: [String]) throws {
            let manifest = "\(folder.path)/feed.json"
            let clip = feed.server.url("/front.mp4")
            try #"{"items": [{"id": "front", "url": "\#(clip)"}]}"#.write(
                toFile: manifest, atomically: true, encoding: .utf8)
            let first = try browse(manifest)
            try expect(1, on: first)
            for key in keys { try first.terminal.press(key) }
            try first.terminal.press("D")
            try first.terminal.waitUntil("the end of the download") { screen in
                screen.rows[0].contains(" downloaded ") && !screen.rows[0].contains("%")
                    && !screen.rows[0].contains("...")
            }
            try first.terminal.press("q")
            #expect(try first.terminal.waitForExit() == 0)
            let status = try Command.run(
                [FlickBinary.path, "cache", "status", "--json", "--cache-dir", folder.path + "/cache"])
            #expect(status.output.contains(#""offline_entries":1"#), "\(status.output)")

            feed.server.stop()
            let second = try browse(manifest)
            try expect(1, on: second)
            try second.terminal.waitUntil("the mark") { $0.rows[0].contains(" downloaded ") }
            #expect(try second.trace("fetch").allSatisfy { $0.source == "cache" })
            try second.terminal.press("D")
            try second.terminal.waitUntil("it is let go") { $0.contains("Download removed") }
            try second.terminal.press("q")
            #expect(try second.terminal.waitForExit() == 0)
        }

        /// The clip's server takes half a minute; its thumbnail is there at once, and goes when another page comes.
        @Test func aThumbnailStandsUntilTheClipIsThere() throws {
            let picture = "\(folder.path)/red.png"
            let made = try Command.run(
                ["ffmpeg", "-v", "error", "-f", "lavfi", "-i", "color=red:s=160x90", "-frames:v", "1", picture])
            try #require(made.status == 0, "\(made.errors)")
            feed.server.serve("/red.png", Resource(.file(picture), type: "image/png"))
            feed.serve(.front, as: "/slow.mp4", faults: [.slowStart(.seconds(30)).of("GET")])
            let slow = #"{"id": "slow", "url": "slow.mp4", "thumbnail": "red.png"}"#
            let items = #"[\#(slow), {"id": "front", "url": "front.mp4"}]"#
            feed.server.serve("/feed.json", .text(#"{"items": \#(items)}"#, type: "application/json"))
            let flick = try browse()
            let still = try flick.waitForTrace("still") { $0.item == "slow" }
            #expect(still.kind == "thumbnail" && still.why == nil)
            try flick.terminal.waitUntil("the red thumbnail") { screen in
                let color = screen[screen.size.columns / 3, 5].halves.upper
                // Darkened, as the page waits.
                return color.red > 120 && color.green < 40 && color.blue < 40
            }
            #expect(try flick.trace("first_frame").isEmpty)
            try flick.terminal.press("Down")
            try expect(2, on: flick)
        }

        /// The same two clips in each kind of feed. The address does not reveal the kind.
        @Test(
            arguments: [
                (
                    "application/rss+xml",
                    """
                    <rss version="2.0"><channel><title>Served</title>
                    <item><title>one</title><enclosure url="/front.mp4" type="video/mp4" length="1"/></item>
                    <item><title>only words</title></item>
                    <item><title>two</title><enclosure url="/ts/master.m3u8" type="application/x-mpegurl" length="1"/>
                    </item></channel></rss>
                    """
                ),
                (
                    "application/atom+xml",
                    """
                    <feed xmlns="http://www.w3.org/2005/Atom"><title>Served</title>
                    <entry><title>one</title><link rel="enclosure" type="video/mp4" href="front.mp4"/></entry>
                    <entry><title>two</title><link rel="enclosure" type="application/vnd.apple.mpegurl"
                    href="ts/master.m3u8"/></entry></feed>
                    """
                ),
                (
                    "application/feed+json",
                    """
                    {"version": "https://jsonfeed.org/version/1.1", "title": "Served", "items": [
                    {"id": "1", "title": "one", "attachments": [{"url": "/front.mp4", "mime_type": "video/mp4"}]},
                    {"id": "2", "title": "two", "attachments": [{"url": "/ts/master.m3u8",
                    "mime_type": "application/vnd.apple.mpegurl"}]}]}
                    """
                ),
                (
                    "audio/x-mpegurl",
                    "#EXTM3U\n#PLAYLIST:Served\n#EXTINF:-1 tvg-id=\"a\",one\n/front.mp4\n#EXTINF:-1,two\nts/master.m3u8\n"
                ),
                (
                    "text/html",
                    "<!doctype html><title>x</title><link rel=alternate type=application/rss+xml href=/feed.xml><p>x"
                ),
            ])
        func eachKindOfFeedPlays(type: String, text: String) throws {
            feed.server.serve("/follow", .text(text, type: type))
            let rss = """
                <rss><channel><item><title>one</title><enclosure url="/front.mp4" type="video/mp4"/></item>
                <item><title>two</title><enclosure url="/ts/master.m3u8" type="application/x-mpegurl"/></item></channel></rss>
                """
            feed.server.serve("/feed.xml", .text(rss, type: "text/xml"))
            let flick = try browse(feed.server.url("/follow"))
            for (number, title) in [(1, "one"), (2, "two")] {
                try expect(number, on: flick)
                try flick.terminal.waitUntil("its title") { $0.rows[0].contains("\(number)/2") && $0.contains(title) }
                try flick.terminal.press("Down")
            }
            try flick.terminal.press("q")
            #expect(try flick.terminal.waitForExit() == 0)
        }

        /// Instances of services, as they are typed; `%` is where they are.
        @Test(arguments: [
            ("peertube:%", "video"), ("mastodon:%/@otters", "post"), ("mastodon:%/#otters", "post"),
            ("loops:%/@otters", "loop"),
        ])
        func eachServicePlays(address: String, title: String) throws {
            let media = [ServedFeed.Clip.front, .variants].map(\.path)
            RecordedService.serveMastodon(on: feed.server, posts: 90, media: media)
            RecordedService.servePeerTube(on: feed.server, videos: 30, media: media)
            RecordedService.serveLoops(on: feed.server, videos: 30, media: media)
            let flick = try browse(address.replacingOccurrences(of: "%", with: feed.server.url("")))
            for number in 1...2 {
                try expect(number, on: flick)
                try flick.terminal.waitUntil("its title") { $0.contains("\(title) \(number - 1)") }
                try flick.terminal.press("Down")
            }
            try flick.terminal.press("q")
            #expect(try flick.terminal.waitForExit() == 0)
            #expect(try flick.trace("error").isEmpty)
        }

        /// `c` reads what is said there; nothing can be said from here.
        @Test(arguments: ["peertube:%", "mastodon:%/@otters"]) func commentsOfServicesAreRead(address: String) throws {
            let media = [ServedFeed.Clip.front.path]
            RecordedService.serveMastodon(on: feed.server, posts: 1, media: media)
            RecordedService.servePeerTube(on: feed.server, videos: 1, media: media)
            RecordedService.serveComments(on: feed.server)
            let flick = try browse(address.replacingOccurrences(of: "%", with: feed.server.url("")))
            try expect(1, on: flick)
            try flick.terminal.press("c")
            try flick.terminal.waitUntil("what is said") { screen in
                screen.contains("Ferry") && screen.contains("how") && screen.contains("fast")
                    && screen.contains("they are")
            }
            #expect(feed.server.requests.allSatisfy { $0.method != "POST" })
            try flick.terminal.press("Escape", "q")
            #expect(try flick.terminal.waitForExit() == 0)
        }

        @Test func aFeedOpensWithoutItsServer() throws {
            let channels = "#EXTM3U\n#EXTINF:-1 tvg-id=\"a\",one\n/front.mp4\n"
            feed.server.serve("/tv.m3u8", .text(channels, type: "application/vnd.apple.mpegurl"))
            let url = feed.server.url("/tv.m3u8")
            let first = try browse(url)
            try expect(1, on: first)
            try first.terminal.press("q")
            #expect(try first.terminal.waitForExit() == 0)

            feed.server.stop()
            let second = try browse(url)
            try second.terminal.waitUntil("the age") { $0.rows[0].contains("offline · ") }
            try expect(1, on: second)
            try second.terminal.press("q")
            #expect(try second.terminal.waitForExit() == 0)
        }

        @Test func aLiveStreamPlays() throws {
            feed.serveManifest([("live", ServedFeed.Clip.live.path)])
            let flick = try browse()
            try expect(1, on: flick)
        }

        @Test func cachedClipsPlayWithoutTheServer() throws {
            let items = [ServedFeed.Clip.front, .variants].map { "{\"url\": \"\(feed.url(of: $0))\"}" }
            let manifest = try folder.write("feed.json", "[\(items.joined(separator: ","))]".utf8)
            let first = try browse(manifest)
            try expect(1, on: first)
            try first.terminal.press("Down")
            try expect(2, on: first)
            try first.terminal.press("q")
            #expect(try first.terminal.waitForExit() == 0)

            feed.server.stop()
            let second = try browse(manifest)
            try expect(1, on: second)
            try second.terminal.press("Down")
            try expect(2, on: second)
            // They are traced by a thread of their own, perhaps after the picture.
            try second.waitForTrace("fetch") { ($0.got ?? 0) > 0 }
            let fetches = try second.trace("fetch").filter { ($0.got ?? 0) > 0 }
            #expect(!fetches.isEmpty && fetches.allSatisfy { $0.source == "cache" })
        }

        @Test func aStallIsShownAndEnds() throws {
            // Four seconds of the clip, then silence until well after those
            // were played, because a busy machine begins late.
            feed.serve("/front.mp4", faults: [.stall(after: 450_000, for: .seconds(9)).of("GET").on(1)])
            let flick = try browse()
            try flick.waitForTrace("stall")
            try flick.terminal.waitUntil("three dots") { $0.rows[12].contains("●") }
            try flick.waitForTrace("resume")
            // 136 pictures had arrived before the stall.
            let screen = try expect(1, on: flick, after: 140)
            #expect(!screen.rows[12].contains("●"))
            #expect(try flick.trace("error").isEmpty)
        }

        @Test func aBrokenConnectionIsInvisible() throws {
            feed.serve("/front.mp4", faults: [.cut(after: 200_000).of("GET").first(3), .status(503).on(2)])
            let flick = try browse()
            // Three seconds of it.
            try expect(1, on: flick, after: 90)
            #expect(try flick.trace("error").isEmpty)
        }

        @Test func missingClipGetsAnErrorPageAndTheFeedContinues() throws {
            feed.server.serve("/garbage.mp4", Resource(.bytes([]), faults: [.garbage()]))
            feed.server.serve("/text.mp4", .text("This is no film.\n"))
            feed.serveManifest([
                ("missing", "/missing.mp4"), ("garbage", "/garbage.mp4"), ("text", "/text.mp4"), ("good", "/front.mp4"),
            ])
            let flick = try browse()
            for (number, why) in [(1, "(404)"), (2, ""), (3, "Not a media file: it looks like text")] {
                try flick.terminal.waitUntil("the error page of \(number)", within: .seconds(30)) { screen in
                    screen.rows[0].contains("\(number)/4") && screen.contains("Enter retry")
                        && (why.isEmpty || screen.contains(why))
                }
                try flick.terminal.press("Down")
            }
            try expect(4, on: flick)
        }

        @Test func pagingOnEndsAllTransfers() throws {
            let paths = (0..<6).map { "/clip\($0).mp4" }
            for path in paths { feed.serve(.front, as: path) }
            feed.serveManifest(paths.map { ($0, $0) })
            // Each would take six seconds.
            feed.server.link = .init(rate: 200_000, latency: .milliseconds(20))
            let flick = try browse()
            try flick.terminal.wait("the first one's transfer") { !feed.server.requests(for: paths[0]).isEmpty }
            for page in 1...5 {
                try flick.terminal.press("Down")
                try flick.terminal.wait("page \(page)") { try flick.trace("page").count == page }
            }
            try expect(6, on: flick, within: .seconds(20))
            // No response to an abandoned request is still being sent.
            try flick.terminal.wait("the end of what was left") {
                paths[..<4].allSatisfy { feed.server.requests(for: $0).allSatisfy(\.isOver) }
            }
            let left = paths[..<5].flatMap { feed.server.requests(for: $0) }.reduce(0) { $0 + $1.bodyBytes }
            #expect(left < 5 * 1_191_821 / 2, "\(left) bytes of those that were left")
        }
    }
}
