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
            case 410: "gone for good"
            case 416: "range not available"
            case 421: "unknown host name; add it with flick serve --allow-host"
            case 429: "too many requests; try again later"
            case 451: "withheld for legal reasons"
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
