import Foundation
import TestSupport
import Testing

extension EndToEnd {
    /// What was done is there the next time.
    @Suite struct LibraryTests {
        private let state = TemporaryFolder()

        private func browse(_ arguments: [String] = []) throws -> FlickSession {
            try FlickSession(["--fill", DemoFeed.path] + arguments, environment: ["XDG_STATE_HOME": state.path])
        }

        /// A line of JSON each.
        private func list(_ command: String, _ arguments: String...) throws -> [[String: Any]] {
            let result = try run([command, "--json"] + arguments)
            try #require(result.status == 0, "\(result.errors)")
            return try result.output.split(separator: "\n").map {
                try #require(try JSONSerialization.jsonObject(with: Data($0.utf8)) as? [String: Any])
            }
        }

        private func run(_ arguments: [String]) throws -> Command.Result {
            try Command.run([FlickBinary.path] + arguments, setting: ["XDG_STATE_HOME": state.path])
        }

        private func quit(_ flick: FlickSession) throws {
            try flick.terminal.press("q")
            #expect(try flick.terminal.waitForExit() == 0)
        }

        @Test func aLikeASaveAndAFollowAreThereTheNextTime() throws {
            let demo = try DemoFeed.shared.get()
            let first = try browse()
            try first.waitForTrace("engage") { $0.what == "impression" }
            try first.terminal.press("l", "f", "Down", "s")
            try first.waitForTrace("engage") { $0.what == "impression" && $0.item == demo.items[1].id }
            try quit(first)

            let second = try browse(["--start", "1"])
            try second.terminal.waitUntil("the like and the follow") {
                $0.contains("liked") && $0.contains("Following")
            }
            try second.terminal.press("Down")
            try second.terminal.waitUntil("the save") { $0.contains("saved") }
            // Taken back, it is gone for good.
            try second.terminal.press("Up", "l")
            try second.waitForTrace("key") { $0.key == "l" }
            try quit(second)
            #expect(try list("liked").isEmpty)
            #expect(try list("saved").map { $0["id"] as? String } == [demo.items[1].id])
        }

        /// Hidden begins with its list, plays nothing, and a clip plays once it was shown again.
        @Test func hiddenIsAPlaceWithoutClips() throws {
            let demo = try DemoFeed.shared.get()
            let first = try browse(["--start", "1"])
            try first.waitForTrace("first_frame") { $0.item == demo.items[0].id }
            try first.terminal.press("X", "Enter")
            try first.terminal.waitUntil("the notice") { $0.contains("Hidden: the clip") }
            try quit(first)

            let second = try browse(["--place", "hidden"])
            try second.terminal.waitUntil("the list") { $0.contains("The clip “") && $0.contains("unhide") }
            #expect(try second.trace("claim").isEmpty && second.trace("warm").isEmpty)
            try second.terminal.press("Enter")
            try second.terminal.waitUntil("the notice") { $0.contains("No longer hidden") }
            try second.terminal.press("Tab")
            try second.waitForTrace("first_frame") { _ in true }
            try second.terminal.press("g")
            try second.waitForTrace("first_frame") { $0.item == demo.items[0].id }
            try second.terminal.press("q")
            #expect(try second.terminal.waitForExit() == 0)
        }

        /// The first and the sixth clip of the demo are by the same creator.
        @Test func theCreatorsClipsAreAFeedThatEscLeadsBackFrom() throws {
            let demo = try DemoFeed.shared.get()
            let flick = try browse(["--start", "1"])
            // Shorter visits do not count in the statistics.
            try flick.waitForTrace("engage") { $0.what == "view" && $0.item == demo.items[0].id }
            try flick.terminal.press("u")
            // The second tile has its picture, though that clip is five pages away.
            try flick.terminal.waitUntil("the creator's clips as stills") {
                $0.rows[0].contains("1/2") && $0.rows[0].contains("Ilma Kettu") && $0.contains("Enter play")
                    && $0.rows[5].dropFirst(20).contains("▀")
            }
            try flick.terminal.press("Right")
            try flick.terminal.waitUntil("the choice") { $0.rows[0].contains("2/2") }
            try flick.terminal.press("Enter")
            try flick.waitForTrace("engage") { $0.what == "view" && $0.item == demo.items[5].id }
            try flick.terminal.press("Escape")
            try flick.terminal.waitUntil("the stills, with that clip chosen") {
                $0.rows[0].contains("2/2") && $0.contains("Enter play")
            }
            try flick.terminal.press("Escape")
            try flick.terminal.waitUntil("the whole feed") { $0.rows[0].contains("1/\(demo.items.count)") }
            #expect(demo.seen(on: try flick.terminal.waitUntil("its picture") { demo.seen(on: $0) == 0 }) == 0)
            // From the stills Esc leads back at once, to the same decoder of the clip that has waited.
            let before = try flick.trace("first_frame").filter { $0.item == demo.items[0].id }.count
            try flick.terminal.press("u")
            try flick.terminal.waitUntil("the stills") { $0.contains("Enter play") }
            try flick.terminal.press("Escape")
            try flick.terminal.waitUntil("the page") { $0.rows[0].contains("1/\(demo.items.count)") }
            #expect(demo.seen(on: try flick.terminal.waitUntil("its picture") { demo.seen(on: $0) == 0 }) == 0)
            #expect(try flick.trace("first_frame").filter { $0.item == demo.items[0].id }.count <= before + 1)
            try flick.terminal.press("q")
            #expect(try flick.terminal.waitForExit() == 0)
            let watched = try Command.run(
                [FlickBinary.path, "stats", "--json"], setting: ["XDG_STATE_HOME": state.path])
            let figures = try #require(
                try JSONSerialization.jsonObject(with: Data(watched.output.utf8)) as? [String: Any])
            #expect((figures["visits"] as? Int ?? 0) >= 2 && figures["clips"] as? Int == 2)
            #expect((figures["creators"] as? [[String: Any]])?.map { $0["name"] as? String } == ["Ilma Kettu"])
            let drawn = try run(["stats", DemoFeed.path])
            #expect(
                drawn.status == 0 && drawn.output.contains("Ilma Kettu") && drawn.output.contains("Minutes per day"))
            // What people read leaves the demo out.
            #expect(try run(["stats"]).output == "nothing watched\n")
        }

        @Test func historyIsListedAndForgotten() throws {
            let demo = try DemoFeed.shared.get()
            let flick = try browse()
            for index in 0...2 {
                for what in ["impression", "start"] {
                    try flick.waitForTrace("engage") { $0.what == what && $0.item == demo.items[index].id }
                }
                try flick.terminal.press("Down")
            }
            try flick.waitForTrace("engage") { $0.what == "summary" && $0.item == demo.items[2].id }
            try quit(flick)
            let history = try list("history").compactMap { $0["id"] as? String }
            #expect(history.suffix(3) == [demo.items[2].id, demo.items[1].id, demo.items[0].id])
            #expect(try run(["history"]).output.isEmpty && run(["events"]).output.isEmpty)
            let events = try list("events")
            let ofFirst = events.filter { $0["video_id"] as? String == demo.items[0].id }
            #expect(
                Set(ofFirst.compactMap { $0["what"] as? String }).isSuperset(of: ["start", "impression", "summary"]))
            #expect(ofFirst.last?["what"] as? String == "summary" && ofFirst.last?["watch_time"] is Double)
            #expect(try list("events", "--since", "1h").count == events.count)
            #expect(try list("events", "--since", "2100-01-01").isEmpty)

            #expect(try run(["forget", demo.items[0].id]).output == "1 item deleted\n")
            let again = try run(["forget", demo.items[0].id])
            #expect(again.status >> 8 == 1)
            #expect(again.errors == "flick: cannot delete \(demo.items[0].id): not in the library\n")
            #expect(try !list("history").contains { $0["id"] as? String == demo.items[0].id })
            #expect(try run(["forget", "all"]).status == 0)
            #expect(try list("history").isEmpty && list("events").isEmpty)
        }

        @Test func historyIsListedAsText() throws {
            let clip = try TestClips.path(TestClips.short)
            let flick = try FlickSession(["--fill", clip], environment: ["XDG_STATE_HOME": state.path])
            try flick.waitForTrace("engage") { $0.what == "view" }
            try quit(flick)
            #expect(try run(["history"]).output.hasPrefix("today "))
            let events = try run(["events"]).output.split(separator: "\n")
            #expect(events.allSatisfy { $0.hasPrefix("today ") || $0.hasPrefix("yesterday ") })
            #expect(events.contains { $0.contains("\tsummary\t") && $0.contains(" watched, ") })
        }

        @Test func aListIsBrowsedAsAFeedAndKeepsWhereItsItemsCameFrom() throws {
            let demo = try DemoFeed.shared.get()
            let first = try browse()
            try first.waitForTrace("engage") { $0.what == "impression" }
            try first.terminal.press("l", "Down", "l")
            try first.waitForTrace("engage") { $0.what == "impression" && $0.item == demo.items[1].id }
            try quit(first)
            let before = try list("liked")

            let second = try FlickSession(["--fill", "library:liked"], environment: ["XDG_STATE_HOME": state.path])
            #expect(try second.waitForTrace("feed").items == 2)
            try second.waitForTrace("first_frame") { $0.item == demo.items[1].id }
            try second.terminal.waitUntil("the like") { $0.contains("liked") }
            try second.terminal.press("Down")
            try second.waitForTrace("engage") { $0.what == "impression" && $0.item == demo.items[0].id }
            try quit(second)
            let after = try list("liked")
            #expect(after.map { $0["source"] as? String } == before.map { $0["source"] as? String })
            #expect(after.map { $0["id"] as? String } == [demo.items[1].id, demo.items[0].id])
            #expect(try run(["forget", DemoFeed.path]).output == "2 items deleted\n")
        }

        @Test func feedResumesWhereItWasLeft() throws {
            let demo = try DemoFeed.shared.get()
            let first = try browse()
            try first.waitForTrace("engage") { $0.what == "impression" && $0.item == demo.items[0].id }
            try first.terminal.press("G")
            try first.waitForTrace("engage") { $0.what == "impression" && $0.item == demo.items[9].id }
            try first.terminal.press("Up")
            try first.waitForTrace("engage") { $0.what == "impression" && $0.item == demo.items[8].id }
            // Back to one that was seen before: it is the last that was seen.
            try first.terminal.press("Down")
            try first.waitForTrace("engage") { $0.what == "again" && $0.item == demo.items[9].id }
            try first.waitForTrace("engage") { $0.what == "start" && $0.item == demo.items[9].id }
            try quit(first)

            let second = try browse()
            #expect(try second.waitForTrace("first_frame").item == demo.items[9].id)
            try second.terminal.waitUntil("page 10, and why") {
                $0.contains("10/10") && $0.contains("Resumed at 10 of 10 · g first")
            }
            try quit(second)
            // `--start` wins. A session that begins at the first item shows no notice.
            let third = try browse(["--start", "2"])
            #expect(try third.waitForTrace("first_frame").item == demo.items[1].id)
            try third.terminal.press("Home")
            try third.waitForTrace("engage") { $0.what == "impression" && $0.item == demo.items[0].id }
            try quit(third)
            let fourth = try browse()
            #expect(try fourth.waitForTrace("first_frame").item == demo.items[0].id)
        }

        /// The clip in view, and one beside it, which is opened ahead of need.
        @Test func longClipsResumeWhereTheyWereLeft() throws {
            let demo = try DemoFeed.shared.get()
            let config = try state.write("config.toml", "[playback]\nresume_over = \"1s\"\n".utf8)
            var places: [Double] = []
            let first = try browse(["--config", config])
            for item in demo.items[0...1].reversed() {
                let pressed = try first.traceEnd()
                try first.terminal.press(item.id == demo.items[0].id ? "Up" : "Down")
                let picture = try first.waitForTrace("picture") {
                    $0.t > pressed && $0.item == item.id && ($0.pts ?? 0) > 2
                }
                places.append(try #require(picture.pts))
            }
            try quit(first)
            // It may have played on for a moment before it was left.
            let last = try demo.items[0...1].reversed().map { item in
                try first.trace("picture").filter { $0.item == item.id }.compactMap(\.pts).max() ?? 0
            }

            let second = try browse(["--config", config])
            let frame = try second.waitForTrace("first_frame")
            let place = try #require(frame.pts)
            #expect(frame.item == demo.items[0].id && place >= places[1] && place <= last[1] + 1, "\(frame) \(places)")
            try second.terminal.press("Down")
            let next = try second.waitForTrace("first_frame") { $0.item == demo.items[1].id }
            let other = try #require(next.pts)
            #expect(other >= places[0] && other <= last[0] + 1, "\(next) \(places)")
            try quit(second)
            // Short clips restart, whatever is remembered of them. Which page was left last depends on how long the
            // second one was in view.
            let third = try browse(["--start", "1"])
            let restarted = try third.waitForTrace("first_frame")
            #expect(restarted.item == demo.items[0].id && (restarted.pts ?? 9) < 0.5, "\(restarted)")
        }

        @Test func nothingIsRememberedIfTheUserDoesNotWantThat() throws {
            let config = try state.write("config.toml", "[engagement]\nremember = false\n".utf8)
            let flick = try browse(["--config", config])
            try flick.waitForTrace("engage") { $0.what == "impression" }
            try flick.terminal.press("l")
            try flick.waitForTrace("key") { $0.key == "l" }
            try quit(flick)
            #expect(!FileManager.default.fileExists(atPath: state.path + "/flick/flick.db"))
        }

        @Test func damagedDatabaseIsReportedAndReplaced() throws {
            try state.write("flick/flick.db", Array(repeating: UInt8(65), count: 5_000))
            let flick = try browse()
            try flick.terminal.waitUntil("the notice") { $0.contains("damaged") }
            try flick.terminal.press("l")
            try flick.waitForTrace("key") { $0.key == "l" }
            try quit(flick)
            #expect(try list("liked").count == 1)
        }

        @Test func theseCommandsSayWhatTheyWant() throws {
            #expect(try list("history").isEmpty)
            #expect(try run(["forget"]).status >> 8 == 2)
            #expect(try run(["forget", "all", "--before", "yesterday"]).status >> 8 == 2)
            #expect(try run(["history", "--limit", "-1"]).status >> 8 == 2)
        }
    }
}
