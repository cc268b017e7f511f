import App
import ArgumentParser
import Model
import Platform

struct Browse: ParsableCommand {
    static let configuration = CommandConfiguration(commandName: "browse", abstract: "Browse a feed.")

    @Argument(
        help:
            "Folders, media files, feeds, playlists, or - for a list on standard input (default: the home feed, or the demo feed).",
        completion: .file())
    var source: [String] = []

    @OptionGroup var picture: PictureOptions

    @Option(help: ArgumentHelp("Screen output: flick's own, or ncurses.", valueName: "who"))
    var output: Automatic<ScreenOutput>?

    @Option(
        help: ArgumentHelp("Limit the output to the terminal, in bits per second: 1Mbit, 500k.", valueName: "rate"),
        transform: LinkRate.bitsPerSecond)
    var link: Int64?

    @Option(
        help: ArgumentHelp(
            "Encoding of subtitles that are not Unicode: auto, cp1250, shift_jis.", valueName: "name"))
    var subCharset: SubtitleCharset?

    @Option(
        help: ArgumentHelp("Show the subtitles of this file or URL.", valueName: "file"), completion: .file())
    var subFile: String?

    @Option(help: ArgumentHelp("Colours of text and sheets.", valueName: "name"))
    var theme: Automatic<ThemeName>?

    @Option(help: ArgumentHelp("Begin at this place.", valueName: "name"))
    var place: StartPlace?

    @Option(help: ArgumentHelp("Volume, 0 to 100 (default: as you left it).", valueName: "n"))
    var volume: Double?

    @Option(help: ArgumentHelp("Speed, 0.25 to 4 (default: as you left it).", valueName: "x"))
    var speed: Double?

    @OptionGroup var sound: SoundOptions
    @OptionGroup var provider: ProviderOptions
    @OptionGroup var report: ReportOptions

    @Option(
        help: ArgumentHelp(
            "Start at this item, counted from 1 (default: what is new, else where you left off).", valueName: "n"))
    var start: Int?

    @OptionGroup var order: OrderOptions

    @Flag(inversion: .prefixedNo, help: "Repeat each clip, or stop at its end.")
    var loop: Bool?

    @Flag(inversion: .prefixedNo, help: "Play small variants of clips, and fetch little ahead.")
    var dataSaver: Bool?

    @Flag(help: "Continue with the next clip at the end of a clip.")
    var autoAdvance = false

    @Option(
        help: ArgumentHelp("Pause after this time: 30m, 1h (default: off).", valueName: "time"),
        transform: SleepTime.duration)
    var sleep: Duration?

    @Flag(inversion: .prefixedNo, help: "Turn pages without animation.")
    var reducedMotion: Bool?

    @Flag(
        inversion: .prefixedNo,
        help: "Print the feed as text, for screen readers.")
    var plain: Bool?

    mutating func validate() throws {
        if let start, start < 1 { throw ValidationError("--start must be at least 1") }
        if let volume, !(0...100).contains(volume) { throw ValidationError("--volume must be from 0 to 100") }
        if let speed, !BrowseSettings.speeds.contains(speed) { throw ValidationError("--speed must be from 0.25 to 4") }
    }

    mutating func run() throws {
        if source.count == 1 { try Flick.checkSource(source[0]) }
        let settings = BrowseSettings(
            sources: source, pictureMode: picture.surface, color: picture.color, output: output, fit: picture.fit,
            fps: picture.fps, link: link, muted: sound.mute, audio: !sound.noAudio, start: start.map { $0 - 1 },
            shuffle: order.isRandom,
            order: order.order, loop: loop, autoAdvance: autoAdvance, reducedMotion: reducedMotion, plain: plain,
            subtitleCharset: subCharset, subtitleFile: subFile, volume: volume.map { $0 / 100 }, speed: speed,
            sleep: sleep, theme: theme, firstPlace: place, dataSaver: dataSaver, report: report.settings,
            setup: try provider.setup())
        let status = try MainActor.assumeIsolated { try browse(settings) }
        if status != 0 { throw ExitCode(status) }
    }
}
