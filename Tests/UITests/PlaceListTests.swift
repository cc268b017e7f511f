import Model
import TerminalInput
import Testing

@testable import UI

/// The sheet of all places.
@Suite struct PlaceListTests {
    private static let added = PlaceList.Source("https://h.example/feed.xml", name: "Otters", weight: 3, unseen: 5)
    private static let configured = PlaceList.Source("/home/me/Videos", isAdded: false, unseen: 0)
    private static let list = PlaceList(
        counts: [.home: 12, .following: 3, .liked: 4, .forYou: 0], sources: [added, configured])

    private func page(columns: Int = 80, rows: Int = 24) -> Page {
        let page = Page(columns: columns, rows: rows)
        page.state.feed.places = Places([.home, .forYou, .following, .liked, .saved, .history], current: .home)
        page.play()
        return page
    }

    /// With the sheet open at a line.
    private func page(at line: PlaceLine) -> Page {
        let page = page()
        page.type("p")
        page.send(.placeList(Self.list))
        for _ in 0..<(page.state.placeLines.firstIndex(of: line) ?? 0) { page.type("j") }
        return page
    }

    @Test func firstAndLastLineAreReachedOnAnEmptyPage() {
        let page = page()
        page.press(Key(.tab, .shift))
        page.send(.place(.history, [Item](), title: "History", at: 0))
        #expect(page.state.items.count == 0)
        page.type("p")
        page.type("G")
        #expect(page.state.view.line == page.state.placeLines.count - 1)
        page.type("g")
        #expect(page.state.view.line == 0)
    }

    /// The sheet stays open, the page where it is, and the place in the list.
    @Test func forYouIsTurnedOffAndOnInTheSheet() {
        let page = page(at: .place(.forYou))
        #expect(page.screen.contains { $0.contains("d turn off") })
        #expect(page.type("d") == [.hide(HideRule(place: .forYou), true)])
        page.send(.places([.home, .following, .liked, .saved, .history]))
        page.send(.hidden([HideRule(place: .forYou)], configured: []))
        #expect(page.state.view.sheet == .places && page.state.placeLines[1] == .off(.forYou))
        #expect(page.screen.contains { $0.contains("For You") && $0.contains("off") })
        #expect(page.screen.contains { $0.contains("Enter turn on") })
        #expect(page.type("d").isEmpty)
        #expect(page.press(.enter) == [.hide(HideRule(place: .forYou), false)])
        page.send(.hidden([], configured: []))
        // With its count.
        #expect(page.send(.places([.home, .forYou, .following, .liked, .saved, .history])) == [.readPlaces])
        #expect(page.state.view.sheet == .places && page.state.placeLines[1] == .place(.forYou))
        // It is on already.
        #expect(page.state.feed.changes.isEmpty)
        page.type("g")
        #expect(page.type("d").isEmpty)
    }

    /// The clip that was hidden before is what an undo shows again.
    @Test(arguments: [false, true]) func turningForYouOnLeavesEarlierChangesToUndo(isTurnedOffHere: Bool) {
        let page = page()
        let off = HideRule(place: .forYou)
        page.type("X")
        guard case .hide(let clip, true)? = page.press(.enter).first else {
            Issue.record("nothing is hidden")
            return
        }
        page.send(.hidden([clip], configured: []))
        page.type("p")
        page.send(.placeList(Self.list))
        if isTurnedOffHere {
            page.type("j")
            #expect(page.type("d") == [.hide(off, true)])
        }
        page.send(.places([.home, .following, .liked, .saved, .history]))
        page.send(.hidden([off, clip], configured: []))
        page.type("g")
        page.type("j")
        #expect(page.press(.enter) == [.hide(off, false)])
        page.send(.hidden([clip], configured: []))
        page.press(.escape)
        #expect(page.type("U") == [.hide(clip, false)])
        #expect(page.toast?.hasPrefix("No longer hidden: the clip") == true)
        page.type("U")
        #expect(page.toast == "Nothing to undo")
    }

    /// Also where it comes back by an undo.
    @Test func placeThatComesBackIsCounted() {
        let page = page()
        page.type("p")
        page.send(.placeList(Self.list))
        page.type("j")
        page.type("d")
        let others: [Place] = [.home, .following, .liked, .saved, .history]
        page.send(.places(others))
        page.send(.placeList(PlaceList(counts: [.home: 12])))
        page.press(.escape)
        page.type("U")
        #expect(page.type("p") == [.readPlaces])
        #expect(page.send(.places([.home, .forYou] + others.dropFirst())) == [.readPlaces])
        page.send(.placeList(PlaceList(counts: [.home: 12, .forYou: 7])))
        #expect(page.screen.contains { $0.contains("For You") && $0.contains("7 new") })
    }

    @Test func libraryAndSourcesHaveHeadings() {
        let page = page()
        page.type("p")
        page.send(.placeList(Self.list))
        let headings = page.state.placeEntries.compactMap { if case .heading(let text) = $0 { text } else { nil } }
        #expect(headings == ["Library", "Sources of Home"])
    }

    @Test func sourceWithTheLargestShareOffersNoMore() {
        let page = page()
        page.type("p")
        let source = PlaceList.Source("https://h.example/feed.xml", name: "Otters", weight: 10)
        page.send(.placeList(PlaceList(counts: [:], sources: [source])))
        page.type("G")
        page.type("k")
        let footer = SheetLayout(page.state).footer.text
        #expect(footer.contains("- less") && !footer.contains("+ more"), "\(footer)")
    }

    /// The clip behind the sheet is not what is chosen.
    @Test func nothingIsHiddenFromTheSheetOfPlaces() {
        let page = page()
        page.type("p")
        #expect(page.type("X").isEmpty && page.state.view.sheet == .places)
    }

    @Test func hiddenSourceSaysSo() {
        let page = page()
        page.type("p")
        var source = Self.added
        source.isHidden = true
        page.send(.placeList(PlaceList(sources: [source])))
        #expect(page.screen.contains { $0.contains("Otters") && $0.contains("hidden") && !$0.contains("new") })
    }

    @Test func nothingIsPausedOnAnEmptyPage() {
        let page = page()
        page.type(" ")
        #expect(page.screen[0].contains("paused"))
        page.press(Key(.tab, .shift))
        page.send(.place(.history, [Item](), title: "History", at: 0))
        #expect(!page.screen[0].contains("paused"))
    }

    @Test func placesAndSourcesAreListed() {
        let page = page()
        #expect(page.type("p") == [.readPlaces])
        page.send(.placeList(Self.list))
        func row(_ words: String...) -> Bool {
            page.screen.contains { row in words.allSatisfy { row.contains($0) } }
        }
        #expect(row("Places") && row("Home", "12 new") && row("Following", "3 new") && row("Liked", "4"))
        #expect(!row("Liked", "4 new") && !row("For You", "new"))
        #expect(row("Otters", "weight 3, 5 new") && row("/home/me/Videos") && row("Add a source…"))
        #expect(row("Enter open"))
        page.type("p")
        #expect(page.state.view.sheet == nil)
    }

    @Test func enterGoesThere() {
        #expect(page(at: .place(.following)).press(.enter) == [.openPlace(.following)])
        let stays = page(at: .place(.home))
        #expect(stays.press(.enter).isEmpty && stays.state.view.sheet == nil)
        let hidden = page(at: .hidden)
        hidden.press(.enter)
        #expect(hidden.state.view.sheet == .hidden)
    }

    @Test(arguments: [(40, 12), (80, 24), (200, 60)]) func libraryHasItsCounts(columns: Int, rows: Int) {
        let page = page(columns: columns, rows: rows)
        page.state.feed.places = Places([.home, .history, .offline, .hidden], current: .home)
        page.send(.hidden([HideRule(.topic, value: "cats")], configured: [HideRule(.topic, value: "dogs")]))
        page.type("p")
        page.send(.placeList(PlaceList(counts: [.offline: 7, .history: 40])))
        func row(_ words: String...) -> Bool {
            page.screen.contains { row in words.allSatisfy { row.contains($0) } && !row.contains("new") }
        }
        #expect(row("History", "40") && row("Offline", "7") && row("Hidden", "2"))
        #expect(page.state.placeLines.count { $0 == .hidden || $0 == .place(.hidden) } == 1)
        for _ in 0..<3 { page.type("j") }
        #expect(page.press(.enter) == [.openPlace(.hidden)])
    }

    /// The heading between them is no line to choose.
    @Test(arguments: [false, true]) func lastLineAddsASource(isPlain: Bool) {
        let page = page()
        page.state.options.isPlain = isPlain
        page.type("p")
        page.send(.placeList(Self.list))
        page.type("G")
        #expect(page.state.view.line == page.state.placeLines.count - 1)
        page.press(.enter)
        #expect(page.state.typing?.purpose == .source)
    }

    /// Rather than the word "more" beside the arrow.
    @Test func narrowSheetShowsHowASourceIsAdded() {
        let page = page(columns: 40, rows: 12)
        page.type("p")
        #expect(page.screen.contains { $0.contains("─ Enter open   a add   Esc close ▾ ─") })
    }

    @Test func clickGoesThere() {
        let page = page(at: .place(.home))
        let body = SheetLayout(page.state).body
        page.mouse(.press(.left), body.column + 1, body.row + 2)
        #expect(page.mouse(.release(.left), body.column + 1, body.row + 2) == [.openPlace(.following)])
    }

    @Test func sourceIsShownAlone() {
        let page = page(at: .source(Self.added))
        #expect(page.press(.enter) == [.source(.open(Self.added))])
        #expect(page.state.feed.places.wanted == .source)
        page.send(.places([.source, .home, .forYou, .following, .liked, .saved, .history]))
        page.send(.place(.source, Page.feed, title: "Otters", at: 0))
        #expect(page.state.feed.places.current == .source)
    }

    @Test func removedSourceComesBack() {
        let page = page(at: .source(Self.added))
        #expect(page.type("d") == [.source(.remove(Self.added))])
        #expect(page.state.toasts.current?.text.text == "Removed: Otters · U to undo")
        #expect(page.state.feed.placeList.sources == [Self.configured])
        page.press(.escape)
        #expect(page.type("U") == [.source(.restore(Self.added))])
        page.type("U")
        #expect(page.state.toasts.current?.text.text == "Nothing to undo")
    }

    @Test func weightChangesInSteps() {
        let page = page(at: .source(Self.added))
        var source = Self.added
        source.weight = 5
        #expect(page.type("+") == [.source(.weigh(source))])
        source.weight = 10
        #expect(page.type("=") == [.source(.weigh(source))])
        #expect(page.type("+").isEmpty)
        source.weight = 5
        #expect(page.type("-") == [.source(.weigh(source))])
    }

    /// A source of the configuration is changed there. Keys that change sources do nothing on other lines.
    @Test func onlyAddedSourcesChange() {
        for key in "d+-" {
            let page = page(at: .source(Self.configured))
            #expect(page.type(key).isEmpty)
            #expect(page.state.toasts.current?.text.text.contains("config.toml") == true)
            let other = self.page(at: .place(.liked))
            #expect(other.type(key).isEmpty && other.state.view.sheet == .places)
        }
    }

    @Test func typedSourceIsAdded() {
        let page = page(at: .add)
        page.press(.enter)
        #expect(page.screen.contains { $0.contains("Add a source") })
        for letter in " ~/Clips " { page.type(letter) }
        #expect(page.press(.enter) == [.source(.add(PlaceList.Source("~/Clips")))])
        let key = self.page(at: .place(.home))
        key.type("a")
        #expect(key.state.typing?.purpose == .source)
        #expect(key.press(.enter).isEmpty && key.state.typing == nil)
    }

    @Test func allSourcesAreReadAgain() {
        #expect(page(at: .place(.home)).type("r") == [.source(.refresh)])
    }

    @Test func emptyPlaceHasTheTopRow() {
        let page = page()
        page.type("\t")
        page.press(.tab)
        page.send(.place(.forYou, [Item](), title: "For You", at: 0))
        #expect(page.state.items.count == 0)
        #expect(page.screen[0].contains("Home  For You  Following  Library"))
        #expect(!page.screen[0].contains("1/0"))
        let home = page.screen[0].firstRange(of: "Home")!
        let column = page.screen[0].distance(from: page.screen[0].startIndex, to: home.lowerBound)
        #expect(page.mouse(.press(.left), column, 0) == [.openPlace(.home)])
        page.type("p")
        #expect(page.state.view.sheet == .places)
    }
}
