/// The migration steps of a database, each of which runs once. A value.
///
/// Applied steps are recorded in the table that GRDB used, in its format, so that older files work.
package struct Migrations: Sendable {
    package struct Step: Sendable {
        package var name: String
        /// SQL, separated by ";".
        package var statements: String

        package init(name: String, statements: String) { (self.name, self.statements) = (name, statements) }
    }

    static let table = "grdb_migrations"

    private let steps: [Step]

    package init(_ steps: [Step]) { self.steps = steps }

    /// Whether a newer flick applied steps that this one does not know.
    package func areSuperseded(in database: Database) throws -> Bool {
        !(try Self.applied(in: database).subtracting(steps.map(\.name)).isEmpty)
    }

    package func areComplete(in database: Database) throws -> Bool {
        let applied = try Self.applied(in: database)
        return steps.allSatisfy { applied.contains($0.name) }
    }

    /// Applies the missing steps, each in its own transaction, as another process may be migrating too.
    ///
    /// - Parameter last: the name of the last step to apply; nil for all.
    package func run(on pool: DatabasePool, upTo last: String? = nil) throws {
        for step in steps {
            try pool.writeOutsideTransaction { database in
                // Else a step that makes a table again would delete the rows that refer to the old one
                // (https://www.sqlite.org/lang_altertable.html#otheralter). Has no effect within a transaction.
                try database.execute("PRAGMA foreign_keys = OFF")
                let result = Result { try database.transaction(writes: true) { try Self.apply(step, to: $0) } }
                try database.execute("PRAGMA foreign_keys = ON")
                try result.get()
            }
            if step.name == last { break }
        }
    }

    private static func apply(_ step: Step, to database: Database) throws {
        try database.execute("CREATE TABLE IF NOT EXISTS \(table) (identifier TEXT NOT NULL PRIMARY KEY)")
        guard try !applied(in: database).contains(step.name) else { return }
        try database.execute(step.statements)
        guard try !database.hasRow("PRAGMA foreign_key_check") else {
            throw DatabaseError(.corrupt, "rows refer to others that do not exist")
        }
        try database.execute("INSERT INTO \(table) VALUES (?)", [step.name])
    }

    private static func applied(in database: Database) throws -> Set<String> {
        guard try database.hasRow("SELECT 1 FROM sqlite_master WHERE type = 'table' AND name = ?", [table]) else {
            return []
        }
        return Set(try database.all("SELECT identifier FROM \(table)") { try $0[0] as String })
    }
}
