import Model
import TestSupport
import Testing

@testable import TermGraphics

@Suite struct EncoderTests {
    @Test(arguments: ColorMode.allCases, PictureMode.ofGlyphs)
    func terminalShowsWhatWasComposed(color: ColorMode, pictureMode: PictureMode) throws {
        for seed in 1...30 {
            var random = SeededRandom(state: UInt64(seed))
            let size = GridSize(columns: .random(in: 1...40, using: &random), rows: .random(in: 1...12, using: &random))
            let capabilities = EncoderCapabilities(
                synchronised: .random(using: &random), repeats: .random(using: &random))
            var canvas = Canvas(size: size, pictureMode: pictureMode, color: color)
            var encoder = Encoder(size: size, capabilities: capabilities)
            var terminal = GridTerminal(size: size)
            var scene = RandomScene(size: size, pictureMode: pictureMode, using: &random)
            for update in 0..<12 {
                scene.change(using: &random)
                scene.compose(into: &canvas)
                if update == 6 { encoder.forget() }
                let bytes = encoder.bytes(of: canvas)
                try terminal.feed(bytes)
                #expect(terminal.scrolls == 0)
                #expect(terminal.modes.isEmpty)
                for index in 0..<size.cells {
                    let fault = difference(canvas, terminal, at: index)
                    #expect(fault == nil, "seed \(seed), update \(update)")
                    if fault != nil { return }
                }
                #expect(encoder.bytes(of: canvas).isEmpty)
            }
        }
    }

    /// A vt100 knows nothing of UTF-8: each column of a character beyond ASCII is a question mark.
    @Test(arguments: ColorMode.allCases)
    func terminalWithoutUnicodeGetsASCIIOnly(color: ColorMode) throws {
        var questionMarks = 0
        for seed in 1...8 {
            var random = SeededRandom(state: UInt64(seed))
            let size = GridSize(columns: 30, rows: 8)
            var canvas = Canvas(size: size, pictureMode: .ascii, color: color)
            var encoder = Encoder(size: size, capabilities: EncoderCapabilities(unicode: false))
            var terminal = GridTerminal(size: size)
            var scene = RandomScene(size: size, pictureMode: .ascii, using: &random)
            for _ in 0..<6 {
                scene.change(using: &random)
                scene.compose(into: &canvas)
                let bytes = encoder.bytes(of: canvas)
                #expect(bytes.allSatisfy { $0 < 0x80 })
                questionMarks += bytes.count { $0 == UInt8(ascii: "?") }
                try terminal.feed(bytes)
                #expect(terminal.scrolls == 0)
            }
        }
        #expect(questionMarks > 0)
    }

    @Test func firstUpdateResetsAndPaintsFromTheCorner() {
        #expect(
            text(pixels: [0xFF0000, 0xFF0000, 0x00FF00, 0x0000FF], columns: 2)
                == "\u{1B}[m\u{1B}[H\u{1B}[38;2;255;0;0;48;2;0;255;0m▀\u{1B}[48;2;0;0;255m▀")
    }

    @Test func lowerBlockIsTakenWhereItSavesAColour() {
        #expect(text(pixels: [1, 2, 2, 1], columns: 2) == "\u{1B}[m\u{1B}[H\u{1B}[38;2;0;0;1;48;2;0;0;2m▀▄")
    }

    @Test func equalPixelsAreASpace() {
        #expect(text(pixels: [7, 7, 7, 7], columns: 2) == "\u{1B}[m\u{1B}[H\u{1B}[48;2;0;0;7m  ")
    }

    /// Text copied from the terminal has spaces where the page has. The stripes of this picture are written as full
    /// blocks where that is shortest, and have the colors of the text's ground.
    ///
    /// A terminal whose blocks do not fill the cell gets none.
    @Test(arguments: [Precision.exact, .moving], [(false, true), (true, true), (true, false)])
    func blanksOfTextAreSpaces(precision: Precision, can: (repeats: Bool, fullBlocks: Bool)) throws {
        let size = GridSize(columns: 24, rows: 6)
        let screen = TestScreen(
            size: size, capabilities: .init(repeats: can.repeats, fullBlocks: can.fullBlocks))
        let pixels = PictureMode.half.pictureSize(for: size)
        var random = SeededRandom(state: 3)
        var blocks = 0
        for update in 0..<60 {
            let picture = Picture(
                size: pixels,
                pixels: (0..<pixels.width * pixels.height).map {
                    [0, 0x102030, 0x405060][($0 % pixels.width / 3 + $0 / pixels.width * (update / 20)) % 3]
                })
            var overlay = CellGrid(size: size)
            // No text at first, so that all cells are the picture's, then one that slides.
            let row = Int.random(in: 0..<size.rows, using: &random)
            for (column, letter) in "of one  color".unicodeScalars.enumerated() where update % 4 > 0 {
                let place = column + Int.random(in: 0..<2, using: &random)
                overlay[place, row] = Cell(glyph: Glyph(letter), foreground: RGB(packed: 0x102030))
            }
            screen.canvas.compose(picture, under: overlay)
            _ = try screen.update(precision)
            for index in 0..<size.cells where screen.terminal.cells[index].text == "█" {
                blocks += 1
                #expect(screen.canvas.pictureCells[index] == 1, "update \(update), cell \(index)")
            }
        }
        #expect((blocks > 0) == can.fullBlocks)
    }

    @Test func runsAreRepeatedWhereTheTerminalCan() {
        #expect(
            text(pixels: Array(repeating: 7, count: 40), columns: 20, .init(repeats: true))
                == "\u{1B}[m\u{1B}[H\u{1B}[48;2;0;0;7m \u{1B}[19b")
    }

    @Test func synchronisedUpdatesAreFramed() {
        #expect(
            text(pixels: [7, 7], columns: 1, .init(synchronised: true))
                == "\u{1B}[?2026h\u{1B}[m\u{1B}[H\u{1B}[48;2;0;0;7m \u{1B}[?2026l")
    }

    @Test(arguments: [false, true])
    func updatesCutShortByTheirBudgetGoOnWhereTheyStopped(synchronised: Bool) throws {
        for seed in 1...20 {
            var random = SeededRandom(state: UInt64(seed))
            let size = GridSize(columns: .random(in: 1...40, using: &random), rows: .random(in: 1...12, using: &random))
            var scene = RandomScene(size: size, pictureMode: .half, using: &random)
            scene.change(using: &random)
            var canvas = Canvas(size: size, pictureMode: .half, color: .truecolor)
            scene.compose(into: &canvas)
            // More than any one row of these takes.
            let budget = 48 * 40
            let painter = DirectPainter(
                size: size, pictures: PictureFormat(.half),
                capabilities: EncoderCapabilities(synchronised: synchronised))
            var terminal = GridTerminal(size: size)
            var updates = 0
            var isExact = false
            while !isExact {
                updates += 1
                try #require(updates <= size.rows, "each update shows a row more")
                var buffer = ByteBuffer()
                let figures = painter.paint(canvas, within: budget, precision: .exact, into: &buffer)
                let bytes = buffer.withUnsafeBytes { Array($0) }
                #expect(bytes.count <= budget && figures.bytes == bytes.count)
                try terminal.feed(bytes)
                #expect(terminal.modes.isEmpty, "an update that was cut short is ended all the same")
                isExact = figures.isExact
            }
            for index in 0..<size.cells { #expect(difference(canvas, terminal, at: index) == nil, "seed \(seed)") }
        }
    }

    @Test func aBudgetSmallerThanARowPaintsOneRow() throws {
        let size = GridSize(columns: 3, rows: 4)
        var canvas = Canvas(size: size, pictureMode: .half, color: .truecolor)
        canvas.compose(pages: [], pageSize: size, overlay: CellGrid(size: size), background: .white)
        var encoder = Encoder(size: size, capabilities: .init())
        var terminal = GridTerminal(size: size)
        for row in 0..<size.rows {
            var buffer = ByteBuffer()
            let figures = encoder.encode(canvas, into: &buffer, within: 1)
            #expect(figures.cells == 3 && figures.isExact == (row == size.rows - 1))
            try terminal.feed(buffer.withUnsafeBytes { Array($0) })
        }
        for index in 0..<size.cells { #expect(difference(canvas, terminal, at: index) == nil) }
    }

    /// Where every update has more to write than its budget, no row waits forever. 24-bit color has its own test.
    @Test(arguments: [ColorMode.palette256, .palette16, .mono])
    func lowerRowsDoNotStarve(color: ColorMode) throws {
        let size = GridSize(columns: 8, rows: 6)
        let screen = TestScreen(size: size, color: color)
        for update in 0..<size.rows {
            var overlay = CellGrid(size: size)
            let letter = Glyph(code: UInt32(0x61 + update))
            for index in overlay.cells.indices { overlay.cells[index] = Cell(glyph: letter, style: .opaque) }
            screen.canvas.compose(pages: [], pageSize: size, overlay: overlay, background: .black)
            #expect(try !screen.update(.exact, within: 1).isExact)
        }
        let seen = (0..<size.rows).map { screen.terminal[0, $0].text }
        #expect(seen == ["a", "b", "c", "d", "e", "f"])
    }

    @Test func controlsAndInvisibleScalarsInTheOverlayAreReplaced() throws {
        let size = GridSize(columns: 6, rows: 1)
        var overlay = CellGrid(size: size)
        for (column, code) in [0x1B, 0x07, 0x7F, 0x9B, 0x202E, 0xD800].enumerated() {
            overlay[column, 0] = Cell(glyph: Glyph(code: UInt32(code)))
        }
        var canvas = Canvas(size: size, pictureMode: .half, color: .truecolor)
        canvas.compose(pages: [], pageSize: size, overlay: overlay, background: .black)
        var encoder = Encoder(size: size, capabilities: .init())
        var terminal = GridTerminal(size: size)
        try terminal.feed(encoder.bytes(of: canvas))
        #expect(terminal.text(ofRow: 0) == String(repeating: "\u{FFFD}", count: 6))
    }

    @Test(arguments: [(1, " "), (2, "  "), (3, "   "), (4, "\u{1B}[4C"), (5, "\u{1B}[5C")])
    func blanksAreRewrittenWhenShorterThanAMove(gap: Int, between: String) {
        let columns = 8
        let ground = [UInt32](repeating: 7, count: 2 * columns)
        var changed = ground
        for column in [0, gap + 1] { changed[columns + column] = 9 }
        #expect(update(from: ground, to: changed, columns: columns) == "\r\u{1B}[38;2;0;0;9m▄\(between)▄")
    }

    @Test(arguments: [(1, "\u{1B}[C"), (2, "\u{1B}[2C"), (4, "\u{1B}[4C")])
    func blocksAreSkippedWithAMove(gap: Int, between: String) {
        let columns = 8
        let ground = [UInt32](repeating: 1, count: columns) + [UInt32](repeating: 2, count: columns)
        var changed = ground
        for column in [0, gap + 1] { changed.swapAt(column, columns + column) }
        // All of them can be written in the two colours that are set already.
        #expect(update(from: ground, to: changed, columns: columns) == "\r▄\(between)▄")
    }

    /// What turns a screen that shows `old` into one that shows `new`.
    private func update(from old: [UInt32], to new: [UInt32], columns: Int) -> String {
        let size = GridSize(columns: columns, rows: 1)
        var canvas = Canvas(size: size, pictureMode: .half, color: .truecolor)
        var encoder = Encoder(size: size, capabilities: EncoderCapabilities())
        var bytes: [UInt8] = []
        for pixels in [old, new] {
            canvas.compose(
                Picture(size: PixelSize(width: columns, height: 2), pixels: pixels), under: CellGrid(size: size))
            bytes = encoder.bytes(of: canvas)
        }
        return String(decoding: bytes, as: UTF8.self)
    }

    private func text(
        pixels: [UInt32], columns: Int, _ capabilities: EncoderCapabilities = EncoderCapabilities()
    ) -> String {
        let rows = pixels.count / columns / 2
        let size = GridSize(columns: columns, rows: rows)
        let picture = Picture(size: PixelSize(width: columns, height: 2 * rows), pixels: pixels)
        var canvas = Canvas(size: size, pictureMode: .half, color: .truecolor)
        canvas.compose(picture, under: CellGrid(size: size))
        var encoder = Encoder(size: size, capabilities: capabilities)
        return String(decoding: encoder.bytes(of: canvas), as: UTF8.self)
    }
}

extension Encoder {
    mutating func bytes(of canvas: borrowing Canvas) -> [UInt8] {
        var buffer = ByteBuffer(capacity: 64)
        let figures = encode(canvas, into: &buffer)
        let bytes = buffer.withUnsafeBytes { Array($0) }
        #expect(figures.bytes == bytes.count)
        return bytes
    }
}

/// How the terminal's cell looks other than the canvas's, or `nil`.
func difference(_ canvas: borrowing Canvas, _ terminal: GridTerminal, at index: Int) -> String? {
    let cell = canvas.cell(index)
    let shown = terminal.cells[index]
    func paint(_ value: UInt32) -> GridTerminal.Paint {
        switch canvas.color {
        case .truecolor: .rgb(RGB(packed: value))
        case .palette256, .palette16: .indexed(Int(value))
        case .mono: .standard
        }
    }
    let isPixels = cell.glyph == HalfBlock.upper || cell.glyph == Glyph.space.code
    if isPixels, cell.style == 0, canvas.color != .mono {
        let pixels = terminal.pixels(column: index % canvas.size.columns, row: index / canvas.size.columns)
        guard let pixels, pixels == (paint(cell.foreground), paint(cell.background)) else {
            return "cell \(index) shows \(shown) instead of \(cell)"
        }
        return nil
    }
    let text = cell.glyph == Glyph.continuation.code ? "" : GlyphTable.text(of: Glyph(code: cell.glyph))
    let wanted = GridTerminal.Place(
        text: text, foreground: paint(cell.foreground), background: paint(cell.background),
        style: CellStyle(rawValue: UInt8(cell.style)))
    if wanted == shown { return nil }
    // Of parts, the inverted character in the colours swapped shows the same.
    let inverse = PartGlyphs.inverse(of: cell.glyph)
    let inverted = GridTerminal.Place(
        text: inverse == 0 ? "" : GlyphTable.text(of: Glyph(code: inverse)), foreground: paint(cell.background),
        background: paint(cell.foreground), style: CellStyle(rawValue: UInt8(cell.style)))
    return canvas.color != .mono && cell.style == 0 && inverted == shown
        ? nil : "cell \(index) shows \(shown) instead of \(wanted)"
}
