import Model
import Testing

@testable import UI

/// The label that says how long ago an item was published.
struct AgeTests {
    private static let names = ["Wen", "Ilma Kettu", "Weather station at the end of the long pier"]

    private func item(_ name: String, isOwn: Bool) -> Item {
        var item = Item(
            id: "a", url: "https://example.org/a.mp4", title: "Night market, lantern row",
            text: "First evening of the season. The dumpling stall at the far end is the one that you want.",
            published: Page.midnight.addingTimeInterval(-86_400 * 340),
            creator: .init(name: name, avatar: "https://example.org/wen.jpg"), tags: ["street", "food"],
            sound: .init(title: "Paper lanterns"), trust: .init(score: 82), stats: .init(likes: 1, dislikes: 2))
        item.own = isOwn
        return item
    }

    /// If there is no room after the name and the button, it has its own row.
    @Test(arguments: [(80, 24), (200, 60), (50, 16), (60, 50), (100, 30)], names)
    func ageIsShownFrom16Rows(size: (Int, Int), name: String) {
        let shapes = [
            nil, PixelSize(width: size.1 * 9 / 8, height: size.1 * 2), PixelSize(width: size.0, height: size.0 / 2),
        ]
        for (picture, isOwn) in shapes.flatMap({ [($0, false), ($0, true)] }) {
            let page = Page([item(name, isOwn: isOwn)], columns: size.0, rows: size.1)
            for key in ["", "f", "e"] {
                key.forEach { page.type($0) }
                page.play(picture: picture)
                page.state.toasts = Toasts()
                #expect(page.screen.contains { $0.contains("11mo ago") }, "\(picture as Any) \(isOwn) \(key)")
            }
        }
    }

    /// Following an item, or its age, moves nothing else on its page.
    @Test func layoutDoesNotDependOnTheAge() {
        for name in Self.names {
            let page = Page([item(name, isOwn: false)])
            page.play(picture: PixelSize(width: 27, height: 48))
            let before = PageLayout(page.state, index: 0)
            page.type("f")
            page.state.wallClock = Page.midnight.addingTimeInterval(-86_400 * 339)
            let after = PageLayout(page.state, index: 0)
            #expect(before.text == after.text && before.age?.row == after.age?.row, "\(name)")
        }
    }

    @Test func itemWithoutADateShowsNoAge() {
        let page = Page([Page.feed[3]])
        #expect(PageLayout(page.state, index: 0).age == nil)
    }
}
