import Engagement
import Foundation
import HTTP
import Model
import Synchronization
import TestSupport
import Testing

@testable import App

/// Responses from something else than the service, such as captive portals and proxies, and what the service has
/// received afterwards.
@Suite(.timeLimit(.minutes(2))) struct ServiceDeliveryTests {
    private let server: FaultyServer
    private let other: FaultyServer
    private let folder = TemporaryFolder()

    init() throws { (server, other) = (try FaultyServer(), try FaultyServer()) }

    /// A response that the service did not send.
    struct Wrong: Sendable, CustomTestStringConvertible {
        var testDescription: String
        /// - Parameter other: the address of a login page on another server.
        var resource: @Sendable (_ other: String) -> Resource

        init(_ name: String, _ resource: @escaping @Sendable (_ other: String) -> Resource) {
            (testDescription, self.resource) = (name, resource)
        }

        init(_ status: Int, _ type: String?, _ body: String, _ faults: Fault...) {
            let name = "\(status) \(type ?? "without a type") \(body.prefix(40)) (\(body.utf8.count) bytes)"
            self.init(name + (faults.isEmpty ? "" : " with faults")) { _ in
                var resource = Resource(.bytes(Array(body.utf8)), type: type, faults: faults)
                resource.status = status
                return resource
            }
        }
    }

    private static let json = "application/json"
    private static let login = "<!DOCTYPE html><html><title>Log in</title></html>"
    private static let kept = #"{"status":"kept"}"#

    static let wrong: [Wrong] = [
        Wrong(200, "text/html", login), Wrong(200, json, login), Wrong(200, nil, login),
        Wrong(200, "text/html", kept), Wrong(200, "text/plain", kept), Wrong(200, nil, kept),
        Wrong(200, "application/captive+json", #"{"captive":true}"#), Wrong(200, json, #"{"captive":true}"#),
        Wrong(200, json, #"{"error":"log in first"}"#), Wrong(200, json, #"{"status":"pending"}"#),
        Wrong(200, json, ""), Wrong(204, nil, ""), Wrong(200, json, "null"), Wrong(200, json, "[]"),
        Wrong(200, json, #""kept""#), Wrong(200, json, #"{"status":"ke"#),
        Wrong(200, json, kept + String(repeating: " ", count: 2 << 20)),
        Wrong(200, json, String(repeating: " ", count: 2 << 20)),
        Wrong(200, json, String(repeating: "[", count: 2 << 20)),
        Wrong(200, json, kept, .cut(after: 5, .closed)), Wrong(200, json, kept, .gzip),
        Wrong(202, json, kept), Wrong(302, json, kept), Wrong(304, json, ""),
        Wrong(401, json, #"{"error":"the token is wrong"}"#), Wrong(403, "text/html", login),
        Wrong(404, "text/html", login), Wrong(404, json, "{}"), Wrong(407, json, #"{"error":"proxy login"}"#),
        Wrong(429, json, #"{"error":"later"}"#), Wrong(503, json, #"{"error":"later"}"#),
        Wrong(511, "text/html", login),
        Wrong("302 to another server") { Resource(.bytes([]), faults: [.redirect(to: $0)]) },
        Wrong("303 to another server") { Resource(.bytes([]), faults: [.redirect(to: $0, status: 303)]) },
        Wrong("307 to another server") { Resource(.bytes([]), faults: [.redirect(to: $0, status: 307)]) },
        Wrong("303 to a page of the same server") { _ in
            Resource(.bytes([]), faults: [.redirect(to: "/login", status: 303)])
        },
        Wrong("redirections in a circle") { _ in Resource(.bytes([]), faults: [.redirect(to: "?", status: 307)]) },
        Wrong("a redirection to no address") { _ in
            Resource(.bytes([]), faults: [.redirect(to: "http://", status: 307)])
        },
        Wrong("a redirection to a file") { _ in
            Resource(.bytes([]), faults: [.redirect(to: "file:///etc/passwd", status: 307)])
        },
        Wrong("noise") { _ in Resource(.bytes([]), faults: [.garbage()]) },
        Wrong("a connection that ends") { _ in Resource(.bytes([]), faults: [.status(200), .cut(after: 0)]) },
    ]

    private static func paths(of item: String) -> [String] {
        ["\(item)/like", "\(item)/save", "\(item)/share", "\(item)/comments", "track_view"].map {
            "/service/videos/\($0)"
        }
    }

    /// A like and what follows, as the user did it.
    private func fill(_ store: Store, item name: String = "a", comment: String = "so nice") throws {
        func item(_ id: String) -> LibraryItem {
            LibraryItem(
                key: ItemKey(scope: server.url(""), id: id), url: server.url("/\(id).mp4"), json: "{}",
                feed: server.url("/feed.json"), source: server.url("/feed.json"), endpoint: server.url("/service"))
        }
        func reaction(_ isLiked: Bool, saved: Bool = false) -> Reaction {
            Reaction(isLiked: isLiked, isDisliked: false, isSaved: saved)
        }
        let view = LoggedEvent(id: "V-\(name)", session: "s", at: 1, what: "view")
        let remark = OwnComment(id: "C-\(name)", text: comment, parent: nil, name: nil, at: 5)
        try store.apply([
            .event(item(name), view, .view(watched: .seconds(2))), .reacted(item(name), reaction(true), at: 2),
            .reacted(item(name), reaction(true, saved: true), at: 3), .shared(item(name), at: 4),
            .commented(item(name), remark), .reacted(item(name), reaction(false, saved: true), at: 6),
        ])
    }

    private static let done = [
        "POST /service/videos/track_view", "PUT /service/videos/a/like", "PUT /service/videos/a/save",
        "POST /service/videos/a/share", "POST /service/videos/a/comments", "DELETE /service/videos/a/like",
    ]

    private func serve(_ resource: Resource, for item: String = "a") {
        var resource = resource
        resource.methods = ["GET", "POST", "PUT", "DELETE"]
        for path in Self.paths(of: item) { server.serve(path, resource) }
    }

    /// Restores the service; records its requests.
    private func recover() -> TestTable {
        let table = TestTable()
        serve(
            Resource(
                .dynamic { request in
                    table.rows.withLock { $0.append("\(request.method) \(request.path)") }
                    let comment = #"{"id":"c","text":"so nice","at":"2026-01-01T00:00:00Z","own":true}"#
                    return Array((request.path.hasSuffix("/comments") ? comment : Self.kept).utf8)
                }, type: "application/json; charset=utf-8"))
        return table
    }

    /// Sends what is due until nothing waits, at most `most` messages. Waiting
    /// takes no real time. Returns each outcome.
    ///
    /// - Parameters:
    ///   - address: of a server that is reached in place of the one that the messages name.
    ///   - losesAnswers: each message reaches it twice, as the first answer is lost.
    private static func send(
        _ store: Store, _ sending: ServiceClient, _ now: inout Double, most: Int, to address: String? = nil,
        losesAnswers: Bool = false
    ) throws -> [SendOutcome] {
        var outcomes: [SendOutcome] = []
        while outcomes.count < most {
            let (message, next) = try store.nextMessage(now: now)
            if let message {
                var sent = message
                if let address { (sent.endpoint, sent.feed) = (address, address + "/feed.json") }
                let outcome = sending.send(sent)
                outcomes.append(losesAnswers && outcomes.count.isMultiple(of: 2) ? .unreachable() : outcome)
                _ = try store.settle(message, outcomes.last!, now: now, jitter: 0)
            } else if let next {
                now = next
            } else {
                break
            }
        }
        return outcomes
    }

    @Test(arguments: wrong)
    func messagesAreDeliveredOnceTheServiceRecovers(wrong: Wrong) async throws {
        other.serve("/login", Resource(.bytes(Array(Self.login.utf8)), type: "text/html"))
        server.serve("/login", Resource(.bytes(Array(Self.kept.utf8)), type: Self.json))
        let store = try Store(path: folder.path + "/flick.db")
        try fill(store)
        serve(wrong.resource(other.url("/login")))
        let (delivered, outcomes) = try await onThread {
            var options = NetworkOptions()
            options.environment = [:]
            let sending = ServiceClient(options)
            defer { sending.close() }
            var now = 10.0
            let outcomes = try Self.send(store, sending, &now, most: 8)
            let table = recover()
            _ = try Self.send(store, sending, &now, most: 100)
            return (table.rows.withLock(\.self), outcomes)
        }
        #expect(outcomes.count == 8)
        for outcome in outcomes {
            switch outcome {
            case .accepted, .refused: Issue.record("\(outcome)")
            case .unconfirmed, .unreachable, .failed: break
            }
        }
        #expect(delivered.sorted() == Self.done.sorted())
        #expect(delivered.filter { $0.contains("/a/") } == Array(Self.done.dropFirst()), "in the order of the user")
        let kept = try store.memories(of: [ItemKey(scope: server.url(""), id: "a")]).values.first?.reaction
        #expect(kept == Reaction(isLiked: false, isDisliked: false, isSaved: true))
    }

    /// Something else answers in the place of `flick serve`, in each way for another clip; then it is reached itself.
    @Test func databaseOfTheServerEqualsWhatTheUserDid() async throws {
        other.serve("/login", Resource(.bytes(Array(Self.login.utf8)), type: "text/html"))
        server.serve("/login", Resource(.bytes(Array(Self.kept.utf8)), type: Self.json))
        let (items, rows) = try await onThread {
            for number in Self.wrong.indices { try folder.write("clips/\(number).mp4", [0]) }
            let database = folder.path + "/serve.db"
            let service = try ServeProcess(
                folder.path + "/clips", state: folder.path,
                arguments: ["--database", "sqlite:" + database, "--quiet"])
            let address = "http://127.0.0.1:\(service.port)"
            var items: [String] = []
            // The feed has more while the folder is read.
            _ = try holds(within: .seconds(20)) {
                items = try Self.items(at: address)
                return items.count == Self.wrong.count
            }
            var options = NetworkOptions()
            options.environment = [:]
            let sending = ServiceClient(options)
            defer { sending.close() }
            for (item, wrong) in zip(items, Self.wrong) {
                let store = try Store(path: "\(folder.path)/\(item).db")
                try fill(store, item: item, comment: Self.comment(on: item))
                serve(wrong.resource(other.url("/login")), for: item)
                var now = 10.0
                _ = try Self.send(store, sending, &now, most: 6)
                _ = try Self.send(store, sending, &now, most: 100, to: address, losesAnswers: true)
            }
            _ = service.end(SIGTERM)
            return (items, try Self.rows(of: database))
        }
        #expect(items.count == Self.wrong.count)
        // The like was taken back. Likes, dislikes, saves, comments, shares and views are counted.
        let done = items.flatMap { item in
            ["save", "share", "view", Self.comment(on: item), "0 0 1 1 1 1"].map { "\(item) \($0)" }
        }
        #expect(rows.sorted() == done.sorted())
    }

    private static func comment(on item: String) -> String { #"so "nice" 👍 & <b>\#(item)</b>"# }

    /// The ids of all items of a `flick serve`.
    private static func items(at address: String) throws -> [String] {
        let text = try Command.run(["curl", "-s", "-g", "--max-time", "20", address + "/feed.json?limit=100"]).output
        let feed = try JSONSerialization.jsonObject(with: Data(text.utf8)) as? [String: Any]
        return (feed?["items"] as? [[String: Any]] ?? []).compactMap { $0["id"] as? String }
    }

    /// What is on, has happened, was written and was counted, as another program reads it in a server's database.
    private static func rows(of database: String) throws -> [String] {
        let script = "import sqlite3, sys\nfor row in sqlite3.connect(sys.argv[1]).execute(sys.argv[2]): print(*row)"
        let query = """
            SELECT item, kind FROM reaction WHERE is_on UNION ALL SELECT item, kind FROM event
            UNION ALL SELECT item, body FROM comment UNION ALL
            SELECT item, likes||' '||dislikes||' '||saves||' '||comments||' '||shares||' '||views FROM tally
            """
        let read = try Command.run(
            ["python3", "-c", script, database, query], setting: ["PYTHONIOENCODING": "utf-8"])
        guard read.status == 0 else { throw Command.Error(description: read.errors) }
        return read.output.split(separator: "\n").map(String.init)
    }

    @Test(arguments: [400, 403, 404, 405, 413, 431])
    func protocolRefusalIsFinal(status: Int) async throws {
        let store = try Store(path: folder.path + "/flick.db")
        try fill(store)
        serve(Wrong(status, "application/json; charset=utf-8", #"{"error":"not today"}"#).resource(""))
        let outcomes = try await onThread {
            let sending = ServiceClient(NetworkOptions())
            defer { sending.close() }
            var now = 10.0
            return try Self.send(store, sending, &now, most: 100)
        }
        #expect(outcomes.count == Self.done.count)
        for case let outcome in outcomes {
            guard case .refused("not today") = outcome else {
                Issue.record("\(outcome)")
                continue
            }
        }
    }

    @Test func forbiddenEndpointIsRefusedWithoutARequest() async throws {
        let store = try Store(path: folder.path + "/flick.db")
        try store.apply([
            .shared(
                LibraryItem(
                    key: ItemKey(scope: "https://h", id: "a"), url: "https://h/a.mp4", json: "{}",
                    feed: "https://h/feed.json", source: "https://h/feed.json", endpoint: server.url("/service")),
                at: 1)
        ])
        let outcomes = try await onThread {
            let sending = ServiceClient(NetworkOptions())
            defer { sending.close() }
            var now = 10.0
            return try Self.send(store, sending, &now, most: 3)
        }
        guard case .refused(let why)? = outcomes.first else {
            Issue.record("\(outcomes)")
            return
        }
        #expect(outcomes.count == 1 && why.contains("private host") && server.requests.isEmpty)
    }
}

private final class TestTable: Sendable {
    let rows = Mutex<[String]>([])
}
