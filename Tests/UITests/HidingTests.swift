import Model
import TerminalInput
import Testing

@testable import UI

/// The sheets "Not interested" and "Hidden".
@Suite struct HidingTests {
    private func texts(_ entries: [SheetEntry]) -> [String] {
        entries.compactMap { if case .choice(let text, _) = $0 { text } else { nil } }
    }

    private func page() -> Page {
        let page = Page()
        page.play()
        return page
    }

    private func rules(_ effects: [Effect]) -> [HideRule] {
        effects.compactMap { if case .hide(let rule, true) = $0 { rule } else { nil } }
    }

    @Test func sheetOffersWhatTheClipHas() {
        let page = page()
        page.type("X")
        let item = Page.feed[0]
        let offered = texts(page.state.hideEntries)
        #expect(offered.first == "This clip")
        #expect(offered.contains("Clips by \(item.creator?.name ?? "")"))
        #expect(offered.contains("The topic #\(item.tags[0])"))
        #expect(offered.last == "Words in titles…")
        #expect(page.screen.contains { $0.contains("Not interested") })
        page.press(.escape)
        #expect(page.state.view.sheet == nil)
        let bare = Page([Item(id: "a", url: "file:///clips/a.mp4")])
        bare.type("X")
        #expect(texts(bare.state.hideEntries) == ["This clip", "All clips from /clips", "Words in titles…"])
    }

    /// Items of other feeds, as in a mix, have the address of theirs.
    @Test func feedIsNamedByItsTitle() {
        let item = Item(id: "a", url: "file:///clips/a.mp4", feed: "file:///clips/demo/feed.json")
        let page = Page([item])
        page.state.feed.title = GlyphLine("Night market")
        page.send(.service(takesComments: false, address: "file:///clips/demo/feed.json"))
        #expect(texts(page.state.hideEntries).contains("All clips from Night market"))
        page.send(.service(takesComments: false, address: "file:///clips/other.json"))
        #expect(texts(page.state.hideEntries).contains("All clips from demo/feed.json"))
        page.send(.service(takesComments: false))
        #expect(texts(page.state.hideEntries).contains("All clips from demo/feed.json"))
    }

    @Test func chosenLineHides() {
        for (line, kind) in [HideRule.Kind.clip, .creator, .topic].enumerated() {
            let page = page()
            page.type("X")
            for _ in 0..<line { page.type("j") }
            let effects = page.press(.enter)
            #expect(rules(effects).map(\.kind) == [kind])
            #expect(page.state.view.sheet == nil)
            #expect(page.state.toasts.current?.text.text.hasSuffix("U to undo") == true)
        }
    }

    /// The page goes to another place, and an undo does not come back to the clip.
    @Test func forYouIsTurnedOffInItsOwnSheet() {
        let page = page()
        page.type("X")
        #expect(!texts(page.state.hideEntries).contains("Turn For You off"))
        page.press(.escape)
        page.state.feed.places = Places([.source, .forYou, .following], current: .forYou)
        page.type("X")
        page.type("G")
        #expect(texts(page.state.hideEntries).last == "Turn For You off")
        let rule = HideRule(place: .forYou)
        #expect(page.press(.enter) == [.hide(rule, true), .openPlace(.source)])
        #expect(page.state.toasts.current?.text.text == "For You is off · U to undo")
        page.send(.places([.source, .following]))
        page.send(.place(.source, Page.feed, title: "Feed", at: 0))
        #expect(page.state.feed.places.all == [.source, .following])
        #expect(page.type("U") == [.hide(rule, false)])
        #expect(page.state.feed.hidden.returning == nil)
        #expect(page.state.toasts.current?.text.text == "For You is on")
    }

    /// Where the sheet stands beside the page, it is as wide at each line.
    @Test(arguments: [(40, 12), (80, 24), (120, 40)]) func hintNamesWhatEnterDoes(columns: Int, rows: Int) {
        let page = Page([Item(id: "a", url: "file:///clips/a.mp4")], columns: columns, rows: rows)
        page.play()
        page.state.feed.places = Places([.source, .forYou, .hidden], current: .forYou)
        page.send(.hidden([HideRule(.topic, value: "cats"), HideRule(place: .following)], configured: []))
        page.type("X")
        let width = SheetLayout(page.state).frame.columns
        for word in ["hide", "hide", "type", "turn off", "open"] {
            #expect(SheetLayout(page.state).footer.text == "Enter \(word)   Esc close")
            #expect(SheetLayout(page.state).frame.columns == width)
            page.type("j")
        }
        page.press(.enter)
        #expect(page.state.view.sheet == .hidden)
        for word in ["unhide", "turn on"] {
            #expect(SheetLayout(page.state).footer.text == "Enter \(word)   Esc close")
            page.type("j")
        }
        page.send(.hidden([], configured: [HideRule(.topic, value: "dogs")]))
        #expect(SheetLayout(page.state).footer.text == "Esc close")
    }

    @Test func forYouIsTurnedOffWhileItIsEmpty() {
        let page = page()
        page.state.feed.places = Places([.source, .forYou], current: .source)
        page.press(.tab)
        page.send(.place(.forYou, [Item](), title: "For You", at: 0))
        page.type("X")
        #expect(page.state.view.sheet == .hide && texts(page.state.hideEntries) == ["Turn For You off"])
        #expect(page.press(.enter) == [.hide(HideRule(place: .forYou), true), .openPlace(.source)])
    }

    @Test func menuLeadsThere() {
        let page = page()
        let index = page.state.menu.firstIndex { $0.action == .notInterested } ?? 0
        page.type("M")
        for _ in 0..<index { page.type("j") }
        page.press(.enter)
        #expect(page.state.view.sheet == .hide)
    }

    @Test func lineIsClicked() throws {
        let page = page()
        page.type("X")
        let body = SheetLayout(page.state).body
        page.mouse(.press(.left), body.column + 2, body.row + 1)
        let effects = page.mouse(.release(.left), body.column + 2, body.row + 1)
        #expect(rules(effects).map(\.kind) == [.creator])
    }

    @Test func typedWordsAreHidden() {
        let page = page()
        page.type("X")
        for _ in page.state.hideChoices.dropLast() { page.type("j") }
        page.press(.enter)
        #expect(page.screen.contains { $0.contains("Hide titles with") })
        for letter in "  Live now " { page.type(letter) }
        #expect(rules(page.press(.enter)) == [HideRule(.words, value: "Live now")])
        #expect(page.state.typing == nil)
        // Nothing typed hides nothing.
        page.type("X")
        page.press(.end)
        page.press(.enter)
        #expect(rules(page.press(.enter)).isEmpty && page.state.typing == nil)
    }

    @Test func undoReturnsToTheClip() {
        let page = page()
        page.type("X")
        let rule = rules(page.press(.enter))[0]
        page.send(.visible(Array(Page.feed.dropFirst()), at: 0))
        #expect(page.state.currentID == Page.feed[1].id && page.state.pageNumber == "1/\(Page.feed.count - 1)")
        #expect(page.type("U") == [.hide(rule, false)])
        page.send(.visible(Page.feed, at: 1))
        #expect(page.state.currentID == Page.feed[0].id)
        #expect(page.type("U").isEmpty)
        #expect(page.state.toasts.current?.text.text == "Nothing to undo")
    }

    @Test func clipInViewStaysIfItIsNotHidden() {
        let page = page()
        page.send(.visible([Page.feed[2], Page.feed[0]], at: 0))
        #expect(page.state.currentID == Page.feed[2].id)
        page.send(.visible([Page.feed[1], Page.feed[2]], at: 1))
        #expect(page.state.currentID == Page.feed[2].id && page.state.current == 1)
    }

    @Test func listShowsAgain() {
        let page = page()
        let own = [HideRule(.topic, value: "cats"), HideRule(.words, value: "live")]
        page.send(.hidden(own, configured: [HideRule(.creator, value: "Bo\u{1B}")]))
        page.type("X")
        for _ in page.state.hideChoices.dropLast() { page.type("j") }
        page.press(.enter)
        #expect(page.state.view.sheet == .hidden)
        #expect(texts(page.state.hiddenEntries) == ["The topic #cats", "Titles with “live”", "Clips by Bo\u{FFFD}"])
        page.type("j")
        #expect(page.press(.enter) == [.hide(own[1], false)])
        #expect(page.state.view.sheet == .hidden)
        page.send(.hidden([own[0]], configured: [HideRule(.creator, value: "Bo")]))
        // What the configuration hides, only its file can show.
        #expect(page.press(.enter).isEmpty)
        #expect(page.state.toasts.current?.text.text.contains("config.toml") == true)
    }

    /// Also if another flick shows it.
    @Test func showingTheLastRuleAgainChoosesTheOneBeforeIt() {
        let page = page()
        let own = [HideRule(.topic, value: "cats"), HideRule(.words, value: "live")]
        page.send(.hidden(own, configured: []))
        page.type("X")
        page.type("G")
        page.press(.enter)
        page.type("j")
        #expect(page.press(.enter) == [.hide(own[1], false)])
        page.send(.hidden([own[0]], configured: []))
        #expect(page.press(.enter) == [.hide(own[0], false)])
        page.send(.hidden(own + own, configured: []))
        page.type("G")
        page.send(.hidden(own, configured: []))
        #expect(page.press(.enter) == [.hide(own[1], false)])
    }

    /// An empty page is not empty because a place is off.
    @Test func placeThatIsOffHidesNoClips() {
        let page = page()
        page.send(.hidden([HideRule(place: .forYou)], configured: []))
        page.send(.visible([Item](), at: 0))
        #expect(!page.screen.contains { $0.contains("Some clips are hidden") })
    }

    /// It is in the list, by its name.
    @Test func placeThatIsOffIsNotCounted() {
        let page = page()
        page.state.feed.places = Places([.source, .saved, .hidden], current: .source)
        let rules = [HideRule(place: .forYou), HideRule(.topic, value: "cats")]
        page.send(.hidden(rules, configured: []))
        #expect(page.state.hiddenEntries == [.choice("For You", key: "off"), .choice("The topic #cats", key: "")])
        page.type("X")
        #expect(page.state.hideEntries.last == .choice("Everything you have hidden…", key: "1"))
        page.press(.escape)
        page.type("p")
        #expect(page.state.placeEntries.contains(.choice("Hidden", key: "1")))
        page.send(.hidden(Array(rules.prefix(1)), configured: []))
        #expect(page.state.placeEntries.contains(.choice("Hidden", key: "")))
        page.press(.escape)
        page.type("X")
        #expect(page.state.hideEntries.last == .choice("Everything you have hidden…", key: ""))
    }

    @Test func emptyFeedLeadsToTheList() {
        let page = page()
        page.send(.hidden([HideRule(.topic, value: "cats")], configured: []))
        page.send(.visible([Item](), at: 0))
        #expect(page.screen.contains { $0.contains("Some clips are hidden; X lists them") })
        page.type("X")
        #expect(page.state.view.sheet == .hidden)
        #expect(page.press(.enter) == [.hide(HideRule(.topic, value: "cats"), false)])
        page.send(.hidden([], configured: []))
        page.send(.visible(Page.feed, at: 0))
        #expect(page.state.currentID == Page.feed[0].id)
    }
}
