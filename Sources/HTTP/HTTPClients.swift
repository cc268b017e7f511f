internal import AsyncHTTPClient
import Model
internal import NIOCore
import Synchronization
import Threads

/// The HTTP clients, made when they are first needed: flick starts without a thread or a socket of theirs. A client's settings cannot differ by
/// request, so there is one for each combination that occurs. Any thread.
package final class HTTPClients: Sendable {
    struct Kind: Hashable, Sendable {
        var route: ProxyChoice.Route
        /// Whether connections to private addresses are closed before anything is asked.
        var onlyPublic = false
        /// How many bytes a compressed body may unpack to; nil: none is unpacked.
        var unpacks: Int?
    }

    /// In bytes: what a connection reads from the kernel at a time, before anybody asked for it. SwiftNIO's largest read.
    package static let readSize = 64 << 10
    /// In bytes. More is no text that a person or a player reads at once.
    package static let largestText = 64 << 20

    private struct State {
        var isClosed = false
        var clients: [Kind: HTTPClient] = [:]
    }

    private let options: NetworkOptions
    private let state = Mutex(State())

    init(_ options: NetworkOptions) { self.options = options }

    deinit { end(limit: nil) }

    /// nil once closed.
    func client(_ kind: Kind) -> HTTPClient? {
        state.withLock { state in
            guard !state.isClosed else { return nil }
            if let client = state.clients[kind] { return client }
            let client = HTTPClient(eventLoopGroup: HTTPClients.loops, configuration: configuration(kind))
            state.clients[kind] = client
            return client
        }
    }

    /// Closes all connections. Blocks for half a second at most: a server that does not answer the closing is not waited for.
    func close() { end(limit: .milliseconds(500)) }

    private func end(limit: Duration?) {
        let clients = state.withLock { state in
            state.isClosed = true
            defer { state.clients = [:] }
            return Array(state.clients.values)
        }
        guard !clients.isEmpty else { return }
        let open = Monitor(clients.count)
        for client in clients {
            // The client lives until it is shut down, for its own closure holds it. An error only says that it was shut down before.
            client.shutdown { _ in
                open.change { $0 -= 1 }
                withExtendedLifetime(client) {}
            }
        }
        if let limit { _ = open.wait(upTo: limit) { $0 == 0 ? true : nil } }
    }

    /// One thread for all connections of the process, and for the tasks of their transfers: it only moves bytes.
    static let loops: any EventLoopGroup = {
        NIOSingletons.groupLoopCountSuggestion = 1
        return HTTPClient.defaultEventLoopGroup
    }()

    private func configuration(_ kind: Kind) -> HTTPClient.Configuration {
        var configuration = HTTPClient.Configuration(redirectConfiguration: .disallow)
        configuration.timeout.connect = .init(options.connectTimeout)
        configuration.connectionPool.idleTimeout = .seconds(60)
        configuration.connectionPool.concurrentHTTP1ConnectionsPerHostSoftLimit = 16
        // RetryPolicy decides; being offline is to be known at once.
        configuration.connectionPool.retryConnectionEstablishment = false
        if let limit = kind.unpacks { configuration.decompression = .enabled(limit: .size(limit)) }
        if case .through(let proxy) = kind.route { configuration.proxy = HTTPClients.proxy(proxy) }
        let prepare: @Sendable (any Channel) -> EventLoopFuture<Void> = { [onlyPublic = kind.onlyPublic] channel in
            if onlyPublic, !HTTPClients.hasPublicPeer(channel) { return HTTPClients.refuse(channel) }
            // What was read before anybody asked for it is lost by a kill, and costs memory: 64 KB rather than four times that.
            return channel.setOption(.maxMessagesPerRead, value: 1)
        }
        configuration.http1_1ConnectionDebugInitializer = prepare
        configuration.http2ConnectionDebugInitializer = prepare
        return configuration
    }

    /// The address that a connection was really made to cannot change any more, as the answer of a name server could.
    private static func hasPublicPeer(_ channel: any Channel) -> Bool {
        channel.remoteAddress?.ipAddress.map { HostKind($0) == .publicAddress } ?? false
    }

    private static func refuse(_ channel: any Channel) -> EventLoopFuture<Void> {
        // Closed after the client has heard of the failure, which it expects of a connection that is still open.
        channel.eventLoop.execute { channel.close(promise: nil) }
        return channel.eventLoop.makeFailedFuture(TransportFault.PrivatePeer())
    }

    private static func proxy(_ proxy: ProxyServer) -> HTTPClient.Configuration.Proxy {
        switch proxy.kind {
        case .socks: return .socksServer(host: proxy.host, port: proxy.port)
        case .http:
            let credentials = proxy.user.map { user in
                HTTPClient.Authorization.basic(
                    credentials: Base64.text(Array((user.contains(":") ? user : user + ":").utf8)))
            }
            return .server(host: proxy.host, port: proxy.port, authorization: credentials)
        }
    }
}
