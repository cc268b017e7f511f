import Model
import Testing

@testable import UI

/// What a page calls its item, and the feed: each name in one place.
struct NameTests {
    private func content(
        title: String?, text: String? = nil, creator: String? = nil, folder: String? = nil
    ) -> (name: String, caption: String, bold: Int) {
        let item = Item(
            id: "1", url: "https://h.example/1", title: title, text: text, creator: creator.map { .init(name: $0) },
            folder: folder)
        let content = PageContent(item)
        return (Self.text(content.name), Self.text(content.caption), content.titleCount)
    }

    private static func text(_ line: GlyphLine) -> String {
        line.glyphs.map { $0 == GlyphLine.newline ? "\n" : GlyphTable.text(of: $0) }.joined()
    }

    @Test func theNameIsTheCreatorElseTheFolderElseTheTitle() {
        #expect(content(title: "T", text: "D", creator: "C", folder: "F") == ("C", "T\nD", 1))
        #expect(content(title: "T", text: "D", folder: "F") == ("F", "T\nD", 1))
        #expect(content(title: "T", text: "D") == ("T", "D", 0))
        #expect(content(title: " \u{202E}", text: nil) == ("https://h.example/1", "", 0))
    }

    @Test func anAddressInPlaceOfATitleHasNoSecrets() {
        let content = PageContent(Item(id: "1", url: "https://me:pw@h.example/1?token=abc", title: ""))
        #expect(Self.text(content.name) == "https://h.example/1?token=…")
    }

    @Test func nothingIsSaidTwice() {
        #expect(content(title: "T", text: "T", creator: "C") == ("C", "T", 1))
        #expect(content(title: "T", text: "T\n\nmore", creator: "C") == ("C", "T\nmore", 1))
        #expect(content(title: "T", text: "T\nmore") == ("T", "more", 0))
        #expect(content(title: "C", text: "D", creator: "C") == ("C", "D", 0))
        #expect(content(title: "T", text: "To be", creator: "C") == ("C", "T\nTo be", 1))
    }

    @Test func theTopLineHasTheFeedsNameUnlessTheCreatorHasIt() {
        func top(_ title: String?) -> String {
            let state = State(size: GridSize(columns: 80, rows: 24), items: Page.feed, title: title)
            return rows(of: draw(state, now: .seconds(1)).overlay)[0]
        }
        #expect(top("Night\u{1B}[31m shift").contains("Night\u{FFFD} shift"))
        #expect(!top("Mira Okafor").contains("Mira"))
        #expect(top(nil) == top(""))
    }

    @Test func aFeedThatIsReadAgainTakesItsNewName() {
        let page = Page()
        page.send(.feed(Page.feed, title: "New"))
        #expect(page.state.feed.title == GlyphLine("New"))
        page.send(.feed(Page.feed, title: nil))
        #expect(page.state.feed.title.isEmpty)
    }
}
