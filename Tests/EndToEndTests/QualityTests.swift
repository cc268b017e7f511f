import Foundation
import Model
import TestSupport
import Testing

extension EndToEnd {
    /// The quality that the user chooses, and what is fetched.
    @Suite struct QualityTests {
        private let folder = TemporaryFolder()

        private func browse(_ feed: ServedFeed, _ arguments: String...) throws -> FlickSession {
            try FlickSession(["--reduced-motion", "--cache-dir", folder.path + "/cache"] + arguments + [feed.url])
        }

        /// Whether the middle of the page is black.
        private func isBlack(_ screen: CapturedScreen) -> Bool {
            (4..<16).allSatisfy { row in
                (20..<60).allSatisfy { column in
                    let color = screen[column, row].halves.upper
                    return max(color.red, color.green, color.blue) < 30
                }
            }
        }

        @Test func variantIsChosenByHand() throws {
            let feed = try ServedFeed([.variants, .front], server: FaultyServer())
            let flick = try browse(feed)
            try flick.terminal.waitUntil("it plays") { ($0.frameCode() ?? 0) > 20 }
            #expect(feed.server.requests(for: "/ts/2.m3u8").isEmpty)
            try flick.terminal.type("Q")
            try flick.terminal.waitUntil("all variants") { screen in
                ["Auto (90p)", "720p", "360p", "Data saver"].allSatisfy { screen.contains($0) }
            }
            try flick.terminal.type("j")
            let before = try flick.terminal.capture().frameCode() ?? 20
            try flick.terminal.press("Enter")
            var screens: [CapturedScreen] = []
            try flick.terminal.wait("the other variant", within: .seconds(10)) {
                screens.append(try flick.terminal.capture())
                return !feed.server.requests(for: "/ts/2-1.ts").isEmpty && screens.count > 10
            }
            #expect(screens.allSatisfy { !isBlack($0) })
            let after = try #require(
                try flick.terminal.waitUntil("it continues") { ($0.frameCode() ?? 0) > before }.frameCode())
            #expect(after < before + 240)
            try flick.terminal.type("I")
            try flick.terminal.waitUntil("why") { $0.contains("1280 × 720") && $0.contains("chosen by hand") }
            // Its own key closes it: Esc and an arrow that come together are one key with Alt.
            try flick.terminal.type("I")
            // A clip that is one file says so.
            try flick.terminal.press("Down")
            try flick.terminal.waitUntil("the next") { $0.rows[0].contains("2/2") && $0.frameCode() != nil }
            try flick.terminal.type("Q")
            try flick.terminal.waitUntil("its one quality") { $0.contains("This clip has one quality: 360p.") }
            try flick.terminal.press("Escape")
            try flick.terminal.press("q")
            #expect(try flick.terminal.waitForExit() == 0)
            #expect(try flick.trace("recover", "error").isEmpty)
        }

        /// Twelve files, of which it fetches three; and most of them once data is not saved any more.
        @Test func dataSaverFetchesLittleAhead() throws {
            let feed = try ServedFeed([], server: FaultyServer())
            let paths = (0..<12).map { "/clip-\($0).mp4" }
            for path in paths { feed.serve(.front, as: path) }
            feed.serveManifest(paths.map { ($0, $0) })
            func fetched() -> Set<Int> {
                Set(paths.indices.filter { !feed.server.requests(for: paths[$0]).isEmpty })
            }
            let flick = try browse(feed, "--data-saver")
            for index in 1...2 { try flick.waitForTrace("warm") { $0.index == index } }
            try flick.terminal.waitUntil("its mark") { $0.rows[0].contains("data saver") }
            // All that would be fetched has been: nothing comes for a second.
            var last = (count: feed.server.counts.bodyBytes, since: ContinuousClock.now)
            try flick.terminal.wait("rest", within: .seconds(20)) {
                let count = feed.server.counts.bodyBytes
                if count != last.count { last = (count, .now) }
                return ContinuousClock.now - last.since > .seconds(1)
            }
            #expect(fetched() == [0, 1, 2])
            try flick.terminal.type("Q")
            try flick.terminal.waitUntil("the sheet") { $0.contains("Data saver") && $0.contains("all clips") }
            try flick.terminal.type("g")
            try flick.terminal.press("Enter")
            try flick.terminal.waitUntil("off") { $0.contains("Data saver off") }
            try flick.terminal.wait("the others", within: .seconds(20)) { fetched().count >= 10 }
            for index in 3...6 { try flick.waitForTrace("warm") { $0.index == index } }
            try flick.terminal.press("q")
            #expect(try flick.terminal.waitForExit() == 0)
        }

        /// Clips of a second, one after the other: with the twentieth it is known that they are seen.
        @Test func viewerWhoStaysGetsMoreClipsOpenedAhead() throws {
            let clip = try TestClips.path(
                TestClips.Recipe("coded-second-1.mp4", width: 320, height: 180, seconds: 1, tone: 0))
            for number in 0..<48 {
                let name = "\(number < 10 ? "0" : "")\(number).mp4"
                try FileManager.default.copyItem(atPath: clip, toPath: "\(folder.path)/\(name)")
            }
            let flick = try FlickSession(["--reduced-motion", "--auto-advance", "--sort", "name", folder.path])
            try flick.waitForTrace("page", within: .seconds(90)) { $0.to == 20 }
            try flick.terminal.type("A")
            let page = try #require(try flick.trace("page").last?.to)
            for offset in [7, 8, 9] { try flick.waitForTrace("warm") { $0.index == page + offset } }
            // Before, six were opened after each page.
            var view = 0
            for line in try flick.trace("page", "warm") {
                if line.ev == "page" { view = line.to ?? view }
                if view < 20, line.ev == "warm" { #expect((line.index ?? 0) <= view + 6) }
            }
            try flick.terminal.press("q")
            #expect(try flick.terminal.waitForExit() == 0)
        }
    }
}
