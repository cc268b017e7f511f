import Foundation
import Model
import Platform
import TestSupport
import Testing

@testable import FeedServer

@Suite struct ServedReactionTests {
    private static let path = "/videos/" + ServedFolder.a
    private static var now: String { RFC3339.text(seconds: WallClock.now) }

    private func view(_ id: String, item: String = ServedFolder.a, _ change: (inout [String: Any]) -> Void = { _ in })
        throws -> String
    {
        var fields: [String: Any] = [
            "event_id": id, "video_id": item, "session_id": "s", "at": Self.now, "watched_ms": 2_000,
        ]
        change(&fields)
        return String(decoding: try JSONSerialization.data(withJSONObject: fields), as: UTF8.self)
    }

    @Test func viewsAndEngagementCountOnce() async throws {
        let served = try await ServedFolder()
        for status in ["kept", "known", "known"] {
            let reply = try await served.ask("POST", "/videos/track_view", body: try view("e"))
            #expect(reply.status == 200 && reply.json["status"] as? String == status)
        }
        let visit = try view("e") { fields in
            fields.merge([
                "watch_time": 12.5, "completion": 0.5, "milestones": [25, 50], "replay_count": 1, "has_skipped": true,
                "buffer_duration": 0.25,
            ]) { $1 }
        }
        #expect(
            try await served.ask("POST", "/videos/track_engagement", body: visit).json["status"] as? String == "kept")
        #expect(try await served.get("/metrics").text.contains("flick_views 1\n"))
        await served.stop()
    }

    @Test(
        arguments: [
            ("event_id", nil), ("event_id", 7), ("event_id", ""), ("event_id", "a b"), ("event_id", "é"),
            ("session_id", nil),
            ("at", nil), ("at", "yesterday"), ("at", -5), ("at", "2199-01-01T00:00:00Z"), ("watched_ms", nil),
            ("watched_ms", -1), ("watched_ms", "2"), ("watched_ms", 1e300), ("video_id", 3), ("watched_ms", true),
        ] as [(String, (any Sendable)?)])
    func aWrongFieldIsNamed(name: String, value: (any Sendable)?) async throws {
        let served = try await ServedFolder()
        let body = try view("e") { $0[name] = value }
        let reply = try await served.ask("POST", "/videos/track_view", body: body)
        #expect(reply.status == 400, "\(reply.text)")
        #expect((reply.json["error"] as? String)?.hasPrefix(name + ": ") == true, "\(reply.text)")
        await served.stop()
    }

    @Test(arguments: ["completion", "milestones", "replay_count", "has_skipped", "buffer_duration", "watch_time"])
    func aVisitIsCheckedToo(name: String) async throws {
        let served = try await ServedFolder()
        let body = try view("e") { fields in
            (fields["watch_time"], fields["completion"]) = (1, 1)
            fields[name] = "x"
        }
        let reply = try await served.ask("POST", "/videos/track_engagement", body: body)
        #expect(
            reply.status == 400 && (reply.json["error"] as? String)?.hasPrefix(name + ": ") == true, "\(reply.text)")
        await served.stop()
    }

    @Test(arguments: ["\u{200B}", " \u{2060}\u{FEFF} ", "\u{3164}", "\u{2800}"])
    func invisibleCommentIsRejected(text: String) async throws {
        let served = try await ServedFolder()
        let body = "{\"event_id\":\"e\",\"text\":\"\(text)\",\"at\":\"\(Self.now)\"}"
        let reply = try await served.ask("POST", Self.path + "/comments", body: body)
        #expect(reply.status == 400 && (reply.json["error"] as? String)?.hasPrefix("text: ") == true, "\(reply.text)")
        await served.stop()
    }

    @Test func anUnknownItemIsNotFound() async throws {
        let served = try await ServedFolder()
        #expect(try await served.ask("POST", "/videos/track_view", body: try view("e", item: "0123")).status == 404)
        for method in ["PUT", "DELETE"] {
            #expect(try await served.ask(method, "/videos/0123456789abcdef/like").status == 404)
            #expect(try await served.ask(method, "/creators/nobody/follow").status == 404)
        }
        #expect(try await served.get("/videos/0123/comments").status == 404)
        let comment = #"{"event_id":"e","text":"x","at":1}"#
        #expect(try await served.ask("POST", "/videos/0123/comments", body: comment).status == 404)
        await served.stop()
    }

    @Test func reactionsAreOfTheirViewer() async throws {
        let served = try await ServedFolder()
        func order(_ method: String, _ what: String, _ viewer: String?, at: String? = nil) async throws -> Int {
            let body = at.map { "{\"event_id\":\"x\",\"at\":\"\($0)\"}" }
            return try await served.ask(
                method, Self.path + "/" + what, viewer.map { ["Flick-Viewer: " + $0] } ?? [], body: body
            ).status
        }
        for viewer in ["one", "two", nil] { #expect(try await order("PUT", "like", viewer) == 200) }
        #expect(try await order("PUT", "like", "one") == 200)
        #expect(try await served.stats()["likes"] == 3)
        #expect(try await order("PUT", "dislike", "two") == 200)
        #expect(try await order("PUT", "save", "two") == 200)
        let stats = try await served.stats()
        #expect(stats["likes"] == 2 && stats["dislikes"] == 1 && stats["saves"] == 1)
        // An order that comes late undoes nothing newer.
        #expect(try await order("DELETE", "like", "one", at: "2020-01-01T00:00:00Z") == 200)
        #expect(try await served.stats()["likes"] == 2)
        #expect(try await order("DELETE", "like", "one") == 200)
        #expect(try await served.stats()["likes"] == 1)
        // Nor can one from a clock that is ahead keep newer ones from counting.
        #expect(try await order("PUT", "save", "one", at: RFC3339.text(seconds: WallClock.now + 7_200)) == 200)
        #expect(try await served.stats()["saves"] == 2)
        #expect(try await order("DELETE", "save", "one") == 200)
        #expect(try await served.stats()["saves"] == 1)
        #expect(try await order("PUT", "like", "not a viewer") == 400)
        #expect(try await order("PUT", "like", "one", at: "2199-01-01T00:00:00Z") == 400)
        for body in ["{\"event_id\":\"s\"}", "{\"event_id\":\"s\"}", "{\"event_id\":\"t\"}"] {
            #expect(try await served.ask("POST", Self.path + "/share", body: body).status == 200)
        }
        #expect(try await served.ask("POST", Self.path + "/share").status == 400)
        #expect(try await served.stats()["shares"] == 2)
        await served.stop()
    }

    @Test func creatorsAreFollowed() async throws {
        let served = try await ServedFolder(["Ann/a.mp4": [1]])
        let ann = FolderIndex.creatorID("Ann")
        let follows = "SELECT creator, viewer, is_on FROM follow"
        func order(_ method: String, at: String? = nil) async throws -> Int {
            let body = at.map { "{\"event_id\":\"x\",\"at\":\"\($0)\"}" }
            return try await served.ask(method, "/creators/\(ann)/follow", ["Flick-Viewer: one"], body: body).status
        }
        #expect(try await order("PUT") == 200)
        #expect(try served.rows(follows) == "\(ann) one 1\n")
        // An order that comes late undoes nothing newer.
        #expect(try await order("DELETE", at: "2020-01-01T00:00:00Z") == 200)
        #expect(try served.rows(follows) == "\(ann) one 1\n")
        #expect(try await order("DELETE") == 200)
        #expect(try served.rows(follows) == "\(ann) one 0\n")
        await served.stop()
    }

    @Test func commentsAreAddedAnsweredAndPaged() async throws {
        let served = try await ServedFolder()
        func add(_ event: String, _ text: String, _ more: String = "", viewer: String = "one") async throws
            -> ServedFolder.Reply
        {
            let body = "{\"event_id\":\"\(event)\",\"text\":\"\(text)\",\"at\":\"\(Self.now)\"\(more)}"
            return try await served.ask("POST", Self.path + "/comments", ["Flick-Viewer: " + viewer], body: body)
        }
        let first = try await add("a", "  first\\u001b[2J  ", #","name":"Zoë""#)
        #expect(first.status == 201 && first.json["text"] as? String == "first\u{1B}[2J")
        // Whatever is in a text, no answer holds a control character.
        #expect(!first.body.contains(0x1B))
        #expect(first.json["own"] as? Bool == true && first.json["name"] as? String == "Zoë")
        #expect(first.json["clock"] == nil && first.json["parent"] == nil)
        let again = try await add("a", "first")
        #expect(again.status == 200 && again.json["id"] as? String == first.json["id"] as? String)
        let id = try #require(first.json["id"] as? String)
        let reply = try await add("b", "reply", ",\"parent\":\"\(id)\"", viewer: "two")
        let deep = try await add("c", "deep", ",\"parent\":\"\(try #require(reply.json["id"] as? String))\"")
        #expect(reply.status == 201 && deep.json["parent"] as? String == id)
        for number in 0..<3 { #expect(try await add("n\(number)", "more \(number)").status == 201) }
        let page = try await served.get(Self.path + "/comments?limit=3", ["Flick-Viewer: two"])
        let threads = try #require(page.json["comments"] as? [[String: Any]])
        #expect(threads.compactMap { $0["text"] as? String } == ["more 2", "more 1", "more 0"])
        #expect(page.json["total"] as? Int == 6)
        let next = try #require(page.json["next"] as? String)
        #expect(next.contains("limit=3"))
        let rest = try await served.get(
            String(next.dropFirst("http://127.0.0.1:\(served.port)".count)), ["Flick-Viewer: two"])
        let last = try #require((rest.json["comments"] as? [[String: Any]])?.first)
        let replies = try #require(last["replies"] as? [[String: Any]])
        #expect(replies.compactMap { $0["text"] as? String } == ["reply", "deep"])
        #expect(replies.compactMap { $0["own"] as? Bool } == [true, false] && last["own"] as? Bool == false)
        #expect(rest.json["next"] == nil)
        #expect(try await served.stats()["comments"] == 6)
        for (text, more) in [
            ("", ""), (String(repeating: "x", count: 2_001), ""), ("x", ",\"parent\":\"999\""),
            ("x", ",\"parent\":\"x\""),
            ("x", ",\"name\":\"\(String(repeating: "n", count: 65))\""), ("x", ",\"parent\":7"),
        ] { #expect(try await add("bad", text, more).status == 400) }
        #expect(try await add("long", String(repeating: "é", count: 2_000)).status == 201)
        await served.stop()
    }

    @Test func aClockThatIsOffIsMarked() async throws {
        let served = try await ServedFolder()
        for (number, off) in [(-7_200.0, true), (7_200, true), (-60, false)].enumerated() {
            let at = RFC3339.text(seconds: WallClock.now + off.0)
            let reply = try await served.ask(
                "POST", Self.path + "/comments", body: "{\"event_id\":\"\(number)\",\"text\":\"x\",\"at\":\"\(at)\"}")
            #expect((reply.json["clock"] as? String == "off") == off.1)
            #expect((reply.json["at"] as? String == at) == !off.1)
        }
        await served.stop()
    }

    @Test func pagesOfOtherSitesCannotReact() async throws {
        let served = try await ServedFolder()
        let origin = "http://127.0.0.1:\(served.port)"
        #expect(try await served.ask("PUT", Self.path + "/like", ["Origin: http://evil.example"]).status == 403)
        #expect(try await served.ask("PUT", Self.path + "/like", ["Origin: null"]).status == 403)
        #expect(try await served.ask("PUT", Self.path + "/like", ["Origin: " + origin]).status == 200)
        await served.stop()
    }

    @Test func withoutItsDatabaseItServesAndSaysSo() async throws {
        let served = try await ServedFolder()
        #expect(try await served.ask("PUT", Self.path + "/like").status == 200)
        let file = served.state.path + "/serve.db"
        for suffix in ["", "-wal", "-shm"] { rename(file + suffix, file + suffix + ".away") }
        let reply = try await served.ask("PUT", Self.path + "/save")
        #expect(reply.status == 503 && reply.headers["retry-after"] == "5" && reply.json["error"] != nil)
        #expect(try await served.get(Self.path + "/comments").status == 503)
        #expect(try await served.items().count == 1)
        #expect(try await served.get("/media/" + ServedFolder.a).status == 200)
        #expect(try await served.get("/metrics").status == 200)
        for suffix in ["", "-wal", "-shm"] { rename(file + suffix + ".away", file + suffix) }
        #expect(try await served.ask("PUT", Self.path + "/save").status == 200)
        #expect(try await served.stats()["likes"] == 1)
        await served.stop()
    }
}
