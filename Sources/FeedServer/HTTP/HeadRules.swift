import NIOHTTP1

/// The checks that HTTP/1.1 requires of a request's head (RFC 9112, 3.2). Pure.
enum HeadRules {
    /// Why the request is rejected with 400; nil if it is valid. Its target and `Host` name the same host from here on.
    static func error(in head: inout HTTPRequestHead) -> String? {
        let hosts = head.headers["host"].count
        let isOld = head.version.major == 1 && head.version.minor == 0
        if hosts > 1 { return "Host: given more than once" }
        if hosts == 0, !isOld { return "Host: missing" }
        // The target's host overrides the field (3.2.2).
        if let (host, target) = absolute(head.uri) {
            head.headers.replaceOrAdd(name: "host", value: host)
            head.uri = target
        }
        // HTTP/1.0 clients do not know status 100 (RFC 9110, 10.1.1).
        if isOld { head.headers.remove(name: "expect") }
        return nil
    }

    /// The host and the rest of "http://host/path?query".
    private static func absolute(_ target: String) -> (host: String, target: String)? {
        let scheme = ["http://", "https://"].first { target.prefix($0.utf8.count).lowercased() == $0 }
        guard let scheme else { return nil }
        let rest = target.dropFirst(scheme.utf8.count)
        let end = rest.firstIndex { $0 == "/" || $0 == "?" } ?? rest.endIndex
        let path = String(rest[end...])
        return (String(rest[..<end]), path.hasPrefix("/") ? path : "/" + path)
    }
}
