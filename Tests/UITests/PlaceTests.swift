import Model
import TerminalInput
import Testing

@testable import UI

@Suite struct PlaceTests {
    private static let all: [Place] = [.source, .home, .forYou, .following, .liked, .saved, .history]
    private static let others = ["x", "y", "z"].map { Item(id: $0, url: "file:///\($0).mp4", title: "Title \($0)") }

    private func page(columns: Int = 120, _ places: [Place] = all, at place: Place = .source) -> Page {
        let page = Page(columns: columns)
        page.state.feed.title = GlyphLine("Night market")
        page.state.feed.places = Places(places, current: place)
        page.play()
        return page
    }

    /// The text of the top row that is set in bold.
    private func boldText(_ page: Page) -> String {
        let overlay = draw(page.state, now: page.now).overlay
        var text = ""
        for column in 0..<page.state.topRoom.upperBound where overlay[column, 0].style.contains(.bold) {
            text += GlyphTable.text(of: overlay[column, 0].glyph)
        }
        return text
    }

    @Test func keysGoFromPlaceToPlace() {
        let page = page()
        #expect(page.press(.tab) == [.openPlace(.home)])
        #expect(page.press(.tab) == [.openPlace(.forYou)])
        #expect(page.press(Key(.tab, .shift)) == [.openPlace(.home)])
        // Back where it is, before another one was there.
        #expect(page.press(Key(.tab, .shift)) == [])
        #expect(page.press(Key(.tab, .shift)) == [.openPlace(.history)])
    }

    @Test func placeStandsWhereItWasLeft() {
        let page = page()
        page.press(.tab)
        let effects = page.send(.place(.home, Self.others, title: "Home", at: 1))
        #expect(page.state.currentID == "y" && page.state.items.count == 3)
        #expect(effects.contains(.play("y")))
        #expect(page.screen.contains { $0.contains("Title y") })
        page.press(.tab)
        page.send(.place(.forYou, Page.feed, title: "For You", at: 2))
        #expect(page.state.currentID == Page.feed[2].id)
    }

    @Test func clipInBothPlacesContinues() {
        let page = page()
        let id = page.state.currentID ?? ""
        page.press(.tab)
        let effects = page.send(.place(.home, Self.others + [Page.feed[0]], title: "Home", at: 3))
        #expect(page.state.currentID == id && page.state.clip.isRendering)
        #expect(!effects.contains(.pause(id)))
    }

    @Test func placeThatIsNotWantedAnyMoreIsDropped() {
        let page = page()
        page.press(.tab)
        page.press(.tab)
        page.send(.place(.home, Self.others, title: "Home", at: 0))
        #expect(page.state.currentID == Page.feed[0].id && page.state.feed.places.current == .source)
        page.send(.placeUnavailable(.home, why: "no network"))
        #expect(page.state.toasts.current == nil)
    }

    @Test func placeThatFailsLeavesThePage() {
        let page = page()
        page.press(.tab)
        page.send(.placeUnavailable(.home, why: "no\u{1B} network"))
        #expect(page.state.toasts.current?.text.text.contains("network") == true)
        #expect(page.state.feed.places.chosen == .source)
        #expect(boldText(page).contains("Night market"))
        #expect(page.press(.tab) == [.openPlace(.home)])
    }

    @Test func sheetsGridsAndPartsCloseWithTheirPlace() {
        let page = page()
        page.type("?")
        page.send(.key(.tab))
        #expect(page.state.feed.places.wanted == .home)
        page.send(.place(.home, Self.others, title: "Home", at: 0))
        #expect(page.state.view.sheet == nil && page.state.feed.grid == nil && page.state.feed.part == nil)
    }

    // MARK: The top row

    @Test func topRowNamesAllPlaces() {
        let page = page()
        #expect(page.screen[0].contains("Night market  Home  For You  Following  Library"))
        #expect(boldText(page).hasPrefix("Night market"))
        page.press(.tab)
        #expect(boldText(page).hasPrefix("Home"))
        page.send(.place(.home, Self.others, title: "A, B, C", at: 0))
        #expect(page.screen[0].contains("Night market  Home  For You  Following  Library"))
    }

    @Test func listOfTheLibraryStandsInItsPlace() {
        let page = page([.home, .forYou, .liked, .saved], at: .saved)
        #expect(page.screen[0].contains("Home  For You  Saved"))
    }

    /// `--place saved` shows it before the feed was read.
    @Test func feedHasItsNameBeforeItIsRead() {
        let places = Places([.source, .saved], current: .saved)
        let page = Page([], columns: 80)
        page.state = State(
            size: page.state.size, items: [Item](), title: "Saved", places: places, sourceName: "market.json")
        #expect(page.screen[0].contains("market.json  Saved") && boldText(page).hasPrefix("Saved"))
        page.press(.tab)
        page.send(.place(.source, Page.feed, title: "Night market", at: 0))
        #expect(page.screen[0].contains("Night market  Library"))
        page.state = State(size: page.state.size, items: [Item](), title: "Saved", places: places)
        #expect(page.screen[0].contains("Feed  Saved"))
    }

    @Test func narrowRowHasOnlyTheTitle() {
        let page = page(columns: 40)
        #expect(page.screen[0].contains("Night market") && !page.screen[0].contains("For You"))
    }

    @Test func singlePlaceIsNamedAsTheFeedIs() {
        let page = page([.source])
        #expect(page.screen[0].contains("Night market") && !page.screen[0].contains("Library"))
        #expect(page.press(.tab) == [])
        #expect(page.state.toasts.current != nil)
    }

    @Test func clickOnANameOpensItsPlace() throws {
        let page = page()
        let top = page.screen[0]
        let column = try #require(top.firstRange(of: "For You")).lowerBound.utf16Offset(in: top)
        page.mouse(.press(.left), column, 0)
        #expect(page.mouse(.release(.left), column, 0) == [.openPlace(.forYou)])
        page.mouse(.press(.left), column + 7, 0)
        let beside = page.mouse(.release(.left), column + 7, 0)
        #expect(!beside.contains { if case .openPlace = $0 { true } else { false } })
    }

    @Test func emptyPlaceSaysHowClipsComeThere() {
        let page = page()
        page.press(Key(.tab, .shift))
        page.send(.place(.history, [Item](), title: "History", at: 0))
        #expect(page.screen.contains { $0.contains("Clips you watch appear here") })
        // From there, too, keys lead on.
        #expect(page.press(.tab) == [.openPlace(.source)])
        page.send(.place(.source, Page.feed, title: "Night market", at: 2))
        #expect(page.state.currentID == Page.feed[2].id && page.orders.contains(.play(Page.feed[2].id)))
    }

    // MARK: Hidden

    private func hiddenPlace(_ rules: [HideRule], columns: Int = 80, rows: Int = 24) -> Page {
        let page = Page(columns: columns, rows: rows)
        page.state.feed.title = GlyphLine("Night market")
        page.state.feed.places = Places([.source, .saved, .hidden])
        page.play()
        page.send(.hidden(rules, configured: []))
        page.press(Key(.tab, .shift))
        page.send(.place(.hidden, [Item](), title: "Hidden", at: 0))
        return page
    }

    private static let rules = [
        HideRule(.creator, scope: "", value: "ilma", name: "Ilma Kettu"), HideRule(.topic, value: "cats"),
    ]

    @Test(arguments: [(40, 12), (80, 24), (200, 60)]) func hiddenListsRulesAndNoClip(columns: Int, rows: Int) {
        let page = hiddenPlace(Self.rules, columns: columns, rows: rows)
        #expect(page.state.items.count == 0 && page.state.clips.isEmpty && page.state.view.sheet == .hidden)
        #expect(page.screen.contains { $0.contains("Clips by Ilma Kettu") })
        #expect(page.screen[0].contains("Hidden"))
        // Enter shows it again, and nothing else leaves the list.
        #expect(page.press(.enter) == [.hide(Self.rules[0], false)])
        page.send(.hidden([Self.rules[1]], configured: []))
        #expect(page.state.view.sheet == .hidden && page.state.feed.places.current == .hidden)
        #expect(!page.screen.contains { $0.contains("Ilma") && !$0.contains("No longer") })
        // Keys lead on from the list.
        #expect(page.press(.tab) == [.openPlace(.source)])
        page.send(.place(.source, Page.feed, title: "Night market", at: 1))
        #expect(page.state.view.sheet == nil && page.state.currentID == Page.feed[1].id)
    }

    @Test func hiddenOpensWithoutRulesAsAnEmptyPage() {
        let page = hiddenPlace([])
        #expect(page.state.view.sheet == nil)
        #expect(page.screen.contains { $0.contains("What you hide with X is listed here") })
        // Another flick has hidden something.
        page.send(.hidden(Self.rules, configured: []))
        #expect(page.state.view.sheet == .hidden)
        page.press(.escape)
        #expect(page.screen.contains { $0.contains("X lists what you have hidden") })
        page.send(.hidden(Self.rules, configured: []))
        #expect(page.state.view.sheet == nil)
        // The sheet of all places leads back to it.
        page.type("p")
        page.press(.enter)
        #expect(page.state.view.sheet == .hidden)
    }

    @Test(arguments: [40, 80]) func diagnosticsAndMenuSayWhyForYouHasAClip(columns: Int) {
        let page = page(columns: columns, at: .forYou)
        page.type("I")
        #expect(!page.screen.contains { $0.contains("You finish most") })
        page.send(.reasons([Page.feed[0].id: "You finish most clips by Ilma"]))
        #expect(page.screen.contains { $0.contains("You finish most clips by Ilma") })
        #expect(page.screen.contains { $0.contains("To turn For You off: X") })
        page.type("I")
        #expect(page.state.menu.contains(MenuEntry(action: .diagnostics, text: "Why: You finish most clips by Ilma")))
    }

    /// The same clip in another place is there for another reason.
    @Test func noOtherPlaceSaysWhyForYouHasAClip() {
        let page = page(columns: 80, at: .home)
        page.send(.reasons([Page.feed[0].id: "You finish most clips by Ilma"]))
        page.type("I")
        #expect(!page.screen.contains { $0.contains("You finish most") })
        #expect(page.state.menu.contains(MenuEntry(action: .diagnostics, text: "Diagnostics")))
    }
}
