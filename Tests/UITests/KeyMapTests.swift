import Model
import TerminalInput
import Testing

@testable import UI

struct KeyNameTests {
    @Test(arguments: [
        ("j", Key.character("j")), ("G", .character("G")), ("?", .character("?")), ("é", .character("é")),
        ("-", .character("-")), ("shift-g", .character("G")), ("space", .character(" ")), ("Space", .character(" ")),
        ("ctrl-l", .control("l")), ("Ctrl-L", .control("l")), ("ctrl-space", .control("@")), ("ctrl-i", .tab),
        ("ctrl-m", .enter), ("ctrl-[", .escape), ("shift-left", .shiftLeft), ("alt-right", .altRight),
        ("ctrl-alt-pgdn", Key(.pageDown, [.control, .alt])), ("PgDn", .pageDown), ("pagedown", .pageDown),
        ("f5", .function(5)), ("F12", .function(12)), ("shift-f1", Key(.function(1), .shift)), ("return", .enter),
        ("esc", .escape), ("escape", .escape), ("bs", .backspace), ("minus", .character("-")),
    ])
    func namesAreParsedAsKeys(name: String, key: Key) {
        #expect(Key(name: name) == key)
    }

    @Test(arguments: [
        "", "jj", "f0", "f13", "ctrl-", "alt-x", "ctrl-é", "hyper-x", "shift-1", "pgdwn", "\u{1B}", "ctrl-1",
        "ctrl-ctrl-x",
        "alt-space",
    ])
    func otherNamesAreRefused(name: String) {
        #expect(Key(name: name) == nil)
    }

    @Test func theTraceNamesKeysAsTheConfigurationDoes() {
        for key in Action.allCases.flatMap(KeyTable.keys) + [
            .insert, .tab, .function(11), Key(.up, [.control, .shift]),
        ] {
            #expect(Key(name: key.name) == key, "\(key.name)")
        }
    }
}

struct KeyMapTests {
    @Test func aChangeReplacesTheKeysOfAnAction() {
        let map = KeyMap(changing: [.next: [.character("n"), .function(5)]])
        #expect(map.keys(for: .next) == [.character("n"), .function(5)])
        #expect(map.action(for: .character("n"), in: .page) == .next)
        #expect(map.action(for: .character("j"), in: .page) == nil)
        #expect(map.action(for: .down, in: .page) == nil)
        #expect(map.action(for: .up, in: .page) == .previous)
    }

    @Test func anEmptyListTakesTheKeysAway() {
        let map = KeyMap(changing: [.open: []])
        #expect(map.keys(for: .open).isEmpty)
        #expect(map.action(for: .character("o"), in: .page) == nil)
    }

    @Test func aReboundKeyLosesItsOldAction() {
        let changes: [Action: [Key]] = [.like: [.character("j"), .character("d")]]
        let map = KeyMap(changing: changes)
        #expect(map.action(for: .character("j"), in: .page) == .like)
        #expect(map.keys(for: .next) == [.down, .pageDown])
        #expect(map.keys(for: .dislike).isEmpty)
        #expect(KeyMap.emptied(by: changes) == [.dislike])
        // In a sheet the key still scrolls.
        #expect(map.action(for: .character("j"), in: .sheet) == .scrollDown)
    }

    @Test func aSheetLooksAtItsOwnKeysFirstAndThenAtThePages() {
        let map = KeyMap.standard
        #expect(map.action(for: .down, in: .page) == .next)
        #expect(map.action(for: .down, in: .sheet) == .scrollDown)
        #expect(map.action(for: .character("l"), in: .sheet) == .like)
        #expect(map.action(for: .enter, in: .page) == .retry)
        #expect(map.action(for: .enter, in: .sheet) == .choose)
    }

    @Test func unboundModifiersAreIgnored() {
        let map = KeyMap.standard
        #expect(map.action(for: .shiftLeft, in: .page) == .seekBackShort)
        #expect(map.action(for: Key(.down, .control), in: .page) == .next)
        #expect(map.action(for: .control("j"), in: .page) == nil)
    }

    /// Whatever the configuration says, there is a way out.
    @Test(arguments: InputMode.allCases) func quittingAndClosingCannotBeLost(mode: InputMode) {
        let hostile: [[Action: [Key]]] = [
            [.quit: [], .close: []], [.quit: [.function(10)], .close: [.character("x")]],
            [.next: [.character("q"), .control("c"), .escape]],
            [.scrollUp: [.character("q"), .control("c"), .escape], .quit: [], .close: []],
        ]
        for changes in hostile {
            let map = KeyMap(changing: changes)
            #expect(map.action(for: .character("q"), in: mode) == .quit)
            #expect(map.action(for: .control("c"), in: mode) == .quit)
            #expect(map.action(for: .escape, in: mode) == .close)
            for (action, keys) in changes where action == .quit || action == .close {
                for key in keys { #expect(map.action(for: key, in: mode) == action) }
            }
        }
    }
}

/// Remapped keys through `update`.
struct RemappedKeyTests {
    private func page(_ changes: [Action: [Key]], _ items: [Item] = Page.feed) -> Page {
        var options = Options()
        options.keys = KeyMap(changing: changes)
        let page = Page(items, options: options)
        page.play()
        return page
    }

    @Test func theNewKeyActsAndTheOldOneDoesNot() {
        let page = page([.next: [.function(5)]])
        #expect(page.press(.down) == [])
        #expect(page.press(.function(5)).contains(.play("v2")))
    }

    @Test func theHelpSheetAndTheMenuShowTheKeysAsTheyAre() {
        let page = page([.next: [.function(5)], .like: [.control("o")], .previous: []])
        page.type("?")
        #expect(page.screen.contains { $0.contains("F5 ") && $0.contains("next page") })
        #expect(page.screen.contains { $0.contains("no key") && $0.contains("previous page") })
        page.press(.escape)
        page.type("M")
        #expect(page.screen.contains { $0.contains("Like") && $0.contains("Ctrl-O") })
    }

    @Test func hintsShowTheKeysAsTheyAre() {
        let page = page([.retry: [.function(5)], .next: [.character("n")], .caption: [.character("w")]])
        #expect(page.screen.contains { $0.contains("… w more") })
        page.send(.player("v1", .failed("no")))
        #expect(page.screen.contains { $0.contains("F5 retry   o open   I details   n next clip") })
        let empty = self.page([.refresh: [.function(5)], .help: []], [])
        #expect(empty.screen.contains { $0.contains("F5 refresh   q quit") })
    }

    @Test func theKeyThatOpensASheetClosesIt() {
        let page = page([.trust: [.function(2)]])
        page.press(.function(2))
        #expect(page.state.view.sheet == .trust)
        page.type("T")
        #expect(page.state.view.sheet == .trust)
        page.press(.function(2))
        #expect(page.state.view.sheet == nil)
    }

    @Test(arguments: [State.Sheet?.none, .help, .menu, .trust])
    func theWayOutWorksInEverySheet(sheet: State.Sheet?) {
        let page = page([.quit: [], .close: [], .next: [.character("q"), .escape]])
        if let sheet { page.state.view.open(sheet) }
        #expect(page.press(.control("c")) == [.quit])
        page.press(.escape)
        #expect(page.state.view.sheet == nil)
        // As in less: what lies over the page goes first.
        if let sheet { page.state.view.open(sheet) }
        #expect(page.type("q") == (sheet == nil ? [.quit] : []))
        #expect(page.state.view.sheet == nil)
        #expect(page.type("q") == [.quit])
    }

    @Test func actionsThatNeedAnItemSaySoInAnEmptyFeed() {
        for action in Action.allCases where !action.worksWithoutItem {
            let page = Page([])
            let effects = page.state.perform(action, now: page.now)
            #expect(effects == [] && page.state.view.sheet == nil, "\(action)")
            #expect(page.toast == "There is no clip here", "\(action)")
        }
        let page = Page([])
        page.state.feed.isReading = true
        page.type("M")
        #expect(page.toast == "The feed is still loading")
        // It goes when there is a clip.
        page.send(.feed(Page.feed, title: nil))
        #expect(page.toast == nil)
    }

    @Test func someActionsNeedNoItem() {
        let page = Page([])
        #expect(page.type("r") == [.refresh])
        #expect(page.press(.control("z")) == [.suspend])
    }
}
