import Foundation
import Model
import TestSupport
import Testing

extension EndToEnd {
    /// flick behind a link of 1 Mbit/s with 100 ms there and back, which takes 256 KB ahead.
    @Suite struct SlowLinkTests {
        private static let size = GridSize(columns: 120, rows: 40)

        private func distant(_ command: [String], _ folder: TemporaryFolder, answersQuestions: Bool = true) throws
            -> DistantTerminal
        {
            let program = try PTYProcess(
                command, size: Self.size,
                environment: ["XDG_CACHE_HOME": folder.path, "FLICK": FlickBinary.path, "CLIP": DemoFeed.path])
            return DistantTerminal(
                program, size: Self.size,
                link: SlowLink(rate: 125_000, roundTrip: .milliseconds(100), buffer: 256 << 10),
                answersQuestions: answersQuestions)
        }

        @Test func keysAreAnsweredBeforePicturesThatWait() throws {
            let folder = TemporaryFolder()
            let terminal = try distant([FlickBinary.path, "--no-audio", DemoFeed.path] + EndToEnd.output, folder)
            terminal.run(for: .seconds(4))
            var effects: [Duration] = []
            var backlogs: [Int] = []
            for _ in 0..<5 {
                terminal.maxBacklog = 0
                let pressed = terminal.now
                terminal.type(" ")
                #expect(terminal.run(for: .seconds(10), until: "❚❚"))
                effects.append(terminal.now - pressed)
                terminal.run(for: .milliseconds(300))
                terminal.type(" ")
                terminal.run(for: .seconds(1))
                backlogs.append(terminal.maxBacklog)
            }
            // Without a pacer it takes two seconds until what is under way has arrived.
            #expect(effects.sorted()[2] < .milliseconds(500), "\(effects)")
            // Of five, as this test is the link too: while the machine is busy elsewhere, nothing leaves.
            #expect(backlogs.sorted()[2] < 60_000, "\(backlogs)")
            terminal.type("q")
            terminal.run(for: .seconds(1))
            #expect(terminal.program.finish(within: .seconds(5)) == 0)
        }

        /// The terminal's last answers come late: they are not for the shell.
        @Test func noAnswerIsLeftToTheShell() throws {
            let folder = TemporaryFolder()
            let terminal = try distant(
                [
                    "bash", "-c",
                    "\"$FLICK\" --no-audio \"$CLIP\"; stty -icanon -echo; read -t 1 -n 1 x && echo LEFT || echo NOTHING; sleep 1",
                ], folder)
            terminal.run(for: .seconds(3))
            terminal.type("q")
            #expect(terminal.run(for: .seconds(6), until: "NOTHING"))
        }

        @Test func aTerminalThatAnswersNothingHasItsPictures() throws {
            let folder = TemporaryFolder()
            let terminal = try distant(
                [FlickBinary.path, "--no-audio", DemoFeed.path], folder, answersQuestions: false)
            terminal.run(for: .seconds(3))
            // Nothing is known of the link: it is filled.
            #expect(terminal.bytes > 200_000, "\(terminal.bytes)")
            terminal.type("q")
            terminal.run(for: .seconds(4))
            #expect(terminal.program.finish(within: .seconds(5)) == 0)
        }
    }
}
