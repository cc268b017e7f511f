import Foundation
import Model
import TestSupport
import Testing

extension EndToEnd {
    /// A web page that names no feed, and a script in place of yt-dlp.
    @Suite struct WebPageTests {
        private let feed: ServedFeed
        private let folder = TemporaryFolder()

        init() throws { feed = try ServedFeed(server: FaultyServer()) }

        /// The configuration that names the script.
        private func configuration() throws -> String {
            let server = feed.server
            func answer(_ name: String, _ text: String) throws { try folder.write(name, text.utf8) }
            func entry(_ name: String) -> String {
                #"{"_type": "url", "ie_key": "Tube", "id": "\#(name)", "title": "clip \#(name)", "url": "\#(server.url("/watch/\(name)"))"}"#
            }
            try answer(
                "list", #"{"_type": "playlist", "title": "Lanterns", "entries": [\#(entry("one")), \#(entry("two"))]}"#)
            let file =
                #"{"format_id": "1", "protocol": "http", "height": 360, "url": "\#(server.url("/front.mp4"))", "http_headers": {"Referer": "\#(server.url("/page"))"}}"#
            try answer("one", #"{"id": "one", "extractor_key": "Tube", "formats": [\#(file)]}"#)
            let stream =
                #"{"format_id": "2", "protocol": "m3u8_native", "height": 90, "url": "\#(server.url("/ts/0.m3u8"))", "manifest_url": "\#(server.url("/ts/master.m3u8"))"}"#
            try answer("two", #"{"id": "two", "extractor_key": "Tube", "formats": [\#(stream)]}"#)
            let script = """
                echo "$@" >> '\(folder.path)/asked'
                case "$*" in
                */watch/one) exec cat '\(folder.path)/one' ;;
                *--flat-playlist*) exec cat '\(folder.path)/list' ;;
                */watch/two) exec cat '\(folder.path)/two' ;;
                esac
                echo "ERROR: what is that?" >&2
                exit 1
                """
            let program = try folder.script("yt-dlp", script)
            return try folder.write("config.toml", "[tools]\nyt_dlp = \"\(program)\"\n".utf8)
        }

        private func asked() throws -> [String] {
            try String(contentsOfFile: folder.path + "/asked", encoding: .utf8).split(separator: "\n").map(String.init)
        }

        private func run(_ arguments: String...) throws -> Command.Result {
            try Command.run(
                [FlickBinary.path] + arguments + ["--cache-dir", folder.path + "/cache"],
                setting: ["XDG_STATE_HOME": folder.path])
        }

        @Test func otherCommandsAskWhereItsClipsAre() throws {
            let config = try configuration()
            for path in ["/page", "/watch/one"] {
                feed.server.serve(path, .text("<!doctype html><title>x</title><p>x", type: "text/html"))
            }
            let fetched = try run("fetch", "--config", config, feed.server.url("/page"))
            #expect(fetched.status >> 8 == 1 && fetched.output.hasPrefix("1\tdownloaded, "), "\(fetched)")
            #expect(fetched.output.contains("2\tskipped: streams"), "\(fetched)")
            let probed = try run("probe", "--json", "--config", config, feed.server.url("/watch/one"))
            #expect(probed.status == 0 && probed.output.contains("\"width\""), "\(probed)")
            let drawn = try run("preview", "--size", "20x6", "--config", config, feed.server.url("/watch/one"))
            #expect(drawn.status == 0 && drawn.output.contains("▀"), "\(drawn)")
            let list = try run("probe", "--config", config, feed.server.url("/page"))
            #expect(list.status >> 8 == 1 && list.errors.contains("is a feed; pass one clip"), "\(list)")
        }

        @Test func clipsOfAWebPagePlay() throws {
            let config = try configuration()
            feed.server.serve("/page", .text("<!doctype html><title>x</title><p>x", type: "text/html"))
            let flick = try FlickSession(
                [
                    "--reduced-motion", "--cache-dir", folder.path + "/cache", "--config", config,
                    feed.server.url("/page"),
                ])
            for (number, name) in [(1, "one"), (2, "two")] {
                try flick.terminal.waitUntil("clip \(number)", within: .seconds(20)) { screen in
                    screen.rows[0].contains("\(number)/2") && (screen.frameCode() ?? 0) > 0
                        && screen.contains("clip \(name)")
                }
                try flick.terminal.press("Down")
            }
            try flick.terminal.press("q")
            #expect(try flick.terminal.waitForExit() == 0)
            // One question for the page and each clip.
            let asked = try asked()
            #expect(asked.count == 3 && asked.filter { $0.contains("--flat-playlist") }.count == 1, "\(asked)")
            let requests = feed.server.requests(for: "/front.mp4")
            #expect(!requests.isEmpty && requests.allSatisfy { $0.headers["referer"] == feed.server.url("/page") })
            #expect(feed.server.requests(for: "/watch/one").isEmpty)
            #expect(try flick.trace("error").isEmpty)
        }
    }
}
