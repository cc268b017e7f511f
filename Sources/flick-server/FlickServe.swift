import ArgumentParser
import FeedServer
import Model
import Platform
import ServeArguments

/// The command as its user knows it: `flick serve` becomes this program.
struct FlickServe: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "flick serve",
        abstract: "Serve a folder as a feed to others.",
        discussion: """
            Prints the URL of the feed once it listens: `flick URL` plays it (append ?token=TEXT if you set --token). \
            RSS readers use /feed.xml; mpv and browsers play its clips. Stores the likes, comments and views of viewers. \
            NAME.json beside a clip sets its title, tags and so on; the folders directly below DIR are its creators. \
            For access from other machines, use --host 0.0.0.0 and set a --token. Requests for other host names \
            are refused; --allow-host adds one.
            """)

    @OptionGroup var given: ServeArguments

    mutating func validate() throws {
        guard (0...65_535).contains(given.port) else { throw ValidationError("--port must be from 0 to 65535") }
        guard (given.tlsCert == nil) == (given.tlsKey == nil) else {
            throw ValidationError("--tls-cert and --tls-key must be given together")
        }
        for (name, text) in [("--token", given.token), ("--admin-token", given.adminToken)] {
            guard let text else { continue }
            guard (8...200).contains(text.utf8.count), text.utf8.allSatisfy({ (0x21...0x7E).contains($0) }) else {
                throw ValidationError("\(name) must have 8 to 200 printable ASCII characters")
            }
        }
        if let adminToken = given.adminToken, adminToken == given.token {
            throw ValidationError("--admin-token must differ from --token, which every viewer has")
        }
        for name in given.allowHost where ServedHost(option: name) == nil {
            throw ValidationError("--allow-host must be a host name or an address, without scheme and port: '\(name)'")
        }
        // It is not quoted, as it may hold a password.
        if let database = given.database, ServiceDatabase(database) == nil {
            throw ValidationError("--database must be sqlite:FILE or postgres://USER@HOST/NAME")
        }
        // It is not quoted, as it may hold a password.
        if let mediaBase = given.mediaBase, MediaBase(mediaBase) == nil {
            throw ValidationError("--media-base must be an http or https URL without user, query and fragment")
        }
    }

    /// Throws `ExitError`.
    func options() throws -> ServerOptions {
        // What is no UTF-8 comes as its file URL.
        let path = FileURL.path(of: given.folder) ?? FileURL.absolute(Array(given.folder.utf8))
        // Without links, so that a folder has one database whatever way leads to it.
        let real = Paths.resolved(path) ?? path
        guard let database = given.database.flatMap(ServiceDatabase.init) ?? defaultDatabase(for: real) else {
            throw ExitError(
                "cannot store likes and comments: neither HOME nor XDG_STATE_HOME is set; set one, or pass --database sqlite:FILE"
            )
        }
        var options = ServerOptions(folder: real, database: database)
        options.host = given.host
        options.allowedHosts = given.allowHost.compactMap { ServedHost(option: $0) }
        options.port = given.port
        options.token = given.token
        options.adminToken = given.adminToken
        options.mediaBase = given.mediaBase.flatMap(MediaBase.init)
        options.stills = StillOptions(
            decoder: Installation.current().decoder, folder: kept(real).map { "\($0).stills" })
        options.log = given.log
        options.logsRequests = !given.quiet
        if let tlsCert = given.tlsCert, let tlsKey = given.tlsKey { options.tls = (tlsCert, tlsKey) }
        return options
    }

    private func defaultDatabase(for folder: [UInt8]) -> ServiceDatabase? { kept(folder).map { .file("\($0).db") } }

    /// What the files begin with that are kept of a served folder; nil if there is no place for them.
    private func kept(_ folder: [UInt8]) -> String? {
        let state = given.stateDir ?? BaseFolder.state.path(environment: BaseFolder.environment)
        return state.map { "\($0)/serve/\(ItemID.hash(of: FileURL.url(path: folder)))" }
    }
}

/// Ends the program with one line and code 1.
struct ExitError: Error, CustomStringConvertible {
    var description: String

    init(_ description: String) { self.description = description }
}
