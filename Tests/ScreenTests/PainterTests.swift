import Foundation
import Model
import TerminalInput
import TestSupport
import Testing

@testable import Screen
@testable import TermGraphics

/// Both painters on a real pseudo-terminal, and what comes out of it in an emulator that is not flick's: tmux.
@MainActor @Suite(.serialized) struct PainterTests {
    private static let size = GridSize(columns: 40, rows: 12)
    /// This terminal answers nothing.
    private static let patience = Duration.milliseconds(100)

    /// What tmux shows after random scenes were painted one after the other.
    private func shown(
        by output: ScreenOutput, color: ColorMode, pictureMode: PictureMode, seed: UInt64, budget: Int
    ) throws -> CapturedScreen {
        let pty = try PseudoTerminal(size: Self.size, pixels: PixelSize(width: 400, height: 240))
        let terminal = try Terminal(
            TerminalOptions(color: color, pictureMode: pictureMode, output: output, answerPatience: Self.patience),
            // As within tmux, whose 3.3 repeats (REP) only ASCII, and
            // does not report cells that were erased to a colour.
            environment: TerminalEnvironment([
                "TERM": color == .truecolor ? "kitty-direct" : "screen.xterm-256color", "TMUX": "yes",
            ]),
            input: pty.slave, output: pty.slave)
        defer { terminal.restore() }
        #expect(terminal.output == output && terminal.capabilities.color == color)
        var written: [UInt8] = []
        func pass(_ buffer: borrowing ByteBuffer) {
            buffer.withUnsafeBytes { terminal.write($0) }
            repeat { written += pty.writtenBytes() } while terminal.isBusy
            written += pty.writtenBytes()
        }
        var random = SeededRandom(state: seed)
        var canvas = Canvas(size: Self.size, pictureMode: pictureMode, color: color)
        let painter = terminal.makePainter()
        var scene = RandomScene(size: Self.size, pictureMode: pictureMode, using: &random)
        for update in 0..<10 {
            scene.change(using: &random)
            scene.compose(into: &canvas)
            if update == 5 { painter.forget() }
            var isExact = false
            var updates = 0
            while !isExact {
                var buffer = ByteBuffer()
                let figures = painter.paint(canvas, within: budget, precision: .exact, into: &buffer)
                let count = buffer.count
                #expect(figures.bytes == count && count <= budget)
                isExact = figures.isExact
                pass(buffer)
                updates += 1
                try #require(updates <= Self.size.rows, "each update shows a row more")
            }
            var again = ByteBuffer()
            let cells = painter.paint(canvas, within: .max, precision: .exact, into: &again).cells
            #expect(cells == 0)
            let isEmpty = again.isEmpty
            #expect(isEmpty, "what is shown already is not written again")
        }
        // The title comes last: once it is here, all was written, and once tmux has it, it has read all.
        let title = "all was read"
        let last = Array("\u{1B}]2;\(title)\u{7}".utf8)
        last.withUnsafeBytes { terminal.write($0) }
        let isWhole = holds(within: .seconds(30)) {
            written += pty.writtenBytes()
            return written.suffix(last.count) == last[...]
        }
        try #require(isWhole, "the last bytes do not come")
        let folder = TemporaryFolder()
        let file = try folder.write("bytes", written)
        // ncurses moves down by line feeds, which must not become returns;
        // answers to what was asked must not be echoed.
        let tmux = try TmuxTerminal(.program(["sh", "-c", "stty -opost -echo; cat \"$0\"", file]), size: Self.size)
        defer { tmux.close() }
        try tmux.wait("all that was written", within: .seconds(60)) { try tmux.title() == title }
        return try tmux.capture()
    }

    /// How a cell looks, whichever of several characters it is drawn with.
    private struct Look: Equatable {
        var text: String
        var upper: RGB?
        var lower: RGB?
        var front: RGB?
        var styles: [Bool]

        /// ncurses has no black of 24 bits, only one with the least blue that is no number of the palette.
        private static func seen(_ color: RGB) -> RGB { color.packed <= 8 ? .black : color }

        /// A cell of parts as quadrants where it is of octants, which ncurses has only if the C library knows them. Its
        /// upper left part is inked.
        private static func plain(_ cell: CapturedCell, isMono: Bool) -> CapturedCell {
            var cell = cell
            for _ in 0..<2 {
                guard let code = cell.text.unicodeScalars.first?.value else { return cell }
                let isOther = [PartGlyphs.octants, PartGlyphs.sextants].contains { codes in
                    codes.firstIndex(of: code).map { $0 > 0 && $0 & 1 == 0 } ?? false
                }
                if isOther, !isMono {
                    cell.text = String(Character(Unicode.Scalar(PartGlyphs.inverse(of: code))!))
                    swap(&cell.foreground, &cell.background)
                }
                guard let now = cell.text.unicodeScalars.first?.value, let quadrant = PartGlyphs.quadrant(for: now)
                else { return cell }
                cell.text = String(Character(Unicode.Scalar(quadrant)!))
            }
            return cell
        }

        init(_ cell: CapturedCell, isMono: Bool) {
            styles = [cell.isBold, cell.isDim, cell.isUnderlined, cell.isReversed]
            let cell = styles.contains(true) ? cell : Self.plain(cell, isMono: isMono)
            guard !isMono, ["▀", "▄", "█", " "].contains(cell.text), !styles.contains(true) else {
                (text, front, lower) = (cell.text, cell.foreground.map(Self.seen), cell.background.map(Self.seen))
                return
            }
            text = ""
            let halves = cell.halves
            (upper, lower) = (Self.seen(halves.upper), Self.seen(halves.lower))
        }
    }

    /// tmux leaves out what the C library does not know: octants, before glibc 2.41.
    nonisolated private static let modesThatTmuxReads = PictureMode.ofGlyphs.filter { $0 != .octant }

    @Test(arguments: ColorMode.allCases, modesThatTmuxReads)
    func bothPaintersShowTheSame(color: ColorMode, pictureMode: PictureMode) throws {
        for seed: UInt64 in 1...2 {
            let direct = try shown(by: .direct, color: color, pictureMode: pictureMode, seed: seed, budget: .max)
            let budget = seed == 1 ? Int.max : 12_000
            let ncurses = try shown(by: .ncurses, color: color, pictureMode: pictureMode, seed: seed, budget: budget)
            for index in direct.cells.indices {
                let looks = [direct, ncurses].map { Look($0.cells[index], isMono: color == .mono) }
                #expect(
                    looks[0] == looks[1],
                    "seed \(seed), column \(index % Self.size.columns), row \(index / Self.size.columns): \(direct.cells[index]), \(ncurses.cells[index])"
                )
                if looks[0] != looks[1] { return }
            }
        }
    }

    /// ncurses numbers pairs of colours. Once the numbers run out they come to mean others, and what was painted with
    /// them would change its colours.
    @Test func everyCellIsRepaintedWhenColorPairsRunOut() throws {
        let size = GridSize(columns: 200, rows: 60)
        let pty = try PseudoTerminal(size: size, pixels: PixelSize(width: 0, height: 0))
        let terminal = try Terminal(
            TerminalOptions(color: .truecolor, pictureMode: .half, output: .ncurses, answerPatience: Self.patience),
            environment: TerminalEnvironment(["TERM": "kitty-direct"]), input: pty.slave, output: pty.slave)
        defer { terminal.restore() }
        let painter = terminal.makePainter()
        var random = SeededRandom(state: 5)
        var canvas = Canvas(size: size, pictureMode: .half, color: .truecolor)
        var painted: [Int] = []
        for _ in 0..<7 {
            // Each picture has some 11,000 distinct pairs, and its lower two rows of cells are black.
            let (width, height) = (size.columns, size.rows * 2)
            let pixels = (0..<width * height).map { index in
                index < width * (height - 4) ? UInt32.random(in: 0...0xFF_FFFF, using: &random) : 0
            }
            Picture(size: PixelSize(width: width, height: height), pixels: pixels).withView { picture in
                canvas.compose(
                    pages: [PagePicture(picture: picture, top: 0)], pageSize: size, overlay: CellGrid(size: size),
                    background: .black)
            }
            var buffer = ByteBuffer()
            painted.append(painter.paint(canvas, within: .max, precision: .exact, into: &buffer).cells)
        }
        let changing = size.cells - 2 * size.columns
        #expect(painted.first == size.cells && painted[1] == changing)
        #expect(painted.dropFirst().count { $0 == size.cells } == 1)
        #expect(painted.dropFirst().allSatisfy { $0 == changing || $0 == size.cells })
    }

    /// A quarter of a picture's bytes shows about a quarter of its rows.
    @Test(arguments: [ColorMode.palette16, .palette256]) func paintingUsesItsBudget(color: ColorMode) throws {
        let size = GridSize(columns: 80, rows: 24)
        let pty = try PseudoTerminal(size: size, pixels: PixelSize(width: 0, height: 0))
        let terminal = try Terminal(
            TerminalOptions(color: color, pictureMode: .half, output: .ncurses, answerPatience: Self.patience),
            environment: TerminalEnvironment(["TERM": "xterm-256color"]), input: pty.slave, output: pty.slave)
        defer { terminal.restore() }
        var random = SeededRandom(state: 11)
        var canvas = Canvas(size: size, pictureMode: .half, color: color)
        let painter = terminal.makePainter()
        var whole = 0
        for turn in 0..<6 {
            let pixels = (0..<size.cells * 2).map { _ in UInt32.random(in: 0...0xFF_FFFF, using: &random) }
            Picture(size: PixelSize(width: size.columns, height: size.rows * 2), pixels: pixels).withView { picture in
                canvas.compose(
                    pages: [PagePicture(picture: picture, top: 0)], pageSize: size, overlay: CellGrid(size: size),
                    background: .black)
            }
            let budget = turn == 0 ? Int.max : whole / 4
            var updates = 0
            var isExact = false
            while !isExact, updates < size.rows {
                var buffer = ByteBuffer()
                isExact = painter.paint(canvas, within: budget, precision: .exact, into: &buffer).isExact
                let count = buffer.count
                #expect(count <= budget)
                if turn == 0 { whole = count }
                updates += 1
            }
            #expect(isExact && updates <= 8, "\(updates) updates of \(budget) bytes")
        }
    }

    @Test func aSynchronisedUpdateIsTheSameBytesBetweenBrackets() throws {
        func painted(isSynchronised: Bool) throws -> String {
            let pty = try PseudoTerminal(size: Self.size, pixels: PixelSize(width: 0, height: 0))
            let terminal = try Terminal(
                TerminalOptions(pictureMode: .ascii, output: .ncurses, answerPatience: Self.patience),
                environment: TerminalEnvironment(["TERM": "xterm-256color"]), input: pty.slave, output: pty.slave)
            defer { terminal.restore() }
            let painter = terminal.makePainter()
            painter.isSynchronised = isSynchronised
            var random = SeededRandom(state: 3)
            var scene = RandomScene(size: Self.size, pictureMode: .ascii, using: &random)
            scene.change(using: &random)
            var canvas = Canvas(size: Self.size, pictureMode: .ascii, color: .palette256)
            scene.compose(into: &canvas)
            var buffer = ByteBuffer()
            _ = painter.paint(canvas, within: .max, precision: .exact, into: &buffer)
            return buffer.withUnsafeBytes { String(decoding: $0, as: UTF8.self) }
        }
        let plain = try painted(isSynchronised: false)
        #expect(plain.utf8.count > Self.size.cells)
        let isSame = try painted(isSynchronised: true) == "\u{1B}[?2026h" + plain + "\u{1B}[?2026l"
        #expect(isSame)
    }

    @Test func wyse60IsSetUpFromTerminfoAndItsKeysAreRead() throws {
        let pty = try PseudoTerminal(size: GridSize(columns: 80, rows: 24), pixels: PixelSize(width: 0, height: 0))
        let before = pty.modes
        let terminal = try Terminal(
            environment: TerminalEnvironment(["TERM": "wyse60", "COLORTERM": "truecolor"]), input: pty.slave,
            output: pty.slave)
        #expect(terminal.output == .ncurses && terminal.pictureMode == .ascii && terminal.capabilities.color == .mono)
        let taken = pty.written()
        #expect(taken.contains("\u{1B}w0") && taken.contains("\u{1B}`0") && !taken.contains("\u{1B}["))
        for (text, key) in [
            ("\n", Key.down), ("\u{B}", .up), ("\u{8}", .left), ("\u{C}", .right), ("\r", .enter),
            ("q", .character("q")),
            ("\u{1B}K", .pageDown), ("\u{1B}J", .pageUp), ("\u{1E}", .home), ("\u{1B}", .escape),
        ] {
            try pty.type(text)
            let keys = terminal.events(now: .zero).compactMap { if case .key(let key) = $0 { key } else { nil } }
            #expect(keys == [key], "\(text.debugDescription)")
        }
        terminal.restore()
        #expect(pty.modes == before)
        let given = pty.written()
        #expect(given.contains("\u{1B}`1") && given.contains("\u{1B}w1") && !given.contains("\u{1B}["))
    }

    private struct Choice: CustomTestStringConvertible, Sendable {
        var term: String
        var wanted: ScreenOutput?
        var pictureMode: PictureMode
        var fixed: ColorMode?
        var output: ScreenOutput
        var color: ColorMode
        var reason: OutputReason
        var testDescription: String { "\(term), \(pictureMode), \(reason)" }
    }

    private nonisolated static let choices: [Choice] = [
        ("xterm-256color", nil, PictureMode.half, nil, ScreenOutput.direct, ColorMode.palette256, .manyColors),
        ("xterm-256color", nil, .ascii, nil, .ncurses, .palette256, .characters),
        ("xterm-256color", .ncurses, .half, .truecolor, .ncurses, .palette256, .asked),
        ("xterm-256color", nil, .ascii, .truecolor, .direct, .truecolor, .colorsBeyondTerminfo),
        ("xterm-256color", nil, .half, .palette16, .ncurses, .palette16, .fewColors),
        ("xterm-256color", .direct, .half, .palette16, .direct, .palette16, .asked),
        ("xterm-direct", .ncurses, .half, nil, .ncurses, .truecolor, .asked),
        ("linux", nil, .half, nil, .ncurses, .palette16, .fewColors),
        ("vt100", nil, .ascii, nil, .ncurses, .mono, .characters),
        ("vt100", .direct, .ascii, nil, .direct, .mono, .asked),
        ("tvi950", nil, .ascii, nil, .ncurses, .mono, .notECMA48),
    ].map { Choice(term: $0, wanted: $1, pictureMode: $2, fixed: $3, output: $4, color: $5, reason: $6) }

    @Test(arguments: choices)
    private func outputSuitsTheTerminal(_ choice: Choice) throws {
        let pty = try PseudoTerminal(size: GridSize(columns: 80, rows: 24), pixels: PixelSize(width: 0, height: 0))
        let terminal = try Terminal(
            TerminalOptions(
                color: choice.fixed, pictureMode: choice.pictureMode, output: choice.wanted,
                answerPatience: Self.patience),
            environment: TerminalEnvironment(["TERM": choice.term]), input: pty.slave, output: pty.slave)
        defer { terminal.restore() }
        #expect(terminal.output == choice.output && terminal.outputReason == choice.reason)
        #expect(terminal.capabilities.color == choice.color)
    }

    @Test func blocksAreForTerminalsOfECMA48() throws {
        typealias Case = (String, String, PictureMode?, PictureMode, PictureModeReason)
        let cases: [Case] = [
            ("xterm", "C.UTF-8", nil, .half, .unicode), ("xterm", "C.UTF-8", .octant, .octant, .asked),
            ("xterm", "C.UTF-8", .ascii, .ascii, .asked),
            ("xterm", "de_DE.ISO-8859-1", nil, .ascii, .localeWithoutUnicode),
            ("xterm", "de_DE.ISO-8859-1", .half, .half, .asked),
            ("vt100", "C.UTF-8", nil, .ascii, .terminalWithoutUnicode), ("vt100", "C.UTF-8", .half, .half, .asked),
            ("wyse60", "C.UTF-8", nil, .ascii, .terminalWithoutUnicode),
            ("wyse60", "C.UTF-8", .half, .ascii, .terminalWithoutUnicode),
        ]
        for (term, locale, wanted, pictureMode, reason) in cases {
            let pty = try PseudoTerminal(size: GridSize(columns: 80, rows: 24), pixels: PixelSize(width: 0, height: 0))
            let terminal = try Terminal(
                TerminalOptions(pictureMode: wanted, answerPatience: Self.patience),
                environment: TerminalEnvironment(["TERM": term, "LC_ALL": locale]),
                input: pty.slave, output: pty.slave)
            defer { terminal.restore() }
            #expect(terminal.pictureMode == pictureMode && terminal.pictureModeReason == reason, "\(term), \(locale)")
            #expect(terminal.capabilities.hasUnicode || pictureMode == .ascii)
        }
    }

    @Test func identifiedTerminalSwitchesToDirectOutput() throws {
        let pty = try PseudoTerminal(size: GridSize(columns: 80, rows: 24), pixels: PixelSize(width: 0, height: 0))
        let terminal = try Terminal(
            environment: TerminalEnvironment(["TERM": "xterm"]), input: pty.slave, output: pty.slave)
        defer { terminal.restore() }
        #expect(terminal.output == .ncurses && terminal.capabilities.color == .palette16)
        try pty.type("\u{1B}P>|foot(1.16)\u{1B}\\\u{1B}[?62;4c")
        _ = terminal.events(now: .zero)
        #expect(terminal.output == .direct && terminal.capabilities.color == .truecolor)
    }

    @Test func identifiedTerminalGetsItsBestPictureMode() throws {
        let pty = try PseudoTerminal(size: GridSize(columns: 80, rows: 24), pixels: PixelSize(width: 0, height: 0))
        let terminal = try Terminal(
            environment: TerminalEnvironment(["TERM": "xterm-256color", "COLORTERM": "truecolor"]), input: pty.slave,
            output: pty.slave)
        defer { terminal.restore() }
        #expect(terminal.pictureMode == .half)
        let before = terminal.capabilitiesVersion
        try pty.type("\u{1B}P>|kitty(0.42.1)\u{1B}\\\u{1B}[?62;4c")
        _ = terminal.events(now: .zero)
        #expect(terminal.pictureMode == .octant && terminal.pictureModeReason == .known("kitty 0.42.1"))
        #expect(terminal.capabilitiesVersion > before)
        #expect(terminal.makePainter().pictures.samplesPerCell == PictureMode.octant.samplesPerCell)
    }

    /// Read by tmux: every cell has the character and the colours of the canvas, or the inverted ones.
    @Test(arguments: modesThatTmuxReads.filter { $0 != .ascii && $0 != .half })
    func tmuxShowsEveryCharacterOfParts(pictureMode: PictureMode) throws {
        let size = GridSize(columns: 64, rows: 8)
        var random = SeededRandom(state: 2)
        let pixels = pictureMode.pictureSize(for: size)
        // Patterns of two colours, a few times each.
        let picture = Picture(
            size: pixels,
            pixels: (0..<pixels.width * pixels.height).map { _ in Bool.random(using: &random) ? 0xF0_C080 : 0x10_2040 })
        var canvas = Canvas(size: size, pictureMode: pictureMode, color: .truecolor)
        canvas.compose(picture, under: CellGrid(size: size))
        let painter = DirectPainter(
            size: size, pictures: PictureFormat(pictureMode), capabilities: EncoderCapabilities())
        var buffer = ByteBuffer()
        _ = painter.paint(canvas, within: .max, precision: .exact, into: &buffer)
        let folder = TemporaryFolder()
        let file = try folder.write("bytes", buffer.withUnsafeBytes { Array($0) })
        let tmux = try TmuxTerminal(
            .program(["sh", "-c", "stty -opost -echo; cat \"$0\"; sleep 60", file]), size: size)
        defer { tmux.close() }
        let screen = try tmux.waitUntil("the last cell") { $0[63, 7].foreground != nil && $0[63, 7].background != nil }
        for index in 0..<size.cells {
            let (cell, shown) = (canvas.cell(index), screen.cells[index])
            let code = shown.text.unicodeScalars.first?.value ?? 0
            let colors = [shown.foreground?.packed, shown.background?.packed]
            let isSame =
                cell.foreground == cell.background
                ? code == 0x20 && colors[1] == cell.background || code == 0x2588 && colors[0] == cell.background
                : code == cell.glyph && colors == [cell.foreground, cell.background]
                    || code == PartGlyphs.inverse(of: cell.glyph) && colors == [cell.background, cell.foreground]
            #expect(isSame, "cell \(index): \(cell), \(shown)")
            if !isSame { return }
        }
    }
}
