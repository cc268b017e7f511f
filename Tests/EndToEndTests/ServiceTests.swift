import Foundation
import TestSupport
import Testing

extension EndToEnd {
    /// A feed that asks for it receives what the user does with its items, by a server independent of flick's.
    @Suite struct ServiceTests {
        private let service: TestService
        private let state = TemporaryFolder()

        init() throws { service = try TestService() }

        private func browse(_ arguments: String...) throws -> FlickSession {
            try FlickSession(
                ["--fill", "--start", "1", "--cache-dir", state.path + "/cache", service.feed] + arguments,
                environment: ["XDG_STATE_HOME": state.path])
        }

        private func quit(_ flick: FlickSession) throws {
            // Also from a sheet, which q would close.
            try flick.terminal.press("C-c")
            #expect(try flick.terminal.waitForExit() == 130)
        }

        private struct Logged: Decodable {
            var eventId: String
            var what: String
        }
        private struct Liked: Decodable { var id: String }

        private func list<Row: Decodable>(_ command: String) throws -> [Row] {
            let result = try Command.run(
                [FlickBinary.path, command, "--json"], setting: ["XDG_STATE_HOME": state.path])
            try #require(result.status == 0, "\(result.errors)")
            return try result.output.split(separator: "\n").map {
                try TestService.decoder.decode(Row.self, from: Data($0.utf8))
            }
        }

        @Test func viewsAndReactionsAreSent() throws {
            let demo = try DemoFeed.shared.get()
            let flick = try browse()
            try flick.waitForTrace("engage") { $0.what == "view" && $0.item == demo.items[0].id }
            try flick.terminal.press("l", "s", "f", "Down", "d", "d")
            try flick.waitForTrace("engage") { $0.what == "impression" && $0.item == demo.items[1].id }
            try quit(flick)
            let table = try service.table()
            #expect(table.events("view").map(\.video) == [demo.items[0].id])
            #expect((table.events("view").first?.body?.watchedMs ?? 0) >= 2_000)
            #expect(table.events("engagement").map(\.video) == demo.items[0...1].map(\.id))
            #expect((table.events("engagement").first?.body?.watchTime ?? 0) >= 2)
            let viewer = try #require(table.events.first?.viewer)
            #expect(Set(table.events.map(\.viewer)) == [viewer] && viewer.count == 36)
            #expect(
                table.reactions == [
                    "\(viewer) \(demo.items[0].id)": ["like", "save"],
                    "\(viewer) creator of \(demo.items[0].id)": ["follow"],
                ])
            #expect(
                table.events.filter { $0.video == demo.items[1].id }.map(\.kind) == [
                    "dislike", "dislike", "engagement",
                ])
        }

        @Test func nothingIsSentIfTheUserOptsOut() throws {
            let config = try state.write("config.toml", "[engagement]\nsend = false\n".utf8)
            let flick = try browse("--config", config)
            try flick.waitForTrace("engage") { $0.what == "impression" }
            try flick.terminal.press("l")
            try flick.waitForTrace("key") { $0.key == "l" }
            try quit(flick)
            #expect(try service.table().events.isEmpty)
            let liked: [Liked] = try list("liked")
            #expect(liked.count == 1)
        }

        @Test func refusedReactionIsUndoneWithTheReason() throws {
            let flick = try browse()
            try flick.waitForTrace("engage") { $0.what == "impression" }
            try service.set(.refuse)
            try flick.terminal.press("l")
            // What would command the terminal is shown as what it is.
            try flick.terminal.waitUntil("why") { $0.contains("not") && $0.contains("today") }
            try flick.terminal.waitUntil("the like is gone") { !$0.contains("liked") }
            try quit(flick)
            let liked: [Liked] = try list("liked")
            #expect(liked.isEmpty)
        }

        @Test func eventsWithoutTheServiceAreSentTheNextTime() throws {
            let demo = try DemoFeed.shared.get()
            let first = try browse()
            try first.waitForTrace("engage") { $0.what == "impression" }
            service.stop()
            try first.terminal.press("l")
            try first.waitForTrace("key") { $0.key == "l" }
            try first.terminal.waitUntil("that it waits") { $0.contains("Not sent yet") }
            try quit(first)
            try service.start()
            let second = try browse()
            try second.waitForTrace("engage") { $0.what == "impression" }
            let isSent = try holds(within: .seconds(20)) { try service.table().events("like").count == 1 }
            #expect(isSent)
            try quit(second)
            let table = try service.table()
            #expect(table.events("like").map(\.video) == [demo.items[0].id] && table.events("engagement").count == 2)
        }

        @Test func eventsInFlightAtExitAreSentTheNextTime() throws {
            let demo = try DemoFeed.shared.get()
            let first = try browse()
            try first.waitForTrace("engage") { $0.what == "impression" }
            try service.set(.hang)
            try first.terminal.press("l")
            try first.waitForTrace("key") { $0.key == "l" }
            try quit(first)
            let liked: [Liked] = try list("liked")
            #expect(liked.map(\.id) == [demo.items[0].id])
            try service.set(.ok)
            let second = try browse()
            // The first flick gave back what it had taken, which else were its own for 30 s; and the service takes what
            // it hangs on after 20 s.
            let isSent = try holds(within: .seconds(10)) { try service.table().events("like").count == 1 }
            #expect(isSent)
            try quit(second)
        }

        @Test func commentIsReadAndAnsweredByAnotherViewer() throws {
            let config = try state.write("config.toml", "[engagement]\nname = \"Ada\"\n".utf8)
            let first = try browse("--config", config)
            try first.waitForTrace("engage") { $0.what == "impression" }
            try first.terminal.press(":")
            try first.terminal.type("so \u{1F980} nice")
            try first.terminal.waitUntil("what is typed") { $0.contains("nice") }
            try first.terminal.press("Enter")
            let isThere = try holds(within: .seconds(20)) { try service.table().comments.count == 1 }
            #expect(isThere)
            #expect(try service.table().comments.first?.text == "so \u{1F980} nice")

            let folder = TemporaryFolder()
            let second = try FlickSession(
                ["--fill", "--start", "1", "--cache-dir", folder.path + "/cache", service.feed],
                environment: ["XDG_STATE_HOME": folder.path])
            try second.waitForTrace("engage") { $0.what == "impression" }
            try second.terminal.press("c")
            try second.terminal.waitUntil("the comment") { $0.contains("nice") && $0.contains("Ada") }
            try second.terminal.press("r")
            try second.terminal.type("it is")
            try second.terminal.press("Enter")
            try second.terminal.waitUntil("the answer") { $0.contains("it is") }
            let isAnswered = try holds(within: .seconds(20)) { try service.table().comments.count == 2 }
            #expect(isAnswered)
            try quit(second)
            // The sheet is read again.
            try first.terminal.press("c")
            try first.terminal.waitUntil("the answer, too") { $0.contains("it is") && $0.contains("nice") }
            try service.set(.refuse)
            try first.terminal.press(":")
            try first.terminal.type("unwanted")
            try first.terminal.press("Enter")
            try first.terminal.waitUntil("the refusal") { $0.contains("unwanted") && $0.contains("today") }
            try first.terminal.press("Escape")
            try quit(first)
            let comments = try service.table().comments
            #expect(comments.map(\.text) == ["so \u{1F980} nice", "it is"])
            #expect(comments[0].parent == nil && comments[1].parent == "c-" + comments[0].eventId)
        }

        @Test func hostileCommentsAreShownHarmlessAndHaveAnEnd() throws {
            let flick = try browse()
            try flick.waitForTrace("engage") { $0.what == "impression" }
            try service.set(.hostile)
            try flick.terminal.press("c")
            try flick.terminal.waitUntil("the comments") { $0.contains("said") && $0.contains("end 0") }
            let screen = try flick.terminal.capture().rows.joined(separator: "\n")
            #expect(screen.contains("said \u{FFFD}\u{FFFD}\u{FFFD}\u{FFFD}red back end 0 "), "\(screen)")
            #expect(!screen.unicodeScalars.contains { $0.properties.generalCategory == .format }, "\(screen)")
            #expect(try flick.terminal.title() != "taken")
            // The end of a page asks for the next, which has nothing new.
            try flick.terminal.press("End")
            try flick.terminal.waitUntil("the last comment") { $0.contains("end 499") }
            try flick.terminal.press("End", "Home")
            try flick.terminal.waitUntil("the first comment") { $0.contains("end 0 ") || $0.contains("end 0\n") }
            try flick.terminal.press("Escape")
            let memory = try ProcessTable.ownMemory(of: try flick.pid())
            #expect(memory < 400 << 20, "\(memory >> 20) MB")
            try quit(flick)
        }

        /// How often flick is killed in one test; FLICK_KILLS says how often in all.
        private static let killsOfOne = 60
        private static let kills = ProcessInfo.processInfo.environment["FLICK_KILLS"].flatMap { Int($0) } ?? 6

        @Test(arguments: 0..<(kills + killsOfOne - 1) / killsOfOne)
        func killedAtAnyMomentNoEventIsLostOrSentTwice(round: Int) throws {
            var random = SeededRandom(state: 20_261_122 + UInt64(round))
            let modes = Mode.allCases.filter { ![.refuse, .hang, .hostile].contains($0) }
            for number in 0..<min(Self.kills, Self.killsOfOne) {
                // In turn: each of the six has its part in a run of six kills.
                try service.set(modes[number % modes.count])
                let flick = try browse()
                try flick.waitForTrace("engage") { $0.what == "start" }
                for _ in 0..<Int.random(in: 0..<8, using: &random) {
                    try flick.terminal.press(["l", "d", "s", "f", "Down", "Up"].randomElement(using: &random) ?? "l")
                    // Nothing is waited for: what is done and the kill are to meet flick and service at any moment.
                    usleep(UInt32.random(in: 0..<300_000, using: &random))
                }
                let isDown = Int.random(in: 0..<4, using: &random) == 0
                if isDown { service.stop() }
                // The random moment of the kill.
                usleep(UInt32.random(in: 0..<300_000, using: &random))
                kill(try flick.pid(), SIGKILL)
                _ = try flick.terminal.waitForExit()
                if isDown { try service.start() }
            }
            try service.set(.ok)
            let last = try browse()
            try last.waitForTrace("engage") { $0.what == "impression" }
            try expectAllSent(by: last)
        }

        private typealias Mode = TestService.Mode

        /// The service comes to know exactly what is remembered here.
        private func expectAllSent(by flick: FlickSession) throws {
            var (sent, known): (Set<String>, Set<String>) = ([], [])
            // A message that a killed flick had taken is sent after 30 s; one that failed waits as long as it failed
            // before.
            let isSent = try holds(within: .seconds(120)) {
                let events: [Logged] = try list("events")
                known = Set(events.filter { ["view", "summary"].contains($0.what) }.map(\.eventId))
                let table = try service.table()
                sent = Set((table.events("view") + table.events("engagement")).map(\.eventId))
                let held = table.reactions.filter { $0.value.contains("like") }.map { $0.key.split(separator: " ")[1] }
                let liked: [Liked] = try list("liked")
                return sent == known && Set(held.map(String.init)) == Set(liked.map(\.id))
            }
            #expect(
                isSent, "\(known.subtracting(sent).count) not sent, \(sent.subtracting(known).count) sent unknown")
            try quit(flick)
        }
    }
}
