import Model
import Testing

@testable import UI

/// Where the page's text stands when the whole picture is shown.
struct WholePictureTests {
    private func layout(_ columns: Int, _ rows: Int, _ width: Int, _ height: Int) -> PageLayout {
        let page = Page(columns: columns, rows: rows)
        page.play(picture: PixelSize(width: width, height: height))
        return PageLayout(page.state, index: 0)
    }

    private func overlaps(_ first: GridRect, _ second: GridRect) -> Bool {
        first.column < second.column + second.columns && second.column < first.column + first.columns
            && first.row < second.row + second.rows && second.row < first.row + first.rows
    }

    /// 9:16, 4:5 and 1:1 where there is room at both sides.
    @Test(arguments: [
        (80, 24, 27, 48), (120, 40, 45, 80), (120, 40, 64, 80), (200, 60, 68, 120), (200, 60, 96, 120),
        (200, 60, 120, 120), (500, 150, 169, 300),
    ])
    func textBesideThePictureCoversNothingOfIt(columns: Int, rows: Int, width: Int, height: Int) {
        let layout = layout(columns, rows, width, height)
        #expect(layout.isTextBeside && layout.isRailBeside)
        for frame in layout.frames where frame != layout.top && frame != layout.scrubber {
            #expect(!overlaps(frame, layout.picture), "\(frame) lies over \(layout.picture)")
            #expect(frame.column >= 0 && frame.column + frame.columns <= columns)
        }
        // Near the picture, not at the far ends of the page.
        #expect(layout.rail.column - (layout.picture.column + layout.picture.columns) <= 2)
        #expect(layout.picture.column - (layout.text.column + layout.text.columns) == 2)
    }

    @Test func narrowBarsHaveRoomForTheRailOnly() {
        let layout = layout(40, 12, 14, 24)
        #expect(layout.isRailBeside && !layout.isTextBeside)
        #expect(!overlaps(layout.rail, layout.picture) && layout.text.column == 1)
    }

    @Test func belowAWidePictureTheRailKeepsClearOfIt() {
        let layout = layout(60, 54, 60, 34)
        #expect(layout.picture == GridRect(column: 0, row: 18, columns: 60, rows: 18))
        #expect(!overlaps(layout.rail, layout.picture) && !overlaps(layout.text, layout.picture))
    }

    @Test func aFilledOrUnknownPictureIsThePage() {
        #expect(layout(80, 24, 80, 48).picture == GridRect(column: 0, row: 0, columns: 80, rows: 24))
        let page = Page()
        #expect(PageLayout(page.state, index: 0).picture.columns == 80)
        #expect(!PageLayout(page.state, index: 0).isTextBeside)
    }

    @Test func onlyAPictureThatLeavesRoomHasABackdrop() {
        let page = Page()
        page.play(picture: PixelSize(width: 80, height: 48))
        #expect(draw(page.state, now: page.now).pages.map(\.hasBackdrop) == [false])
        page.play(picture: PixelSize(width: 27, height: 48))
        #expect(draw(page.state, now: page.now).pages.map(\.hasBackdrop) == [true])
        page.state.options.hasBackdrop = false
        #expect(draw(page.state, now: page.now).pages.map(\.hasBackdrop) == [false])
        page.state.options.hasBackdrop = true
        page.send(.player("v1", .failed("it ends early")))
        #expect(draw(page.state, now: page.now).pages.map(\.hasBackdrop) == [false])
    }
}
