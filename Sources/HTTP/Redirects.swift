import Model

/// The redirections of one request (RFC 9110, 15.4). Pure.
struct Redirects: Sendable {
    /// One request of the chain. The same URL with another method is another step: POST is often answered with 303 to the same URL.
    private struct Step: Hashable {
        var method: Transport.Method
        var url: String
    }

    /// The URL that is asked now.
    private(set) var current: RemoteURL
    private(set) var method: Transport.Method
    /// Whether the request's content is still sent: not once its method became another.
    private(set) var keepsContent = true
    private var visited: Set<Step>

    init(from first: RemoteURL, method: Transport.Method = .get) {
        current = first
        self.method = method
        visited = [Step(method: method, url: first.text)]
    }

    /// Which statuses are followed; the others (300, 304, 305) are answers.
    static func isRedirect(_ status: Int) -> Bool { [301, 302, 303, 307, 308].contains(status) }

    /// Follows an answer's `Location`. A request that changes something does not go to another origin than it was meant for.
    /// - Parameter secrets: whether the request carries any. A connection without TLS would show them to everybody.
    mutating func follow(_ location: String, status: Int = 302, secrets: Bool = false) throws(BytesError.Reason) {
        guard location.utf8.count <= RemoteURL.longest,
            let target = URLParts.resolve(location, against: current.text)
        else { throw .malformed }
        guard let scheme = URLParts(target)?.scheme, scheme == "http" || scheme == "https" else { throw .forbidden }
        guard var next = RemoteURL(target) else { throw .malformed }
        // A server does not choose the user that another server sees.
        next.user = nil
        if current.origin.scheme == .https, next.origin.scheme == .http, secrets { throw .redirected(.downgrade) }
        let nextMethod = method.redirected(status)
        guard nextMethod.isSafe || next.origin.isSame(as: current.origin) else { throw .redirected(.otherServer) }
        guard visited.insert(Step(method: nextMethod, url: next.text)).inserted else { throw .redirected(.circle) }
        // The first is no redirection.
        guard visited.count - 1 <= BytesError.Redirection.limit else { throw .redirected(.tooOften) }
        if nextMethod != method { keepsContent = false }
        (current, method) = (next, nextMethod)
    }
}
