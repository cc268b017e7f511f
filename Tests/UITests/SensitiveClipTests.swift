import Model
import TerminalInput
import Testing

@testable import UI

/// What feeds call sensitive is covered until a key shows it.
@Suite struct SensitiveClipTests {
    private static let items: [Item] = [
        Item(id: "a", url: "file:///a.mp4", title: "First"),
        sensitive("b", "Blood \u{1B}[31mand more", "The whole story"),
        sensitive("c", nil, "Nothing was said before"), Item(id: "d", url: "file:///d.mp4", title: "Last"),
    ]

    private static func sensitive(_ id: String, _ warning: String?, _ text: String) -> Item {
        var item = Item(id: id, url: "file:///\(id).mp4", title: "Title \(id)", text: text)
        (item.isSensitive, item.warning) = (true, warning)
        return item
    }

    private func page(at index: Int, hides: Bool = true, plain: Bool = false, columns: Int = 80, rows: Int = 24) -> Page
    {
        var options = Options()
        (options.coversSensitive, options.startIndex, options.isPlain) = (hides, index, plain)
        options.reducedMotion = true
        return Page(Self.items, columns: columns, rows: rows, options: options)
    }

    private func plays(_ effects: [Effect]) -> [Item.ID] {
        effects.compactMap { if case .play(let id) = $0 { id } else { nil } }
    }

    @Test func sensitiveClipPlaysOnlyAfterAKey() {
        let page = page(at: 0)
        #expect(plays(page.effects) == ["a"])
        let turned = page.press(.down)
        #expect(plays(turned).isEmpty && turned.contains(.pause("a")))
        #expect(page.state.covers(Self.items[1]))
        #expect(page.screen.contains { $0.contains("Sensitive") })
        #expect(page.screen.contains { $0.contains("Blood") && $0.contains("and more") })
        #expect(page.screen.contains { $0.contains("Enter show it") })
        #expect(!page.screen.contains { $0.contains("The whole story") })
        // Time, sound, seeking and stepping open nothing.
        var effects = page.wait(.seconds(20))
        for key in [
            Key.right, .character(" "), .character("m"), .character("5"), .character("."), .character("="),
            .character("r"),
        ] {
            effects += page.press(key)
        }
        #expect(plays(effects).isEmpty)
        #expect(plays(page.press(.enter)) == ["b"])
        #expect(!page.state.covers(Self.items[1]))
        #expect(
            page.screen.contains { $0.contains("The whole story") } && !page.screen.contains { $0.contains("show it") })
    }

    @Test func revealedClipStaysRevealed() {
        let page = page(at: 1)
        #expect(plays(page.effects).isEmpty)
        #expect(plays(page.press(.enter)) == ["b"])
        #expect(plays(page.press(.down)).isEmpty)
        #expect(plays(page.press(.up)) == ["b"])
        page.send(.feed(Self.items, title: nil))
        #expect(!page.state.covers(Self.items[1]) && page.state.covers(Self.items[2]))
        // The text stands there, if no warning was to come before it.
        page.press(.down)
        #expect(page.screen.contains { $0.contains("Nothing was said before") })
    }

    /// Only one on the words that say so: a click that was meant for another window, a double click or a long one show
    /// nothing, and like nothing.
    @Test(arguments: [(80, 24), (40, 12), (200, 60)]) func aClickOnTheHintShowsIt(columns: Int, rows: Int) {
        let page = page(at: 1, columns: columns, rows: rows)
        let row = page.screen.firstIndex { $0.contains("show it") } ?? 0
        let line = Array(page.screen[row])
        let first = (0..<line.count).first { String(line[$0...]).hasPrefix("Enter show it") } ?? 0
        func click(_ column: Int, _ row: Int) -> [Effect] {
            page.mouse(.press(.left), column, row)
            return page.mouse(.release(.left), column, row) + page.wait(.seconds(1))
        }
        for (column, row) in [(columns / 3, 2), (first - 1, row), (first + 13, row), (first, row - 1)] {
            let effects = click(column, row)
            #expect(plays(effects).isEmpty && page.state.covers(Self.items[1]), "\(column) \(row)")
        }
        for _ in 0..<2 {
            page.mouse(.press(.left), columns / 3, 2)
            page.mouse(.release(.left), columns / 3, 2)
        }
        #expect(page.state.covers(Self.items[1]) && !page.state.reactions[Self.items[1].id].isLiked)
        #expect(plays(click(first + 12, row)) == ["b"])
    }

    @Test func settingOffHidesNothing() {
        let page = page(at: 1, hides: false)
        #expect(plays(page.effects) == ["b"] && !page.screen.contains { $0.contains("Sensitive") })
    }

    @Test func blurHashOfAHiddenClipIsVisible() {
        let page = page(at: 1)
        page.send(.player("b", .picture(PixelSize(width: 80, height: 48))))
        #expect(page.state.coverage(of: 1, now: page.now) == Loading.coverDepth)
        // Nothing is loading.
        page.wait(.seconds(2))
        #expect(!page.screen.contains { $0.contains("● ·") || $0.contains("· ●") })
    }

    @Test func hiddenPagesAutoAdvanceAndPassTheGate() {
        let page = page(at: 1)
        page.type("A")
        page.wait(Playback.endlessShown + .seconds(1))
        #expect(page.state.current == 2)
        page.state.options.hasGate = true
        page.press(.down)
        #expect(page.state.current == 3)
    }

    @Test func warningFitsTheSmallestTerminal() {
        let page = page(at: 1, columns: 40, rows: 12)
        #expect(
            page.screen.contains { $0.contains("Sensitive") } && page.screen.contains { $0.contains("Enter show it") })
    }

    @Test func plainModeSaysSo() {
        let page = page(at: 1, plain: true)
        var output = ScreenReaderOutput()
        let lines = output.next(page.state, now: page.now).joined(separator: "\n")
        #expect(lines.contains("Title b. Sensitive: Blood") && lines.contains("; Enter shows it."), "\(lines)")
        #expect(!lines.contains("whole story") && !lines.contains("playing"))
        page.press(.enter)
        let after = output.next(page.state, now: page.now).joined(separator: "\n")
        #expect(after.contains("The whole story") && !after.contains("Sensitive"), "\(after)")
    }
}
