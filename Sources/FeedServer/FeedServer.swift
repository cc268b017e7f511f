import HummingbirdCore
import Logging
import Model
import NIOCore
import NIOPosix
import Platform
import Synchronization
import Threads

/// Ends the server with one line for the user: what failed, on what, why, what to do. A value.
public struct ServerError: Error, Equatable, CustomStringConvertible {
    public var description: String

    init(_ description: String) { self.description = description }
}

/// The options of `flick serve`. A value.
public struct ServerOptions: Sendable {
    /// The folder to serve, absolute.
    public var folder: [UInt8]
    public var host = "127.0.0.1"
    /// Further names that clients may use for the server, besides `host`, localhost and, if
    /// it listens at all addresses, the names of this machine.
    public var allowedHosts: [ServedHost] = []
    /// 0 for any that is free.
    public var port = 8_642
    public var token: String?
    /// The token for the statistics; without one they are not served.
    public var adminToken: String?
    public var database: ServiceDatabase
    /// Where clips are served instead.
    public var mediaBase: MediaBase?
    /// The files of certificate chain and key, in PEM.
    public var tls: (certificate: String, key: String)?
    /// The file of the log; nil for standard error.
    public var log: String?
    /// Whether requests are logged, and not only what goes wrong.
    public var logsRequests = true
    /// The options of stills; nil if none are made.
    public var stills: StillOptions?
    /// The most connections at a time.
    public var connections = 1_024
    var limits = ConnectionWatch.Limits()
    var usesInotify = true

    public init(folder: [UInt8], database: ServiceDatabase) {
        self.folder = folder
        self.database = database
    }
}

/// Serves a folder as a feed over HTTP/1.1.
///
/// Event loops (one a core) parse and send. One thread walks the folder, another writes the database; files and pages
/// wait for the disk in pools. Decoders make stills on two more threads.
public final class FeedServer: Sendable {
    private let responder: Responder
    let keeper: FolderKeeper
    let connections: OpenConnections
    /// For tests.
    var metrics: Metrics { responder.metrics }
    var stills: Stills? { responder.stills }
    /// nil if there is no decoder.
    private let tags: TagReader?
    private let service: any ServedService
    private let group: MultiThreadedEventLoopGroup
    private let running: Mutex<Task<Void, any Error>?> = Mutex(nil)
    private let started: AsyncStream<Result<Int, ServerError>>
    private let start: AsyncStream<Result<Int, ServerError>>.Continuation
    private let isSecure: Bool
    private let host: String
    private let port: Int

    /// The URL of the manifest, once it listens; of a server that listens at all addresses, at one that others reach.
    /// Without the token.
    public func address(port: Int) -> String {
        let reachable = ReachableAddress.of(host: host)
        let name = reachable.contains(":") ? "[\(reachable)]" : reachable
        return "\(isSecure ? "https" : "http")://\(name):\(port)/feed.json"
    }

    /// Opens folder, database and log. Throws `ServerError`. Blocks.
    public init(_ options: ServerOptions) throws {
        let shown = CleanText.line(String(decoding: options.folder, as: UTF8.self))
        let tokens = [options.token, options.adminToken].compactMap(\.self)
        var log = ServerLog(logsRequests: options.logsRequests, tokens: tokens)
        if let path = options.log {
            guard let file = ServerLog(path: path, logsRequests: options.logsRequests, tokens: tokens) else {
                throw ServerError("cannot write the log '\(path)': \(SystemError.text(errno))")
            }
            log = file
        }
        guard
            let keeper = FolderKeeper(
                path: options.folder, usesInotify: options.usesInotify, warn: { [log] in log.warn($0) })
        else { throw ServerError("cannot serve '\(shown)': \(SystemError.text(errno)); pass a folder") }
        let store = try options.database.open()
        let connections = OpenConnections(limit: Self.connectionLimit(options.connections))
        let metrics = Metrics()
        let responder = Responder(
            keeper: keeper, store: store, stills: Self.stills(options, keeper, metrics, log), connections: connections,
            metrics: metrics, log: log, token: options.token, adminToken: options.adminToken,
            mediaBase: options.mediaBase,
            hosts: ServedHosts(listeningAt: options.host, others: options.allowedHosts), isSecure: options.tls != nil)
        tags = options.stills?.decoder.map { decoder in
            TagReader(decoder: decoder, keeper: keeper) { [log] in log.warn($0) }
        }
        let channel = ServedChannel(
            responder: { try await responder.respond($0, $1, $2) }, limits: options.limits, connections: connections,
            isSecure: options.tls != nil)
        (self.keeper, self.connections, self.responder) = (keeper, connections, responder)
        (isSecure, host, port) = (options.tls != nil, options.host, options.port)
        group = MultiThreadedEventLoopGroup(numberOfThreads: System.coreCount)
        let (started, start) = AsyncStream.makeStream(of: Result<Int, ServerError>.self)
        (self.started, self.start) = (started, start)
        let configuration = ServerConfiguration(
            address: .hostname(options.host, port: options.port), serverName: nil, backlog: 1_024)
        let whenRunning: @Sendable (any Channel) async -> Void = { channel in
            start.yield(.success(channel.localAddress?.port ?? 0))
        }
        var logger = Logger(label: "flick-server")
        logger.logLevel = .critical
        if let tls = options.tls {
            let context = try TLSContext(certificate: tls.certificate, key: tls.key)
            let secure = SecureChannel(base: channel, context: context)
            service = Server(
                childChannelSetup: secure, configuration: configuration, onServerRunning: whenRunning,
                eventLoopGroup: group, logger: logger)
        } else {
            service = Server(
                childChannelSetup: channel, configuration: configuration, onServerRunning: whenRunning,
                eventLoopGroup: group, logger: logger)
        }
    }

    /// Without decoder or libturbojpeg it serves all but stills, and says so.
    private static func stills(
        _ options: ServerOptions, _ keeper: FolderKeeper, _ metrics: Metrics, _ log: ServerLog
    ) -> Stills? {
        guard let stills = options.stills else { return nil }
        guard let decoder = stills.decoder else {
            log.warn(
                "no stills: flick-decoder not found beside flick-server or in ../libexec/flick; reinstall flick"
            )
            return nil
        }
        if let why = JPEG.load() {
            log.warn("no stills: \(why); install libturbojpeg")
            return nil
        }
        return Stills(stills, decoder: decoder, keeper: keeper, metrics: metrics) { [log] in log.warn($0) }
    }

    /// Listens, and walks the folder. Returns the port. Throws `ServerError`.
    public func start() async throws -> Int {
        tags?.begin()
        keeper.begin()
        let service = service
        let task = Task { try await service.run() }
        running.withLock { $0 = task }
        // Whichever comes first: it listens, or it has failed.
        let failure = Task { [start] in
            do { try await task.value } catch { start.yield(.failure(listenError(error))) }
        }
        defer { failure.cancel() }
        for await result in started { return try result.get() }
        throw ServerError("cannot listen: the server has ended")
    }

    private func listenError(_ error: any Error) -> ServerError {
        let place = host.contains(":") ? "[\(host)]:\(port)" : "\(host):\(port)"
        guard let error = error as? IOError else {
            return ServerError("cannot listen at \(place): \(CleanText.line("\(error)", limit: 200))")
        }
        let advice =
            switch error.errnoCode {
            case EADDRINUSE: "; choose another port with --port"
            case EACCES: "; ports below 1024 need root; choose another with --port"
            case EADDRNOTAVAIL: "; --host must be an address of this machine"
            default: ""
            }
        return ServerError("cannot listen at \(place): \(SystemError.text(error.errnoCode))\(advice)")
    }

    /// Accepts no more requests, gives those in flight `limit` to end, and completes the database's writes.
    public func stop(upTo limit: Duration = .seconds(5)) async {
        let (service, connections) = (service, connections)
        let cut = group.next().scheduleTask(in: TimeAmount(limit)) { [stills] in
            connections.closeAll()
            stills?.end()
        }
        do { try await service.shutdownGracefully() } catch {
            responder.log.warn("the server did not shut down cleanly: \(CleanText.line("\(error)", limit: 200))")
        }
        cut.cancel()
        let task = running.withLock { $0 }
        _ = await task?.result
        keeper.end()
        tags?.end()
        await responder.end { [tags] in tags?.drain(upTo: .seconds(1)) }
        do { try await group.shutdownGracefully() } catch {
            responder.log.warn("its threads did not shut down cleanly: \(CleanText.line("\(error)", limit: 200))")
        }
        responder.log.finish()
    }

    /// The wanted number of connections, or fewer if the system does not let this process open enough files.
    private static func connectionLimit(_ wanted: Int) -> Int {
        // A connection has its socket and may have a file; folders and database have theirs.
        guard let files = OpenFiles.limit(raisedTo: wanted * 2 + 256) else { return wanted }
        return max(16, min(wanted, (files - 256) / 2))
    }
}

/// Hummingbird's server, whatever its connections are.
private protocol ServedService: Sendable {
    func run() async throws
    func shutdownGracefully() async throws
}

extension Server: ServedService {}

extension NIOThreadPool {
    /// Ends the pool's threads once what they do is done. What still waits for one fails.
    func end() async {
        // It fails only for a pool that has ended, and each has one owner, who ends it once.
        do { try await shutdownGracefully() } catch { assertionFailure("\(error)") }
    }
}
