import App
import ArgumentParser
import Platform

struct Add: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "add",
        abstract: "Add sources to the home feed; an OPML list adds all its feeds.")

    @Argument(help: "Folders, media files, feeds, playlists, or OPML lists of feeds.", completion: .file())
    var source: [String]

    @Option(help: ArgumentHelp("Name of the source.", valueName: "name"))
    var name: String?

    @Option(help: ArgumentHelp("Share of the home feed relative to other sources: 0.1 to 10.", valueName: "n"))
    var weight: Double?

    @Flag(help: "Add without checking the sources first.")
    var unchecked = false

    @OptionGroup var provider: ProviderOptions

    mutating func validate() throws {
        if let weight, !isSourceWeight(weight) { throw ValidationError("--weight must be from 0.1 to 10") }
    }

    mutating func run() throws {
        try addSources(
            source, name: name, weight: weight, unchecked: unchecked, config: provider.paths.config,
            setup: try provider.setup())
    }
}

struct Remove: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "remove", abstract: "Remove sources from the home feed.")

    @Argument(help: "Sources, as listed by `flick sources`.", completion: .file())
    var source: [String]

    @OptionGroup var paths: PathOptions

    mutating func run() throws {
        try removeSources(source, config: paths.config, setup: try paths.setup(keepsCache: false))
    }
}

struct Sources: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "sources",
        abstract: "List the sources of the home feed and their unseen items.")

    @OptionGroup var format: ListFormatOptions

    @OptionGroup var paths: PathOptions

    @OptionGroup var state: StateOptions

    mutating func run() throws {
        try listSources(as: format.format, stateFolder: state.stateDir, setup: try paths.setup())
    }
}

/// In which form a list of feeds is printed.
struct ListFormatOptions: ParsableArguments {
    @Flag(help: "Print one JSON object per line.")
    var json = false

    @Flag(help: "Print an OPML list, for flick add and other feed readers.")
    var opml = false

    var format: SourcesFormat { opml ? .opml : json ? .json : .text }

    mutating func validate() throws {
        if json && opml { throw ValidationError("--json and --opml cannot be combined") }
    }
}
