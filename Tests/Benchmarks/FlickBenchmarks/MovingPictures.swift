import Foundation
import Model
import TermGraphics
import TestSupport

/// What moving pictures cost in bytes, and how close to exact ones they are, beside timg with the same pixels.
func moving(_ report: inout Report, _ programs: Programs, _ clips: Clips) throws {
    report.section("Moving pictures: the demo's clips at 200x60, half blocks, 24-bit colour")
    let hasTimg = programs.has("timg", for: "bytes, flick / timg", &report)
    var (ratios, exactRatios, similarities, times): ([Double], [Double], [Double], [Double]) = ([], [], [], [])
    for name in try Clips.demo() {
        let clip = try clips.demo(name)
        let pictures = try MovingPictures(clip: clip)
        let exact = try pictures.paint(.exact)
        let moving = try pictures.paint(.moving)
        similarities.append(moving.similarity)
        times.append(moving.milliseconds)
        let thousandths = Int((moving.similarity * 1_000).rounded())
        var line =
            "moving \(Int(moving.bytes)), exact \(Int(exact.bytes)) bytes a picture, SSIM \(Double(thousandths) / 1_000)"
        if hasTimg {
            let timg =
                Double(try programs.run(["timg", "-p", "half", "-g200x61", clip]).bytes) / Double(pictures.count)
            line += ", timg \(Int(timg))"
            ratios.append(moving.bytes / timg)
            exactRatios.append(exact.bytes / timg)
        }
        report.note(name, line)
    }
    report.figure("SSIM of the exact picture, least of the clips", similarities.min() ?? .nan, "", atLeast: 0.98)
    report.figure("encoding a picture, mean of the clips", times.reduce(0, +) / Double(times.count), "ms", atMost: 0.4)
    if hasTimg {
        report.figure("bytes, moving flick / timg, geometric mean", ratios.geometricMean, "", atMost: 0.25)
        report.figure("bytes, exact flick / timg, most of the clips", exactRatios.max() ?? .nan, "", atMost: 1)
    }
    for budget in [41_000, 20_000, 5_000] {
        var (met, count, times): (Int, Int, [Double]) = (0, 0, [])
        for name in try Clips.demo() {
            let painted = try MovingPictures(clip: try clips.demo(name)).paint(.moving, within: budget)
            met += painted.met
            count += painted.count
            times.append(painted.milliseconds)
        }
        report.figure(
            "\(budget) bytes a picture: met within 10 %", 100 * Double(met) / Double(count), "%", atLeast: 95)
        report.note("\(budget) bytes a picture: encoding", times.reduce(0, +) / Double(times.count), "ms")
    }
}

/// The first pictures of a clip, as large as 200×60 cells of half blocks.
private struct MovingPictures {
    private static let size = GridSize(columns: 200, rows: 60)
    private static let pixels = PictureMode.half.pictureSize(for: size)

    private let pictures: [Picture]
    var count: Int { pictures.count }

    /// - Parameter clip: is of that size already.
    init(clip: String) throws {
        let bytes = try Programs.output(of: [
            "ffmpeg", "-v", "error", "-i", clip, "-f", "rawvideo", "-pix_fmt", "bgra", "-",
        ])
        let pixels = Self.pixels
        let length = pixels.width * pixels.height
        pictures = bytes.withUnsafeBytes { bytes in
            (0..<bytes.count / (4 * length)).map { picture in
                Picture(
                    size: pixels,
                    pixels: (0..<length).map {
                        bytes.loadUnaligned(fromByteOffset: 4 * (picture * length + $0), as: UInt32.self) & 0xFF_FFFF
                    })
            }
        }
        guard !pictures.isEmpty else { throw NotMeasured("\(clip) has no picture") }
    }

    struct Painted {
        /// Bytes a picture.
        var bytes: Double
        /// The mean SSIM of what a terminal shows and the picture, of every tenth picture.
        var similarity: Double
        /// Processor time a picture.
        var milliseconds: Double
        /// Pictures that use 90 to 100 % of their budget, or less as they need no more.
        var met: Int
        var count: Int
    }

    func paint(_ precision: Precision, within budget: Int = .max) throws -> Painted {
        var canvas = Canvas(size: Self.size, pictureMode: .half, color: .truecolor)
        let painter = DirectPainter(
            size: Self.size, pictures: PictureFormat(.half), capabilities: EncoderCapabilities())
        let overlay = CellGrid(size: Self.size)
        var terminal = GridTerminal(size: Self.size)
        var buffer = ByteBuffer()
        var painted = Painted(bytes: 0, similarity: 0, milliseconds: 0, met: 0, count: pictures.count)
        var looks = 0
        for (index, picture) in pictures.enumerated() {
            picture.withView {
                canvas.compose(
                    pages: [PagePicture(picture: $0, top: 0)], pageSize: Self.size, overlay: overlay, background: .black
                )
            }
            buffer.removeAll()
            let begun = ThreadTime.used
            let figures = painter.paint(canvas, within: budget, precision: precision, into: &buffer)
            painted.milliseconds += (ThreadTime.used - begun).milliseconds
            painted.bytes += Double(figures.bytes)
            let isUsed = Double(figures.bytes) >= 0.9 * Double(budget) || figures.tolerance <= precision.tolerance
            if figures.bytes <= budget, isUsed { painted.met += 1 }
            guard budget == .max else { continue }
            try buffer.withUnsafeBytes { try terminal.feed($0) }
            guard index % 10 == 4 else { continue }
            painted.similarity += Samples.similarity(
                Self.tones(of: terminal), picture.pixels.map(Self.tone), width: Self.pixels.width)
            looks += 1
        }
        painted.bytes /= Double(max(count, 1))
        painted.milliseconds /= Double(max(count, 1))
        painted.similarity /= Double(max(looks, 1))
        return painted
    }

    /// BT.601.
    private static func tone(_ pixel: UInt32) -> Double {
        0.299 * Double(pixel >> 16 & 0xFF) + 0.587 * Double(pixel >> 8 & 0xFF) + 0.114 * Double(pixel & 0xFF)
    }

    private static func tones(of terminal: borrowing GridTerminal) -> [Double] {
        (0..<pixels.width * pixels.height).map { index in
            let (column, row) = (index % pixels.width, index / pixels.width)
            guard let shown = terminal.pixels(column: column, row: row / 2),
                case .rgb(let color) = row % 2 == 0 ? shown.upper : shown.lower
            else { return .nan }
            return tone(color.packed)
        }
    }
}
