import Bytes
import Model
import Platform
import Player
import Screen
import TermGraphics
import Wire

/// `flick preview`: prints one picture or all of them on standard output, without an interface. Throws `AppError`.
///
/// A terminal and a pipe receive the same bytes: the options alone decide what they look like.
@MainActor
public func preview(_ settings: PreviewSettings) throws {
    let clock = ProcessClock()
    settings.setup.printWarnings()
    let journal = try Journal(settings.report, file: settings.report.logFile, clock: clock)
    do {
        try preview(settings, journal: journal, clock: clock)
    } catch {
        journal.record(.error(what: "preview", why: "\(error)"))
        throw error
    }
}

@MainActor
private func preview(_ settings: PreviewSettings, journal: Journal, clock: ProcessClock) throws(AppError) {
    let decoder = try Installation.decoderPath()
    let command = try settings.setup.commandProvider(FetchJournal(journal))
    defer { command.close() }
    let clip = try ClipArgument.asset(
        settings.media, provider: command.provider, options: settings.setup.feedOptions())
    let size = settings.size ?? standardOutputSize() ?? GridSize(columns: 80, rows: 24)
    // What it prints are rows of text.
    let pictureMode = settings.pictureMode.flatMap { $0.hasPixels ? nil : $0 } ?? .half
    let color = settings.color ?? ColorMode.suiting(.current)
    // There may be no terminal that reports the size of its cells.
    let request = SurfaceRequest(
        grid: size, samples: pictureMode.samplesPerCell, cell: nil, fit: settings.fit, generation: 1)
    do {
        let run = try LinearDecode(
            url: clip.url, asset: clip, pictures: request, start: settings.at, decoderPath: decoder,
            bytes: MediaBytes(network: command.provider))
        var writer = PreviewWriter(
            size: size, pictureMode: pictureMode, color: color, settings: settings, clock: clock, trace: journal.record)
        try writer.write(run)
    } catch {
        throw AppError.playing(clip.url, error)
    }
}

/// Prints pictures one below the other, or each over the previous one.
private struct PreviewWriter: ~Copyable {
    private var canvas: Canvas
    private var encoder: Encoder
    private var bytes = ByteBuffer()
    private var output = StandardOutput()
    private let settings: PreviewSettings
    private let clock: ProcessClock
    private let trace: TraceSink

    private let size: GridSize
    /// An empty overlay: a preview has no text.
    private let nothing: CellGrid
    /// When the first picture was shown, and its PTS.
    private var began: (at: Duration, pts: Microseconds)?
    private var lastShown = Duration.seconds(-1)

    init(
        size: GridSize, pictureMode: PictureMode, color: ColorMode, settings: PreviewSettings, clock: ProcessClock,
        trace: @escaping TraceSink
    ) {
        self.size = size
        self.trace = trace
        nothing = CellGrid(size: size)
        self.settings = settings
        self.clock = clock
        canvas = Canvas(size: size, pictureMode: pictureMode, color: color)
        encoder = Encoder(size: size, capabilities: EncoderCapabilities())
    }

    /// Prints what was requested, and restores the terminal's state, also if the clip fails in the middle.
    @MainActor
    mutating func write(_ run: LinearDecode) throws {
        guard settings.video else { return try writePictures(of: run) }
        PaintedOutput.guardEnd(rows: size.rows, descriptor: STDOUT_FILENO)
        output.write(PaintedOutput.begin)
        let result = Result { try writePictures(of: run) }
        output.write(PaintedOutput.end(rows: size.rows))
        output.flush()
        PaintedOutput.disarm()
        try result.get()
    }

    private mutating func writePictures(of run: LinearDecode) throws {
        var pictures = 0
        loop: while !output.isClosed {
            switch try run.next() {
            case .opened(let info):
                guard info.hasVideo else { throw PlaybackError(why: "it has audio but no video") }
            case .picture(let header):
                pictures += 1
                guard settings.video else {
                    try run.withPicture(header) { writeStill($0) }
                    break loop
                }
                if !settings.untimed { wait(for: header) }
                try run.withPicture(header) { write($0, pts: header.pts) }
            case .ended: break loop
            }
        }
        if settings.video, pictures > 0 { refine() }
        try output.finish()
        if pictures == 0 { throw PlaybackError(why: "there is no frame at that time") }
    }

    /// Prints a picture as rows that also fit into a text file.
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
        let figures = encoder.encode(canvas, into: &bytes, precision: settings.exact ? .exact : .moving)
        bytes.withUnsafeBytes { output.write($0) }
        trace(
            .picture(
                item: nil, pts: .microseconds(pts), bytes: figures.bytes, cells: figures.cells,
                took: clock.now - begun))
    }

    /// The last picture stays: what of it need not be exact while it moves is brought.
    private mutating func refine() {
        bytes.removeAll()
        _ = encoder.encode(canvas, into: &bytes)
        bytes.withUnsafeBytes { output.write($0) }
    }

    private mutating func compose(_ picture: PictureView) {
        canvas.compose(
            pages: [PagePicture(picture: picture, top: 0)], pageSize: size, overlay: nothing, background: .black)
    }

    /// Sleeps until the frame is due. The decoder continues meanwhile.
    private mutating func wait(for header: PictureHeader) {
        guard let began else {
            self.began = (clock.now, header.pts)
            return
        }
        let due = began.at + .microseconds(header.pts - began.pts)
        let left = due - clock.now
        // The time is known in advance, and there is no event to wait for.
        if left > .zero { usleep(UInt32(clamping: left.microseconds)) }
    }
}

/// The size of the terminal on standard output; nil if that is not a terminal.
func standardOutputSize() -> GridSize? {
    var window = winsize()
    guard ioctl(STDOUT_FILENO, UInt(TIOCGWINSZ), &window) == 0, window.ws_col > 0, window.ws_row > 1 else { return nil }
    // The line below the picture is for the prompt.
    return GridSize(columns: Int(window.ws_col), rows: Int(window.ws_row) - 1)
}
