import Model
import Testing

@testable import UI

@Suite struct PartTests {
    private static let feed = (0..<9).map { number in
        Item(
            id: "i\(number)", url: "file:///clips/\(number).mp4", title: "Clip \(number)",
            creator: .init(id: "c\(number % 3)", name: "Creator \(number % 3)"),
            tags: number == 4 ? [] : number % 2 == 0 ? ["rain", "food"] : ["rain"])
    }

    private func page(at index: Int) -> Page {
        let page = Page(Self.feed, columns: 100)
        for _ in 0..<index { page.press(.down) }
        page.wait(.seconds(2))
        page.play()
        return page
    }

    private func part(_ part: FeedPart) -> [Item] { Self.feed.filter(part.has) }

    @Test func theCreatorsClipsStandInPlaceOfTheFeedUntilEsc() {
        let page = page(at: 4)
        let creator = FeedPart.creator(key: "c1", id: "c1", name: "Creator 1")
        #expect(page.type("u") == [.openPart(creator)])
        let effects = page.send(.part(creator, part(creator)))
        // The clip in view goes on.
        #expect(page.state.currentID == "i4" && page.state.items.count == 3 && page.state.clip.isPlaying)
        #expect(!effects.contains(.pause("i4")))
        #expect(page.screen[0].contains("‹ Creator 1") && page.screen[0].contains("2/3"))
        page.press(.down)
        page.wait(.seconds(1))
        #expect(page.state.currentID == "i7")
        #expect(page.press(.escape) == [.closePart])
        page.send(.wholeFeed(Self.feed, title: "Feed", at: 4))
        #expect(page.state.currentID == "i4" && page.state.items.count == 9 && page.state.part == nil)
        #expect(page.orders.contains(.play("i4")))
        #expect(page.screen[0].contains("Feed") && !page.screen[0].contains("‹"))
        // Nothing is left to come back from.
        #expect(page.press(.escape) == [])
    }

    @Test func oneTopicOpensAtOnceAndSeveralAreAskedFor() {
        #expect(page(at: 1).type("#") == [.openPart(.topic("rain"))])
        let page = page(at: 2)
        #expect(page.type("#") == [] && page.state.sheet == .topics)
        #expect(page.screen.contains { $0.contains("#rain") } && page.screen.contains { $0.contains("#food") })
        page.press(.down)
        #expect(page.press(.enter) == [.openPart(.topic("food"))])
        #expect(page.state.sheet == nil)
        page.send(.part(.topic("food"), part(.topic("food"))))
        #expect(page.screen[0].contains("‹ #food"))
        // From within, the same topic leads back.
        #expect(page.state.perform(.topics, now: page.now) == [] && page.press(.down) == [])
        #expect(page.press(.enter) == [.closePart])
        let none = self.page(at: 4)
        #expect(none.type("#") == [] && none.state.toasts.current?.text == GlyphLine("this clip has no topics"))
        #expect(!none.state.menu.contains { $0.action == .topics })
    }

    @Test func topicsAndNamesAreClicked() throws {
        let page = page(at: 2)
        let layout = PageLayout(page.state, index: 2)
        let chips = layout.chips(page.state.content(of: 2).tags)
        try #require(chips.count == 2)
        #expect(page.screen[chips[1].row].contains("#rain #food"))
        func click(_ frame: GridRect) -> [Effect] {
            page.mouse(.press(.left), frame.column, frame.row)
            return page.mouse(.release(.left), frame.column, frame.row)
        }
        #expect(click(chips[1]) == [.openPart(.topic("food"))])
        #expect(click(layout.name) == [.openPart(.creator(key: "c2", id: "c2", name: "Creator 2"))])
    }

    /// Reading the whole feed again ends the part.
    @Test func aFeedThatIsReadAgainIsWhole() {
        let page = page(at: 0)
        page.send(.part(.topic("rain"), part(.topic("rain"))))
        page.send(.feed(Self.feed, title: "Feed"))
        #expect(page.state.part == nil && page.state.items.count == 9 && page.state.currentID == "i0")
    }

    /// The part that came is without the clip in view; and the whole feed has become shorter meanwhile.
    @Test func listsThatHaveChangedLeadSomewhere() {
        let page = page(at: 8)
        page.send(.part(.topic("food"), [Self.feed[0]]))
        #expect(page.state.currentID == "i0" && page.state.current == 0)
        page.send(.wholeFeed([Self.feed[3], Self.feed[0]], title: nil, at: 8))
        #expect(page.state.currentID == "i0" && page.state.current == 1)
    }
}
