import Model
import TestSupport
import Testing

@testable import UI

/// What sheets say, and how they are laid out.
struct SheetTests {
    private func words(of text: String) -> [Substring] { text.split(whereSeparator: { $0 == " " || $0 == "\n" }) }

    private func text(of rows: [SheetRow], from column: Int = 0) -> String {
        rows.flatMap(\.spans).map { span in span.line.glyphs.map { GlyphTable.text(of: $0) }.joined() }
            .joined(separator: " ")
    }

    // MARK: Wrapping

    /// Every word of every sheet is in its rows, whatever the width, and no row is wider than the sheet.
    @Test(arguments: 8...100) func nothingIsCut(columns: Int) {
        let page = Page(options: Options())
        page.play()
        var figures = Diagnostics()
        figures.picturesPerSecond = 24
        figures.variant = ClipVariant(
            size: PixelSize(width: 640, height: 360), bitrate: 803_000, why: "the smallest covering the page")
        figures.loudness = ClipLoudness(loudness: -31.2, gain: 15.2, origin: .partial)
        page.send(.player("v1", .diagnostics(figures)))
        for sheet in State.Sheet.allCases where sheet != .menu {
            page.state.view.open(sheet)
            let entries = page.state.sheetContents?.entries ?? []
            let setter = SheetTypesetter(columns: columns, entries: entries, isASCII: false, isDense: false)
            let rows = setter.rows(of: entries)
            for row in rows {
                var end = 0
                for span in row.spans {
                    #expect(span.column >= end && span.column + span.line.columns <= columns)
                    end = span.column + span.line.columns
                }
            }
            let shown = text(of: rows).replacing(" ", with: "")
            for entry in entries {
                let expected: [String] =
                    switch entry {
                    case .heading(let text), .text(let text): [text.hasPrefix("- ") ? String(text.dropFirst(2)) : text]
                    case .pair(let name, let words), .graph(let name, _, let words): [name, words]
                    case .choice(let text, _): [text]
                    }
                for word in expected.flatMap(words) where word.count <= columns * 2 / 5 {
                    #expect(shown.contains(word), "\(sheet), \(columns): \(word)")
                }
            }
        }
    }

    @Test func aLongReasonIsWrappedUnderItself() {
        var item = Page.feed[0]
        item.trust = .init(
            score: 82, label: "Verified source",
            reasons: ["Time and place agree with the weather report of that day, and with two other clips of it"])
        let page = Page([item])
        page.play()
        page.type("T")
        let first = page.screen.firstIndex { $0.contains("• Time and place agree with the weather") } ?? 0
        #expect(first > 0)
        #expect(page.screen[first + 1].contains("│   "))
        #expect(page.screen[first...(first + 1)].joined().contains("other clips of it"))
    }

    // MARK: The key sheet

    @Test(arguments: [(40, 1), (80, 1), (91, 1), (92, 2), (135, 2), (136, 3), (200, 3)])
    func keysStandInAsManyColumnsAsHaveRoom(columns: Int, expected: Int) {
        let page = Page(columns: columns, rows: 200)
        page.play()
        page.type("?")
        let headings = SheetLayout(page.state).rows.flatMap(\.spans).filter { $0.tone == .heading }
        #expect(Set(headings.map(\.column)).count == expected)
        #expect(Set(headings.map(\.line)).count == KeyTable.sections.count + 1)
    }

    @Test(arguments: [(100, 30), (120, 40), (160, 40)]) func keysThatScrollStandInOneColumn(columns: Int, rows: Int) {
        let page = Page(columns: columns, rows: rows)
        page.play()
        page.type("?")
        let layout = SheetLayout(page.state)
        let headings = layout.rows.flatMap(\.spans).filter { $0.tone == .heading }
        #expect(layout.total > layout.body.rows && headings.allSatisfy { $0.column == 0 })
        #expect(headings.count == KeyTable.sections.count + 1)
    }

    /// The sections are long and short: one may continue in the next column, where its heading stands again, but no
    /// column ends with a heading.
    @Test(arguments: [(100, 120), (120, 120), (160, 80), (200, 60)]) func columnsOfKeysAreBalanced(
        columns: Int, rows: Int
    ) throws {
        let page = Page(columns: columns, rows: rows)
        page.play()
        page.type("?")
        let all = SheetLayout(page.state).rows
        let starts = Set(all.flatMap(\.spans).filter { $0.tone == .heading }.map(\.column)).sorted()
        let heights = try starts.enumerated().map { place, start -> Int in
            let end = place + 1 < starts.count ? starts[place + 1] : Int.max
            func spans(_ row: SheetRow) -> [SheetRow.Span] { row.spans.filter { start..<end ~= $0.column } }
            let last = try #require(all.lastIndex { !spans($0).isEmpty })
            #expect(spans(all[last]).allSatisfy { $0.tone != .heading })
            #expect(spans(all[0]).map(\.tone) == [.heading])
            return last + 1
        }
        #expect(starts.count > 1 && (heights.max() ?? 0) - (heights.min() ?? 0) <= 6, "\(heights)")
    }

    /// Blanks between the keys of one action, strokes between actions.
    @Test func keysAreJoinedInOneForm() {
        for row in KeyTable.sections.flatMap(\.rows) where row.actions.count > 1 {
            let keys = KeyMap.standard.keysLabel(of: row, isASCII: false)
            let parts = keys.split(separator: " / ", omittingEmptySubsequences: false)
            #expect(keys == "0 … 9" || parts.count == row.actions.count, "\(keys)")
            // Which word is which key's is seen without counting where there are two.
            guard row.actions.count > 2, keys != "0 … 9" else { continue }
            #expect(row.words.split(separator: ", ").count == row.actions.count, "\(row.words)")
        }
    }

    /// Keys stand below keys, and what they do below what they do.
    @Test func keysAndActionsAreAligned() {
        let page = Page()
        page.play()
        page.type("?")
        let pairs = SheetLayout(page.state).rows.map(\.spans).filter { $0.count == 2 }
        #expect(pairs.count > 30)
        #expect(Set(pairs.map { $0[0].column }) == [0])
        #expect(Set(pairs.map { $0[1].column }).count == 1)
        #expect(page.screen.contains { $0.contains("↓ j PgDn") && $0.contains("next page") })
    }

    /// A gesture has one form, and its line says what it does, not what the keys do that it is named beside.
    @Test func mouseLinesAreAboutTheMouse() throws {
        let entries = Page().state.keyEntries
        let first = try #require(entries.firstIndex(of: .heading("Mouse"))) + 1
        let forms = ["click", "right click", "double click", "wheel", "drag"]
        for entry in entries[first...] {
            guard case .pair(let gesture, let words) = entry else {
                Issue.record("\(entry) is no gesture")
                continue
            }
            #expect(forms.contains { gesture.hasPrefix($0) }, "\(gesture)")
            #expect(!gesture.contains(" on ") && !gesture.contains("Enter"), "\(gesture)")
            #expect(!["selected", "Esc", "Enter"].contains { words.contains($0) }, "\(words)")
        }
        #expect(entries.contains(.pair("double click", "like")))
    }

    // MARK: Scrolling

    /// At any height: what is last before is first after, and the way back leads to the beginning.
    @Test(arguments: [12, 16, 24]) func aPageOfASheetPassesNoLine(rows: Int) {
        let page = Page(columns: 40, rows: rows)
        page.type("?")
        func lines() -> [SheetRow] {
            let layout = SheetLayout(page.state)
            return Array(layout.rows[layout.first..<layout.first + layout.body.rows])
        }
        let all = SheetLayout(page.state).rows
        var (seen, before) = (lines(), lines())
        for _ in 0..<100 where seen.count < all.count {
            page.press(.pageDown)
            let now = lines()
            let isEnd = SheetLayout(page.state).first + now.count == all.count
            if !isEnd { #expect(now.first == before.last) }
            seen += now.suffix(min(now.count - 1, all.count - seen.count))
            before = now
        }
        #expect(seen == all)
        for _ in 0..<100 { page.press(.pageUp) }
        #expect(SheetLayout(page.state).first == 0)
    }

    @Test func frameShowsMoreAboveAndBelow() {
        let page = Page()
        page.play()
        page.type("?")
        func frame() -> (top: String, bottom: String) {
            let frame = SheetLayout(page.state).frame
            return (page.screen[frame.row], page.screen[frame.row + frame.rows - 1])
        }
        #expect(!frame().top.contains("more") && frame().bottom.contains("▾ more"))
        page.press(.down)
        #expect(frame().top.contains("▴ more") && frame().bottom.contains("▾ more"))
        for _ in 0..<200 { page.press(.down) }
        #expect(frame().top.contains("▴ more") && !frame().bottom.contains("more"))
        page.type("?")
        page.type("M")
        #expect(!frame().bottom.contains("more"))
    }

    @Test func theScrollBarShowsWhereTheRowsAre() {
        let page = Page()
        page.play()
        page.type("?")
        func thumb() -> [Int] {
            let layout = SheetLayout(page.state)
            let overlay = draw(page.state, now: page.now).overlay
            return (0..<24).filter { overlay[layout.frame.column + layout.frame.columns - 1, $0].glyph == Glyph("┃") }
        }
        let layout = SheetLayout(page.state)
        let start = thumb()
        #expect(start.first == layout.body.row)
        #expect(start.count == layout.body.rows * layout.body.rows / layout.rows.count)
        for _ in 0..<200 { page.press(.down) }
        #expect(thumb().last == layout.body.row + layout.body.rows - 1 && thumb().count == start.count)
    }

    /// What moves, what acts, what else can be done, and how it is closed.
    @Test func hintsHaveOneOrder() {
        let hints = State.hints(
            move: [(.nextLink, "link")], act: [(.choose, "open")], other: [(.refresh, "refresh")], close: "back")
        #expect(hints.map(\.word) == ["link", "open", "refresh", "back"])
        let page = Page()
        page.play()
        page.send(.service(takesComments: true))
        page.type(":")
        #expect(page.screen.contains { $0.contains(" Enter send   Alt-Enter new line   Esc close ") })
    }

    /// Whatever else has no room there.
    @Test(arguments: [(40, 12), (60, 16), (80, 24), (100, 30)], [false, true])
    func everySheetSaysHowItIsClosed(size: (Int, Int), isASCII: Bool) {
        var item = Page.feed[0]
        item.text = String(repeating: "See https://example.org/ for more. ", count: 90)
        var options = Options()
        if isASCII { options.pictureMode = .ascii }
        for sheet in State.Sheet.allCases where sheet != .filter {
            let page = Page([item], columns: size.0, rows: size.1, options: options)
            page.play()
            page.send(.service(takesComments: true))
            page.send(.hidden([HideRule(.topic, value: "cats"), HideRule(place: .forYou)], configured: []))
            page.send(.places([.home, .forYou, .following, .liked, .saved, .history, .hidden]))
            page.state.view.open(sheet)
            let layout = SheetLayout(page.state)
            for line in 0..<min(layout.total, 20) {
                page.state.view.go(to: line)
                let edge = page.screen[layout.frame.row + layout.frame.rows - 1]
                #expect(edge.contains(" Esc close "), "\(sheet) \(line)")
            }
        }
    }

    // MARK: The menu

    @Test(arguments: [ColorMode.mono, .palette16, .palette256, .truecolor])
    func theChosenEntryIsSeenInAllColours(color: ColorMode) {
        var options = Options()
        options.color = color
        let page = Page(options: options)
        page.play()
        page.type("M")
        page.press(.down)
        let body = SheetLayout(page.state).body
        let overlay = draw(page.state, now: page.now).overlay
        for row in 0..<body.rows {
            for column in [body.column - 1, body.column, body.column + body.columns / 2, body.column + body.columns] {
                let cell = overlay[column, body.row + row]
                if color == .mono || color == .palette16 {
                    #expect(cell.style.contains(.reverse) == (row == 1))
                } else {
                    #expect((cell.background == page.state.theme.selection) == (row == 1))
                }
            }
        }
    }

    @Test func theMenuHasOnlyWhatAppliesToTheItem() {
        let page = Page()
        page.play()
        #expect(
            page.state.menu.map(\.action) == [
                .like, .dislike, .comments, .save, .copyLink, .follow, .creator, .topics, .notInterested, .open,
                .saveClip, .saveFrame, .quality, .repeatPart, .trust, .filter, .sleepTimer, .diagnostics, .help,
            ])
        page.type("G")
        #expect(
            page.state.menu.map(\.action) == [
                .like, .dislike, .save, .copyLink, .notInterested, .open, .filter, .sleepTimer, .diagnostics,
                .help,
            ])
        page.send(.player("v4", .failed("no")))
        #expect(page.state.menu.first?.action == .retry)
        let empty = Page([])
        #expect(empty.state.menu.map(\.action) == [.sleepTimer, .diagnostics, .help])
    }

    /// Those that lead to a list or a text field end with an ellipsis.
    @Test func theMenuSaysWhereMoreIsChosen() {
        let page = Page()
        page.play()
        page.send(.service(takesComments: true))
        let lists = page.state.menu.filter { $0.text.hasSuffix("…") }.map(\.action)
        #expect(lists == [.comments, .message, .topics, .notInterested, .quality, .filter])
        page.type("M")
        #expect(SheetLayout(page.state).footer.text == "Enter choose   Esc close")
        var options = Options()
        options.pictureMode = .ascii
        #expect(Page(options: options).state.menu.contains(MenuEntry(action: .filter, text: "Find a clip...")))
    }

    /// What is done to the clip is not done behind a sheet that asks about it.
    @Test(arguments: ["T", "X", "#"] as [Character])
    func keysOfThePageCloseASheetAboutItsClip(key: Character) {
        let page = Page()
        page.play()
        page.type(key)
        #expect(page.state.view.sheet != nil)
        page.press(.down)
        #expect(page.state.view.sheet != nil)
        page.type("l")
        #expect(page.state.view.sheet == nil && page.state.reactions["v1"].isLiked)
        page.type(key)
        page.type(key)
        #expect(page.state.view.sheet == nil)
    }

    @Test func aShortMenuEndsAtItsLastEntry() {
        let page = Page([Page.feed[3]])
        page.play()
        page.type("M")
        for _ in 0..<50 { page.press(.down) }
        #expect(page.state.view.line == 12)
        page.press(.enter)
        #expect(page.state.view.sheet == .help)
    }

    // MARK: Its place

    /// Sheets, and how each is opened: by its key, and by a click where there is something to click.
    private func opened(_ columns: Int, _ rows: Int) -> [(what: String, page: Page)] {
        var pages: [(String, Page)] = []
        for key in "?TIc" {
            let page = Page(columns: columns, rows: rows)
            page.play()
            page.send(.service(takesComments: true))
            page.type(key)
            pages.append(("\(key)", page))
        }
        let page = Page(columns: columns, rows: rows)
        page.play()
        if let trust = PageLayout(page.state, index: 0).trust {
            page.mouse(.press(.left), trust.column, trust.row)
            page.mouse(.release(.left), trust.column, trust.row)
            pages.append(("click", page))
        }
        return pages
    }

    @Test(arguments: [(40, 12), (80, 24), (99, 30), (100, 30), (120, 40), (200, 60)])
    func sheetsStandInOnePlaceWhateverOpenedThem(columns: Int, rows: Int) {
        for (what, page) in opened(columns, rows) {
            let (frame, isAside) = (SheetLayout(page.state).frame, SheetLayout(page.state).isAside)
            // The page's own.
            let margin = PageLayout(page.state, index: 0).caption.column
            #expect(page.state.view.sheet != nil && isAside == (columns >= 100), "\(what)")
            #expect(frame.column + frame.columns == columns - margin && frame.row + frame.rows == rows - 1, "\(what)")
            #expect(frame.row >= 1 && (isAside || frame.column == margin), "\(what)")
            let isDark = draw(page.state, now: page.now).overlay[0, rows / 3].shade >= OverlayDrawing.sheetShade
            #expect(isDark == !isAside, "\(what)")
        }
    }

    /// The text field continues the sheet that it belongs to.
    @Test(arguments: [(40, 12), (80, 24), (100, 30), (200, 60)], ["c:", "/", "?/"])
    func aFieldIsDockedToItsSheet(size: (Int, Int), keys: String) {
        let page = Page(columns: size.0, rows: size.1)
        page.play()
        page.send(.service(takesComments: true))
        for key in keys { page.type(key) }
        let (sheet, bar) = (SheetLayout(page.state).frame, BarLayout(page.state).frame)
        #expect(page.state.typing != nil && page.state.view.sheet != nil)
        #expect(sheet.row + sheet.rows == bar.row && bar.row + bar.rows == size.1 - 1)
        #expect(bar.column == sheet.column && bar.columns == sheet.columns)
    }

    // MARK: The menu's place

    @Test(arguments: [(40, 12), (80, 24), (200, 60)]) func theMenuOpensWhereItIsAskedFor(columns: Int, rows: Int) {
        func menu(_ open: (Page) -> Void) -> (frame: GridRect, page: Page) {
            let page = Page(columns: columns, rows: rows)
            page.play()
            open(page)
            #expect(page.state.view.sheet == .menu)
            return (SheetLayout(page.state).frame, page)
        }
        let byClick = menu { $0.mouse(.press(.right), 3, 2) }.frame
        #expect(byClick.column == 3 && (byClick.row == 2 || byClick.row + byClick.rows == rows - 1))
        let held = menu {
            $0.mouse(.press(.left), 4, 3)
            $0.wait(.milliseconds(500))
        }.frame
        #expect(held.column == min(4, columns - held.columns))
        #expect(held.row == 3 || held.row + held.rows == rows - 1)
        // It stays on the screen.
        let corner = menu { $0.mouse(.press(.right), columns - 1, rows - 1) }.frame
        #expect(corner.column + corner.columns == columns && corner.row + corner.rows == rows - 1)
        let (below, page) = menu {
            let button = $0.state.menuFrame
            $0.mouse(.press(.left), button.column, button.row)
            $0.mouse(.release(.left), button.column, button.row)
        }
        let button = page.state.menuFrame
        #expect(below.row == 1 && below.column + below.columns == button.column + 1)
        let (beside, other) = menu { $0.type("M") }
        let rail = PageLayout(other.state, index: 0).rail
        // On a narrow terminal it begins at the edge.
        #expect(beside.column == max(rail.column - 1 - beside.columns, 0))
        #expect(beside.row + beside.rows <= rail.row + rail.rows + 1)
    }

    // MARK: The filter of the keys

    @Test func theKeysAreFiltered() {
        let page = Page(columns: 120, rows: 40)
        page.play()
        page.type("?")
        page.type("/")
        for letter in "Sub" { page.type(letter) }
        let entries = SheetLayout(page.state).rows.flatMap(\.spans).map(\.line.text)
        #expect(entries.contains("next subtitles, or off") && entries.contains("v") && entries.count == 5)
        #expect(SheetLayout(page.state).footer.isEmpty)
        page.type("x")
        #expect(page.screen.contains { $0.contains("No matches") })
        page.press(.escape)
        #expect(page.state.typing == nil && page.state.view.sheet == .help)
        #expect(SheetLayout(page.state).rows.flatMap(\.spans).count > 60)
        page.type("q")
        #expect(page.state.view.sheet == nil)
    }

    /// Where nothing else can be found.
    @Test func theKeysAreFilteredInAnEmptyFeedAndOverAGrid() {
        let page = Page([])
        page.type("?")
        page.type("/")
        page.type("z")
        #expect(page.state.typing?.field.text == "z" && page.screen.contains { $0.contains("fit mode") })
        #expect(page.screen.contains { $0.contains("Filter") })
    }
}
