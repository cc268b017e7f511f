internal import CCurl
import Model
import Platform

/// Translates how curl ended a transfer into `BytesError.Reason`.
enum CurlOutcome {
    static let noMemory = BytesError.Reason.system(ENOMEM)

    /// nil if the response has ended as it should.
    /// - Parameters:
    ///   - error: the errno of connecting, or 0.
    ///   - hasPrivatePeer: whether an address was refused because it is private.
    static func reason(
        _ kind: flick_curl_end_kind, error: Int32, of message: CurlTransfer.Message, hasPrivatePeer: Bool
    ) -> BytesError.Reason? {
        switch kind {
        case FLICK_CURL_DONE: nil
        case FLICK_CURL_NO_SUCH_HOST: .noSuchHost
        case FLICK_CURL_NOT_CONNECTED where hasPrivatePeer, FLICK_CURL_REFUSED where hasPrivatePeer:
            .privateHost(message.url.origin.host)
        case FLICK_CURL_NOT_CONNECTED: system(error)
        case FLICK_CURL_CONNECT_TIMEOUT: proxy(message) ?? .timedOut(.connection, message.connectTimeout)
        case FLICK_CURL_PROXY_FAILED: proxy(message) ?? .unreachable
        case FLICK_CURL_BAD_CERTIFICATE: .untrusted(.certificate)
        case FLICK_CURL_OTHER_HOST: .untrusted(.otherHost)
        case FLICK_CURL_NO_HANDSHAKE: .untrusted(.handshake)
        case FLICK_CURL_NO_AUTHORITIES: .untrusted(.authorities)
        case FLICK_CURL_NOT_HTTP: .nonsense
        case FLICK_CURL_BAD_URL: .malformed
        case FLICK_CURL_NO_MEMORY: noMemory
        default: .dropped
        }
    }

    private static func proxy(_ message: CurlTransfer.Message) -> BytesError.Reason? {
        guard case .through(let proxy) = message.route else { return nil }
        return .proxy("\(proxy.host):\(proxy.port)")
    }

    private static func system(_ code: Int32) -> BytesError.Reason {
        switch code {
        case ECONNREFUSED: .refused
        case ECONNRESET, EPIPE, ECONNABORTED, ENOTCONN: .dropped
        case EMFILE, ENFILE, ENOBUFS, ENOMEM: .system(code)
        default: .unreachable
        }
    }
}
