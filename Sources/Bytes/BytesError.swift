#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

/// Why bytes could not be had. Its description is one line, free of control characters.
public struct BytesError: Error, Hashable, Sendable, CustomStringConvertible {
    public enum Verb: String, Sendable {
        case open, read
    }

    public enum Reason: Hashable, Sendable {
        /// The system call's errno.
        case system(Int32)
        case isFolder
        /// A FIFO, socket or device: reading it could wait for ever.
        case notRegular
        /// Nothing reads URLs of this scheme.
        case unsupported(scheme: String)
        case noNetwork
        /// A remote asset may not lead here (L9).
        case forbidden
        case malformed
        case tooLarge(limit: Int)
        case negativeOffset
        /// Nobody wanted it any more.
        case cancelled
        /// HTTP's status.
        case status(Int)
        /// The connection was cut, or stalled.
        case dropped
        /// Nothing answers.
        case unreachable
        /// The server has something else now than what was read before.
        case changed
    }

    public var verb: Verb
    public var url: String
    public var reason: Reason

    public init(verb: Verb, url: String, reason: Reason) {
        self.verb = verb
        self.url = url
        self.reason = reason
    }

    /// "cannot open 'x.mp4': permission denied"
    public var description: String { "cannot \(verb.rawValue) \(ShownName.of(url)): \(why)" }

    /// The reason alone.
    public var why: String {
        switch reason {
        case .system(ENOENT), .system(ENOTDIR): "there is no such file"
        case .system(EACCES), .system(EPERM): "permission denied"
        case .system(EMFILE), .system(ENFILE): "too many open files"
        case .system(ELOOP): "its symbolic links go in a circle"
        case .system(ENAMETOOLONG): "its name is too long"
        // strerror's text is per thread in glibc (since 2.32) and on Darwin.
        case .system(let code): String(cString: strerror(code)).lowercased()
        case .isFolder: "it is a folder"
        case .notRegular: "it is not a regular file; copy it to a file first"
        case .unsupported(let scheme): "flick does not read \(ShownName.of(scheme)) addresses"
        case .noNetwork: "the network is not there yet; download it and open the file"
        case .forbidden: "a remote feed may only lead to http and https addresses"
        case .malformed: "it is not a well-formed address"
        case .tooLarge(let limit): "it is larger than \(limit >> 20) MB"
        case .negativeOffset: "the offset is negative"
        case .cancelled: "nobody wanted it any more"
        case .status(let status): "the server answered \(status)"
        case .dropped: "the connection was cut"
        case .unreachable: "nothing answers there"
        case .changed: "the file changed on the server; open it again"
        }
    }
}
