import Platform

/// Why a message could not be sent or received. After any of these the connection is closed, and a decoder is killed.
public enum WireError: Error, Equatable, CustomStringConvertible {
    case truncated
    case trailing(Int)
    case unknown(kind: UInt8)
    case tooLarge(Int)
    case invalid(String)
    case closed
    /// waitpid's status.
    case ended(status: Int32)
    /// No message arrived in time.
    case silent
    /// The other side does not read.
    case unread
    /// The other side sent more than the protocol allows.
    case tooMany(String)
    case system(call: String, code: Int32)

    public var description: String {
        switch self {
        case .truncated: "a message ends too soon"
        case .trailing(let count): "a message has \(count) bytes too many"
        case .unknown(let kind): "no message has the number \(kind)"
        case .tooLarge(let count): "a message of \(count) bytes is too large"
        case .invalid(let what): "a message has a bad \(what)"
        case .closed: "the connection was closed"
        // The loader's exit code (ld.so(8)), which the shell also uses for programs that it cannot start.
        case .ended(let status) where status == 127 << 8:
            "flick-decoder cannot start, as a library is missing; run `flick doctor`"
        case .ended(let status): "the process \(ending(status: status))"
        case .silent: "no response"
        case .unread: "the process does not read its messages"
        case .tooMany(let what): "too many \(what) came"
        case .system(let call, let code): SystemError(call, code).description
        }
    }
}

/// A message that can go over a channel.
public protocol WireMessage: Sendable {
    /// The whole message: a length of four bytes (itself not counted), a kind of one byte, and the parts.
    func encoded() -> [UInt8]
    /// The message in `bytes`, which begin with the kind. Every length is checked.
    init(decoding bytes: UnsafeRawBufferPointer) throws(WireError)
}
