import Model
import Testing

@testable import UI

/// Chapters and sound tracks on the page.
@Suite struct TrackTests {
    private func page(
        _ chapters: [(Double, String)], size: (Int, Int) = (80, 24), sounds: [ClipTrack] = [],
        color: ColorMode = .truecolor
    ) -> Page {
        var options = Options()
        options.color = color
        let page = Page(columns: size.0, rows: size.1, options: options)
        var facts = ClipFacts(duration: .seconds(100), isSeekable: true, hasVideo: true, hasAudio: true)
        facts.chapters = chapters.map { Chapter(start: .seconds($0.0), title: $0.1) }
        facts.soundTracks = sounds
        facts.soundTrack = sounds.isEmpty ? nil : 0
        page.send(.player("v1", .opened(facts)))
        page.send(.player("v1", .firstFrame))
        page.send(.player("v1", .playing))
        page.wait(.seconds(3))
        return page
    }

    private func at(_ seconds: Double, _ page: Page) {
        page.wait(.seconds(3))
        page.send(.player("v1", .sought(.seconds(seconds))))
        page.send(.player("v1", .position(.seconds(seconds), duration: .seconds(100))))
    }

    private func toast(_ page: Page) -> String { page.state.toasts.current?.text.text ?? "" }

    private let three = [(0.0, "Begin"), (30.0, "Middle"), (60.0, "")]

    @Test(arguments: [
        (0.0, 30.0, "Chapter 2 of 3: Middle"), (29, 30, "Chapter 2 of 3: Middle"), (29.7, 60, "Chapter 3 of 3"),
        (31, 60, "Chapter 3 of 3"),
    ])
    func theKeyGoesToTheNextChapter(from: Double, to: Double, words: String) {
        let page = page(three)
        at(from, page)
        #expect(page.type("}") == [.seek("v1", to: .seconds(to))])
        #expect(toast(page) == words)
    }

    @Test(arguments: [
        (45.0, 30.0, "Chapter 2 of 3: Middle"), (31, 0, "Chapter 1 of 3: Begin"), (29.8, 0, "Chapter 1 of 3: Begin"),
        (1, 0, "Chapter 1 of 3: Begin"), (99, 60, "Chapter 3 of 3"),
    ])
    func theKeyGoesToThisChaptersBeginningOrTheOneBefore(from: Double, to: Double, words: String) {
        let page = page(three)
        at(from, page)
        #expect(page.type("{") == [.seek("v1", to: .seconds(to))])
        #expect(toast(page) == words)
    }

    @Test func keysInTurnCountFromWhereTheLastOneLeads() {
        let page = page(three)
        at(1, page)
        page.type("}")
        #expect(page.type("}") == [.seek("v1", to: .seconds(60))])
        #expect(page.type("}") == [] && toast(page) == "This is the last chapter")
        #expect(page.type("{") == [.seek("v1", to: .seconds(30))])
    }

    @Test func previousChapterBeforeTheFirstSeeksToTheStart() {
        let page = page([(20, "One")])
        at(10, page)
        #expect(page.type("{") == [.seek("v1", to: .zero)])
        at(10, page)
        #expect(page.type("}") == [.seek("v1", to: .seconds(20))])
    }

    @Test func aClipWithoutChaptersSaysSo() {
        let page = page([])
        #expect(page.type("}") == [] && toast(page) == "No chapters")
        #expect(page.type("{") == [])
    }

    @Test func chaptersOfTheItemCountWhereTheFileHasNone() {
        let page = page([])
        page.state.clip.linkedChapters = [Chapter(start: .seconds(50), title: "Linked")]
        #expect(page.type("}") == [.seek("v1", to: .seconds(50))])
        #expect(toast(page) == "Chapter 1 of 1: Linked")
    }

    @Test func chaptersBeyondTheEndAreIgnored() {
        let page = page([])
        page.state.clip.linkedChapters = [(0, "Begin"), (99, "Last"), (100, "End"), (900, "Behind")].map {
            Chapter(start: .seconds($0.0), title: $0.1)
        }
        at(10, page)
        #expect(page.type("}") == [.seek("v1", to: .seconds(99))] && toast(page) == "Chapter 2 of 2: Last")
        #expect(page.type("}") == [] && toast(page) == "This is the last chapter")
    }

    // MARK: The scrubber

    private func bar(_ page: Page) -> [Cell] {
        let (bar, overlay) = (PageLayout(page.state, index: 0).bar, draw(page.state, now: page.now).overlay)
        return (0..<bar.columns).map { overlay[bar.column + $0, bar.row] }
    }

    @Test func chaptersAreMarksOnTheLine() {
        let page = page(three)
        at(45, page)
        page.wait(.seconds(3))
        let cells = bar(page)
        let marks = cells.indices.filter { cells[$0].glyph == Glyph("▆") }
        let expected = [0.3, 0.6].map { (place: Double) -> Int in Int((Double(cells.count) * place).rounded()) }
        #expect(marks == expected)
        #expect(cells[marks[1]].foreground == page.state.theme.played)
        let plain = self.page(three, color: .palette16)
        #expect(bar(plain).count { $0.glyph == Glyph("┃") } == 2)
    }

    @Test func tooManyChaptersAreNoMarks() {
        let page = page((0..<60).map { (Double($0), "") })
        at(90, page)
        page.wait(.seconds(3))
        #expect(Set(bar(page).map(\.glyph)) == [Glyph("▄")])
    }

    @Test(arguments: [(80, 24), (200, 60)]) func theChapterIsNamedWhileOneSeeks(columns: Int, rows: Int) {
        let page = page(three, size: (columns, rows))
        at(40, page)
        page.press(.right)
        #expect(page.screen[rows - 2].contains(" 0:45 / 1:40  Middle "))
        page.press(.altRight)
        #expect(page.screen[rows - 2].contains(" 1:15 / 1:40 ") && !page.screen[rows - 2].contains("Middle"))
    }

    /// A title that is too long is cut, and never takes the time's place.
    @Test(arguments: [(40, 12), (40, 24), (60, 20)]) func aLongTitleIsCut(columns: Int, rows: Int) {
        let page = page([(0, String(repeating: "語", count: 100))], size: (columns, rows))
        at(40, page)
        page.press(.right)
        #expect(page.screen[(rows - 2)...].joined().contains("0:45"))
        #expect(page.screen.allSatisfy { GlyphLine($0).columns <= columns })
    }

    // MARK: Sounds

    private let sounds = [
        ClipTrack(language: "ger", title: ""), ClipTrack(language: "eng", title: "Commentary"),
        ClipTrack(language: "", title: ""),
    ]

    @Test func theKeyCyclesTheSounds() {
        let page = page([], sounds: sounds)
        #expect(page.type("b") == [.chooseSound("v1", 1)])
        #expect(toast(page) == "Audio: English, Commentary (2 of 3)")
        #expect(page.type("b") == [.chooseSound("v1", 2)] && toast(page) == "Audio: track 3 (3 of 3)")
        #expect(page.type("b") == [.chooseSound("v1", 0)] && toast(page) == "Audio: Deutsch (1 of 3)")
        page.send(.player("v1", .soundTrack(2)))
        #expect(page.type("b") == [.chooseSound("v1", 0)])
    }

    @Test func singleAudioTrackOffersNoChoice() {
        let page = page([], sounds: [sounds[0]])
        #expect(page.type("b") == [] && toast(page) == "Only one audio track")
        let facts = ClipFacts(duration: .seconds(100), isSeekable: true, hasVideo: true, hasAudio: false)
        page.send(.player("v1", .opened(facts)))
        #expect(page.type("b") == [] && toast(page) == "No audio")
    }

    @Test func theMenuHasWhatTheClipHas() {
        func entries(_ page: Page) -> [String] {
            page.state.menu.filter { [.subtitles, .soundTrack, .chapterForward, .chapterBack].contains($0.action) }
                .map(\.text)
        }
        #expect(entries(page([])).isEmpty)
        let page = page(three, sounds: sounds)
        page.state.clip.facts?.textTracks = [ClipTrack(language: "fr", title: "")]
        #expect(
            entries(page)
                == ["Subtitles: Français", "Audio: English, Commentary", "Next chapter", "Previous chapter"])
        func choose(_ action: Action) -> [Effect] {
            page.type("M")
            for _ in 0..<(page.state.menu.firstIndex { $0.action == action } ?? 0) { page.press(.down) }
            return page.press(.enter)
        }
        #expect(choose(.subtitles) == [.chooseText("v1", 0)] && toast(page) == "Subtitles: Français")
        #expect(entries(page).first == "Subtitles off")
        #expect(choose(.soundTrack) == [.chooseSound("v1", 1)] && choose(.chapterForward).count == 1)
    }

    @Test func theDiagnosticsNameWhatThereIs() {
        let page = page(three, size: (80, 50), sounds: sounds)
        page.type("I")
        let text = page.screen.joined(separator: "\n")
        #expect(text.contains("chapters") && text.contains("Deutsch (1 of 3)"))
    }
}
