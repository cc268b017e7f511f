import App
import ArgumentParser
import Model

struct Browse: ParsableCommand {
    static let configuration = CommandConfiguration(abstract: "Browse a feed.")

    @Argument(
        help:
            "Folders, media files, feeds, playlists, or - for a list on standard input (default: home.sources of the configuration, else the demo feed).",
        completion: .file())
    var source: [String] = []

    @OptionGroup var picture: PictureOptions

    @Option(help: ArgumentHelp("Who writes the screen: flick itself, or ncurses.", valueName: "who"))
    var output: Automatic<ScreenOutput>?

    @Option(
        help: ArgumentHelp("Send at most this many bits a second to the terminal: 1Mbit, 500k.", valueName: "rate"),
        transform: LinkRate.bitsPerSecond)
    var link: Int64?

    @Option(
        help: ArgumentHelp(
            "The encoding of subtitles that are not in Unicode: auto, cp1250, shift_jis.", valueName: "name"))
    var subCharset: SubtitleCharset?

    @OptionGroup var sound: SoundOptions
    @OptionGroup var provider: ProviderOptions
    @OptionGroup var report: ReportOptions

    @Option(
        help: ArgumentHelp("Begin with the n-th item, counted from 1 (default: the one in view last).", valueName: "n"))
    var start: Int?

    @OptionGroup var order: OrderOptions

    @Flag(inversion: .prefixedNo, help: "Start a clip again at its end, or stop there.")
    var loop: Bool?

    @Flag(help: "Go on to the next item at the end of a clip.")
    var autoAdvance = false

    @Flag(inversion: .prefixedNo, help: "Cut from page to page instead of sliding, and animate nothing.")
    var reducedMotion: Bool?

    @Flag(
        inversion: .prefixedNo,
        help: "Tell the feed in lines, for a screen reader, instead of drawing it.")
    var plain: Bool?

    mutating func validate() throws {
        if let start, start < 1 { throw ValidationError("--start counts from 1") }
    }

    mutating func run() throws {
        let settings = BrowseSettings(
            sources: source, pictureMode: picture.surface, color: picture.color, output: output, fit: picture.fit,
            fps: picture.fps, link: link, muted: sound.mute, audio: !sound.noAudio, start: start.map { $0 - 1 },
            shuffle: order.isRandom,
            order: order.order, loop: loop, autoAdvance: autoAdvance, reducedMotion: reducedMotion, plain: plain,
            subtitleCharset: subCharset, report: report.settings,
            setup: try provider.setup())
        let status = try MainActor.assumeIsolated { try browse(settings) }
        if status != 0 { throw ExitCode(status) }
    }
}
