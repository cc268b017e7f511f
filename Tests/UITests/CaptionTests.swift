import Model
import TerminalInput
import Testing

@testable import UI

/// The whole caption: on the page where it fits, else in a sheet.
struct CaptionTests {
    static let sizes = [(40, 12), (80, 24), (120, 40), (200, 60)]

    private static let words = (0..<3_000).map { "w\($0)" }

    private func page(_ text: String, _ columns: Int = 80, _ rows: Int = 24) -> Page {
        var item = Page.feed[0]
        item.text = text
        let page = Page([item], columns: columns, rows: rows)
        page.play()
        return page
    }

    @Test(arguments: sizes) func showNotesOfThousandsOfWordsAreReadToTheirEnd(columns: Int, rows: Int) {
        let page = page(Self.words.joined(separator: " "), columns, rows)
        #expect(page.screen.contains { $0.contains("more") })
        page.type("e")
        #expect(page.state.view.sheet == .caption && !page.state.view.isExpanded)
        var seen = Set<Substring>()
        for _ in 0..<1_000 {
            seen.formUnion(page.screen.flatMap { $0.split(whereSeparator: { $0 == " " || $0 == "│" || $0 == "┃" }) })
            let before = page.state.view.line
            page.press(.pageDown)
            if page.state.view.line == before { break }
        }
        #expect(Self.words.allSatisfy { seen.contains(Substring($0)) })
        for _ in 0..<5_000 { page.press(.up) }
        #expect(page.state.view.line == 0 && page.state.current == 0)
        page.mouse(.wheelDown, columns / 2, rows / 2)
        #expect(page.state.view.line == 1 && page.state.current == 0)
        page.type("e")
        #expect(page.state.view.sheet == nil)
    }

    /// What fits on the page is read there, and nothing says that there is more.
    @Test(arguments: [(80, 24), (120, 40), (200, 60)]) func aCaptionThatFitsIsExpandedOnThePage(columns: Int, rows: Int)
    {
        let page = page(Self.words.prefix(90).joined(separator: " "), columns, rows)
        let before = page.screen
        #expect(before.contains { $0.contains("more") })
        page.type("e")
        #expect(page.state.view.isExpanded && page.state.view.sheet == nil)
        #expect(page.screen.contains { $0.contains("w89") } && !page.screen.contains { $0.contains("more") })
        page.type("e")
        #expect(!page.state.view.isExpanded && page.screen == before)
        page.type("e")
        page.press(.escape)
        #expect(!page.state.view.isExpanded && page.screen == before)
    }

    /// A large terminal has room for what a small one cuts: for more lines over the picture, and for more and wider
    /// ones beside it.
    @Test func captionUsesTheRoomThereIsBeforeItIsCut() {
        let text = Self.words.prefix(40).joined(separator: " ")
        #expect(page(text).screen.contains { $0.contains("more") })
        let large = page(text, 200, 60)
        #expect(large.screen.contains { $0.contains("w39") } && !large.screen.contains { $0.contains("more") })
        let (long, upright) = (Self.words.prefix(150).joined(separator: " "), PixelSize(width: 50, height: 120))
        let beside = page(long, 200, 60)
        beside.play(picture: upright)
        let layout = PageLayout(beside.state, index: 0)
        #expect(layout.isTextBeside && layout.caption.columns > PageLayout.usualCaptionBeside)
        #expect(beside.screen.contains { $0.contains("w149") } && !beside.screen.contains { $0.contains("more") })
        // A short one stays close to the picture.
        let short = page("Tides", 200, 60)
        short.play(picture: upright)
        #expect(PageLayout(short.state, index: 0).caption.columns == PageLayout.usualCaptionBeside)
    }

    /// One block for the caption, one for the rail, and the whole top row: nothing of a picture is seen beside words,
    /// since its letters could be read as theirs.
    @Test(
        arguments: sizes,
        [(PictureMode.ascii, ColorMode.mono, false), (.ascii, .truecolor, false), (.half, .truecolor, true)])
    func captionAndRailStandOnSolidBlocks(size: (Int, Int), look: (PictureMode, ColorMode, Bool)) {
        var options = Options()
        (options.pictureMode, options.color, options.fit) = (look.0, look.1, look.2 ? .fill : .auto)
        let page = Page(columns: size.0, rows: size.1, options: options)
        page.play()
        let (layout, overlay) = (PageLayout(page.state, index: 0), draw(page.state, now: page.now).overlay)
        func isSolid(_ column: Int, _ row: Int) -> Bool { overlay[column, row].style.contains(.opaque) }
        for frame in [layout.text, layout.rail] {
            for row in frame.row..<(frame.row + frame.rows) {
                for column in (frame.column - 1)..<(frame.column + frame.columns + 1) {
                    #expect(isSolid(column, row), "\(column), \(row)")
                }
            }
        }
        #expect((0..<size.0).allSatisfy { isSolid($0, 0) })
        // The picture is seen above both.
        #expect((0..<size.0).allSatisfy { !isSolid($0, min(layout.text.row, layout.rail.row) - 1) } || size.1 == 12)
    }

    /// What a sheet hides leaves no empty block beside it.
    @Test func aHiddenRailHasNoBlock() {
        var options = Options()
        options.fit = .fill
        let page = Page(columns: 200, rows: 60, options: options)
        page.play()
        let layout = PageLayout(page.state, index: 0)
        let hidden = layout.clear(of: layout.rail)
        #expect(layout.railBlock.row == layout.rail.row && hidden.railBlock.rows == 0)
        #expect(hidden.textBlock == layout.textBlock && layout.textBlock.row == layout.text.row)
        // No single row of picture is left above the bar.
        for block in [layout.textBlock, layout.railBlock] { #expect(block.row + block.rows == layout.bar.row) }
    }

    /// A terminal that shrinks may have no room for it any more: `e` opens the sheet then.
    @Test func anExpandedCaptionThatFitsNoLongerIsReadInTheSheet() {
        let page = page(Self.words.prefix(60).joined(separator: " "), 120, 40)
        page.type("e")
        page.send(.resized(GridSize(columns: 40, rows: 12)))
        #expect(page.screen.contains { $0.contains("more") } && page.state.view.sheet == nil)
        page.type("e")
        #expect(page.state.view.sheet == .caption)
    }

    @Test(arguments: sizes) func aClickOnMoreOpensTheSheet(columns: Int, rows: Int) throws {
        let page = page(Self.words.joined(separator: " "), columns, rows)
        let row = try #require(page.screen.firstIndex { $0.contains("more") })
        let caption = PageLayout(page.state, index: 0).caption
        page.mouse(.press(.left), caption.column + caption.columns - 2, row)
        page.mouse(.release(.left), caption.column + caption.columns - 2, row)
        #expect(page.state.view.sheet == .caption)
    }

    @Test func aWarningStandsInPlaceOfTheTextInTheSheetToo() {
        var (item, options) = (Page.feed[0], Options())
        (item.isSensitive, item.warning, item.text) = (true, "Blood", Self.words.joined(separator: " "))
        options.coversSensitive = true
        let page = Page([item], options: options)
        page.type("e")
        #expect(!page.screen.contains { $0.contains("w1 ") })
    }

    /// As in the row of topics: one that the feed does not list is text.
    @Test func topicsInADescriptionHaveTheColourOfTopics() throws {
        let page = page("With #Rain, and #fog. a#food")
        let (caption, overlay) = (PageLayout(page.state, index: 0).caption, draw(page.state, now: page.now).overlay)
        let screen = page.screen
        let row = try #require((caption.row..<caption.row + caption.rows).first { screen[$0].contains("#Rain") })
        let lit = (caption.column..<caption.column + caption.columns).filter {
            overlay[$0, row].foreground == page.state.theme.accent && overlay[$0, row].glyph != .none
        }
        let first = caption.column + 5
        #expect(lit == Array(first..<first + 5))
    }

    // MARK: Links

    private static let notes =
        "Sponsor: https://example.org/offer?id=7. More (see http://example.com/a_(b)) and www.example.net, "
        + Self.words.joined(separator: " ") + "\nhttps://example.org/" + String(repeating: "long/", count: 30) + "end"

    @Test(arguments: sizes) func linksAreChosenWithTabAndOpenedWithEnter(columns: Int, rows: Int) {
        let page = page(Self.notes, columns, rows)
        page.type("e")
        page.press(.tab)
        #expect(page.press(.enter) == [.openElsewhere("https://example.org/offer?id=7")])
        page.press(.tab)
        #expect(page.press(.enter) == [.openElsewhere("http://example.com/a_(b)")])
        page.press(.tab)
        #expect(page.press(.enter) == [.openElsewhere("https://www.example.net")])
        // The last one is far below, and comes into view.
        page.press(.tab)
        #expect(page.state.view.line > 0)
        let last = "https://example.org/" + String(repeating: "long/", count: 30) + "end"
        #expect(page.press(.enter) == [.openElsewhere(last)])
        page.press(Key(.tab, .shift))
        #expect(page.state.view.line < 8 && page.press(.enter) == [.openElsewhere("https://www.example.net")])
        #expect(page.state.view.sheet == .caption)
    }

    /// Also where the caption fits on the page: Tab would leave the feed there.
    @Test(arguments: [(80, 24), (120, 40), (200, 60)]) func aShortCaptionWithALinkOpensItsSheet(columns: Int, rows: Int)
    {
        let page = page("Fares: https://example.org/ferry", columns, rows)
        #expect(!page.screen.contains { $0.contains("more") })
        page.type("e")
        #expect(page.state.view.sheet == .caption && !page.state.view.isExpanded)
        page.press(.tab)
        #expect(page.press(.enter) == [.openElsewhere("https://example.org/ferry")])
        page.type("e")
        let caption = PageLayout(page.state, index: 0).caption
        page.mouse(.press(.left), caption.column, caption.row)
        page.mouse(.release(.left), caption.column, caption.row)
        #expect(page.state.view.sheet == .caption)
    }

    /// The address of a clip without a title leads to the clip itself.
    @Test func anAddressAsTheTitleOpensNoSheet() {
        let page = Page([Item(id: "a", url: "https://example.org/a.mp4", creator: .init(name: "Wen"))])
        page.play()
        page.type("e")
        #expect(page.state.view.sheet == nil && page.state.content?.hasLinks == false)
    }

    @Test func openIsOfferedForAChosenLinkOnly() {
        let page = page(Self.notes)
        page.type("e")
        #expect(SheetLayout(page.state).footer.text == "Tab link   Esc close")
        page.press(.tab)
        #expect(SheetLayout(page.state).footer.text == "Tab link   Enter open   Esc close")
    }

    /// What opens the chosen link is named rather than what goes to another one.
    @Test func openIsNamedWhereOneHintHasRoom() {
        let page = page(Self.notes, 40, 12)
        page.type("e")
        #expect(SheetLayout(page.state).footer.text == "Tab link   Esc close")
        page.press(.tab)
        #expect(SheetLayout(page.state).footer.text == "Enter open   Esc close")
    }

    /// Enter opens nothing that is out of view: it closes the sheet, as any other.
    @Test func aLinkThatWasScrolledAwayIsNotOpened() {
        let page = page(Self.notes)
        page.type("e")
        page.press(.tab)
        for _ in 0..<3 { page.press(.pageDown) }
        #expect(page.press(.enter) == [] && page.state.view.sheet == nil)
    }

    @Test(arguments: sizes) func aClickOpensALink(columns: Int, rows: Int) throws {
        let page = page(Self.notes, columns, rows)
        page.type("e")
        let layout = SheetLayout(page.state)
        let row = try #require(layout.rows.firstIndex { $0.spans.contains { $0.link == 0 } })
        let span = try #require(layout.rows[row].spans.first { $0.link == 0 })
        let (column, line) = (layout.body.column + span.column, layout.body.row + row)
        page.mouse(.press(.left), column, line)
        #expect(
            page.mouse(.release(.left), column, line) == [.openElsewhere("https://example.org/offer?id=7")])
        page.mouse(.press(.left), column - 1, line)
        #expect(page.mouse(.release(.left), column - 1, line) == [])
    }

    @Test(arguments: [
        ("https://a.example", ["https://a.example"]), ("see https://a.example/b.", ["https://a.example/b"]),
        ("(https://a.example/b)", ["https://a.example/b"]), ("<https://a.example/b>", ["https://a.example/b"]),
        ("HTTPS://A.example/B", ["HTTPS://A.example/B"]), ("www.a.example!", ["https://www.a.example"]),
        ("xhttps://a.example", []), ("https:// nothing", []), ("www. nothing", []), ("file:///etc/passwd", []),
        ("javascript:alert(1)", []),
        ("https://a.example\nhttps://b.example", ["https://a.example", "https://b.example"]),
        ("https://a.example/日本", ["https://a.example/日本"]), ("", []),
    ])
    func addressesAreFound(_ text: String, _ expected: [String]) {
        #expect(LinkFinder.links(in: GlyphLine(text)).map(\.address) == expected)
    }

    /// Any text is looked through in a moment.
    @Test(arguments: ["http://", "https://a", "https://a.example/" + String(repeating: ")", count: 100)])
    func hostileTextTakesNoTime(_ part: String) {
        let text = GlyphLine(String(repeating: part, count: 20_000 / part.count))
        let took = ContinuousClock().measure { _ = LinkFinder.links(in: text) }
        #expect(took < .seconds(5))
    }
}
