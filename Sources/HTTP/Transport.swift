internal import AsyncHTTPClient
import Model
internal import NIOCore

#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

/// Sends requests over HTTP, follows redirections (ten at most) and asks `LinkPolicy` about each. It never tries again: see `RetryPolicy`. Any thread.
///
/// Nothing is started before the first request. Connections stay open for a minute, and all requests to an origin share them.
package final class Transport: Sendable {
    package struct Request: Sendable {
        package var method = Method.get
        package var url: String
        /// On whose behalf: `LinkPolicy` decides where it may lead, and its headers are sent along.
        package var asset: Asset
        /// What is sent with POST, PUT, PATCH or DELETE; GET and HEAD carry nothing (RFC 9110, 9.3.1, 9.3.2).
        package var content: Content?
        /// `Range`; nil: the whole resource.
        package var range: Range?
        /// `If-Range`: only with `range`.
        package var ifRange: String?
        /// Whether caches on the way are passed (`Cache-Control: no-cache`).
        package var isFresh = false
        /// Whether the body may come compressed: for text that is read whole, and so not with `range`.
        package var acceptsCompressed = false
        /// In bytes: a text that unpacks to more is refused.
        package var unpackedLimit = HTTPClients.largestText

        package init(url: String, asset: Asset, range: Range? = nil, ifRange: String? = nil, isFresh: Bool = false) {
            self.url = url
            self.asset = asset
            self.range = range
            self.ifRange = ifRange
            self.isFresh = isFresh
        }

        package struct Range: Equatable, Sendable {
            package var from: Int64
            /// The last byte; nil: to the end.
            package var to: Int64?

            package init(from: Int64, to: Int64? = nil) {
                self.from = from
                self.to = to
            }
        }
    }

    /// The beginning of an answer: of any status but a redirection's.
    package struct Answer: Sendable {
        /// After all redirections; without a user.
        package var url: String
        package var status: Int
        package var facts: AssetFacts
        /// `Content-Range` of a 206, checked for sense.
        package var span: ClosedRange<Int64>?
        /// `Retry-After`, however long.
        package var retryAfter: Duration?
        package var body: Body
    }

    private let options: NetworkOptions
    private let proxies: ProxyChoice
    private let clients: HTTPClients

    package init(_ options: NetworkOptions) {
        self.options = options
        proxies = ProxyChoice(configured: options.proxy) { name in getenv(name).map { String(cString: $0) } }
        clients = HTTPClients(options)
    }

    /// Sends a request and waits for the beginning of the answer: for each hop `firstByteTimeout` at most, connecting included. Throws `BytesError`,
    /// `CancellationError` when the task is cancelled.
    package func send(_ request: Request) async throws -> Answer {
        guard let first = RemoteURL(request.url) else { throw failure(.malformed, request) }
        precondition(request.content == nil || !request.method.isSafe, "\(request.method.name) carries no content")
        let fields = RequestFields(request, to: first, userAgent: options.userAgent)
        var way = Redirects(from: first, method: request.method)
        while true {
            let (response, hop) = try await ask(request, way, fields: fields)
            let status = Int(response.status.code)
            guard Redirects.isRedirect(status), let location = response.headers.first(name: "Location") else {
                return try answer(response, to: request, after: hop)
            }
            await drop(response, after: hop)
            do throws(BytesError.Reason) {
                try way.follow(location, status: status, secrets: fields.hasSecrets(for: way.current.origin))
            } catch {
                throw failure(error, request)
            }
        }
    }

    /// Ends all transfers. Blocks for a moment.
    package func close() { clients.close() }

    /// One request on the way, and how it is sent.
    private struct Hop {
        var target: RemoteURL
        var route: ProxyChoice.Route
        var client: HTTPClient
    }

    private func hop(_ request: Request, to target: RemoteURL) throws(BytesError) -> Hop {
        guard let reach = LinkPolicy.reach(of: target, for: request.asset, rule: options.privateHosts) else {
            throw failure(.privateHost(target.origin.host), request)
        }
        let route = proxies.route(to: target.origin)
        if route == .malformed { throw failure(.malformedProxy, request) }
        var kind = HTTPClients.Kind(route: route)
        kind.unpacks = request.acceptsCompressed && request.range == nil ? request.unpackedLimit : nil
        // A proxy resolves names by itself, and all connections are to it.
        kind.onlyPublic = reach == .onlyPublic && route == .direct
        guard let client = clients.client(kind) else { throw failure(.cancelled, request) }
        return Hop(target: target, route: route, client: client)
    }

    private func ask(
        _ request: Request, _ way: Redirects, fields: RequestFields
    ) async throws -> (HTTPClientResponse, Hop) {
        let target = way.current
        let hop = try hop(request, to: target)
        var message = HTTPClientRequest(url: target.text)
        message.method = .init(rawValue: way.method.name)
        let content = way.keepsContent ? request.content : nil
        for field in fields.fields(to: target.origin, content: content) {
            message.headers.add(name: field.name, value: field.value)
        }
        // Its length is known, so the client sends `Content-Length`.
        if let content { message.body = .bytes(ByteBuffer(bytes: content.bytes)) }
        do {
            return (try await hop.client.execute(message, timeout: TimeAmount(options.firstByteTimeout)), hop)
        } catch {
            if Task.isCancelled { throw CancellationError() }
            if error is TransportFault.PrivatePeer { throw failure(.privateHost(target.origin.host), request) }
            throw failure(TransportFault.reason(error, route: hop.route, options: options), request)
        }
    }

    private func answer(
        _ response: HTTPClientResponse, to request: Request, after hop: Hop
    ) throws(BytesError) -> Answer {
        let head: AnswerHead
        do throws(BytesError.Reason) {
            head = try AnswerHead(status: Int(response.status.code), to: request) { response.headers[$0] }
        } catch {
            throw failure(error, request)
        }
        let body = Body(
            response.body, length: head.bodyLength, url: request.url, stallTimeout: options.stallTimeout,
            loop: hop.client.eventLoopGroup.any(),
            // The closure references the transport, whose end ends all transfers.
            fault: { [self] in TransportFault.reason($0, route: hop.route, options: options) })
        return Answer(
            url: hop.target.text, status: head.status, facts: head.facts, span: head.span, retryAfter: head.retryAfter,
            body: body)
    }

    /// For all of a body that nobody reads. Another connection costs less than a longer wait.
    private static let dropLimit: Duration = .milliseconds(500)

    /// A short body is read to its end, so that the connection can be used again.
    private func drop(_ response: HTTPClientResponse, after hop: Hop) async {
        let length = HTTPFields.contentLength(response.headers["Content-Length"])
        guard let length, length <= 4096 else { return }
        let alarm = StallAlarm(limit: Transport.dropLimit, on: hop.client.eventLoopGroup.any())
        let reading = Transport.task {
            // A fault here costs no more than the connection, and a cancelled task hears so at the next hop.
            _ = try? await response.body.collect(upTo: 4096)
            _ = alarm.end()
        }
        alarm.begin { reading.cancel() }
        await withTaskCancellationHandler {
            await reading.value
        } onCancel: {
            reading.cancel()
        }
        // Once more, if it was over before it began.
        _ = alarm.end()
    }

    private func failure(_ reason: BytesError.Reason, _ request: Request) -> BytesError {
        BytesError(verb: .open, url: request.url, reason: reason)
    }
}
