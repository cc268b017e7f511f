import Databases
import Foundation
import Model
import TestSupport
import Testing

@testable import Engagement

@Suite struct StoreTests {
    private let folder = TemporaryFolder()
    private var path: String { folder.path + "/state/flick.db" }

    private static func item(_ id: String, source: String = "/clips") -> LibraryItem {
        LibraryItem(
            key: ItemKey(scope: "", id: id), url: "file:///clips/\(id).mp4", json: #"{"id":"\#(id)"}"#, source: source)
    }

    private static let like = Reaction(isLiked: true, isDisliked: false, isSaved: false)
    private static let save = Reaction(isLiked: false, isDisliked: false, isSaved: true)

    /// What is written of an item whose page was seen and whose clip showed a frame.
    private static func watched(_ id: String, source: String = "/clips", at: Double) -> [Change] {
        let item = item(id, source: source)
        return [.seen(item, at: at), .event(item, event("\(id) \(at)", at: at, what: "start"))]
    }

    private static func event(_ id: String, at: Double = 1, what: String = "view") -> LoggedEvent {
        LoggedEvent(id: id, session: "s", at: at, what: what, detail: "{}")
    }

    @Test func changesSurviveReopening() throws {
        let creator = CreatorKey(scope: "https://h", id: "c")
        try Store(path: path).apply([
            .seen(Self.item("a"), at: 1), .reacted(Self.item("a"), Self.like, at: 2), .seen(Self.item("b"), at: 3),
            .left(Self.item("b").key, place: .seconds(75)),
            .followed(Self.item("b"), creator, name: "C", hasID: true, true, at: 4),
            .event(Self.item("b"), Self.event("e")),
        ])
        let store = try Store(reading: path)
        let memories = try store.memories(of: ["a", "b", "c"].map { ItemKey(scope: "", id: $0) })
        #expect(memories[Self.item("a").key] == ItemMemory(reaction: Self.like))
        #expect(memories[Self.item("b").key] == ItemMemory(place: .seconds(75)))
        #expect(memories.count == 2)
        #expect(try store.follows(among: [creator, CreatorKey(scope: "", id: "c")]) == [creator])
        #expect(try store.lastSeen(in: "/clips", limit: 1).map(\.key) == [Self.item("b").key])
        #expect(try store.lastSeen(in: "/other", limit: 9).isEmpty)
        // What never played is not there.
        #expect(try store.entries(of: .history, limit: 10).map(\.item) == [Self.item("b")])
        #expect(try store.counts()[.history] == 1)
        #expect(try store.entries(of: .liked, limit: 10).map(\.at) == [2])
        #expect(try store.entries(of: .saved, limit: 10).isEmpty)
        #expect(try store.events(limit: 10).map(\.event) == [Self.event("e")])
    }

    @Test func keptCommentsAreReadNewestFirstAndGoWithTheirItem() throws {
        let store = try Store(path: path)
        let first = OwnComment(id: "1", text: "One \"line\"\nand another", at: 10)
        let answer = OwnComment(id: "2", text: "Two", parent: "1", at: 20)
        try store.apply([
            .keptComment(Self.item("a"), first), .keptComment(Self.item("a"), answer),
            .keptComment(Self.item("a"), first), .keptComment(Self.item("b"), OwnComment(id: "3", text: "B", at: 30)),
        ])
        let again = try Store(reading: path)
        #expect(try again.comments(on: Self.item("a").key) == [answer, first])
        #expect(try again.comments(on: Self.item("c").key).isEmpty)
        #expect(try store.nextMessage(now: 100).message == nil)
        try store.apply([.deletedComment("1")])
        #expect(try again.comments(on: Self.item("a").key) == [answer])
        #expect(try store.forget(.all) == 2)
        #expect(try store.comments(on: Self.item("a").key).isEmpty)
    }

    /// An item that never played showed an error.
    @Test func seenItemsIncludeWhatWasPlayed() throws {
        let store = try Store(path: path)
        func event(_ item: String, _ what: String, _ detail: String = "{}") -> Change {
            let id = "\(item) \(what) \(detail)"
            return .event(Self.item(item), LoggedEvent(id: id, session: "s", at: 1, what: what, detail: detail))
        }
        try store.apply([
            .seen(Self.item("failed"), page: 4, at: 4), event("failed", "impression"), event("failed", "summary"),
            .seen(Self.item("begun"), page: 2, at: 3), event("begun", "start"),
            event("begun", "milestone", #"{"percent":75}"#),
            .seen(Self.item("ended"), page: 1, at: 2), event("ended", "milestone", #"{"percent":95}"#),
            .seen(Self.item("other", source: "/other"), at: 9),
        ])
        func seen(_ id: String, page: Int, hasPlayed: Bool, isFinished: Bool) -> LastSeen {
            LastSeen(key: Self.item(id).key, page: page, hasPlayed: hasPlayed, isFinished: isFinished)
        }
        let all = [
            seen("failed", page: 4, hasPlayed: false, isFinished: false),
            seen("begun", page: 2, hasPlayed: true, isFinished: false),
            seen("ended", page: 1, hasPlayed: true, isFinished: true),
        ]
        #expect(try store.lastSeen(in: "/clips", limit: 9) == all)
        #expect(try store.lastSeen(in: "/clips", limit: 2) == Array(all.prefix(2)))
    }

    @Test func undoneReactionsAreGone() throws {
        let store = try Store(path: path)
        let creator = CreatorKey(scope: "", id: "c")
        try store.apply([
            .reacted(Self.item("a"), Self.like, at: 1), .reacted(Self.item("a"), Reaction(), at: 2),
            .followed(Self.item("a"), creator, name: "C", hasID: true, true, at: 1),
            .followed(Self.item("a"), creator, name: "C", hasID: true, false, at: 2),
            .left(Self.item("a").key, place: .seconds(70)), .left(Self.item("a").key, place: nil),
        ])
        #expect(try store.memories(of: [Self.item("a").key]) == [Self.item("a").key: ItemMemory()])
        #expect(try store.follows(among: [creator]).isEmpty && store.entries(of: .liked, limit: 10).isEmpty)
    }

    @Test func aReactionKeepsTheTimeFromWhichItHolds() throws {
        let store = try Store(path: path)
        var both = Self.like
        both.isSaved = true
        try store.apply([.reacted(Self.item("a"), Self.like, at: 1), .reacted(Self.item("a"), both, at: 5)])
        #expect(try store.entries(of: .liked, limit: 9).map(\.at) == [1])
        #expect(try store.entries(of: .saved, limit: 9).map(\.at) == [5])
    }

    /// What was fetched is remembered without counting as seen, and does not change what is known.
    @Test func itemsAreFoundByTheirURLs() throws {
        let store = try Store(path: path)
        try store.apply(Self.watched("a", at: 1) + [.fetched(Self.item("b"))] + Self.watched("c", at: 2))
        #expect(try store.entries(of: .history, limit: 9).map(\.item.key.id) == ["c", "a"])
        let wanted = Set(["a", "b"].map { Self.item($0).url })
        #expect(try store.items(lookingAt: 9) { wanted.contains($0) } == [Self.item("b"), Self.item("a")])
        #expect(try store.items(lookingAt: 2) { wanted.contains($0) } == [Self.item("b")])
        var renamed = Self.item("a")
        renamed.endpoint = "https://elsewhere.example/"
        try store.apply([.fetched(renamed)])
        #expect(try store.items(lookingAt: 9) { $0 == renamed.url } == [Self.item("a")])
    }

    @Test func aClockThatGoesBackLeavesTheLastTimeAlone() throws {
        let store = try Store(path: path)
        try store.apply(Self.watched("a", at: 9) + Self.watched("a", at: 4))
        #expect(try store.entries(of: .history, limit: 9).map(\.at) == [9])
    }

    @Test func listsArePagedWithoutLossAlsoWhereTimesAreEqual() throws {
        let store = try Store(path: path)
        try store.apply((0..<50).flatMap { Self.watched("\($0)", at: Double($0 / 7)) })
        var (ids, place): ([String], LibraryEntry.Place?) = ([], nil)
        while true {
            let page = try store.entries(of: .history, after: place, limit: 8)
            ids += page.map(\.item.key.id)
            guard let last = page.last else { break }
            place = last.place
        }
        #expect(ids == (0..<50).reversed().map { "\($0)" })
    }

    @Test func anEventThatIsLoggedTwiceIsThereOnce() throws {
        let store = try Store(path: path)
        try store.apply([.event(Self.item("a"), Self.event("1")), .event(Self.item("a"), Self.event("2", at: 9))])
        try store.apply([.event(Self.item("a"), Self.event("1"))])
        #expect(try store.events(limit: 9).map(\.event.id) == ["1", "2"])
        #expect(try store.events(since: 5, limit: 9).map(\.event.id) == ["2"])
        #expect(try store.events(after: 1, limit: 9).map(\.event.id) == ["2"])
    }

    @Test func oneItemOneFeedOrAllIsForgotten() throws {
        let store = try Store(path: path)
        func fill() throws {
            try store.apply(Self.watched("a", at: 1) + Self.watched("b", source: "https://h/feed", at: 2))
            try store.apply([
                .reacted(Self.item("c"), Self.like, at: 3),
                .followed(Self.item("c"), CreatorKey(scope: "", id: "x"), name: "X", hasID: true, true, at: 1),
            ])
        }
        try fill()
        #expect(try store.forget(.item("a")) == 1)
        #expect(try store.events(limit: 9).count == 1 && store.entries(of: .history, limit: 9).count == 1)
        #expect(try store.forget(.source("https://h/feed")) == 1)
        #expect(try store.entries(of: .history, limit: 9).isEmpty && store.entries(of: .liked, limit: 9).count == 1)
        try fill()
        #expect(try store.forget(.all) == 3)
        #expect(try store.entries(of: .liked, limit: 9).isEmpty)
        #expect(try store.follows(among: [CreatorKey(scope: "", id: "x")]).isEmpty)
        #expect(try store.forget(.item("nothing of that name")) == 0)
    }

    @Test func olderItemsAreDeletedExceptLikes() throws {
        let store = try Store(path: path)
        try store.apply([
            .seen(Self.item("old"), at: 1), .event(Self.item("old"), Self.event("1", at: 1)),
            .seen(Self.item("kept"), at: 1), .reacted(Self.item("kept"), Self.save, at: 1),
            .event(Self.item("kept"), Self.event("2", at: 1)), .event(Self.item("kept"), Self.event("3", at: 8)),
        ])
        try store.apply(Self.watched("new", at: 8))
        #expect(try store.forget(.all, before: 5) == 2)
        #expect(try store.entries(of: .history, limit: 9).map(\.item.key.id) == ["new"])
        #expect(try store.entries(of: .saved, limit: 9).map(\.item.key.id) == ["kept"])
        #expect(try store.events(limit: 9).map(\.event.id) == ["3", "new 8.0"])
    }

    @Test func deletedTextsLeaveNoTraceInTheFiles() throws {
        let store = try Store(path: path)
        try store.apply([.seen(Self.item("uncommonword"), at: 1)])
        _ = try store.forget(.all)
        for name in ["", "-wal", "-shm"] {
            // The log of changes may be gone.
            guard let bytes = FileManager.default.contents(atPath: path + name) else { continue }
            #expect(bytes.range(of: Data("uncommonword".utf8)) == nil, "\(name)")
        }
    }

    // MARK: The file

    @Test func theFileIsForTheUserAlone() throws {
        _ = try Store(path: path)
        let mode = try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int
        #expect(mode == 0o600)
    }

    @Test(arguments: ["not a database", "", "SQLite format 3\u{0} and then nothing of the kind"])
    func damagedFileIsRenamedAndReplaced(text: String) throws {
        try folder.write("state/flick.db", Array(repeating: text, count: 100).joined().utf8)
        let store = try Store(path: path)
        try store.apply(Self.watched("a", at: 1))
        #expect(try store.entries(of: .history, limit: 9).count == 1)
        guard !text.isEmpty else { return }
        let aside = try #require(store.damagedFile)
        #expect(try String(contentsOfFile: aside, encoding: .utf8).hasPrefix(text))
        #expect(try Store(path: path).damagedFile == nil)
    }

    /// Runs statements on the file, as another program would, and prints what the last one returns.
    @discardableResult
    private func run(_ statements: String..., at path: String? = nil) throws -> String {
        let lines =
            ["import sqlite3,sys", "d=sqlite3.connect(sys.argv[1])", "r=None"]
            + statements.map { "r=d.execute(\"\($0)\").fetchone()" } + ["d.commit()", "d.close()", "print(r)"]
        let result = try Command.run(["python3", "-c", lines.joined(separator: "; "), path ?? self.path])
        try #require(result.status == 0, "\(result.errors)")
        return result.output.split(separator: "\n").joined()
    }

    @Test(arguments: [false, true], [[""], ["", "-wal", "-shm"]])
    func removedFileIsRecreated(folderToo: Bool, suffixes: [String]) throws {
        let store = try Store(path: path)
        try store.apply([.seen(Self.item("a"), at: 1)])
        if folderToo { try FileManager.default.removeItem(atPath: folder.path + "/state") }
        for suffix in suffixes { unlink(path + suffix) }
        try store.apply(Self.watched("b", at: 2))
        #expect(try store.entries(of: .history, limit: 9).map(\.item.key.id) == ["b"])
        #expect(try Store(reading: path).entries(of: .history, limit: 9).map(\.item.key.id) == ["b"])
        #expect(try run("PRAGMA integrity_check") == "('ok',)")
    }

    @Test(
        arguments: [
            ["CREATE TABLE notes (x)"], ["PRAGMA application_id = 77"],
            ["PRAGMA journal_mode = WAL", "CREATE TABLE notes (x)"],
            ["PRAGMA application_id = 77", "CREATE TABLE item (x)", "CREATE TABLE follow (x)"],
        ])
    func foreignDatabaseIsNotChanged(statements: [String]) throws {
        try folder.folder("state")
        for statement in statements { try run(statement) }
        let before = try Data(contentsOf: URL(fileURLWithPath: path))
        #expect(throws: StoreError.foreign) { try Store(path: path) }
        #expect(throws: StoreError.foreign) { try Store(reading: path) }
        #expect(try Data(contentsOf: URL(fileURLWithPath: path)) == before)
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path + "/state") == ["flick.db"])
    }

    /// SQLite is given the path as a URL.
    @Test func databaseMayHaveAnyName() throws {
        let path = folder.path + "/a b%20?c#d/flick.db"
        try folder.folder("a b%20?c#d")
        try Store(path: path).apply(Self.watched("a", at: 1))
        #expect(try Store(path: path).entries(of: .history, limit: 9).count == 1)
        try run("DROP TABLE item", "PRAGMA application_id = 77", at: path)
        #expect(throws: StoreError.foreign) { try Store(path: path) }
    }

    @Test(arguments: ["1: items, follows, events", "2: pages, messages to services"])
    func earlierVersionIsRecognizedByItsTables(step: String) throws {
        try folder.folder("state")
        try Store.make(at: path, upTo: step) { "" }
        #expect(try run("PRAGMA application_id") == "(0,)")
        try Store(path: path).apply(Self.watched("a", at: 1))
        #expect(try run("PRAGMA application_id") == "(\(DatabaseKind.library.rawValue),)")
        #expect(try Store(reading: path).entries(of: .history, limit: 9).count == 1)
    }

    /// What is in a file of an earlier form stays there, and more can be hidden, and creators get their feeds.
    @Test(arguments: [
        "1: items, follows, events", "2: pages, messages to services", "3: comments that are not sent", "4: hidden",
    ])
    func earlierVersionIsMigrated(step: String) throws {
        try folder.folder("state")
        try Store.make(at: path, upTo: step) {
            """
            INSERT INTO item (scope, id, url, json, source, seen, liked)
            VALUES ('', 'a', 'file:///clips/a.mp4', '{"id":"a"}', '/clips', 1, 2);
            INSERT INTO follow (scope, creator, name, since) VALUES ('https://h', 'c', 'C', 3);
            """
        }
        #expect(try Store(reading: path).hidden().isEmpty)
        let rule = HideRule(.topic, value: "cats")
        try Store(path: path).apply([.hidden(rule, source: "/clips", true, at: 4)])
        let store = try Store(reading: path)
        #expect(try store.hidden() == [HiddenEntry(rule: rule, since: 4)])
        #expect(try store.entries(of: .liked, limit: 9).map(\.item.key.id) == ["a"])
        let creator = CreatorKey(scope: "https://h", id: "c")
        #expect(try store.follows(among: [creator]).count == 1)
        #expect(try store.follows() == [Follow(creator: creator, name: "C", since: 3)])
        let feed = FollowedFeed(address: "https://h/c.xml", isShared: true)
        try store.apply([.foundFeed(feed, of: creator)])
        #expect(try store.follows() == [Follow(creator: creator, name: "C", since: 3, feed: feed)])
    }

    // MARK: Feeds of creators

    @Test func followsHaveTheirFeeds() throws {
        let store = try Store(path: path)
        let (one, other) = (CreatorKey(scope: "https://h", id: "1"), CreatorKey(scope: "", id: "2"))
        let feed = FollowedFeed(address: "peertube:h/c/one", isShared: false)
        try store.apply([
            .followed(Self.item("a"), one, name: "One", feed: feed, hasID: true, true, at: 5),
            .followed(Self.item("b"), other, name: "Other", hasID: false, true, at: 6),
            // Creators that are not followed are not stored.
            .foundFeed(feed, of: CreatorKey(scope: "", id: "3")),
        ])
        #expect(
            try store.follows() == [
                Follow(creator: other, name: "Other", since: 6),
                Follow(creator: one, name: "One", since: 5, feed: feed),
            ])
        #expect(try store.follows(among: [one, other], withoutFeed: true) == [other])
        // The feed that is known stays; one who is followed again gets the feed of now.
        let later = FollowedFeed(address: "https://h/other.xml", isShared: true)
        try store.apply([.foundFeed(later, of: one), .foundFeed(later, of: other)])
        #expect(try store.follows().map(\.feed) == [later, feed])
        try store.apply([
            .followed(Self.item("a"), one, name: "One", feed: feed, hasID: true, false, at: 7),
            .followed(Self.item("a"), one, name: "One", feed: later, hasID: true, true, at: 8),
        ])
        #expect(try Store(reading: path).follows().first == Follow(creator: one, name: "One", since: 8, feed: later))
    }

    // MARK: Hidden

    @Test func hiddenThingsAreStoredOnce() throws {
        let store = try Store(path: path)
        let clip = HideRule(.clip, scope: "https://h/feed", value: "7", url: "https://h/7.mp4", name: "Seven")
        let words = HideRule(.words, value: "live now")
        try store.apply([
            .hidden(clip, source: "/a", true, at: 1), .hidden(words, source: "/a", true, at: 2),
            .hidden(clip, source: "/b", true, at: 3),
        ])
        #expect(try store.hidden() == [HiddenEntry(rule: words, since: 2), HiddenEntry(rule: clip, since: 1)])
        try store.apply([.hidden(words, source: "", false, at: 4)])
        #expect(try Store(reading: path).hidden().map(\.rule) == [clip])
        // A kind that only a later flick knows is left alone.
        let sqlite = try Command.run([
            "python3", "-c",
            "import sqlite3,sys; d=sqlite3.connect(sys.argv[1]); "
                + "d.execute(\"UPDATE hidden SET kind = 'mood'\"); d.commit()",
            path,
        ])
        try #require(sqlite.status == 0, "\(sqlite.errors)")
        #expect(try store.hidden().isEmpty)
    }

    @Test func hiddenThingsAreForgotten() throws {
        let store = try Store(path: path)
        func hide() throws {
            try store.apply([
                .hidden(HideRule(.clip, value: "file:///clips/a.mp4", name: "A"), source: "/a", true, at: 1),
                .hidden(HideRule(.topic, value: "cats"), source: "/a", true, at: 2),
                .hidden(HideRule(.topic, value: "dogs"), source: "/b", true, at: 3),
            ])
        }
        try hide()
        #expect(try store.forget(.all, before: 9) == 0)
        #expect(try store.hidden().count == 3)
        #expect(try store.forget(.item("file:///clips/a.mp4")) == 1)
        #expect(try store.hidden().map(\.rule.name) == ["dogs", "cats"])
        #expect(try store.forget(.source("/a")) == 1)
        #expect(try store.hidden().map(\.rule.name) == ["dogs"])
        try hide()
        #expect(try store.forget(.all) == 3)
        #expect(try store.hidden().isEmpty)
    }

    @Test func fileOfANewerFlickIsNotChanged() throws {
        _ = try Store(path: path)
        let sqlite = try Command.run([
            "python3", "-c",
            "import sqlite3,sys; d=sqlite3.connect(sys.argv[1]); d.execute(\"INSERT INTO grdb_migrations VALUES ('99: more')\"); d.commit()",
            path,
        ])
        try #require(sqlite.status == 0, "\(sqlite.errors)")
        #expect(throws: StoreError.newer) { try Store(path: path) }
    }

    @Test func concurrentProcessesLoseNoChange() async throws {
        let path = path
        _ = try Store(path: path)
        try await withThrowingTaskGroup(of: Void.self) { group in
            for user in 0..<4 {
                group.addTask {
                    try await onThread {
                        let store = try Store(path: path)
                        for number in 0..<50 {
                            try store.apply([
                                .seen(Self.item("\(user)-\(number)"), at: Double(number)),
                                .event(Self.item("shared"), Self.event("\(user)-\(number)")),
                            ])
                        }
                    }
                }
            }
            try await group.waitForAll()
        }
        let store = try Store(reading: path)
        #expect(try store.lastSeen(in: "/clips", limit: 1_000).count == 200)
        #expect(try store.events(limit: 1_000).count == 200)
    }
}
