import Model
import Testing

@testable import UI

struct TopRowTests {
    private func row(_ title: String, _ chips: [String], _ room: Range<Int>) -> TopRow {
        TopRow(
            title: GlyphLine(title), chips: chips.map { (text: $0, short: String($0.prefix(2))) }, in: room,
            ellipsis: Glyph("…"))
    }

    @Test func chipsStandBesideTheName() {
        let row = row("Night market", ["muted", "auto"], 2..<60)
        #expect(row.title?.line == GlyphLine("Night market") && row.title?.column == 2)
        #expect(row.chips.map(\.line) == [GlyphLine(" muted "), GlyphLine(" auto ")])
        #expect(row.chips.map(\.column) == [15, 23])
    }

    @Test func aLongNameIsCutForThem() {
        let row = row(String(repeating: "n", count: 40), ["muted"], 0..<20)
        #expect(row.title?.line == GlyphLine(String(repeating: "n", count: 11) + "…"))
        #expect(row.chips.map(\.column) == [13])
    }

    @Test func aNameKeepsItsRoomAndChipsAreShort() {
        let row = row("Night market", ["paused", "1.25x"], 1..<20)
        #expect(row.title?.line == GlyphLine("Night ma…") && row.title?.line.columns == TopRow.leastTitle)
        #expect(row.chips.map(\.line) == [GlyphLine(" pa "), GlyphLine(" 1. ")])
        #expect(self.row("Home", ["paused", "1.25x"], 1..<13).title?.line == GlyphLine("Home"))
    }

    @Test func theLastChipsAreLeftOutFirst() {
        let row = row("", ["paused", "1.25x", "muted"], 1..<12)
        #expect(row.title == nil && row.chips.map(\.line) == [GlyphLine(" pa "), GlyphLine(" 1. ")])
        #expect(self.row("name", ["paused"], 0..<0).chips.isEmpty)
    }

    // MARK: On the page

    @Test(arguments: [40, 80, 200]) func aChipHidesNoName(columns: Int) {
        let page = Page(columns: columns, rows: 24)
        page.state.feed.title = GlyphLine("Night market")
        page.play()
        page.type("m")
        let top = page.screen[0]
        #expect(top.contains("Night market  muted "), "\(top)")
    }

    /// All that can stand in the row, on the smallest terminal too.
    @Test(arguments: [40, 48, 60, 80], Place.allCases) func thePlacesNameIsNeverCovered(columns: Int, place: Place) {
        var options = Options()
        options.isFirstRun = true
        let page = Page(columns: columns, rows: 12, options: options)
        page.state.feed.places = Places(Place.allCases, current: place)
        page.play()
        #expect(page.screen[0].contains("keys") && page.screen[0].contains(place.name))
        page.wait(.seconds(5))
        page.send(.cachedFeed(age: .seconds(17 * 60)))
        for key in " m]A" { page.type(key) }
        #expect(page.screen[0].contains("offline") && page.screen[0].contains(place.name))
    }

    /// The cached items of a feed whose server does not answer.
    @Test func theFeedsAgeIsAChip() {
        let page = Page()
        page.play()
        page.send(.cachedFeed(age: .seconds(17 * 60)))
        #expect(page.screen[0].contains(" offline · 17 min old "))
        page.wait(.seconds(61))
        #expect(page.screen[0].contains(" offline · 18 min old "))
        page.send(.cachedFeed(age: nil))
        #expect(!page.screen[0].contains("offline"))
    }
}
