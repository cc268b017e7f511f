import Model

/// The redirections of one request (RFC 9110, 15.4). Pure.
struct Redirects: Sendable {
    /// One request of the chain. The method is part of it, because a server often answers POST with 303 to the same
    /// URL; the cookies are, because a server that sets one often redirects to the same URL to see it.
    private struct Step: Hashable {
        var method: Transport.Method
        var url: String
        var cookies: [CookieJar.Pair]
    }

    /// The URL of the current request.
    private(set) var current: RemoteURL
    private(set) var method: Transport.Method
    /// Whether the current request still has the content: not after its method changed.
    private(set) var keepsContent = true
    private var visited: Set<Step>

    /// - Parameter cookies: what the first request carries.
    init(from first: RemoteURL, method: Transport.Method = .get, cookies: [CookieJar.Pair] = []) {
        current = first
        self.method = method
        visited = [Step(method: method, url: first.text, cookies: cookies)]
    }

    /// The statuses that are followed. Others (300, 304, 305) count as responses.
    static func isRedirect(_ status: Int) -> Bool { [301, 302, 303, 307, 308].contains(status) }

    /// Follows the `Location` of a response. A request that changes something is not sent to another origin.
    /// - Parameters:
    ///   - secrets: whether the request has secrets, which a connection without TLS would reveal.
    ///   - cookies: what a request to a URL carries now.
    mutating func follow(
        _ location: String, status: Int = 302, secrets: Bool = false,
        cookies: (RemoteURL) -> [CookieJar.Pair] = { _ in [] }
    ) throws(BytesError.Reason) {
        guard location.utf8.count <= RemoteURL.longest,
            let target = URLParts.resolve(location, against: current.text)
        else { throw .malformed }
        guard let scheme = URLParts(target)?.scheme, scheme == "http" || scheme == "https" else { throw .forbidden }
        guard var next = RemoteURL(target) else { throw .malformed }
        // A server must not choose the user name that another server receives.
        next.user = nil
        if current.origin.scheme == .https, next.origin.scheme == .http, secrets { throw .redirected(.downgrade) }
        let nextMethod = method.redirected(status)
        guard nextMethod.isSafe || next.origin.isSame(as: current.origin) else { throw .redirected(.otherServer) }
        guard visited.insert(Step(method: nextMethod, url: next.text, cookies: cookies(next))).inserted else {
            throw .redirected(.circle)
        }
        // The first entry is the request itself.
        guard visited.count - 1 <= BytesError.Redirection.limit else { throw .redirected(.tooOften) }
        if nextMethod != method { keepsContent = false }
        (current, method) = (next, nextMethod)
    }
}
