#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

extension BytesError {
    /// What is wrong, and what can be done, which may be empty: for the page of the clip, which shows its name anyway. Each is one line without control characters.
    public var onPage: (why: String, advice: String) {
        let host = RemoteURL(url).map { CleanText.line($0.origin.host, limit: 60) } ?? "the server"
        return switch reason {
        case .system(ENOENT), .system(ENOTDIR): ("there is no such file", "it may have been moved")
        case .system(EACCES), .system(EPERM): ("no permission to read it", "change who may")
        case .isFolder: ("it is a folder, not a file", "open the folder itself")
        case .noSuchHost: ("\(host) is not known", "check the address and the network")
        case .refused: ("\(host) refuses connections", "try again later")
        case .unreachable: ("\(host) cannot be reached", "check the network")
        case .status(404): ("\(host) says it is not there (404)", "it may have been moved")
        case .status(410): ("\(host) says it is gone for good (410)", "")
        case .status(403): ("\(host) does not allow it (403)", "the address may have expired")
        case .untrusted(.certificate):
            (
                "the certificate of \(host) is not trusted",
                "it has expired, or nobody that this system knows has signed it"
            )
        case .untrusted(.otherHost): ("\(host) shows the certificate of another host", "")
        default: split
        }
    }

    /// Other reasons say what can be done behind a semicolon.
    private var split: (why: String, advice: String) {
        guard let end = why.firstRange(of: "; ") else { return (why, "") }
        return (String(why[..<end.lowerBound]), String(why[end.upperBound...]))
    }
}
