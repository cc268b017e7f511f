import Model
import Platform

/// Sends requests over HTTP, follows up to ten redirections and asks `URLAccessPolicy` about each. It never retries:
/// see `RetryPolicy`. Any thread.
///
/// It starts nothing before the first request. Connections stay open for a
/// minute, and all requests to an origin share them.
package final class Transport: Sendable {
    package struct Request: Sendable {
        package var method = Method.get
        package var url: String
        /// The item or feed that the request is for: `URLAccessPolicy` decides
        /// where it may lead, and its headers are sent along.
        package var asset: Asset
        /// The body of POST, PUT, PATCH or DELETE; GET and HEAD have none (RFC 9110, 9.3.1, 9.3.2).
        package var content: Content?
        /// `Range`; nil for the whole resource.
        package var range: Range?
        /// `If-Range`; only used together with `range`.
        package var ifRange: String?
        /// The known facts of the resource: an unchanged one is answered with 304
        /// (RFC 9110, 13.1). Only used without `range`.
        package var known: AssetFacts?
        /// Whether a radio may send titles between its bytes (`Icy-MetaData`): see `Body.title`.
        package var acceptsTitles = false
        /// Whether to bypass caches on the way (`Cache-Control: no-cache`).
        package var isFresh = false
        /// Whether the body may be compressed: only for text that is read whole, not with `range`.
        package var acceptsCompressed = false
        /// In bytes. A text that decompresses to more is refused.
        package var unpackedLimit = Transport.largestText

        package init(url: String, asset: Asset, range: Range? = nil, ifRange: String? = nil, isFresh: Bool = false) {
            self.url = url
            self.asset = asset
            self.range = range
            self.ifRange = ifRange
            self.isFresh = isFresh
        }

        package struct Range: Equatable, Sendable {
            package var from: Int64
            /// The last byte; nil for the end of the resource.
            package var to: Int64?

            package init(from: Int64, to: Int64? = nil) {
                self.from = from
                self.to = to
            }
        }
    }

    /// The head of a response and its body, with any status except a redirection.
    package struct Answer: Sendable {
        /// The URL after all redirections, without a user name.
        package var url: String
        package var status: Int
        /// The method of the request that was answered: a redirection can turn POST into GET.
        package var method: Method
        /// The media type in the header; nil if it is missing. `facts.type` is that of 200 and 206 only.
        package var type: MediaType?
        package var facts: AssetFacts
        /// The checked `Content-Range` of a 206.
        package var span: ClosedRange<Int64>?
        /// `Retry-After`, however long.
        package var retryAfter: Duration?
        /// Whether it is a radio's stream: it has no beginning, length or ranges, and each request brings other bytes.
        package var isBroadcast: Bool
        package var body: Body
    }

    /// How many bytes a connection has ready at a time, even before a reader asks.
    package static let readSize = CurlTransfer.maxUnread
    /// In bytes. Larger texts are useless to people and players.
    package static let largestText = 64 << 20

    private let options: NetworkOptions
    private let proxies: ProxyChoice
    private let client = CurlClient()
    private let authorities: Authorities
    private let cookies = CookieJars()

    package init(_ options: NetworkOptions) {
        self.options = options
        func variable(_ name: String) -> String? {
            options.environment.map { $0[name] } ?? getenv(name).map { String(cString: $0) }
        }
        proxies = ProxyChoice(configured: options.proxy, environment: variable)
        authorities = Authorities(environment: variable)
    }

    /// Sends a request and waits for the head of the response, at most `firstByteTimeout` for each redirection,
    /// including the connection. Throws `BytesError`, and `CancellationError` if the task is cancelled.
    package func send(_ request: Request) async throws -> Answer {
        guard let first = RemoteURL(request.url) else { throw failure(.malformed, request) }
        precondition(request.content == nil || !request.method.isSafe, "\(request.method.name) carries no content")
        let fields = RequestFields(request, to: first, userAgent: options.userAgent)
        let cookies = { [cookies] url in cookies.pairs(for: url, of: request.asset) }
        var way = Redirects(from: first, method: request.method, cookies: cookies(first))
        while true {
            let (response, target) = (try await ask(request, way, fields: fields), way.current)
            self.cookies.store(response.head.values("Set-Cookie"), from: target, of: request.asset)
            let status = response.head.status
            guard Redirects.isRedirect(status), let location = response.head.values("Location").first else {
                return try answer(response, to: request, way.method, from: target)
            }
            await drop(response)
            do throws(BytesError.Reason) {
                try way.follow(
                    location, status: status, secrets: fields.hasSecrets(for: way.current.origin), cookies: cookies)
            } catch {
                throw failure(error, request)
            }
        }
    }

    /// Ends all transfers. Blocks for half a second at most.
    package func close() { client.close() }

    /// The message to `target`: one request of a chain of redirections.
    private func message(
        _ request: Request, to target: RemoteURL, method: Method, content: Content?, fields: RequestFields
    ) throws(BytesError) -> CurlTransfer.Message {
        guard let reach = URLAccessPolicy.reach(of: target, for: request.asset, rule: options.privateHosts) else {
            throw failure(.privateHost(target.origin.host), request)
        }
        let route = proxies.route(to: target.origin)
        if route == .malformed { throw failure(.malformedProxy, request) }
        let isSecure = target.origin.scheme == .https
        guard let sources = isSecure ? authorities.sources : Authorities.Sources() else {
            throw failure(.untrusted(.authorities), request)
        }
        let cookies = cookies.pairs(for: target, of: request.asset)
        return CurlTransfer.Message(
            url: target, method: method,
            fields: fields.fields(to: target.origin, content: content, cookies: cookies), content: content,
            route: route,
            // A proxy resolves names itself, and all connections go to the proxy.
            onlyPublic: reach == .onlyPublic && route == .direct, authorities: sources,
            connectTimeout: options.connectTimeout)
    }

    private func ask(_ request: Request, _ way: Redirects, fields: RequestFields) async throws -> CurlResponse {
        let content = way.keepsContent ? request.content : nil
        let message = try message(request, to: way.current, method: way.method, content: content, fields: fields)
        do throws(BytesError.Reason) {
            return try await client.send(message, upTo: options.firstByteTimeout)
        } catch {
            if Task.isCancelled { throw CancellationError() }
            throw failure(error, request)
        }
    }

    private func answer(
        _ response: CurlResponse, to request: Request, _ method: Method, from target: RemoteURL
    ) throws(BytesError) -> Answer {
        let head: AnswerHead
        do throws(BytesError.Reason) {
            head = try AnswerHead(status: response.head.status, to: request, values: response.head.values)
        } catch {
            throw failure(error, request)
        }
        let body = Body(
            response, length: head.bodyLength,
            decompressor: head.coding.map { Decompressor($0, limit: request.unpackedLimit) },
            radio: head.radio, url: request.url, stallTimeout: options.stallTimeout)
        return Answer(
            url: target.text, status: head.status, method: method, type: head.type, facts: head.facts,
            span: head.span, retryAfter: head.retryAfter, isBroadcast: head.isBroadcast, body: body)
    }

    /// The time limit for draining an unneeded body. Beyond it a new connection costs less.
    private static let dropLimit: Duration = .milliseconds(500)

    /// Reads a short body to its end, so that the connection can be used again.
    private func drop(_ response: CurlResponse) async {
        let length = HTTPFields.contentLength(response.head.values("Content-Length"))
        guard let length, length <= 4096 else { return }
        let alarm = StallAlarm(limit: Transport.dropLimit)
        alarm.begin { response.timeOut(.cancelled) }
        // An error here only costs the connection. A cancelled task notices that with its next request.
        do throws(BytesError.Reason) { while try await response.next() != nil {} } catch {}
        _ = alarm.end()
    }

    private func failure(_ reason: BytesError.Reason, _ request: Request) -> BytesError {
        BytesError(verb: .open, url: request.url, reason: reason)
    }
}
