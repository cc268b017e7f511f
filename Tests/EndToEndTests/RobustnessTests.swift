import Foundation
import Model
import TestSupport
import Testing

extension EndToEnd {
    /// Killed decoders and clips that cannot be played: one page has a short interruption, the feed continues.
    @Suite struct RobustnessTests {
        /// The process that decodes the current page, from the diagnostics; not `old`.
        private func decoder(_ flick: FlickSession, otherThan old: Int32 = 0) throws -> Int32 {
            try flick.terminal.press("I")
            var pid: Int32?
            try flick.terminal.waitUntil("the decoder's number") { screen in
                guard let line = screen.rows.first(where: { $0.contains("decoder") && $0.contains("process ") }) else {
                    return false
                }
                pid = line.components(separatedBy: "process ").last.flatMap { Int32($0.prefix { $0.isNumber }) }
                return pid != nil && pid != old
            }
            try flick.terminal.press("I")
            try flick.terminal.waitUntil("the picture again") { $0.frameCode() != nil }
            return try #require(pid)
        }

        /// Kills the decoder of the current page and watches the screen until the clip continues.
        private func killAndWatch(_ flick: FlickSession, _ pid: Int32, attempt: Int) throws {
            let before = try #require(try flick.terminal.waitUntil("a picture") { $0.frameCode() != nil }.frameCode())
            let killed = ContinuousClock.now
            #expect(kill(pid, SIGKILL) == 0)
            try flick.waitForTrace("recover") { $0.attempt == attempt }
            var (darkest, seen) = (255, before)
            // Two pictures later than any that the old decoder may have shown.
            try flick.terminal.waitUntil("that it continues", within: .seconds(3)) { screen in
                let page = screen.meanColor(of: GridRect(column: 0, row: 1, columns: 60, rows: 15))
                darkest = min(darkest, Int(max(page.red, page.green, page.blue)))
                guard let code = screen.frameCode() else { return false }
                seen = code
                return code > before + 8
            }
            let took = ContinuousClock.now - killed
            #expect(darkest > 60, "the picture stays in view")
            #expect(seen < before + 45, "it continues where it was: \(before), then \(seen)")
            // Showing these pictures takes a quarter of a second.
            #expect(took < .seconds(1.3), "\(took)")

            // By the trace, the first new picture comes in less than a second.
            let recovered = try #require(try flick.trace("recover").first { $0.attempt == attempt })
            let pictures = try flick.trace("picture")
            let last = try #require(pictures.last { $0.t < recovered.t }?.pts)
            let next = try #require(pictures.first { $0.t > recovered.t && ($0.pts ?? 0) > last })
            #expect(next.t - recovered.t < 1)
        }

        @Test func aKilledDecoderIsReplacedThriceThenThePageSaysWhy() throws {
            let flick = try FlickSession(
                ["--reduced-motion", TestClips.path(TestClips.short), TestClips.path(TestClips.other)])
            try flick.terminal.waitUntil("a moving picture") { ($0.frameCode() ?? 0) > 0 }
            var pid: Int32 = 0
            for attempt in 1...3 {
                pid = try decoder(flick, otherThan: pid)
                // Far from the end of the loop, so that numbers only rise, and at another place than before.
                let tenth = attempt % 2 == 0 ? 1 : 5
                try flick.terminal.press("\(tenth)")
                try flick.terminal.waitUntil("the sought place") { screen in
                    screen.frameCode().map { (24 * tenth..<24 * tenth + 40).contains($0) } ?? false
                }
                try killAndWatch(flick, pid, attempt: attempt)
            }
            pid = try decoder(flick, otherThan: pid)
            #expect(kill(pid, SIGKILL) == 0)
            try flick.terminal.waitUntil("the error page") { screen in
                screen.contains("Its decoder failed 4 times") && screen.contains("Enter retry")
            }
            try flick.waitForTrace("gave_up")
            #expect(try flick.trace("recover").map(\.attempt) == [1, 2, 3])
            #expect(try flick.trace("error").count == 1)

            // The feed continues in both directions, and a retry works.
            try flick.terminal.press("Down")
            try flick.terminal.waitUntil("the second clip") { $0.rows[0].contains("2/2") && ($0.frameCode() ?? 0) > 5 }
            try flick.terminal.press("Up")
            try flick.terminal.waitUntil("the error page again") { $0.contains("Its decoder failed") }
            try flick.terminal.press("r")
            try flick.terminal.waitUntil("the first clip again") { screen in
                screen.rows[0].contains("1/2") && (screen.frameCode() ?? 0) > 5
                    && !screen.contains("Its decoder failed")
            }
            let workers = try flick.trace("worker")
            #expect(Set(workers.compactMap(\.state)).isSuperset(of: ["spawn", "ready", "exit"]))
        }

        @Test func aDecoderKilledWhilePausedIsReplacedOnPlay() throws {
            let flick = try FlickSession(["--reduced-motion", TestClips.path(TestClips.short)])
            try flick.terminal.waitUntil("a moving picture") { ($0.frameCode() ?? 0) > 0 }
            let pid = try decoder(flick)
            try flick.terminal.press("Space")
            try flick.terminal.waitUntil("the paused badge") { $0.rows[0].contains("paused") }
            let held = try #require(try flick.waitUntilStill().frameCode())
            #expect(kill(pid, SIGKILL) == 0)
            try flick.terminal.wait("its end") { try !ProcessTable.isAlive(pid) }
            let after = try #require(try flick.waitUntilStill().frameCode())
            #expect(abs(after - held) <= 1, "\(held), then \(after)")
            try flick.terminal.press("Space")
            let screen = try flick.terminal.waitUntil("that it continues", within: .seconds(3)) {
                ($0.frameCode() ?? 0) > held + 3
            }
            #expect(screen.frameCode().map { $0 < held + 45 } == true)
        }

        @Test func aFileThatIsWrittenOverWhileItPlaysPlaysAsItIsNow() throws {
            let folder = TemporaryFolder()
            let before = try Data(contentsOf: URL(fileURLWithPath: TestClips.path(TestClips.landscape)))
            let after = try Data(contentsOf: URL(fileURLWithPath: TestClips.path(TestClips.other)))
            let path = try folder.write("clip.mp4", before)
            let flick = try FlickSession(["--reduced-motion", path])
            try flick.terminal.waitUntil("a moving picture") { ($0.frameCode() ?? 0) > 0 }
            // Not by a rename: the file that is open is another one now.
            let file = try FileHandle(forWritingTo: URL(fileURLWithPath: path))
            try file.truncate(atOffset: 0)
            try file.write(contentsOf: after)
            try file.close()
            // Beyond what was read before. Which sign comes first depends on where in the file the decoder was.
            try flick.terminal.press("3")
            try flick.waitForTrace("recover")
            let place = try #require(try flick.terminal.waitUntil("a picture") { $0.frameCode() != nil }.frameCode())
            try flick.terminal.waitUntil("that it plays") { ($0.frameCode() ?? 0) > place + 10 }
            #expect(try flick.trace("error").isEmpty)
        }

        @Test func badClipsGetErrorPagesAndTheFeedContinues() throws {
            let folder = TemporaryFolder()
            let good = try TestClips.path(TestClips.short)
            let bad = [
                try folder.write("a-text.mp4", "This is no film.\n".utf8),
                // An empty named file has a different error: it is not listed.
                try folder.write("b-byte.mp4", [0]),
                try folder.write("c-\u{1B}[31mred\u{7}\n.mp4", Array(repeating: UInt8(0x47), count: 4_096)),
            ]
            let flick = try FlickSession(["--reduced-motion"] + bad + [good])
            for (index, fault) in [
                (1, "Not a media file: it looks like text"), (2, "Enter retry"), (3, "Enter retry"),
            ] {
                try flick.terminal.waitUntil("the error page of \(index)") { screen in
                    screen.rows[0].contains("\(index)/4") && screen.contains(fault)
                }
                try flick.terminal.press("Down")
            }
            try flick.terminal.waitUntil("the good one") { $0.rows[0].contains("4/4") && ($0.frameCode() ?? 0) > 0 }
            try flick.terminal.press("Up")
            let screen = try flick.terminal.waitUntil("the name, harmless") {
                $0.rows[0].contains("3/4") && $0.contains("red")
            }
            #expect(screen.text.unicodeScalars.allSatisfy { $0.value >= 0x20 || $0 == "\n" })
            try flick.terminal.press("q")
            #expect(try flick.terminal.waitForExit() == 0)
        }

        /// The system cannot make a thread whose stack is longer than what a program can address (setrlimit(2)).
        @Test(arguments: [
            ["feed", DemoFeed.path], ["preview", "\(FlickBinary.demo)/aurora.mp4"], ["browse", DemoFeed.path],
            ["serve", FlickBinary.demo], ["doctor"],
        ])
        func aCommandThatGetsNoThreadSaysSo(_ arguments: [String]) throws {
            let result = try Command.run(["prlimit", "--stack=100000000000000", FlickBinary.path] + arguments)
            #expect(result.status != 0 && result.output.isEmpty)
            #expect(
                result.errors == "flick: out of threads; close other programs, or raise the limit (ulimit -u)\n")
        }

        @Test func errorsAreLoggedAndTraced() throws {
            let folder = TemporaryFolder()
            let log = folder.path + "/made/flick.log"
            let bad = try folder.write("text.mp4", "This is no film.\n".utf8)
            let flick = try FlickSession(["--log", log, "--reduced-motion", bad])
            try flick.terminal.waitUntil("the error page") { $0.contains("Not a media file: it looks like text") }
            try flick.terminal.press("q")
            #expect(try flick.terminal.waitForExit() == 0)
            let lines = try String(contentsOfFile: log, encoding: .utf8).split(separator: "\n")
            #expect(lines.contains { $0.contains(" error: error item=") && $0.contains("what=play") }, "\(lines)")
            #expect(try flick.trace("error").count == 1)
            #expect(try flick.trace("end").count == 1)
        }

        @Test func itemsLeftOutOfAFeedAreReportedOnThePageAndInTheTrace() throws {
            let folder = TemporaryFolder()
            let manifest = try folder.write(
                "feed.json",
                #"{"items": [{"title": "no url"}, {"url": "\#(TestClips.path(TestClips.short))"}, 7]}"#.utf8)
            let flick = try FlickSession(["--reduced-motion", manifest])
            try flick.terminal.waitUntil("the clip and the notice") { screen in
                screen.rows[0].contains("1/1") && screen.contains("2 problems")
            }
            let error = try flick.waitForTrace("error")
            #expect(error.what == "feed")
        }
    }
}
