import Foundation
import Model
import TestSupport
import Testing

extension GridSize: CustomTestStringConvertible {
    public var testDescription: String { "\(columns)×\(rows)" }

    static let common = GridSize(columns: 80, rows: 24)
    static let large = GridSize(columns: 200, rows: 60)
    static let least = GridSize(columns: 40, rows: 12)
}

extension EndToEnd {
    /// Browsing the demo feed as a person does.
    @Suite struct BrowsingTests {
        private let demo: DemoFeed

        init() throws { demo = try DemoFeed.shared.get() }

        /// Waits until an item's own picture, caption and number are on the screen.
        @discardableResult
        private func expect(_ index: Int, on flick: FlickSession, _ comment: String = "") throws -> CapturedScreen {
            let item = demo.items[index]
            // At 40 columns a caption's line can end within the title.
            let title = String(item.title.prefix(10))
            return try flick.terminal.waitUntil("item \(index + 1), \(item.title) \(comment)") { screen in
                screen.contains(title) && screen.rows[0].contains("\(index + 1)/10") && demo.seen(on: screen) == index
            }
        }

        @Test(arguments: [GridSize.common, .large, .least])
        func theFeedOpensAndAllPagesAreShown(at size: GridSize) throws {
            let flick = try FlickSession(["--fill", DemoFeed.path], size: size)
            #expect(try expect(0, on: flick, "at the start").rows[0].contains(demo.title))
            var turns = 0
            func turn(to index: Int, by cause: String, _ act: () throws -> Void) throws {
                try act()
                turns += 1
                try flick.terminal.wait("the slide's end after \(cause)") { try flick.trace("settled").count == turns }
                try expect(index, on: flick, "after \(cause)")
                // A still may have been there before.
                try flick.waitForTrace("first_frame") { $0.item == demo.items[index].id }
            }
            for (key, index) in [("Down", 1), ("j", 2), ("Up", 1), ("End", 9), ("Home", 0), ("G", 9), ("g", 0)] {
                try turn(to: index, by: key) { try flick.terminal.press(key) }
            }
            let pointer = GridPoint(column: 10, row: 5)
            try turn(to: 1, by: "the wheel") { try flick.terminal.wheel(up: false, at: pointer) }
            try turn(to: 0, by: "the wheel, back") { try flick.terminal.wheel(up: true, at: pointer) }
            try flick.terminal.press("q")
            #expect(try flick.terminal.waitForExit() == 0)

            // The trace says the same.
            let start = try #require(try flick.trace("start").first)
            #expect(start.cols == size.columns && start.rows == size.rows && start.surface == "half")
            #expect(try flick.trace("feed").map(\.items) == [10])
            let turned = [1, 2, 1, 9, 0, 9, 0, 1, 0]
            #expect(try flick.trace("page").map(\.to) == turned)
            #expect(try flick.trace("settled").map(\.index) == turned)
            #expect(try flick.trace("key").count == 10)
            #expect(try flick.trace("end").count == 1)
            let claims = try flick.trace("claim")
            #expect(claims.map(\.index) == [0] + turned)
            #expect(claims.first?.how == "cold" && claims.contains { $0.how != "cold" })
            #expect(try flick.trace("picture").allSatisfy { $0.pts != nil && $0.bytes != nil && $0.cells != nil })
            let first = try flick.trace("first_frame")
            #expect(first.allSatisfy { ($0.sincePage ?? -1) >= 0 && $0.pts != nil })
            let visited = Set([0, 1, 2, 9].map { demo.items[$0].id })
            #expect(Set(first.map(\.item)) == visited)
        }

        /// Written to the terminal in one go, or as fast as a hand is: every key is a page.
        @Test(arguments: [Duration?.none, .milliseconds(30), .milliseconds(100)])
        func eightQuickPressesAreEightPages(interval: Duration?) throws {
            let flick = try FlickSession(["--fill", DemoFeed.path])
            try expect(0, on: flick)
            if let interval {
                for _ in 0..<8 {
                    try flick.terminal.press("Down")
                    // The time between two presses is what is tried here.
                    Thread.sleep(forTimeInterval: interval / .seconds(1))
                }
            } else {
                try flick.terminal.press("Down", "Down", "Down", "Down", "Down", "Down", "Down", "Down")
            }
            let end = try flick.waitForTrace("settled") { $0.index == 8 }
            #expect(try flick.trace("page").map(\.to) == Array(1...8))
            let last = try #require(try flick.trace("key").last)
            // 0.3 s, and a moment for a machine that is busy.
            #expect(end.t - last.t < 0.4)
            try expect(8, on: flick, "after eight ↓")
            // A key during a slide takes it back.
            try flick.terminal.press("Up", "Down", "Up", "Down")
            try flick.terminal.wait("the slide's end") {
                try flick.trace("key").count == 12 && flick.trace("settled").last?.index == 8
            }
            try expect(8, on: flick, "after ↑↓↑↓")
        }

        /// No decoder is started for the pages that pass. How many of them are played on the way depends on how many
        /// are open already, and so on the machine.
        @Test func aHeldKeyStartsFewDecoders() throws {
            let flick = try FlickSession(["--fill", DemoFeed.path])
            try expect(0, on: flick)
            for _ in 0..<4 {
                try flick.terminal.press("Down", "Down", "Down", "Down", "Down", "Down", "Down", "Down")
                try flick.terminal.press("Up", "Up", "Up", "Up", "Up", "Up", "Up", "Up")
            }
            try flick.terminal.wait("all keys") { try flick.trace("key").count == 64 }
            try expect(0, on: flick, "after 32 ↓ and 32 ↑")
            // Where the machine paused between two keys, a page stayed: its clip and the next six were opened. The
            // shortest slide of a page takes 0.1 s (`Pager.shortestSnap`).
            let keys = try flick.trace("key").map(\.t)
            let pauses = zip(keys, keys.dropFirst()).count { $1 - $0 > 0.1 }
            // Before and after the keys, the clips around the page are opened.
            let passing = try #require(keys.first)...(try #require(keys.last))
            let started = try flick.trace("worker").count { $0.state == "spawn" && passing.contains($0.t) }
            #expect(started <= 12 + 7 * pauses)
            #expect(try flick.trace("claim").count { $0.how == "cold" } <= 12 + pauses)
        }

        /// The next six are open; those behind them, in a folder without thumbnails, have a picture of their own.
        @Test func pagesBeyondTheOpenClipsHaveTheirFirstPictures() throws {
            let folder = TemporaryFolder()
            for number in 1...9 {
                try FileManager.default.copyItem(
                    atPath: FlickBinary.demo + "/aurora.mp4", toPath: "\(folder.path)/\(number).mp4")
            }
            let flick = try FlickSession(["--fill", folder.path])
            try flick.terminal.wait("two stills") { try flick.trace("still").count >= 2 }
            #expect(try flick.trace("still").allSatisfy { $0.kind == "firstFrame" && $0.why == nil })
        }

        /// The same frame twice are two files, each as large as the clip.
        @Test func framesAreSavedInFullSize() throws {
            let home = TemporaryFolder()
            let pictures = home.path + "/Pictures"
            try FileManager.default.createDirectory(atPath: pictures, withIntermediateDirectories: true)
            let flick = try FlickSession(
                ["--fill", FlickBinary.demo + "/aurora.mp4"], environment: ["HOME": home.path])
            try flick.waitForTrace("first_frame")
            try flick.terminal.press("Space", "S", "S")
            func files() throws -> [String] { try FileManager.default.contentsOfDirectory(atPath: pictures) }
            try flick.terminal.wait("two files") {
                try files().count == 2
                    && files().allSatisfy { name in
                        FileManager.default.contents(atPath: pictures + "/" + name)?.suffix(8).prefix(4)
                            == Data("IEND".utf8)
                    }
            }
            try flick.terminal.waitUntil("where it is") { $0.contains("Frame saved") }
            for name in try files() {
                #expect(name.hasPrefix("aurora 0m") && name.hasSuffix(".png"), "\(name)")
                let head = try #require(FileManager.default.contents(atPath: pictures + "/" + name)).prefix(24)
                func number(_ place: Int) -> Int { head[place..<place + 4].reduce(0) { $0 << 8 | Int($1) } }
                #expect(number(16) == 720 && number(20) == 1_280)
            }
        }

        @Test func theFirstRunNamesTheKeyForHelp() throws {
            let flick = try FlickSession(["--fill", DemoFeed.path], isFirstRun: true)
            try flick.terminal.waitUntil("the hint") { $0.rows[0].contains("? keys") }
            try flick.terminal.waitUntil("its end") { !$0.rows[0].contains("? keys") }
            try flick.terminal.press("F12")
            try flick.terminal.waitUntil("the hint again") { $0.rows[0].contains("? keys") }
        }

        /// tmux does not say whether it takes the text, so the page does not claim it.
        @Test func linkIsShownIfCopyingIsUnconfirmed() throws {
            let flick = try FlickSession(["--fill", DemoFeed.path])
            try expect(0, on: flick)
            try flick.terminal.press("y")
            try flick.terminal.waitUntil("the link") {
                $0.contains("Link copied if the terminal") && $0.contains("https://example.org/v/aurora")
            }
        }

        @Test func bothPagesAreVisibleDuringADrag() throws {
            let flick = try FlickSession(["--fill", DemoFeed.path])
            try expect(0, on: flick)
            // A drag keeps the feed between two items while the button is down; past the middle it moves to the next.
            let (from, to) = (GridPoint(column: 30, row: 17), GridPoint(column: 30, row: 3))
            try flick.terminal.press(at: from)
            try flick.terminal.move(to: to)
            let name = demo.items[1].title.prefix(12)
            try flick.terminal.waitUntil("the page moved up by fourteen rows") { screen in
                // The first item's caption has moved up, and the second item's picture is visible below.
                screen.rows[..<14].contains { $0.contains(demo.items[0].title) } && demo.seen(on: screen) != 0
            }
            try flick.terminal.release(at: to)
            try flick.terminal.waitUntil("the second item") { $0.contains(String(name)) }
            try expect(1, on: flick)
        }

        @Test func likingLightsTheHeartAndCounts() throws {
            // A count of 271 likes is small enough to show each one.
            let flick = try FlickSession(["--start", "5", "--fill", DemoFeed.path])
            try expect(4, on: flick)
            let place = GridPoint(column: 20, row: 8)
            try flick.terminal.waitUntil("nothing liked") { !$0.contains("liked") && $0.contains("271") }
            try flick.terminal.press("l")
            let screen = try flick.terminal.waitUntil("a like") { $0.contains("liked") && $0.contains("272") }
            try flick.terminal.press("l")
            try flick.terminal.waitUntil("no like") { !$0.contains("liked") && $0.contains("271") }

            // The button is where the heart was.
            let heart = try #require(screen.find("♥"))
            try flick.terminal.click(heart)
            try flick.terminal.waitUntil("a like by its button") { $0.contains("liked") && $0.contains("272") }
            try flick.terminal.press("l")
            try flick.terminal.waitUntil("no like again") { !$0.contains("liked") && $0.contains("271") }

            // A double click likes, never unlikes, and does not pause.
            for _ in 0..<2 {
                try flick.terminal.click(place)
                try flick.terminal.click(place)
                try flick.terminal.waitUntil("a like by double click") { $0.contains("liked") && $0.contains("272") }
            }
            #expect(try !flick.terminal.capture().contains("paused"))
            // The like stays with its item.
            try flick.terminal.press("Down")
            try expect(5, on: flick)
            #expect(try !flick.terminal.capture().contains("liked"))
            try flick.terminal.press("Up")
            try flick.terminal.waitUntil("the like kept") { $0.contains("liked") && $0.contains("272") }
        }

        /// With a wait of one second: a busy machine can delay pictures by much of the usual 0.25 s.
        @Test func aClickPausesAfterItWaitedForASecondOne() throws {
            let folder = TemporaryFolder()
            let config = try folder.write("config.toml", "[interface]\nclick_delay = 1\n".utf8)
            let flick = try FlickSession(["--config", config, "--reduced-motion", "--fill", DemoFeed.path])
            try expect(0, on: flick)
            try flick.terminal.click(GridPoint(column: 20, row: 8))
            try flick.terminal.waitUntil("the paused badge") { $0.rows[0].contains("paused") }
            // Until then there was a picture every 33 ms.
            _ = try flick.waitUntilStill()
            let click = try #require(try flick.trace("key").first { $0.key == "mouse-left" })
            let pictures = try flick.trace("picture").filter { $0.item == demo.items[0].id && $0.t > click.t }
            let last = try #require(pictures.first { $0.pts == pictures.last?.pts })
            #expect(last.t - click.t > 0.8 && last.t - click.t < 1.75)
            try flick.terminal.click(GridPoint(column: 20, row: 8))
            try flick.terminal.waitUntil("no badge") { !$0.rows[0].contains("paused") }
        }

        @Test func spacePausesAndContinues() throws {
            let flick = try FlickSession(["--fill", DemoFeed.path])
            try expect(0, on: flick)
            #expect(try !flick.isStill(for: .milliseconds(800)), "it plays")
            try flick.terminal.press("Space")
            try flick.terminal.waitUntil("the paused badge", within: .seconds(2)) { $0.rows[0].contains("❚❚ paused") }
            let held = try flick.waitUntilStill()
            #expect(demo.seen(on: held) == 0, "the picture stays, the mark that popped up is gone")
            #expect(try flick.isStill(for: .milliseconds(800)), "nothing moves while it is paused")
            try flick.terminal.press("Space")
            try flick.terminal.waitUntil("a moving picture") { screen in
                screen != held && !screen.rows[0].contains("paused") && demo.seen(on: screen) == 0
            }
            // A paused page plays when the user comes back to it.
            try flick.terminal.press("Space")
            try flick.terminal.waitUntil("the paused badge") { $0.rows[0].contains("paused") }
            try flick.terminal.press("Down")
            try expect(1, on: flick)
            #expect(try !flick.terminal.capture().rows[0].contains("paused"))
        }

        @Test(arguments: [GridSize.common, .least])
        func sheetsOpenAndClose(at size: GridSize) throws {
            let flick = try FlickSession(["--fill", DemoFeed.path], size: size)
            try expect(0, on: flick)
            for (key, title, line) in [
                ("?", "─ Keys ─", "next"), ("T", "─ Trust ─", "97 of 100"), ("I", "─ Diagnostics ─", "dropped"),
                ("M", "─ This clip ─", "Like"),
            ] {
                for close in ["Escape", key] {
                    try flick.terminal.press(key)
                    try flick.terminal.waitUntil("the sheet of \(key)") { $0.contains(title) && $0.contains(line) }
                    try flick.terminal.press(close)
                    try flick.terminal.waitUntil("no sheet after \(close)") { !$0.contains(title) }
                }
            }
            try expect(0, on: flick, "after the sheets")
        }

        @Test func noticesAppearAndDisappear() throws {
            let flick = try FlickSession(["--fill", DemoFeed.path])
            try expect(0, on: flick)
            try flick.terminal.press("v")
            let screen = try flick.terminal.waitUntil("the toast") { $0.rows[2].contains("No subtitles") }
            #expect(screen.rows.last?.contains("subtitles") == false, "never over the scrubber")
            // The newest takes the place of the one before.
            try flick.terminal.press("=")
            try flick.terminal.waitUntil("the volume") {
                $0.rows[2].contains("Volume ▮▮▮▮▮▮▮▮▮▮ 100 %") && !$0.contains("No subtitles")
            }
            try flick.terminal.waitUntil("the toast's end") { !$0.contains("Volume") }
            try flick.terminal.press("s", "f")
            try flick.terminal.waitUntil("the last of two toasts and the lit buttons") {
                $0.rows[2].contains("Following Ilma Kettu") && $0.contains("s saved")
            }
        }

        @Test func theCaptionOpens() throws {
            let flick = try FlickSession(["--fill", DemoFeed.path])
            let closed = try expect(0, on: flick)
            #expect(closed.contains("… e more") && !closed.contains("#northernlights"))
            try flick.terminal.press("e")
            let open = try flick.terminal.waitUntil("all of the caption") { $0.contains("#northernlights") }
            #expect(!open.contains("… e more"))
            let caption = try #require(open.find("#northernlights"))
            try flick.terminal.click(caption)
            try flick.terminal.waitUntil("the short caption") { !$0.contains("#northernlights") }
        }

        /// An upright clip on a landscape page, without any option: the signs
        /// stand beside the picture, not at the page's edge.
        @Test func anUprightClipIsShownWholeByItself() throws {
            let flick = try FlickSession([DemoFeed.path])
            func signs(_ name: String, _ holds: @escaping (Int) -> Bool) throws {
                try flick.terminal.waitUntil(name) { screen in screen.find("48.2K").map { holds($0.column) } ?? false }
            }
            let edge = flick.terminal.size.columns - 12
            try signs("signs beside the picture") { $0 < edge - 8 }
            try flick.terminal.press("z")
            try signs("signs at the edge") { $0 > edge }
            try flick.terminal.press("z")
            try signs("signs beside the whole picture") { $0 < edge - 8 }
        }

        @Test func thePictureIsShownWholeOrFillsThePage() throws {
            let flick = try FlickSession(["--fill", DemoFeed.path])
            try expect(0, on: flick)
            // A portrait clip on a landscape page: it stands in the middle, so
            // that other parts of it are where they were.
            try flick.terminal.press("z")
            try flick.terminal.waitUntil("bars") { demo.seen(on: $0) != 0 && $0.contains("Fit mode: fit") }
            try flick.terminal.press("z")
            try flick.terminal.waitUntil("its own choice") { $0.contains("Fit mode: auto") }
            try flick.terminal.press("z")
            try flick.terminal.waitUntil("no bars") {
                demo.seen(on: $0) == 0 && $0.contains("Fit mode: fill")
            }
            try expect(0, on: flick)
        }

        @Test func anySizeAtAnyTime() throws {
            let flick = try FlickSession(["--fill", DemoFeed.path])
            try expect(0, on: flick)
            // During a slide.
            try flick.terminal.press("Down")
            try flick.terminal.resize(to: GridSize(columns: 120, rows: 36))
            try expect(1, on: flick, "at 120×36")
            try flick.terminal.resize(to: .least)
            try expect(1, on: flick, "at 40×12")
            try flick.terminal.resize(to: GridSize(columns: 30, rows: 8))
            try flick.terminal.waitUntil("the message") { $0.contains("flick needs 40×12") }
            try flick.terminal.resize(to: .common)
            let screen = try expect(1, on: flick, "at 80×24 again")
            #expect(!screen.contains("flick needs"))
            try flick.terminal.press("Down")
            try expect(2, on: flick)
            try flick.terminal.press("q")
            #expect(try flick.terminal.waitForExit() == 0)
        }
    }
}
