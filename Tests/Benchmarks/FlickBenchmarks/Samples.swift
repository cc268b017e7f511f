import Foundation
import Model
import TermGraphics
import TestSupport

/// A picture of 120×40 cells, eight samples a cell, and how close two are to each other.
struct Samples {
    static let columns = 120
    static let rows = 40
    static let width = 2 * columns
    static let height = 4 * rows

    private(set) var colors: [RGB]
    /// Brightness, 0…255 (BT.709).
    let tones: [Double]

    init(colors: [RGB]) {
        self.colors = colors
        tones = colors.map { 0.2126 * Double($0.red) + 0.7152 * Double($0.green) + 0.0722 * Double($0.blue) }
    }

    /// A picture file, scaled by ffmpeg.
    init(picture path: String) throws {
        let bytes = try Programs.output(of: [
            "ffmpeg", "-v", "error", "-i", path, "-vf", "scale=\(Self.width):\(Self.height):flags=area", "-f",
            "rawvideo", "-pix_fmt", "rgb24", "-",
        ])
        self.init(
            colors: (0..<Self.width * Self.height).map { RGB(bytes[3 * $0], bytes[3 * $0 + 1], bytes[3 * $0 + 2]) })
    }

    // MARK: What a program drew

    /// The picture that a program wrote in rows of cells: blocks, shades and ASCII, in 24-bit colours, the 256 of xterm
    /// or none (white on black).
    init(drawn bytes: [UInt8]) {
        var lines: [Int: [[RGB]]] = [:]
        var row = 1
        var (ink, paper, isReversed) = (RGB.white, RGB.black, false)
        var text = String(decoding: bytes, as: UTF8.self).unicodeScalars[...]
        while let scalar = text.popFirst() {
            switch scalar.value {
            case 0x0A: row += 1
            case 0x1B:
                let sequence = text.prefix { !("A"..."z").contains($0) || $0 == "[" }
                let final = text.dropFirst(sequence.count).first
                text = text.dropFirst(sequence.count + 1)
                let numbers = String(sequence.dropFirst()).split(separator: ";").map { Int($0) ?? 0 }
                // mpv begins in row 0, which terminals take for row 1.
                if final == "H" || final == "f" { row = numbers.first ?? 1 }
                if final == "m" { Self.apply(numbers.isEmpty ? [0] : numbers, &ink, &paper, &isReversed) }
            case 0x20...:
                lines[row, default: []].append(
                    isReversed ? Self.cell(scalar, paper, ink) : Self.cell(scalar, ink, paper))
            default: break
            }
        }
        var colors = Array(repeating: RGB.black, count: Self.width * Self.height)
        for (row, line) in lines.sorted(by: { $0.key < $1.key }).prefix(Self.rows).map(\.value).enumerated() {
            for (column, cell) in line.prefix(Self.columns).enumerated() {
                for (index, color) in cell.enumerated() {
                    colors[(4 * row + index / 2) * Self.width + 2 * column + index % 2] = color
                }
            }
        }
        self.init(colors: colors)
    }

    private static func cell(_ scalar: Unicode.Scalar, _ ink: RGB, _ paper: RGB) -> [RGB] {
        (0..<8).map { sample in
            let covered: Double =
                switch scalar.value {
                case 0x21...0x7E:
                    Double(ASCIICoverage.table[8 * Int(scalar.value - UInt32(ASCIICoverage.first)) + sample]) / 255
                case 0x2588: 1
                case 0x2591...0x2593: Double(scalar.value - 0x2590) / 4
                default: parts[scalar.value]?[sample] ?? 0
                }
            func mixed(_ one: UInt8, _ other: UInt8) -> UInt8 {
                UInt8((Double(one) * covered + Double(other) * (1 - covered)).rounded())
            }
            return RGB(mixed(ink.red, paper.red), mixed(ink.green, paper.green), mixed(ink.blue, paper.blue))
        }
    }

    /// How much of each of a cell's samples the characters of quadrants, sextants and octants cover.
    private static let parts: [UInt32: [Double]] = {
        var parts: [UInt32: [Double]] = [:]
        for mode in [PictureMode.quadrant, .sextant, .octant] {
            let rows = Double(mode.samplesPerCell.height)
            for (pattern, code) in PartGlyphs.codes(of: mode).enumerated() {
                parts[code] = (0..<8).map { sample in
                    // In quarters of the cell's height.
                    let top = Double(sample / 2)
                    return (0..<mode.samplesPerCell.height).reduce(0) { sum, row in
                        let (from, to) = (Double(row) * 4 / rows, Double(row + 1) * 4 / rows)
                        let isInked = pattern >> (2 * row + sample % 2) & 1 == 1
                        return sum + (isInked ? max(min(to, top + 1) - max(from, top), 0) : 0)
                    }
                }
            }
        }
        return parts
    }()

    private static func apply(_ numbers: [Int], _ ink: inout RGB, _ paper: inout RGB, _ isReversed: inout Bool) {
        var rest = numbers[...]
        while let number = rest.popFirst() {
            switch number {
            case 0: (ink, paper, isReversed) = (.white, .black, false)
            case 7, 27: isReversed = number == 7
            case 30...37: ink = TerminalPalette.color(of: number - 30)
            case 39: ink = .white
            case 40...47: paper = TerminalPalette.color(of: number - 40)
            case 49: paper = .black
            case 90...97: ink = TerminalPalette.color(of: number - 82)
            case 100...107: paper = TerminalPalette.color(of: number - 92)
            case 38, 48:
                let isDirect = rest.popFirst() == 2
                let channels = rest.prefix(isDirect ? 3 : 1).map { UInt8(clamping: $0) }
                rest = rest.dropFirst(channels.count)
                guard let first = channels.first, !isDirect || channels.count == 3 else { break }
                let color =
                    isDirect ? RGB(first, channels[1], channels[2]) : TerminalPalette.color(of: Int(first))
                if number == 38 { ink = color } else { paper = color }
            default: break
            }
        }
    }

    // MARK: How close two are

    /// The mean brightness of each cell.
    var cellTones: [Double] {
        (0..<Self.columns * Self.rows).map { cell in
            let first = cell / Self.columns * 4 * Self.width + cell % Self.columns * 2
            let rows = (0..<4).map { row in
                let left = first + row * Self.width
                return tones[left] + tones[left + 1]
            }
            return rows.reduce(0, +) / 8
        }
    }

    /// How steep the brightness is at each sample but those at the rim.
    var edges: [Double] {
        (1..<Self.height - 1).flatMap { row in
            (1..<Self.width - 1).map { column in
                let at = row * Self.width + column
                return hypot(tones[at + 1] - tones[at - 1], tones[at + Self.width] - tones[at - Self.width])
            }
        }
    }

    /// Pearson's coefficient: 1 is best.
    static func correlation(_ a: [Double], _ b: [Double]) -> Double {
        let (p, q) = (even(a), even(b))
        return zip(p, q).reduce(0) { $0 + ($1.0 - 128) * ($1.1 - 128) } / Double(a.count) / 2_500
    }

    /// The same with a mean of 128 and a spread of 50.
    static func even(_ values: [Double]) -> [Double] {
        let mean = values.reduce(0, +) / Double(values.count)
        let spread = sqrt(values.reduce(0) { $0 + ($1 - mean) * ($1 - mean) } / Double(values.count))
        return values.map { ($0 - mean) / max(spread, 1e-6) * 50 + 128 }
    }

    /// SSIM: Wang, Bovik, Sheikh, Simoncelli, "Image quality assessment: from error visibility to structural
    /// similarity" (2004), formula 13, the mean over windows of 8×8, 4 apart.
    static func similarity(_ a: [Double], _ b: [Double], width: Int) -> Double {
        var (total, windows) = (0.0, 0.0)
        for top in stride(from: 0, through: a.count / width - 8, by: 4) {
            for left in stride(from: 0, through: width - 8, by: 4) {
                var (p, q, pp, qq, pq) = (0.0, 0.0, 0.0, 0.0, 0.0)
                for index in 0..<64 {
                    let at = (top + index / 8) * width + left + index % 8
                    p += a[at] / 64
                    q += b[at] / 64
                    pp += a[at] * a[at] / 64
                    qq += b[at] * b[at] / 64
                    pq += a[at] * b[at] / 64
                }
                let spreads = (pp - p * p) + (qq - q * q)
                total +=
                    (2 * p * q + 6.5025) * (2 * (pq - p * q) + 58.5225) / (p * p + q * q + 6.5025) / (spreads + 58.5225)
                windows += 1
            }
        }
        return total / windows
    }

    /// PSNR of the brightness in dB.
    func signalToNoise(_ other: Samples) -> Double {
        let squares = zip(tones, other.tones).reduce(0) { $0 + ($1.0 - $1.1) * ($1.0 - $1.1) }
        return 10 * log10(65_025 * Double(tones.count) / max(squares, 1e-6))
    }

    /// The mean distance in Oklab, in hundredths: Ottosson, "A perceptual color space for image processing" (2020).
    func colorDifference(_ other: Samples) -> Double {
        let squares = zip(colors, other.colors).map { one, other in
            let apart = Self.oklab(one) - Self.oklab(other)
            return (apart * apart).sum()
        }
        return squares.reduce(0) { $0 + sqrt($1) } / Double(squares.count) * 100
    }

    private static func oklab(_ color: RGB) -> SIMD3<Double> {
        let (red, green, blue) = (linear[Int(color.red)], linear[Int(color.green)], linear[Int(color.blue)])
        let l = cbrt(0.4122214708 * red + 0.5363325363 * green + 0.0514459929 * blue)
        let m = cbrt(0.2119034982 * red + 0.6806995451 * green + 0.1073969566 * blue)
        let s = cbrt(0.0883024619 * red + 0.2817188376 * green + 0.6299787005 * blue)
        return l * SIMD3(0.2104542553, 1.9779984951, 0.0259040371)
            + m * SIMD3(0.7936177850, -2.4285922050, 0.7827717662)
            - s * SIMD3(0.0040720468, -0.4505937099, 0.8086757660)
    }

    /// IEC 61966-2-1 (sRGB).
    private static let linear = (0...255).map { value in
        let c = Double(value) / 255
        return c <= 0.04045 ? c / 12.92 : pow((c + 0.055) / 1.055, 2.4)
    }
}
