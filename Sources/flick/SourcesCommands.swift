import App
import ArgumentParser

struct Add: ParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Add sources to the home feed, or all that an OPML list names.")

    @Argument(help: "Folders, media files, feeds, playlists, or OPML lists of feeds.", completion: .file())
    var source: [String]

    @Option(help: ArgumentHelp("What the source is called.", valueName: "name"))
    var name: String?

    @Option(help: ArgumentHelp("How often it has its turn, compared with others: 0.1 to 10.", valueName: "n"))
    var weight: Double?

    @Flag(help: "Add them without reading them first.")
    var unchecked = false

    @OptionGroup var provider: ProviderOptions

    mutating func run() throws {
        try addSources(
            source, name: name, weight: weight, unchecked: unchecked, config: provider.paths.config,
            setup: try provider.setup())
    }
}

struct Remove: ParsableCommand {
    static let configuration = CommandConfiguration(abstract: "Remove sources from the home feed.")

    @Argument(help: "Sources, as `flick sources` lists them.", completion: .file())
    var source: [String]

    @OptionGroup var paths: PathOptions

    mutating func run() throws {
        try removeSources(source, config: paths.config, setup: try paths.setup(keepsCache: false))
    }
}

struct Sources: ParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "List the sources of the home feed, and how much of what is kept of them is new.")

    @Flag(help: "Print one JSON object a line for each source.")
    var json = false

    @Flag(help: "Print an OPML list, for other readers of feeds.")
    var opml = false

    @OptionGroup var paths: PathOptions

    @OptionGroup var state: StateOptions

    mutating func validate() throws {
        if json && opml { throw ValidationError("--json and --opml exclude each other") }
    }

    mutating func run() throws {
        try listSources(
            as: opml ? .opml : json ? .json : .text, stateFolder: state.stateDir, setup: try paths.setup())
    }
}
