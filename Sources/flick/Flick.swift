import App
import ArgumentParser
import CVersion
import Model
import Platform

/// The root command: without a subcommand it browses. Each command states its name: the parser would find those of all
/// of them out from their types, at every start.
struct Flick: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "flick",
        abstract: "A full-screen vertical video feed for the terminal.",
        usage: """
            flick [<options>] [<source> ...]
            flick <subcommand> ...
            """,
        discussion: """
            Down and Up flick from clip to clip; each plays at once, with audio. ? shows all keys, q quits.
            A source is a folder, a media file, a feed (RSS, Atom, a podcast, JSON Feed, a manifest), a playlist (M3U, PLS, \
            XSPF), or - for a list on standard input; all of these can be http and https URLs.
            Without a source, flick plays the home feed of the configuration, or the demo feed. `flick help browse` lists the options, \
            `flick help keys` the keys.
            """,
        version: versionText,
        subcommands: [
            Browse.self, Preview.self, FeedCommand.self, FetchCommand.self, Probe.self, Add.self, Remove.self,
            Sources.self,
            History.self, Liked.self, Saved.self, Following.self, Events.self,
            Stats.self, Forget.self, Control.self, Serve.self, Cache.self, Doctor.self, Keys.self,
        ],
        defaultSubcommand: Browse.self)

    /// Throws `AppError` if a source is no file and looks like a mistyped subcommand.
    static func checkSource(_ name: String) throws {
        guard !name.contains(where: { "/.:".contains($0) }), access(name, F_OK) != 0,
            let nearest = NearestName.of(name, among: commandNames), nearest != name
        else { return }
        let shown = CleanText.line(name, limit: 40)
        throw AppError("cannot open '\(shown)': no such file; did you mean `flick \(nearest)`?")
    }

    private static var commandNames: [String] {
        configuration.subcommands.map { $0.configuration.commandName ?? "\($0)".lowercased() }
    }

    /// Throws `ValidationError` if `flick help` knows no such subcommand: the parser would print the overview instead.
    static func checkCommand(_ name: String) throws {
        guard !name.hasPrefix("-"), !commandNames.contains(name) else { return }
        let nearest =
            NearestName.of(name, among: commandNames)
            .map { "; did you mean \($0)?" } ?? "; see `flick --help`"
        throw ValidationError("unknown subcommand '\(CleanText.line(name, limit: 40))'\(nearest)")
    }
}

/// "flick 1.0.0 (1acba56ca4)", with the commit only in an installed flick.
private var versionText: String {
    let commit = String(cString: flick_commit())
    return "flick \(version)" + (commit.isEmpty ? "" : " (\(commit))")
}

/// Maps what a command throws to documented exit codes: 0 done, 1 failed, 2 wrong usage, 130 interrupted.
@main
enum Main {
    static func main() {
        // When a file may not grow (`ulimit -f`), `write` reports it, as it does a full disk.
        signal(SIGXFSZ, SIG_IGN)
        do {
            // `help keys` is the keys themselves, not how to ask for them.
            let arguments = ProcessArguments.all.map(FileURL.text)
            // The parser would look at every subcommand first.
            if arguments == ["--version"] { return print(versionText) }
            if arguments.first == "serve" { try serve(Array(arguments.dropFirst())) }
            if arguments.starts(with: ["help", "serve"]) { try serve(["--help"]) }
            if arguments.first == "help", let name = arguments.dropFirst().first { try Flick.checkCommand(name) }
            let asksForKeys = arguments.starts(with: ["help", "keys"])
            var command = try Flick.parseAsRoot(asksForKeys ? Array(arguments.dropFirst()) : arguments)
            try command.run()
        } catch let error as AppError {
            printError("flick: \(error)")
            exit(1)
        } catch let error as ConfigError {
            printError("flick: \(error)")
            exit(2)
        } catch let error as ExitCode {
            exit(error.rawValue)
        } catch {
            // The parser throws for help and version too, but they go to standard output and succeed.
            let code = Flick.exitCode(for: error)
            let text = Flick.fullMessage(for: error)
            guard code.isSuccess else {
                StandardError.print(CleanText.usageError(text))
                exit(code == .validationFailure ? 2 : 1)
            }
            if !text.isEmpty { print(text) }
            if text.hasPrefix("#!/bin/bash\n") { print(BashCompletion.ofDefaults) }
        }
    }
}
