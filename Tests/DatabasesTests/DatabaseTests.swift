import Foundation
import Platform
import Synchronization
import TestSupport
import Testing
import Threads

@testable import Databases

@Suite struct DatabaseTests {
    let folder = TemporaryFolder()

    private func pool(wait: Database.Wait = .upTo(0), readers: Int = 1) throws -> DatabasePool {
        try DatabasePool(folder.path + "/d.db", DatabasePool.Options(wait: wait, readers: readers))
    }

    @Test func valuesRoundTrip() throws {
        let pool = try pool()
        let (text, blob) = ("a\0b 🐟", [UInt8](0...255))
        try pool.write { (db) throws in
            try db.execute("CREATE TABLE t (a, b, c, d, e, f, g)")
            try db.execute(
                "INSERT INTO t VALUES (?, ?, ?, ?, ?, ?, ?)",
                [Int64.min, -0.5, text, blob, nil as String?, true, "" as String?])
            try db.execute("INSERT INTO t (c, d) VALUES (?, ?)", ["", [] as [UInt8]])
        }
        try pool.read { (db) throws in
            let found: Void? = try db.first("SELECT * FROM t") { (row) throws in
                #expect(try row["a"] == Int64.min)
                #expect(try row["b"] == -0.5)
                #expect(try row[2] == text)
                #expect(try row["d"] == blob)
                #expect(try row["e"] as Int? == nil)
                #expect(try row["f"] == true)
                #expect(try row["g"] as String? == "")
            }
            #expect(found != nil)
            // Empty is not NULL.
            #expect(try db.hasRow("SELECT 1 FROM t WHERE c = '' AND d = x''"))
            #expect(try db.all("SELECT rowid FROM t ORDER BY rowid") { try $0[0] as Int } == [1, 2])
        }
    }

    @Test(arguments: ["'12'", "x'31'", "NULL", "0.5", "1e300"])
    func typeMismatchThrows(literal: String) throws {
        try pool().read { (db) throws in
            let error = #expect(throws: DatabaseError.self) {
                try db.first("SELECT \(literal) AS n") { try $0["n"] as Int }
            }
            #expect(error?.kind == .type && error?.description.hasPrefix("column 'n' has type ") == true)
            let value = try db.first("SELECT \(literal) AS n") { $0.valid("n", as: Int.self) }
            #expect(value == .some(nil))
        }
    }

    @Test func missingColumnThrows() throws {
        try pool().read { (db) throws in
            let error = #expect(throws: DatabaseError.self) {
                try db.first("SELECT 1 AS a") { try $0["ab"] as Int }
            }
            #expect(error?.description == "no such column: ab")
            let value = try db.first("SELECT 1 AS ab") { $0.valid("a", as: Int.self) }
            #expect(value == .some(nil))
        }
    }

    @Test func wholeNumbersConvert() throws {
        try pool().read { (db) throws in
            #expect(try db.value("SELECT 7.0") == 7)
            #expect(try db.value("SELECT 7") == 7.0)
        }
    }

    @Test func throwingTransactionRollsBack() throws {
        struct Refused: Error {}
        let pool = try pool()
        try pool.write { try $0.execute("CREATE TABLE t (a UNIQUE); INSERT INTO t VALUES (1)") }
        #expect(throws: Refused.self) {
            try pool.write { (db) throws in
                try db.execute("INSERT INTO t VALUES (2)")
                throw Refused()
            }
        }
        let error = #expect(throws: DatabaseError.self) {
            try pool.write { (db) throws in
                try db.execute("INSERT INTO t VALUES (?)", [3])
                try db.execute("INSERT INTO t VALUES (?)", [1])
            }
        }
        #expect(error?.description == "UNIQUE constraint failed: t.a")
        #expect(try pool.read { try $0.value("SELECT count(*) FROM t") } == 1)
        // It can be written to again.
        try pool.write { try $0.execute("INSERT INTO t VALUES (4)") }
    }

    @Test func readerCannotWrite() throws {
        let pool = try pool()
        let error = #expect(throws: DatabaseError.self) { try pool.read { try $0.execute("CREATE TABLE t (a)") } }
        #expect(error?.kind == .readOnly)
    }

    @Test func sameStatementNests() throws {
        try pool().read { (db) throws in
            let numbers = "SELECT value FROM json_each('[1, 2, 3]')"
            var pairs: [String] = []
            try db.forEachRow(numbers) { (outer) throws in
                let one: Int = try outer[0]
                try db.forEachRow(numbers) { pairs.append("\(one)\(try $0[0] as Int)") }
            }
            #expect(pairs == ["11", "12", "13", "21", "22", "23", "31", "32", "33"])
        }
    }

    @Test(arguments: ["SELECT 1; SELECT ?", "", "-- nothing"]) func argumentsTakeASingleStatement(sql: String) throws {
        try pool().read { (db) throws in
            let error = #expect(throws: DatabaseError.self) { try db.execute(sql, [1]) }
            #expect(error?.description == "expected a single SQL statement: \(sql)")
        }
    }

    /// More statements than are kept.
    @Test func statementCacheOverflows() throws {
        try pool().read { (db) throws in
            for number in 0..<300 { #expect(try db.value("SELECT \(number) + ?", [1]) == number + 1) }
        }
    }

    @Test func readSeesOneSnapshot() throws {
        let pool = try pool(readers: 2)
        try pool.write { try $0.execute("CREATE TABLE t (a); INSERT INTO t VALUES (1)") }
        try pool.read { (db) throws in
            #expect(try db.value("SELECT count(*) FROM t") == 1)
            try pool.write { try $0.execute("INSERT INTO t VALUES (2)") }
            #expect(try db.value("SELECT count(*) FROM t") == 1)
            #expect(try pool.read { try $0.value("SELECT count(*) FROM t") } == 2)
        }
        #expect(try pool.read { try $0.value("SELECT count(*) FROM t") } == 2)
    }

    @Test func concurrentWritesAllApply() throws {
        // A reader that meets a half-written index of the log locks out the writer for a moment.
        let pool = try pool(wait: .upTo(60_000), readers: 2)
        try pool.write { try $0.execute("CREATE TABLE t (a); INSERT INTO t VALUES (0)") }
        let ended = Monitor(0)
        let failed = Mutex<[String]>([])
        for _ in 0..<8 {
            BlockingThread.start {
                do {
                    for _ in 0..<50 {
                        try pool.write { try $0.execute("UPDATE t SET a = a + 1") }
                        _ = try pool.read { try $0.value("SELECT a FROM t") as Int? }
                    }
                } catch {
                    failed.withLock { $0.append("\(error)") }
                }
                ended.change { $0 += 1 }
            }
        }
        try #require(ended.wait(upTo: .seconds(60)) { $0 == 8 ? true : nil } == true)
        #expect(failed.withLock { $0 } == [])
        #expect(try pool.read { try $0.value("SELECT a FROM t") } == 400)
    }

    @Test func lockIsReportedOrWaitedFor() throws {
        let pool = try pool()
        let patient = try DatabasePool(
            folder.path + "/d.db", DatabasePool.Options(wait: .handler { $0 < 3 }, readers: 1))
        try pool.write { (db) throws in
            try db.execute("CREATE TABLE t (a)")
            let error = #expect(throws: DatabaseError.self) { try patient.write { _ in } }
            #expect(error?.kind == .busy && error?.description == "database is locked")
        }
        try patient.write { try $0.execute("INSERT INTO t VALUES (1)") }
    }

    /// SQLite calls no handler when a connection that reads begins to write, as WAL mode requires.
    @Test func poolWaitsForAnotherConnectionThatEnablesTheLog() throws {
        let path = folder.path + "/d.db"
        let other = Mutex(try Database(path, .create, wait: .upTo(0)))
        try other.withLock { try $0.execute("CREATE TABLE t (a); BEGIN IMMEDIATE; INSERT INTO t VALUES (1)") }
        let error = #expect(throws: DatabaseError.self) { _ = try pool() }
        #expect(error?.kind == .busy)
        let tries = Mutex<[Int]>([])
        let wait = Database.Wait.handler { number in
            tries.withLock { $0.append(number) }
            // `try?`: an error ends the wait, and the pool throws.
            return number < 2 || other.withLock { (try? $0.execute("COMMIT")) != nil }
        }
        #expect(try pool(wait: wait).read { try $0.value("SELECT a FROM t") } == 1)
        #expect(tries.withLock { $0 } == [0, 1, 2])
    }

    @Test func manyPoolsOpenOneNewFileAtOnce() throws {
        for round in 0..<20 {
            let opened = Monitor<[String]>([])
            for _ in 0..<4 {
                BlockingThread.start {
                    let outcome: String
                    do {
                        let options = DatabasePool.Options(wait: .upTo(20_000), readers: 1)
                        let pool = try DatabasePool("\(folder.path)/\(round).db", options)
                        try pool.write { try $0.execute("CREATE TABLE IF NOT EXISTS t (a); INSERT INTO t VALUES (1)") }
                        outcome = "opened"
                    } catch {
                        outcome = "\(error)"
                    }
                    opened.change { $0.append(outcome) }
                }
            }
            let outcomes = opened.wait(upTo: .seconds(60)) { $0.count == 4 ? $0 : nil }
            #expect(outcomes == Array(repeating: "opened", count: 4))
        }
    }

    @Test func readerDoesNotCreateARemovedFile() throws {
        let pool = try pool()
        try pool.write { try $0.execute("CREATE TABLE t (a)") }
        for ending in ["", "-wal", "-shm"] { unlink(folder.path + "/d.db" + ending) }
        let error = #expect(throws: DatabaseError.self) { try pool.read { try $0.hasRow("SELECT 1 FROM t") } }
        #expect(error?.kind == .cannotOpen)
        #expect(access(folder.path + "/d.db", F_OK) != 0)
    }

    @Test func argumentsAreCounted() throws {
        try pool().read { (db) throws in
            #expect(throws: DatabaseError.self) { try db.hasRow("SELECT ?") }
            #expect(throws: DatabaseError.self) { try db.hasRow("SELECT ?", [1, 2]) }
            #expect(throws: DatabaseError.self) { try db.hasRow("SELECT \"text\"") }
            #expect(try db.hasRow("SELECT ?1, ?1;\n", [1]))
        }
    }

    @Test func closedPoolThrowsAndLeavesNoLog() throws {
        let pool = try pool()
        try pool.write { try $0.execute("CREATE TABLE t (a)") }
        try pool.read { (db) throws in
            pool.close()
            // What is in use is closed when it is not.
            #expect(try db.value("SELECT count(*) FROM t") == 0)
        }
        #expect(throws: DatabaseError.self) { try pool.read { _ in } }
        #expect(throws: DatabaseError.self) { try pool.write { _ in } }
        #expect(access(folder.path + "/d.db-wal", F_OK) != 0 && access(folder.path + "/d.db-shm", F_OK) != 0)
    }

    @Test func migrationsRunOnceInOrder() throws {
        let steps = [
            Migrations.Step(name: "1", statements: "CREATE TABLE t (a); INSERT INTO t VALUES (1)"),
            Migrations.Step(name: "2", statements: "INSERT INTO t SELECT a + 1 FROM t"),
        ]
        let (pool, first, both) = (try pool(), Migrations([steps[0]]), Migrations(steps))
        #expect(try !pool.read(both.areComplete))
        try both.run(on: pool, upTo: "1")
        #expect(try pool.read(first.areComplete) && !pool.read(both.areComplete))
        try both.run(on: pool)
        try both.run(on: pool)
        #expect(try pool.read { try $0.all("SELECT a FROM t ORDER BY a") { try $0[0] as Int } } == [1, 2])
        #expect(try pool.read(both.areComplete) && !pool.read(both.areSuperseded))
        #expect(try pool.read(first.areSuperseded))
    }

    /// Rows that refer to the old table stay.
    @Test func aStepCanReplaceATable() throws {
        let pool = try pool()
        let steps = Migrations([
            Migrations.Step(
                name: "1",
                statements: """
                    CREATE TABLE a (n INTEGER PRIMARY KEY); CREATE TABLE b (a REFERENCES a ON DELETE CASCADE);
                    INSERT INTO a VALUES (1); INSERT INTO b VALUES (1)
                    """),
            Migrations.Step(
                name: "2",
                statements: """
                    CREATE TABLE c (n INTEGER PRIMARY KEY); INSERT INTO c SELECT n FROM a; DROP TABLE a;
                    ALTER TABLE c RENAME TO a
                    """),
        ])
        try steps.run(on: pool)
        #expect(try pool.read { try $0.value("SELECT count(*) FROM b JOIN a ON a.n = b.a") } == 1)
        #expect(throws: DatabaseError.self) { try pool.write { try $0.execute("INSERT INTO b VALUES (2)") } }
    }

    @Test func failedMigrationRollsBack() throws {
        let pool = try pool()
        let wrong = Migrations([Migrations.Step(name: "1", statements: "CREATE TABLE t (a); CREATE TABLE t (a)")])
        #expect(throws: DatabaseError.self) { try wrong.run(on: pool) }
        #expect(try pool.read { try !$0.hasRow("SELECT 1 FROM sqlite_master WHERE name = 't'") })
    }

    /// The file and its journal are copied within a transaction: that is what a killed program leaves.
    @Test(arguments: [(DatabaseKind.library, true), (.service, false)])
    func aTransactionOfAKilledProgramIsUndone(kind: DatabaseKind, isOwned: Bool) throws {
        let (whole, left) = (folder.path + "/whole.db", folder.path + "/left.db")
        let database = try Database(whole, .create, wait: .upTo(0))
        try database.execute("PRAGMA cache_size = 1; PRAGMA application_id = \(DatabaseKind.library.rawValue)")
        try database.execute("CREATE TABLE t (a); INSERT INTO t VALUES (1)")
        try database.transaction(writes: true) { database in
            // More pages than are kept in memory.
            try database.execute("CREATE TABLE half (a)")
            for _ in 0..<100 { try database.execute("INSERT INTO t VALUES (zeroblob(1000))") }
            for ending in ["", "-journal"] {
                try FileManager.default.copyItem(atPath: whole + ending, toPath: left + ending)
            }
        }
        #expect(try kind.mayWrite(left, wait: .upTo(0)) == isOwned)
        let undone = try Database(left, .readOnly, wait: .upTo(0))
        #expect(try undone.value("SELECT count(*) FROM t") == 1)
        #expect(try !undone.hasRow("SELECT 1 FROM sqlite_master WHERE name = 'half'"))
    }
}
