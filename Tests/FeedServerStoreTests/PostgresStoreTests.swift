import Foundation
import TestSupport
import Testing

@testable import FeedServer

/// Behavior of a remote database that several servers share.
@Suite struct PostgresStoreTests {
    private let cluster: PostgresCluster
    private let name = "test-\(UUID().uuidString)"

    init() throws { cluster = try PostgresCluster.shared.get() }

    private func store() throws -> PostgresStore { try PostgresStore(PostgresAddress(try cluster.address(of: name))) }

    private func view(_ id: String, item: String = "i") -> ServiceWrite {
        .event(
            ServiceEvent(
                kind: .view, id: id, item: item, viewer: "v", session: "s", at: 1, received: 2, isClockOff: false,
                detail: "{}"))
    }

    private func comment(_ event: String) -> ServiceWrite {
        .comment(Remark(item: "i", viewer: "v", name: nil, text: "t", at: 5, isClockOff: false), event: event)
    }

    @Test func concurrentServersCreateTheTablesOnce() async throws {
        let url = try cluster.address(of: name)
        try await withThrowingTaskGroup(of: Tally.self) { group in
            for _ in 0..<6 {
                group.addTask { try await onThread { try PostgresStore(PostgresAddress(url)).total() } }
            }
            for try await total in group { #expect(total == Tally()) }
        }
        #expect(try cluster.query("SELECT number FROM flick.step", in: name) == ["1", "2"])
    }

    /// All stores apply all writes at the same time, each in another order, `count` at once.
    static func apply(_ writes: [ServiceWrite], to stores: [any ServiceStore], atOnce count: Int) async throws {
        try await withThrowingTaskGroup(of: Void.self) { group in
            for (place, store) in stores.enumerated() {
                var order = SeededRandom(state: UInt64(place))
                let own = writes.shuffled(using: &order)
                group.addTask {
                    try await onThread {
                        for start in stride(from: 0, to: own.count, by: count) {
                            _ = try store.apply(Array(own[start..<min(start + count, own.count)]))
                        }
                    }
                }
            }
            try await group.waitForAll()
        }
    }

    /// Servers that write the same things at the same time, in another order each: what counts is what an independent
    /// reckoning says.
    @Test func serversThatWriteTheSameCountItOnce() async throws {
        let stores = try (0..<3).map { _ in try store() }
        var random = SeededRandom(state: 11)
        var writes: [ServiceWrite] = []
        var truth: [String: (isOn: Bool, at: Double)] = [:]
        for number in 0..<600 {
            let (item, viewer) = ("item \(number % 7)", "viewer \(Int.random(in: 0..<5, using: &random))")
            writes.append(view("view \(number / 2)", item: "item \(number / 2 % 7)"))
            writes.append(comment("comment \(number / 3)"))
            let reaction = ServiceReaction.allCases.randomElement(using: &random)!
            let isOn = Bool.random(using: &random)
            writes.append(.reaction(reaction, item: item, viewer: viewer, isOn: isOn, at: Double(number)))
            truth["\(item)|\(viewer)|\(reaction)"] = (isOn, Double(number))
            if isOn, let opposite = reaction.opposite {
                truth["\(item)|\(viewer)|\(opposite)"] = (false, Double(number))
            }
            writes.append(.follow(creator: "c\(number % 3)", viewer: viewer, isOn: isOn, at: Double(number)))
        }
        try await Self.apply(writes, to: stores, atOnce: 40)
        let on = truth.filter(\.value.isOn).keys
        func count(_ kind: String) -> Int { on.count { $0.hasSuffix("|" + kind) } }
        #expect(
            try stores[0].total()
                == Tally(
                    likes: count("like"), dislikes: count("dislike"), saves: count("save"), comments: 200, views: 300))
        let rows = try cluster.query(
            "SELECT item || '|' || viewer || '|' || kind FROM flick.reaction WHERE is_on = 1", in: name)
        #expect(Set(rows) == Set(on))
        #expect(try cluster.query("SELECT count(*) FROM flick.event", in: name) == ["300"])
    }

    /// As if another server's transaction had collided with this one: a
    /// sequence counts on when a transaction is rolled back.
    @Test(arguments: [(2, true), (100, false)])
    func aTransactionThatCollidesIsTriedAgain(collisions: Int, succeeds: Bool) throws {
        let store = try store()
        try cluster.query(
            """
            CREATE SEQUENCE tries;
            CREATE FUNCTION collide() RETURNS trigger LANGUAGE plpgsql AS $$
            DECLARE number bigint := nextval('flick.tries');
            BEGIN
                IF number > \(collisions) THEN RETURN NEW; END IF;
                RAISE EXCEPTION 'they collide' USING ERRCODE = CASE number % 2 WHEN 0 THEN '40001' ELSE '40P01' END;
            END $$;
            CREATE TRIGGER collide BEFORE INSERT ON flick.comment FOR EACH ROW EXECUTE FUNCTION collide();
            """, in: name)
        if succeeds {
            #expect(try store.apply([view("a"), comment("c")])[0] == .done)
            #expect(try store.total() == Tally(comments: 1, views: 1))
        } else {
            let error = #expect(throws: ServiceError.self) { try store.apply([view("a"), comment("c")]) }
            #expect(error?.why.contains("they collide") == true)
            #expect(try store.total() == Tally())
        }
    }

    @Test func aConnectionThatIsLostIsReplaced() throws {
        let store = try store()
        #expect(try store.apply([view("a")]) == [.done])
        _ = try store.total()
        try cluster.query(
            "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = 'flick serve' AND datname = '\(name)'",
            in: name)
        #expect(try store.apply([view("a"), view("b")]) == [.repeated, .done])
        #expect(try store.total() == Tally(views: 2))
    }

    /// The commit is done, but its answer is lost: it is repeated, and counts once.
    @Test func commitWithoutAnAnswerIsRepeatedAndCountsOnce() throws {
        let relay = try CuttingRelay(to: cluster.port)
        let store = try PostgresStore(PostgresAddress(try cluster.address(of: name, overTCP: relay.port)))
        // The whole word: "READ COMMITTED" comes earlier.
        relay.cutAnswer(to: "COMMIT\0")
        let like = ServiceWrite.reaction(.like, item: "i", viewer: "v", isOn: true, at: 3)
        let outcomes = try store.apply([view("a"), comment("c"), like])
        #expect(relay.cuts == 1)
        #expect(outcomes[0] == .repeated && outcomes[2] == .done)
        guard case .comment(let stored, isNew: false) = outcomes[1] else {
            Issue.record("it was kept twice, or not at all: \(outcomes)")
            return
        }
        #expect(try store.comments(of: "i", before: nil, limit: 9).threads.map(\.comment) == [stored])
        #expect(try store.total() == Tally(likes: 1, comments: 1, views: 1))
    }

    @Test func anEmptiedDatabaseGetsItsTablesAgain() throws {
        let store = try store()
        _ = try store.apply([view("a")])
        try cluster.query("DROP SCHEMA flick CASCADE", in: name)
        #expect(throws: ServiceError.self) { try store.apply([view("a")]) }
        try cluster.query(
            "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = 'flick serve' AND datname = '\(name)'",
            in: name)
        #expect(try store.apply([view("a")]) == [.done])
    }

    @Test func newerSchemaIsRejected() throws {
        _ = try store()
        try cluster.query("INSERT INTO flick.step VALUES (3, 'of tomorrow')", in: name)
        #expect(throws: ServiceError(why: "written by a newer flick")) { try store() }
    }

    @Test func anotherEncodingIsRefused() throws {
        let url = try cluster.address(of: name, encoding: "SQL_ASCII")
        #expect(throws: ServiceError(why: "its encoding is SQL_ASCII, not UTF8")) {
            try PostgresStore(PostgresAddress(url))
        }
    }

    @Test func passwordsAreNowhere() throws {
        let right = try cluster.address(of: name, overTCP: cluster.port)
        #expect(try PostgresStore(PostgresAddress(right)).total() == Tally())
        #expect(try PostgresAddress(right).shown == "postgres://flick@127.0.0.1:\(cluster.port)/\(name)")
        let secret = "gar geheim"
        func why(_ url: String) -> String {
            do {
                _ = try ServiceDatabase.postgres(url).open()
                return "it is open"
            } catch {
                return "\(error)"
            }
        }
        let wrong = why(try cluster.address(of: name, overTCP: cluster.port, password: secret))
        #expect(wrong.hasPrefix("cannot use the database 'postgres://flick@127.0.0.1:\(cluster.port)/\(name)': "))
        #expect(wrong.contains("password authentication failed") && !wrong.contains(secret), "\(wrong)")
        // libpq's message quotes these.
        for malformed in [
            "postgres://u:geheim%zz@127.0.0.1/x", "postgres://u:geheim@127.0.0.1/x?nonsense=geheim",
            "postgres://u:geheim@127.0.0.1/x?geheim", "postgres://[u:geheim",
        ] {
            #expect(
                why(malformed)
                    == "cannot use the database 'postgres://…': not an address of the form postgres://USER@HOST:PORT/NAME; check that it runs and accepts flick, or choose another with --database"
            )
        }
        #expect(try PostgresAddress("postgres://u:geheim@h/x").harmless("it is\n\"geheim\"") == "it is \"…\"")
    }

    @Test func addressesDecideTheDatabase() {
        #expect(ServiceDatabase("sqlite:/a/b") == .file("/a/b"))
        #expect(ServiceDatabase("postgres://h/n") == .postgres("postgres://h/n"))
        #expect(ServiceDatabase("postgresql://h/n") == .postgres("postgresql://h/n"))
        for wrong in ["", "sqlite:", "postgres:h", "mysql://h/n", "/a/b"] { #expect(ServiceDatabase(wrong) == nil) }
    }
}
