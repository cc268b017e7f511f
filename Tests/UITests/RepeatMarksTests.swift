import Model
import Testing

@testable import UI

/// The part of a clip that is repeated: its marks, and the page with them.
struct RepeatMarksTests {
    private func playing(at position: Duration, columns: Int = 80, rows: Int = 24) -> Page {
        let page = Page(columns: columns, rows: rows)
        page.play(duration: .seconds(100), position: position)
        return page
    }

    /// In milliseconds.
    private func part(_ start: Int, _ end: Int) -> Range<Duration> {
        Duration.milliseconds(start)..<Duration.milliseconds(end)
    }

    /// The page's clip is there, and has been reported.
    private func move(_ page: Page, to position: Duration) {
        page.send(.player("v1", .position(position, duration: .seconds(100))))
    }

    @Test func marksAreSetInEitherOrderAndCleared() {
        var marks = RepeatMarks()
        let changes = [20, 5, 7].map { marks.mark(.seconds($0)) }
        #expect(changes == [.started, .repeats(part(5_000, 20_000)), .cleared])
        #expect(marks == RepeatMarks())
    }

    @Test func shortPartKeepsItsStart() {
        var marks = RepeatMarks()
        let changes = [5_000, 5_400, 5_500].map { marks.mark(.milliseconds($0)) }
        #expect(changes == [.started, .tooShort, .repeats(part(5_000, 5_500))])
    }

    @Test func marksHaveTheirOwnCells() {
        var marks = RepeatMarks()
        _ = marks.mark(.seconds(99))
        #expect(marks.cells(on: 10, duration: .seconds(100)).start == 8)
        _ = marks.mark(.seconds(100))
        let cells = marks.cells(on: 10, duration: .seconds(100))
        #expect(cells.start == 8 && cells.end == 9)
        // A clip may turn out to be shorter.
        let late = marks.cells(on: 10, duration: .seconds(50))
        #expect(late.start == 8 && late.end == 9)
    }

    @Test func keySetsBothMarksAndClearsThem() {
        let page = playing(at: .seconds(20))
        #expect(page.type("L").isEmpty)
        #expect(page.toast == "Repeat from 0:20 · L to set its end")
        move(page, to: .seconds(40))
        #expect(page.type("L") == [.repeatPart("v1", part(20_000, 40_000))])
        #expect(page.toast == "Repeating 0:20 to 0:40 · L to stop")
        #expect(page.type("L") == [.repeatPart("v1", nil)] && page.toast == "Repeat off")
    }

    @Test(arguments: [(80, 24), (40, 12)]) func scrubberShowsTheMarks(columns: Int, rows: Int) throws {
        let page = playing(at: .seconds(20), columns: columns, rows: rows)
        page.type("L")
        move(page, to: .seconds(60))
        page.type("L")
        page.wait(.seconds(5))
        let row = try #require(page.screen.last)
        let bar = PageLayout(page.state, index: 0).bar
        let line = Array(row)[bar.column..<bar.column + bar.columns]
        let (start, end) = (line.firstIndex(of: "A"), line.firstIndex(of: "B"))
        #expect(start.map { $0 - bar.column } == Int(Double(bar.columns - 1) * 0.2))
        #expect(end.map { $0 - bar.column } == Int(Double(bar.columns - 1) * 0.6))
    }

    @Test func marksGoWithThePage() {
        let page = playing(at: .seconds(20))
        page.type("L")
        move(page, to: .seconds(40))
        page.type("L")
        page.type("j")
        page.wait(.seconds(1))
        page.type("k")
        page.wait(.seconds(1))
        #expect(page.state.seeking.repeats == RepeatMarks())
    }

    @Test func clipWithoutPlacesHasNoParts() {
        let page = Page()
        page.send(
            .player(
                "v1",
                .opened(
                    ClipFacts(duration: nil, isSeekable: false, hasVideo: true, hasAudio: true, container: "mpegts"))))
        #expect(page.type("L").isEmpty && page.toast == "Cannot seek in this clip")
    }

    @Test func diagnosticsNameThePart() {
        let page = playing(at: .seconds(20))
        page.type("L")
        move(page, to: .seconds(40))
        page.type("L")
        page.type("I")
        #expect(page.screen.contains { $0.contains("repeats") && $0.contains("0:20 to 0:40") })
    }
}
