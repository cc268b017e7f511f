import Foundation
import TestSupport
import Testing

extension EndToEnd {
    /// `flick fetch`.
    @Suite struct FetchTests {
        private let feed: ServedFeed
        private let folder = TemporaryFolder()

        init() throws { feed = try ServedFeed(server: FaultyServer()) }

        private var environment: [String: String] {
            ["XDG_STATE_HOME": folder.path + "/state", "XDG_CONFIG_HOME": folder.path + "/config", "HOME": folder.path]
        }

        private func fetch(_ arguments: String...) throws -> (status: Int32, output: String, errors: String) {
            let result = try Command.run(
                [FlickBinary.path, "fetch", "--cache-dir", folder.path + "/cache"] + arguments, setting: environment)
            return (result.status >> 8, result.output, result.errors)
        }

        private func objects(_ output: String) throws -> [[String: Any]] {
            try output.split(separator: "\n").map {
                try #require(try JSONSerialization.jsonObject(with: Data($0.utf8)) as? [String: Any])
            }
        }

        @Test func fetchedClipsPlayWithoutTheNetwork() throws {
            feed.serveManifest([("one", "/front.mp4"), ("two", "/back.mp4")])
            let result = try fetch(feed.url)
            #expect(result.status == 0 && result.errors.isEmpty, "\(result)")
            let lines = result.output.split(separator: "\n").map { $0.split(separator: "\t").map(String.init) }
            #expect(lines.map(\.first) == ["1", "2"] && lines.map(\.last) == ["one", "two"], "\(result.output)")
            #expect(lines.allSatisfy { $0[1].hasPrefix("downloaded, ") })
            // Once more: nothing is fetched but the feed.
            let before = feed.server.requests.count
            let again = try objects(try fetch("--json", feed.url).output)
            #expect(again.map { $0["state"] as? String } == ["whole", "whole"])
            #expect(again.allSatisfy { $0["fetched"] as? Int == 0 && ($0["bytes"] as? Int ?? 0) > 10_000 })
            #expect(feed.server.requests[before...].allSatisfy { $0.path == "/feed.json" })

            feed.server.stop()
            let flick = try FlickSession(
                ["--reduced-motion", "--cache-dir", folder.path + "/cache", feed.url], environment: environment)
            try flick.waitForTrace("first_frame") { $0.item == "one" }
            try flick.terminal.press("Down")
            try flick.waitForTrace("first_frame") { $0.item == "two" }
            #expect(try flick.trace("fetch").allSatisfy { $0.source == "cache" || $0.got == 0 })
            try flick.terminal.press("q")
            #expect(try flick.terminal.waitForExit() == 0)
        }

        /// Clips that were only downloaded are in Offline, and play without a server.
        @Test func fetchedClipsAreInOffline() throws {
            feed.serveManifest([("one", "/front.mp4"), ("two", "/back.mp4")])
            #expect(try fetch(feed.url).status == 0)
            feed.server.stop()
            let flick = try FlickSession(
                ["--reduced-motion", "--place", "offline", "--cache-dir", folder.path + "/cache", feed.url],
                environment: environment)
            try flick.waitForTrace("first_frame") { $0.item == "two" }
            try flick.terminal.press("Down")
            try flick.waitForTrace("first_frame") { $0.item == "one" }
            try flick.terminal.press("p")
            try flick.terminal.waitUntil("the count") { screen in
                screen.text.split(separator: "\n").contains { $0.contains("Offline") && $0.contains("2") }
            }
            #expect(try flick.trace("fetch").allSatisfy { $0.source == "cache" || $0.got == 0 })
            try flick.terminal.press("Escape")
            try flick.terminal.press("q")
            #expect(try flick.terminal.waitForExit() == 0)
        }

        /// Fetched, but not in a place: the user should know.
        @Test func libraryThatCannotBeWrittenIsReported() throws {
            feed.serveManifest([("one", "/front.mp4")])
            try folder.write("state", Array("not a folder".utf8))
            let result = try fetch(feed.url)
            #expect(result.status == 0 && result.output.contains("downloaded, "), "\(result)")
            #expect(result.errors.hasPrefix("flick: cannot add 1 clip to Offline: "), "\(result)")
            #expect(result.errors.split(separator: "\n").count == 1)
        }

        private static let cue = "WEBVTT\n\n00:00.000 --> 01:00.000\nwords without a server\n"

        private func serveSubtitled() {
            let server = feed.server
            server.serve("/one.vtt", .text(Self.cue, type: "text/vtt"))
            server.serve("/login.vtt", .text("<!DOCTYPE html><title>Log in</title>", type: "text/html"))
            server.serve(
                "/feed.json",
                .text(
                    #"""
                    {"items": [{"id": "one", "title": "one", "url": "/front.mp4", "subtitles": ["/one.vtt"]},
                    {"id": "two", "title": "two", "url": "/back.mp4",
                     "subtitles": [{"url": "/one.vtt?2", "language": "de"}, {"url": "/none.vtt", "language": "en"}, {"url": "/login.vtt", "language": "fr"}]}]}
                    """#, type: "application/json"))
        }

        /// The path of a configuration that shows no subtitles before the key does: where there is no sound, they are
        /// shown by themselves.
        private func hidden() throws -> String {
            try folder.write("hidden.toml", Array("[subtitles]\nshow = \"off\"\n".utf8))
        }

        private func browseSubtitled() throws -> FlickSession {
            let flick = try FlickSession(
                [
                    "--config", try hidden(), "--reduced-motion", "--start", "1", "--cache-dir",
                    folder.path + "/cache", feed.url,
                ], environment: environment)
            try flick.waitForTrace("first_frame") { $0.item == "one" }
            return flick
        }

        /// The server has stopped.
        private func expectSubtitlesWithoutServer() throws {
            let flick = try browseSubtitled()
            try flick.terminal.type("v")
            try flick.terminal.waitUntil("what was fetched") { $0.contains("words without a server") }
            try flick.terminal.press("q")
            #expect(try flick.terminal.waitForExit() == 0)
        }

        @Test func subtitlesComeWithTheirClips() throws {
            serveSubtitled()
            let result = try fetch(feed.url)
            let lines = result.output.split(separator: "\n")
            #expect(result.status == 0 && result.errors.isEmpty && lines.count == 2, "\(result)")
            #expect(lines.first?.hasSuffix(", subtitles: 1\tone") == true, "\(result.output)")
            // The clip is whole without them.
            #expect(lines.last?.contains(", subtitles: 1 of 3: ") == true && lines.last?.contains("404") == true)
            let objects = try objects(try fetch("--json", feed.url).output)
            #expect(objects.map { $0["state"] as? String } == ["whole", "whole"])
            #expect(objects.map { $0["subtitles"] as? Int } == [1, 1])
            #expect(objects.map { $0["subtitles_missing"] as? Int } == [nil, 2])
            #expect((objects.last?["subtitles_why"] as? String)?.contains("404") == true)
            feed.server.stop()
            try expectSubtitlesWithoutServer()
        }

        /// Those of a clip that is kept offline come with it, too.
        @Test func subtitlesAreKeptOfflineWithTheirClips() throws {
            serveSubtitled()
            let first = try browseSubtitled()
            #expect(feed.server.requests(for: "/one.vtt").isEmpty)
            try first.terminal.press("D")
            #expect(holds(within: .seconds(20)) { feed.server.requests.contains { $0.path == "/one.vtt" } })
            try first.terminal.waitUntil("it is kept") {
                $0.rows[0].contains(" downloaded ") && !$0.rows[0].contains("%")
            }
            try first.terminal.press("Down")
            try first.waitForTrace("first_frame") { $0.item == "two" }
            try first.terminal.press("D")
            try first.terminal.waitUntil("what is missing") { $0.contains("Subtitles are not available offline: ") }
            try first.terminal.press("q")
            #expect(try first.terminal.waitForExit() == 0)
            feed.server.stop()
            try expectSubtitlesWithoutServer()
        }

        /// The second clip is kept while the first one's subtitles are still being downloaded.
        @Test func subtitlesOfTwoClipsAreKeptOneAfterTheOther() throws {
            serveSubtitled()
            let gate = DispatchSemaphore(value: 0)
            feed.server.serve(
                "/one.vtt",
                Resource(
                    .dynamic { _ in
                        gate.wait()
                        gate.signal()
                        return Array(Self.cue.utf8)
                    }, type: "text/vtt"))
            let flick = try browseSubtitled()
            try flick.terminal.press("D")
            #expect(holds(within: .seconds(20)) { feed.server.requests.contains { $0.path == "/one.vtt" } })
            try flick.terminal.press("Down")
            try flick.waitForTrace("first_frame") { $0.item == "two" }
            try flick.terminal.press("D")
            try flick.terminal.waitUntil("it is kept") {
                $0.rows[0].contains(" downloaded ") && !$0.rows[0].contains("%")
            }
            #expect(feed.server.requests(for: "/none.vtt").isEmpty)
            gate.signal()
            try flick.terminal.waitUntil("what is missing") { $0.contains("Subtitles are not available offline: ") }
            #expect(feed.server.requests(for: "/none.vtt").count == 1)
            try flick.terminal.press("q")
            #expect(try flick.terminal.waitForExit() == 0)
        }

        @Test func incompleteItemsAreReportedAndFail() throws {
            let file = try TestClips.path(TestClips.short)
            let manifest = try folder.write(
                "feed.json",
                """
                [{"url": "\(feed.server.url("/front.mp4"))", "title": "a"}, {"url": "\(feed.server.url("/ts/master.m3u8"))", "title": "b"},
                {"url": "\(feed.server.url("/nothing.mp4"))", "title": "c\\u001b[2J"}, {"url": "file://\(file)", "title": "d"},
                {"url": "\(feed.server.url("/back.mp4"))", "title": "e"}]
                """.utf8)
            let result = try fetch("--json", "--limit", "4", manifest)
            #expect(result.status == 1 && result.errors == "flick: incomplete: 2 of 4 items\n", "\(result)")
            #expect(try objects(result.output).map { $0["state"] as? String } == ["whole", "stream", "failed", "file"])
            let words = try fetch("--limit", "3", manifest)
            #expect(words.output.contains("already downloaded") && words.output.contains("skipped: streams"))
            #expect(words.output.contains("incomplete: ") && !words.output.contains("\u{1B}"), "\(words.output)")
            #expect(!feed.server.requests.contains { $0.path == "/back.mp4" })
        }

        @Test func clipLargerThanTheCacheIsNotFetched() throws {
            feed.server.serve("/long.mp4", Resource(.pattern(length: 40 << 20, seed: 1)))
            let manifest = try folder.write(
                "feed.json", "[\"\(feed.server.url("/long.mp4"))\", \"\(feed.server.url("/front.mp4"))\"]".utf8)
            let config = try folder.write("c.toml", "[cache]\nsize = \"20MB\"\n".utf8)
            let result = try fetch("--json", "--config", config, manifest)
            #expect(result.status == 1)
            #expect(try objects(result.output).map { $0["state"] as? String } == ["too_large", "whole"], "\(result)")
            #expect(feed.server.counts.bodyBytes < 20 << 20)
        }

        @Test func fetchWorksWithSaveEveryOff() throws {
            let manifest = try folder.write("feed.json", "[\"\(feed.server.url("/front.mp4"))\"]".utf8)
            let off = try folder.write("off.toml", "[cache]\nsave_every = \"off\"\n".utf8)
            var requests: [Int] = []
            for _ in 0..<2 {
                let result = try fetch("--json", "--config", off, manifest)
                #expect(result.status == 0, "\(result)")
                #expect(try objects(result.output).map { $0["state"] as? String } == ["whole"], "\(result)")
                requests.append(feed.server.requests(for: "/front.mp4").count)
            }
            #expect(requests[0] == requests[1], "the second finds all of it in the cache")
        }

        /// ^C, and a second run: downloaded bytes are not fetched again.
        @Test func interruptedFetchContinues() throws {
            let length: Int64 = 24 << 20
            feed.server.serve("/long.mp4", Resource(.pattern(length: length, seed: 1)))
            feed.server.link = FaultyServer.Link(rate: 2_000_000)
            let manifest = try folder.write("feed.json", "[\"\(feed.server.url("/long.mp4"))\"]".utf8)
            var variables = environment
            variables["PATH"] = "/usr/bin:/bin"
            let pid = try spawn(
                [FlickBinary.path, "fetch", "--cache-dir", folder.path + "/cache", manifest], environment: variables)
            #expect(feed.server.waitUntil(within: .seconds(60)) { $0.bodyBytes > 4 << 20 })
            let status = reap(pid, after: SIGINT)
            #expect(status & 0x7F == SIGINT)
            let came = feed.server.counts.bodyBytes
            #expect(came < length)
            feed.server.link = FaultyServer.Link()
            feed.server.resetCounts()
            let result = try fetch("--json", manifest)
            let object = try #require(try objects(result.output).first)
            #expect(result.status == 0 && object["bytes"] as? Int == Int(length))
            let fetched = try #require(object["fetched"] as? Int)
            #expect(fetched < Int(length) - (2 << 20) && feed.server.counts.bodyBytes < length - (2 << 20))
        }

        @Test func aTerminalSeesHowFarItIs() throws {
            feed.server.serve("/long.mp4", Resource(.pattern(length: 8 << 20, seed: 1)))
            feed.server.link = FaultyServer.Link(rate: 2_000_000)
            let manifest = try folder.write("feed.json", "[\"\(feed.server.url("/long.mp4"))\"]".utf8)
            let terminal = try TmuxTerminal(
                .program([FlickBinary.path, "fetch", "--cache-dir", folder.path + "/cache", manifest]), size: .common,
                environment: environment)
            defer { terminal.close() }
            try terminal.waitUntil("a bar", within: .seconds(20)) {
                $0.contains("#....") && $0.contains(" % of 8.0 MB")
            }
            try terminal.waitUntil("its end", within: .seconds(30)) { $0.contains("1  downloaded, 8.0 MB  long") }
        }

        @Test func unseenItemsComeFirst() throws {
            let clips = ["one": "/front.mp4", "two": "/back.mp4"]
            feed.serveManifest(clips.sorted { $0.key < $1.key }.map { ($0.key, $0.value) })
            let flick = try FlickSession(
                ["--reduced-motion", "--no-cache", feed.url], environment: environment)
            try flick.waitForTrace("engage") { $0.what == "impression" && $0.item == "one" }
            try flick.terminal.press("q")
            #expect(try flick.terminal.waitForExit() == 0)
            let one = try fetch("--limit", "1", feed.url)
            #expect(one.output.hasSuffix("\ttwo\n") && one.errors.isEmpty, "\(one)")
            let both = try fetch("--limit", "2", feed.url)
            #expect(both.output.hasPrefix("1\talready downloaded") && both.output.hasSuffix("\tone\n"), "\(both)")
            #expect(both.errors == "flick: 1 new; 1 watched before\n")
        }
    }
}
