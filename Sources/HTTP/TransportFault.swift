internal import AsyncHTTPClient
import Model
internal import NIOCore

#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

/// Translates errors of the HTTP client and the libraries below it into `BytesError.Reason`.
enum TransportFault {
    /// The connection to a host name led to a private address.
    struct PrivatePeer: Error {}

    /// What went wrong before the response's head, or in its body.
    static func reason(_ error: any Error, route: ProxyChoice.Route, options: NetworkOptions) -> BytesError.Reason {
        let reason = direct(error, options: options)
        guard case .through(let proxy) = route else { return reason }
        switch reason {
        // Behind a proxy these errors are the proxy's.
        case .noSuchHost, .unreachable, .refused, .timedOut(.connection, _):
            return .proxy("\(proxy.host):\(proxy.port)")
        default:
            return error as? HTTPClientError == .invalidProxyResponse
                || error as? HTTPClientError == .proxyAuthenticationRequired
                ? .proxy("\(proxy.host):\(proxy.port)") : reason
        }
    }

    private static func direct(_ error: any Error, options: NetworkOptions) -> BytesError.Reason {
        switch error {
        case let error as BytesError: return error.reason
        case is InformationalLimit.Exceeded: return .nonsense
        case is Inflater.Damaged: return .damaged
        case is Inflater.TooLarge: return .compressed
        case let error as HTTPClientError: return client(error, options: options)
        case let error as IOError: return system(error.errnoCode)
        case ChannelError.connectTimeout: return .timedOut(.connection, options.connectTimeout)
        case is ChannelError: return .dropped
        default: return foreign(error)
        }
    }

    private static func client(_ error: HTTPClientError, options: NetworkOptions) -> BytesError.Reason {
        switch error {
        case .connectTimeout, .tlsHandshakeTimeout, .socksHandshakeTimeout, .httpProxyHandshakeTimeout,
            .getConnectionFromPoolTimeout:
            .timedOut(.connection, options.connectTimeout)
        case .deadlineExceeded: .timedOut(.firstByte, options.firstByteTimeout)
        case .readTimeout: .timedOut(.nextByte, options.stallTimeout)
        case .alreadyShutdown, .cancelled: .cancelled
        case .invalidURL, .emptyHost, .emptyScheme: .malformed
        default: .dropped
        }
    }

    private static func system(_ code: Int32) -> BytesError.Reason {
        switch code {
        case ECONNREFUSED: .refused
        case ENETUNREACH, EHOSTUNREACH, ENETDOWN, EHOSTDOWN, ETIMEDOUT, EADDRNOTAVAIL: .unreachable
        case ECONNRESET, EPIPE, ECONNABORTED, ENOTCONN: .dropped
        default: .system(code)
        }
    }

    /// Errors of libraries below the client. flick does not import those, so it recognises them by the names of their
    /// modules.
    private static func foreign(_ error: any Error) -> BytesError.Reason {
        let type = String(reflecting: Swift.type(of: error))
        let text = String(describing: error)
        switch type.prefix(while: { $0 != "." }) {
        case "NIOPosix":
            if text.hasPrefix("DNS error") { return .noSuchHost }
            return text.contains("errno: \(ECONNREFUSED)") ? .refused : .unreachable
        case "NIOSSL":
            if text.contains("failedToValidateHostname") || text.contains("unableToValidateCertificate") {
                return .untrusted(.otherHost)
            }
            if text.contains("CERTIFICATE_VERIFY_FAILED") { return .untrusted(.certificate) }
            return text.contains("handshakeFailed") ? .untrusted(.handshake) : .dropped
        // The connection ended inside a body of known length.
        case "NIOHTTP1": return text.contains("stream ended") ? .dropped : .nonsense
        case "NIOSOCKS": return .unreachable
        default: return .dropped
        }
    }
}
