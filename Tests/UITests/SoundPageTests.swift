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

    /// Large in the middle, or in the caption: the page reads it once.
    @Test(arguments: [(40, 12), (80, 24), (120, 40), (200, 60)])
    func titleStandsOnce(columns: Int, rows: Int) throws {
        var item = Page.feed[0]
        (item.title, item.text) = ("Night watch", Array(repeating: "word", count: 60).joined(separator: " "))
        for cover in [nil, PixelSize(width: 12, height: 12)] {
            let page = loud(item, (columns, rows), cover: cover)
            for isExpanded in [false, true] {
                if isExpanded { page.type("e") }
                if page.state.view.sheet != nil { page.press(.escape) }
                let screen = page.screen
                let found = screen.indices.filter { screen[$0].contains("Night watch") }
                let row = try #require(found.first)
                let isAbove = row < PageLayout(page.state, index: 0).text.row
                #expect(found.count == 1 && isAbove == (cover == nil))
            }
        }
    }

    /// The middle has no room for it: it stands in the caption, as on other pages.
    @Test func longTitleStaysInTheCaption() {
        var item = Page.feed[0]
        item.title = (0..<40).map { "t\($0)" }.joined(separator: " ")
        let layout = PageLayout(loud(item, (80, 24), cover: nil).state, index: 0)
        #expect(layout.titleLines.isEmpty && layout.captionLines.first?.lowerBound == 0)
    }

    /// Without a creator the name would be the title again. The age stands in its place.
    @Test func titleTakesThePlaceOfTheName() throws {
        var item = Item(id: "a", url: "file:///music/song.mp3", title: "Song")
        item.published = Page.midnight
        let page = loud(item, (80, 24), cover: nil)
        let layout = PageLayout(page.state, index: 0)
        #expect(page.screen.joined().ranges(of: "Song").count == 1)
        #expect(layout.name.columns == 0 && layout.age?.column == layout.text.column)
        #expect(!page.screen[layout.name.row].contains("·"))
    }

    /// The newest bar stands below the title's middle, and a row is free between the bars and the name.
    @Test(arguments: [(40, 12), (80, 24), (120, 40)])
    func barsStandBelowTheTitle(columns: Int, rows: Int) throws {
        var item = Page.feed[0]
        item.title = "Night watch"
        let page = loud(item, (columns, rows), cover: nil)
        let (layout, bars) = (PageLayout(page.state, index: 0), bars(page))
        let row = try #require(page.screen.first { $0.contains("Night watch") })
        let first = row.prefix { $0 == " " }.count
        let (left, right) = (try #require(bars.map(\.column).min()), try #require(bars.map(\.column).max()))
        #expect(left + right == 2 * first + 10)
        #expect(bars.allSatisfy { $0.row < layout.text.row - 1 })
    }

    private static let levels = " ▁▂▃▄▅▆▇█".unicodeScalars.dropFirst().map { Glyph($0) }

    /// The cells of the level's bars.
    private func bars(_ page: Page) -> [GridPoint] {
        let overlay = draw(page.state, now: page.now).overlay
        return (0..<overlay.size.cells).map {
            GridPoint(column: $0 % overlay.size.columns, row: $0 / overlay.size.columns)
        }.filter { $0.row < overlay.size.rows - 1 && Self.levels.contains(overlay[$0.column, $0.row].glyph) }
    }

    private func loud(_ item: Item, _ size: (Int, Int), cover: PixelSize?) -> Page {
        let page = Page([item], columns: size.0, rows: size.1)
        let facts = ClipFacts(duration: .seconds(60), isSeekable: true, hasVideo: false, hasAudio: true)
        page.send(.player(item.id, .opened(facts)))
        page.send(.player(item.id, .playing))
        for _ in 0..<60 { page.send(.player(item.id, .level(1))) }
        if let cover { page.send(.player(item.id, .picture(cover))) }
        return page
    }

    /// Below the cover where there is room, else over its lower part.
    @Test(arguments: [
        (120, 40, PixelSize(width: 40, height: 40)), (200, 60, PixelSize(width: 118, height: 118)),
        (60, 50, PixelSize(width: 60, height: 60)), (80, 24, PixelSize(width: 47, height: 47)),
    ])
    func barsStandInTheMiddleOfTheCover(columns: Int, rows: Int, cover: PixelSize) throws {
        let page = loud(Item(id: "a", url: "file:///a.mp3", title: "Song"), (columns, rows), cover: cover)
        let (layout, bars) = (PageLayout(page.state, index: 0), bars(page))
        let (picture, places) = (layout.picture, bars.map(\.column))
        let (left, right) = (try #require(places.min()), try #require(places.max()))
        #expect(left >= picture.column && right < picture.column + picture.columns)
        #expect(abs(left + right - (2 * picture.column + picture.columns - 1)) <= 1)
        for place in bars { #expect(!layout.frames.contains { $0.contains(place) }) }
        let end = picture.row + picture.rows
        let hasRoom = (layout.isTextBeside ? layout.floor : layout.text.row) - end >= 5
        #expect(bars.allSatisfy { $0.row > end } == hasRoom)
    }

    /// A row stays free above what is said, or the bars go.
    @Test(
        arguments: [(80, 24), (120, 40), (200, 60), (40, 12)], [nil, PixelSize(width: 40, height: 40)] as [PixelSize?])
    func barsKeepOutOfSubtitles(size: (Int, Int), cover: PixelSize?) throws {
        var item = Page.feed[0]
        item.captions = [CaptionLink(url: "file:///a.vtt", language: "en")]
        let page = loud(item, size, cover: cover)
        page.type("v")
        for count in [1, 12, 60] {
            let text = Array(repeating: "word", count: count).joined(separator: " ")
            page.send(.captions(item.id, 0, [Cue(start: .zero, end: .seconds(60), text: text)]))
            page.state.toasts = Toasts()
            let layout = PageLayout(page.state, index: 0)
            let spoken = try #require(page.state.setSubtitle(layout, now: page.now)).frame
            let bars = bars(page)
            #expect(bars.allSatisfy { $0.row < spoken.row || $0.row >= spoken.row + spoken.rows })
            if count == 1, size.1 >= 24 { #expect(!bars.isEmpty) }
        }
    }
}
