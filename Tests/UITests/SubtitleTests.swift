import Model
import Testing

@testable import UI

/// Subtitles: which are shown, when, and where.
struct SubtitleTests {
    private static let cues = [
        Cue(start: .seconds(1), end: .seconds(3), text: "Good evening,\nand welcome"),
        Cue(start: .seconds(3), end: .seconds(4), text: "שלום עולם"),
        Cue(start: .seconds(6), end: .seconds(7), text: "later"),
    ]

    private static func item(_ links: [CaptionLink] = links, id: String = "a") -> Item {
        var item = Item(id: id, url: "file:///\(id).mp4", title: "Night market", text: "Steam and neon")
        item.captions = links
        return item
    }

    private static let links = [
        CaptionLink(url: "file:///a.en.vtt", language: "en", title: "English (auto)"),
        CaptionLink(url: "file:///a.de.srt", language: "de"),
    ]

    private func playing(
        _ items: [Item] = [item()], columns: Int = 80, rows: Int = 24, _ change: (inout Options) -> Void = { _ in }
    ) -> Page {
        var options = Options()
        change(&options)
        let page = Page(items, columns: columns, rows: rows, options: options)
        page.play()
        return page
    }

    /// The toast that is shown.
    private func toast(_ page: Page) -> String? { page.state.toasts.current?.text.text }

    private func at(_ seconds: Double, _ page: Page) {
        page.send(.player(page.state.currentID ?? "", .position(.milliseconds(Int(seconds * 1_000)), duration: nil)))
    }

    /// The rows with text above the caption.
    private func subtitle(_ page: Page) -> [String] {
        let rows = page.screen.map { $0.split(separator: "  ").map { String($0.drop { $0 == " " }) } }
        return rows.compactMap { row in
            row.first { part in Self.cues.contains { $0.text.split(separator: "\n").contains { part.hasPrefix($0) } } }
        }
    }

    // MARK: Choosing

    @Test func theKeyGoesThroughTracksAndOff() {
        let page = playing()
        #expect(page.type("v") == [.readCaptions("a", 0)])
        #expect(toast(page) == "Subtitles: English (auto)")
        page.send(.captions("a", 0, Self.cues))
        #expect(page.type("v") == [.readCaptions("a", 1)])
        #expect(toast(page) == "Subtitles: Deutsch")
        #expect(page.type("v").isEmpty)
        #expect(toast(page) == "Subtitles off" && page.state.textTrack == nil)
        // What was read is not read again.
        #expect(page.type("v").isEmpty && page.state.textTrack?.id == .item(0))
    }

    @Test func aClipWithoutTracksSaysSo() {
        let page = playing([Item(id: "a", url: "file:///a.mp4")])
        #expect(page.type("v").isEmpty && toast(page) == "No subtitles")
    }

    @Test func theLanguageIsRememberedForOtherClips() {
        let other = Self.item(
            [CaptionLink(url: "file:///b.vtt", language: "fr"), CaptionLink(url: "file:///b.de.vtt", language: "ger")],
            id: "b")
        let page = playing([
            Self.item(), other, Item(id: "c", url: "file:///c.mp4"), Self.item([Self.links[0]], id: "d"),
        ])
        page.type("v")
        page.type("v")
        page.press(.down)
        page.wait(.seconds(1))
        #expect(page.state.textTrack?.id == .item(1) && page.state.currentID == "b")
        page.press(.down)
        page.wait(.seconds(1))
        #expect(page.state.textTrack == nil)
        // Another language is better than none.
        page.press(.down)
        page.wait(.seconds(1))
        #expect(page.state.textTrack?.language == "en")
        page.type("v")
        page.press(.up)
        page.press(.up)
        page.wait(.seconds(1))
        #expect(page.state.currentID == "b" && page.state.textTrack == nil)
    }

    @Test func subtitlesLoadOnceThePageRests() {
        let page = playing([Item(id: "z", url: "file:///z.mp4"), Self.item()]) { $0.subtitles.show = .on }
        #expect(!page.press(.down).contains(.readCaptions("a", 0)))
        #expect(page.wait(.seconds(1)).filter { $0 == .readCaptions("a", 0) }.count == 1)
    }

    @Test func nothingIsFetchedOfAClipThatIsHidden() {
        var item = Self.item()
        (item.isSensitive, item.chaptersURL) = (true, "https://example.org/chapters.json")
        var options = Options()
        (options.coversSensitive, options.subtitles.show) = (true, .on)
        let page = Page([item], options: options)
        func asks(_ effects: [Effect]) -> Bool {
            effects.contains(.readCaptions("a", 0)) || effects.contains(.readChapters("a"))
        }
        #expect(!asks(page.send(.tick)) && !asks(page.wait(.seconds(5))))
        #expect(!asks(page.type("v")))
    }

    @Test func subtitlesShowBySettingAndWhileMuted() {
        #expect(playing().state.textTrack == nil)
        #expect(playing { $0.subtitles.show = .on }.state.textTrack?.id == .item(0))
        #expect(playing { $0.isMuted = true }.state.textTrack?.id == .item(0))
        let silent = playing()
        silent.state.playback.sound.isMissing = true
        #expect(silent.send(.tick).contains(.readCaptions("a", 0)) && silent.state.textTrack?.id == .item(0))
        let off = playing { options in
            options.isMuted = true
            options.subtitles.show = .off
        }
        #expect(off.state.textTrack == nil)
        let page = playing()
        #expect(page.type("m").contains(.readCaptions("a", 0)))
        #expect(page.state.textTrack != nil)
        page.type("m")
        #expect(page.state.textTrack == nil)
    }

    @Test func wantedLanguagesComeFirst() {
        let page = playing { options in
            options.subtitles.show = .on
            options.subtitles.languages = ["de-AT"]
        }
        #expect(page.state.textTracks.map(\.id) == [.item(1), .item(0)] && page.state.textTrack?.id == .item(1))
    }

    @Test func aTrackOfTheClipIsAskedOfItsPlayer() {
        let page = playing([Self.item([])])
        page.state.clip.facts?.textTracks = ["fr", "eng"].map { ClipTrack(language: $0, title: "") }
        #expect(page.type("v") == [.chooseText("a", 0)] && toast(page) == "Subtitles: Français")
        #expect(page.type("v") == [.chooseText("a", 1)] && toast(page) == "Subtitles: English")
        page.send(.player("a", .cues(Self.cues)))
        at(1.5, page)
        #expect(!subtitle(page).isEmpty)
        #expect(page.type("v") == [.chooseText("a", nil)])
    }

    @Test func unreadableSubtitlesAreReportedOnceAndRetried() {
        let page = playing([Self.item([Self.links[0]])])
        page.type("v")
        page.send(.captionsUnavailable("a", 0, why: "the server says 404\u{1B}[2J\nno"))
        #expect(toast(page) == "No subtitles: the server says 404\u{FFFD} no")
        #expect(page.wait(.seconds(10)).isEmpty)
        page.type("v")
        #expect(page.type("v") == [.readCaptions("a", 0)])
        page.send(.captions("a", 0, []))
        #expect(toast(page) == "No subtitles: they contain no text")
        // An abandoned file is read when it is wanted again.
        page.type("v")
        page.type("v")
        #expect(page.send(.captionsUnavailable("a", 0, why: nil)) == [.readCaptions("a", 0)])
    }

    // MARK: Showing

    private func shown(columns: Int = 80, rows: Int = 24, picture: PixelSize? = nil) -> Page {
        let page = Page([Self.item()], columns: columns, rows: rows)
        page.play(picture: picture)
        page.type("v")
        page.send(.captions("a", 0, Self.cues))
        page.wait(.seconds(4))
        return page
    }

    @Test func cuesAreShownInTheirTimeAndNotLater() {
        let page = shown()
        for (time, text) in [
            (0.9, []), (1, ["Good evening,", "and welcome"]), (2.9, ["Good evening,", "and welcome"]),
            (3, ["שלום עולם"]), (4, []), (5.9, []), (6.5, ["later"]), (7, []),
        ] {
            at(time, page)
            #expect(subtitle(page) == text, "at \(time)")
        }
    }

    @Test func cuesAreMovedInSteps() {
        let page = shown()
        for _ in 0..<4 { page.type(")") }
        page.type(")")
        #expect(toast(page) == "Subtitles 0.5 s later")
        at(1.4, page)
        #expect(subtitle(page).isEmpty)
        at(1.5, page)
        #expect(subtitle(page) == ["Good evening,", "and welcome"])
        at(3.4, page)
        #expect(subtitle(page) == ["Good evening,", "and welcome"])
        #expect(page.state.nextSubtitle(after: page.now).map { $0 - page.now } == .milliseconds(101))
        for _ in 0..<15 { page.type("(") }
        #expect(toast(page) == "Subtitles 1.0 s earlier")
        at(0.1, page)
        #expect(subtitle(page) == ["Good evening,", "and welcome"])
        at(5.5, page)
        #expect(subtitle(page) == ["later"])
        page.type("I")
        #expect(page.state.diagnosticEntries.contains(.pair("subtitle delay", "1.0 s earlier")))
        let bare = Page([Item(id: "b", url: "file:///b.mp4")])
        bare.play()
        #expect(bare.type(")").isEmpty && toast(bare) == "No subtitles")
    }

    @Test func theNextChangeIsWaitedFor() {
        let page = shown()
        at(1, page)
        page.state.playback.setSpeed(2)
        let due = page.state.nextSubtitle(after: page.now).map { $0 - page.now }
        #expect(due == .milliseconds(1_001))
        page.type(" ")
        #expect(page.state.nextSubtitle(after: page.now) == nil)
    }

    @Test func nextChangeOfDelayedCuesIsWaitedFor() {
        let page = shown()
        for _ in 0..<5 { page.type(")") }
        at(2, page)
        #expect(page.state.nextSubtitle(after: page.now).map { $0 - page.now } == .milliseconds(1_501))
    }

    @Test func nothingChangesWhileTheCueDoesNot() {
        let page = shown()
        at(1.2, page)
        let before = draw(page.state, now: page.now).overlay
        at(1.3, page)
        #expect(draw(page.state, now: page.now).overlay == before)
    }

    @Test(arguments: [(40, 12), (60, 16), (80, 24), (120, 40), (200, 60)])
    func subtitlesOverlapNothing(columns: Int, rows: Int) {
        for picture in [
            nil, PixelSize(width: rows * 9 / 8, height: rows * 2), PixelSize(width: columns, height: rows / 2),
        ] {
            var item = Page.feed[0]
            item.captions = Self.links
            let page = Page([item], columns: columns, rows: rows)
            page.play(picture: picture)
            page.type("v")
            let long = Cue(
                start: .zero, end: .seconds(19),
                text: String(repeating: "WORD東京", count: 3) + String(repeating: " ZEBRA", count: 80))
            page.send(.captions("v1", 0, [long]))
            page.wait(.seconds(4))
            at(2, page)
            let layout = PageLayout(page.state, index: 0)
            let frames = SubtitlePlace(page.state, layout).frames
            // In 40 columns the rail takes eleven: icon, key and word.
            #expect(frames[0].rows == (rows < 20 ? 2 : 3) && frames[0].columns >= (columns < 80 ? 14 : 24))
            for frame in frames {
                for other in layout.frames + [layout.rail] where other.rows > 0 && other.columns > 0 {
                    let isApart =
                        other.row >= frame.row + frame.rows || frame.row >= other.row + other.rows
                        || other.column >= frame.column + frame.columns || frame.column >= other.column + other.columns
                    #expect(isApart, "\(frame) \(other) \(picture as Any)")
                }
                #expect(frame.row >= 1 && frame.column >= 0 && frame.column + frame.columns <= columns)
            }
            let written = page.screen.filter { $0.contains("ZEBRA") || $0.contains("WORD") }
            let largest = frames.max { $0.cells < $1.cells }
            #expect(written.count == largest?.rows && written.last?.contains("…") == true)
        }
    }

    /// An upright picture is narrow: rows are taken, and the columns beside it, before a word is lost.
    @Test(arguments: [(40, 12), (60, 20), (80, 24), (80, 40)]) func aLongTextIsWholeOnAnUprightClip(
        columns: Int, rows: Int
    ) {
        // The smallest terminal has no room for it beside a page that has everything.
        for item in rows < 20 ? [Self.item()] : [Self.item(), Page.feed[0]] {
            var item = item
            item.captions = Self.links
            let page = Page([item], columns: columns, rows: rows)
            page.play(picture: PixelSize(width: rows * 9 / 8, height: rows * 2))
            page.type("v")
            let text = "Top cue with a very long line that will have to be wrapped somewhere since it is long"
            page.send(.captions(item.id, 0, [Cue(start: .zero, end: .seconds(19), text: text)]))
            at(2, page)
            page.state.toasts = Toasts()
            let shown = page.state.setSubtitle(PageLayout(page.state, index: 0), now: page.now)
            #expect(shown?.lines.map { $0.text.trimmingPrefix(" ") }.joined(separator: " ") == text)
            // A short one stays in the picture, at the usual place.
            page.send(.captions(item.id, 0, [Cue(start: .zero, end: .seconds(19), text: "Good evening")]))
            let frame = SubtitlePlace(page.state, PageLayout(page.state, index: 0)).frames[0]
            let short = page.state.setSubtitle(PageLayout(page.state, index: 0), now: page.now)?.frame
            #expect(short.map { $0.row + $0.rows } == frame.row + frame.rows && short?.columns == frame.columns)
        }
    }

    /// The least that a bright picture needs is seen as no ground at all.
    @Test func theGroundBehindThemIsDark() {
        let page = shown()
        at(6.5, page)
        let (overlay, row) = (
            draw(page.state, now: page.now).overlay, page.screen.firstIndex { $0.contains("later") } ?? 0
        )
        let place = page.screen[row].prefix { $0 == " " }.count
        #expect((-1...5).allSatisfy { overlay[place + $0, row].shade >= OverlayDrawing.subtitleShade })
        at(8, page)
        let without = draw(page.state, now: page.now).overlay
        #expect(without[place, row].shade < OverlayDrawing.subtitleShade)
    }

    @Test func aLineThatFitsIsCentred() {
        let page = shown(columns: 80, rows: 24)
        at(6.5, page)
        let place = SubtitlePlace(page.state, PageLayout(page.state, index: 0)).frames[0]
        let row = page.screen[place.row + place.rows - 1]
        let column = row.prefix { $0 == " " }.count
        #expect(abs(column - (place.column + (place.columns - 5) / 2)) <= 0 && row.contains("later"))
    }

    @Test func plainModePrintsEachCue() {
        let page = playing { $0.isPlain = true }
        var lines = ScreenReaderOutput()
        page.type("v")
        page.send(.captions("a", 0, Self.cues))
        _ = lines.next(page.state, now: page.now)
        var printed: [[String]] = []
        for time in [1, 1.5, 3, 4.5] {
            at(time, page)
            printed.append(lines.next(page.state, now: page.now))
        }
        #expect(printed == [["Good evening, and welcome"], [], ["שלום עולם"], []])
        at(5, page)
        #expect(page.state.nextText(after: page.now).map { $0 - page.now } == .milliseconds(1_001))
    }

    // MARK: Lists of cues

    @Test func cuesThatOverlapAreShownTogether() {
        let list = CueList([
            Cue(start: .seconds(0), end: .seconds(100), text: "a"),
            Cue(start: .seconds(1), end: .seconds(2), text: "b"),
            Cue(start: .seconds(1), end: .seconds(3), text: "c"), Cue(start: .seconds(5), end: .seconds(5), text: "d"),
        ])
        func texts(_ seconds: Int) -> [String] { list.shown(at: .seconds(seconds)).map(\.text) }
        #expect(texts(0) == ["a"] && texts(1) == ["a", "b", "c"] && texts(2) == ["a", "c"] && texts(50) == ["a"])
        #expect(texts(100).isEmpty && CueList([]).shown(at: .zero).isEmpty)
        #expect(
            list.nextChange(after: .seconds(1)) == .seconds(2) && list.nextChange(after: .seconds(60)) == .seconds(100))
        #expect(list.nextChange(after: .seconds(100)) == nil && list.nextChange(after: .seconds(-1)) == .zero)
    }

    @Test func chaptersOfTheItemAreTheClips() {
        var item = Self.item()
        item.chaptersURL = "https://example.org/chapters.json"
        let page = Page([item, item], columns: 80, rows: 24)
        #expect(page.wait(.seconds(1)).filter { $0 == .readChapters("a") }.count == 1)
        page.play()
        let chapters = [Chapter(start: .seconds(3), title: "b")]
        page.send(.chapters("a", chapters))
        #expect(page.state.clip.linkedChapters == chapters)
    }
}
