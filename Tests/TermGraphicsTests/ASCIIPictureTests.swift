import Model
import TestSupport
import Testing

@testable import TermGraphics

@Suite struct ASCIIPictureTests {
    private let matcher = ASCIIMatcher.shared

    // MARK: Characters

    @Test func groupsOfEightFindWhatThePlainSearchFinds() {
        var random = SeededRandom(state: 1)
        for round in 0..<20_000 {
            var samples = SIMD8<UInt8>()
            let base = Int.random(in: 0...255, using: &random)
            let spread = round % 4 == 0 ? 255 : Int.random(in: 0...80, using: &random)
            for sample in 0..<8 {
                samples[sample] = UInt8(min(max(base + Int.random(in: -spread...spread, using: &random), 0), 255))
            }
            #expect(matcher.match(.init(samples)) == matcher.plainMatch(.init(samples)), "\(samples)")
            let inked = ASCIIMatcher.Query(samples, coverage: round % 16 * 4, isInkDarker: round % 3 == 0)
            #expect(matcher.match(inked) == matcher.plainMatch(inked), "\(samples)")
        }
        for sample in 0..<8 {
            // The strongest contrasts: nothing may overflow.
            var samples = SIMD8<UInt8>(repeating: sample % 2 == 0 ? 0 : 255)
            samples[sample] = ~samples[sample]
            #expect(matcher.match(.init(samples)) == matcher.plainMatch(.init(samples)))
            let upper = SIMD8<UInt8>(255, 255, 255, 255, 0, 0, 0, 0)
            #expect(matcher.match(.init(upper)) == matcher.plainMatch(.init(upper)))
            #expect(matcher.match(.init(~upper)) == matcher.plainMatch(.init(~upper)))
        }
    }

    @Test func brighterCellsGetDenserCharacters() {
        #expect(matcher.match(.init(SIMD8(repeating: 0))).code == Glyph.space.code)
        #expect(matcher.match(.init(SIMD8(repeating: 255))).ink >= 52)
        for value in 0...255 {
            // The brightest cell is inked by 62 of 256.
            let ink = Int(matcher.match(.init(SIMD8(repeating: UInt8(value)))).ink)
            #expect(abs(ink - value * 62 / 255) <= 8, "brightness \(value)")
        }
    }

    @Test func characterIsShapedLikeTheCell() {
        func ink(_ samples: SIMD8<UInt8>) -> [Int] {
            let code = Int(matcher.match(.init(samples)).code) - Int(ASCIICoverage.first)
            return (0..<8).map { Int(ASCIICoverage.table[8 * code + $0]) }
        }
        func sum(_ ink: [Int], _ parts: [Int]) -> Int { parts.reduce(0) { $0 + ink[$1] } }
        let (top, bottom) = ([0, 1, 2, 3], [4, 5, 6, 7])
        let above = ink(SIMD8(160, 160, 160, 160, 0, 0, 0, 0))
        #expect(sum(above, top) > 3 * sum(above, bottom))
        let below = ink(SIMD8(0, 0, 0, 0, 160, 160, 160, 160))
        #expect(sum(below, bottom) > 3 * sum(below, top))
        let (first, second) = ([0, 2, 4, 6], [1, 3, 5, 7])
        let left = ink(SIMD8(160, 0, 160, 0, 160, 0, 160, 0))
        #expect(sum(left, first) > sum(left, second))
        let right = ink(SIMD8(0, 160, 0, 160, 0, 160, 0, 160))
        #expect(sum(right, second) > sum(right, first))
    }

    @Test func darkInkIsWhereTheCellIsDark() {
        let query = ASCIIMatcher.Query(SIMD8(160, 160, 160, 160, 0, 0, 0, 0), coverage: 20, isInkDarker: true)
        let code = Int(matcher.match(query).code) - Int(ASCIICoverage.first)
        let ink = (0..<8).map { Int(ASCIICoverage.table[8 * code + $0]) }
        let (above, below) = (ink[0...3].reduce(0, +), ink[4...7].reduce(0, +))
        #expect(below > 3 * above)
    }

    @Test func coverageMatchesTheGlyphs() {
        #expect(ASCIICoverage.table.count == 95 * 8)
        func ink(_ character: Character) -> [Int] {
            let code = Int(character.asciiValue ?? 0) - Int(ASCIICoverage.first)
            return (0..<8).map { Int(ASCIICoverage.table[8 * code + $0]) }
        }
        func sum(_ character: Character) -> Int { ink(character).reduce(0, +) }
        #expect(sum(" ") == 0)
        #expect(sum(".") < sum(":") && sum(":") < sum("+") && sum("+") < sum("o") && sum("o") < sum("M"))
        #expect(ink("_")[0...5].reduce(0, +) == 0)
        #expect(ink("\"")[4...7].reduce(0, +) == 0)
        #expect(ink("/")[3] > ink("/")[2] && ink("/")[6] > ink("/")[7])
        #expect(ink("\\")[2] > ink("\\")[3] && ink("\\")[7] > ink("\\")[6])
        #expect(ink("L")[2] > ink("L")[3] && ink("J")[3] > ink("J")[2])
    }

    // MARK: Brightness

    @Test func narrowToneRangeIsStretched() {
        func range(_ values: [Int: UInt32]) -> ToneRange {
            let histogram = Plane<UInt32>(count: 256, filledWith: 0)
            for (value, count) in values { histogram[value] = count }
            return ToneRange(histogram: histogram)
        }
        #expect(range([:]) == .full)
        #expect(range([10: 500, 250: 500]) == ToneRange(black: 10, white: 250))
        // A few darker and brighter samples do not count.
        #expect(range([0: 4, 60: 490, 200: 505, 255: 1]) == ToneRange(black: 60, white: 200))
        // What has one brightness keeps it.
        for value in [0, 100, 200, 255] {
            let flat = range([value: 1_000])
            let shown = flat.stretched(SIMD8(repeating: UInt8(value)))[0]
            #expect(abs(Int(shown) - value) <= 2)
            #expect(flat.white - flat.black == 128)
        }
    }

    @Test func stretchingIsLinearBetweenItsEnds() {
        for range in [ToneRange.full, ToneRange(black: 30, white: 158), ToneRange(black: 7, white: 220)] {
            for value in 0...255 {
                let shown = Int(range.stretched(SIMD8(repeating: UInt8(value)))[0])
                let plain = (value - range.black) * 255 / (range.white - range.black)
                #expect(abs(shown - min(max(plain, 0), 255)) <= 3, "\(value) in \(range)")
            }
        }
    }

    @Test func rangeStaysWhileThePictureHardlyChanges() {
        let inUse = ToneRange(black: 20, white: 200)
        #expect(ToneRange(black: 27, white: 193).settled(inUse: inUse) == inUse)
        #expect(ToneRange(black: 30, white: 200).settled(inUse: inUse) == ToneRange(black: 30, white: 200))
        #expect(ToneRange(black: 20, white: 180).settled(inUse: inUse) == ToneRange(black: 20, white: 180))
    }

    // MARK: Pictures

    private let size = GridSize(columns: 24, rows: 8)

    private func show(_ pixels: [UInt32], on canvas: inout Canvas) -> [PaintedCell] {
        let picture = Picture(size: PixelSize(width: 48, height: 32), pixels: pixels)
        canvas.compose(picture, under: CellGrid(size: size))
        return (0..<size.cells).map { canvas.cell($0) }
    }

    /// A gradient in all three channels, different in each.
    private func gradient(shift: Int = 0) -> [UInt32] {
        (0..<48 * 32).map { index in
            let (x, y) = ((index % 48 + shift) % 48, index / 48)
            return UInt32(x * 5) << 16 | UInt32(y * 7) << 8 | UInt32((x + y) * 3)
        }
    }

    @Test func rowBrightnessMatchesEachPixel() {
        var canvas = Canvas(size: size, pictureMode: .ascii, color: .mono)
        let pixels = gradient()
        _ = show(pixels, on: &canvas)
        // The last row of cells is what is left.
        for index in 0..<4 * 48 { #expect(UInt32(canvas.ascii.row[index]) == luma(pixels[28 * 48 + index])) }
    }

    @Test(arguments: ColorMode.allCases)
    func noiseOnAStillPictureChangesNoCell(color: ColorMode) {
        var random = SeededRandom(state: 8)
        var canvas = Canvas(size: size, pictureMode: .ascii, color: color)
        let still = gradient()
        let first = show(still, on: &canvas)
        #expect(Set(first.map(\.glyph)).count > 12)
        for _ in 0..<10 {
            let noisy = still.map { pixel in
                func channel(_ shift: UInt32) -> UInt32 {
                    let value = Int(pixel >> shift & 0xFF) + Int.random(in: -4...4, using: &random)
                    return UInt32(min(max(value, 0), 255)) << shift
                }
                return channel(16) | channel(8) | channel(0)
            }
            #expect(show(noisy, on: &canvas) == first)
        }
    }

    @Test(arguments: ColorMode.allCases)
    func motionLeavesNothingBehind(color: ColorMode) {
        var moving = Canvas(size: size, pictureMode: .ascii, color: color)
        var random = SeededRandom(state: 2)
        for _ in 0..<6 {
            let noise = (0..<48 * 32).map { _ in UInt32.random(in: 0...0xFF_FFFF, using: &random) }
            var fresh = Canvas(size: size, pictureMode: .ascii, color: color)
            // The range is settled between pictures; a large change replaces it, as the fresh canvas has it.
            let black = Array(repeating: UInt32(0), count: 48 * 32)
            _ = show(black, on: &moving)
            let blackRange = moving.tones.range
            let seen = show(noise, on: &moving)
            let wanted = show(noise, on: &fresh)
            #expect(moving.tones.range == fresh.tones.range && seen == wanted)
            #expect((moving.tones.range != blackRange) == moving.stretchesTones)
        }
    }

    @Test(arguments: ColorMode.allCases)
    func picturesOfCharactersAreWrittenInASCIIOnly(color: ColorMode) {
        var canvas = Canvas(size: size, pictureMode: .ascii, color: color)
        _ = show(gradient(), on: &canvas)
        var encoder = Encoder(size: size, capabilities: EncoderCapabilities())
        #expect(encoder.bytes(of: canvas).allSatisfy { $0 < 0x80 })
        var rows = ByteBuffer()
        canvas.appendRows(to: &rows)
        #expect(rows.withUnsafeBytes { $0.allSatisfy { $0 < 0x80 } })
    }

    /// The character of a cell, worked out on its own from the definition.
    private func plain(_ pixels: [UInt32], _ index: Int, on canvas: borrowing Canvas) -> UInt32 {
        let (column, row) = (index % size.columns, index / size.columns)
        var samples = SIMD8<UInt8>()
        var sums = (red: UInt32(0), green: UInt32(0), blue: UInt32(0))
        for sample in 0..<8 {
            let pixel = pixels[(4 * row + sample / 2) * 48 + 2 * column + sample % 2]
            samples[sample] = UInt8(luma(pixel))
            sums = (sums.red + (pixel >> 16 & 0xFF), sums.green + (pixel >> 8 & 0xFF), sums.blue + (pixel & 0xFF))
        }
        guard canvas.color == .palette16 || canvas.color == .palette256 else {
            return matcher.plainMatch(.init(canvas.tones.range.stretched(samples))).code
        }
        let mean = (sums.red / 8) << 16 | (sums.green / 8) << 8 | sums.blue / 8
        let wanted = canvas.quantiser.palette.inkAndPaper(for: mean)
        guard wanted.coverage > 0 else { return Glyph.space.code }
        return matcher.plainMatch(.init(samples, coverage: wanted.coverage, isInkDarker: wanted.isInkDarker)).code
    }

    @Test(arguments: ColorMode.allCases)
    func charactersAreThoseOfThePlainDefinition(color: ColorMode) {
        var canvas = Canvas(size: size, pictureMode: .ascii, color: color)
        var random = SeededRandom(state: 12)
        let noise = (0..<48 * 32).map { _ in UInt32.random(in: 0...0xFF_FFFF, using: &random) }
        let cells = show(noise, on: &canvas)
        for index in cells.indices { #expect(cells[index].glyph == plain(noise, index, on: canvas)) }
        // The lower half becomes dark: its upper half, unchanged, is shown in the new range too.
        let darker = noise[..<(48 * 16)] + noise[(48 * 16)...].map { $0 >> 2 & 0x3F_3F3F }
        let before = canvas.tones.range
        let later = show(Array(darker), on: &canvas)
        #expect((canvas.tones.range != before) == canvas.stretchesTones)
        for index in later.indices { #expect(later[index].glyph == plain(Array(darker), index, on: canvas)) }
    }

    @Test(arguments: PictureMode.ofGlyphs, [ColorMode.palette256, .mono])
    func pictureComesBackWhereTextWas(pictureMode: PictureMode, color: ColorMode) {
        var canvas = Canvas(size: size, pictureMode: pictureMode, color: color)
        let whole = pictureMode.pictureSize(for: size)
        let picture = Picture(size: whole, pixels: Array(gradient()[..<(whole.width * whole.height)]))
        func show(_ overlay: CellGrid) -> [PaintedCell] {
            canvas.compose(picture, under: overlay)
            return (0..<size.cells).map { canvas.cell($0) }
        }
        let bare = show(CellGrid(size: size))
        var overlay = CellGrid(size: size)
        overlay[3, 4] = Cell(glyph: Glyph("x"), foreground: .white)
        #expect(show(overlay) != bare)
        #expect(show(CellGrid(size: size)) == bare)
    }

    @Test func brightColoursKeepTheirHue() {
        var canvas = Canvas(size: size, pictureMode: .ascii, color: .truecolor)
        for (rgb, ink) in [(0xC8_6432 as UInt32, 0xFF_7F3F as UInt32), (0x40_2010, 0x58_2C16)] {
            // White and black, so that the range is all of the scale.
            let pixels = (0..<48 * 32).map { $0 < 48 * 8 ? 0xFF_FFFF : $0 < 48 * 16 ? 0 : rgb }
            let cell = show(pixels, on: &canvas)[size.cells - 1]
            #expect(cell.glyph != Glyph.space.code)
            for shift: UInt32 in [16, 8, 0] {
                #expect(abs(Int(cell.foreground >> shift & 0xFF) - Int(ink >> shift & 0xFF)) <= 3)
            }
        }
    }

    @Test func slowFadeIsFollowed() {
        var canvas = Canvas(size: size, pictureMode: .ascii, color: .mono)
        let ends = Array(repeating: UInt32(0xFF_FFFF), count: 24 * 32) + Array(repeating: UInt32(0), count: 12 * 32)
        for value in 0...255 as ClosedRange<UInt32> {
            let fading = Array(repeating: value * 0x01_0101, count: 12 * 32)
            let cells = show(ends + fading, on: &canvas)
            let last = Int(cells[size.cells - 1].glyph) - Int(ASCIICoverage.first)
            let ink = (0..<8).reduce(0) { $0 + Int(ASCIICoverage.table[8 * last + $1]) } / 8
            #expect(abs(ink - Int(value) * 62 / 255) <= 10, "brightness \(value)")
        }
    }

    @Test func inkAndBackgroundTogetherAreAsBrightAsThePicture() {
        for (color, tolerance) in [(ColorMode.truecolor, 3), (.palette256, 8), (.palette16, 15)] {
            var canvas = Canvas(size: size, pictureMode: .ascii, color: color)
            let pixels = gradient()
            let cells = show(pixels, on: &canvas)
            var total = 0
            var bias = 0
            for (index, cell) in cells.enumerated() {
                let (column, row) = (index % size.columns, index / size.columns)
                var wanted = 0
                for sample in 0..<8 {
                    wanted += Int(luma(pixels[(4 * row + sample / 2) * 48 + 2 * column + sample % 2]))
                }
                let character = Int(cell.glyph) - Int(ASCIICoverage.first)
                let ink = (0..<8).reduce(0) { $0 + Int(ASCIICoverage.table[8 * character + $1]) } / 8
                func brightness(_ value: UInt32) -> Int {
                    Int(luma(color == .truecolor ? value : TerminalPalette.color(of: Int(value)).packed))
                }
                let shown = (brightness(cell.foreground) * ink + brightness(cell.background) * (256 - ink)) / 256
                total += abs(shown - wanted / 8)
                bias += shown - wanted / 8
            }
            #expect(total <= tolerance * cells.count)
            #expect(abs(bias) <= 3 * cells.count)
        }
    }
}
