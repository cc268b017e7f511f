import Model

/// How the client names this server, which addresses in its answers begin with. A value.
struct ServerAddress: Equatable {
    /// "http://127.0.0.1:8642", and nothing that could end an address or a line.
    let origin: String
    /// The token that the client has in its address, which ours then carry, too.
    let token: String?

    /// - Parameter host: the request's Host; X-Forwarded-… is not read, as anybody can send it.
    init(host: String?, isSecure: Bool, token: String?) throws(RequestError) {
        guard let host, RequestHost(host) != nil else {
            throw RequestError(.badRequest, "Host: missing or invalid")
        }
        origin = (isSecure ? "https://" : "http://") + host
        self.token = token
    }

    /// An absolute address. - Parameter path: begins with a slash, and is encoded already.
    func url(_ path: String, _ query: [(name: String, text: String)] = []) -> String {
        let pairs = query + (token.map { [("token", $0)] } ?? [])
        guard !pairs.isEmpty else { return origin + path }
        return origin + path + "?"
            + pairs.map { "\($0.name)=\(PercentEncoding.component($0.text))" }.joined(separator: "&")
    }
}
