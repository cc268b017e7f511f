import Foundation
import Model
import TestSupport
import Testing

extension EndToEnd {
    /// Saving a clip, repeating a part of it, and the sleep timer, with keys.
    @Suite struct KeepingTests {
        private let home = TemporaryFolder()

        private func play(_ arguments: [String] = [], size: GridSize = .common) throws -> FlickSession {
            try home.folder("Videos")
            let flick = try FlickSession(
                ["--reduced-motion"] + arguments + [TestClips.path(TestClips.portrait)], size: size,
                environment: ["HOME": home.path])
            try flick.waitForTrace("first_frame")
            return flick
        }

        @Test(arguments: [GridSize.common, GridSize(columns: 40, rows: 12)])
        func clipIsSavedAsAFile(at size: GridSize) throws {
            let flick = try play(size: size)
            try flick.terminal.press("W")
            try flick.terminal.waitUntil("the notice") { $0.rows.contains { $0.contains("Clip saved") } }
            let files = try FileManager.default.contentsOfDirectory(atPath: home.path + "/Videos").sorted()
            #expect(files.count == 2 && files.allSatisfy { !$0.hasPrefix(".") })
            let clip = try #require(files.first { $0.hasSuffix(".mp4") })
            #expect(
                FileManager.default.contents(atPath: "\(home.path)/Videos/\(clip)")
                    == FileManager.default.contents(atPath: try TestClips.path(TestClips.portrait)))
        }

        @Test(arguments: [GridSize.common, GridSize(columns: 40, rows: 12)])
        func partIsRepeated(at size: GridSize) throws {
            let flick = try play(size: size)
            // 10 % of twelve seconds are 36 frames.
            try flick.terminal.press("1")
            try flick.terminal.waitUntil("the first mark's frame") { ($0.shownSeconds ?? 0) >= 1 }
            try flick.terminal.press("L")
            try flick.terminal.waitUntil("the mark") { $0.rows.last?.contains("A") == true }
            try flick.terminal.waitUntil("a later time") { ($0.shownSeconds ?? 0) >= 3 }
            try flick.terminal.press("L")
            let screen = try flick.terminal.waitUntil("the other mark") { $0.rows.last?.contains("B") == true }
            #expect(screen.rows.last?.contains("A") == true)
            for _ in 0..<2 {
                try flick.terminal.waitUntil("the start of the part") { $0.shownSeconds == 1 }
                try flick.terminal.waitUntil("its end") { ($0.shownSeconds ?? 0) >= 2 }
            }
            try flick.terminal.press("L")
            try flick.terminal.waitUntil("what follows it") { ($0.shownSeconds ?? 0) >= 5 }
        }

        @Test func sleepTimerPauses() throws {
            let flick = try play(["--sleep", "2s"])
            try flick.terminal.waitUntil("the paused badge") { $0.rows[0].contains("paused") }
            #expect(try flick.terminal.capture().rows.contains { $0.contains("Paused by the sleep timer") })
        }
    }
}
