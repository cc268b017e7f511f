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
