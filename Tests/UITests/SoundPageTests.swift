import Model
import Testing

@testable import UI

/// The page of a clip that is only heard.
@Suite struct SoundPageTests {
    private func page(
        _ item: Item = Item(id: "a", url: "file:///music/08 song.mp3", title: "08 song"), isNamedByFile: Bool = false
    ) -> Page {
        let page = Page([item])
        var facts = ClipFacts(duration: .seconds(60), isSeekable: true, hasVideo: false, hasAudio: true)
        facts.tags = ClipFacts.Tags(title: "Night Train", artist: "Ilma Kettu", album: "Stations")
        facts.tags.nameItem = isNamedByFile
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

    /// In place of a file's name they are the title and the artist. Each name stands there once.
    @Test func tagsReplaceATitleThatIsTheFilesName() throws {
        var item = Item(id: "a", url: "file:///music/08 song.mp3", title: "08 song")
        let alone = try #require(page(item, isNamedByFile: true).state.content)
        #expect(alone.name.text == "Ilma Kettu" && alone.caption.text == "Night Train")
        #expect(alone.sound.text == "Stations" && !alone.canFollow)
        item.folder = "music"
        let filed = page(item, isNamedByFile: true)
        let content = try #require(filed.state.content)
        #expect(content.name.text == "music" && content.title.text == "Night Train" && content.artist == "Ilma Kettu")
        #expect(content.titleCount == 11 && content.sound.text == "Stations")
        let screen = filed.screen.joined(separator: "\n")
        #expect(screen.contains("Ilma Kettu") && !screen.contains("08 song"))
        let plain = PlainItem(content, filed.state, now: filed.now)
        #expect(plain.short.contains("Night Train. music. ") && plain.short.contains("Ilma Kettu"))
        #expect(plain.all.contains("Ilma Kettu"))
    }

    @Test func tagsWithoutATitleReplaceNone() throws {
        let page = page(isNamedByFile: true)
        page.state.clip.facts?.tags.title = ""
        page.state.renewContents(of: "a")
        let content = try #require(page.state.content)
        #expect(content.title.text == "08 song" && content.sound.text == "Ilma Kettu · Stations")
    }

    @Test func titleStandsInTheMiddleWithoutACover() throws {
        let page = page()
        let row = try #require(page.screen.firstIndex { $0.contains("08 song") })
        #expect(row < page.state.size.rows / 2)
        page.send(.player("a", .picture(PixelSize(width: 40, height: 40))))
        #expect(page.screen.prefix(page.state.size.rows / 2).contains { $0.contains("08 song") } == false)
    }
}
