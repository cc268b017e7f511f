internal import CPostgres
import Model
import Platform

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

/// Why a statement failed. A value.
enum PostgresError: Error {
    /// The connection is unusable. The effect of a commit without an answer is unknown.
    case lost(String)
    /// - Parameter state: the error's code (PostgreSQL, appendix A).
    case failed(state: String, why: String)

    /// Whether the same transaction may succeed if it is tried again: serialisation_failure, deadlock_detected.
    var isCollision: Bool {
        if case .failed(let state, _) = self { return state == "40001" || state == "40P01" }
        return false
    }
}

// @unchecked: only the code that has taken it from `PostgresConnections` calls it.
// @unchecked: only who has taken it from `PostgresConnections` calls it.
final class PostgresConnection: @unchecked Sendable {
    /// The longest wait for an answer, in milliseconds. The server's own limit is a little shorter.
    private static let limit: Int32 = 10_000

    private let handle: OpaquePointer
    private let address: PostgresAddress
    /// The statements that are prepared, and their names.
    private var prepared: [String: String] = [:]

    /// Connects.
    init(_ address: PostgresAddress) throws(PostgresError) {
        guard let handle = flick_postgres_open(address.url, "flick serve") else { throw .lost("out of memory") }
        guard flick_postgres_is_open(handle) != 0 else {
            let why = address.harmless(String(cString: flick_postgres_error(handle)))
            flick_postgres_close(handle)
            throw .lost(why)
        }
        self.handle = handle
        self.address = address
        guard parameter("server_encoding") == "UTF8" else {
            throw .failed(state: "", why: "its encoding is \(parameter("server_encoding") ?? "unknown"), not UTF8")
        }
        try run(
            """
            SET search_path = flick; SET extra_float_digits = 3; SET statement_timeout = '8s';
            SET idle_in_transaction_session_timeout = '20s';
            SELECT set_config('synchronous_commit', 'on', false) WHERE current_setting('synchronous_commit') = 'off';
            """)
    }

    deinit { flick_postgres_close(handle) }

    private func parameter(_ name: String) -> String? {
        flick_postgres_parameter(handle, name).map { String(cString: $0) }
    }

    /// Runs statements without parameters.
    @discardableResult
    func run(_ statements: String) throws(PostgresError) -> PostgresRows {
        try rows(flick_postgres_run(handle, statements, Self.limit))
    }

    /// Runs one statement, which is prepared the first time. `nil` is NULL.
    @discardableResult
    func run(_ statement: String, _ values: [String?]) throws(PostgresError) -> PostgresRows {
        let name: String
        if let known = prepared[statement] {
            name = known
        } else {
            name = "s\(prepared.count)"
            try rows(flick_postgres_prepare(handle, name, statement, Self.limit))
            prepared[statement] = name
        }
        let texts = values.map { $0.map { strdup($0) } ?? nil }
        defer { for text in texts { free(text) } }
        let result = texts.map { UnsafePointer($0) }.withUnsafeBufferPointer {
            flick_postgres_execute(handle, name, Int32(values.count), $0.baseAddress, Self.limit)
        }
        return try rows(result)
    }

    @discardableResult
    private func rows(_ result: OpaquePointer?) throws(PostgresError) -> PostgresRows {
        guard let result else {
            let why = address.harmless(String(cString: flick_postgres_error(handle)))
            throw .lost(why.isEmpty ? "no response" : why)
        }
        let rows = PostgresRows(result)
        guard flick_postgres_succeeded(result) != 0 else {
            let state = flick_postgres_state(result).map { String(cString: $0) } ?? ""
            let why = address.harmless(String(cString: flick_postgres_message(result)))
            // Class 57: the server ends or has just begun. 25006: it may only
            // be read from, as another one is the first now.
            if state.hasPrefix("57P") || state == "25006" { throw .lost(why) }
            throw .failed(state: state, why: why)
        }
        return rows
    }

    /// Runs `body` in a transaction.
    func inTransaction<Value>(_ body: () throws(PostgresError) -> Value) throws(PostgresError) -> Value {
        // Whatever the database is set to: rows are locked before they are read.
        try run("BEGIN ISOLATION LEVEL READ COMMITTED READ WRITE")
        do throws(PostgresError) {
            let value = try body()
            try run("COMMIT")
            return value
        } catch {
            if case .failed = error { try run("ROLLBACK") }
            throw error
        }
    }
}

/// The result of a statement. One thread at a time.
final class PostgresRows {
    private let result: OpaquePointer
    let count: Int

    fileprivate init(_ result: OpaquePointer) {
        self.result = result
        count = Int(flick_postgres_rows(result))
    }

    deinit { flick_postgres_clear(result) }

    func text(_ row: Int, _ column: Int) -> String? {
        flick_postgres_value(result, Int32(row), Int32(column)).map { String(cString: $0) }
    }

    /// A value that the schema declares as NOT NULL.
    func required(_ row: Int, _ column: Int) -> String { text(row, column) ?? "" }
    func integer(_ row: Int, _ column: Int) -> Int64 { text(row, column).flatMap { Int64($0) } ?? 0 }
    func number(_ row: Int, _ column: Int) -> Double { text(row, column).flatMap { Double($0) } ?? 0 }
}

/// Lists as parameters: arrays as PostgreSQL writes them (8.15.2). Pure.
enum PostgresArray {
    static func text(_ values: some Sequence<String?>) -> String {
        var text = "{"
        for value in values {
            if text.utf8.count > 1 { text += "," }
            guard let value else {
                text += "NULL"
                continue
            }
            text += "\""
            for scalar in value.unicodeScalars {
                if scalar == "\"" || scalar == "\\" { text.unicodeScalars.append("\\") }
                text.unicodeScalars.append(scalar)
            }
            text += "\""
        }
        return text + "}"
    }

    static func text(_ values: some Sequence<Int>) -> String {
        "{" + values.map(String.init).joined(separator: ",") + "}"
    }
    static func text(_ values: some Sequence<Double>) -> String {
        "{" + values.map { "\($0)" }.joined(separator: ",") + "}"
    }
}
