import Model
import TerminalInput
import Testing

@testable import UI

/// What stands on the page behind a sheet is whole or hidden.
struct SheetCoverTests {
    private static let sizes = [(40, 12), (60, 20), (80, 24), (100, 30), (120, 40), (200, 60)]

    private func opened(_ keys: String, _ size: (Int, Int), _ item: Item = Page.feed[0]) -> Page {
        let page = Page([item] + Page.feed.dropFirst(), columns: size.0, rows: size.1)
        page.play(duration: .seconds(60))
        page.send(.service(takesComments: true))
        for key in keys { page.type(key) }
        return page
    }

    private func isBlank(_ overlay: CellGrid, _ column: Int, _ row: Int) -> Bool {
        overlay[column, row].glyph == .none || overlay[column, row].glyph == .space
    }

    /// Row by row: an element that a sheet reaches into has no letters beside the sheet.
    @Test(arguments: sizes, ["?", "T", "I", "M", "c", "X", "p", "Q"])
    func noElementOfThePageIsCut(size: (Int, Int), key: String) throws {
        let page = opened(key, size)
        try #require(page.state.view.sheet != nil)
        let (sheet, layout) = (SheetLayout(page.state).frame, PageLayout(page.state, index: 0))
        let overlay = draw(page.state, now: page.now).overlay
        let texts = [layout.follow, layout.age, layout.chips, layout.sound, layout.message]
        let others = texts + [layout.trust, layout.avatar]
        let elements = layout.buttons.map(\.frame) + [layout.name] + others.compactMap(\.self)
        for frame in elements where sheet.overlaps(frame) {
            for row in frame.row..<(frame.row + frame.rows) {
                for column in frame.column..<(frame.column + frame.columns)
                where !sheet.contains(GridPoint(column: column, row: row)) {
                    #expect(isBlank(overlay, column, row), "\(key): \(column), \(row)")
                }
            }
        }
        let caption = layout.caption
        for row in caption.row..<(caption.row + caption.rows) {
            let line = GridRect(column: caption.column, row: row, columns: caption.columns, rows: 1)
            for column in caption.column..<(caption.column + caption.columns)
            where sheet.overlaps(line) && !sheet.contains(GridPoint(column: column, row: row)) {
                #expect(isBlank(overlay, column, row), "\(key): \(column), \(row)")
            }
        }
    }

    /// Buttons without the others, or a caption's first line without the rest, would say something else.
    @Test(arguments: sizes, ["?", "T", "I", "M", "c", "X", "p", "Q"])
    func railAndTextAreWholeOrHidden(size: (Int, Int), key: String) throws {
        let page = opened(key, size)
        let sheet = try #require(page.state.sheetFrame)
        let layout = PageLayout(page.state, index: 0)
        let behind = layout.behind(sheet)
        #expect(behind.buttons.map(\.frame) == layout.buttons.map(\.frame) || behind.buttons.isEmpty)
        #expect(behind.trust == (behind.buttons.isEmpty ? nil : layout.trust))
        #expect(behind.caption == layout.caption || behind.caption.rows == 0)
        let hasText = behind.caption.rows > 0
        #expect(behind.name.columns == (hasText ? layout.name.columns : 0))
        #expect(behind.follow == (hasText ? layout.follow : nil) && behind.chips == (hasText ? layout.chips : nil))
        #expect(behind.sound == (hasText ? layout.sound : nil) && behind.message == (hasText ? layout.message : nil))
    }

    @Test func sheetHidesAllOfTheRailAndTheText() {
        let page = opened("", (80, 24))
        #expect(page.screen.contains { $0.contains("l like") } && page.screen.contains { $0.contains("Night market") })
        page.type("Q")
        #expect(!page.screen.contains { $0.contains("l like") || $0.contains("Night market") })
    }

    @Test func theCaptionStandsOnceWhileItsSheetIsOpen() throws {
        let text = "Every word of it. See https://example.org/more"
        let item = Item(id: "v1", url: "file:///a.mp4", title: "Night market", text: text)
        let page = opened("e", (200, 60), item)
        #expect(page.state.view.sheet == .caption)
        #expect(page.screen.count { $0.contains("Every word of it.") } == 1)
    }

    /// Lines that are not part of the layout, such as those of an error page, are whole too.
    @Test(arguments: sizes) func noLineOfAnErrorPageIsCut(columns: Int, rows: Int) throws {
        let page = Page(columns: columns, rows: rows)
        page.send(.player("v1", .failed("cut off: its index is missing", advice: "fetch or record it again")))
        let floor = PageLayout(page.state, index: 0).text.row
        let places = try #require(page.state.words(of: Page.feed[0], page.state.clip, above: floor)).frames
        page.mouse(.press(.right), columns / 2, rows / 2)
        let sheet = SheetLayout(page.state).frame
        #expect(page.state.view.sheet == .menu && places.contains { sheet.overlaps($0) })
        let overlay = draw(page.state, now: page.now).overlay
        for row in sheet.row..<(sheet.row + sheet.rows) {
            let outside = (0..<columns).filter {
                !sheet.contains(GridPoint(column: $0, row: row)) && !isBlank(overlay, $0, row)
            }
            // A line stands in the middle: what is left of one that is cut would reach the menu.
            #expect(!outside.contains(sheet.column - 1) && !outside.contains(sheet.column + sheet.columns))
        }
    }

    @Test func subtitleBehindTheMenuIsHidden() {
        var item = Page.feed[0]
        item.captions = [CaptionLink(url: "file:///a.vtt", language: "en")]
        let page = opened("v", (80, 24), item)
        let text = "zebra zebra zebra zebra zebra zebra"
        page.send(.captions("v1", 0, [Cue(start: .zero, end: .seconds(50), text: text)]))
        page.wait(.seconds(3))
        #expect(page.screen.contains { $0.contains("zebra") })
        page.type("M")
        #expect(!page.screen.contains { $0.contains("zebr") })
        page.press(.escape)
        #expect(page.screen.contains { $0.contains("zebra") })
    }

    /// Neither the words of an empty page nor the titles of a grid.
    @Test(arguments: [(100, 30), (120, 40), (200, 60)]) func noLineOfOtherPagesIsCut(columns: Int, rows: Int) {
        let empty = Page([], columns: columns, rows: rows)
        #expect(empty.screen.contains { $0.contains("Nothing to play here") })
        empty.type("p")
        let page = Page(columns: columns, rows: rows)
        page.play()
        page.type("u")
        let mine = FeedPart.creator(key: "c7", id: "c7", name: "Mira Okafor")
        page.send(.part(mine, [Page.feed[0]]))
        page.type("?")
        for page in [empty, page] {
            let sheet = SheetLayout(page.state).frame
            let overlay = draw(page.state, now: page.now).overlay
            #expect(page.state.view.sheet != nil)
            for row in sheet.row..<(sheet.row + sheet.rows) {
                for column in [sheet.column - 1, sheet.column + sheet.columns] where (0..<columns) ~= column {
                    #expect(isBlank(overlay, column, row), "\(column), \(row)")
                }
            }
        }
    }

    /// What the sheet does not reach stays.
    @Test func textBesideAPanelStays() {
        let page = opened("T", (200, 60))
        let layout = PageLayout(page.state, index: 0)
        #expect(!SheetLayout(page.state).frame.overlaps(layout.caption))
        #expect(page.screen.contains { $0.contains("Night market in the rain") })
    }
}
