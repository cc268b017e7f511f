import Model
import Testing

@testable import UI

/// The words of pages that wait or have failed.
@Suite struct FailureTests {
    private func line(_ wait: ClipWait, columns: Int = 64) -> String {
        let page = Page(columns: columns, rows: 24)
        page.send(.player("v1", .waits(wait)))
        page.wait(.milliseconds(400))
        return page.screen.first { $0.contains("example") || $0.contains("clip.mp4") || $0.contains("B/s") } ?? ""
    }

    /// "Buffered" would be what the scrubber shows: how much of the clip there is.
    @Test func waitSaysForWhomHowFarAndHowFast() {
        let wait = ClipWait(place: "server.example", isRemote: true, share: 0.389, speed: 40_900)
        #expect(line(wait, columns: 100).contains("waiting for server.example · buffering 38 % · 40 KB/s"))
        let narrow = line(wait, columns: 60)
        #expect(narrow.contains("waiting for server.example · buffering 38 %") && !narrow.contains("KB/s"))
        #expect(line(wait, columns: 46).contains("waiting for server.example "))
        let long = ClipWait(place: "media.server.example", isRemote: true, share: 0.389, speed: 40_900)
        #expect(line(long, columns: 40).contains("buffering 38 % · 40 KB/s"))
    }

    /// On a low page too: the dots above the words, these in the middle of what is free of the rail, and a free row
    /// above the creator's name.
    @Test(arguments: [(40, 12), (80, 24), (200, 60)]) func waitStandsClearOfTheText(columns: Int, rows: Int) throws {
        let page = Page(columns: columns, rows: rows)
        page.send(.player("v1", .waits(ClipWait(place: "127.0.0.1", isRemote: true))))
        page.wait(.milliseconds(400))
        let layout = PageLayout(page.state, index: 0)
        let place = try #require(LoadingPlace(page.state, layout, now: page.now))
        let words = try #require(place.words).frame
        #expect(place.dots.row < words.row && words.row < layout.text.row - 1)
        let middle = 2 * words.column + words.columns
        #expect(abs(middle - columns) <= 1 || abs(middle - layout.rail.column) <= 1)
        #expect(words.column >= 1 && words.column + words.columns < layout.rail.column)
    }

    @Test func waitSaysWhatIsKnown() {
        #expect(line(ClipWait(place: "a.example", isRemote: true)).contains("waiting for a.example"))
        #expect(line(ClipWait(place: "clip.mp4", isRemote: false)).contains("reading clip.mp4"))
        let still = ClipWait(place: "a.example", isRemote: true, share: 0.5, speed: 0)
        #expect(line(still).contains("waiting for a.example · buffering 50 % "))
        let late = ClipWait(place: "a.example", isRemote: true, share: 0.5, speed: 9, trouble: "busy")
        #expect(line(late).contains("a.example · busy"))
        #expect(line(ClipWait(place: "a.example\u{1B}[31m", isRemote: true)).contains("waiting for a.example\u{FFFD} "))
    }

    @Test func failureSaysWhatIsWrongThenWhatCanBeDone() throws {
        let page = Page(columns: 100, rows: 30)
        page.send(
            .player(
                "v1", .failed("cut off: its index is missing", advice: "fetch it again", detail: "moov atom not found"))
        )
        let rows = page.screen
        let words = try #require(rows.firstIndex { $0.contains("Cut off: its index is missing") })
        #expect(rows[words + 1].contains("Fetch it again"))
        #expect(rows[words + 3].contains("Enter retry   o open   I details   ↓ next clip"))
        #expect(!rows.contains { $0.contains("moov") })
        page.type("I")
        #expect(page.screen.contains { $0.contains("moov atom not found") })
    }

    /// One block in the middle: which clip, where it is, what is wrong, and the keys.
    @Test(arguments: [(80, 24), (40, 12), (200, 60), (120, 40)])
    func failedClipIsNamedInTheMiddle(columns: Int, rows: Int) throws {
        for (url, place) in [
            ("https://user:word@video.example:8000/a/b.mp4?x=1", "video.example:8000"),
            ("file:///films/otters.mp4", "/films/otters.mp4"),
        ] {
            let item = Item(id: "a", url: url, title: "Otters at dawn", text: "They swim")
            let page = Page([item, Page.feed[1]], columns: columns, rows: rows)
            page.send(.player("a", .failed("cut off: its index is missing", advice: "fetch it again")))
            let screen = page.screen
            let shown = ["Otters at dawn", place, "Cut off", "Fetch it again", "Enter retry", "o open", "I details"]
            let lines = try shown.map { text in try #require(screen.firstIndex { $0.contains(text) }, "\(text)") }
            #expect(lines == lines.sorted() && screen.filter { $0.contains("Otters") }.count == 1)
            #expect(abs((lines[0] + (lines.last ?? 0)) / 2 - rows / 2) <= 2)
            for line in Set(lines) {
                let left = screen[line].prefix { $0 == " " }.count
                #expect(abs(left - (columns - screen[line].trimmingRight.count)) <= 1)
            }
        }
    }

    @Test func highContrastHintsLookAsThoseOfSheets() throws {
        var options = Options()
        options.theme = .highContrast
        let page = Page(options: options)
        page.send(.player("v1", .failed("broken")))
        let floor = PageLayout(page.state, index: 0).text.row
        let words = try #require(page.state.words(of: Page.feed[0], page.state.clip, above: floor))
        let hint = try #require(words.firstHint)
        let overlay = draw(page.state, now: page.now).overlay
        #expect(overlay[hint.column, hint.row].foreground == page.state.theme.panelDim)
    }

    @Test func lastClipOffersNoNextOne() {
        let page = Page([Page.feed[0]])
        page.send(.player("v1", .failed("broken")))
        #expect(page.screen.contains { $0.contains("retry") } && !page.screen.contains { $0.contains("next clip") })
    }

    @Test func hostKeepsItsNameAtTheBeginning() {
        let page = Page(columns: 100, rows: 30)
        page.send(.player("v1", .failed("video.example refuses connections", advice: "try again later")))
        #expect(page.screen.contains { $0.contains("video.example refuses connections") })
    }

    @Test func linesOfAFailureAreAboutEquallyLong() {
        let text = GlyphLine("the certificate of video.example is not trusted by anybody here")
        let lines = text.balanced(to: 44).map { text.slice($0).columns }
        #expect(lines.count == 2 && abs(lines[0] - lines[1]) <= 8, "\(lines)")
        #expect(lines.count == text.wrapped(to: 44).count)
        // No word is broken that need not be.
        let long = GlyphLine("a abcdefghijklmnop b")
        #expect(long.balanced(to: 18).map { long.slice($0).columns }.max() ?? 0 >= 16)
    }
}
