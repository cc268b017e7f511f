import Model
import Platform
import Threads

/// A server's connections to PostgreSQL: one to write, and few to read. Any thread.
///
/// A connection that is lost is replaced when it is next needed. While that cannot be, calls throw at once or, if
/// nothing answers, after 5 s.
final class PostgresConnections: Sendable {
    private struct State {
        var idle: [PostgresConnection] = []
        var taken = 0
    }

    /// The most connections.
    private let limit: Int
    private let address: PostgresAddress
    private let state = Monitor(State())

    /// The most attempts for a transaction that collides with another server's.
    private static let attempts = 8
    /// The longest pauses before it is; the shortest is a millisecond.
    private static let backoff = Backoff(from: .milliseconds(20), upTo: .milliseconds(160))

    init(_ address: PostgresAddress, limit: Int) {
        self.address = address
        self.limit = limit
    }

    /// Runs `body` with a connection; and again with a new one if it is lost, or after a moment if it collided with
    /// another server's work. What `body` has done may have been kept already when it runs again.
    func run<Value>(
        _ body: (PostgresConnection) throws(PostgresError) -> Value
    ) throws(ServiceError) -> Value {
        var isNew = false
        var attempt = 0
        while true {
            attempt += 1
            let kept = take()
            isNew = isNew || kept == nil
            var used = kept
            do throws(PostgresError) {
                let connection: PostgresConnection
                if let kept { connection = kept } else { connection = try PostgresSchema.connect(address) }
                used = connection
                let value = try body(connection)
                give(connection)
                return value
            } catch {
                switch error {
                case .lost(let why):
                    // The others were most likely lost with it.
                    give(nil, losesOthers: true)
                    // A new one that is lost, too, is no accident.
                    guard !isNew, attempt < Self.attempts else { throw ServiceError(why: why) }
                    isNew = true
                case .failed(_, let why):
                    // A connection that failed to begin is not kept.
                    give(used)
                    guard error.isCollision, attempt < Self.attempts else { throw ServiceError(why: why) }
                    // Two transactions that collided must not retry at the same moment. On a thread that may block.
                    usleep(.random(in: 1_000...UInt32(Self.backoff.pause(after: attempt - 1).microseconds)))
                }
            }
        }
    }

    /// An idle connection, or nil if a new one may be made. Waits while all are
    /// taken, for as long as a statement may take.
    private func take() -> PostgresConnection? {
        state.wait { state -> PostgresConnection?? in
            guard state.taken < limit else { return nil }
            state.taken += 1
            return .some(state.idle.popLast())
        } ?? nil
    }

    private func give(_ connection: PostgresConnection?, losesOthers: Bool = false) {
        // They are closed after the lock.
        let lost: [PostgresConnection] = state.change { state in
            state.taken -= 1
            defer { if let connection { state.idle.append(connection) } }
            guard losesOthers else { return [] }
            defer { state.idle = [] }
            return state.idle
        }
        _ = lost
    }
}

/// Brings a database of PostgreSQL to this version's form: the tables lie in a schema called "flick".
enum PostgresSchema {
    /// The lock by which servers that start at the same time wait for each other: "flick" in ASCII.
    private static let lock = 0x66_6C69_636B

    /// A connection to a database that has this version's form. Blocks.
    static func connect(_ address: PostgresAddress) throws(PostgresError) -> PostgresConnection {
        let connection = try PostgresConnection(address)
        let steps = ServiceSchema.steps(.postgres)
        // As a database may come back from a backup, or empty, each new connection looks.
        guard try level(connection) != steps.count else { return connection }
        try connection.inTransaction { () throws(PostgresError) in
            try connection.run("SELECT pg_advisory_xact_lock(\(lock))")
            // A user that may not create schemas may use an existing one.
            if try connection.run("SELECT FROM pg_namespace WHERE nspname = 'flick'").count == 0 {
                try connection.run("CREATE SCHEMA flick")
            }
            let level = try level(connection)
            guard level <= steps.count else { throw .failed(state: "", why: "written by a newer flick") }
            if level == 0 {
                try connection.run("CREATE TABLE IF NOT EXISTS step (number INTEGER PRIMARY KEY, name TEXT NOT NULL)")
            }
            for (number, step) in steps.enumerated().dropFirst(level) {
                try connection.run(step.statements)
                try connection.run("INSERT INTO step VALUES ($1, $2)", [String(number + 1), step.name])
            }
        }
        return connection
    }

    /// How many steps the database has taken.
    private static func level(_ connection: PostgresConnection) throws(PostgresError) -> Int {
        guard try connection.run("SELECT to_regclass('flick.step')").text(0, 0) != nil else { return 0 }
        return Int(try connection.run("SELECT coalesce(max(number), 0) FROM step").integer(0, 0))
    }
}
