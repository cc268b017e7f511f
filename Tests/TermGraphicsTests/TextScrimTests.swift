import Model
import TestSupport
import Testing

@testable import TermGraphics

/// What is darkened many cells at a time, beside the plain definition.
@Suite struct TextScrimTests {
    @Test(arguments: 1...12, PictureMode.ofGlyphs) func shadesDarkenAsTheDefinitionSays(seed: Int, mode: PictureMode) {
        var random = SeededRandom(state: UInt64(seed))
        let size = GridSize(columns: .random(in: 1...41, using: &random), rows: .random(in: 1...9, using: &random))
        var overlay = CellGrid(size: size)
        for index in 0..<size.cells where Bool.random(using: &random) {
            overlay.cells[index].shade = .random(in: 0...255, using: &random)
        }
        let pixels = mode.pictureSize(for: size)
        let picture = Picture(
            size: pixels,
            pixels: (0..<pixels.width * pixels.height).map { _ in .random(in: 0...0xFF_FFFF, using: &random) })
        var canvas = Canvas(size: size, pictureMode: mode, color: .truecolor)
        canvas.compose(picture, under: overlay)
        let bayer: [[Int]] = [[0, 8, 2, 10], [12, 4, 14, 6], [3, 11, 1, 9], [15, 7, 13, 5]]
        let samples = mode.samplesPerCell
        for y in 0..<pixels.height {
            for x in 0..<pixels.width {
                let (column, row) = (x / samples.width, y / samples.height)
                // The middle of the pixel's row, in 16ths of a cell from the cell's middle.
                let place = (16 * (y % samples.height) + 8) / samples.height - 8
                let beside = min(max(place < 0 ? row - 1 : row + 1, 0), size.rows - 1)
                let own = Int(overlay[column, row].shade) * (16 - abs(place))
                let depth = own + Int(overlay[column, beside].shade) * abs(place)
                let shade = depth == 0 ? 0 : min((depth + bayer[y & 3][x & 3]) >> 4, 255)
                let index = y * pixels.width + x
                #expect(canvas.pixels[index] == shaded(picture.pixels[index], by: UInt8(shade)), "\(x), \(y)")
            }
        }
    }

    /// Where pixels are seen, the darkness of a cell goes over into that of the cells beside it too.
    @Test(arguments: 1...12) func pixelsDarkenGraduallyBothWays(seed: Int) {
        var random = SeededRandom(state: UInt64(seed))
        let size = GridSize(columns: .random(in: 1...12, using: &random), rows: .random(in: 1...5, using: &random))
        let samples = PixelSize(width: .random(in: 1...9, using: &random), height: .random(in: 1...18, using: &random))
        var overlay = CellGrid(size: size)
        for index in 0..<size.cells where Bool.random(using: &random) {
            overlay.cells[index].shade = .random(in: 0...255, using: &random)
        }
        let format = PictureFormat(.kitty, samplesPerCell: samples)
        let pixels = format.pictureSize(for: size)
        let picture = Picture(
            size: pixels,
            pixels: (0..<pixels.width * pixels.height).map { _ in .random(in: 0...0xFF_FFFF, using: &random) })
        var canvas = Canvas(size: size, pictures: format, color: .truecolor)
        canvas.compose(picture, under: overlay)
        let bayer: [[Int]] = [[0, 8, 2, 10], [12, 4, 14, 6], [3, 11, 1, 9], [15, 7, 13, 5]]
        /// The cell that a pixel leans towards, and how far in 16ths of a cell.
        func lean(_ place: Int, of samples: Int, count: Int) -> (cell: Int, beside: Int, share: Int) {
            let offset = (16 * (place % samples) + 8) / samples - 8
            let cell = place / samples
            return (cell, min(max(offset < 0 ? cell - 1 : cell + 1, 0), count - 1), abs(offset))
        }
        for y in 0..<pixels.height {
            for x in 0..<pixels.width {
                let (column, nextColumn, across) = lean(x, of: samples.width, count: size.columns)
                let (row, nextRow, down) = lean(y, of: samples.height, count: size.rows)
                func depth(_ column: Int) -> Int {
                    Int(overlay[column, row].shade) * (16 - down) + Int(overlay[column, nextRow].shade) * down
                }
                let depth = depth(column) * (16 - across) + depth(nextColumn) * across
                let shade = depth == 0 ? 0 : min((depth + 16 * bayer[y & 3][x & 3] + 8) >> 8, 255)
                let index = y * pixels.width + x
                #expect(canvas.pixels[index] == shaded(picture.pixels[index], by: UInt8(shade)), "\(x), \(y)")
            }
        }
    }

    /// A halo fades by 6 from column to column, then by 12 from row to row.
    @Test(arguments: 1...12) func halosFadeAsTheDefinitionSays(seed: Int) throws {
        var random = SeededRandom(state: UInt64(seed))
        let size = GridSize(columns: .random(in: 1...50, using: &random), rows: .random(in: 1...12, using: &random))
        var overlay = CellGrid(size: size)
        var letters: [Int] = []
        for index in 0..<size.cells {
            overlay.cells[index].shade = Bool.random(using: &random) ? .random(in: 0...80, using: &random) : 0
            guard Int.random(in: 0..<9, using: &random) == 0 else { continue }
            letters.append(index)
            overlay.cells[index].glyph = Glyph("a")
            overlay.cells[index].style = .readable
        }
        var index = OverlayIndex(size: size, hasColors: true)
        _ = index.update(overlay)
        #expect(index.letters.map(\.index) == letters)
        var veil = TextScrim(size: size, isSmooth: false)
        let grounds = (0..<size.cells).map { _ in UInt32.random(in: 0...0xFF_FFFF, using: &random) }
        veil.update(for: index, isNew: true, remembers: false) { grounds[$0.index] }

        var halo = Array(repeating: 0, count: size.cells)
        for letter in letters {
            let shade = overlay.cells[letter].shade
            let need = Int(Contrast.shade(of: shaded(grounds[letter], by: shade), under: 0xFFFFFF))
            halo[letter] = min((need + 7) / 8 * 8, 255)
        }
        func spread(_ from: Int, _ to: Int, _ fall: Int) { halo[to] = max(halo[to], halo[from] - fall) }
        for row in 0..<size.rows {
            let start = row * size.columns
            for column in 0..<size.columns - 1 { spread(start + column, start + column + 1, 6) }
            for column in (0..<size.columns - 1).reversed() { spread(start + column + 1, start + column, 6) }
        }
        for cell in 0..<size.cells - size.columns { spread(cell, cell + size.columns, 12) }
        for cell in (0..<size.cells - size.columns).reversed() { spread(cell + size.columns, cell, 12) }
        for row in 0..<size.rows {
            let depths = veil.row(row)
            for column in 0..<size.columns {
                let cell = row * size.columns + column
                let light = (255 - Int(overlay.cells[cell].shade)) * (255 - halo[cell])
                let wanted = 255 - (light + 127) / 255
                #expect(Int(depths?[column] ?? 0) == wanted, "\(column), \(row)")
            }
        }
    }

    @Test func cellThatStaysTintedIsListedOnce() {
        let size = GridSize(columns: 4, rows: 2)
        var index = OverlayIndex(size: size, hasColors: true)
        var overlay = CellGrid(size: size)
        overlay[2, 1] = Cell(glyph: Glyph("█"))
        _ = index.update(overlay)
        overlay[0, 0] = Cell(glyph: Glyph("a"), style: .readable)
        _ = index.update(overlay)
        #expect(index.tints == [6])
    }

    @Test func sameOverlayIsIndexedOnce() {
        let size = GridSize(columns: 4, rows: 2)
        var overlay = CellGrid(size: size)
        overlay[1, 1] = Cell(glyph: Glyph("a"), style: .readable)
        var index = OverlayIndex(size: size, hasColors: true)
        let isFirstNew = index.update(overlay)
        let isSameNew = index.update(overlay)
        let copy = overlay
        let isCopyNew = index.update(copy)
        #expect(isFirstNew && !isSameNew && !isCopyNew)
        // A change makes another grid of it, also where the old one is kept by the index alone.
        overlay[2, 1] = Cell(glyph: Glyph("█"))
        let isChangedNew = index.update(overlay)
        #expect(isChangedNew)
        #expect(index.letters.map(\.index) == [5] && index.tints == [6] && index.hasText == [false, true])
        for _ in 0..<20 {
            var next = CellGrid(size: size)
            next[0, 0] = Cell(glyph: Glyph("b"), style: .readable)
            let isNew = index.update(next)
            #expect(isNew)
        }
    }
}
