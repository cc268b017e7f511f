import Foundation
import Model
import TestSupport
import Testing

@testable import TermGraphics
@testable import UI

/// Every letter of the page can be read over whatever picture is below it: its contrast is at least 4.5 to 1, that of
/// the large signs 3 to 1 (WCAG 2.2, success criterion 1.4.3).
struct PageContrastTests {
    enum Ground: String, CaseIterable, Sendable {
        case white, black, noise, checks, sky
        /// Pictures of the demo feed.
        case snow, gold, aurora, bloom
    }

    /// What a person may see of a page.
    private func pages(columns: Int, rows: Int, color: ColorMode, theme: Theme.Name) -> [(name: String, page: Page)] {
        var options = Options()
        options.color = color
        options.theme = theme
        func page(_ name: String, _ change: (Page) -> Void) -> (name: String, page: Page) {
            let page = Page(columns: columns, rows: rows, options: options)
            page.play(position: .seconds(7))
            change(page)
            return (name, page)
        }
        return [
            page("playing") { _ in },
            page("liked, saved, followed, shared") { page in for key in "lsfdy" { page.type(key) } },
            page("seeking") { page in page.press(.right) },
            page("paused, faster, muted") { page in for key in " ]m" { page.type(key) } },
            page("volume, hint") { page in for key in "-x" { page.type(key) } },
            page("caption") { page in page.type("e") },
            page("filled") { page in page.type("z") },
            page("whole picture") { page in
                page.play(picture: PixelSize(width: columns / 3, height: rows * 2))
            },
            page("waiting") { page in
                page.send(.player("v1", .stalled(true)))
                page.wait(.seconds(1))
            },
        ]
    }

    private func picture(_ ground: Ground, _ size: PixelSize) throws -> Picture {
        var random = SeededRandom(state: 3)
        func make(_ pixel: (Int, Int) -> UInt32) -> Picture {
            Picture(
                size: size,
                pixels: (0..<size.width * size.height).map { pixel($0 % size.width, $0 / size.width) })
        }
        switch ground {
        case .white: return make { _, _ in 0xFFFFFF }
        case .black: return make { _, _ in 0 }
        case .noise: return make { _, _ in .random(in: 0...0xFF_FFFF, using: &random) }
        case .checks: return make { x, y in (x / 3 + y / 4) & 1 == 0 ? 0xFFFFFF : 0x000000 }
        case .sky: return make { _, y in UInt32(90 + y % 150) << 16 | 0xC8FF }
        case .snow, .gold, .aurora, .bloom: return try demo(ground.rawValue, size)
        }
    }

    /// Pages without a picture in the light theme: dark letters, and no shade.
    @Test(arguments: [(80, 24), (200, 60)]) func aPageWithoutAPictureIsLight(columns: Int, rows: Int) {
        var options = Options()
        options.theme = .light
        let facts = ClipFacts(duration: .seconds(60), isSeekable: true, hasVideo: false, hasAudio: true)
        for report in [PlayerReport.failed("broken", advice: "mend it"), .opened(facts)] {
            let page = Page(columns: columns, rows: rows, options: options)
            page.send(.player("v1", report))
            page.send(.player("v1", .playing))
            for key in "lsf5" { page.type(key) }
            let scene = draw(page.state, now: page.now)
            var letters = 0
            for cell in scene.overlay.cells {
                #expect(cell.shade == 0)
                guard let needed = needed(GlyphTable.text(of: cell.glyph)) else { continue }
                letters += 1
                let contrast = Contrast.ratio(cell.foreground.packed, cell.background.packed)
                #expect(contrast >= needed - 0.001, "\(GlyphTable.text(of: cell.glyph)): \(contrast)")
            }
            // An error page has no caption.
            #expect(letters > 60)
        }
    }

    /// Where letters need a ground of their own, it is that of the page, whatever the theme.
    @Test(arguments: [(ColorMode.palette16, PictureMode.half), (.mono, .half), (.truecolor, .ascii)])
    func letterGroundsAreThePagesOwn(color: ColorMode, pictureMode: PictureMode) {
        var options = Options()
        (options.theme, options.color, options.pictureMode) = (.light, color, pictureMode)
        let facts = ClipFacts(duration: .seconds(60), isSeekable: true, hasVideo: false, hasAudio: true)
        for report in [PlayerReport.failed("broken", advice: "mend it"), .opened(facts)] {
            // No creator: a creator's sign has a solid background.
            let page = Page([Page.feed[3]], options: options)
            page.send(.player("v4", report))
            let scene = draw(page.state, now: page.now)
            #expect(scene.background == .black)
            var letters = 0
            for cell in scene.overlay.cells where needed(GlyphTable.text(of: cell.glyph)) != nil {
                letters += 1
                #expect(cell.background == .black && cell.foreground != .black)
            }
            #expect(letters > 20)
        }
        // A terminal that reports its colours later.
        let page = Page()
        page.state.options.theme = .light
        #expect(page.state.theme.background != .black)
        page.state.options.pictureMode = .ascii
        #expect(page.state.theme.background == .black)
    }

    /// A still of the demo feed, at the size of the page.
    private func demo(_ name: String, _ size: PixelSize) throws -> Picture {
        let root = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "../..")
        let file = FileManager.default.temporaryDirectory.appending(path: "flick-\(UUID().uuidString).raw")
        defer { unlink(file.path) }
        let result = try Command.run([
            "ffmpeg", "-v", "error", "-i", root.appending(path: "Assets/demo/\(name).jpg").path, "-vf",
            "scale=\(size.width):\(size.height)", "-pix_fmt", "bgra", "-f", "rawvideo", file.path,
        ])
        #expect(result.status == 0, "\(result.errors)")
        // Blue, green, red and alpha are 0xAARRGGBB in little-endian order.
        let pixels = try Data(contentsOf: file).withUnsafeBytes { bytes in
            bytes.bindMemory(to: UInt32.self).map { UInt32(littleEndian: $0) & 0xFF_FFFF }
        }
        return Picture(size: size, pixels: pixels)
    }

    /// The contrast that a glyph needs: nothing for blanks, blocks, dots and lines, which are no text.
    private func needed(_ text: String) -> Float? {
        guard let scalar = text.unicodeScalars.first else { return nil }
        if "♥✘✗❝★➦♪♡☆●".unicodeScalars.contains(scalar) { return 3 }
        let isDrawn = (0x2500...0x259F).contains(scalar.value) || (0x2800...0x28FF).contains(scalar.value)
        return isDrawn || scalar.properties.isWhitespace || "▮▯·❚".unicodeScalars.contains(scalar) ? nil : 4.5
    }

    @Test(
        arguments: [(80, 24), (40, 12), (120, 40), (200, 60)],
        Theme.Name.allCases.flatMap { theme in ColorMode.allCases.map { ($0, theme) } })
    func everyLetterCanBeRead(size: (Int, Int), look: (ColorMode, Theme.Name)) throws {
        let grid = GridSize(columns: size.0, rows: size.1)
        let pages = pages(columns: size.0, rows: size.1, color: look.0, theme: look.1)
        let shown = Shown(look.0)
        var letters = 0
        // Text on a solid background does not depend on the picture.
        let isSolid = look.0 == .palette16 || look.0 == .mono || look.1 == .highContrast
        for ground in isSolid ? [.white] : Ground.allCases {
            let picture = try picture(ground, PictureMode.half.pictureSize(for: grid))
            for (name, page) in pages {
                let scene = draw(page.state, now: page.now)
                var canvas = Canvas(size: grid, pictureMode: .half, color: look.0)
                canvas.compose(picture, under: scene.overlay)
                for index in 0..<grid.cells {
                    let text = GlyphTable.text(of: scene.overlay.cells[index].glyph)
                    guard let needed = needed(text) else { continue }
                    let cell = canvas.cell(index)
                    letters += 1
                    let contrast = Contrast.ratio(shown.color(cell.foreground), shown.background(of: cell))
                    #expect(
                        contrast >= needed - 0.001,
                        "\(text) at \(index % size.0), \(index / size.0) of \(name) on \(ground): \(contrast)")
                }
            }
        }
        #expect(letters > (isSolid ? 500 : 5_000))
    }

    /// The colours that a terminal shows for those of a canvas.
    private struct Shown {
        let mode: ColorMode

        init(_ mode: ColorMode) { self.mode = mode }

        func color(_ value: UInt32) -> UInt32 {
            switch mode {
            case .truecolor: value
            case .palette256, .palette16: TerminalPalette.color(of: Int(value)).packed
            case .mono: 0xFFFFFF
            }
        }

        /// Without colours all text is of one, on a ground of the other, or the reverse.
        func background(of cell: PaintedCell) -> UInt32 { mode == .mono ? 0 : color(cell.background) }
    }

    /// What is played, buffered and neither differ by 3 to 1 from their neighbours: in tone, or in ink where colours
    /// are few.
    @Test(arguments: Theme.Name.allCases, ColorMode.allCases)
    func scrubberPartsStandOutFromEachOther(theme: Theme.Name, color: ColorMode) {
        for isSoundOnly in [false, true] {
            var options = Options()
            (options.theme, options.color) = (theme, color)
            let page = Page(options: options)
            page.play(position: .seconds(5))
            page.send(.player("v1", .buffered(until: .seconds(10))))
            if isSoundOnly {
                let facts = ClipFacts(duration: .seconds(20), isSeekable: true, hasVideo: false, hasAudio: true)
                page.send(.player("v1", .opened(facts)))
            }
            let bar = PageLayout(page.state, index: 0).bar
            let scene = draw(page.state, now: page.now)
            var canvas = Canvas(size: scene.overlay.size, pictureMode: .half, color: color)
            let white = Picture(
                size: PixelSize(width: 80, height: 48), pixels: Array(repeating: 0xFFFFFF, count: 3_840))
            canvas.compose(white, under: scene.overlay)
            let shown = Shown(color)
            func cell(_ share: Double) -> PaintedCell {
                canvas.cell(bar.row * 80 + bar.column + Int(Double(bar.columns) * share))
            }
            let (played, buffered, rest) = (cell(0.1), cell(0.4), cell(0.8))
            for (brighter, darker) in [(played, buffered), (buffered, rest)] {
                let tone = Contrast.ratio(shown.color(brighter.foreground), shown.color(darker.foreground))
                #expect(max(tone, ink(brighter) / ink(darker)) >= 3, "\(theme) \(color): \(tone)")
            }
            #expect(ink(played) >= 0.5)
        }
    }

    /// The share of a cell that the scrubber's characters cover, about.
    private func ink(_ cell: PaintedCell) -> Float {
        ["█": 1, "▆": 0.75, "▄": 0.5, "─": 0.08, "·": 0.02][GlyphTable.text(of: Glyph(code: cell.glyph))] ?? 0
    }

    /// The ground of letters goes over into the picture without steps: from one half row to the next it changes by less
    /// than is seen. Nothing is darkened where no text stands.
    @Test(arguments: [(80, 24), (120, 40), (200, 60)]) func scrimHasNoSteps(columns: Int, rows: Int) {
        let (level, _) = levels(over: 0xFFFFFF, columns: columns, rows: rows)
        // Not the scrubber, and the row that goes over into it.
        for y in 1..<2 * (rows - 2) {
            for x in 1..<columns {
                #expect(abs(level(x, y) - level(x, y - 1)) <= 9, "\(x), \(y)")
                #expect(abs(level(x, y) - level(x - 1, y)) <= 9, "\(x), \(y)")
            }
        }
        #expect(level(columns / 4, 2) == 255)
    }

    /// A backdrop is dark enough for text, and the arc of the trust score, which is no text, needs little more.
    @Test(arguments: [(80, 24), (120, 40), (200, 60)]) func arcHardlyDarkensABackdrop(columns: Int, rows: Int) throws {
        let (level, overlay) = levels(over: 0x555555, columns: columns, rows: rows)
        // Its left end is red, and needs most.
        let dots = overlay.cells.indices.filter { (0x2800...0x28FF).contains(overlay.cells[$0].glyph.code) }
        let left = try #require(dots.min { $0 % columns < $1 % columns })
        #expect(level(left % columns - 3, 2 * (left / columns)) >= 0x55 - 2)
    }

    /// How bright a page's picture of one grey is under its text, by column and row of half blocks.
    private func levels(
        over grey: UInt32, columns: Int, rows: Int
    ) -> (level: (_ x: Int, _ y: Int) -> Int, overlay: CellGrid) {
        let page = Page(columns: columns, rows: rows)
        page.play(position: .seconds(7))
        let scene = draw(page.state, now: page.now)
        var canvas = Canvas(size: scene.overlay.size, pictureMode: .half, color: .truecolor)
        let size = PictureMode.half.pictureSize(for: scene.overlay.size)
        let picture = Picture(size: size, pixels: Array(repeating: grey, count: size.width * size.height))
        canvas.compose(picture, under: scene.overlay)
        let pixels = (0..<size.width * size.height).map { Int(canvas.pixels[$0] & 0xFF) }
        return ({ x, y in pixels[y * columns + x] }, scene.overlay)
    }
}
