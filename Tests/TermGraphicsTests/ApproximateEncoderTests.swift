import Model
import TestSupport
import Testing

@testable import TermGraphics

/// Updates that need not be exact: what they may leave out, and that they leave out nothing else.
@Suite struct ApproximateEncoderTests {
    @Test(arguments: [0.1, 0.25, 0.4, 0.7, 1], [false, true])
    func screenStaysWithinTheTolerance(tolerance: Double, repeats: Bool) throws {
        for seed in 1...5 {
            var random = SeededRandom(state: UInt64(seed))
            let size = GridSize(columns: .random(in: 1...40, using: &random), rows: .random(in: 1...12, using: &random))
            let screen = TestScreen(
                size: size, capabilities: .init(synchronised: .random(using: &random), repeats: repeats))
            var scene = RandomScene(size: size, pictureMode: .half, using: &random)
            for update in 0..<12 {
                scene.change(using: &random)
                scene.first.tremble(by: 6, using: &random)
                scene.compose(into: &screen.canvas)
                if update == 6 { screen.encoder.forget() }
                let figures = try screen.update(Precision(tolerance: tolerance))
                #expect(figures.tolerance == tolerance)
                try screen.expectNearness(tolerance: tolerance)
                #expect(figures.isExact == screen.isExact)
            }
            #expect(try screen.update(.exact).isExact)
            #expect(screen.isExact, "seed \(seed)")
        }
    }

    @Test func repeatedLettersKeepTheirColors() throws {
        let size = GridSize(columns: 30, rows: 1)
        let screen = TestScreen(size: size, capabilities: .init(repeats: true))
        var overlay = CellGrid(size: size)
        for index in overlay.cells.indices {
            let color = index < 15 ? RGB(0xFF, 0, 0) : RGB(0, 0xFF, 0)
            overlay.cells[index] = Cell(glyph: Glyph("="), foreground: color, style: .opaque)
        }
        let black = Picture(size: PixelSize(width: 30, height: 2), pixels: Array(repeating: 0, count: 60))
        screen.canvas.compose(black, under: overlay)
        #expect(try screen.update(.moving).isExact)
        #expect(screen.isExact)
    }

    /// Thresholds compare with the wanted picture, not with the one before: errors do not add up.
    @Test func errorsDoNotAccumulate() throws {
        let size = GridSize(columns: 20, rows: 6)
        let screen = TestScreen(size: size)
        var scene = MovingScene(size: size)
        for picture in 0..<1_500 {
            scene.advance(noise: 2)
            scene.compose(into: &screen.canvas)
            _ = try screen.update(.moving)
            if picture % 30 == 29 { try screen.expectNearness(tolerance: Precision.moving.tolerance) }
        }
        #expect(try screen.update(.exact).isExact)
        #expect(screen.isExact)
    }

    @Test func aMovingPictureTakesAFractionOfTheBytes() throws {
        let size = GridSize(columns: 80, rows: 24)
        var bytes: [Double: Int] = [:]
        for precision in [Precision.exact, .moving, Precision(tolerance: 0.5)] {
            let screen = TestScreen(size: size)
            var scene = MovingScene(size: size)
            for _ in 0..<20 {
                scene.advance(noise: 2)
                scene.compose(into: &screen.canvas)
                bytes[precision.tolerance, default: 0] += try screen.update(precision).bytes
            }
        }
        let (exact, moving, coarse) = (bytes[0] ?? 0, bytes[0.25] ?? 0, bytes[0.5] ?? 0)
        #expect(moving * 4 < exact && coarse * 3 < moving, "\(bytes)")
    }

    // MARK: Budgets

    @Test(arguments: [1_200, 2_500, 6_000], [false, true])
    func budgetsAreMetToATenth(budget: Int, synchronised: Bool) throws {
        let size = GridSize(columns: 50, rows: 16)
        let screen = TestScreen(size: size, capabilities: .init(synchronised: synchronised))
        var scene = MovingScene(size: size)
        var met = 0
        for picture in 0..<40 {
            scene.advance(noise: 4)
            scene.compose(into: &screen.canvas)
            let figures = try screen.update(.moving, within: budget)
            #expect(figures.bytes <= budget)
            #expect(figures.tolerance >= Precision.moving.tolerance)
            let isUsed =
                Double(figures.bytes) >= 0.9 * Double(budget) || figures.tolerance == Precision.moving.tolerance
            if isUsed { met += 1 }
            // The first picture may leave rows out, as all of it is new.
            if picture > 5 { try screen.expectNearness(tolerance: figures.tolerance) }
        }
        #expect(met >= 36, "\(met) of 40")
    }

    /// All cells change by the same: either all of them may stay at one tolerance, or none.
    @Test func middleRowsComeFirstWhenTheBudgetIsTooSmall() throws {
        let size = GridSize(columns: 40, rows: 41)
        let screen = TestScreen(size: size)
        func show(brighter: UInt32, within budget: Int) throws -> PaintStats {
            let pixels = PictureMode.half.pictureSize(for: size)
            let picture = Picture(
                size: pixels,
                pixels: (0..<pixels.width * pixels.height).map { index in
                    (UInt32(index % pixels.width * 7 % 90 + 60) + brighter) * 0x01_01_01
                })
            picture.withView {
                screen.canvas.compose(
                    pages: [PagePicture(picture: $0, top: 0)], pageSize: size, overlay: CellGrid(size: size),
                    background: .black)
            }
            return try screen.update(.moving, within: budget)
        }
        let all = try show(brighter: 0, within: .max)
        let part = try show(brighter: 60, within: all.bytes / 2)
        #expect(part.bytes <= all.bytes / 2 && part.bytes >= all.bytes * 9 / 20, "\(part) of \(all)")
        let isNew = (0..<size.rows).map { row in
            if case .rgb(let color) = screen.terminal.pixels(column: 0, row: row)?.upper {
                color.red > 90
            } else {
                false
            }
        }
        let written = isNew.indices.filter { isNew[$0] }
        let middle = try #require(written.first)..<(try #require(written.last) + 1)
        #expect(written.count == middle.count && middle.count >= 15, "\(written)")
        #expect(abs(middle.lowerBound - (size.rows - middle.upperBound)) <= 1, "\(written)")
        try screen.expectNearness(tolerance: part.tolerance)
    }

    @Test func aRestingPictureBecomesExactWorstCellsFirst() throws {
        let size = GridSize(columns: 60, rows: 20)
        let screen = TestScreen(size: size)
        var scene = MovingScene(size: size)
        for _ in 0..<10 {
            scene.advance(noise: 3)
            scene.compose(into: &screen.canvas)
            _ = try screen.update(Precision(tolerance: 0.6))
        }
        var worst: [UInt16] = [try screen.worstError()]
        var updates = 0
        while !screen.isExact {
            updates += 1
            try #require(updates < 20)
            let figures = try screen.update(.exact, within: 6_000)
            #expect(figures.bytes <= 6_000)
            worst.append(try screen.worstError())
            #expect(figures.isExact == screen.isExact)
        }
        #expect(updates > 2, "the budget allows for less than the whole")
        #expect(zip(worst, worst.dropFirst()).allSatisfy { $0 >= $1 } && worst.last == 0, "\(worst)")
        #expect(worst[updates * 3 / 4] * 2 < worst[0], "\(worst)")
        #expect(try screen.update(.exact, within: 6_000).bytes == 0)
    }

    /// Before rows are left out, all of the screen becomes coarser.
    @Test func newPictureIsUniformlyCoarseRatherThanPartial() throws {
        let size = GridSize(columns: 80, rows: 24)
        let screen = TestScreen(size: size)
        var scene = MovingScene(size: size)
        scene.advance(noise: 0)
        scene.compose(into: &screen.canvas)
        let figures = try screen.update(.moving, within: 12_000)
        #expect(figures.bytes <= 12_000 && figures.tolerance > Precision.moving.tolerance)
        for row in 0..<size.rows {
            #expect(screen.terminal.pixels(column: 40, row: row).map { $0.upper != .standard } ?? false)
        }
        try screen.expectNearness(tolerance: figures.tolerance)
    }

    /// On a slow link the picture is coarse, but nothing of a sheet that was closed stays in it.
    @Test func closedSheetLeavesNothingBehind() throws {
        let size = GridSize(columns: 60, rows: 20)
        let screen = TestScreen(size: size)
        var scene = MovingScene(size: size)
        var sheet = CellGrid(size: size)
        let ground = RGB(90, 70, 80)
        for index in sheet.cells.indices {
            sheet.cells[index] = Cell(glyph: .space, background: ground, style: .opaque)
        }
        scene.advance(noise: 4)
        screen.canvas.compose(pages: [], pageSize: size, overlay: sheet, background: .black)
        #expect(try screen.update(.exact).isExact)
        scene.compose(into: &screen.canvas)
        let figures = try screen.update(Precision(tolerance: 0.9))
        #expect(figures.bytes > 0)
        let left = (0..<size.cells).count { screen.terminal.cells[$0].background == .rgb(ground) }
        #expect(left == 0, "\(left) cells of the sheet")
    }

    @Test func postponedRowsComeFirstNextTime() throws {
        let size = GridSize(columns: 20, rows: 6)
        var overlay = CellGrid(size: size)
        for index in overlay.cells.indices {
            overlay.cells[index] = Cell(glyph: Glyph("x"), background: RGB(UInt8(index), 0, 0), style: .opaque)
        }
        let screen = TestScreen(size: size)
        screen.canvas.compose(pages: [], pageSize: size, overlay: overlay, background: .black)
        var updates = 0
        var isExact = false
        while !isExact {
            updates += 1
            try #require(updates <= size.rows, "each update shows a row more")
            isExact = try screen.update(.moving, within: 700).isExact
        }
        #expect(updates > 1)
        #expect(screen.isExact)
    }

    /// Where every update has more to write than its budget, no row waits forever.
    @Test func everyRowIsWrittenEventually() throws {
        let size = GridSize(columns: 20, rows: 6)
        let screen = TestScreen(size: size)
        for update in 0..<size.rows {
            var overlay = CellGrid(size: size)
            for index in overlay.cells.indices {
                let background = RGB(UInt8(index), UInt8(update), 0)
                overlay.cells[index] = Cell(glyph: Glyph("x"), background: background, style: .opaque)
            }
            screen.canvas.compose(pages: [], pageSize: size, overlay: overlay, background: .black)
            #expect(try !screen.update(.moving, within: 700).isExact)
        }
        for row in 0..<size.rows { #expect(screen.terminal[0, row].text == "x", "row \(row)") }
    }

    // MARK: What may stay

    /// Two levels of brightness on a flat ground; a quarter more for a cell alone, an eighth less for what is written.
    @Test func theAllowanceOfAMovingPictureIsSmall() {
        let allowance = ColorTolerance(tolerance: Precision.moving.tolerance, rounds: true)
        #expect(allowance.error == 2 * PerceptualErrors.visible && allowance.errorAlone == 160)
        #expect(allowance.rounding == 2 * 256 * 7 / 8)
        let none = ColorTolerance(tolerance: 0, rounds: false)
        #expect(none.error == 0 && none.errorAlone == 0 && none.rounding == 0)
    }

    @Test func flatGroundIsKeptCloserThanBusy() throws {
        // Three levels more everywhere: on a flat ground that is seen, among stripes of 60 levels it is not.
        let flat = try bytes(from: { _, _ in 0x808080 }, to: { _, _ in 0x838383 })
        let stripes = { (column: Int, row: Int) -> UInt32 in (column + row) % 2 == 0 ? 0x606060 : 0x9C9C9C }
        #expect(try bytes(from: stripes, to: { stripes($0, $1) + 0x030303 }).isEmpty)
        #expect(!flat.isEmpty)
    }

    @Test func coloursMayBeFurtherOffThanBrightness() throws {
        // Two levels more of red and less of blue.
        #expect(try bytes(from: { _, _ in 0x808080 }, to: { _, _ in 0x82807E }).isEmpty)
        #expect(try !bytes(from: { _, _ in 0x808080 }, to: { _, _ in 0x848080 + 0x000404 }).isEmpty)
    }

    @Test func singleCellsTolerateMoreErrorThanGroups() throws {
        // Nine quarters of a level, where eight may stay.
        let changed: UInt32 = 0x838380
        #expect(try bytes(from: { _, _ in 0x808080 }, to: { column, _ in column == 5 ? changed : 0x808080 }).isEmpty)
        let two = try bytes(from: { _, _ in 0x808080 }, to: { column, _ in 5...6 ~= column ? changed : 0x808080 })
        #expect(!two.isEmpty)
    }

    @Test func nearColoursBecomeOneRun() throws {
        let ramp = { (column: Int, _: Int) -> UInt32 in 0x404040 + UInt32(column / 2) * 0x010101 }
        let text = try bytes(from: { _, _ in 0 }, to: ramp)
        // Eight levels in sixteen columns: each colour serves several columns, and is the middle of what it serves.
        #expect(text.count(where: { $0 == "m" }) == 3, "\(text)")
        #expect(text.hasPrefix("\r\u{1B}[48;2;65;65;65m      "), "\(text)")
    }

    @Test func aColourSuitsTheNextCellsToo() throws {
        let text = try bytes(from: { _, _ in 0 }, to: { $1 == 0 ? 0x404040 + UInt32($0 / 2) * 0x010101 : 0xC0C0C0 })
        // In the middle between the first two and the next.
        #expect(text.hasPrefix("\r\u{1B}[38;2;65;65;65;48;2;192;192;192m▀▀"), "\(text)")
    }

    /// Also where its axes lead out of the range of bytes.
    @Test func roundedColoursAreWithinTheAllowance() {
        var random = SeededRandom(state: 21)
        let size = GridSize(columns: 4, rows: 1)
        var canvas = Canvas(size: size, pictureMode: .half, color: .truecolor)
        let errors = Plane<UInt16>(count: 4, filledWith: 0xF000)
        let slack = Plane<UInt16>(count: 1, filledWith: 16)
        var (rounded, shared) = (0, 0)
        for _ in 0..<4_000 {
            let allowance = ColorTolerance(tolerance: .random(in: 0.2...0.6, using: &random), rounds: true)
            var picture = Picture(
                size: PixelSize(width: 4, height: 2),
                pixels: Array(
                    repeating: [0xFF00, 0xFF, 0xFF0000, 0xFFFF00].randomElement(using: &random) ?? 0, count: 8))
            picture.tremble(by: 60, using: &random)
            canvas.compose(picture, under: CellGrid(size: size))
            let line = ApproximateRow(
                new: CellRow(colors: canvas.colors.base, glyphs: canvas.glyphs.base), marks: canvas.pictureCells.base,
                errors: errors.base, slack: slack.base, columns: 4, allowance: allowance)
            let (radius, upper, lower) = (line.radius(0), line.new.foreground(0), line.new.background(0))
            let color = line.color(at: 0, .upper)
            #expect(ColorDistance.between(color, upper) <= radius)
            if color != upper { rounded += 1 }
            guard let both = line.colorOfBoth(at: 0) else { continue }
            #expect(max(ColorDistance.between(both, upper), ColorDistance.between(both, lower)) <= radius)
            shared += 1
        }
        #expect(rounded > 100 && shared > 100)
    }

    @Test func nearEnoughCurrentColoursAreReused() throws {
        // Upper and lower pixels tremble by one level, each column otherwise.
        let picture = { (column: Int, row: Int) -> UInt32 in
            (row % 2 == 0 ? 0x20_2020 : 0xC0_C0C0) + UInt32(column * 7 % 3) * 0x010101
        }
        let text = try bytes(from: { _, _ in 0 }, to: picture)
        #expect(text.count(where: { $0 == "m" }) == 1, "\(text)")
        #expect(text.hasSuffix(String(repeating: "▀", count: 16)))
    }

    @Test func aPictureOfCharactersReusesColoursAndKeepsItsCharacters() throws {
        let size = GridSize(columns: 20, rows: 6)
        for pictureMode in PictureMode.ofGlyphs {
            let screen = TestScreen(size: size, pictureMode: pictureMode)
            var random = SeededRandom(state: 9)
            var scene = RandomScene(size: size, pictureMode: pictureMode, using: &random)
            for _ in 0..<8 {
                scene.first.tremble(by: 8, using: &random)
                scene.compose(into: &screen.canvas)
                _ = try screen.update(Precision(tolerance: 0.4))
                for index in 0..<size.cells where !isPixels(screen.canvas.cell(index)) {
                    let glyph = GlyphTable.text(of: Glyph(code: screen.canvas.glyphs[index]))
                    #expect(screen.terminal.cells[index].text == glyph)
                }
            }
            #expect(try screen.update(.exact).isExact)
            #expect(screen.isExact)
        }
    }

    @Test(arguments: [ColorMode.palette256, .palette16, .mono])
    func coloursOfAPaletteAreExact(color: ColorMode) throws {
        var random = SeededRandom(state: 4)
        let size = GridSize(columns: 20, rows: 6)
        let screen = TestScreen(size: size, color: color)
        var scene = RandomScene(size: size, pictureMode: .half, using: &random)
        for _ in 0..<6 {
            scene.change(using: &random)
            scene.compose(into: &screen.canvas)
            #expect(try screen.update(.moving).isExact)
            #expect(screen.isExact)
        }
    }

    private func isPixels(_ cell: PaintedCell) -> Bool {
        cell.glyph == HalfBlock.upper || cell.glyph == Glyph.space.code
    }

    /// What is written, within `.moving`, when one picture of 16×2 pixels follows another.
    private func bytes(from old: (Int, Int) -> UInt32, to new: (Int, Int) -> UInt32) throws -> String {
        let size = GridSize(columns: 16, rows: 1)
        let screen = TestScreen(size: size)
        let (width, height) = (size.columns, 2 * size.rows)
        var text = ""
        for precision in [Precision.exact, .moving] {
            let pixels = (0..<width * height).map {
                precision.isExact ? old($0 % width, $0 / width) : new($0 % width, $0 / width)
            }
            screen.canvas.compose(
                Picture(size: PixelSize(width: width, height: height), pixels: pixels), under: CellGrid(size: size))
            _ = try screen.update(precision)
            text = screen.written
        }
        return text
    }
}
