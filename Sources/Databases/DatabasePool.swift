import Threads

/// Connections to one file in WAL mode (https://www.sqlite.org/wal.html): one that writes, and
/// some that read meanwhile. Other processes may do the same. Blocks. Any thread, but not from
/// within one of its calls: that waits for itself, forever.
package final class DatabasePool: Sendable {
    /// A value.
    package struct Options: Sendable {
        let wait: Database.Wait
        /// In WAL mode a reader only waits where another process recovers the log, is the last to close the file, or
        /// has locked out all others.
        let readerWait: Database.Wait
        /// How many threads can read at a time; others wait.
        let readers: Int
        /// SQL that is run on each new connection.
        let setup: String

        /// - Parameter readerWait: unless stated, as long as GRDB's readers waited.
        package init(
            wait: Database.Wait, readerWait: Database.Wait = .upTo(10_000), readers: Int, setup: String = ""
        ) {
            (self.wait, self.readerWait, self.readers, self.setup) = (wait, readerWait, readers, setup)
        }
    }

    private struct State {
        /// nil while it is in use, and when the pool is closed.
        var writer: Database?
        var idleReaders: [Database] = []
        var readers = 0
        var isClosed = false
    }

    private let path: String
    private let options: Options
    private let state: Monitor<State>

    /// Opens or creates the file, and enables WAL mode. Waits for other connections, as `options.wait` says.
    package init(_ path: String, _ options: Options) throws {
        (self.path, self.options) = (path, options)
        let writer = try Self.connect(path, .create, options.wait, options.setup)
        guard try Self.enableLog(writer) == "wal" else { throw DatabaseError(.readOnly, "WAL mode cannot be enabled") }
        // A power failure may lose the last transactions, but damages nothing.
        try writer.execute("PRAGMA synchronous = NORMAL")
        state = Monitor(State(writer: writer))
    }

    /// Returns the journal mode.
    private static func enableLog(_ writer: Database) throws -> String? {
        while true {
            do {
                return try writer.value("PRAGMA journal_mode = WAL")
            } catch let error as DatabaseError where error.kind == .busy {
                // SQLite does not wait here: of two connections that turn a shared lock into a greater one, each would
                // wait for the other (https://www.sqlite.org/c3ref/busy_handler.html). It waits for a transaction, and
                // throws at the limit.
                try writer.execute("BEGIN EXCLUSIVE; ROLLBACK")
            }
        }
    }

    private static func connect(
        _ path: String, _ mode: Database.Mode, _ wait: Database.Wait, _ setup: String
    ) throws -> Database {
        let database = try Database(path, mode, wait: wait)
        try database.execute("PRAGMA foreign_keys = ON")
        try database.execute(setup)
        return database
    }

    /// Runs `body` in a transaction that reads one snapshot.
    package func read<Value>(_ body: (Database) throws -> Value) throws -> Value {
        // New connections are opened outside the lock, because that blocks.
        let idle: Database? =
            try state.wait { state -> Database?? in
                if state.isClosed { throw Self.closed }
                if let reader = state.idleReaders.popLast() { return .some(reader) }
                guard state.readers < options.readers else { return nil }
                state.readers += 1
                return .some(nil)
            } ?? nil
        var reader = idle
        defer {
            state.change { state in
                if let reader, !state.isClosed { state.idleReaders.append(reader) } else { state.readers -= 1 }
            }
        }
        if reader == nil {
            // Does not create: a file that was removed would come back empty, and readable for others.
            let new = try Self.connect(path, .readWrite, options.readerWait, options.setup)
            try new.execute("PRAGMA query_only = ON")
            reader = new
        }
        guard let reader else { throw Self.closed }
        return try reader.transaction(writes: false, body)
    }

    /// Runs `body` in a transaction that excludes other writers, in this
    /// process and in others. If it throws, nothing changes.
    package func write<Value>(_ body: (Database) throws -> Value) throws -> Value {
        try writeOutsideTransaction { try $0.transaction(writes: true, body) }
    }

    /// Runs `body` with the connection that writes.
    package func writeOutsideTransaction<Value>(_ body: (Database) throws -> Value) throws -> Value {
        let writer: Database =
            try state.wait { state in
                if state.isClosed { throw Self.closed }
                defer { state.writer = nil }
                return state.writer
            } ?? { throw Self.closed }()
        defer { state.change { if !$0.isClosed { $0.writer = writer } } }
        return try body(writer)
    }

    /// Closes idle connections, and the others when they are returned. After that, all calls throw.
    package func close() {
        // Closed outside the lock, because closing the last connection writes the log back.
        let idle = state.change { state in
            defer { (state.writer, state.idleReaders, state.isClosed) = (nil, [], true) }
            return (state.writer, state.idleReaders)
        }
        withExtendedLifetime(idle) {}
    }

    private static var closed: DatabaseError { DatabaseError(.other(0), "the database is closed") }
}
