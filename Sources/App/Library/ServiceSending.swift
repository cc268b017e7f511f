import Engagement
import Feeds
import HTTP
import Model
import Threads

/// Speaks with the services that feeds declare, over the same network layer and by the same rules as everything else. docs/service.md has the protocol.
/// Any thread; calls block.
final class ServiceSending: Sendable {
    private let transport: Transport
    private let cancellation = Cancellation()

    /// In bytes. What is behind that is not read: no answer that flick understands is longer.
    private static let longestAnswer = 1 << 20

    /// How long an answer may take to arrive: one that comes byte by byte never stalls, and would hold up all that waits behind it.
    private let patience: Duration

    init(_ network: NetworkOptions, patience: Duration = .seconds(60)) {
        transport = Transport(network)
        self.patience = patience
    }

    /// Sends one message, once. Blocks for as long as `NetworkOptions` let a server be silent.
    func send(_ queued: QueuedMessage) -> SendOutcome {
        let message = queued.message
        let url = Self.url(queued.endpoint, message.path)
        let asset = Asset(url: url, feed: queued.feed, headers: [SecretNames.viewerField: queued.viewer])
        var request = Transport.Request(url: url, asset: asset)
        request.method = Transport.Method(message.method.rawValue)
        request.content = .json(Array(message.body.utf8))
        switch exchange(request) {
        case .success(let answer): return Self.outcome(answer)
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
        return answer.body
    }

    /// What viewers of a feed watched, by the server that has it. Blocks as `send` does. Throws `AppError`.
    ///
    /// - Parameters:
    ///   - feed: its absolute URL.
    ///   - since: in seconds since 1970; nil for all of it.
    ///   - limit: so many creators and topics at most.
    func statistics(of feed: String, adminToken: String, since: Double?, limit: Int) throws(AppError) -> Statistics {
        guard let address = URLParts.resolve("stats.json", against: feed), var parts = URLParts(address) else {
            throw AppError("cannot read the statistics of \(SafeURL.text(feed)): it is no address")
        }
        parts.query = "limit=\(limit)" + (since.map { "&since=\(RFC3339.text(seconds: $0))" } ?? "")
        func trouble(_ why: String) -> AppError {
            AppError("cannot read the statistics of \(SafeURL.text(feed)): \(why)")
        }
        let answer: Answer
        do throws(AppError) {
            answer = try read(parts.text, feed: feed, headers: ["Authorization": "Bearer \(adminToken)"])
        } catch {
            throw trouble("\(error)")
        }
        guard answer.status != 401 else {
            throw trouble("its server does not take this token; use the one of its --admin-token")
        }
        guard answer.status == 200 else { throw trouble(answer.words) }
        guard let statistics = ServiceAnswer.statistics(answer.body) else {
            throw trouble("what its server answers are none")
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
        var retryAfter: Duration?
        var body: [UInt8]

        /// Why the service did not do what was asked: in its words, if it has any.
        var words: String {
            ServiceAnswer.error(body) ?? HTTPStatus.words(status)
        }
    }

    private func exchange(_ request: Transport.Request) -> Result<Answer, BytesError> {
        let result = Transport.wait(cancellation) { [transport, patience] in
            let answer = try await transport.send(request)
            let end = ContinuousClock.now + patience
            var body: [UInt8] = []
            while body.count < Self.longestAnswer, let chunk = try await answer.body.next() {
                chunk.withBytes { body += $0 }
                guard ContinuousClock.now < end else {
                    throw BytesError(verb: .read, url: request.url, reason: .timedOut(.end, patience))
                }
            }
            return Answer(status: answer.status, retryAfter: answer.retryAfter, body: body)
        }
        return result.mapError { error in
            error as? BytesError ?? BytesError(verb: .open, url: request.url, reason: .cancelled)
        }
    }

    /// Only what will never be allowed is given up. Anything else may pass: the network, the proxy's settings, or that flick ends.
    private static func outcome(_ error: BytesError) -> SendOutcome {
        switch error.reason {
        case .forbidden, .privateHost, .malformed, .redirected: .refused("\(error)")
        default: .unreachable()
        }
    }

    private static func outcome(_ answer: Answer) -> SendOutcome {
        switch answer.status {
        case 200...299: .accepted(answer.body)
        case 408, 429, 502, 503, 504: .unreachable(after: answer.retryAfter)
        case 500...: .failed(after: answer.retryAfter)
        default: .refused(answer.words)
        }
    }
}
