import Model
import TerminalInput
import TestSupport
import Testing

@testable import UI

/// A click acts on what is drawn where the pointer is, never on a neighbor whose margin reaches there.
struct ClickTargetTests {
    static let sizes = [(80, 24), (200, 60), (40, 12), (60, 50), (120, 40), (50, 16)]

    /// Kinds of pages, named after what covers them.
    enum Kind: CaseIterable {
        case playing, upright, wide, expanded, service, subtitles, toast, keyHint, loading, waiting, failed, hidden
    }

    private static let items: [Item] =
        [Page.feed[0], Page.feed[3]] + [
            // The name is directly above the follow button; nothing else is below it.
            Item(id: "bare", url: "file:///a.mp4", title: "Bare", creator: .init(name: "Bare")),
            Item(
                id: "tags", url: "https://example.org/a.mp4", title: "Tags", text: "All of a page, and an avatar",
                published: Page.midnight.addingTimeInterval(-86_400 * 200),
                creator: .init(name: "Wen & the Wok", avatar: "https://example.org/wen.jpg"),
                tags: ["street", "food", "market", "lantern", "night"], sound: .init(title: "Paper lanterns"),
                trust: .init(score: 82, label: "Verified source"),
                stats: .init(likes: 9, dislikes: 8, comments: 7, saves: 6)),
        ]

    private func page(_ item: Item, _ kind: Kind, _ size: (Int, Int)) -> Page {
        var (item, options) = (item, Options())
        if kind == .hidden { (item.isSensitive, item.warning) = (true, "Blood, and more of it than anyone wants") }
        if kind == .subtitles { item.captions = [.init(url: "file:///a.vtt", language: "en")] }
        options.coversSensitive = true
        let page = Page([item], columns: size.0, rows: size.1, options: options)
        if let avatar = item.creator?.avatar { page.send(.avatars([avatar])) }
        let upright = PixelSize(width: size.1 * 9 / 8, height: size.1 * 2)
        switch kind {
        case .loading: page.wait(.seconds(1))
        case .waiting:
            let wait = ClipWait(place: "media.example.org", isRemote: true, trouble: "the server answers with an error")
            page.send(.player(item.id, .waits(wait)))
            page.wait(.seconds(1))
        case .failed: page.send(.player(item.id, .failed("the file ends in the middle of a picture")))
        case .hidden: break
        case .upright: page.play(picture: upright)
        case .wide: page.play(picture: PixelSize(width: size.0, height: max(size.0 / 3, 2)))
        default: page.play()
        }
        page.wait(.seconds(10))
        switch kind {
        case .expanded: page.type("e")
        case .service: page.send(.service(takesComments: true))
        case .subtitles:
            page.play(position: .seconds(1), picture: upright)
            page.type("v")
            let words = String(repeating: "What is said now, at length. ", count: 9)
            page.send(.captions(item.id, 0, [Cue(start: .zero, end: .seconds(19), text: words)]))
            page.state.toasts = Toasts()
        case .toast:
            page.send(.notice(String(repeating: "A notice of several lines. ", count: 9)))
            page.wait(.seconds(1))
        case .keyHint: page.type("~")
        default: break
        }
        return page
    }

    /// The cells where something can be read, the avatar's among them.
    private func visible(_ page: Page) -> [GridPoint] {
        let scene = draw(page.state, now: page.now)
        return (0..<scene.overlay.size.rows).flatMap { row in
            (0..<scene.overlay.size.columns).map { GridPoint(column: $0, row: row) }
        }.filter { point in
            let glyph = scene.overlay[point.column, point.row].glyph
            return (glyph != .none && glyph != .space) || scene.tiles.contains { $0.frame.contains(point) }
        }
    }

    /// What a click does, and the cells of what it should be on; nil if it acts on the page as a whole.
    private func hit(_ page: Page, _ point: GridPoint) -> (what: String, cells: [GridRect])? {
        var state = page.state
        let layout = PageLayout(state, index: 0)
        let effects =
            update(&state, .mouse(Mouse(.press(.left), at: point)), now: page.now)
            + update(&state, .mouse(Mouse(.release(.left), at: point)), now: page.now)
        func cells(_ button: PageLayout.Button) -> [GridRect] {
            layout.buttons.filter { $0.button == button }.map(\.frame)
        }
        for effect in effects {
            switch effect {
            case .follow: return ("follow", [layout.follow].compactMap(\.self))
            case .react(_, let reaction):
                let button: PageLayout.Button = reaction.isLiked ? .like : reaction.isDisliked ? .dislike : .save
                return ("\(button)", cells(button))
            case .copy, .share: return ("share", cells(.share))
            case .preview, .seek: return ("scrubber", [layout.scrubberHit])
            case .openPart(.topic):
                return ("topic", layout.chipRow(page.state.content?.tags ?? [])?.chips.map(\.frame) ?? [])
            case .openPart: return ("creator", [layout.name, layout.avatar].compactMap(\.self))
            default: break
            }
        }
        if state.typing != nil { return ("message", [layout.message].compactMap(\.self)) }
        switch state.view.sheet {
        case .trust: return ("trust", [layout.trust].compactMap(\.self))
        case .menu: return ("menu", [state.menuFrame])
        case .help: return ("help", [page.state.keyHintFrame].compactMap(\.self))
        case .comments: return ("comments", cells(.comments))
        default: break
        }
        if state.view.isExpanded != page.state.view.isExpanded { return ("caption", [layout.caption]) }
        if state.seeking.scrub != nil { return ("scrubber", [layout.scrubberHit]) }
        // The feed has no comments to show, which a toast says.
        if state.toasts.current?.text != page.state.toasts.current?.text { return ("comments", cells(.comments)) }
        guard state.view.firstChip != page.state.view.firstChip else { return nil }
        let row = layout.chipRow(page.state.content?.tags ?? [])
        return ("more topics", [row?.before, row?.behind].compactMap(\.self))
    }

    @Test(arguments: Kind.allCases, sizes) func hitAreasDoNotOverlapOtherElements(kind: Kind, size: (Int, Int)) {
        for item in Self.items {
            let page = page(item, kind, size)
            for point in visible(page) {
                guard let hit = hit(page, point), !hit.cells.contains(where: { $0.contains(point) }) else { continue }
                Issue.record("\(item.id): a click at \(point.column), \(point.row) does \(hit.what)")
            }
        }
    }

    /// 1,000 points on 200 pages: half of them anywhere, half where something is drawn.
    @Test(arguments: 0..<200) func hoverHighlightsTheClickTarget(seed: Int) throws {
        var random = SeededRandom(state: UInt64(seed) &* 31 &+ 7)
        let size = (Int.random(in: 40...200, using: &random), Int.random(in: 12...60, using: &random))
        let kind = try #require(Kind.allCases.randomElement(using: &random))
        let item = try #require(Self.items.randomElement(using: &random))
        let page = page(item, kind, size)
        let visible = visible(page)
        for number in 0..<5 {
            let anywhere = GridPoint(
                column: .random(in: 0..<size.0, using: &random), row: .random(in: 0..<size.1, using: &random))
            let point = number % 2 == 0 ? anywhere : visible.randomElement(using: &random) ?? anywhere
            let (lit, hit) = (lit(page, point), hit(page, point))
            #expect(
                lit.isEmpty == (hit == nil), "\(item.id) \(kind) \(size): \(hit?.what ?? "nothing") at \(point)")
            guard let hit, hit.what != "scrubber" else { continue }
            for cell in lit where !hit.cells.contains(where: { $0.contains(cell) }) {
                Issue.record("\(item.id) \(kind) \(size): \(cell) lights up for \(hit.what) at \(point)")
            }
        }
    }

    /// The cells that look different while the pointer is at a point.
    private func lit(_ page: Page, _ point: GridPoint) -> [GridPoint] {
        var state = page.state
        let before = draw(state, now: page.now).overlay
        // A movement does nothing, but that the scrubber has a still made of the place there.
        let effects = update(&state, .mouse(Mouse(.move, at: point)), now: page.now)
        #expect(effects.allSatisfy { if case .makeSeekStill = $0 { true } else { false } })
        let after = draw(state, now: page.now).overlay
        return before.cells.indices.filter { before.cells[$0] != after.cells[$0] }.map {
            GridPoint(column: $0 % before.size.columns, row: $0 / before.size.columns)
        }
    }

    /// A drag that begins on the scrubber goes to the time that the pointer shows there, and any other moves the page.
    @Test(arguments: 0..<50) func dragsActOnWhatIsUnderThePointer(seed: Int) throws {
        var random = SeededRandom(state: UInt64(seed) &* 17 &+ 3)
        let size = (Int.random(in: 40...200, using: &random), Int.random(in: 12...60, using: &random))
        let page = page(try #require(Self.items.randomElement(using: &random)), .playing, size)
        let row = seed % 2 == 0 ? size.1 - 1 : Int.random(in: 0..<size.1, using: &random)
        let point = GridPoint(column: .random(in: 0..<size.0, using: &random), row: row)
        let scrubs = PageLayout(page.state, index: 0).scrubberHit.contains(point)
        page.mouse(.move, point.column, point.row)
        let label = SeekLabel(page.state, PageLayout(page.state, index: 0), now: page.now)
        #expect((label != nil) == scrubs)
        page.mouse(.press(.left), point.column, point.row)
        #expect((page.state.seeking.scrub != nil) == scrubs)
        if let label, let scrub = page.state.seeking.scrub {
            #expect(label.time == GlyphLine(Label.clock(scrub.target)))
        }
        page.now += .milliseconds(100)
        page.mouse(.drag, point.column, point.row < 6 ? point.row + 5 : point.row - 5)
        #expect(page.state.pager.isDragging == !scrubs)
    }

    /// The pointer's time stands over the row's ends only while it is there, and rests after a while.
    @Test func restingPointerLightsNothingUp() {
        let page = page(Self.items[1], .playing, (80, 24))
        let bar = PageLayout(page.state, index: 0).bar
        let before = page.screen
        page.mouse(.move, bar.column + bar.columns / 2, bar.row)
        #expect(page.screen[bar.row - 1].contains("0:10"))
        #expect(page.screen[bar.row].contains("0:20"))
        page.wait(Pointer.hoverLength)
        #expect(page.screen == before)
        page.mouse(.move, bar.column, bar.row)
        page.type("~")
        #expect(page.state.pointer.hover == nil)
    }

    @Test func movementsThatLightNothingUpAreNotHeeded() {
        let page = page(Self.items[0], .playing, (80, 24))
        let like = PageLayout(page.state, index: 0).buttons[0].frame
        func event(_ column: Int, _ row: Int) -> Event {
            .mouse(Mouse(.move, at: GridPoint(column: column, row: row)))
        }
        #expect(!page.state.heeds(event(30, 8), now: page.now))
        #expect(page.state.heeds(event(like.column, like.row), now: page.now))
        page.send(event(like.column, like.row))
        #expect(page.state.heeds(event(30, 8), now: page.now))
        #expect(!page.state.changesLight(at: GridPoint(column: like.column + 1, row: like.row), now: page.now))
        #expect(page.state.changesLight(at: GridPoint(column: 30, row: 8), now: page.now))
        page.send(event(30, 8))
        #expect(!page.state.heeds(event(31, 8), now: page.now))
    }

    /// While a page slides, a click acts on a button where that is drawn, not on where it comes to stand.
    @Test func buttonsActWhereTheyAreDrawnDuringASlide() throws {
        let page = Page()
        page.play()
        page.press(.down)
        page.now += .milliseconds(40)
        page.send(.tick)
        let top = Int(((1 - page.state.pager.position) * 24).rounded())
        try #require(top > 2)
        let save = try #require(PageLayout(page.state, index: 1).buttons.first { $0.button == .save }).frame
        page.mouse(.press(.left), save.column, save.row)
        page.mouse(.release(.left), save.column, save.row)
        #expect(!page.state.reactions["v2"].isSaved)
        let menu = page.state.menuFrame
        page.mouse(.press(.left), menu.column, menu.row)
        page.mouse(.release(.left), menu.column, menu.row)
        #expect(page.state.view.sheet == .menu)
    }

    @Test func hidingTheOverlayLeavesTheClipAlone() {
        let page = page(Self.items[0], .playing, (80, 24))
        let shown = page.screen
        page.type("x")
        page.state.toasts = Toasts()
        #expect(page.screen.allSatisfy { $0.allSatisfy { $0 == " " } })
        #expect(visible(page).isEmpty)
        let like = PageLayout(page.state, index: 0).buttons[0].frame
        #expect(hit(page, GridPoint(column: like.column, row: like.row)) == nil)
        // A seek shows where it goes.
        page.press(.right)
        #expect(page.screen[22].contains("0:05"))
        page.wait(.seconds(3))
        page.type("x")
        page.state.toasts = Toasts()
        #expect(page.screen[5] == shown[5])
        for key in ["?", "M", "/", "e"] as [Character] {
            page.type("x")
            page.type(key)
            #expect(!page.state.view.isClear, "\(key)")
            page.press(.escape)
            page.press(.escape)
        }
    }

    /// Where the text stands beside the picture, the follow button is directly below the name.
    @Test(arguments: sizes) func clickOnTheCreatorsNameOpensTheirClips(size: (Int, Int)) {
        for kind in [Kind.playing, .upright] {
            let page = page(Self.items[3], kind, size)
            let name = PageLayout(page.state, index: 0).name
            for column in name.column..<(name.column + name.columns) {
                #expect(hit(page, GridPoint(column: column, row: name.row))?.what == "creator", "\(kind) \(column)")
            }
        }
    }

    /// A toast takes the clicks that hit it, not the element below; beside it, buttons act.
    @Test func toastBlocksClicksBelowIt() throws {
        let page = page(Self.items[3], .toast, (40, 12))
        let toast = try #require(page.screen.firstIndex { $0.contains("A notice") })
        #expect(hit(page, GridPoint(column: 33, row: toast))?.what == "like")
        let link = "https://example.org/" + String(repeating: "abcdefghi/", count: 9)
        page.send(.linkNotice("Cannot copy; this terminal has no clipboard", link: link, .failure))
        page.wait(.seconds(1))
        #expect(hit(page, GridPoint(column: 33, row: toast))?.what == nil)
    }
}
