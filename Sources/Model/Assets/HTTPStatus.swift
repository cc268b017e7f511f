/// Explains an HTTP status (RFC 9110, 15) in words. Pure.
package enum HTTPStatus {
    /// For example "the server says 404: not found". `hadUser`: whether a name and password were sent.
    package static func words(_ status: Int, hadUser: Bool = false) -> String {
        let meaning =
            switch status {
            case 400: "it does not understand the request"
            case 401 where hadUser: "the user or password before the host was refused; check both"
            case 401: "it wants a password or a token; put user:password@ before the host, or ?token=… at the end"
            case 403: "not allowed; the address may have expired"
            case 404: "not found"
            case 407: "the proxy wants a password"
            case 408: "the request took too long; try again"
            case 410: "gone for good"
            case 416: "it has no such bytes"
            case 421: "it does not answer for this host name; flick serve --allow-host adds one"
            case 429: "too many requests; try again later"
            case 451: "withheld for legal reasons"
            case 501: "it does not support this request"
            case 503: "out of service; try again later"
            case 505: "it does not support this version of HTTP"
            case 500...599: "it is in trouble; try again later"
            case 300...399: "it is somewhere else, but not where"
            case 400...499: "it refuses the request"
            default: "what flick does not understand"
            }
        return "the server says \(status): \(meaning)"
    }
}
