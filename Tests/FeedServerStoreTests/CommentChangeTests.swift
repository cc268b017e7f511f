import Foundation
import Model
import TestSupport
import Testing

@testable import FeedServer

extension ServiceStore {
    /// As a viewer reads them who likes none.
    func comments(of item: String, before: Int64?, limit: Int) throws(ServiceError) -> StoredComments {
        try comments(of: item, before: before, limit: limit, viewer: "")
    }
}

/// What viewers do with comments, and deleted items: the contract of every kind of store.
@Suite struct CommentChangeTests {
    private let folder = TemporaryFolder()
    private let name = "test-\(UUID().uuidString)"

    private func store(_ kind: ServiceStoreTests.Kind) throws -> any ServiceStore {
        switch kind {
        case .sqlite: try SQLiteStore(path: folder.path + "/serve.db")
        case .postgres: try PostgresStore(PostgresAddress(PostgresCluster.shared.get().address(of: name)))
        }
    }

    private func add(
        _ event: String, by viewer: String = "author", parent: Int64? = nil, to store: any ServiceStore
    ) throws -> Int64 {
        let remark = Remark(
            item: "i", viewer: viewer, name: "N", text: "text of \(event)", at: 5, isClockOff: false, parent: parent)
        guard case .comment(let comment, _)? = try store.apply([.comment(remark, event: event)]).first else {
            throw ServiceError(why: "it was not added")
        }
        return comment.number
    }

    private func change(
        _ comment: Int64, _ act: CommentAct, by viewer: String = "author", at: Double = 10,
        _ more: (inout CommentChange) -> Void = { _ in }
    ) -> ServiceWrite {
        var change = CommentChange(comment: comment, item: "i", viewer: viewer, act: act, at: at, received: at)
        more(&change)
        return .change(change)
    }

    @Test(arguments: ServiceStoreTests.Kind.allCases)
    func authorDeletesAndRestoresAComment(kind: ServiceStoreTests.Kind) throws {
        let store = try store(kind)
        let (first, second) = (try add("a", to: store), try add("b", to: store))
        #expect(try store.apply([change(first, .delete(true)), change(first, .delete(true))]) == [.done, .repeated])
        var page = try store.comments(of: "i", before: nil, limit: 9)
        #expect(page.threads.map(\.comment.number) == [second] && page.total == 1)
        #expect(try store.tallies(of: ["i"])["i"]?.comments == 1)
        #expect(try store.apply([change(first, .delete(false))]) == [.done])
        #expect(try store.apply([change(first, .delete(false))]) == [.repeated])
        page = try store.comments(of: "i", before: nil, limit: 9)
        #expect(page.threads.map(\.comment.remark.text) == ["text of b", "text of a"] && page.total == 2)
    }

    @Test(arguments: ServiceStoreTests.Kind.allCases)
    func othersCannotDeleteAComment(kind: ServiceStoreTests.Kind) throws {
        let store = try store(kind)
        let comment = try add("a", to: store)
        #expect(
            try store.apply([
                change(comment, .delete(true), by: "other"),
                change(comment, .delete(true)) { $0.isByAddress = true },
                change(comment, .delete(true)) { $0.item = "j" }, change(999, .delete(true)),
            ]) == [.refused(.notOwn), .refused(.notOwn), .refused(.unknown), .refused(.unknown)])
        #expect(try store.total().comments == 1)
        // The author cannot bring back what the operator has deleted.
        #expect(try store.apply([change(comment, .delete(true), by: "op") { $0.isOperator = true }]) == [.done])
        #expect(try store.apply([change(comment, .delete(false))]) == [.refused(.notOwn)])
        #expect(try store.apply([change(comment, .delete(false), by: "op") { $0.isOperator = true }]) == [.done])
    }

    @Test(arguments: ServiceStoreTests.Kind.allCases)
    func operatorsDeletionOfADeletedCommentSticks(kind: ServiceStoreTests.Kind) throws {
        let store = try store(kind)
        let comment = try add("a", to: store)
        #expect(
            try store.apply([
                change(comment, .delete(true)), change(comment, .delete(true), by: "op") { $0.isOperator = true },
                change(comment, .delete(true)), change(comment, .delete(false)),
            ]) == [.done, .repeated, .repeated, .refused(.notOwn)])
        #expect(try store.total().comments == 0)
        #expect(try store.apply([change(comment, .delete(false), by: "op") { $0.isOperator = true }]) == [.done])
        #expect(try store.total().comments == 1)
    }

    @Test(arguments: ServiceStoreTests.Kind.allCases)
    func deletedCommentIsErasedAfterAnHour(kind: ServiceStoreTests.Kind) throws {
        let store = try store(kind)
        let comment = try add("a", to: store)
        let reply = try add("b", by: "other", parent: comment, to: store)
        _ = try store.apply([change(comment, .delete(true), at: 100)])
        // While it has replies it keeps its place.
        let thread = try #require(try store.comments(of: "i", before: nil, limit: 9).threads.first)
        #expect(thread.comment.isDeleted && thread.replies.map(\.number) == [reply])
        #expect(try store.apply([change(comment, .delete(false), at: 3_701)]) == [.refused(.tooLate)])
        let page = try store.comments(of: "i", before: nil, limit: 9)
        #expect(page.threads.first?.comment.remark.text == "" && page.threads.first?.comment.remark.name == nil)
        _ = try store.apply([change(reply, .delete(true), by: "other", at: 3_702)])
        #expect(try store.comments(of: "i", before: nil, limit: 9).threads.isEmpty)
    }

    @Test(arguments: ServiceStoreTests.Kind.allCases)
    func likeOfACommentCountsOncePerPerson(kind: ServiceStoreTests.Kind) throws {
        let store = try store(kind)
        let comment = try add("a", to: store)
        #expect(
            try store.apply([
                change(comment, .like(true), by: "v"), change(comment, .like(true), by: "v"),
                change(comment, .like(true), by: "w"),
            ]) == [.likes(1), .likes(1), .likes(2)])
        #expect(try store.apply([change(comment, .like(false), by: "v", at: 20)]) == [.likes(1)])
        // A late one changes nothing.
        #expect(try store.apply([change(comment, .like(true), by: "v", at: 15)]) == [.likes(1)])
        let asLiker = try store.comments(of: "i", before: nil, limit: 9, viewer: "w").threads[0].comment
        #expect(asLiker.likes == 1 && asLiker.isLiked)
        #expect(try !store.comments(of: "i", before: nil, limit: 9, viewer: "v").threads[0].comment.isLiked)
        _ = try store.apply([change(comment, .delete(true), at: 30)])
        #expect(try store.apply([change(comment, .like(true), by: "x", at: 31)]) == [.refused(.unknown)])
    }

    @Test(arguments: ServiceStoreTests.Kind.allCases)
    func reportsAreKeptOncePerPersonAndComment(kind: ServiceStoreTests.Kind) throws {
        let store = try store(kind)
        let (first, second) = (try add("a", to: store), try add("b", to: store))
        let reason = "it's \"spam\"\n\\"
        #expect(
            try store.apply([
                change(first, .report(reason: reason), by: "v", at: 10),
                change(first, .report(reason: "again"), by: "v", at: 11),
                change(first, .report(reason: "rude"), by: "w", at: 12),
                change(second, .report(reason: "rude"), by: "v", at: 13),
            ]) == [.done, .repeated, .done, .done])
        let reports = try store.reports(limit: 9)
        #expect(reports.map(\.reason) == ["rude", "rude", reason] && reports.map(\.at) == [13, 12, 10])
        #expect(reports[0].comment.remark.text == "text of b" && reports[2].comment.number == first)
        #expect(try store.reports(limit: 1).count == 1)
        _ = try store.apply([change(second, .delete(true), at: 14)])
        #expect(try store.reports(limit: 9).map(\.comment.number) == [first, first])
    }

    @Test(arguments: ServiceStoreTests.Kind.allCases)
    func removalOfAnItemIsRemembered(kind: ServiceStoreTests.Kind) throws {
        let store = try store(kind)
        #expect(try store.removal(of: "i") == nil)
        var removal = ItemRemoval(item: "i", isRemoved: true, path: [0xFF, 0x2F, 0x61], place: "i-1")
        #expect(try store.apply([.removal(removal)]) == [.done])
        #expect(try store.removal(of: "i") == removal)
        removal.isRemoved = false
        _ = try store.apply([.removal(removal)])
        #expect(try store.removal(of: "i") == removal)
    }

    /// What a server of form 1 has written.
    private static let earlier = """
        INSERT INTO comment (event, item, viewer, name, body, at, clock_off, parent)
            VALUES ('e', 'i', 'author', NULL, 'old', 5, 0, NULL);
        INSERT INTO tally (item, comments) VALUES ('i', 1);
        """

    @Test(arguments: ServiceStoreTests.Kind.allCases)
    func databaseOfTheFirstFormMigrates(kind: ServiceStoreTests.Kind) throws {
        switch kind {
        case .sqlite:
            let step = ServiceSchema.steps(.sqlite)[0]
            let script = """
                import sqlite3, sys
                d = sqlite3.connect(sys.argv[1])
                d.executescript(sys.argv[3] + "CREATE TABLE grdb_migrations (identifier TEXT NOT NULL PRIMARY KEY);")
                d.execute("INSERT INTO grdb_migrations VALUES (?)", [sys.argv[2]])
                d.executescript(sys.argv[4])
                d.commit()
                """
            let made = try Command.run([
                "python3", "-c", script, folder.path + "/serve.db", step.name, step.statements, Self.earlier,
            ])
            try #require(made.status == 0, "\(made.errors)")
        case .postgres:
            let cluster = try PostgresCluster.shared.get()
            let step = ServiceSchema.steps(.postgres)[0]
            _ = try cluster.address(of: name)
            _ = try cluster.query(
                """
                CREATE SCHEMA flick; SET search_path = flick;
                CREATE TABLE step (number INTEGER PRIMARY KEY, name TEXT NOT NULL);
                \(step.statements) INSERT INTO step VALUES (1, '\(step.name)'); \(Self.earlier)
                """, in: name)
        }
        let store = try store(kind)
        let old = try #require(try store.comments(of: "i", before: nil, limit: 9).threads.first?.comment)
        #expect(old.remark.text == "old" && old.likes == 0 && !old.isDeleted)
        #expect(
            try store.apply([
                change(old.number, .like(true), by: "v"), change(old.number, .report(reason: "x"), by: "v"),
                change(old.number, .delete(true)),
            ]) == [.likes(1), .done, .done])
        #expect(try store.total().comments == 0)
    }

    /// Servers that like the same comments at the same time, in another order each.
    @Test func serversCountLikesOfACommentOnce() async throws {
        let stores = try (0..<3).map { _ in try store(.postgres) }
        let comments = try (0..<4).map { try add("c\($0)", to: stores[0]) }
        let writes = comments.flatMap { comment in
            (0..<10).map { change(comment, .like(true), by: "viewer \($0)") }
        }
        try await PostgresStoreTests.apply(writes, to: stores, atOnce: 8)
        #expect(
            try stores[0].comments(of: "i", before: nil, limit: 9).threads.map(\.comment.likes) == [10, 10, 10, 10])
    }
}
