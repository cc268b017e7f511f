/// The steps that bring a database to this version, each of which is taken once. A value.
///
/// The names of those that were taken are in a table of the database, which has the name and form that GRDB gave it in
/// flick 1.0's predecessors.
package struct Migrations: Sendable {
    package struct Step: Sendable {
        package var name: String
        /// SQL.
        package var statements: String

        package init(name: String, statements: String) { (self.name, self.statements) = (name, statements) }
    }

    static let table = "grdb_migrations"

    private let steps: [Step]

    package init(_ steps: [Step]) { self.steps = steps }

    /// Whether a newer flick has taken steps that this one does not know.
    package func areSuperseded(in database: Database) throws -> Bool {
        !(try Self.taken(in: database).subtracting(steps.map(\.name)).isEmpty)
    }

    package func areComplete(in database: Database) throws -> Bool {
        let taken = try Self.taken(in: database)
        return steps.allSatisfy { taken.contains($0.name) }
    }

    /// Takes the missing steps, each in a transaction, as another process may be at it too.
    ///
    /// - Parameter last: the name of the last one to take; nil for all.
    package func run(on pool: DatabasePool, upTo last: String? = nil) throws {
        for step in steps {
            try pool.write { database in
                try database.execute(
                    "CREATE TABLE IF NOT EXISTS \(Self.table) (identifier TEXT NOT NULL PRIMARY KEY)")
                guard try !Self.taken(in: database).contains(step.name) else { return }
                try database.execute(step.statements)
                try database.execute("INSERT INTO \(Self.table) VALUES (?)", [step.name])
            }
            if step.name == last { break }
        }
    }

    private static func taken(in database: Database) throws -> Set<String> {
        guard try database.hasRow("SELECT 1 FROM sqlite_master WHERE type = 'table' AND name = ?", [table]) else {
            return []
        }
        return Set(try database.all("SELECT identifier FROM \(table)") { try $0[0] as String })
    }
}
