import App
import ArgumentParser
import Model
import Platform

/// A moment: a date ("2026-11-22", with a time "2026-11-22T18:00:00Z"), or how long ago ("90m", "36h", "7d").
struct MomentArgument: ExpressibleByArgument {
    /// In seconds since 1970.
    var seconds: Double

    init?(argument: String) {
        guard let seconds = moment(argument) else { return nil }
        self.seconds = seconds
    }
}

struct LibraryOptions: ParsableArguments {
    @Flag(help: "Print one JSON object per line.")
    var json = false

    @OptionGroup var size: LimitOptions
    @OptionGroup var state: StateOptions

    /// Browses the list on a terminal, and prints it elsewhere.
    func list(_ list: LibraryList) throws {
        if !json, size.limit == nil, isatty(STDOUT_FILENO) == 1 {
            var browse = try Browse.parse(["library:\(list.rawValue)"])
            browse.report.state = state
            return try browse.run()
        }
        try listLibrary(list, json: json, limit: size.limit, stateFolder: state.stateDir)
    }
}

struct History: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "history",
        abstract: "Browse or list the clips you have seen, newest first.",
        discussion: "`flick library:history` accepts the options of `flick browse`.")
    @OptionGroup var options: LibraryOptions
    mutating func run() throws { try options.list(.history) }
}

struct Liked: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "liked",
        abstract: "Browse or list the clips you have liked, newest first.",
        discussion: "`flick library:liked` accepts the options of `flick browse`.")
    @OptionGroup var options: LibraryOptions
    mutating func run() throws { try options.list(.liked) }
}

struct Saved: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "saved",
        abstract: "Browse or list the clips you have saved, newest first.",
        discussion: "`flick library:saved` accepts the options of `flick browse`.")
    @OptionGroup var options: LibraryOptions
    mutating func run() throws { try options.list(.saved) }
}

struct Following: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "following",
        abstract: "List the creators you follow, with their feeds, newest first.")

    @OptionGroup var format: ListFormatOptions

    @OptionGroup var state: StateOptions

    mutating func run() throws {
        try listFollowing(as: format.format, stateFolder: state.stateDir)
    }
}

struct Events: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "events",
        abstract: "List recorded events: impressions, starts, views, milestones, skips, summaries.")

    @Flag(help: "Print one JSON object per line.")
    var json = false

    @Option(help: ArgumentHelp("Only events since this date or within this age (90m, 36h, 7d).", valueName: "time"))
    var since: MomentArgument?

    @OptionGroup var state: StateOptions

    mutating func run() throws { try listEvents(json: json, since: since?.seconds, stateFolder: state.stateDir) }
}

struct Stats: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "stats",
        abstract: "Show what you watched, by day, creator and topic, and where you stopped watching.")

    @Argument(help: "Only this feed; use the address it was opened with.", completion: .file())
    var source: String?

    @Option(
        help: ArgumentHelp(
            "Admin token of the feed's server: show what all viewers watched, days in UTC.",
            valueName: "text"))
    var adminToken: String?

    @Flag(help: "Print one JSON object.")
    var json = false

    @Option(help: ArgumentHelp("Only events since this date or within this age (90m, 36h, 7d).", valueName: "time"))
    var since: MomentArgument?

    @OptionGroup var state: StateOptions
    @OptionGroup var paths: PathOptions

    mutating func validate() throws {
        guard let adminToken else { return }
        guard let source, RemoteURL(source) != nil else {
            throw ValidationError("--admin-token needs the URL of a feed (http or https)")
        }
        guard adminToken.utf8.allSatisfy({ (0x21...0x7E).contains($0) }) else {
            throw ValidationError("--admin-token must be printable ASCII")
        }
    }

    mutating func run() throws {
        if let source, let adminToken {
            return try showStatistics(
                ofServed: source, adminToken: adminToken, since: since?.seconds, json: json,
                setup: try paths.setup(keepsCache: false))
        }
        try showStatistics(of: source, since: since?.seconds, json: json, stateFolder: state.stateDir)
    }
}

struct Forget: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "forget",
        abstract: "Delete history, likes, saves and what you hid.",
        discussion: "Deleted data is also overwritten on disk.")

    @Argument(help: "all; the id, URL or path of an item; or the address a feed was opened with.", completion: .file())
    var what: String

    @Option(
        help: ArgumentHelp(
            "Only older entries: a date, or an age (90m, 36h, 7d). What is liked, saved or hidden stays.",
            valueName: "time"))
    var before: MomentArgument?

    @OptionGroup var state: StateOptions

    mutating func run() throws {
        let count = try forget(what, before: before?.seconds, stateFolder: state.stateDir)
        print(count == 1 ? "1 item deleted" : "\(count) items deleted")
    }
}
