import Platform

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
