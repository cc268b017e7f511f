import Model

/// The way that a request is sent along (RFC 9110, 15.4). Pure.
struct Redirects: Sendable {
    /// Where it stands.
    private(set) var current: RemoteURL
    private var visited: Set<String>

    init(from first: RemoteURL) {
        current = first
        visited = [first.text]
    }

    /// The redirections that keep the method; the others (300, 304, 305) are answers.
    static func isRedirect(_ status: Int) -> Bool { [301, 302, 303, 307, 308].contains(status) }

    /// Goes where an answer's `Location` says. `secrets`: whether any go along so far; they are not to be lost to a wire that all can read.
    mutating func follow(_ location: String, secrets: Bool) throws(BytesError.Reason) {
        guard location.utf8.count <= RemoteURL.longest,
            let target = URLParts.resolve(location, against: current.text)
        else { throw .malformed }
        guard let scheme = URLParts(target)?.scheme, scheme == "http" || scheme == "https" else { throw .forbidden }
        guard var next = RemoteURL(target) else { throw .malformed }
        // A server cannot say who its visitors are elsewhere.
        next.user = nil
        if current.origin.scheme == .https, next.origin.scheme == .http, secrets { throw .redirected(.downgrade) }
        guard visited.insert(next.text).inserted else { throw .redirected(.circle) }
        // The first is no redirection.
        guard visited.count - 1 <= BytesError.Redirection.limit else { throw .redirected(.tooOften) }
        current = next
    }
}
