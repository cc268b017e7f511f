import Model

/// Where a feed service keeps what viewers did. A value.
public enum ServiceDatabase: Sendable, Equatable {
    /// A file of SQLite.
    case file(String)
    /// The address of a database of PostgreSQL, perhaps with its password.
    case postgres(String)

    /// Reads "sqlite:FILE" or "postgres://…"; nil for anything else.
    public init?(_ text: String) {
        if text.hasPrefix("sqlite:"), text.utf8.count > 7 {
            let path = FileURL.absolute(Array(text.utf8.dropFirst(7)))
            self = .file(String(decoding: path, as: UTF8.self))
        } else if text.hasPrefix("postgres://") || text.hasPrefix("postgresql://") {
            self = .postgres(text)
        } else {
            return nil
        }
    }

    /// Opens it, and brings it to this version's form. Throws `ServerError`. Blocks.
    func open() throws -> any ServiceStore {
        switch self {
        case .file(let path):
            do throws(ServiceError) { return try SQLiteStore(path: path) } catch {
                throw ServerError(
                    "cannot use the database '\(path)': \(error); choose another file with --database sqlite:FILE")
            }
        case .postgres(let url):
            var shown = "postgres://…"
            do throws(ServiceError) {
                let address = try PostgresAddress(url)
                shown = address.shown
                return try PostgresStore(address)
            } catch {
                throw ServerError(
                    "cannot use the database '\(shown)': \(error); check that it runs and accepts flick, or choose another with --database"
                )
            }
        }
    }
}
