import Model
import TestSupport
import Testing

extension EndToEnd {
    /// `pause_unfocused`: the clip waits while another window has the keyboard.
    @Suite struct FocusTests {
        @Test func picturesStopAndComeBack() throws {
            let folder = TemporaryFolder()
            let config = try folder.write("config.toml", "[interface]\npause_unfocused = true\n".utf8)
            let flick = try FlickSession(["--config", config, TestClips.path(TestClips.short)])
            try flick.waitForTrace("first_frame")
            try flick.terminal.type("\u{1B}[O")
            // What rests is made exact first.
            let rests = try holds(within: .seconds(8)) { try flick.isStill(for: .seconds(1)) }
            #expect(rests)
            try flick.terminal.type("\u{1B}[I")
            let still = try flick.terminal.capture()
            try flick.terminal.waitUntil("moving pictures") { $0 != still }
            try flick.terminal.press("q")
            #expect(try flick.terminal.waitForExit() == 0)
            try flick.terminal.wait("plain modes") { try flick.terminal.modes() == .plain }
        }
    }
}
