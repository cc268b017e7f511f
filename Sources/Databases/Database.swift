import CSQLite
import Platform

/// A connection to an SQLite database. Blocks. One thread at a time.
package final class Database {
    private let handle: OpaquePointer
    /// Idle prepared statements, by their SQL.
    private var statements: [String: OpaquePointer] = [:]
    /// At this many, all are dropped, as some statements run only once.
    private static let statementLimit = 64

    /// How a statement waits for another connection's lock.
    package enum Wait: Sendable {
        /// At most this long in total, in milliseconds.
        case upTo(Int32)
        /// Called before each retry, with the number of earlier calls for this
        /// lock. Sleeps, and returns whether to retry.
        case handler(@Sendable (Int) -> Bool)
    }

    /// How the file may be used.
    enum Mode {
        /// Creates a missing file.
        case create
        case readWrite
        case readOnly

        fileprivate var flags: Int32 {
            switch self {
            case .create: SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE
            case .readWrite: SQLITE_OPEN_READWRITE
            case .readOnly: SQLITE_OPEN_READONLY | SQLITE_OPEN_URI
            }
        }
    }

    private final class Handler {
        let retries: @Sendable (Int) -> Bool
        init(_ retries: @escaping @Sendable (Int) -> Bool) { self.retries = retries }
    }

    /// SQLite has an unretained pointer to it.
    private var handler: Handler?

    /// - Parameters:
    ///   - path: for `.readOnly` a URL, too (https://www.sqlite.org/uri.html).
    init(_ path: String, _ mode: Mode, wait: Wait) throws {
        var opened: OpaquePointer?
        let code = sqlite3_open_v2(path, &opened, mode.flags | SQLITE_OPEN_NOMUTEX, nil)
        guard code == SQLITE_OK, let opened else {
            // SQLite returns a handle even then, unless it is out of memory.
            let error = Self.error(code, opened)
            sqlite3_close_v2(opened)
            throw error
        }
        handle = opened
        sqlite3_extended_result_codes(handle, 1)
        flick_sqlite_refuse_quoted_texts(handle)
        switch wait {
        case .upTo(let milliseconds): sqlite3_busy_timeout(handle, milliseconds)
        case .handler(let retries):
            let handler = Handler(retries)
            self.handler = handler
            sqlite3_busy_handler(
                handle,
                { opaque, calls in
                    // `opaque` is the handler that is passed below; this connection owns it.
                    let handler = Unmanaged<Handler>.fromOpaque(opaque!).takeUnretainedValue()
                    return handler.retries(Int(calls)) ? 1 : 0
                }, Unmanaged.passUnretained(handler).toOpaque())
        }
    }

    deinit {
        dropStatements()
        sqlite3_close_v2(handle)
    }

    private func dropStatements() {
        for statement in statements.values { sqlite3_finalize(statement) }
        statements = [:]
    }

    /// Runs one statement, or without arguments any number. Rows are dropped.
    package func execute(_ sql: String, _ arguments: [any DatabaseValue] = []) throws {
        guard arguments.isEmpty else { return try forEachRow(sql, arguments) { _ in } }
        let code = sqlite3_exec(handle, sql, nil, nil, nil)
        guard code == SQLITE_OK else { throw Self.error(code, handle) }
    }

    /// Runs a statement and calls `body` with each row.
    package func forEachRow(
        _ sql: String, _ arguments: [any DatabaseValue] = [], _ body: (borrowing Row) throws -> Void
    ) throws {
        try withStatement(sql, arguments) { statement in
            while true {
                switch sqlite3_step(statement) {
                case SQLITE_ROW: try body(Row(statement))
                case SQLITE_DONE: return
                case let code: throw Self.error(code, handle)
                }
            }
        }
    }

    /// Returns what `body` returns for each row.
    package func all<Value>(
        _ sql: String, _ arguments: [any DatabaseValue] = [], _ body: (borrowing Row) throws -> Value
    ) throws -> [Value] {
        var values: [Value] = []
        try forEachRow(sql, arguments) { values.append(try body($0)) }
        return values
    }

    /// Returns what `body` returns for the first row; nil without one. The other rows are not computed.
    package func first<Value>(
        _ sql: String, _ arguments: [any DatabaseValue] = [], _ body: (borrowing Row) throws -> Value
    ) throws -> Value? {
        try withStatement(sql, arguments) { statement in
            switch sqlite3_step(statement) {
            case SQLITE_ROW: try body(Row(statement))
            case SQLITE_DONE: nil
            case let code: throw Self.error(code, handle)
            }
        }
    }

    /// The first column of the first row; nil without one.
    package func value<Value: DatabaseValue>(_ sql: String, _ arguments: [any DatabaseValue] = []) throws -> Value? {
        try first(sql, arguments) { try $0[0] }
    }

    /// Whether there is a first row.
    package func hasRow(_ sql: String, _ arguments: [any DatabaseValue] = []) throws -> Bool {
        try first(sql, arguments) { _ in true } ?? false
    }

    /// How many rows the last INSERT, UPDATE or DELETE changed, and how many all did since this connection was opened.
    package var changes: Int { Int(sqlite3_changes(handle)) }
    package var totalChanges: Int { Int(sqlite3_total_changes(handle)) }
    package var lastInsertedRow: Int64 { sqlite3_last_insert_rowid(handle) }

    /// Writes the log back into the file, and empties it (https://www.sqlite.org/wal.html).
    package func checkpoint() throws {
        let code = sqlite3_wal_checkpoint_v2(handle, nil, SQLITE_CHECKPOINT_TRUNCATE, nil, nil)
        guard code == SQLITE_OK else { throw Self.error(code, handle) }
    }

    /// Runs `body` in a transaction: if it throws, nothing changes.
    ///
    /// - Parameter writes: takes the write lock immediately; otherwise `body` reads one snapshot.
    func transaction<Value>(writes: Bool, _ body: (Database) throws -> Value) throws -> Value {
        // An earlier rollback failed.
        if sqlite3_get_autocommit(handle) == 0 { try execute("ROLLBACK") }
        try execute(writes ? "BEGIN IMMEDIATE" : "BEGIN DEFERRED")
        do {
            let value = try body(self)
            try execute("COMMIT")
            return value
        } catch {
            // Some errors end the transaction by themselves (https://www.sqlite.org/lang_transaction.html). If the
            // rollback fails, the next transaction repeats it and throws its error.
            if sqlite3_get_autocommit(handle) == 0 { sqlite3_exec(handle, "ROLLBACK", nil, nil, nil) }
            throw error
        }
    }

    private func withStatement<Value>(
        _ sql: String, _ arguments: [any DatabaseValue], _ body: (OpaquePointer) throws -> Value
    ) throws -> Value {
        // Out of the dictionary while in use: `body` may run the same text.
        let statement = try statements.removeValue(forKey: sql) ?? prepare(sql)
        defer {
            // Returns the error of the last step, which was reported.
            sqlite3_reset(statement)
            sqlite3_clear_bindings(statement)
            if statements.count >= Self.statementLimit { dropStatements() }
            if let other = statements.updateValue(statement, forKey: sql) { sqlite3_finalize(other) }
        }
        guard sqlite3_bind_parameter_count(statement) == arguments.count else {
            throw DatabaseError(.generic, "\(arguments.count) arguments for: \(sql)")
        }
        for (number, argument) in arguments.enumerated() {
            let code = argument.bind(to: statement, at: Int32(number + 1))
            guard code == SQLITE_OK else { throw Self.error(code, handle) }
        }
        return try body(statement)
    }

    private func prepare(_ sql: String) throws -> OpaquePointer {
        var statement: OpaquePointer?
        let hasMore = try sql.withCString { text in
            var rest: UnsafePointer<CChar>?
            let code = sqlite3_prepare_v3(handle, text, -1, UInt32(SQLITE_PREPARE_PERSISTENT), &statement, &rest)
            guard code == SQLITE_OK else { throw Self.error(code, handle) }
            while let next = rest, (0x09...0x0D).contains(next.pointee) || next.pointee == 0x20 { rest = next + 1 }
            return rest.map { $0.pointee != 0 } ?? false
        }
        guard let statement, !hasMore else {
            sqlite3_finalize(statement)
            throw DatabaseError(.generic, "expected a single SQL statement: \(sql)")
        }
        return statement
    }

    private static func error(_ code: Int32, _ handle: OpaquePointer?) -> DatabaseError {
        // The connection has the message of its last error, which is this one; without a connection, the code's.
        let message = handle.flatMap { sqlite3_errmsg($0) } ?? sqlite3_errstr(code)
        return DatabaseError(code: code, message.map { String(cString: $0) } ?? "SQLite error \(code)")
    }
}

/// An error of SQLite. A value. Its description is SQLite's message, one line.
package struct DatabaseError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The primary result codes that flick distinguishes (https://www.sqlite.org/rescode.html).
    package enum Kind: Hashable, Sendable {
        case full, readOnly, cannotOpen, noPermission, busy, locked, corrupt, notADatabase
        /// SQLITE_ERROR: above all, a table or column that does not exist.
        case generic
        /// A value in a row has another type than flick writes.
        case type
        case other(Int32)
    }

    package var kind: Kind
    package var description: String

    package init(_ kind: Kind, _ description: String) { (self.kind, self.description) = (kind, description) }

    /// - Parameter code: primary or extended.
    init(code: Int32, _ description: String) {
        let kind: Kind =
            switch code & 0xFF {
            case SQLITE_FULL: .full
            case SQLITE_READONLY: .readOnly
            case SQLITE_CANTOPEN: .cannotOpen
            case SQLITE_PERM: .noPermission
            case SQLITE_BUSY: .busy
            case SQLITE_LOCKED: .locked
            case SQLITE_CORRUPT: .corrupt
            case SQLITE_NOTADB: .notADatabase
            case SQLITE_ERROR: .generic
            default: .other(code)
            }
        self.init(kind, description)
    }
}
