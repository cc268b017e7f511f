import Model

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// The fields of a request's head (RFC 9110, 5). Pure.
struct RequestFields: Sendable {
    struct Field: Equatable, Sendable {
        var name: String
        var value: String
    }

    /// Those of the asset's own fields that may be sent, ordered by name.
    private let given: [Field]
    /// Where secrets may be sent: to the asset's origin, or to the request's for a local asset.
    private let home: Origin
    /// User names from URLs, and the origins that may receive them.
    private let users: [(origin: Origin, name: String)]
    private let request: Transport.Request
    private let userAgent: String

    init(_ request: Transport.Request, to target: RemoteURL, userAgent: String) {
        self.request = request
        self.userAgent = userAgent
        given = request.asset.headers.sorted { $0.key < $1.key }.map { Field(name: $0.key, value: $0.value) }
            .filter { Self.isSound($0) && !FieldName.isReserved($0.name) }
        let asset = RemoteURL(request.asset.url)
        home = asset?.origin ?? target.origin
        // A feed behind a password leads to clips, pictures and pages behind the same one.
        let feed = request.asset.feed.flatMap { RemoteURL($0) }
        users = [target, asset, feed].compactMap { url in url.flatMap { url in url.user.map { (url.origin, $0) } } }
    }

    /// Whether a request to `origin` contains secrets.
    func hasSecrets(for origin: Origin) -> Bool {
        user(for: origin) != nil || mayKnow(origin) && given.contains { SecretNames.isSecretField($0.name) }
    }

    /// All fields of a request to `origin` with the body `content`.
    /// - Parameter cookies: those that the asset's servers have set.
    func fields(
        to origin: Origin, content: Transport.Content? = nil, cookies: [CookieJar.Pair] = []
    ) -> [Field] {
        var fields = given.filter { mayKnow(origin) || !SecretNames.isSecretField($0.name) }
        Self.add(cookies, to: &fields)
        // These describe the body (8.3 to 8.6), which only the request knows.
        fields.removeAll { $0.name.lowercased().hasPrefix("content-") }
        let names = Set(fields.map { $0.name.lowercased() })
        func add(_ name: String, _ value: String) {
            let field = Field(name: name, value: value)
            if Self.isSound(field), !names.contains(name.lowercased()) { fields.append(field) }
        }
        add("User-Agent", userAgent)
        add("Accept", "*/*")
        if let content { add("Content-Type", content.type) }
        if let user = user(for: origin) {
            // RFC 7617, 2: the colon is part of it, also without a password.
            let credentials = Data((user.contains(":") ? user : user + ":").utf8)
            add("Authorization", "Basic " + credentials.base64EncodedString())
        }
        if let known = request.known, request.range == nil {
            if let etag = known.etag { add("If-None-Match", etag) }
            if let date = known.lastModified { add("If-Modified-Since", date) }
        }
        if request.acceptsTitles { add("Icy-MetaData", "1") }
        if request.isFresh { add("Cache-Control", "no-cache") }
        let isCompressed = request.acceptsCompressed && request.range == nil
        add("Accept-Encoding", isCompressed ? ContentCoding.accepted : "identity")
        if let range = request.range {
            add("Range", "bytes=\(range.from)-" + (range.to.map(String.init) ?? ""))
            if let condition = request.ifRange { add("If-Range", condition) }
        }
        return fields
    }

    /// Adds cookies to those that the feed gives, of which they replace those of the same name.
    private static func add(_ cookies: [CookieJar.Pair], to fields: inout [Field]) {
        guard !cookies.isEmpty else { return }
        let names = Set(cookies.map(\.name))
        var texts = cookies.map { "\($0.name)=\($0.value)" }
        if let index = fields.firstIndex(where: { $0.name.lowercased() == "cookie" }) {
            let given: [String] = fields.remove(at: index).value.split(separator: ";").map { String($0).trimmed }
            let kept: [String] = given.filter { pair in
                let name = String(pair.prefix { $0 != "=" })
                return !names.contains(name)
            }
            texts = kept + texts
        }
        fields.append(Field(name: "Cookie", value: texts.joined(separator: "; ")))
    }

    /// Secrets may be sent to the asset's own origin, and to the same host over https if the origin is http.
    private func mayKnow(_ origin: Origin) -> Bool { origin.isSame(as: home) }

    private func user(for origin: Origin) -> String? { users.first { origin.isSame(as: $0.origin) }?.name }

    /// Whether the name is a token and the value contains no line end (RFC 9110, 5.1, 5.5).
    private static func isSound(_ field: Field) -> Bool {
        let isLine = field.value.utf8.allSatisfy { $0 >= 0x20 && $0 != 0x7F || $0 == 0x09 }
        return FieldName.isToken(field.name) && field.name.utf8.count <= 256 && isLine && field.value.utf8.count <= 8192
    }
}
