import Model
import Synchronization
import TestSupport
import Testing

@testable import UI

/// Finding clips among the loaded ones.
struct FilterTests {
    /// Counts how many items are read.
    private final class Counting: ItemList, Sendable {
        let items: [Item]
        private let reads = Mutex(0)

        init(_ items: [Item]) { self.items = items }

        var count: Int { items.count }
        subscript(index: Int) -> Item {
            reads.withLock { $0 += 1 }
            return items[index]
        }
        /// The reads since the last call.
        func takeReads() -> Int {
            reads.withLock { count in
                defer { count = 0 }
                return count
            }
        }
    }

    private func item(_ id: String, _ title: String?, by creator: String? = nil, tags: [String] = []) -> Item {
        Item(id: id, url: "file:///clips/\(id).mp4", title: title, creator: creator.map { .init(name: $0) }, tags: tags)
    }

    private func found(_ text: String, in items: [Item]) -> [Int] {
        var filter = Filter()
        filter.look(for: text)
        while !filter.isDone(items.count) { filter.scan(items) }
        return filter.matches
    }

    @Test(arguments: [
        ("night", [0]), ("NIGHT market", [0]), ("market  night ", [0]), ("night bazaar", []), ("okafor", [0]),
        ("mira rain", [0]),
        ("#rain", [0]), ("etude", [1]), ("Étude", [1]), ("e\u{301}tude", [1]), ("ÜBER", [2]), ("uber strasse", [2]),
        ("straße", [2]), ("łódz", [3]), ("lodz", [3]), ("ガ", [4]), ("カ\u{3099}", [4]), ("plain", [5]), ("", []),
        ("  ", []),
        ("e", [0, 1, 2]), ("ｎｉｇｈｔ", [0]), ("москва", [6]), ("Ёлка", [6]), ("шאלום", []), ("שלום", [7]), ("αθηνα", [8]),
    ])
    func wordsAreFoundWhateverTheirCaseAndMarks(_ text: String, _ places: [Int]) {
        let items = [
            item("a", "Night market", by: "Mira Okafor", tags: ["street", "rain"]), item("b", "Étude"),
            item("c", "U\u{308}ber die Straße"), item("d", "Łódź"), item("f", "ガラス"), item("plain", nil),
            item("g", "МОСКВА, елка"), item("h", "שָׁלוֹם"), item("i", "ΑΘΉΝΑ"),
        ]
        // Addresses of clips with a title do not count.
        #expect(found(text, in: items) == places)
    }

    @Test func everyLetterOfTheTableIsFoundByItself() {
        for code in UInt32(0xA1)..<0x2FFF {
            guard let scalar = Unicode.Scalar(code), scalar.properties.isAlphabetic,
                scalar.properties.generalCategory != .nonspacingMark
            else { continue }
            let letter = String(scalar)
            for text in [letter, letter.uppercased(), letter.lowercased()] where text.unicodeScalars.count == 1 {
                // The table's Unicode has no letters of later versions.
                let ages = (letter + text).unicodeScalars.compactMap { $0.properties.age?.major }
                guard ages.allSatisfy({ $0 <= 14 }) else { continue }
                let (one, other) = (LetterFold.words(letter), LetterFold.words(text))
                if one != other { Issue.record("\(letter) U+\(String(code, radix: 16)) and \(text)") }
            }
        }
    }

    /// Typing and deleting letters in a growing feed gives the same matches as a search from scratch.
    @Test(arguments: 0..<40) func matchesDoNotDependOnHowTheTextWasTyped(seed: Int) {
        var random = SeededRandom(state: UInt64(seed) &* 2_741 &+ 3)
        var items: [Item] = []
        func grow() {
            for _ in 0..<Int.random(in: 0...900, using: &random) {
                let title = (0..<6).map { _ in ["a", "b", "c", " "].randomElement(using: &random) ?? "" }.joined()
                items.append(item("\(items.count)", title))
            }
        }
        grow()
        var (filter, text) = (Filter(), "")
        for _ in 0..<40 {
            switch Int.random(in: 0..<6, using: &random) {
            case 0: grow()
            case 1: text = String(text.dropLast())
            default: text += ["a", "b", "c", " "].randomElement(using: &random) ?? ""
            }
            filter.look(for: text)
            for _ in 0..<Int.random(in: 0...3, using: &random) { filter.scan(items) }
            #expect(filter.matches == filter.matches.sorted())
        }
        while !filter.isDone(items.count) { filter.scan(items) }
        #expect(filter.matches == found(text, in: items), "seed \(seed): \(text)")
    }

    /// Two letters can come before the next slice is scanned.
    @Test func narrowingTwiceBetweenScansKeepsTheMatches() {
        let items = [item("a", "otter"), item("b", "ox"), item("c", "otto"), item("d", "night")]
        var filter = Filter()
        filter.look(for: "o")
        filter.scan(items)
        #expect(filter.matches == [0, 1, 2])
        filter.look(for: "ot")
        filter.look(for: "ott")
        filter.scan(items)
        #expect(filter.matches == [0, 2])
    }

    // MARK: On the page

    private func page(_ list: Counting) -> Page {
        let page = Page()
        page.state = State(size: GridSize(columns: 80, rows: 24), items: list)
        _ = begin(&page.state, now: page.now)
        _ = list.takeReads()
        return page
    }

    /// No key waits for all items, and one more letter looks at what matched only.
    @Test func aHundredThousandItemsAreLookedAtInSlices() {
        let list = Counting((0..<100_000).map { item("\($0)", $0 % 100 == 0 ? "otters \($0)" : "clip \($0)") })
        let page = page(list)
        page.type("/")
        let most = Filter.slice + 2 * SheetLayout.maxFound
        for letter in "ott" {
            _ = list.takeReads()
            page.type(letter)
            #expect(list.takeReads() <= most)
        }
        var ticks = 0
        while let due = page.state.nextMotion(after: page.now), due <= page.now + .milliseconds(1), ticks < 1_000 {
            page.now = due
            page.send(.tick)
            ticks += 1
            #expect(list.takeReads() <= most)
        }
        #expect(page.state.typing?.filter?.matches.count == 1_000)
        #expect((240...253).contains(ticks))
        _ = page.screen
        #expect(list.takeReads() == 0)
        page.type("e")
        page.send(.tick)
        page.send(.tick)
        #expect(page.state.typing?.filter?.isDone(100_000) == true && page.state.typing?.filter?.matches.count == 1_000)
        #expect(list.takeReads() <= 1_000 + 3 * 2 * SheetLayout.maxFound)
    }

    @Test func enterGoesToTheChosenClipInTheWholeFeed() {
        let page = Page()
        page.play()
        page.type("/")
        for letter in "name" { page.type(letter) }
        #expect(page.state.typing?.filter?.matches == [3])
        #expect(page.screen.contains { $0.contains("1 of 4") })
        #expect(page.press(.enter).contains(.play("v4")))
        #expect(page.state.current == 3 && page.state.items.count == 4)
        #expect(page.state.typing == nil && page.state.view.sheet == nil)
    }

    @Test func downChoosesAndEscapeStays() {
        let page = Page()
        page.play()
        page.type("/")
        page.type("a")
        let all = page.state.typing?.filter?.matches ?? []
        #expect(all == [0, 3])
        page.press(.down)
        page.press(.down)
        #expect(page.state.typing?.filter?.chosen == 1)
        page.press(.control("p"))
        #expect(page.state.typing?.filter?.chosen == 0)
        page.press(.pageDown)
        #expect(page.state.typing?.filter?.chosen == 1)
        page.press(.escape)
        #expect(page.state.current == 0 && page.state.typing?.filter == nil && page.state.view.sheet == nil)
        // Nothing was paused.
        #expect(!page.state.isPaused && page.type(" ") == [.pause("v1")])
    }

    @Test func aClickGoesToAClip() {
        let page = Page()
        page.play()
        page.type("/")
        page.type("a")
        let layout = SheetLayout(page.state)
        page.mouse(.press(.left), layout.body.column + 3, layout.body.row + 1)
        #expect(page.state.current == 3)
        #expect(page.state.typing == nil)
    }

    // MARK: The list

    /// Everything is listed at once, from the clip in view on.
    @Test(arguments: [(40, 12), (80, 24), (120, 40)]) func allClipsAreListedWithTheCurrentOneSelected(
        columns: Int, rows: Int
    ) {
        let items = (0..<50).map { item("\($0)", "Otter \($0)") }
        let page = Page(items, columns: columns, rows: rows)
        page.play()
        for _ in 0..<20 { page.press(.down) }
        page.wait(.seconds(1))
        page.type("/")
        let layout = SheetLayout(page.state)
        #expect(layout.chosen == 20 && layout.title == "50 clips" && layout.total == 50)
        #expect(page.screen.contains { $0.contains("Otter 20") } && page.screen.contains { $0.contains("Otter 21") })
        page.press(.down)
        #expect(SheetLayout(page.state).chosen == 21)
        #expect(page.press(.enter).contains(.play("21")) && page.state.current == 21)
    }

    /// It is as high as what it lists, at the lower edge, and the field stays where it is.
    @Test func theListTakesTheRowsThatItNeeds() {
        let page = Page()
        page.play()
        page.type("/")
        let bar = BarLayout(page.state).frame
        #expect(SheetLayout(page.state).frame.rows == 6)
        page.type("a")
        #expect(SheetLayout(page.state).frame.rows == 4)
        for letter in "zz" { page.type(letter) }
        #expect(SheetLayout(page.state).frame.rows == 3)
        #expect(BarLayout(page.state).frame == bar)
        #expect(SheetLayout(page.state).frame.row + 3 == bar.row)
    }

    @Test func durationAndMarksStandBesideATitle() throws {
        let page = Page()
        page.play()
        page.type("l")
        page.wait(.seconds(1))
        page.type("/")
        func row(_ title: String) throws -> String { try #require(page.screen.first { $0.contains(title) }) }
        // It is liked, was seen, and is as long as its file says.
        #expect(try row("Night market").contains("Mira Okafor  ♥✓  0:20"))
        #expect(try !row("plain name").contains("♥") && !row("plain name").contains("✓"))
        page.send(.remembered(["v4": Reaction()], follows: []))
        #expect(try row("plain name").contains(" ✓"))
    }

    @Test func matchesAreEmphasized() {
        func matched(_ text: String, _ words: String) -> [String] {
            var filter = Filter()
            filter.look(for: words)
            let line = GlyphLine(text)
            return filter.matched(in: line).map { line.slice($0).text }
        }
        #expect(matched("Night market", "MARK nig") == ["Nig", "mark"])
        #expect(matched("Étude, étude", "etu") == ["Étu", "étu"])
        #expect(matched("die Straße", "ss") == ["ß"])
        #expect(matched("ガラス", "カ") == ["ガ"] && matched("plain", "") == [] && matched("", "a") == [])
        let page = Page()
        page.play()
        page.type("/")
        for letter in "mark" { page.type(letter) }
        let spans = SheetLayout(page.state).rows[0].spans
        #expect(spans.filter { $0.tone == .match }.map(\.line.text) == ["mark"])
        #expect(spans.prefix(3).map(\.line.text).joined() == "Night market in the rain")
    }

    /// Of "creator · #topic", what a word of the title does not explain.
    @Test(
        arguments: [
            ("rain", "", []), ("mira", "Mira", []), ("street", "", ["#street"]), ("mira food", "Mira", ["#food"]),
            ("night foo", "", ["#food"]), ("#rain", "", ["#rain"]), ("market", "", []),
        ] as [(String, String, [String])])
    func rowShowsWhyAClipWasFound(text: String, name: String, topics: [String]) throws {
        let page = Page()
        page.play()
        page.type("/")
        for letter in text { page.type(letter) }
        let filter = try #require(page.state.typing?.filter)
        let reason = filter.reason(for: filter.entry(at: 0, of: page.state.items))
        #expect(reason.isName == !name.isEmpty && reason.others.map(\.text) == topics)
        let spans = SheetLayout(page.state).rows[0].spans
        let origin = "Mira Okafor" + topics.map { " · \($0)" }.joined()
        #expect(page.screen.contains { $0.contains("Night market in the rain") && $0.contains(origin) })
        let matches = spans.filter { $0.tone == .match }.map(\.line.text)
        if !name.isEmpty { #expect(matches.contains(name)) }
        #expect(topics.allSatisfy { topic in matches.contains { topic.contains($0) && !$0.isEmpty } })
    }

    @Test func creatorHasWhatATitleLeavesFree() {
        let name = "Ilma Kettunen of the outer islands"
        let list = [item("a", "Pier", by: name, tags: ["night"]), item("b", "Other")]
        let page = Page(list, columns: 200, rows: 60)
        page.type("/")
        for letter in "night" { page.type(letter) }
        #expect(page.screen.contains { $0.contains("Pier ") && $0.contains("\(name) · #night") })
    }

    /// A narrow terminal leaves its columns to the title, unless the creator is why a clip was found.
    @Test func narrowListHasNoCreatorBesideALongTitle() {
        func row(_ text: String, _ columns: Int) -> String {
            let page = Page(columns: columns, rows: 20)
            page.play()
            page.type("/")
            for letter in text { page.type(letter) }
            return SheetLayout(page.state).rows[0].spans.map(\.line.text).joined(separator: "|")
        }
        #expect(row("", 60).contains("Mira Okafor"))
        #expect(row("", 59).contains("Mira Okafor") && row("", 40).hasPrefix("Night market in the rain|"))
        #expect(!row("", 40).contains("Mira"))
        #expect(row("okaf", 40).contains("Okaf"))
        #expect(row("street", 40).contains("street") && !row("street", 40).contains("Mira"))
    }

    @Test func nothingFoundIsSaidAndEnterWaits() {
        let page = Page()
        page.play()
        page.type("/")
        for letter in "zzz" { page.type(letter) }
        #expect(page.screen.contains { $0.contains("No matches") })
        #expect(page.press(.enter) == [] && page.state.typing != nil)
    }

    @Test func aFeedThatIsReadAgainIsLookedThroughAgain() {
        let page = Page()
        page.play()
        page.type("/")
        for letter in "otter" { page.type(letter) }
        #expect(page.state.typing?.filter?.matches == [])
        page.send(.feed([item("o", "Otters")] + Page.feed, title: nil))
        #expect(page.state.typing?.filter?.matches == [0] && page.state.typing != nil)
        page.send(.more([item("o", "Otters")] + Page.feed + [item("p", "More otters")]))
        #expect(page.state.typing?.filter?.matches == [0, 5])
        page.send(.feed([], title: nil))
        #expect(page.state.typing == nil && page.state.view.sheet == nil)
    }

    /// The word on the field's frame is bright only where the key does something.
    @Test func enterIsOfferedWhereSomethingIsFound() {
        let page = Page()
        page.play()
        page.type("/")
        func isBright() -> Bool {
            let frame = BarLayout(page.state).send
            let overlay = draw(page.state, now: page.now).overlay
            return overlay[frame.column + 1, frame.row].style.contains(.bold)
        }
        #expect(isBright())
        for letter in "zzz" { page.type(letter) }
        #expect(!isBright())
    }
}
