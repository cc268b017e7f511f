import App
import ArgumentParser
import Model
import ServeArguments

struct Preview: ParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Write a clip's picture, or its moving pictures, to standard output.")

    @Argument(help: "A media file or its URL.", completion: .file())
    var media: String

    @Option(help: ArgumentHelp("Begin at this time: seconds, or h:mm:ss (default: 0).", valueName: "time"))
    var at: TimeArgument?

    @Option(help: ArgumentHelp("The size in cells (default: the terminal's, else 80x24).", valueName: "COLSxROWS"))
    var size: GridSizeArgument?

    @Flag(help: "Write all pictures from there on, at the clip's own speed.")
    var video = false

    @Flag(help: "With --video: as fast as they can be decoded and written.")
    var untimed = false

    @Flag(help: "With --video: every picture exactly, not only the last, in several times the bytes.")
    var exact = false

    @OptionGroup var picture: PictureOptions
    @OptionGroup var provider: ProviderOptions
    @OptionGroup var report: ReportOptions

    mutating func validate() throws {
        if untimed && !video { throw ValidationError("--untimed goes with --video") }
        if exact && !video { throw ValidationError("--exact goes with --video") }
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
            "Folders, media files, feeds, playlists, or - for a list on standard input (default: home.sources of the configuration, else the demo feed).",
        completion: .file())
    var source: [String] = []

    @Flag(help: "Print one JSON object a line for each item, as in a manifest.")
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
        commandName: "fetch", abstract: "Bring the next items of a source whole, to be watched without the network.",
        discussion: """
            The first is the one at which browsing would begin. What has come is kept whatever happens, and another call goes on from \
            there. Streams (HLS, DASH) are not fetched: what is watched of them is kept. It succeeds if all are whole.
            """)

    @Argument(
        help: "Folders, media files, feeds or playlists (default: home.sources of the configuration).",
        completion: .file())
    var source: [String] = []

    @Option(help: ArgumentHelp("Fetch at most this many items.", valueName: "n"))
    var limit = 10

    @Flag(help: "Print one JSON object a line for each item.")
    var json = false

    @OptionGroup var order: OrderOptions

    @OptionGroup var state: StateOptions

    @OptionGroup var paths: PathOptions

    mutating func validate() throws {
        if limit < 1 { throw ValidationError("--limit wants a number from 1 on") }
    }

    mutating func run() throws {
        let isWhole = try fetchItems(
            sources: source, limit: limit, json: json, shuffle: order.isRandom, order: order.order,
            stateFolder: state.stateDir, setup: try paths.setup())
        if !isWhole { throw ExitCode(1) }
    }
}

struct Probe: ParsableCommand {
    static let configuration = CommandConfiguration(abstract: "Tell what a media file holds and what would be played.")

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
        abstract: "Check configuration, cache, terminal, sound: what works, what is missing, how to get it.")

    @Flag(help: "Print one JSON object a line for each check.")
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
        abstract: "Look at, check or empty what is kept of what came over the network.",
        discussion: """
            status tells how much is kept, list what it is. verify reads all of it and drops what is damaged: it will be \
            fetched again. clear drops everything.
            """)

    @Argument(help: "One of status, list, verify, clear.")
    var task: CacheTask

    @Flag(help: "Print one JSON object a line.")
    var json = false

    @OptionGroup var paths: PathOptions

    mutating func run() throws {
        if try !cache(task, json: json, setup: try paths.setup()) { throw ExitCode(1) }
    }
}

struct Serve: ParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Serve a folder as a feed to others. `flick serve --help` lists the options.")

    /// For completion in the shell. The server's program reads them.
    @OptionGroup var arguments: ServeArguments

    mutating func run() throws { try serve(Array(ProcessArguments.texts.dropFirst())) }
}

struct Keys: ParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "List the keys, as the configuration binds them.")

    @Option(
        help: ArgumentHelp("The configuration (default: config.toml in $XDG_CONFIG_HOME/flick).", valueName: "file"),
        completion: .file())
    var config: String?

    mutating func run() throws {
        try listKeys(setup: try Setup(config: config, cacheFolder: nil, keepsCache: false))
    }
}
