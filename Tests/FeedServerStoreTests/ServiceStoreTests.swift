import Foundation
import Model
import TestSupport
import Testing

@testable import FeedServer

/// The contract of every kind of store. Each test runs on all of them.
@Suite struct ServiceStoreTests {
    enum Kind: CaseIterable { case sqlite, postgres }

    private let folder = TemporaryFolder()
    private let name = "test-\(UUID().uuidString)"

    private func store(_ kind: Kind) throws -> any ServiceStore {
        switch kind {
        case .sqlite: try SQLiteStore(path: folder.path + "/serve.db")
        case .postgres: try PostgresStore(PostgresAddress(PostgresCluster.shared.get().address(of: name)))
        }
    }

    private func event(_ id: String, _ kind: ServiceEvent.Kind = .view, item: String = "i") -> ServiceWrite {
        .event(
            ServiceEvent(
                kind: kind, id: id, item: item, viewer: "v", session: "s", at: 1, received: 2, isClockOff: false,
                detail: "{}"))
    }

    private func comment(_ event: String, item: String = "i", parent: Int64? = nil) -> ServiceWrite {
        .comment(
            Remark(
                item: item, viewer: "v", name: "N", text: "text of \(event)", at: 5, isClockOff: true, parent: parent),
            event: event)
    }

    private func number(_ outcome: WriteOutcome?) -> Int64? {
        guard case .comment(let comment, _) = outcome else { return nil }
        return comment.number
    }

    @Test(arguments: Kind.allCases)
    func anEventCountsOnce(kind: Kind) throws {
        let store = try store(kind)
        #expect(try store.apply([event("a"), event("b"), event("a")]) == [.done, .done, .repeated])
        #expect(try store.apply([event("a")]) == [.repeated])
        // Another kind of event is another event.
        #expect(try store.apply([event("a", .share), event("a", .engagement)]) == [.done, .done])
        #expect(try store.tallies(of: ["i", "j"]) == ["i": Tally(shares: 1, views: 2)])
        #expect(try store.total() == Tally(shares: 1, views: 2))
        #expect(try store.tallies(of: []).isEmpty)
    }

    /// Sums of what is drawn at random, reckoned here in memory.
    @Test(arguments: Kind.allCases)
    func watchingIsSummedUp(kind: Kind) throws {
        let store = try store(kind)
        var random = SeededRandom(state: 7)
        var (wanted, days, writes) = (WatchSums(), [String: Double](), [ServiceWrite]())
        for number in 0..<300 {
            let at = 1_780_000_000 + Double(Int.random(in: 0..<400_000, using: &random))
            let watched = Double(Int.random(in: 0..<300, using: &random))
            let tenth = Int.random(in: 0..<10, using: &random)
            let (completion, isSkip) = ((Double(tenth) + 0.5) / 10, Bool.random(using: &random))
            let item = "item \(number % 7)"
            let detail =
                #"{"watch_time":\#(watched),"completion":\#(completion),"milestones":[],"has_skipped":\#(isSkip)}"#
            writes.append(
                .event(
                    ServiceEvent(
                        kind: .engagement, id: "\(number)", item: item, viewer: "v", session: "s", at: at, received: at,
                        isClockOff: false, detail: detail)))
            guard at >= 1_780_100_000 else { continue }
            if isSkip { wanted.addSkips(1, inTenth: tenth) }
            // Shorter visits do not count.
            guard watched >= 2 || completion >= 0.95 else { continue }
            wanted.items[item, default: .init()] += .init(watched: watched, visits: 1, completion: completion)
            days[String(RFC3339.text(seconds: at).prefix(10)), default: 0] += watched
        }
        wanted.days = days.sorted { $0.key < $1.key }.map { Statistics.Day(date: $0.key, watched: $0.value) }
        // Other events are no visits.
        _ = try store.apply(writes + [event("v"), event("s", .share)])
        var sums = try store.watched(since: 1_780_100_000)
        for (item, sum) in sums.items {
            #expect(abs(sum.completion - (wanted.items[item]?.completion ?? -1)) < 1e-9)
            sums.items[item]?.completion = wanted.items[item]?.completion ?? -1
        }
        #expect(sums == wanted && sums.days.count > 2)
    }

    @Test(arguments: Kind.allCases)
    func likeAndDislikeExcludeEachOther(kind: Kind) throws {
        let store = try store(kind)
        func react(_ reaction: ServiceReaction, _ isOn: Bool, _ at: Double, viewer: String = "v") throws -> Tally? {
            _ = try store.apply([.reaction(reaction, item: "i", viewer: viewer, isOn: isOn, at: at)])
            return try store.tallies(of: ["i"])["i"]
        }
        #expect(try react(.like, true, 1) == Tally(likes: 1))
        #expect(try react(.like, true, 2) == Tally(likes: 1))
        #expect(try react(.dislike, true, 3) == Tally(dislikes: 1))
        #expect(try react(.save, true, 4) == Tally(dislikes: 1, saves: 1))
        #expect(try react(.like, true, 1, viewer: "w") == Tally(likes: 1, dislikes: 1, saves: 1))
        #expect(try react(.dislike, false, 5) == Tally(likes: 1, saves: 1))
        #expect(try react(.save, false, 5) == Tally(likes: 1))
        #expect(try react(.dislike, true, 6) == Tally(likes: 1, dislikes: 1))
        #expect(try react(.like, true, 7) == Tally(likes: 2))
    }

    /// Whatever order the same reactions arrive in, the outcome is that of their times.
    @Test(arguments: Kind.allCases)
    func lateWritesDoNotOverrideNewerOnes(kind: Kind) throws {
        let store = try store(kind)
        var random = SeededRandom(state: 4)
        for round in 0..<60 {
            let item = "item \(round)"
            var truth: [ServiceReaction: Bool] = [:]
            let orders: [(ServiceReaction, Bool)] = (0..<8).map { _ in
                (ServiceReaction.allCases.randomElement(using: &random)!, Bool.random(using: &random))
            }
            for (reaction, isOn) in orders {
                truth[reaction] = isOn
                if isOn, let opposite = reaction.opposite { truth[opposite] = false }
            }
            let writes = orders.enumerated().map { place, order in
                ServiceWrite.reaction(order.0, item: item, viewer: "v", isOn: order.1, at: Double(place + 1))
            }
            _ = try store.apply(writes.shuffled(using: &random))
            let tally = try store.tallies(of: [item])[item] ?? Tally()
            let wanted = ServiceReaction.allCases.map { truth[$0] == true ? 1 : 0 }
            #expect([tally.likes, tally.dislikes, tally.saves] == wanted, "\(orders)")
        }
    }

    @Test(arguments: Kind.allCases)
    func commentsArePagedNewestFirstWithTheirReplies(kind: Kind) throws {
        let store = try store(kind)
        let tops = try (0..<5).map { try #require(number(try store.apply([comment("top \($0)")]).first)) }
        let reply = try #require(number(try store.apply([comment("reply", parent: tops[4])]).first))
        // A reply to a reply hangs under the same comment.
        let deep = try store.apply([comment("deep", parent: reply)])
        guard case .comment(let answer, true) = deep[0] else {
            Issue.record("it was not added")
            return
        }
        #expect(answer.remark.parent == tops[4])
        #expect(
            try store.apply([comment("lost", parent: 999), comment("far", item: "j", parent: tops[0])]) == [
                .noParent, .noParent,
            ])
        let first = try store.comments(of: "i", before: nil, limit: 2)
        #expect(first.threads.map(\.comment.number) == [tops[4], tops[3]] && first.total == 7)
        #expect(first.threads[0].replies.map(\.remark.text) == ["text of reply", "text of deep"])
        let newest = first.threads[0].comment.remark
        #expect(newest.name == "N" && newest.at == 5 && newest.isClockOff && newest.viewer == "v")
        // A comment added meanwhile does not move the next page.
        _ = try store.apply([comment("new")])
        let second = try store.comments(of: "i", before: first.next, limit: 2)
        #expect(second.threads.map(\.comment.number) == [tops[2], tops[1]])
        let last = try store.comments(of: "i", before: second.next, limit: 2)
        #expect(last.threads.map(\.comment.number) == [tops[0]] && last.next == nil)
        #expect(try store.comments(of: "j", before: nil, limit: 2) == StoredComments(threads: [], next: nil, total: 0))
    }

    @Test(arguments: Kind.allCases)
    func aCommentIsAddedOnce(kind: Kind) throws {
        let store = try store(kind)
        let first = try store.apply([comment("e")])
        let second = try store.apply([comment("e")])
        #expect(number(first[0]) == number(second[0]))
        guard case .comment(_, let isNew) = second[0] else {
            Issue.record("it is no comment")
            return
        }
        #expect(!isNew)
        #expect(try store.total().comments == 1)
    }

    /// The same one twice in a transaction, and a text that no quoting may change.
    @Test(arguments: Kind.allCases)
    func commentsAreReturnedAsWritten(kind: Kind) throws {
        let store = try store(kind)
        let texts = ["{\"a\\,b'}\n\u{1B}[2J", "NULL", "", "👩‍👩‍👧 é $1 \\"]
        let writes = texts.enumerated().map { place, text in
            ServiceWrite.comment(
                Remark(
                    item: "i", viewer: "v", name: place == 0 ? "NULL" : nil, text: text,
                    at: 1_795_394_455.123_456_7, isClockOff: false), event: "e\(place)")
        }
        let outcomes = try store.apply(writes + [writes[0]])
        #expect(number(outcomes[0]) == number(outcomes[4]))
        guard case .comment(_, isNew: false) = outcomes[4] else {
            Issue.record("it was added twice")
            return
        }
        let kept = try store.comments(of: "i", before: nil, limit: 9).threads.map(\.comment)
        #expect(kept.map(\.remark.text) == texts.reversed() && kept.map(\.remark.name) == [nil, nil, nil, "NULL"])
        #expect(kept.allSatisfy { $0.remark.at == 1_795_394_455.123_456_7 })
        #expect(try store.total().comments == 4)
    }

    @Test(arguments: Kind.allCases)
    func onlySoManyRepliesAreListed(kind: Kind) throws {
        let store = try store(kind)
        let top = try #require(number(try store.apply([comment("top")]).first))
        _ = try store.apply((0..<150).map { comment("r\($0)", parent: top) })
        let page = try store.comments(of: "i", before: nil, limit: 1)
        #expect(page.threads[0].replies.count == 100 && page.threads[0].replies[0].remark.text == "text of r0")
        #expect(page.total == 151)
    }

    @Test(arguments: Kind.allCases)
    func savedDataSurvivesReopening(kind: Kind) throws {
        _ = try store(kind).apply([event("a"), comment("c")])
        let again = try store(kind)
        #expect(try again.total() == Tally(comments: 1, views: 1))
        #expect(try again.apply([event("a")]) == [.repeated])
    }
}

/// Behavior of the SQLite file.
@Suite struct SQLiteStoreTests {
    private let folder = TemporaryFolder()
    private let view = ServiceWrite.event(
        ServiceEvent(
            kind: .view, id: "a", item: "i", viewer: "v", session: "s", at: 1, received: 1, isClockOff: false,
            detail: "{}"))

    @Test func aFileThatIsTakenAwayFailsUntilItIsBack() throws {
        let path = folder.path + "/serve.db"
        let store = try SQLiteStore(path: path)
        _ = try store.apply([view])
        for suffix in ["", "-wal", "-shm"] { rename(path + suffix, path + suffix + ".away") }
        #expect(throws: ServiceError(why: "the file is gone")) { try store.apply([view]) }
        #expect(throws: ServiceError.self) { try store.total() }
        for suffix in ["", "-wal", "-shm"] { rename(path + suffix + ".away", path + suffix) }
        #expect(try store.apply([view]) == [.repeated])
    }

    @Test(arguments: [false, true])
    func removedFileIsRecreatedAfterAGracePeriod(folderToo: Bool) throws {
        try folder.folder("state")
        let path = folder.path + "/state/serve.db"
        let clock = ManualClock()
        let start = ContinuousClock.now
        let store = try SQLiteStore(path: path) { start + clock.now }
        _ = try store.apply([view])
        for suffix in ["", "-wal", "-shm"] { unlink(path + suffix) }
        if folderToo { try FileManager.default.removeItem(atPath: folder.path + "/state") }
        #expect(throws: ServiceError(why: "the file is gone")) { try store.apply([view]) }
        clock.advance(by: SQLiteStore.grace)
        #expect(try store.apply([view]) == [.done])
        #expect(try store.total().views == 1)
        #expect(try SQLiteStore(path: path).apply([view]) == [.repeated])
    }

    @Test(arguments: ["CREATE TABLE notes (x)", "PRAGMA application_id = 77", "PRAGMA application_id = 1718315852"])
    func rejectsForeignDatabases(statement: String) throws {
        let path = folder.path + "/serve.db"
        let made = try Command.run([
            "python3", "-c", "import sqlite3,sys; d=sqlite3.connect(sys.argv[1]); d.execute(sys.argv[2]); d.commit()",
            path, statement,
        ])
        try #require(made.status == 0, "\(made.errors)")
        let before = try Data(contentsOf: URL(fileURLWithPath: path))
        #expect(throws: ServiceError(why: "another program's database")) { try SQLiteStore(path: path) }
        #expect(try Data(contentsOf: URL(fileURLWithPath: path)) == before)
    }

    @Test func earlierVersionIsRecognizedByItsTables() throws {
        let path = folder.path + "/serve.db"
        _ = try SQLiteStore(path: path).apply([view])
        let cleared = try Command.run([
            "python3", "-c",
            "import sqlite3,sys; d=sqlite3.connect(sys.argv[1]); d.execute('PRAGMA application_id = 0'); d.commit()",
            path,
        ])
        try #require(cleared.status == 0, "\(cleared.errors)")
        #expect(try SQLiteStore(path: path).apply([view]) == [.repeated])
    }

    @Test func invalidDatabaseIsRejected() throws {
        let path = try folder.write("serve.db", Array("this is not a database, but a text of some length".utf8))
        #expect(throws: ServiceError.self) { try SQLiteStore(path: path) }
    }

    @Test func answersAreOnDiskBeforeTheyAreGiven() throws {
        let store = try SQLiteStore(path: folder.path + "/serve.db")
        // 2 is FULL (https://sqlite.org/pragma.html#pragma_synchronous).
        #expect(try store.synchronous == 2)
    }
}
