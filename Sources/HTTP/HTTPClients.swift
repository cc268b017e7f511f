internal import AsyncHTTPClient
import Model
internal import NIOCore
import Synchronization
import Threads

/// The HTTP clients. Each is created when it is first needed, so flick starts without network threads or sockets. A
/// client's settings cannot differ by request, so there is one client for each combination that occurs. Any thread.
package final class HTTPClients: Sendable {
    struct Kind: Hashable, Sendable {
        var route: ProxyChoice.Route
        /// Whether it is for https: nothing of certificates is read before that.
        var isSecure = false
        /// Whether to close connections to private addresses before anything is sent.
        var onlyPublic = false
    }

    /// How many bytes a connection reads from the kernel at a time, even before a reader asks. SwiftNIO's largest read.
    package static let readSize = 64 << 10
    /// More than callers have requests under way to one host (`HostLimit` in Bytes), so that none waits here, where the
    /// clip in view would not come first.
    static let connectionsPerHost = 24
    /// In bytes. Larger texts are useless to people and players.
    package static let largestText = 64 << 20

    private struct State {
        var isClosed = false
        var clients: [Kind: HTTPClient] = [:]
    }

    private let options: NetworkOptions
    private let authorities: Authorities
    private let state = Mutex(State())

    init(_ options: NetworkOptions, authorities: Authorities) {
        self.options = options
        self.authorities = authorities
    }

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

    /// Closes all connections. Blocks for half a second at most: it does not wait for a server that does not respond to
    /// the closing.
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
            // The client's own closure keeps it alive until it is shut down. An error only says that it was shut down
            // before.
            client.shutdown { _ in
                open.change { $0 -= 1 }
                withExtendedLifetime(client) {}
            }
        }
        if let limit { _ = open.wait(upTo: limit) { $0 == 0 ? true : nil } }
    }

    /// One event loop for all connections of the process and the tasks of their transfers: it only moves bytes.
    static let loops: any EventLoopGroup = {
        NIOSingletons.groupLoopCountSuggestion = 1
        return HTTPClient.defaultEventLoopGroup
    }()

    private func configuration(_ kind: Kind) -> HTTPClient.Configuration {
        var configuration = HTTPClient.Configuration(redirectConfiguration: .disallow)
        configuration.timeout.connect = .init(options.connectTimeout)
        configuration.connectionPool.idleTimeout = .seconds(60)
        configuration.connectionPool.concurrentHTTP1ConnectionsPerHostSoftLimit = HTTPClients.connectionsPerHost
        // `RetryPolicy` decides about retries, and flick must notice at once that it is offline.
        configuration.connectionPool.retryConnectionEstablishment = false
        // Without one, nothing is requested that needs it.
        if kind.isSecure { configuration.tlsConfiguration = authorities.configuration }
        if case .through(let proxy) = kind.route { configuration.proxy = HTTPClients.proxy(proxy) }
        let prepare: @Sendable (any Channel) -> EventLoopFuture<Void> = { [onlyPublic = kind.onlyPublic] channel in
            if onlyPublic, !HTTPClients.hasPublicPeer(channel) { return HTTPClients.refuse(channel) }
            // Bytes read before a reader asks are lost if flick is killed, and cost memory. So read 64 KB ahead, not
            // four times that.
            return channel.setOption(.maxMessagesPerRead, value: 1)
        }
        configuration.http1_1ConnectionDebugInitializer = { channel in
            prepare(channel).flatMap { InformationalLimit.add(to: channel) }
                .flatMap { HeadRepair.add(to: channel) }
        }
        configuration.http2ConnectionDebugInitializer = prepare
        return configuration
    }

    /// Checks the address that the connection really has. A name server's answer could change after a check.
    private static func hasPublicPeer(_ channel: any Channel) -> Bool {
        channel.remoteAddress?.ipAddress.map { HostKind($0) == .publicAddress } ?? false
    }

    private static func refuse(_ channel: any Channel) -> EventLoopFuture<Void> {
        // The client expects a connection to be open while it fails, so close it afterwards.
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
