import Model
import TestSupport
import Testing

@testable import TermGraphics

@Suite struct PartPictureTests {
    static let modes = [PictureMode.quadrant, .sextant, .octant]

    /// A picture of cells in one row, each made of its parts' colours.
    private func picture(_ cells: [[UInt32]], _ mode: PictureMode) -> Picture {
        let samples = mode.samplesPerCell
        let size = mode.pictureSize(for: GridSize(columns: cells.count, rows: 1))
        return Picture(
            size: size,
            pixels: (0..<size.width * size.height).map { index in
                let (x, y) = (index % size.width, index / size.width)
                return cells[x / samples.width][y * samples.width + x % samples.width]
            })
    }

    private func shown(_ cells: [[UInt32]], _ mode: PictureMode, _ color: ColorMode = .truecolor) -> [PaintedCell] {
        let size = GridSize(columns: cells.count, rows: 1)
        var canvas = Canvas(size: size, pictureMode: mode, color: color)
        canvas.compose(picture(cells, mode), under: CellGrid(size: size))
        return (0..<size.cells).map { canvas.cell($0) }
    }

    private func cells(_ mode: PictureMode, ink: UInt32, paper: UInt32) -> [[UInt32]] {
        PartGlyphs.codes(of: mode).indices.map { pattern in
            let parts = mode.samplesPerCell.width * mode.samplesPerCell.height
            return (0..<parts).map { pattern >> $0 & 1 == 1 ? ink : paper }
        }
    }

    @Test(arguments: modes, [ColorMode.truecolor, .palette256, .palette16])
    func everyPatternIsShownByItsCharacter(mode: PictureMode, color: ColorMode) throws {
        // Entries of the palette, so that all depths have them: white, and a dark blue or black.
        let (ink, paper): (UInt32, UInt32) = (0xFF_FFFF, color == .palette256 ? 0x00_005F : 0)
        let codes = PartGlyphs.codes(of: mode)
        let cells = cells(mode, ink: ink, paper: paper)
        let size = GridSize(columns: cells.count, rows: 1)
        var canvas = Canvas(size: size, pictureMode: mode, color: color)
        canvas.compose(picture(cells, mode), under: CellGrid(size: size))
        var encoder = Encoder(size: size, capabilities: EncoderCapabilities(repeats: true))
        var terminal = GridTerminal(size: size)
        try terminal.feed(encoder.bytes(of: canvas))
        for pattern in codes.indices {
            // Read from what the terminal shows: which parts are bright.
            let cell = terminal.cells[pattern]
            let code = cell.text.unicodeScalars.first!.value
            let inked = codes.firstIndex(of: code)!
            func isBright(_ paint: GridTerminal.Paint) -> Bool {
                switch paint {
                case .rgb(let rgb): rgb == .white
                case .indexed(let index): TerminalPalette.color(of: index) == .white
                case .standard: false
                }
            }
            let bright = (0..<8).reduce(0) { bits, part in
                bits | (isBright(inked >> part & 1 == 1 ? cell.foreground : cell.background) ? 1 << part : 0)
            }
            #expect(bright & (codes.count - 1) == pattern, "\(mode), \(pattern)")
        }
    }

    @Test func goldenCells() {
        let (a, b): (UInt32, UInt32) = (0xC0_8040, 0x10_2030)
        func cell(_ mode: PictureMode, _ parts: [UInt32]) -> String {
            let cell = shown([parts], mode)[0]
            return GlyphTable.text(of: Glyph(code: cell.glyph)) + " "
                + [cell.foreground, cell.background].map { String($0, radix: 16) }.joined(separator: " ")
        }
        #expect(cell(.quadrant, [a, b, b, b]) == "▘ c08040 102030")
        #expect(cell(.quadrant, [a, b, b, a]) == "▚ c08040 102030")
        // The group of the upper left part is the ink.
        #expect(cell(.quadrant, [b, b, b, a]) == "▛ 102030 c08040")
        #expect(cell(.quadrant, [a, a, b, b]) == "▀ c08040 102030")
        #expect(cell(.sextant, [a, b, b, a, b, b]) == "🬈 c08040 102030")
        #expect(cell(.octant, [a, a, b, b, b, b, b, b]) == "\u{1FB82} c08040 102030")
        // Colours are means, rounded.
        #expect(cell(.quadrant, [0x00_0000, 0x03_0001, 0xF0_F0F0, 0xF1_F0F0]) == "▀ 20001 f1f0f0")
        #expect(cell(.octant, Array(repeating: a, count: 8)) == "  c08040 c08040")
        #expect(cell(.quadrant, [0x40_4040, 0x40_4040, 0x41_4141, 0x41_4141]) == "  414141 414141")
        // Of braille, what most parts have is the paper, and dots are brighter
        // than their part, as they cover little of it.
        #expect(cell(.braille, [a, b, b, b, b, b, b, b]) == "⠁ ffca4c 102030")
        #expect(cell(.braille, [b, b, b, a, a, a, a, a]).hasPrefix("⠋ "))
    }

    @Test(arguments: modes)
    func coloursAreTheMeansOfTheirParts(mode: PictureMode) {
        var random = SeededRandom(state: 3)
        let codes = PartGlyphs.codes(of: mode)
        let cells = (0..<21).map { _ in
            (0..<mode.samplesPerCell.width * mode.samplesPerCell.height).map { _ in
                UInt32.random(in: 0...0xFF_FFFF, using: &random)
            }
        }
        for (parts, cell) in zip(cells, shown(cells, mode)) {
            let pattern = codes.firstIndex(of: cell.glyph)!
            for (isInk, color) in [(true, cell.foreground), (false, cell.background)] {
                let group = parts.indices.filter { (pattern >> $0 & 1 == 1) == isInk }.map { parts[$0] }
                for shift: UInt32 in [0, 8, 16] {
                    let sum = group.reduce(0) { $0 + ($1 >> shift & 0xFF) }
                    #expect(color >> shift & 0xFF == (2 * sum + UInt32(group.count)) / UInt32(2 * group.count))
                }
            }
        }
    }

    @Test(arguments: modes + [.braille], [ColorMode.truecolor, .palette256, .palette16, .mono])
    func noiseOnAStillPictureChangesNoCharacter(mode: PictureMode, color: ColorMode) {
        var random = SeededRandom(state: 4)
        let size = GridSize(columns: 19, rows: 5)
        let pixels = mode.pictureSize(for: size)
        let still = (0..<pixels.width * pixels.height).map { index in
            // Shapes and slopes, with room for noise.
            let (x, y) = (index % pixels.width, index / pixels.width)
            return UInt32(4 + 5 * ((x * 3 + y * 2) % 40)) * 0x01_0101 + ((x / 3 + y / 3) % 2 == 0 ? 0x20_0010 : 0)
        }
        var canvas = Canvas(size: size, pictureMode: mode, color: color)
        func show(_ pixels: [UInt32]) -> [UInt32] {
            canvas.compose(Picture(size: mode.pictureSize(for: size), pixels: pixels), under: CellGrid(size: size))
            return (0..<size.cells).map { canvas.cell($0).glyph }
        }
        let first = show(still)
        #expect(Set(first).count > 3)
        for _ in 0..<10 {
            #expect(show(still.map { $0 &+ UInt32.random(in: 0...1, using: &random) * 0x01_0101 }) == first)
        }
        // Another picture is shown as a canvas shows it that has shown nothing before.
        let moved = still.map { ~$0 & 0xFF_FFFF }
        var fresh = Canvas(size: size, pictureMode: mode, color: color)
        fresh.compose(Picture(size: pixels, pixels: moved), under: CellGrid(size: size))
        _ = show(moved)
        let same = (0..<size.cells).count { canvas.cell($0) == fresh.cell($0) }
        #expect(same == size.cells || color == .truecolor && same > size.cells / 2)
    }

    // MARK: Few colours

    @Test(arguments: modes, [PaletteMatcher.cube, .terminal])
    func fewEntriesOfAPaletteLoseHardlyMoreThanTheBestTwo(mode: PictureMode, palette: PaletteMatcher) {
        var random = SeededRandom(state: 11)
        let parts = mode.samplesPerCell.width * mode.samplesPerCell.height
        let entries = palette === PaletteMatcher.cube ? Array(16..<256) : Array(0..<16)
        let colors = entries.map { OpponentColor(TerminalPalette.color(of: $0).packed) }
        let work = PaletteWork(count: parts)
        var (all, best) = (0.0, 0.0)
        for _ in 0..<(palette === PaletteMatcher.cube ? 30 : 200) {
            let (one, other) = (
                UInt32.random(in: 0...0xFF_FFFF, using: &random), UInt32.random(in: 0...0xFF_FFFF, using: &random)
            )
            let samples = (0..<8).map { _ in
                (Bool.random(using: &random) ? one : other) & 0xF0_F0F0 | .random(in: 0...0x0F_0F0F, using: &random)
                    & 0x0F_0F0F
            }
            let distances = colors.map { color in
                samples.prefix(parts).map { Double(OpponentColor($0).distance(to: color)) }
            }
            var least = Double.infinity
            for first in colors.indices {
                for second in first..<colors.count {
                    let sum = (0..<parts).reduce(0) { $0 + min(distances[first][$1], distances[second][$1]) }
                    least = min(least, sum)
                }
            }
            let cell = samples.withUnsafeBufferPointer { palette.cell(of: $0.baseAddress!, work: work) }
            #expect(cell.quarters > 0 || (cell.ink == cell.paper) == (cell.pattern == 1 << UInt32(parts) - 1))
            guard cell.quarters == 0 else { continue }
            let lost = (0..<parts).reduce(0) { sum, part in
                let entry = cell.pattern >> UInt32(part) & 1 == 1 ? cell.ink : cell.paper
                return sum + distances[Int(entry) - entries[0]][part]
            }
            // Keys stand for colours that differ by a little.
            #expect(lost <= least * 2 + 3_000 * Double(parts))
            all += lost
            best += least
        }
        #expect(all <= best * 1.1)
    }

    @Test(arguments: modes)
    func aFlatTonePaintsAShadeAndAnEdgeTwoEntries(mode: PictureMode) {
        let parts = mode.samplesPerCell.width * mode.samplesPerCell.height
        let flat = Array(repeating: UInt32(0x45_4545), count: parts)
        let edge = (0..<parts).map { $0 % 2 == 0 ? UInt32(0xFF_FFFF) : 0 }
        let found = shown([flat, edge], mode, .palette16)
        #expect((0x2591...0x2593).contains(found[0].glyph))
        #expect(found[1].glyph == 0x258C && found[1].foreground == 15 && found[1].background == 0)
    }

    // MARK: Black and white

    @Test(arguments: modes)
    func blackAndWhiteIsBlocksAndShades(mode: PictureMode) {
        let parts = mode.samplesPerCell.width * mode.samplesPerCell.height
        let tones = [0x00_0000, 0x40_4040, 0x80_8080, 0xC0_C0C0, 0xFF_FFFF] as [UInt32]
        var cells = tones.map { Array(repeating: $0, count: parts) }
        cells.append((0..<parts).map { $0 % 2 == 0 ? 0xFF_FFFF : 0 })
        cells.append((0..<parts).map { $0 == 0 ? 0 : 0xFF_FFFF })
        let found = shown(cells, mode, .mono)
        let codes = PartGlyphs.codes(of: mode)
        #expect(found.map(\.glyph) == [0x20, 0x2591, 0x2592, 0x2593, 0x2588, 0x258C, codes[codes.count - 2]])
        #expect(found.allSatisfy { $0.colors == 0 })
    }

    @Test func litDotsMatchBrightness() {
        let mode = PictureMode.braille
        let size = GridSize(columns: 16, rows: 16)
        let pixels = mode.pictureSize(for: size)
        let codes = PartGlyphs.codes(of: mode)
        for grey: UInt32 in [0, 32, 64, 128, 192, 255] {
            var canvas = Canvas(size: size, pictureMode: mode, color: .mono)
            let half = pixels.width / 2
            // Half of it black and white, so that the whole scale is in use.
            let picture = (0..<pixels.width * pixels.height).map { index in
                let x = index % pixels.width
                return (x < half ? grey : x < half * 3 / 2 ? 0 : 255) * 0x01_0101
            }
            canvas.compose(Picture(size: pixels, pixels: picture), under: CellGrid(size: size))
            var lit = 0
            for row in 0..<16 {
                for column in 0..<8 {
                    let cell = canvas.cell(16 * row + column)
                    #expect(cell.colors == 0)
                    lit += codes.firstIndex(of: cell.glyph)!.nonzeroBitCount
                }
            }
            let share = Double(lit) / Double(half * pixels.height)
            #expect(abs(share - Double(grey) / 255) < 0.03, "\(grey): \(share)")
        }
    }

    @Test func thresholdsAreAllDifferent() {
        let all = (0..<64).map { Bayer.threshold($0 % 8, $0 / 8) }
        #expect(Set(all).count == 64 && all.min() == 1 && all.max() == 253)
        // Neighbours are far apart, and the pattern repeats.
        #expect(Bayer.threshold(0, 0) == 1 && Bayer.threshold(1, 1) == 65 && Bayer.threshold(8, 16) == 1)
    }

    // MARK: Bytes

    @Test func charactersAreInvertedToSaveAColour() {
        let (a, b): (UInt32, UInt32) = (1, 0xF0_F0F0)
        let size = GridSize(columns: 2, rows: 1)
        var canvas = Canvas(size: size, pictureMode: .quadrant, color: .truecolor)
        canvas.compose(picture([[a, b, b, b], [b, a, a, a]], .quadrant), under: CellGrid(size: size))
        var encoder = Encoder(size: size, capabilities: EncoderCapabilities())
        let text = String(decoding: encoder.bytes(of: canvas), as: UTF8.self)
        #expect(text == "\u{1B}[m\u{1B}[H\u{1B}[38;2;0;0;1;48;2;240;240;240m▘▟")
    }

    @Test func runsOfACharacterOfFourBytesAreRepeated() {
        let size = GridSize(columns: 20, rows: 1)
        var canvas = Canvas(size: size, pictureMode: .octant, color: .truecolor)
        let cell: [UInt32] = [0xFF_FFFF, 0xFF_FFFF, 0, 0, 0, 0, 0, 0]
        canvas.compose(picture(Array(repeating: cell, count: 20), .octant), under: CellGrid(size: size))
        var encoder = Encoder(size: size, capabilities: EncoderCapabilities(repeats: true))
        let text = String(decoding: encoder.bytes(of: canvas), as: UTF8.self)
        #expect(text == "\u{1B}[m\u{1B}[H\u{1B}[38;2;255;255;255;48;2;0;0;0m\u{1FB82}\u{1B}[19b")
    }

    @Test func stretchedPicturesCoverTheSameCells() {
        let source = Picture(size: PixelSize(width: 2, height: 4), pixels: [1, 2, 3, 4, 5, 6, 7, 8])
        let wide = source.withView {
            Picture(
                stretching: $0, from: PictureMode.half.samplesPerCell, to: PictureMode.octant.samplesPerCell)
        }
        #expect(wide.size == PixelSize(width: 4, height: 8))
        #expect(wide.pixels.prefix(8) == [1, 1, 2, 2, 1, 1, 2, 2] && wide.pixels.suffix(4) == [7, 7, 8, 8])
        let back = wide.withView {
            Picture(
                stretching: $0, from: PictureMode.octant.samplesPerCell, to: PictureMode.half.samplesPerCell)
        }
        #expect(back == source)
    }
}
