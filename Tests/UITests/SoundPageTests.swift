import Model
import Testing

@testable import UI

/// The page of a clip that is only heard.
@Suite struct SoundPageTests {
    private func page(_ item: Item = Item(id: "a", url: "file:///music/08 song.mp3", title: "08 song")) -> Page {
        let page = Page([item])
        var facts = ClipFacts(duration: .seconds(60), isSeekable: true, hasVideo: false, hasAudio: true)
        facts.tags = ["Night Train", "Ilma Kettu", "Stations"]
        page.send(.player("a", .opened(facts)))
        page.send(.player("a", .playing))
        return page
    }

    @Test func coverIsThePicture() {
        let page = page()
        #expect(page.state.coverage(of: 0, now: page.now) == 1)
        page.send(.player("a", .picture(PixelSize(width: 40, height: 40))))
        #expect(page.state.coverage(of: 0, now: page.now) == 0)
        let picture = PageLayout(page.state, index: 0).picture
        #expect(picture.columns == 40 && picture.rows == 20)
        #expect(page.state.hasBackdrop(around: picture))
    }

    @Test func tagsNameWhatPlays() {
        #expect(page().screen.contains { $0.contains("Night Train · Ilma Kettu · Stations") })
        let sound = Item.Sound(title: "As the feed says")
        let named = page(Item(id: "a", url: "https://example.com/a.mp3", title: "Song", sound: sound))
        #expect(named.screen.contains { $0.contains("As the feed says") })
        #expect(!named.screen.contains { $0.contains("Night Train") })
    }

    @Test func titleStandsInTheMiddleWithoutACover() throws {
        let page = page()
        let row = try #require(page.screen.firstIndex { $0.contains("08 song") })
        #expect(row < page.state.size.rows / 2)
        page.send(.player("a", .picture(PixelSize(width: 40, height: 40))))
        #expect(page.screen.prefix(page.state.size.rows / 2).contains { $0.contains("08 song") } == false)
    }
}
