import Model
import TestSupport
import Testing

@testable import TermGraphics

/// A canvas, its encoder, and a terminal that gets what that writes.
final class TestScreen {
    var canvas: Canvas
    var encoder: Encoder
    var terminal: GridTerminal
    /// The last update.
    private(set) var written = ""

    private let size: GridSize

    init(
        size: GridSize, pictureMode: PictureMode = .half, color: ColorMode = .truecolor,
        capabilities: EncoderCapabilities = EncoderCapabilities()
    ) {
        self.size = size
        canvas = Canvas(size: size, pictureMode: pictureMode, color: color)
        encoder = Encoder(size: size, capabilities: capabilities)
        terminal = GridTerminal(size: size)
    }

    func update(_ precision: Precision, within budget: Int = .max) throws -> PaintStats {
        var buffer = ByteBuffer(capacity: 64)
        let figures = encoder.encode(canvas, into: &buffer, within: budget, precision: precision)
        let bytes = buffer.withUnsafeBytes { Array($0) }
        written = String(decoding: bytes, as: UTF8.self)
        #expect(figures.bytes == bytes.count)
        try terminal.feed(bytes)
        #expect(terminal.scrolls == 0 && terminal.modes.isEmpty)
        return figures
    }

    /// Whether the terminal shows the canvas.
    var isExact: Bool { (0..<size.cells).allSatisfy { difference(canvas, terminal, at: $0) == nil } }

    /// The error of the worst cell of a picture, as the terminal shows it.
    func worstError() throws -> UInt16 {
        let errors = try measure()
        return (0..<size.cells).map { errors.values[$0] }.max() ?? 0
    }

    /// Text and whatever else is not picture is exact, and pictures are as near as `tolerance` asks.
    func expectNearness(tolerance: Double) throws {
        let errors = try measure()
        let most = ColorTolerance(tolerance: tolerance, rounds: true).errorAlone
        for index in 0..<size.cells {
            if canvas.pictureCells[index] == 0 {
                #expect(difference(canvas, terminal, at: index) == nil)
            } else {
                #expect(errors.values[index] <= most, "cell \(index) of \(size)")
            }
        }
    }

    /// How far the terminal, not what the encoder remembers of it, is from the canvas.
    private func measure() throws -> PerceptualErrors {
        let colors = Plane<UInt64>(count: size.cells, filledWith: 0)
        let glyphs = Plane<UInt32>(count: size.cells, filledWith: 0)
        for index in 0..<size.cells {
            guard canvas.pictureCells[index] == 1,
                let pixels = terminal.pixels(column: index % size.columns, row: index / size.columns),
                case .rgb(let upper) = pixels.upper, case .rgb(let lower) = pixels.lower
            else {
                // Characters are compared by `difference`.
                (colors[index], glyphs[index]) = (canvas.colors[index], canvas.glyphs[index])
                #expect(canvas.pictureCells[index] == 0, "a picture's cell shows something else")
                continue
            }
            colors[index] = UInt64(upper.packed) | UInt64(lower.packed) << 32
            glyphs[index] = upper == lower ? Glyph.space.code : HalfBlock.upper
        }
        let errors = PerceptualErrors(size: size)
        _ = errors.measure(canvas, colors: colors, glyphs: glyphs)
        return errors
    }
}

/// A film without a film: soft light that drifts, a pattern that moves before it, noise of a camera, and a caption.
struct MovingScene {
    private let size: GridSize
    private var picture: Picture
    private var overlay: CellGrid
    private var time = 0
    private var random = SeededRandom(state: 11)

    init(size: GridSize) {
        self.size = size
        let pixels = PictureMode.half.pictureSize(for: size)
        picture = Picture(size: pixels, pixels: Array(repeating: 0, count: pixels.width * pixels.height))
        overlay = CellGrid(size: size)
        for (column, letter) in "a caption".unicodeScalars.enumerated() {
            overlay[column + 2, size.rows - 2] = Cell(glyph: Glyph(letter), foreground: .white, style: .readable)
        }
        for column in 0..<size.columns { overlay[column, size.rows - 2].shade = 90 }
    }

    /// - Parameter noise: levels up and down.
    mutating func advance(noise: Int) {
        time += 1
        let width = picture.size.width
        for index in picture.pixels.indices {
            let (column, row) = (index % width, index / width)
            let light = Self.wave(column * 3 + row * 2 + time)
            let isBefore = Self.wave(column * 5 - time * 4) > 90 && (row + time / 8) % 12 < 6
            let trembling = noise > 0 ? Int.random(in: -noise...noise, using: &random) : 0
            let (red, green, blue) =
                isBefore
                ? (200 - light / 2, 60 + Self.wave(row * 40), 40) : (40 + light, 50 + light / 2, 120 - light / 2)
            picture.pixels[index] = [red, green, blue].reduce(0) { $0 << 8 | UInt32(min(max($1 + trembling, 0), 255)) }
        }
    }

    func compose(into canvas: inout Canvas) { canvas.compose(picture, under: overlay) }

    /// Up and down between 0 and 128.
    private static func wave(_ value: Int) -> Int { abs((value & 255) - 128) }
}

extension Picture {
    /// Moves every pixel by up to `levels` up or down.
    mutating func tremble(by levels: Int, using random: inout SeededRandom) {
        for index in pixels.indices {
            let step = Int.random(in: -levels...levels, using: &random)
            pixels[index] = [16, 8, 0].reduce(0) { sum, shift in
                sum | UInt32(min(max(Int(pixels[index] >> UInt32(shift) & 0xFF) + step, 0), 255)) << UInt32(shift)
            }
        }
    }
}
