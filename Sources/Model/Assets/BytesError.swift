import Platform

/// Why bytes could not be opened, read or sent. Its description is one line,
/// without control characters or secrets. A value.
public struct BytesError: Error, Hashable, Sendable, CustomStringConvertible {
    public enum Verb: String, Sendable {
        case open, read
    }

    public enum Reason: Error, Hashable, Sendable {
        /// The errno of a system call.
        case system(Int32)
        case isFolder
        /// A FIFO, socket or device: reading it could block for ever.
        case notRegular
        /// flick cannot read URLs of this scheme.
        case unsupported(scheme: String)
        case noNetwork
        /// libcurl is missing, or too old.
        case noLibrary
        /// A remote asset must not lead here.
        case forbidden
        case malformed
        /// An address of a service that is not written as its addresses are.
        case misspelt(forms: String)
        case tooLarge(limit: Int)
        case negativeOffset
        /// The request was cancelled, or the provider was closed.
        case cancelled
        /// No name server knows the host.
        case noSuchHost
        /// The host cannot be reached: there is no route, or it does not respond.
        case unreachable
        /// The host refused the connection.
        case refused
        /// The proxy does not respond, or refuses flick.
        case proxy(String)
        /// The proxy's URL is invalid.
        case malformedProxy
        /// It took longer than the options allow.
        case timedOut(Wait, Duration)
        /// The connection ended before the response did.
        case dropped
        /// The server has a newer version than the one that was read before.
        case changed
        case untrusted(Distrust)
        /// An HTTP status that is not success.
        case status(Int)
        /// A temporary failure status, and how long the server asks to wait (`Retry-After`).
        case busy(Int, Duration)
        case redirected(Redirection)
        /// The server answered, and sent nothing.
        case empty
        /// The response contains other bytes than requested.
        case otherBytes
        /// The response is not HTTP, or contradicts itself.
        case nonsense
        /// The response is compressed although flick did not accept that, or expands too far.
        case compressed
        /// The response is compressed, and cannot be decompressed.
        case damaged
        /// A web page came in place of a clip, a playlist or a manifest.
        case webPage
        /// A public host must not lead to a private one, which is named here.
        case privateHost(String)
        /// The resolver found no media, and why: one line of untrusted text.
        case unresolved(by: String, why: String)

        /// Whether the server was reached and failed, which may be over soon.
        package var isOfServer: Bool {
            switch self {
            case .dropped, .timedOut, .busy: true
            case .status(let status): BytesError.mayPass(status)
            default: false
            }
        }
    }

    /// The step that took too long.
    public enum Wait: Hashable, Sendable {
        case connection, firstByte, nextByte
        /// The end of a small text.
        case end
    }

    /// Why the server's identity could not be verified.
    public enum Distrust: Hashable, Sendable {
        /// Expired, self-signed, or by an unknown authority: the library does not say which.
        case certificate
        case otherHost
        case handshake
        /// The authorities that the environment names instead of the system's cannot be read.
        case authorities
    }

    public enum Redirection: Hashable, Sendable {
        /// The most redirections of one request.
        package static let limit = 10

        case tooOften, circle
        /// From https to http, with secrets.
        case downgrade
        /// A request that changes something, to another server than intended.
        case otherServer
    }

    public var verb: Verb
    public var url: String
    public var reason: Reason

    public init(verb: Verb, url: String, reason: Reason) {
        self.verb = verb
        self.url = url
        self.reason = reason
    }

    /// For example "cannot open 'x.mp4': permission denied".
    public var description: String { "cannot \(verb.rawValue) \(ShownName.of(url)): \(why)" }

    /// Whether the network is missing or the host unreachable, so that cached bytes should be used.
    public var isOffline: Bool {
        switch reason {
        case .noSuchHost, .unreachable, .refused, .proxy, .timedOut(.connection, _): true
        default: false
        }
    }

    /// Whether the same request may succeed later: the network, or the server, is not there now.
    public var mayPass: Bool { isOffline || reason.isOfServer }

    /// Statuses of temporary failures: of the server's own all but those that say what it will never do (RFC 9110,
    /// 15.6.2 and 15.6.6).
    public static func mayPass(_ status: Int) -> Bool {
        switch status {
        case 408, 429: true
        case 501, 505: false
        default: (500...599).contains(status)
        }
    }

    /// The reason alone.
    public var why: String {
        switch reason {
        case .system(ENOENT), .system(ENOTDIR): "no such file"
        case .system(EACCES), .system(EPERM): "permission denied"
        case .system(EMFILE), .system(ENFILE): "too many open files"
        case .system(ELOOP): "too many levels of symbolic links"
        case .system(ENAMETOOLONG): "file name too long"
        case .system(let code): SystemError.text(code)
        case .isFolder: "is a folder"
        case .notRegular: "not a regular file; copy it to a file first"
        case .unsupported(let scheme): "flick does not read \(ShownName.of(scheme)) addresses"
        case .noNetwork: "not supported here; download it and open the file"
        case .noLibrary: "needs libcurl 7.87 or newer; install it (apt install libcurl4)"
        case .forbidden: "a remote feed may only link to http and https addresses"
        case .malformed: "not a valid URL"
        case .misspelt(let forms): "invalid address; write it as \(forms)"
        case .tooLarge(let limit): "it is larger than \(limit >> 20) MB"
        case .negativeOffset: "the offset is negative"
        case .cancelled: "cancelled"
        case .noSuchHost: "host not found; check the address and your network"
        case .refused: "connection refused; try again later"
        case .unreachable: "server unreachable; check your network"
        case .proxy(let proxy):
            "the proxy \(ShownName.of(proxy)) refused the connection; check network.proxy and https_proxy"
        case .malformedProxy:
            "invalid proxy address; write it as http://host:port or socks5://host:port in network.proxy or https_proxy"
        case .timedOut(.connection, let limit): "connection timed out after \(shown(limit)); check your network"
        case .timedOut(.firstByte, let limit): "the server did not respond within \(shown(limit)); try again later"
        case .timedOut(.nextByte, let limit): "no data received for \(shown(limit)); check your network"
        case .timedOut(.end, let limit): "download incomplete after \(shown(limit)); check your network"
        case .dropped: "connection lost; try again"
        case .changed: "the file changed on the server; open it again"
        case .untrusted(.certificate):
            "the server's certificate is expired or not trusted"
        case .untrusted(.otherHost): "the server's certificate is for another host"
        case .untrusted(.authorities): "SSL_CERT_FILE or SSL_CERT_DIR points to no certificates; correct or unset it"
        case .untrusted(.handshake): "TLS handshake failed"
        case .status(let status): HTTPStatus.words(status, hadUser: RemoteURL(url)?.user != nil)
        case .busy(let status, let wait):
            "the server returned \(status); try again in \(shown(wait))"
        case .redirected(.tooOften): "more than \(Redirection.limit) redirects"
        case .redirected(.circle): "redirect loop"
        case .redirected(.downgrade): "redirected from https to http, which would expose its password or cookies"
        case .redirected(.otherServer): "redirected to another server; the request was not repeated there"
        case .empty:
            FileURL.path(of: url) != nil ? "the file is empty" : "the server sent an empty response; try again later"
        case .otherBytes: "the server sent the wrong range of bytes"
        case .nonsense: "the server sent an invalid response"
        case .compressed: "the server used an unsupported compression"
        case .damaged: "the compressed response is damaged; try again later"
        case .webPage:
            "the server sent a web page instead; open the URL in a browser, you may need to log in"
        case .unresolved(let resolver, let why): "\(resolver): \(CleanText.line(why, limit: 200))"
        case .privateHost(let host):
            "feeds may not link to the private host \(ShownName.of(host)); if you trust it, set network.private_hosts = \"always\""
        }
    }

    private func shown(_ limit: Duration) -> String {
        let seconds = limit / .seconds(1)
        // Rounded up, so that users who wait this long do not return too early.
        if seconds > 7200 { return "\(Int((seconds / 3600).rounded(.up))) h" }
        if seconds > 120 { return "\(Int((seconds / 60).rounded(.up))) min" }
        return seconds == seconds.rounded() ? "\(Int(seconds)) s" : "\(seconds) s"
    }
}

extension BytesError {
    /// The reason, and advice, which may be empty: for the page of the clip, which shows its
    /// name anyway. Each is one line without control characters.
    public var onPage: (why: String, advice: String) {
        let host = RemoteURL(url).map { CleanText.line($0.origin.host, limit: 60) } ?? "the server"
        return switch reason {
        case .system(ENOENT), .system(ENOTDIR): ("no such file", "it may have been moved")
        case .system(EACCES), .system(EPERM): ("permission denied", "check the permissions of the file")
        case .isFolder: ("this is a folder, not a file", "open the folder itself")
        case .noSuchHost: ("host \(host) not found", "check the address and your network")
        case .refused: ("cannot connect to \(host) (connection refused)", "try again later")
        case .unreachable: ("cannot reach \(host)", "check your network")
        case .status(404): ("not found on \(host) (404)", "it may have been moved")
        case .status(410): ("removed from \(host) (410)", "")
        case .status(403): ("\(host) denied access (403)", "the URL may have expired")
        case .untrusted(.certificate):
            (
                "the certificate of \(host) is not trusted",
                "it has expired, or its issuer is unknown"
            )
        case .untrusted(.otherHost): ("\(host) uses the certificate of another host", "")
        default: split
        }
    }

    /// Other reasons say what can be done behind a semicolon.
    private var split: (why: String, advice: String) {
        guard let end = why.firstRange(of: "; ") else { return (why, "") }
        return (String(why[..<end.lowerBound]), String(why[end.upperBound...]))
    }
}

/// Explains an HTTP status (RFC 9110, 15) in words. Pure.
package enum HTTPStatus {
    /// For example "the server says 404: not found". `hadUser`: whether a name and password were sent.
    package static func words(_ status: Int, hadUser: Bool = false) -> String {
        let meaning =
            switch status {
            case 400: "bad request"
            case 401 where hadUser: "wrong user or password; check both"
            case 401: "login required; put user:password@ before the host, or ?token=… at the end"
            case 403: "access denied; the URL may have expired"
            case 404: "not found"
            case 407: "the proxy requires a password"
            case 408: "the request took too long; try again"
            case 410: "removed"
            case 416: "range not available"
            case 421: "unknown host name; add it with flick serve --allow-host"
            case 429: "too many requests; try again later"
            case 451: "unavailable for legal reasons"
            case 501: "request not supported"
            case 503: "service unavailable; try again later"
            case 505: "HTTP version not supported"
            case 500...599: "internal server error; try again later"
            case 300...399: "redirected without an address"
            case 400...499: "request refused"
            default: "unknown response"
            }
        return "the server says \(status): \(meaning)"
    }
}
