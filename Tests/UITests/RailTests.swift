import Model
import Testing

@testable import UI

/// The signs at the right: which there are, how they look, and that a click hits what is drawn.
struct RailTests {
    private static let sizes = [(80, 24), (200, 60), (40, 12)]

    private func page(_ item: Item, _ size: (Int, Int) = (80, 24), color: ColorMode = .truecolor) -> Page {
        var options = Options()
        options.color = color
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
        #expect(rail(page) == ["♥", "like", "★", "save"])
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
        #expect(
            rail(page(Page.feed[0], (200, 60))) == [
                "⡀⡾⠛⠛⢷⣄", "⣿ 82 ⣿", "⠙⢷⣤⣤⡾⠋", " source", "♥ 1.2K", "like", "▼ 3", "dislike", "≡ 45", "comment", "★ 9",
                "save", "➤ 2", "share y",
            ])
        let few = ["trust 82", "━━━━━━━──", "♥ like", "▼ dislike", "≡ comment", "★ save", "➤ share y"]
        #expect(rail(page(Page.feed[0], (40, 12))) == few)
        // Below a wide picture there are seven rows.
        let low = page(Page.feed[0], (80, 35))
        low.send(.player("v1", .picture(PixelSize(width: 80, height: 34))))
        #expect(rail(low) == ["ource 82"] + few[2...])
    }

    /// They may be wider than the rail, over the picture and beside it.
    @Test(arguments: sizes, [ColorMode.truecolor, .mono])
    func trustScoreShowsTheFeedsLabel(size: (Int, Int), color: ColorMode) {
        let page = page(Page.feed[0], size, color: color)
        // A low page keeps its rows for the picture.
        let over = size.0 == 40 ? "82" : "Verified source"
        #expect(page.screen.contains { $0.contains(over) }, "\(size)")
        page.play(picture: PixelSize(width: size.1 * 9 / 8, height: size.1 * 2))
        // In 40 columns a picture in the middle leaves too few for them.
        let beside = size.0 == 40 ? "82" : "Verified source"
        #expect(page.screen.contains { $0.contains(beside) }, "\(size)")
        let layout = PageLayout(page.state, index: 0)
        for frame in layout.trustFrames {
            #expect(frame.column >= layout.picture.column + layout.picture.columns, "\(size)")
        }
    }

    @Test func longTrustLabelIsTruncated() throws {
        var item = Page.feed[0]
        item.trust?.label = "Seen by three people who were there"
        let page = page(item)
        let row = try #require(page.screen.first { $0.contains("Seen by") })
        #expect(row.hasSuffix("Seen by three people wh…  "))
        #expect(page.screen.allSatisfy { !$0.contains("trust") })
    }

    /// Subtitles stand where the words would.
    @Test func trustLabelYieldsToSubtitles() {
        var item = Page.feed[0]
        item.captions = [.init(url: "file:///a.vtt", language: "en")]
        let page = page(item, (40, 12))
        #expect(rail(page).first == "trust 82")
    }

    /// In ASCII the key's letter is the icon: it is not told twice, but another key is.
    @Test func inASCIITheIconIsTheKey() {
        var options = Options()
        options.pictureMode = .ascii
        let page = Page([Page.feed[0]], columns: 40, rows: 12, options: options)
        page.play()
        page.wait(.seconds(2))
        #expect(rail(page).suffix(5) == ["l like", "d dislike", "c comment", "s save", "y share"])
        options.keys = KeyMap(changing: [.like: [.character("w")]])
        let other = Page([Page.feed[0]], columns: 40, rows: 12, options: options)
        other.play()
        other.wait(.seconds(2))
        #expect(rail(other).suffix(5).first == "l like w")
    }

    /// The letter of the key is set apart in its word: bold, and in the colour of text.
    @Test func theKeysLetterIsSeen() throws {
        let page = page(Page.feed[0])
        let layout = PageLayout(page.state, index: 0)
        let overlay = draw(page.state, now: page.now).overlay
        let dislike = try #require(layout.buttons.first { $0.button == .dislike }).frame
        let letters = (0..<7).map { overlay[dislike.column + $0, dislike.row + 1] }
        #expect(letters[0].foreground == page.state.theme.text && letters[0].style.contains(.bold))
        #expect(letters.dropFirst().allSatisfy { $0.foreground == page.state.theme.dim && !$0.style.contains(.bold) })
    }

    @Test(arguments: [ColorMode.truecolor, .mono]) func whatIsOnDiffersInMoreThanColour(color: ColorMode) {
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
        #expect(rail(page) == ["♥", "liked", "★", "saved"])
    }

    /// The whole arc, and the whole bar, in the colour of the score.
    @Test(arguments: sizes, [0, 5, 31, 50, 82, 97, 100]) func theArcHasOneColour(size: (Int, Int), score: Int) throws {
        var item = Page.feed[0]
        item.trust?.score = score
        let page = page(item, size)
        let (theme, frame) = (page.state.theme, try #require(PageLayout(page.state, index: 0).trust))
        let overlay = draw(page.state, now: page.now).overlay
        var colors: [RGB: Int] = [:]
        for row in frame.row..<(frame.row + frame.rows) {
            for column in frame.column..<(frame.column + frame.columns) {
                let cell = overlay[column, row]
                let isSign = cell.glyph == Glyph("━") || 0x2800..<0x2900 ~= cell.glyph.code
                if isSign, cell.foreground != theme.dim { colors[cell.foreground, default: 0] += 1 }
            }
        }
        let share = Double(score) / 100
        #expect(Set(colors.keys).isSubset(of: [Theme.trust(share, color: .truecolor)]))
        if score >= 31 { #expect(colors.values.reduce(0, +) >= 1) }
    }

    /// From red through amber to green; with 16 colours in three steps, none of which is taken for a grey.
    @Test func theScoresColourTellsHowGoodItIs() {
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
            #expect(targets == (layout.trust == nil ? [] : [.trust]) + layout.buttons.map(\.button))
            let signs: [PageLayout.Button: [Unicode.Scalar]] = [
                .like: ["♥", "♡"], .dislike: ["▼", "▽"], .comments: ["≡"], .save: ["★", "☆"], .share: ["➤"],
            ]
            for (button, frame) in layout.buttons {
                let sign = overlay[frame.column, frame.row].glyph
                #expect(signs[button]?.contains { Glyph($0) == sign } == true)
            }
        }
    }
}
