import Model

/// The way that a request is sent along (RFC 9110, 15.4). Pure.
struct Redirects: Sendable {
    /// A request of the way. The same URL with another method is another one: POST is often answered with 303 to where it went.
    private struct Step: Hashable {
        var method: Transport.Method
        var url: String
    }

    /// Where it stands.
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

    /// The redirections that are followed; the others (300, 304, 305) are answers.
    static func isRedirect(_ status: Int) -> Bool { [301, 302, 303, 307, 308].contains(status) }

    /// Goes where an answer's `Location` says. What changes something is not sent to another origin than it was meant for.
    /// - Parameter secrets: whether any go along so far. A connection without TLS would show them to everybody.
    mutating func follow(_ location: String, status: Int = 302, secrets: Bool = false) throws(BytesError.Reason) {
        guard location.utf8.count <= RemoteURL.longest,
            let target = URLParts.resolve(location, against: current.text)
        else { throw .malformed }
        guard let scheme = URLParts(target)?.scheme, scheme == "http" || scheme == "https" else { throw .forbidden }
        guard var next = RemoteURL(target) else { throw .malformed }
        // A server cannot say who its visitors are elsewhere.
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
