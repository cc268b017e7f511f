import ArgumentParser

/// What `flick serve` takes: `flick-server` reads it, and flick completes it in the shell.
public struct ServeArguments: ParsableArguments {
    @Argument(help: ArgumentHelp("The folder to serve.", valueName: "dir"), completion: .directory)
    public var folder: String

    @Option(help: ArgumentHelp("The address to listen at: of one interface, or 0.0.0.0 for all.", valueName: "address"))
    public var host = "127.0.0.1"

    @Option(
        help: ArgumentHelp(
            "Another name or address that clients use for this server; repeatable. localhost and --host are always allowed; with --host 0.0.0.0, also the addresses and the name of this machine.",
            valueName: "name"))
    public var allowHost: [String] = []

    @Option(help: ArgumentHelp("The port; 0 takes a free one.", valueName: "n"))
    public var port = 8_642

    @Option(
        help: ArgumentHelp("What every request has to bring: 8 to 200 visible ASCII characters.", valueName: "text"))
    public var token: String?

    @Option(
        help: ArgumentHelp(
            "Where viewers' likes, comments and views are kept (default: a file for each folder, in the state directory): sqlite:FILE, or postgres://USER@HOST/NAME, which many servers can share. PGPASSWORD and ~/.pgpass have its password.",
            valueName: "address"))
    public var database: String?

    @Option(
        help: ArgumentHelp(
            "What opens the statistics of all viewers (flick stats ADDRESS --admin-token).", valueName: "text"))
    public var adminToken: String?

    @Option(
        help: ArgumentHelp(
            "Where clients get the files of DIR instead of from here: nginx, a CDN, an object store.",
            valueName: "url"))
    public var mediaBase: String?

    @Option(
        help: ArgumentHelp("Serve https with this certificate chain (PEM).", valueName: "file"), completion: .file())
    public var tlsCert: String?

    @Option(help: ArgumentHelp("The certificate's key (PEM).", valueName: "file"), completion: .file())
    public var tlsKey: String?

    @Option(help: ArgumentHelp("Where the log goes (default: standard error).", valueName: "file"), completion: .file())
    public var log: String?

    @Flag(help: "Do not log requests, but only what goes wrong.")
    public var quiet = false

    @Option(
        help: ArgumentHelp("Where flick keeps its state (default: $XDG_STATE_HOME/flick).", valueName: "folder"),
        completion: .directory)
    public var stateDir: String?

    public init() {}
}
