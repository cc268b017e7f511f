import App
import ArgumentParser
import Model
import Platform
import ServeArguments

struct Preview: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "preview",
        abstract: "Print a frame of a clip, or play it, on standard output.")

    @Argument(help: "A media file or its URL.", completion: .file())
    var media: String

    @Option(help: ArgumentHelp("Start at this time: seconds, or h:mm:ss (default: 0).", valueName: "time"))
    var at: TimeArgument?

    @Option(help: ArgumentHelp("Size in cells (default: that of the terminal, or 80x24).", valueName: "COLSxROWS"))
    var size: GridSizeArgument?

    @Flag(help: "Play all frames from there at normal speed.")
    var video = false

    @Flag(help: "With --video: as fast as possible.")
    var untimed = false

    @Flag(help: "With --video: write every frame exactly, not only the last; several times larger.")
    var exact = false

    @OptionGroup var picture: PictureOptions
    @OptionGroup var provider: ProviderOptions
    @OptionGroup var report: ReportOptions

    mutating func validate() throws {
        if untimed && !video { throw ValidationError("--untimed needs --video") }
        if exact && !video { throw ValidationError("--exact needs --video") }
    }

    mutating func run() throws {
        let settings = PreviewSettings(
            media: media, at: at?.time ?? .zero, size: size?.size, video: video, untimed: untimed,
            exact: exact,
            pictureMode: picture.surface, color: picture.color, fit: picture.fit, fps: picture.fps,
            report: report.settings,
            setup: try provider.setup())
        try MainActor.assumeIsolated { try App.preview(settings) }
    }
}

struct FeedCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "feed", abstract: "List the items of a source.")

    @Argument(
        help:
            "Folders, media files, feeds, playlists, or - for a list on standard input (default: the home feed, or the demo feed).",
        completion: .file())
    var source: [String] = []

    @Flag(help: "Print one JSON object per line, as in a manifest.")
    var json = false

    @OptionGroup var size: LimitOptions

    @OptionGroup var order: OrderOptions

    @OptionGroup var provider: ProviderOptions

    mutating func run() throws {
        try listFeed(
            sources: source, json: json, limit: size.limit, shuffle: order.isRandom, order: order.order,
            setup: try provider.setup())
    }
}

struct FetchCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "fetch", abstract: "Download the next items for offline viewing.",
        discussion: """
            Items that you have not watched come first. Partial downloads are kept, and the next run resumes them. \
            Streams (HLS, DASH) are skipped; their watched parts stay in the cache. Succeeds if all items are complete.
            """)

    @Argument(
        help: "Folders, media files, feeds or playlists (default: the home feed).",
        completion: .file())
    var source: [String] = []

    @Option(help: ArgumentHelp("Download at most this many items.", valueName: "n"))
    var limit = 10

    @Flag(help: "Print one JSON object per line.")
    var json = false

    @OptionGroup var order: OrderOptions

    @OptionGroup var state: StateOptions

    @OptionGroup var paths: PathOptions

    mutating func validate() throws {
        if limit < 1 { throw ValidationError("--limit must be at least 1") }
    }

    mutating func run() throws {
        let isWhole = try fetchItems(
            sources: source, limit: limit, json: json, shuffle: order.isRandom, order: order.order,
            stateFolder: state.stateDir, setup: try paths.setup())
        if !isWhole { throw ExitCode(1) }
    }
}

struct Probe: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "probe", abstract: "Show what a media file contains and what flick plays.")

    @Argument(help: "A media file or its URL.", completion: .file())
    var media: String

    @Flag(help: "Print one JSON object.")
    var json = false

    @OptionGroup var provider: ProviderOptions

    mutating func run() throws {
        try probe(media: media, json: json, setup: try provider.setup())
    }
}

struct Doctor: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "doctor",
        abstract: "Check configuration, cache, terminal and audio, and show how to fix problems.")

    @Flag(help: "Print one JSON object per line.")
    var json = false

    @OptionGroup var paths: PathOptions

    mutating func run() throws {
        let (json, config, cacheFolder) = (json, paths.config, paths.cacheDir)
        let isFit = try MainActor.assumeIsolated {
            try App.doctor(json: json, config: config, cacheFolder: cacheFolder)
        }
        if !isFit { throw ExitCode(1) }
    }
}

struct Cache: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "cache",
        abstract: "Show, verify or clear the download cache.",
        discussion: """
            status shows the size, list the entries. verify reads everything and removes damaged data, which will be \
            downloaded again. clear removes everything.
            """)

    @Argument(help: "One of status, list, verify, clear.")
    var task: CacheTask

    @Flag(help: "Print one JSON object per line.")
    var json = false

    @OptionGroup var paths: PathOptions

    mutating func run() throws {
        if try !cache(task, json: json, setup: try paths.setup()) { throw ExitCode(1) }
    }
}

struct Control: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "ctl",
        abstract: "Control a running flick.",
        discussion: """
            Controls the most recently started flick, like the keys do: pause and like toggle. status shows what is \
            playing. For scripts and window manager key bindings.
            """)

    @Argument(help: "One of next, previous, pause, like, status.")
    var task: ControlTask

    @Flag(help: "Print one JSON object: what is shown after the command.")
    var json = false

    mutating func run() throws { try control(task, json: json) }
}

struct Serve: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "serve",
        abstract: "Serve a folder as a feed to others. `flick serve --help` lists the options.")

    /// For completion in the shell. The server's program reads them.
    @OptionGroup var arguments: ServeArguments

    mutating func run() throws { try serve(ProcessArguments.all.dropFirst().map(FileURL.text)) }
}

struct Keys: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "keys",
        abstract: "List the key bindings.")

    @Option(
        help: ArgumentHelp("Configuration file (default: config.toml in $XDG_CONFIG_HOME/flick).", valueName: "file"),
        completion: .file())
    var config: String?

    mutating func run() throws {
        try listKeys(setup: try Setup(config: config, cacheFolder: nil, keepsCache: false))
    }
}
