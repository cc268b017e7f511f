import Model
import Testing

@testable import UI

/// The signs at the right: which there are, how they look, and that a click hits what is drawn.
struct RailTests {
    private static let sizes = [(80, 24), (200, 60), (40, 12)]

    private func page(_ item: Item, _ size: (Int, Int) = (80, 24), color: ColorMode = .truecolor) -> Page {
        var options = Options()
        options.color = color
        return page(item, size, options)
    }

    private func page(_ item: Item, _ size: (Int, Int), _ options: Options) -> Page {
        let page = Page([item], columns: size.0, rows: size.1, options: options)
        page.play()
        page.wait(.seconds(2))
        return page
    }

    private func buttons(_ page: Page) -> [PageLayout.Button] {
        PageLayout(page.state, index: 0).buttons.map(\.button)
    }

    /// The text in the rail's columns, row by row, without empty rows.
    private func rail(_ page: Page) -> [String] {
        let layout = PageLayout(page.state, index: 0)
        let overlay = draw(page.state, now: page.now).overlay
        return (layout.rail.row..<layout.floor).map { row in
            (layout.rail.column..<(layout.rail.column + layout.rail.columns)).map { column in
                let glyph = overlay[column, row].glyph
                return glyph == .none ? " " : GlyphTable.text(of: glyph)
            }.joined().trimmingRight
        }.filter { !$0.isEmpty }
    }

    @Test(arguments: sizes) func aLocalFileHasOnlyWhatWorksForIt(size: (Int, Int)) {
        let page = page(Item(id: "a", url: "file:///a.mp4"), size)
        #expect(buttons(page) == [.like, .save])
        #expect(rail(page) == ["♥ l like", "★ s save"])
    }

    /// A feed without counts shows no numbers, and neither does a count of 0.
    @Test(arguments: sizes) func zerosAreNotShown(size: (Int, Int)) {
        let stats = Item.Stats(likes: 0, dislikes: 0, comments: 0, saves: 0, shares: 0)
        let page = page(Item(id: "a", url: "https://example.org/a.mp4", stats: stats), size)
        #expect(rail(page) == ["♥ l like", "✘ d dislike", "❝ c comment", "★ s save", "➦ y share"])
        page.type("l")
        page.wait(.seconds(2))
        #expect(rail(page).prefix(3) == ["♥ 1", "l liked", "✘ d dislike"])
    }

    @Test func theItemsFieldsDecideWhatIsShown() {
        let address = "https://example.org/a.mp4"
        #expect(buttons(page(Item(id: "a", url: address))) == [.like, .save, .share])
        #expect(buttons(page(Item(id: "a", url: "file:///a", link: address))) == [.like, .save, .share])
        #expect(
            buttons(page(Item(id: "a", url: address, stats: .init(likes: 4)))) == [.like, .save, .share])
        #expect(
            buttons(page(Item(id: "a", url: address, stats: .init(dislikes: 0))))
                == [.like, .dislike, .save, .share])
        #expect(
            buttons(page(Item(id: "a", url: address, stats: .init(comments: 0))))
                == [.like, .comments, .save, .share])
    }

    /// The key works without its button too; then there must be something to see.
    @Test func aDislikeBringsItsButton() {
        let page = page(Item(id: "a", url: "file:///a.mp4"))
        page.type("d")
        #expect(buttons(page) == [.like, .dislike, .save])
        page.type("d")
        #expect(buttons(page) == [.like, .save])
    }

    @Test(arguments: sizes) func anErrorPageHasNoRail(size: (Int, Int)) {
        let page = Page(columns: size.0, rows: size.1)
        page.send(.player("v1", .failed("no media that can be read")))
        let layout = PageLayout(page.state, index: 0)
        #expect(layout.buttons.isEmpty && layout.trust == nil && layout.rail.rows == 0)
        #expect(!page.screen.contains { $0.contains("♥") || $0.contains("82") })
    }

    /// Where rows are scarce, words stay and counts go.
    @Test func eachSignSaysWhatItIs() {
        let all = [
            "♥ 1.2K", "l like", "✘ 3", "d dislike", "❝ 45", "c comment", "★ 9", "s save", "➦ 2", "y share",
            "⢠⡴⠖⠲⢦⡄", "⡟ 82 ⢻", "Verified", "source",
        ]
        #expect(rail(page(Page.feed[0], (200, 60))) == all)
        let few = [
            "♥ l like", "✘ d dislike", "❝ c comment", "★ s save", "➦ y share", "Verified", "source 82", "━━━━━━━━━──",
        ]
        #expect(rail(page(Page.feed[0], (40, 12))) == few)
        // Below a wide picture there are seven rows.
        let low = page(Page.feed[0], (80, 35))
        low.send(.player("v1", .picture(PixelSize(width: 80, height: 34))))
        #expect(rail(low) == all)
    }

    /// The terminal's size decides, not the shape of the picture.
    @Test(arguments: sizes + [(60, 50), (80, 35), (100, 45), (120, 40)])
    func countsAndScoreAreTheSameForAllPictures(size: (Int, Int)) {
        let page = page(Page.feed[0], size)
        let before = rail(page)
        for height in stride(from: 2, through: 2 * size.1, by: 2) {
            page.send(.player("v1", .picture(PixelSize(width: size.0, height: height))))
            #expect(rail(page) == before, "\(size), \(height)")
        }
        page.send(.player("v1", .picture(PixelSize(width: size.1 * 9 / 8, height: 2 * size.1))))
        #expect(rail(page) == before, "\(size)")
    }

    /// With less between them, the caption and the rail read as one line.
    @Test(arguments: sizes + [(45, 14), (60, 20), (100, 30)]) func twoColumnsStandBeforeIt(columns: Int, rows: Int) {
        var item = Page.feed[0]
        item.text = String(repeating: "word ", count: 100)
        item.creator?.name = String(repeating: "name ", count: 30)
        let page = page(item, (columns, rows))
        let layout = PageLayout(page.state, index: 0)
        let overlay = draw(page.state, now: page.now).overlay
        for row in layout.text.row..<layout.floor {
            for column in (layout.rail.column - 2)..<layout.rail.column {
                #expect(overlay[column, row].glyph == .none || overlay[column, row].glyph == .space)
            }
        }
    }

    /// The feed's words are complete on every page, and "trust" never stands for them.
    @Test(
        arguments: sizes, ["Verified source", "Known creator", "Synthetic, and says so", "Unreviewed", "Institution"])
    func trustScoreShowsTheFeedsLabel(size: (Int, Int), label: String) {
        var item = Page.feed[0]
        item.trust?.label = label
        for color in [ColorMode.truecolor, .palette16, .mono] {
            let page = page(item, size, color: color)
            for picture in [PixelSize(width: size.0, height: size.1 * 2), .init(width: size.1, height: size.1 * 2)] {
                page.send(.player("v1", .picture(picture)))
                #expect(rail(page).joined(separator: " ").contains(label), "\(size) \(color)")
                #expect(!page.screen.contains { $0.contains("trust") })
                let layout = PageLayout(page.state, index: 0)
                #expect(layout.trust?.row ?? 0 > layout.buttons.last?.frame.row ?? 99)
            }
        }
    }

    @Test func longTrustLabelIsTruncatedButNotTheScore() {
        var item = Page.feed[0]
        item.trust?.label = "Seen by three people who were there"
        #expect(rail(page(item)).suffix(3) == ["Seen by", "three people", "who were th…"])
        #expect(rail(page(item, (40, 12))).contains { $0.hasSuffix("… 82") })
    }

    /// In ASCII the key's letter is the icon: it is not shown twice, but a different key is.
    @Test func inASCIITheIconIsTheKey() {
        var options = Options()
        options.pictureMode = .ascii
        #expect(
            rail(page(Page.feed[0], (40, 12), options)).prefix(5) == [
                "l like", "d dislike", "c comment", "s save", "y share",
            ])
        options.keys = KeyMap(changing: [.like: [.character("w")]])
        #expect(rail(page(Page.feed[0], (40, 12), options)).first == "l w like")
    }

    /// A letter beside a count would read as one value with it.
    @Test func inASCIITheCountStandsAlone() {
        var options = Options()
        options.pictureMode = .ascii
        let page = page(Page.feed[0], (200, 60), options)
        let all = [
            "1.2K", "l like", "3", "d dislike", "45", "c comment", "9", "s save", "2", "y share", "Verified",
            "source 82",
        ]
        #expect(rail(page) == all)
        page.type("d")
        page.wait(.seconds(2))
        #expect(rail(page).contains("D dislike"))
    }

    @Test func inASCIIEachSignHasOneMeaning() {
        var options = Options()
        options.pictureMode = .ascii
        let (symbols, look) = (Symbols(options), ScrubberLook(options, Theme(options), isActive: true))
        let parts = [ScrubberLine.Part.rest, .buffered, .played, .handle].map { look.glyph(of: $0, isChapter: false) }
        let ellipsis = OverlayDrawing(size: GridSize(columns: 1, rows: 1), options: options).ellipsis
        let signs = parts + [symbols.note, symbols.dot, ellipsis] + GlyphLine(symbols.menu).glyphs
        #expect(Set(signs).count == signs.count)
    }

    /// The key stands before its word: bold, and in the colour of text.
    @Test func theKeyIsSeen() throws {
        let page = page(Page.feed[0])
        let layout = PageLayout(page.state, index: 0)
        let overlay = draw(page.state, now: page.now).overlay
        let dislike = try #require(layout.buttons.first { $0.button == .dislike }).frame
        let letters = (0..<9).map { overlay[dislike.column + $0, dislike.row + 1] }
        #expect(letters[0].foreground == page.state.theme.text && letters[0].style.contains(.bold))
        #expect(letters.dropFirst().allSatisfy { $0.foreground == page.state.theme.dim && !$0.style.contains(.bold) })
    }

    /// Where a key is named on a page, it stands before what it does.
    @Test func allHintsHaveOneForm() {
        let page = Page(columns: 120, rows: 40)
        page.play()
        page.send(.service(takesComments: true))
        page.type("~")
        let screen = page.screen.joined()
        for hint in ["l like", "d dislike", "c comment", "s save", "y share", "e more", ": Comment", "? keys"] {
            #expect(screen.contains(" \(hint) "), "\(hint)")
        }
    }

    @Test(arguments: [ColorMode.truecolor, .mono]) func activeButtonDiffersInMoreThanColour(color: ColorMode) {
        let page = page(Page.feed[0], (40, 12), color: color)
        func like() -> [Cell] {
            let (frame, overlay) = (
                PageLayout(page.state, index: 0).buttons[0].frame, draw(page.state, now: page.now).overlay
            )
            return (0..<frame.columns).map { overlay[frame.column + $0, frame.row] }
        }
        let off = like()
        #expect(off[0].glyph == Glyph(color == .mono ? "♡" : "♥"))
        page.type("l")
        page.wait(.seconds(2))
        let on = like()
        #expect(on[0].glyph == Glyph("♥"))
        #expect(on.map(\.style) != off.map(\.style))
        #expect(on[0].foreground == page.state.theme.like)
    }

    @Test func aLikeSaysSo() {
        let page = page(Item(id: "a", url: "file:///a.mp4"))
        page.type("l")
        page.type("s")
        page.wait(.seconds(3))
        #expect(rail(page) == ["♥ l liked", "★ s saved"])
    }

    /// In the rail, in the menu and among the keys.
    @Test func sharingHasOneName() {
        let page = page(Item(id: "a", url: "https://example.org/a.mp4"))
        #expect(rail(page).contains("➦ y share"))
        #expect(page.state.menu.contains(MenuEntry(action: .copyLink, text: "Share: copy the link")))
        #expect(page.state.keyEntries.contains(.pair("y", "share: copy the link")))
    }

    /// The arc, and the bar, are as long as the score, and lead from red to its colour; what is missing is dim.
    @Test(arguments: sizes, [0, 5, 31, 50, 82, 97, 100])
    func theGaugeIsAsLongAsTheScore(size: (Int, Int), score: Int) throws {
        var item = Page.feed[0]
        item.trust?.score = score
        let page = page(item, size)
        let (theme, frame) = (page.state.theme, try #require(PageLayout(page.state, index: 0).trust))
        let overlay = draw(page.state, now: page.now).overlay
        let signs = (frame.row..<(frame.row + frame.rows)).flatMap { row in
            (frame.column..<(frame.column + frame.columns)).map { overlay[$0, row] }
        }.filter { "━─".unicodeScalars.map(Glyph.init).contains($0.glyph) || 0x2800..<0x2900 ~= $0.glyph.code }
        let filled = signs.filter { $0.foreground != theme.buffered }
        #expect(abs(Double(filled.count) / Double(signs.count) - Double(score) / 100) <= 0.2)
        // The gradient ends near the score's own colour, and begins at red.
        let reds = filled.map { Int($0.foreground.red) - Int($0.foreground.green) }
        if score >= 82 { #expect(reds.max() ?? 0 > 100 && reds.min() ?? 0 < -30) }
        if score == 31 { #expect(reds.allSatisfy { $0 > 0 }) }
    }

    /// Over a picture of pixels the arc is a shape, and only the score is text there.
    @Test func arcIsAShapeWhereThereArePixels() throws {
        var options = Options()
        options.pictureMode = .kitty
        let page = Page([Page.feed[0]], columns: 120, rows: 40, options: options)
        page.play()
        let scene = draw(page.state, now: page.now)
        let (arc, trust) = (try #require(scene.arcs.first), try #require(PageLayout(page.state, index: 0).trust))
        #expect(scene.arcs.count == 1 && arc.share == 0.82 && arc.missing == page.state.theme.buffered)
        #expect(arc.frame == GridRect(column: trust.column, row: trust.row, columns: 6, rows: 2))
        #expect(!scene.overlay.cells.contains { 0x2800..<0x2900 ~= $0.glyph.code })
        // Blanks of the arc's colours darken the picture below it.
        #expect(scene.overlay[trust.column, trust.row].style.contains(.readable))
        #expect(page.screen[trust.row + 1].contains("82"))
        // What lights up does not cover it.
        let frames = page.state.cells(of: .button(.trust), now: page.now)
        #expect(frames.map(\.row) == [trust.row + 2] && frames.map(\.rows) == [trust.rows - 2])
        // Text has a ground of one colour here, which would cover it.
        options.fit = .fill
        let filled = Page([Page.feed[0]], columns: 120, rows: 40, options: options)
        filled.play()
        #expect(draw(filled.state, now: filled.now).arcs.isEmpty)
    }

    /// From red through amber to green; with 16 colours in three steps, none of which is taken for a grey.
    @Test func trustColourReflectsTheScore() {
        for color in [ColorMode.truecolor, .palette16] {
            let (bad, fair, good) = (
                Theme.trust(0.05, color: color), Theme.trust(0.5, color: color), Theme.trust(0.97, color: color)
            )
            #expect(Int(bad.red) > 2 * Int(max(bad.green, bad.blue)))
            #expect(Int(min(fair.red, fair.green)) > 2 * Int(fair.blue))
            #expect(Int(good.green) > 2 * Int(good.red) && good.green > good.blue)
            var options = Options()
            options.color = color
            let like = Theme(options).like
            #expect(Int(like.red) > 2 * Int(max(like.green, like.blue)))
            if color == .palette16 { #expect(like == RGB(packed: 0xFF0000)) }
        }
        // Every terminal's sixteen colours have these.
        let few = [0.2, 0.5, 0.8].map { Theme.trust($0, color: .palette16).packed }
        #expect(few == [0xFF0000, 0xFFFF00, 0x00FF00])
    }

    @Test(arguments: sizes, [ColorMode.truecolor, .mono])
    func aClickHitsWhatIsDrawn(size: (Int, Int), color: ColorMode) {
        for item in [Page.feed[0], Page.feed[1], Page.feed[3]] {
            let page = page(item, size, color: color)
            let layout = PageLayout(page.state, index: 0)
            let overlay = draw(page.state, now: page.now).overlay
            var targets: [PageLayout.Button] = []
            for row in layout.rail.row..<layout.floor {
                for column in layout.rail.column..<(layout.rail.column + layout.rail.columns)
                where overlay[column, row].glyph != .none && overlay[column, row].glyph != .space {
                    let target = layout.button(at: GridPoint(column: column, row: row))
                    #expect(target != nil, "\(size): nothing at \(column), \(row)")
                    if let target, targets.last != target { targets.append(target) }
                }
            }
            #expect(targets == layout.buttons.map(\.button) + (layout.trust == nil ? [] : [.trust]))
            let signs: [PageLayout.Button: [Unicode.Scalar]] = [
                .like: ["♥", "♡"], .dislike: ["✘", "✗"], .comments: ["❝"], .save: ["★", "☆"], .share: ["➦"],
            ]
            for (button, frame) in layout.buttons {
                let sign = overlay[frame.column, frame.row].glyph
                #expect(signs[button]?.contains { Glyph($0) == sign } == true)
            }
        }
    }
}
