import Foundation
import Model
import TestSupport
import Testing

extension EndToEnd {
    /// Seeking within a clip: the code in the picture identifies the frame on the screen.
    @Suite struct SeekingTests {
        /// flick playing a coded clip.
        private func play(
            _ recipe: TestClips.Recipe, size: GridSize = .common, _ arguments: [String] = ["--reduced-motion"]
        ) throws -> FlickSession {
            let flick = try FlickSession(arguments + [TestClips.path(recipe)], size: size)
            try flick.terminal.waitUntil("a moving picture") { ($0.frameCode() ?? 0) > 0 }
            // Until then a cover with the clip's name lies over the picture.
            try flick.waitForTrace("first_frame")
            return flick
        }

        /// Pauses, and returns the number of the picture that stays.
        private func pause(_ flick: FlickSession) throws -> Int {
            try flick.terminal.press("Space")
            try flick.terminal.waitUntil("the paused badge") { $0.rows[0].contains("paused") }
            return try #require(try flick.waitUntilStill().frameCode())
        }

        /// Waits until one of these pictures is on the screen and stays there.
        private func expect(_ numbers: ClosedRange<Int>, on flick: FlickSession, _ what: String) throws {
            var seen: Int?
            do {
                try flick.terminal.waitUntil("picture", within: .seconds(4)) { screen in
                    seen = screen.frameCode()
                    return seen.map(numbers.contains) ?? false
                }
                seen = try flick.waitUntilStill().frameCode()
            } catch {
                Issue.record("\(what): not \(numbers) but \(seen.map { "\($0)" } ?? "no picture"): \(error)")
            }
            #expect(seen.map(numbers.contains) == true, "\(what): \(numbers)")
        }

        private func around(_ number: Int) -> ClosedRange<Int> { number - 1...number + 1 }

        @Test(arguments: [GridSize.common, .large])
        func digitsGoToTenths(at size: GridSize) throws {
            let flick = try play(TestClips.short, size: size)
            _ = try pause(flick)
            for tenth in [5, 2, 9, 0, 7] {
                try flick.terminal.press("\(tenth)")
                try expect(around(24 * tenth), on: flick, "key \(tenth)")
                let second = 8 * tenth / 10
                #expect(try flick.terminal.capture().shownSeconds == second, "the scrubber shows \(second) s")
            }
        }

        @Test func digitsWhilePlayingContinueFromThere() throws {
            let flick = try play(TestClips.short)
            try flick.terminal.press("6")
            let screen = try flick.terminal.waitUntil("a later picture") { ($0.frameCode() ?? 0) >= 143 }
            // No more than a second later.
            #expect(screen.frameCode().map { $0 < 144 + 30 } == true)
            let first = try #require(screen.frameCode())
            try flick.terminal.waitUntil("that it continues") { ($0.frameCode() ?? 0) > first + 5 }
        }

        @Test func arrowsScrub() throws {
            // 32 s; numbers are modulo 256.
            let flick = try play(TestClips.landscape)
            _ = try pause(flick)
            // A seek to a known picture: after the pause, the next picture may already have been due.
            try flick.terminal.press("S-Right")
            try flick.terminal.waitUntil("a second on") { ($0.frameCode() ?? 0) >= 30 }
            let start = try #require(try flick.waitUntilStill().frameCode())
            func expect(_ frames: Int, _ what: String) throws {
                try self.expect(around((start + frames) % 256), on: flick, what)
            }
            try flick.terminal.press("Right")
            try expect(150, "→ is 5 s")
            try flick.terminal.press("S-Right")
            try expect(180, "Shift-→ is 1 s")
            try flick.terminal.press("Left")
            try expect(30, "← is 5 s back")
            try flick.terminal.press("S-Left")
            try expect(0, "Shift-← is 1 s back")
            let before = try #require(try flick.terminal.capture().shownSeconds)
            try flick.terminal.press("M-Right")
            try expect(900, "Alt-→ is 30 s")
            #expect(try flick.terminal.capture().shownSeconds == before + 30)
            try flick.terminal.press("M-Left")
            try expect(0, "Alt-← is 30 s back")
            // Several keys are one scrub, with one seek at its end.
            try flick.terminal.press("Right", "Right", "Right", "S-Left")
            try expect(420, "→→→ and Shift-← are 14 s")
        }

        @Test func draggingTheScrubberSeeks() throws {
            let flick = try play(TestClips.short)
            _ = try pause(flick)
            // The columns of the bar: margin, time and a space on both sides.
            let (first, last) = (7, 72)
            let row = 23
            try flick.terminal.press(at: GridPoint(column: first, row: row))
            let middle = (first + last) / 2
            try flick.terminal.move(to: GridPoint(column: middle, row: row))
            // While the button is down: a still near the pointer.
            try flick.terminal.waitUntil("a preview") { screen in
                screen.frameCode().map { (90...150).contains($0) } ?? false
                    && screen.shownSeconds.map { (3...4).contains($0) } ?? false
            }
            try flick.terminal.release(at: GridPoint(column: middle, row: row))
            // A column is an eighth of a second.
            try expect(112...124, on: flick, "the middle of the bar")
        }

        @Test func singlePicturesForwardsAndBack() throws {
            let flick = try play(TestClips.short)
            _ = try pause(flick)
            try flick.terminal.press("5")
            try expect(around(120), on: flick, "key 5")
            var number = try #require(try flick.terminal.capture().frameCode())
            for (key, step) in [(".", 1), (".", 1), (",", -1), (",", -1), (",", -1), (".", 1)] {
                try flick.terminal.press(key)
                number += step
                try expect(number...number, on: flick, "key \(key)")
            }
        }

        @Test func theClipBeginsAgainWithoutStopping() throws {
            let flick = try play(TestClips.short)
            try flick.terminal.press("9")
            try flick.terminal.waitUntil("the last seconds") { ($0.frameCode() ?? 0) >= 215 }
            try flick.terminal.waitUntil("the beginning again") { ($0.frameCode() ?? 255) < 60 }
            let screen = try flick.terminal.waitUntil("that it continues") { (60..<120).contains($0.frameCode() ?? 0) }
            #expect(screen.shownSeconds.map { (1...4).contains($0) } == true)

            // At the end of the loop the pictures follow each other as elsewhere.
            let pictures = try flick.trace("picture")
            let seam = try #require(
                pictures.indices.dropFirst().first { index in
                    (pictures[index].pts ?? 0) >= 8 && (pictures[index - 1].pts ?? 0) < 8
                })
            #expect(pictures[seam].t - pictures[seam - 1].t < 0.25, "no gap at the seam")
        }

        @Test func withoutLoopItStopsAtTheEnd() throws {
            let flick = try play(TestClips.short, ["--no-loop", "--reduced-motion"])
            try flick.terminal.press("9")
            try flick.terminal.waitUntil("the end") { $0.rows[0].contains("ended") }
            #expect(try flick.waitUntilStill().frameCode().map { $0 >= 237 } == true)
            try flick.terminal.press("Space")
            try flick.terminal.waitUntil("the beginning") { (1..<120).contains($0.frameCode() ?? 255) }
        }

        @Test func autoAdvanceMovesOnAtTheEnd() throws {
            let (first, second) = (try TestClips.path(TestClips.short), try TestClips.path(TestClips.other))
            let flick = try FlickSession(["--auto-advance", first, second])
            try flick.terminal.waitUntil("a moving picture") { ($0.frameCode() ?? 0) > 0 && $0.rows[0].contains("1/2") }
            try flick.terminal.press("9")
            try flick.terminal.waitUntil("the second clip") { screen in
                screen.rows[0].contains("2/2") && (1..<120).contains(screen.frameCode() ?? 255)
            }
            #expect(try flick.trace("page").map(\.to) == [1])
        }
    }
}
