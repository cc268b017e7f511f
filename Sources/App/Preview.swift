import Bytes
import Model
import Player
import Screen
import TermGraphics
import Wire

#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

/// `flick preview`: one picture, or all of them, on standard output; no interface. Throws `AppError`.
///
/// What goes to a terminal and what goes into a pipe is the same bytes: the caller's options say what they are made for.
@MainActor
public func preview(_ settings: PreviewSettings) throws {
    let clock = ProcessClock()
    let url = try clipURL(settings.media)
    let trace = try settings.report.trace.map { try TraceFile(path: $0, clock: clock) }
    let size = settings.size ?? standardOutputSize() ?? GridSize(columns: 80, rows: 24)
    let surface = settings.surface ?? .half
    let color = settings.color ?? ColorMode.suiting(.current)
    let picture = surface.pictureSize(for: size)
    // A cell is taken to be twice as high as wide: there may be no terminal to ask.
    let request = SurfaceRequest(
        generation: 1, width: UInt32(picture.width), height: UInt32(picture.height),
        aspectNumerator: UInt32(surface.samplesPerCell.height),
        aspectDenominator: UInt32(2 * surface.samplesPerCell.width), fill: settings.fit == .fill)
    do {
        let run = try StraightRun(
            url: url, pictures: request, start: settings.at, decoderPath: try decoderPath(), door: LocalDoor())
        var writer = PreviewWriter(size: size, surface: surface, color: color, settings: settings, clock: clock)
        writer.trace = { event in trace?.write(event) }
        try writer.write(run)
    } catch let error as AppError {
        throw error
    } catch {
        throw AppError("cannot play \(ShownName.of(url)): \(error)")
    }
}

/// Draws pictures one below the other, or each over the one before.
private struct PreviewWriter: ~Copyable {
    private var canvas: Canvas
    private var encoder: Encoder
    private var bytes = ByteBuffer()
    private var output = StandardOutput()
    private let settings: PreviewSettings
    private let clock: ProcessClock
    var trace: TraceSink = { _ in }

    private let size: GridSize
    /// There is no text over a preview.
    private let nothing: Surface
    /// When the first picture was shown, and its PTS.
    private var began: (at: Duration, pts: Microseconds)?
    private var lastShown = Duration.seconds(-1)

    init(size: GridSize, surface: SurfaceKind, color: ColorMode, settings: PreviewSettings, clock: ProcessClock) {
        self.size = size
        nothing = Surface(size: size)
        self.settings = settings
        self.clock = clock
        canvas = Canvas(size: size, surface: surface, color: color)
        encoder = Encoder(size: size, capabilities: EncoderCapabilities())
    }

    mutating func write(_ run: StraightRun) throws {
        let isAnimated = settings.video
        if isAnimated { output.write("\u{1B}[?25l\u{1B}[2J") }
        var pictures = 0
        loop: while !output.isClosed {
            switch try run.next() {
            case .opened(let info):
                guard info.hasVideo else { throw PlaybackFailure(why: "it has sound but no picture") }
            case .picture(let header):
                pictures += 1
                guard isAnimated else {
                    try run.take(header) { writeStill($0) }
                    break loop
                }
                if !settings.untimed { wait(for: header) }
                try run.take(header) { write($0, pts: header.pts) }
            case .ended: break loop
            }
        }
        if isAnimated { output.write("\u{1B}[0m\u{1B}[\(size.rows);1H\n\u{1B}[?25h") }
        try output.finish()
        if pictures == 0 { throw PlaybackFailure(why: "there is no picture at that time") }
    }

    /// A picture of rows that can stand in any text.
    private mutating func writeStill(_ picture: PictureView) {
        compose(picture)
        bytes.removeAll()
        canvas.appendRows(to: &bytes)
        bytes.withUnsafeBytes { output.write($0) }
    }

    private mutating func write(_ picture: PictureView, pts: Microseconds) {
        let begun = clock.now
        if let fps = settings.fps, begun - lastShown < .seconds(1 / fps), !settings.untimed { return }
        lastShown = begun
        compose(picture)
        bytes.removeAll()
        let figures = encoder.encode(canvas, into: &bytes)
        bytes.withUnsafeBytes { output.write($0) }
        trace(
            TraceEvent(
                "picture",
                [
                    "pts": .number(Double(pts) / 1e6), "bytes": .integer(figures.bytes),
                    "cells": .integer(figures.cells),
                    "ms": .number((clock.now - begun).milliseconds),
                ]))
    }

    private mutating func compose(_ picture: PictureView) {
        canvas.compose(
            pages: [PagePicture(picture: picture, top: 0)], pageSize: size, overlay: nothing, background: .black)
    }

    /// Sleeps until the picture is due: there is nothing else to do meanwhile, and the decoder works on.
    private mutating func wait(for header: PictureHeader) {
        guard let began else {
            self.began = (clock.now, header.pts)
            return
        }
        let due = began.at + .microseconds(header.pts - began.pts)
        let left = due - clock.now
        if left > .zero { usleep(UInt32(clamping: left.microseconds)) }
    }
}

/// The size of the terminal on standard output; nil if it is none.
private func standardOutputSize() -> GridSize? {
    var window = winsize()
    guard ioctl(STDOUT_FILENO, UInt(TIOCGWINSZ), &window) == 0, window.ws_col > 0, window.ws_row > 1 else { return nil }
    // The line below the picture is the prompt's.
    return GridSize(columns: Int(window.ws_col), rows: Int(window.ws_row) - 1)
}
