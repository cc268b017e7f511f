import Model
import Testing

@testable import TermGraphics
@testable import UI

/// On pixels, too, every letter of the page can be read over whatever picture is
/// below it: the pixels of its cell are darkened before they are sent, so that their
/// mean has a contrast of 4.5 to 1 with it (WCAG 2.2, success criterion 1.4.3).
struct PixelContrastTests {
    /// Pictures whose colours change from pixel to pixel, from one part of a
    /// cell to the next, from cell to cell, and hardly.
    enum Ground: String, CaseIterable, Sendable {
        case white, noise, stripes, checks, blocks, sky

        /// What is lost to rounding, and where a cell's mean stands for bright and dark parts of it.
        var needed: Float { self == .stripes || self == .blocks ? 4.35 : 4.45 }
    }

    private func picture(_ ground: Ground, _ size: PixelSize) -> Picture {
        var noise: UInt32 = 3
        let pixels = (0..<size.width * size.height).map { index -> UInt32 in
            let (x, y) = (index % size.width, index / size.width)
            switch ground {
            case .white: return 0xFFFFFF
            case .noise:
                noise = noise &* 1_664_525 &+ 1_013_904_223
                return noise >> 8
            case .stripes: return y / 5 & 1 == 0 ? 0xFFFFFF : 0x000000
            case .checks: return (x / 3 + y / 4) & 1 == 0 ? 0xFFFF80 : 0x000030
            case .blocks: return (x / 37 + y / 29) & 1 == 0 ? 0xFFFFFF : 0x101010
            case .sky: return UInt32(90 + y % 150) << 16 | 0xC8FF
            }
        }
        return Picture(size: size, pixels: pixels)
    }

    private func pages(columns: Int, rows: Int) -> [(name: String, page: Page)] {
        var options = Options()
        options.pictureMode = .kitty
        let changes: [(String, (Page) -> Void)] = [
            ("playing", { _ in }), ("liked", { page in for key in "lsfd" { page.type(key) } }),
            ("seeking", { $0.press(.right) }), ("paused", { $0.type(" ") }), ("caption", { $0.type("e") }),
            ("toast", { $0.type("y") }), ("menu", { $0.type("M") }),
            (
                "waiting",
                {
                    $0.send(.player("v1", .stalled(true)))
                    $0.wait(.seconds(1))
                }
            ),
        ]
        return changes.map { name, change in
            let page = Page(columns: columns, rows: rows, options: options)
            page.play(position: .seconds(7))
            change(page)
            return (name, page)
        }
    }

    /// Whether a glyph is text, and no block, dots, line or sign.
    private func isLetter(_ text: String) -> Bool {
        guard let scalar = text.unicodeScalars.first, !scalar.properties.isWhitespace else { return false }
        return scalar.value < 0x2000 || scalar.value > 0x2FFF
    }

    @Test(arguments: [(80, 24), (40, 12)])
    func everyLetterCanBeReadOverPixels(columns: Int, rows: Int) {
        let grid = GridSize(columns: columns, rows: rows)
        let samples = PictureMode.kitty.samplesPerCell
        var letters = 0
        for ground in Ground.allCases {
            let picture = picture(ground, PictureMode.kitty.pictureSize(for: grid))
            for (name, page) in pages(columns: columns, rows: rows) {
                let scene = draw(page.state, now: page.now)
                var canvas = Canvas(size: grid, pictureMode: .kitty, color: .truecolor)
                picture.withView { view in
                    canvas.compose(
                        pages: [PagePicture(picture: view, top: 0)], pageSize: scene.pageSize, overlay: scene.overlay,
                        background: .black)
                }
                for index in 0..<grid.cells {
                    let overlay = scene.overlay.cells[index]
                    guard overlay.opacity == 255, isLetter(GlyphTable.text(of: overlay.glyph)) else { continue }
                    let cell = canvas.cell(index)
                    let below = meanColor(
                        of: canvas.pixels.base, samples: samples, columns: columns, column: index % columns,
                        row: index / columns)
                    letters += 1
                    let contrast = Contrast.ratio(cell.foreground, below)
                    #expect(
                        contrast >= ground.needed,
                        "\(GlyphTable.text(of: overlay.glyph)) at \(index % columns), \(index / columns) of \(name) on \(ground): \(contrast)"
                    )
                }
            }
        }
        #expect(letters > 3_000)
    }
}
