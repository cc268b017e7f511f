import Model
import Testing

@testable import UI

/// The heart that a like shows.
struct HeartTests {
    /// It shrinks a little, then grows to more than twice its size while it fades.
    @Test func theHeartShrinksThenGrows() throws {
        let page = Page(columns: 200, rows: 60)
        page.play()
        page.type("l")
        let start = page.now
        func width(at share: Double) -> Int {
            let overlay = draw(page.state, now: start + Reactions.Burst.length * share).overlay
            let columns = (0..<200).filter { column in
                (0..<58).contains { row in
                    let cell = overlay[column, row]
                    return cell.foreground == page.state.theme.like && cell.glyph != .none && column < 180
                }
            }
            guard let first = columns.first, let last = columns.last else { return 0 }
            return last - first + 1
        }
        let whole = width(at: 0)
        #expect(whole > 8)
        #expect((0.75...0.95).contains(Double(width(at: 0.29)) / Double(whole)))
        #expect((1.9...2.4).contains(Double(width(at: 0.9)) / Double(whole)))
        page.wait(Reactions.Burst.length + .milliseconds(20))
        #expect(page.state.reactions.burst == nil)
    }

    @Test func heartIsAShapeWhereThereArePixels() throws {
        var options = Options()
        options.pictureMode = .kitty
        let page = Page(options: options)
        page.play()
        page.type("l")
        let scene = draw(page.state, now: page.now)
        let heart = try #require(scene.heart)
        #expect(heart.at == GridPoint(column: 40, row: 11) && heart.columns == 12 && heart.opacity == 1)
        #expect(scene.overlay[40, 11].glyph == .none)
        #expect(draw(Page().state, now: .seconds(10)).heart == nil)
        options.pictureMode = .half
        page.state.options = options
        let cells = draw(page.state, now: page.now)
        #expect(cells.heart == nil && cells.overlay[40, 11].foreground == page.state.theme.like)
    }

    /// Without colours it is an outline: a filled one would not be seen on a white picture.
    @Test(arguments: [PictureMode.half, .ascii]) func heartIsAnOutlineWithoutColors(mode: PictureMode) {
        var options = Options()
        (options.color, options.pictureMode) = (.mono, mode)
        let page = Page(options: options)
        page.play()
        let before = draw(page.state, now: page.now).overlay
        page.type("l")
        let overlay = draw(page.state, now: page.now).overlay
        let signs = Set("*▀▄█".unicodeScalars.map { Glyph($0) })
        let middle = (3..<20).map { overlay[40, $0] }
        let rows = middle.indices.filter { middle[$0] != before[40, 3 + $0] }
        // From the notch to the point: lit at both ends, dark and covering the picture between.
        #expect(rows.count >= 3 && rows.allSatisfy { middle[$0].style.contains(.opaque) })
        #expect([rows.first, rows.last].allSatisfy { $0.map { signs.contains(middle[$0].glyph) } == true })
        #expect(rows.dropFirst().dropLast().contains { middle[$0].glyph == .space })
    }

    /// At every size the heart is symmetric, with a notch above and one point below.
    @Test func theHeartIsAHeart() {
        #expect(HeartBitmap.all.map(\.width) == HeartBitmap.all.map(\.width).sorted())
        for heart in HeartBitmap.all {
            let (width, height) = (heart.width, heart.rows.count)
            #expect(width % 2 == 1 && heart.rows.allSatisfy { $0.count == width && $0 == $0.reversed() })
            #expect(!heart.has(width / 2, 0) && heart.has(width / 4, 0) && heart.has(width / 2, height / 2))
            #expect((0..<width).filter { heart.has($0, height - 1) } == [width / 2])
            #expect((4 * width / 5...width).contains(height))
        }
    }
}
