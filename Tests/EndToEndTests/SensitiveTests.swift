import Foundation
import TestSupport
import Testing

extension EndToEnd {
    /// What a feed calls sensitive.
    @Suite struct SensitiveTests {
        private let feed: ServedFeed
        private let folder = TemporaryFolder()

        init() throws {
            feed = try ServedFeed(server: FaultyServer())
            let items = """
                {"title": "Served", "items": [{"id": "one", "title": "one", "url": "/front.mp4"},
                {"id": "two", "title": "two", "url": "/back.mp4", "thumbnail": "/thumbnail.jpg", "blurhash": "LEHV6nWB2yk8pyo0adR*.7kCMdnj",
                "sensitive": true, "warning": "Spiders"}]}
                """
            feed.server.serve("/feed.json", .text(items, type: "application/json"))
        }

        @Test func nothingOfItIsFetchedOrSeenBeforeAKey() throws {
            let flick = try FlickSession(
                ["--reduced-motion", "--cache-dir", folder.path + "/cache", feed.url])
            try flick.waitForTrace("first_frame") { $0.item == "one" }
            try flick.terminal.press("Down")
            try flick.terminal.waitUntil("the warning") { $0.contains("Sensitive") && $0.contains("Spiders") }
            // Its blurhash is drawn.
            try flick.terminal.waitUntil("colours") { $0.contains("▀") }
            try flick.terminal.press("Up")
            try flick.terminal.waitUntil("the page before") { ($0.frameCode() ?? 0) > 0 && $0.rows[0].contains("1/2") }
            try flick.terminal.press("Down", "Right", "m")
            try flick.terminal.waitUntil("the warning") { $0.contains("Spiders") }
            #expect(!feed.server.requests.contains { $0.path == "/back.mp4" || $0.path == "/thumbnail.jpg" })
            #expect(try flick.trace("first_frame").allSatisfy { $0.item == "one" })
            try flick.terminal.press("Enter")
            try flick.waitForTrace("first_frame") { $0.item == "two" }
            try flick.terminal.waitUntil("the clip") { !$0.contains("Spiders") && ($0.frameCode() ?? 0) > 0 }
            try flick.terminal.press("q")
            #expect(try flick.terminal.waitForExit() == 0)
        }

        @Test func sensitiveClipsCanBeSkippedOrShown() throws {
            for (choice, count) in [("skip", 1), ("show", 2), ("cover", 2)] {
                let config = try folder.write("\(choice).toml", "[feed]\nsensitive = \"\(choice)\"\n".utf8)
                let result = try Command.run([FlickBinary.path, "feed", "--config", config, "--no-cache", feed.url])
                #expect(result.output.split(separator: "\n").count == count, "\(choice): \(result)")
            }
        }
    }
}
