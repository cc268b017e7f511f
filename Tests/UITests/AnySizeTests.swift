import Model
import TerminalInput
import TestSupport
import Testing

@testable import UI

/// Whatever the size and however hostile the text: nothing crashes, nothing overlaps, and no glyph is cut.
struct AnySizeTests {
    private static let pieces: [String] = [
        "a", "Wi", " ", "\n", "東", "京夜", "e\u{301}", "🏳️‍🌈", "👩‍👩‍👧", "🇩🇪", "🇩", "\u{202E}", "\u{2066}", "\u{1B}[2J", "\u{7}",
        "\u{9B}1m", "שלום", "مرحبا", "क्षि", "한글", "\u{1112}\u{1161}\u{11AB}", "Z͑ͫ̓ͪ̂ͫ̽͏̴̙̤̞͉͚̯̞̠͍A", "\u{301}", "\u{FE0F}", "\u{200D}",
        "\u{10FFFF}", "\u{0}", "👍🏿", "\t", "￿", "ﷺ", "𒐫", "longlonglonglonglong",
    ]

    private func text(_ generator: inout SeededRandom, upTo limit: Int) -> String {
        (0..<Int.random(in: 0...limit, using: &generator)).map { _ in
            Self.pieces.randomElement(using: &generator) ?? ""
        }.joined()
    }

    private func item(_ number: Int, _ generator: inout SeededRandom) -> Item {
        Item(
            id: "\(number)", url: "file:///" + text(&generator, upTo: 5), title: text(&generator, upTo: 30),
            text: text(&generator, upTo: 120), published: .init(timeIntervalSince1970: 1_779_999_000),
            creator: Bool.random(using: &generator) ? .init(name: text(&generator, upTo: 20)) : nil,
            tags: (0..<4).map { _ in text(&generator, upTo: 4) }, sound: .init(title: text(&generator, upTo: 30)),
            trust: Bool.random(using: &generator)
                ? .init(score: .random(in: -5...400, using: &generator), reasons: [text(&generator, upTo: 50)]) : nil,
            stats: .init(likes: .random(in: -1...Int.max, using: &generator), comments: 7))
    }

    private static let keys: [Key] =
        " ldsyfceTMI?zAom-=[].,0369gG:/cr東🇩".map { Key.character($0) } + [
            .down, .up, .left, .right, .enter, .escape, .backspace, .pageUp, .pageDown, .home, .end, .delete,
            Key(.enter, .alt), .control("w"), .control("y"), .control("_"), Key(.character("b"), .alt),
        ]

    @Test(arguments: 0..<100) func nothingOverlapsOrIsCutAtAnySize(seed: Int) {
        var generator = SeededRandom(state: UInt64(seed) &* 7_919 &+ 13)
        let size = GridSize(
            columns: .random(in: 1...500, using: &generator), rows: .random(in: 1...150, using: &generator))
        // Every second terminal is small, where room is scarce.
        let small = GridSize(
            columns: .random(in: 1...90, using: &generator), rows: .random(in: 1...30, using: &generator))
        var options = Options()
        options.pictureMode = PictureMode.allCases.randomElement(using: &generator) ?? .half
        options.color = ColorMode.allCases.randomElement(using: &generator) ?? .mono
        options.theme = Theme.Name.allCases.randomElement(using: &generator) ?? .dark
        let items = (0..<4).map { item($0, &generator) }
        let first = seed % 2 == 0 ? size : small
        let page = Page(items, columns: first.columns, rows: first.rows, options: options)
        for step in 0..<25 {
            page.now += .milliseconds(.random(in: 0...300, using: &generator))
            switch Int.random(in: 0..<10, using: &generator) {
            case 0: page.send(.resized(step % 2 == 0 ? small : size))
            case 1:
                let picture = PixelSize(
                    width: .random(in: 1...1_000, using: &generator), height: .random(in: 1...300, using: &generator))
                page.play(duration: .seconds(.random(in: 0...90_000, using: &generator)), picture: picture)
            case 2: page.send(.player(page.state.currentID ?? "", .failed(text(&generator, upTo: 60))))
            case 3:
                let at = GridPoint(
                    column: .random(in: 0..<500, using: &generator), row: .random(in: 0..<150, using: &generator))
                page.send(.mouse(Mouse([.press(.left), .drag, .release(.left), .wheelDown][step % 4], at: at)))
            case 4: page.send(.notice(text(&generator, upTo: 40)))
            case 5: talk(on: page, &generator)
            default: page.press(Self.keys.randomElement(using: &generator) ?? .down)
            }
            check(page, seed: seed)
        }
    }

    /// Something about comments, or text for whatever is being typed.
    private func talk(on page: Page, _ generator: inout SeededRandom) {
        let item = page.state.currentID ?? ""
        switch Int.random(in: 0..<7, using: &generator) {
        case 0:
            page.send(
                .service(
                    takesComments: Int.random(in: 0..<4, using: &generator) > 0,
                    abilities: Set(ServiceAbility.allCases.filter { _ in Bool.random(using: &generator) })))
        case 1, 2: page.send(.paste(text(&generator, upTo: 60)))
        case 3:
            let comments = (0..<Int.random(in: 0...9, using: &generator)).map { number in
                Model.Comment(
                    id: "\(Int.random(in: 0...20, using: &generator))",
                    name: number % 3 == 0 ? nil : text(&generator, upTo: 12),
                    text: text(&generator, upTo: 80),
                    at: .init(timeIntervalSince1970: .random(in: 0...3e9, using: &generator)),
                    parent: number % 2 == 0 ? nil : "\(Int.random(in: 0...20, using: &generator))",
                    isOwn: number % 4 == 0)
            }
            page.send(.comments(item, after: nil, CommentPage(comments: comments, next: "2", total: 7)))
        case 4: page.send(.commentsUnavailable(item, why: text(&generator, upTo: 20)))
        case 5: page.send(.commentRefused(item, local: "local-1", why: text(&generator, upTo: 30)))
        default: page.type(Bool.random(using: &generator) ? ":" : "/")
        }
    }

    private func check(_ page: Page, seed: Int) {
        let state = page.state
        let overlay = draw(state, now: page.now).overlay
        #expect(overlay.size == state.size)
        for row in 0..<overlay.size.rows {
            for column in 0..<overlay.size.columns {
                let glyph = overlay[column, row].glyph
                let isWide = Self.width(of: glyph) == 2
                let hasSecondHalf =
                    column + 1 < overlay.size.columns && overlay[column + 1, row].glyph == .continuation
                if isWide != hasSecondHalf { Issue.record("seed \(seed): half a glyph at \(column), \(row)") }
                let isControl =
                    glyph != .none && glyph != .continuation && (glyph.code < 0x20 || 0x7F..<0xA0 ~= glyph.code)
                if isControl { Issue.record("seed \(seed): a control character at \(column), \(row)") }
            }
        }
        guard !state.isTooSmall, state.items.count > 0, !state.pager.isMoving else { return }
        let frames = PageLayout(state, index: state.current).frames
        for (place, frame) in frames.enumerated() {
            let isInside =
                frame.column >= 0 && frame.row >= 0 && frame.column + frame.columns <= state.size.columns
                && frame.row + frame.rows <= state.size.rows
            if !isInside { Issue.record("seed \(seed): \(frame) leaves \(state.size)") }
            for other in frames[(place + 1)...] where overlap(frame, other) {
                Issue.record("seed \(seed): \(frame) lies over \(other) at \(state.size)")
            }
        }
    }

    private func overlap(_ one: GridRect, _ other: GridRect) -> Bool {
        one.column < other.column + other.columns && other.column < one.column + one.columns
            && one.row < other.row + other.rows && other.row < one.row + one.rows
    }

    private static func width(of glyph: Glyph) -> Int {
        if glyph == .none || glyph == .continuation { return 0 }
        if glyph.code < 0x300 { return 1 }
        return DisplayWidth.of(GlyphTable.text(of: glyph))
    }
}
