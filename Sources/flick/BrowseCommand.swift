import App
import ArgumentParser

struct Browse: ParsableCommand {
    static let configuration = CommandConfiguration(abstract: "Browse a feed (the default).")

    @Argument(help: "Folders, media files, manifests, or - for a list on standard input (default: the demo feed).")
    var source: [String] = []

    @OptionGroup var picture: PictureOptions
    @OptionGroup var sound: SoundOptions
    @OptionGroup var report: ReportOptions

    @Option(help: ArgumentHelp("Begin with the n-th item, counted from 1.", valueName: "n"))
    var start = 1

    @Flag(help: "Put the items in random order.")
    var shuffle = false

    @Flag(help: "Stop at the end of a clip instead of starting it again.")
    var noLoop = false

    @Flag(help: "Go on to the next item at the end of a clip.")
    var autoAdvance = false

    @Flag(help: "Cut from page to page instead of sliding, and animate nothing.")
    var reducedMotion = false

    mutating func validate() throws {
        if start < 1 { throw ValidationError("--start counts from 1") }
    }

    mutating func run() throws {
        let settings = BrowseSettings(
            sources: source, surface: picture.surface.choice, color: picture.color.choice, fit: picture.fit,
            fps: picture.fps, muted: sound.mute, audio: !sound.noAudio, start: start - 1, shuffle: shuffle,
            loop: !noLoop, autoAdvance: autoAdvance, reducedMotion: reducedMotion, report: report.settings)
        let status = try MainActor.assumeIsolated { try browse(settings) }
        if status != 0 { throw ExitCode(status) }
    }
}
