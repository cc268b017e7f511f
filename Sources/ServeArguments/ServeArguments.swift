import ArgumentParser

/// What `flick serve` takes: `flick-server` reads it, and flick completes it in the shell.
public struct ServeArguments: ParsableArguments {
    @Argument(help: ArgumentHelp("The folder to serve.", valueName: "dir"), completion: .directory)
    public var folder: String

    @Option(help: ArgumentHelp("The address to listen on; 0.0.0.0 listens on all interfaces.", valueName: "address"))
    public var host = "127.0.0.1"

    @Option(
        help: ArgumentHelp(
            "Another host name or address of this server; repeatable. localhost and --host are always allowed; with --host 0.0.0.0, also the addresses and the name of this machine.",
            valueName: "name"))
    public var allowHost: [String] = []

    @Option(help: ArgumentHelp("The port; 0 picks a free one.", valueName: "n"))
    public var port = 8_642

    @Option(
        help: ArgumentHelp(
            "Access token required for every request: 8 to 200 printable ASCII characters.", valueName: "text"))
    public var token: String?

    @Option(
        help: ArgumentHelp(
            "The database of viewers' likes, comments and views: sqlite:FILE, or postgres://USER@HOST/NAME, which several servers can share (default: a file per folder in the state directory). Set the password in PGPASSWORD or ~/.pgpass.",
            valueName: "address"))
    public var database: String?

    @Option(
        help: ArgumentHelp(
            "The operator's token: for statistics, reports and deleting clips.",
            valueName: "text"))
    public var adminToken: String?

    @Option(
        help: ArgumentHelp(
            "URL from which clients load the files of DIR instead: nginx, a CDN, an object store.",
            valueName: "url"))
    public var mediaBase: String?

    @Option(
        help: ArgumentHelp("Serve https with this certificate chain (PEM).", valueName: "file"), completion: .file())
    public var tlsCert: String?

    @Option(help: ArgumentHelp("The key of the certificate (PEM).", valueName: "file"), completion: .file())
    public var tlsKey: String?

    @Option(help: ArgumentHelp("Log file (default: standard error).", valueName: "file"), completion: .file())
    public var log: String?

    @Flag(help: "Log errors only, not requests.")
    public var quiet = false

    @Option(
        help: ArgumentHelp("State directory (default: $XDG_STATE_HOME/flick).", valueName: "folder"),
        completion: .directory)
    public var stateDir: String?

    public init() {}
}
