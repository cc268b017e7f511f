import Model
import Testing

@testable import UI

/// A radio's title, as its server sends it.
@Suite struct RadioTitleTests {
    @Test func radioTitleReplacesTheSoundTitle() {
        let sound = Item.Sound(title: "Live from Bern")
        let page = Page([Item(id: "a", url: "http://example.com/a", title: "Station", sound: sound)])
        page.play()
        func shows(_ text: String) -> Bool { page.screen.contains { $0.contains(text) } }
        #expect(shows("Live from Bern"))
        page.send(.player("a", .title("Ann - First\u{1B}song")))
        #expect(shows("Ann - First\u{FFFD}song") && !shows("Live from Bern"))
        page.send(.player("a", .title("Bob - Second")))
        #expect(shows("Bob - Second") && !shows("Ann"))
        page.send(.player("a", .title(nil)))
        #expect(shows("Live from Bern"))
    }
}
