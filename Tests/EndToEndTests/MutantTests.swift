import Foundation
import TestSupport
import Testing

extension EndToEnd {
    /// Damaged clips of every container (`make soak` has thousands of them).
    @Suite struct MutantTests {
        @Test func flickSurvivesDamagedClips() throws {
            // Among these are four that once took 22 s to say that they have no picture.
            let feed = try MutantFeed(count: 120, seed: 9)
            let flick = try FlickSession(["--reduced-motion", feed.path], sound: .written)
            let pid = try flick.pid()
            let before = try ProcessTable.ownMemory(of: pid)
            for (index, id) in feed.ids.enumerated() {
                if index > 0 { try flick.terminal.press("Down") }
                // What was opened ahead may have failed before.
                let turn = try flick.waitForTrace(index > 0 ? "page" : "start") { index == 0 || $0.to == index }
                var shown: TraceLine?
                try flick.terminal.wait("a picture, sound or an error of \(id)") {
                    shown = try flick.trace("first_frame", "audio", "error").first { line in
                        line.item == id && (line.ev != "audio" || line.state == "playing")
                            && (line.ev == "error" || line.t >= turn.t)
                    }
                    return shown != nil
                }
                let time = try #require(shown).t
                #expect(time - turn.t <= 3, "\(id)")
            }
            // Clips that are well are among those that are not: not all of them are errors, nor none.
            let failed = Set(try flick.trace("error").compactMap(\.item)).count
            #expect((1..<feed.ids.count / 2).contains(failed), "\(failed)")
            #expect(try ProcessTable.ownMemory(of: pid) - before <= 64 << 20)
            let processes = try ProcessTable.descendants(of: pid)
            try flick.terminal.press("q")
            #expect(try flick.terminal.waitForExit() == 0)
            try flick.terminal.wait("the decoders' end") {
                try !processes.contains { try ProcessTable.isAlive($0.pid) }
            }
        }
    }
}
