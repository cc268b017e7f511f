import Model
import TerminalInput
import Testing

@testable import UI

/// A click acts on what is drawn where the pointer is, never on a neighbor whose margin reaches there.
struct ClickTargetTests {
    static let sizes = [(80, 24), (200, 60), (40, 12), (60, 50), (120, 40), (50, 16)]

    /// Kinds of pages, by what lies on them.
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
        options.hidesSensitive = true
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
        case .keyHint: page.press(.delete)
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

    /// A toast takes the clicks that hit it, not the element below.
    @Test func toastBlocksClicksBelowIt() throws {
        let page = page(Self.items[3], .toast, (40, 12))
        let toast = try #require(page.screen.firstIndex { $0.contains("A notice") })
        #expect(hit(page, GridPoint(column: 33, row: toast))?.what == nil)
    }
}
