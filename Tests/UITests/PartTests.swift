import Model
import TerminalInput
import Testing

@testable import UI

@Suite struct PartTests {
    private static let feed = (0..<9).map { number in
        Item(
            id: "i\(number)", url: "file:///clips/\(number).mp4", title: "Clip \(number)",
            creator: .init(id: "c\(number % 3)", name: "Creator \(number % 3)"),
            tags: number == 4 ? [] : number % 2 == 0 ? ["rain", "food"] : ["rain"])
    }

    private func page(at index: Int) -> Page {
        let page = Page(Self.feed, columns: 100)
        for _ in 0..<index { page.press(.down) }
        page.wait(.seconds(2))
        page.play()
        return page
    }

    private func part(_ part: FeedPart) -> [Item] { Self.feed.filter(part.has) }

    @Test func theCreatorsClipsStandInPlaceOfTheFeedUntilEsc() {
        let page = page(at: 4)
        let creator = FeedPart.creator(key: "c1", id: "c1", name: "Creator 1")
        #expect(page.type("u") == [.openPart(creator)])
        let effects = page.send(.part(creator, part(creator)))
        // The clip in view waits, and is the chosen one.
        #expect(page.state.currentID == "i4" && page.state.items.count == 3 && page.state.feed.grid?.chosen == 1)
        #expect(effects.contains(.pause("i4")) && effects.contains(.showTiles(0..<3)))
        #expect(!effects.contains(.play("i4")))
        #expect(page.screen[0].contains("‹ Creator 1") && page.screen[0].contains("2/3"))
        #expect(["Clip 1", "Clip 4", "Clip 7"].allSatisfy { title in page.screen.contains { $0.contains(title) } })
        // Continues as the feed of these clips, and from there back to the stills.
        let opened = page.press(.enter)
        #expect(opened.first == .play("i4") && page.state.feed.grid == nil && page.state.items.count == 3)
        #expect(opened.contains { if case .keepWarm = $0 { true } else { false } })
        #expect(page.type("u") == [.pause("i4"), .showTiles(0..<3)])
        page.press(.right)
        let played = page.press(.enter)
        #expect(page.state.currentID == "i7" && played.contains(.play("i7")))
        // Back to the stills, where that clip is chosen, and from there to the feed.
        #expect(page.press(.escape).contains(.pause("i7")) && page.state.feed.grid?.chosen == 2)
        #expect(page.press(.escape).contains(.closePart))
        page.send(.wholeFeed(Self.feed, title: "Feed", at: 4))
        #expect(page.state.currentID == "i4" && page.state.items.count == 9 && page.state.feed.part == nil)
        #expect(page.orders.contains(.play("i4")))
        #expect(page.screen[0].contains("Feed") && !page.screen[0].contains("‹"))
        // Nothing is left to come back from.
        #expect(page.press(.escape) == [])
    }

    @Test func partIsDroppedAfterAPageTurn() {
        let page = page(at: 4)
        let creator = FeedPart.creator(key: "c1", id: "c1", name: "Creator 1")
        page.type("u")
        #expect(page.state.takes(creator) && !page.state.takes(.topic("rain")))
        page.press(.down)
        #expect(!page.state.takes(creator))
        #expect(!Page([]).state.takes(creator))
    }

    @Test func slowPartShowsANoticeAndCanBeCancelled() {
        let page = page(at: 3)
        let creator = FeedPart.creator(key: "c0", id: "c0", name: "Creator 0")
        page.type("u")
        page.wait(.milliseconds(400))
        #expect(page.state.toasts.current == nil)
        page.wait(.milliseconds(200))
        #expect(page.state.toasts.current?.text == GlyphLine("Looking for more clips by Creator 0"))
        page.wait(.seconds(9))
        #expect(page.state.toasts.current == nil && page.state.takes(creator))
        #expect(page.press(.escape) == [] && !page.state.takes(creator))
        // The later of two is the one that is wanted.
        page.type("u")
        page.type("#")
        #expect(!page.state.takes(creator) && page.state.takes(.topic("rain")))
    }

    @Test func escLeadsFromTheStillsBackToThePage() {
        let page = page(at: 4)
        let creator = FeedPart.creator(key: "c1", id: "c1", name: "Creator 1")
        page.type("u")
        page.send(.part(creator, part(creator)))
        page.press(.left)
        #expect(page.press(.escape) == [.play("i4"), .closePart])
        page.send(.wholeFeed(Self.feed, title: "Feed", at: 4))
        #expect(page.state.currentID == "i4" && page.state.feed.grid == nil && page.state.items.count == 9)
        // A clip that was paused stays so.
        page.press(.character(" "))
        page.type("u")
        #expect(!page.send(.part(creator, part(creator))).contains(.pause("i4")))
        #expect(page.press(.escape) == [.closePart])
        #expect(!page.send(.wholeFeed(Self.feed, title: "Feed", at: 4)).contains(.play("i4")))
    }

    @Test func clipsOfFilesBelongToTheirFolder() {
        let clips = (0..<6).map { number in
            var item = Item(id: "i\(number)", url: "file:///clips/\(number).mp4", title: "Clip \(number)")
            item.folder = number % 2 == 0 ? "Sea" : nil
            return item
        }
        let page = Page(clips)
        page.play()
        #expect(page.type("u") == [.openPart(.folder("Sea"))] && clips.filter(FeedPart.folder("Sea").has).count == 3)
        page.send(.part(.folder("Sea"), clips.filter(FeedPart.folder("Sea").has)))
        #expect(page.state.feed.grid != nil && page.screen[0].contains("‹ Sea"))
        let none = Page([clips[1]])
        #expect(none.type("u") == [])
        #expect(
            none.state.toasts.current?.text
                == GlyphLine("No creator or folder"))
    }

    /// Clips of one creator on 100×30: six in a row, two rows of them in view.
    private func grid(of count: Int = 40) -> Page {
        let clips = (0..<count).map { number in
            Item(
                id: "i\(number)", url: "file:///clips/\(number).mp4", title: "Clip \(number)",
                creator: .init(id: "c", name: "Creator"))
        }
        let page = Page(clips, columns: 100, rows: 30)
        page.play()
        page.type("u")
        page.send(.part(.creator(key: "c", id: "c", name: "Creator"), clips))
        return page
    }

    @Test func theGridIsWalkedThrough() {
        let page = grid()
        func chosen(after keys: Key...) -> Int? {
            for key in keys { page.press(key) }
            return page.state.feed.grid?.chosen
        }
        let layout = StillGridLayout(page.state)
        #expect(layout.across == 6 && layout.rows == 2 && layout.inView == 0..<12)
        #expect(chosen(after: .left) == 0 && chosen(after: .up) == 0)
        #expect(chosen(after: .right, .right, .down) == 8 && StillGridLayout(page.state).inView == 0..<12)
        #expect(chosen(after: .down) == 14 && StillGridLayout(page.state).inView == 6..<18)
        #expect(chosen(after: .up) == 8 && StillGridLayout(page.state).inView == 6..<18)
        #expect(chosen(after: .pageDown) == 20 && chosen(after: .pageUp, .pageUp) == 2)
        #expect(chosen(after: .character("G")) == 39 && StillGridLayout(page.state).inView == 30..<40)
        #expect(chosen(after: .right) == 39 && chosen(after: .down) == 39)
        // Below these there is nothing but the last row's end.
        #expect(chosen(after: .up, .right, .right, .down) == 39)
        #expect(chosen(after: .character("g"), .character("l"), .character("j"), .character("h"), .character("k")) == 0)
        // What concerns the page that is not in view does nothing, and says where the keys are listed.
        for key in [
            Key.character("d"), .character("s"), .character(" "), .character("m"), .character("/"),
        ] {
            #expect(page.press(key) == [])
        }
        #expect(page.state.reactions.isEmpty && page.state.view.sheet == nil && page.state.typing == nil)
        #expect(page.screen[0].contains("? keys"))
        page.wait(.seconds(5))
        #expect(!page.screen[0].contains("? keys"))
        page.type("?")
        #expect(page.state.view.sheet == .help && page.screen.contains { $0.contains("Most used") })
        #expect(page.type("d") == [] && page.type("j") == [] && page.state.view.line == 1)
        #expect(page.type("q") == [] && page.state.view.sheet == nil && page.state.feed.grid != nil)
        #expect(page.press(.control("c")) == [.quit])
        #expect(page.type("q").contains(.closePart) && page.state.feed.grid == nil)
    }

    @Test func nothingIsBelowTheLastRowOfAFullGrid() {
        let page = grid(of: 36)
        #expect(StillGridLayout(page.state).across == 6)
        for key in [Key.character("G"), .left, .left, .down] { page.press(key) }
        #expect(page.state.feed.grid?.chosen == 33)
    }

    @Test func footerNamesOnlyMovesThatThereAre() {
        #expect(grid().state.gridFooter.text == "↑↓←→ move   Enter play   Esc back")
        let page = page(at: 4)
        let creator = FeedPart.creator(key: "c1", id: "c1", name: "Creator 1")
        page.type("u")
        page.send(.part(creator, part(creator)))
        // Three clips, in one row.
        #expect(StillGridLayout(page.state).across == 3)
        #expect(page.state.gridFooter.text == "←→ move   Enter play   Esc back")
    }

    /// A page that is dragged is let go, and no page turns behind the stills.
    @Test func thePageBehindTheStillsStays() {
        let page = page(at: 4)
        let creator = FeedPart.creator(key: "c1", id: "c1", name: "Creator 1")
        page.type("A")
        page.send(.player("i4", .failed("it is no clip")))
        page.type("u")
        page.mouse(.press(.left), 50, 20)
        page.mouse(.drag, 50, 17)
        page.send(.part(creator, part(creator)))
        #expect(page.state.feed.grid != nil && !page.state.pager.isDragging)
        page.wait(.seconds(20))
        #expect(page.state.feed.grid?.chosen == 1 && page.state.currentID == "i4" && !page.state.pager.isMoving)
        // Back on the page, its time restarts.
        page.press(.enter)
        page.wait(.seconds(4))
        #expect(page.state.currentID == "i4")
        page.wait(.seconds(2))
        #expect(page.state.currentID == "i7")
    }

    @Test(arguments: [(Mouse.Action.press(.left), 3, 0), (.press(.right), 50, 10), (.press(.left), 70, 29)])
    func theMouseLeadsBack(action: Mouse.Action, column: Int, row: Int) {
        let page = grid()
        #expect(page.send(.mouse(Mouse(action, at: GridPoint(column: column, row: row)))) == [.play("i0"), .closePart])
        #expect(page.state.feed.grid == nil)
    }

    @Test func aClickOpensATile() {
        let page = grid()
        #expect(grid().send(.mouse(Mouse(.press(.left), at: GridPoint(column: 30, row: 29)))).first == .play("i0"))
        page.send(.mouse(Mouse(.wheelDown, at: GridPoint(column: 0, row: 0))))
        #expect(page.state.feed.grid?.chosen == 6)
        let layout = StillGridLayout(page.state)
        #expect(page.send(.mouse(Mouse(.press(.left), at: GridPoint(column: 0, row: 5)))) == [])
        let frame = layout.title(of: 9)
        let at = GridPoint(column: frame.column + 1, row: frame.row)
        #expect(page.send(.mouse(Mouse(.press(.left), at: at))).contains(.play("i9")))
        #expect(page.send(.mouse(Mouse(.release(.left), at: at))) == [])
        #expect(page.state.feed.grid == nil && page.state.currentID == "i9" && page.state.clip.wasStopped == false)
    }

    @Test(arguments: [(40, 12), (60, 15), (80, 24), (100, 30), (200, 60), (300, 12), (41, 90), (120, 13)])
    func tilesFitEverySize(columns: Int, rows: Int) {
        let page = grid()
        for chosen in [0, 17, 39] {
            page.press(.character("g"))
            for _ in 0..<chosen { page.press(.right) }
            let effects = page.send(.resized(GridSize(columns: columns, rows: rows)))
            let layout = StillGridLayout(page.state)
            #expect(layout.inView.contains(chosen))
            #expect(effects.contains(.showTiles(layout.inView)) || page.state.feed.grid?.asked == layout.inView)
            var taken = Set<GridPoint>()
            for index in layout.inView {
                for frame in [layout.picture(of: index), layout.title(of: index)] {
                    #expect(frame.columns > 0 && frame.rows > 0)
                    for row in frame.row..<(frame.row + frame.rows) {
                        for column in frame.column..<(frame.column + frame.columns) {
                            let isFree = taken.insert(GridPoint(column: column, row: row)).inserted
                            #expect(isFree && (1..<(rows - 1)).contains(row) && (0..<columns).contains(column))
                        }
                    }
                }
            }
        }
    }

    /// A grid of clips with long titles.
    private func grid(of count: Int, _ columns: Int, _ rows: Int, options: Options = Options()) -> Page {
        let clips = (0..<count).map { number in
            Item(
                id: "i\(number)", url: "file:///clips/\(number).mp4",
                title: "Episode \(number): a title that no tile has room for", duration: .seconds(83 + number),
                creator: .init(id: "c", name: "Creator"))
        }
        let page = Page(clips, columns: columns, rows: rows, options: options)
        page.play()
        page.type("u")
        page.send(.part(.creator(key: "c", id: "c", name: "Creator"), clips))
        return page
    }

    /// The columns beside all tiles differ by one at most.
    @Test(arguments: [1, 2, 3, 5, 9, 40], [(40, 12), (80, 24), (120, 40), (200, 60), (300, 12)])
    func tilesStandInTheMiddle(count: Int, size: (Int, Int)) throws {
        let layout = StillGridLayout(grid(of: count, size.0, size.1).state)
        guard layout.inView.count >= layout.across else { return }
        let first = layout.picture(of: 0)
        let last = layout.picture(of: layout.across - 1)
        let (left, right) = (first.column, size.0 - last.column - last.columns)
        #expect(abs(left - right) <= 1, "\(left) \(right)")
    }

    @Test(arguments: [(80, 24), (120, 40), (200, 60)]) func fewTilesAreLarger(columns: Int, rows: Int) {
        let usual = StillGridLayout(grid(of: 40, columns, rows).state).picture(of: 0)
        var before = Int.max
        for count in [1, 2, 4] {
            let layout = StillGridLayout(grid(of: count, columns, rows).state)
            let width = layout.picture(of: 0).columns
            #expect(layout.inView == 0..<count && width > usual.columns && width <= before)
            before = width
        }
    }

    @Test(arguments: [(40, 12), (80, 24), (120, 40)]) func theChosenClipsWholeTitleIsBelowTheTiles(
        columns: Int, rows: Int
    ) {
        let page = grid(of: 30, columns, rows)
        page.press(.right)
        let footer = page.screen[(rows - 3)...].map { $0.trimmingRight.drop { $0 == " " } }.joined(separator: " ")
        #expect(footer.contains("Episode 1: a title that no tile has room for"))
        #expect(footer.contains("↑↓←→ move   Enter play   Esc back"))
    }

    /// As a list does.
    @Test(arguments: [(40, 12), (80, 24), (120, 40)], [false, true])
    func gridShowsMoreAboveAndBelow(size: (Int, Int), isASCII: Bool) throws {
        var options = Options()
        if isASCII { options.pictureMode = .ascii }
        let page = grid(of: 60, size.0, size.1, options: options)
        func marks() -> (above: Bool, below: Bool) {
            let (top, bottom) = (page.screen[0], page.screen[size.1 - 1])
            return (top.contains(isASCII ? " ^ " : " ▴ "), bottom.contains(isASCII ? " v " : " ▾ "))
        }
        #expect(!marks().above && marks().below)
        let more = try #require(page.state.gridMore).frame
        #expect(page.mouse(.press(.left), more.column + 1, more.row).isEmpty && page.state.feed.grid?.chosen == 0)
        page.type("G")
        #expect(marks().above && !marks().below)
    }

    @Test func titlesThatBeginAlikeLoseTheirMiddle() {
        let clips = (0..<30).map { number in
            Item(
                id: "i\(number)", url: "file:///clips/\(number).mp4",
                title: number == 3 ? "Sintel, the whole film in one part" : "Big Buck Bunny – part \(number)",
                creator: .init(id: "c", name: "Creator"))
        }
        let page = Page(clips)
        page.play()
        page.type("u")
        page.send(.part(.creator(key: "c", id: "c", name: "Creator"), clips))
        let titles = StillGridLayout(page.state).titles(of: page.state.items, ellipsis: Glyph("…")).map(\.text)
        #expect(titles.count == Set(titles).count && titles[1].hasPrefix("Big Bu") && titles[1].hasSuffix("part 1"))
        #expect(titles[3].hasPrefix("Sintel, the") && titles[3].hasSuffix("…"))
    }

    /// Cut below its tile, as the others are, and whole in the line above the keys, unless it has room there.
    @Test func chosenTitleIsShownWhole() {
        let page = grid(of: 30, 80, 24)
        page.press(.right)
        page.press(.right)
        #expect(page.screen.count { $0.contains("Episode 2") } == 2)
        #expect(grid().screen.count { $0.contains("Clip 0") } == 1)
    }

    @Test func chosenTileHasAnOutline() {
        let page = grid()
        page.press(.right)
        let (layout, scene) = (StillGridLayout(page.state), draw(page.state, now: page.now))
        for index in layout.inView {
            let picture = layout.picture(of: index)
            #expect((scene.overlay[picture.column, picture.row].glyph == Glyph("╭")) == (index == 1))
        }
        #expect(scene.tileGround == page.state.theme.selection)
        #expect(scene.tiles.map { $0.shade == 0 } == layout.inView.map { $0 == 1 })
        for index in layout.inView {
            let corner = layout.picture(of: index)
            #expect(scene.overlay[corner.column + 1, corner.row + 1].shade == 0)
        }
    }

    @Test func durationAndMarksStandOnATile() {
        let page = grid(of: 30, 120, 40)
        page.state.reactions.like("i0", true, burst: nil)
        let layout = StillGridLayout(page.state)
        func facts(_ index: Int) -> String {
            let picture = layout.picture(of: index)
            let row = Array(page.screen[picture.row + picture.rows - 2])
            return String(row[(picture.column + 1)..<(picture.column + picture.columns - 1)])
        }
        // The outline of the chosen tile is whole.
        let picture = layout.picture(of: 0)
        let edge = Array(page.screen[picture.row + picture.rows - 1])
        #expect(edge[picture.column] == "╰" && edge[picture.column + picture.columns - 1] == "╯")
        // Its file is 20 s long. It was seen before the grid opened.
        #expect(facts(0).hasPrefix(" ♥✓ ") && facts(0).hasSuffix(" 0:20 "))
        #expect(facts(1).trimmingRight.hasSuffix(" 1:24") && !facts(1).contains("✓"))
    }

    @Test func singleTopicOpensAtOnceAndSeveralOpenASheet() {
        #expect(page(at: 1).type("#") == [.openPart(.topic("rain"))])
        let page = page(at: 2)
        #expect(page.type("#") == [] && page.state.view.sheet == .topics)
        #expect(page.screen.contains { $0.contains("#rain") } && page.screen.contains { $0.contains("#food") })
        page.press(.down)
        #expect(page.press(.enter) == [.openPart(.topic("food"))])
        #expect(page.state.view.sheet == nil)
        page.send(.part(.topic("food"), part(.topic("food"))))
        #expect(page.screen[0].contains("‹ #food"))
        // From within, the same topic leads back.
        #expect(page.state.perform(.topics, now: page.now) == [] && page.press(.down) == [])
        #expect(page.press(.enter) == [.closePart])
        let none = self.page(at: 4)
        #expect(none.type("#") == [] && none.state.toasts.current?.text == GlyphLine("No topics"))
        #expect(!none.state.menu.contains { $0.action == .topics })
    }

    @Test func topicsAndNamesAreClicked() throws {
        let page = page(at: 2)
        let layout = PageLayout(page.state, index: 2)
        let chips = try #require(layout.chipRow(page.state.content(of: 2).tags)).chips.map(\.frame)
        try #require(chips.count == 2)
        #expect(page.screen[chips[1].row].contains("#rain #food"))
        func click(_ frame: GridRect) -> [Effect] {
            page.mouse(.press(.left), frame.column, frame.row)
            return page.mouse(.release(.left), frame.column, frame.row)
        }
        #expect(click(chips[1]) == [.openPart(.topic("food"))])
        #expect(click(layout.name) == [.openPart(.creator(key: "c2", id: "c2", name: "Creator 2"))])
    }

    /// A blank stands between topics, and between them and the marks, however wide their row is.
    @Test func topicsAndMarksStandApart() {
        let tags = (0..<12).map { GlyphLine("#" + String(repeating: "x", count: 3 + $0 * 5 % 7)) }
        for columns in 12..<90 {
            for first in tags.indices {
                let row = ChipRow(tags, in: GridRect(column: 2, row: 0, columns: columns, rows: 1), from: first)
                let frames =
                    [row.before].compactMap(\.self) + row.chips.map(\.frame) + [row.behind].compactMap(\.self)
                #expect(zip(frames, frames.dropFirst()).allSatisfy { $0.column + $0.columns < $1.column })
                #expect(frames.allSatisfy { $0.column >= 2 && $0.column + $0.columns <= 2 + columns })
                #expect(row.chips.first?.index == first && (row.before != nil) == (first > 0))
                #expect((row.behind == nil) == (row.chips.last?.index == 11))
            }
        }
    }

    @Test func topicsScrollSideways() throws {
        let tags = [
            "aquarium", "boats", "cliffs", "dunes", "eddies", "fjords", "gulls", "harbours",
            "a topic as wide as the row is",
        ]
        let page = Page([Item(id: "i", url: "file:///i.mp4", title: "Sea", tags: tags)], columns: 40, rows: 20)
        page.play()
        func row() throws -> (text: String, row: ChipRow, at: Int) {
            let layout = PageLayout(page.state, index: 0)
            let row = try #require(layout.chipRow(page.state.content(of: 0).tags))
            let at = try #require(layout.chips).row
            return (page.screen[at], row, at)
        }
        let first = try row()
        #expect(first.text.contains("#aquarium #boats") && first.text.contains("›") && !first.text.contains("‹"))
        #expect(first.row.before == nil)
        // The wheel scrolls them where they are, and nothing else.
        #expect(page.mouse(.wheelDown, 3, first.at) == [] && page.state.current == 0)
        #expect(try row().text.contains("‹ #boats"))
        page.mouse(.wheelLeft, 3, first.at)
        #expect(try row().text.hasPrefix(first.text.prefix(12)))
        // All of them are reached by the mark.
        var seen = Set(first.row.chips.map(\.index))
        for _ in 0..<tags.count {
            let now = try row()
            #expect(!now.row.chips.isEmpty)
            // A blank stands between topics, and between them and the marks.
            let frames =
                [now.row.before].compactMap(\.self) + now.row.chips.map(\.frame)
                + [now.row.behind].compactMap(\.self)
            #expect(zip(frames, frames.dropFirst()).allSatisfy { $0.column + $0.columns < $1.column })
            #expect(frames.allSatisfy { $0.column + $0.columns <= 40 })
            seen.formUnion(now.row.chips.map(\.index))
            guard let mark = now.row.behind else { break }
            page.mouse(.press(.left), mark.column, mark.row)
            #expect(page.mouse(.release(.left), mark.column, mark.row) == [])
        }
        #expect(seen.count == tags.count)
        let last = try row()
        #expect(last.row.behind == nil && last.text.contains("‹ #a topic"))
        page.mouse(.wheelRight, 3, last.at)
        #expect(try row().text == last.text)
        // What is clicked is what is seen.
        let chip = try #require(last.row.chips.last).frame
        page.mouse(.press(.left), chip.column + 2, chip.row)
        #expect(page.mouse(.release(.left), chip.column + 2, chip.row) == [.openPart(.topic(tags[8]))])
    }

    @Test(arguments: [(40, 12), (80, 24), (200, 60)])
    func theCornerOpensTheMenu(columns: Int, rows: Int) {
        let page = Page(Self.feed, columns: columns, rows: rows)
        page.play()
        let frame = page.state.menuFrame
        #expect(page.screen[0].hasSuffix("…" + String(repeating: " ", count: columns - frame.column - 1)))
        page.mouse(.press(.left), frame.column, 0)
        page.mouse(.release(.left), frame.column, 0)
        #expect(page.state.view.sheet == .menu)
    }

    /// Reading the whole feed again ends the part.
    @Test func aFeedThatIsReadAgainIsWhole() {
        let page = page(at: 0)
        page.send(.part(.topic("rain"), part(.topic("rain"))))
        page.send(.feed(Self.feed, title: "Feed"))
        #expect(page.state.feed.part == nil && page.state.items.count == 9 && page.state.currentID == "i0")
    }

    /// The part that came is without the clip in view; and the whole feed has become shorter meanwhile.
    @Test func listsThatHaveChangedLeadSomewhere() {
        let page = page(at: 8)
        page.send(.part(.topic("food"), [Self.feed[0]]))
        #expect(page.state.currentID == "i0" && page.state.current == 0)
        page.send(.wholeFeed([Self.feed[3], Self.feed[0]], title: nil, at: 8))
        #expect(page.state.currentID == "i0" && page.state.current == 1)
    }
}
