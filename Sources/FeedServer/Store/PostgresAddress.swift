internal import CPostgres
import Model

/// The address of a database of PostgreSQL, as libpq reads it (34.1.1.2). A value.
struct PostgresAddress: Sendable {
    let url: String
    /// For people: without its password.
    let shown: String
    private let secrets: [String]

    /// Throws `ServiceError`, which does not quote the address.
    init(_ url: String) throws(ServiceError) {
        guard flick_postgres_load() == 0 else {
            let why = String(cString: flick_postgres_load_error())
            throw ServiceError(why: "\(CleanText.line(why, limit: 200)); install PostgreSQL's client library, libpq5")
        }
        func option(_ name: String) -> String? {
            var text = [CChar](repeating: 0, count: 4_096)
            let length = flick_postgres_option(url, name, &text, text.count)
            guard length >= 0 else { return nil }
            return String(decoding: text.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
        }
        guard let host = option("host"), let port = option("port"), let user = option("user"),
            let name = option("dbname")
        else { throw ServiceError(why: "not an address of the form postgres://USER@HOST:PORT/NAME") }
        self.url = url
        let place = (user.isEmpty ? "" : user + "@") + host + (port.isEmpty ? "" : ":" + port)
        shown = CleanText.line("postgres://\(place)/\(name)", limit: 200)
        secrets = ["password", "sslpassword"].compactMap(option).filter { !$0.isEmpty }
    }

    /// A text of libpq's or the server's as one line, whatever it quotes.
    func harmless(_ text: String) -> String {
        var text = text
        for secret in secrets { text = text.replacing(secret, with: "…") }
        return CleanText.line(text, limit: 300)
    }
}
