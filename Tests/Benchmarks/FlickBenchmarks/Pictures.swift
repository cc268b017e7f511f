import Foundation
import Model
import TermGraphics
import TestSupport

/// How close pictures of characters and of few colours come to what they show, and how long one takes.
func pictures(_ report: inout Report, _ programs: Programs, _ clips: Clips) throws {
    report.section("Pictures of characters and of few colours: three stills at 120x40")
    let stills = try clips.stills().map { (path: $0, samples: try Samples(picture: $0)) }
    for setting in PictureSetting.all {
        let peers = setting.peers.filter { programs.has($0[0], for: "\(setting.name): \($0[0])", &report) }
        let own = try stills.map { try setting.score([programs.flick] + setting.flick, $0.path, $0.samples) }
        let others = try peers.map { peer in try stills.map { try setting.score(peer, $0.path, $0.samples) } }
        for (index, measure) in setting.measures.enumerated() {
            func mean(_ scores: [[Double]]) -> Double { scores.map { $0[index] }.reduce(0, +) / Double(scores.count) }
            let name = "\(setting.name): \(measure.name)"
            report.note("\(name), flick", mean(own), "")
            for (peer, scores) in zip(peers, others) {
                let lead = measure.isError ? mean(scores) - mean(own) : mean(own) - mean(scores)
                report.figure("\(name), lead over \(peer[0])", lead, "", atLeast: 0)
            }
        }
    }
    for (pictureMode, color) in [
        (PictureMode.ascii, ColorMode.mono), (.ascii, .palette16), (.ascii, .palette256), (.half, .palette256),
    ] {
        let time = millisecondsPerPicture(pictureMode, color, stills.map(\.samples))
        report.figure("\(pictureMode), \(color): a picture of 200x60", time, "ms", atMost: 1)
    }
    for (pictureMode, limit) in [(PictureMode.quadrant, 2.0), (.sextant, 4), (.octant, 6)] {
        let samples = stills.map(\.samples)
        let time = millisecondsPerPicture(pictureMode, .truecolor, samples, isEncoded: true)
        report.figure("\(pictureMode): composing and encoding a picture of 200x60", time, "ms", atMost: limit)
        for color in [ColorMode.palette256, .palette16, .mono] {
            let time = millisecondsPerPicture(pictureMode, color, samples, isEncoded: true)
            report.figure("\(pictureMode), \(color): the same", time, "ms", atMost: limit + 2)
        }
        guard programs.has("chafa", for: "\(pictureMode): chafa's time over flick's", &report) else { continue }
        let symbols = pictureMode == .quadrant ? "space+solid+quad+half" : "space+solid+sextant"
        let chafa = try stills.map { try millisecondsOfChafa(symbols, $0.path) }.reduce(0, +) / Double(stills.count)
        report.figure("\(pictureMode): chafa's time over flick's, one core", chafa / time, "", atLeast: 10)
    }
}

/// What chafa takes for 200x60 cells more than for one cell: reading the picture is not counted.
private func millisecondsOfChafa(_ symbols: String, _ still: String) throws -> Double {
    func least(_ size: String) throws -> Double {
        let arguments = [
            "chafa", "-f", "symbols", "--symbols", symbols, "-c", "full", "--threads", "1", "-s", size, "--stretch",
        ]
        return try (0..<5).map { _ in
            let start = ContinuousClock.now
            _ = try Programs.output(of: arguments + [still])
            return start.duration(to: .now) / .milliseconds(1)
        }.min() ?? .nan
    }
    return try least("200x60") - least("1x1")
}

/// Composes pictures that move everywhere, so that no cell stays as it was.
private func millisecondsPerPicture(
    _ pictureMode: PictureMode, _ color: ColorMode, _ stills: [Samples], isEncoded: Bool = false
) -> Double {
    let size = GridSize(columns: 200, rows: 60)
    let pixels = pictureMode.pictureSize(for: size)
    let moving = (0..<30).map { step in
        let still = stills[step % stills.count]
        return Picture(
            size: pixels,
            pixels: (0..<pixels.width * pixels.height).map { index in
                let (column, row) = (index % pixels.width + 5 * step, index / pixels.width + 3 * step)
                return still.colors[row % Samples.height * Samples.width + column % Samples.width].packed
            })
    }
    var canvas = Canvas(size: size, pictureMode: pictureMode, color: color)
    var encoder = Encoder(size: size, capabilities: EncoderCapabilities())
    var bytes = ByteBuffer()
    let overlay = CellGrid(size: size)
    let times = (0..<6).map { _ in
        let start = ContinuousClock.now
        for picture in moving {
            picture.withView {
                canvas.compose(
                    pages: [PagePicture(picture: $0, top: 0)], pageSize: size, overlay: overlay, background: .black)
            }
            if isEncoded {
                bytes.removeAll()
                _ = encoder.encode(canvas, into: &bytes)
            }
        }
        return start.duration(to: .now) / .milliseconds(1) / Double(moving.count)
    }
    // The least: the first round looks for colours that are known from then on, and others may be interrupted.
    return times.min() ?? .nan
}

/// A way to draw, the peers that support it, and the measures to compare.
private struct PictureSetting {
    var name: String
    /// What follows each program's name, with the still's path to come last.
    var flick: [String]
    var peers: [[String]]
    var measures: [Measure]

    struct Measure {
        var name: String
        var isError = false
        var value: (_ shown: Samples, _ wanted: Samples) -> Double
    }

    static var all: [PictureSetting] {
        func flick(_ pictureMode: String, _ color: String) -> [String] {
            ["preview", "--fit", "--size", "120x40", "--surface", pictureMode, "--color", color]
        }
        func chafa(_ symbols: String, _ colors: String) -> [String] {
            ["chafa", "-f", "symbols", "--symbols", symbols, "-c", colors, "-s", "120x40", "--stretch"]
        }
        let mpv = [
            "mpv", "--no-config", "--really-quiet", "--frames=1", "--vo=tct", "--vo-tct-256=yes", "--vo-tct-width=120",
            "--vo-tct-height=40",
        ]
        let timg = ["timg", "-p", "quarter", "-g120x41", "--upscale"]
        let shape = [
            Measure(name: "tone") { Samples.correlation($0.cellTones, $1.cellTones) },
            Measure(name: "SSIM of cells") {
                Samples.similarity(Samples.even($0.cellTones), Samples.even($1.cellTones), width: Samples.columns)
            },
            Measure(name: "edges") { Samples.correlation($0.edges, $1.edges) },
        ]
        let color = [
            Measure(name: "SSIM") { Samples.similarity($0.tones, $1.tones, width: Samples.width) },
            Measure(name: "PSNR") { $0.signalToNoise($1) },
            Measure(name: "colour difference", isError: true) { $0.colorDifference($1) },
        ]
        return [
            PictureSetting(
                name: "ASCII, mono", flick: flick("ascii", "mono"),
                peers: [["jp2a", "--size=120x40"], chafa("ascii", "none")], measures: shape),
            PictureSetting(
                name: "ASCII, 16 colours", flick: flick("ascii", "16"), peers: [chafa("ascii", "16")],
                measures: [shape[0], color[1], color[2]]),
            PictureSetting(
                name: "ASCII, 256 colours", flick: flick("ascii", "256"), peers: [chafa("ascii", "256")],
                measures: [shape[0], color[1], color[2]]),
            PictureSetting(
                name: "half blocks, 256 colours", flick: flick("half", "256"),
                peers: [mpv, chafa("vhalf+space", "256")], measures: color),
            PictureSetting(
                name: "half blocks, 16 colours", flick: flick("half", "16"), peers: [chafa("vhalf+space", "16")],
                measures: color),
            PictureSetting(
                name: "quadrants", flick: flick("quadrant", "truecolor"),
                peers: [timg, chafa("space+solid+quad+half", "full")], measures: color),
            PictureSetting(
                name: "sextants", flick: flick("sextant", "truecolor"), peers: [chafa("space+solid+sextant", "full")],
                measures: color),
            // chafa has octants since 1.16; before, sextants are the finest.
            PictureSetting(
                name: "octants beside sextants", flick: flick("octant", "truecolor"),
                peers: [chafa("space+solid+sextant", "full")], measures: color),
            PictureSetting(
                name: "quadrants, 256 colours", flick: flick("quadrant", "256"),
                peers: [chafa("space+solid+quad+half", "256")], measures: color),
            PictureSetting(
                name: "sextants, 16 colours", flick: flick("sextant", "16"),
                peers: [chafa("space+solid+sextant", "16")], measures: color),
            PictureSetting(
                name: "sextants, mono", flick: flick("sextant", "mono"), peers: [chafa("space+solid+sextant", "none")],
                measures: shape),
            PictureSetting(
                name: "half blocks, mono", flick: flick("half", "mono"), peers: [chafa("vhalf+space+solid", "none")],
                measures: shape),
        ]
    }

    func score(_ program: [String], _ still: String, _ wanted: Samples) throws -> [Double] {
        let shown = try Samples(drawn: Programs.output(of: program + [still]))
        return measures.map { $0.value(shown, wanted) }
    }
}
