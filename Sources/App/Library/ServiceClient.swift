import Engagement
import Feeds
import HTTP
import Model
import Threads

/// Speaks with the services that feeds declare, over the same network layer and by the same rules as everything else.
/// docs/internals/service.md has the protocol.
/// Any thread; calls block.
final class ServiceClient: Sendable {
    private let transport: Transport
    private let privateHosts: URLAccessPolicy.PrivateHosts
    private let cancellation = Cancellation()

    /// In bytes. What is behind that is not read: no answer that flick understands is longer.
    private static let longestAnswer = 1 << 20

    /// How long an answer may take to arrive: one that comes byte by byte never stalls, and would hold up all that
    /// waits behind it.
    private let patience: Duration

    init(_ network: NetworkOptions, patience: Duration = .seconds(60)) {
        transport = Transport(network)
        privateHosts = network.privateHosts
        self.patience = patience
    }

    /// Sends one message, once. Blocks for as long as `NetworkOptions` let a server be silent.
    func send(_ queued: QueuedMessage) -> SendOutcome {
        let message = queued.message
        let url = Self.url(queued.endpoint, message.path)
        let asset = Asset(url: url, feed: queued.feed, headers: [SecretNames.viewerField: queued.viewer])
        // Judged by the address alone. A name server or a redirection may lead to a captive portal, which is temporary.
        if let reason = URLAccessPolicy.refusal(of: url, for: asset, privateHosts: privateHosts) {
            return .refused("\(BytesError(verb: .open, url: url, reason: reason))")
        }
        var request = Transport.Request(url: url, asset: asset)
        request.method = Transport.Method(message.method.rawValue)
        request.content = .json(Array(message.body.utf8))
        switch exchange(request) {
        case .success(let answer): return Self.outcome(answer, to: message)
        case .failure(let error): return Self.outcome(error)
        }
    }

    /// What the service has at `url`. Blocks as `send` does. Throws `AppError`.
    ///
    /// - Parameters:
    ///   - feed: the absolute URL of the feed that declares the service.
    ///   - viewer: what the service knows the user by; nil if it does not yet.
    func read(_ url: String, feed: String, viewer: String?) throws(AppError) -> [UInt8] {
        let answer = try read(url, feed: feed, headers: viewer.map { [SecretNames.viewerField: $0] } ?? [:])
        guard answer.status == 200 else { throw AppError(answer.words) }
        guard answer.isJSON else { throw AppError("unexpected response from the server") }
        return answer.body
    }

    /// What viewers of a feed watched, by the server that has it. Blocks as `send` does. Throws `AppError`.
    ///
    /// - Parameters:
    ///   - feed: its absolute URL.
    ///   - since: in seconds since 1970; nil for all of it.
    ///   - limit: the most creators, and the most topics.
    func statistics(of feed: String, adminToken: String, since: Double?, limit: Int) throws(AppError) -> Statistics {
        guard let address = URLParts.resolve("stats.json", against: feed), var parts = URLParts(address) else {
            throw AppError("cannot read the statistics of \(SafeURL.text(feed)): not a URL")
        }
        parts.query = "limit=\(limit)" + (since.map { "&since=\(RFC3339.text(seconds: $0))" } ?? "")
        func failure(_ why: String) -> AppError {
            AppError("cannot read the statistics of \(SafeURL.text(feed)): \(why)")
        }
        let answer: Answer
        do throws(AppError) {
            answer = try read(parts.text, feed: feed, headers: ["Authorization": "Bearer \(adminToken)"])
        } catch {
            throw failure("\(error)")
        }
        guard answer.status != 401 else {
            throw failure("the server rejected this token; use its --admin-token")
        }
        guard answer.status == 200 else { throw failure(answer.words) }
        guard answer.isJSON, let statistics = ServiceAnswer.statistics(answer.body) else {
            throw failure("the server sent no statistics")
        }
        return statistics
    }

    private func read(_ url: String, feed: String, headers: [String: String]) throws(AppError) -> Answer {
        let asset = Asset(url: url, feed: feed, headers: headers)
        var request = Transport.Request(url: url, asset: asset, isFresh: true)
        request.acceptsCompressed = true
        request.unpackedLimit = Self.longestAnswer
        switch exchange(request) {
        case .success(let answer): return answer
        case .failure(let error): throw AppError("\(error)")
        }
    }

    /// Ends what is under way.
    func close() {
        cancellation.cancel()
        transport.close()
    }

    /// A path below the endpoint, whose query, which may hold a token, stays.
    static func url(_ endpoint: String, _ path: String, query: String? = nil) -> String {
        guard var parts = URLParts(endpoint) else { return endpoint }
        parts.path += (parts.path.hasSuffix("/") ? "" : "/") + path
        parts.query = [parts.query, query].compactMap(\.self).joined(separator: "&")
        if parts.query == "" { parts.query = nil }
        return parts.text
    }

    private struct Answer {
        var status: Int
        /// Whether it answers the original request, not one that a redirection changed.
        var isDirect: Bool
        var retryAfter: Duration?
        var type: MediaType?
        var body: [UInt8]
        /// Whether all of the body was read.
        var isWhole = false

        var isJSON: Bool { type?.name == ServiceAnswer.type }

        /// Why the service did not do what was asked: in its words, if it has any.
        var words: String { ownWords ?? HTTPStatus.words(status) }

        /// Whether it says that the service has the message.
        func confirms(_ message: ServiceMessage) -> Bool {
            guard isJSON, isWhole else { return false }
            return message.act == .comments ? ServiceAnswer.comment(body) != nil : ServiceAnswer.confirms(body)
        }

        /// The protocol's error; nil if the response is not one.
        var ownWords: String? { isJSON && isWhole ? ServiceAnswer.error(body) : nil }
    }

    private func exchange(_ request: Transport.Request) -> Result<Answer, BytesError> {
        let result = Transport.wait(cancellation) { [transport, patience] in
            let answer = try await transport.send(request)
            let end = ContinuousClock.now + patience
            var read = Answer(
                status: answer.status, isDirect: answer.method == request.method, retryAfter: answer.retryAfter,
                type: answer.type, body: [])
            while read.body.count <= Self.longestAnswer {
                guard let chunk = try await answer.body.next() else {
                    read.isWhole = true
                    break
                }
                chunk.withBytes { read.body += $0 }
                guard ContinuousClock.now < end else {
                    throw BytesError(verb: .read, url: request.url, reason: .timedOut(.end, patience))
                }
            }
            return read
        }
        return result.mapError { error in
            error as? BytesError ?? BytesError(verb: .open, url: request.url, reason: .cancelled)
        }
    }

    /// No network error is final: a captive portal may have answered in the service's place.
    private static func outcome(_ error: BytesError) -> SendOutcome {
        switch error.reason {
        case .forbidden, .privateHost, .malformed, .redirected, .nonsense, .compressed, .otherBytes:
            .unconfirmed(why: error.why)
        default: .unreachable()
        }
    }

    /// Only responses that docs/internals/service.md specifies count: anything else may come from another server.
    private static func outcome(_ answer: Answer, to message: ServiceMessage) -> SendOutcome {
        guard answer.isDirect else {
            return .unconfirmed(why: "redirected to another page", after: answer.retryAfter)
        }
        switch answer.status {
        case 408, 429, 502, 503, 504: return .unreachable(after: answer.retryAfter)
        // Captive portals may answer 511 (RFC 6585).
        case 500..<511, 512...: return .failed(after: answer.retryAfter)
        case 200 where answer.confirms(message), 201 where message.act == .comments && answer.confirms(message):
            return .accepted(answer.body)
        case 400, 403, 404, 405, 413, 431:
            // A wrong token (401) does not refuse what was done: the user may set another one.
            if answer.retryAfter == nil, let why = answer.ownWords { return .refused(why) }
        default: break
        }
        let why = answer.ownWords ?? (answer.status < 400 ? "unexpected response" : HTTPStatus.words(answer.status))
        return .unconfirmed(why: why, after: answer.retryAfter)
    }
}
