import Foundation
import Model
import Platform
import TestSupport
import Testing

@testable import FeedServer

/// Comments that are deleted, liked and reported, over HTTP.
@Suite struct ServedCommentTests {
    private static let path = "/videos/" + ServedFolder.a + "/comments"
    private static let admin = "an-admin-token"

    private func served() async throws -> ServedFolder { try await ServedFolder { $0.adminToken = Self.admin } }

    /// The id of a new comment.
    private func add(_ text: String, by viewer: String? = "one", to served: ServedFolder) async throws -> String {
        let body = """
            {"event_id":"\(UUID().uuidString)","text":"\(text)","at":"\(RFC3339.text(seconds: WallClock.now))"}
            """
        let reply = try await served.ask(
            "POST", Self.path, viewer.map { ["Flick-Viewer: " + $0] } ?? [], body: body)
        return try #require(reply.json["id"] as? String, "\(reply.text)")
    }

    private func order(
        _ method: String, _ path: String, by viewer: String? = "one", _ headers: [String] = [], body: String? = nil,
        on served: ServedFolder
    ) async throws -> ServedFolder.Reply {
        try await served.ask(
            method, Self.path + path, (viewer.map { ["Flick-Viewer: " + $0] } ?? []) + headers, body: body)
    }

    private func texts(_ served: ServedFolder) async throws -> [String] {
        let list = try await served.get(Self.path).json["comments"] as? [[String: Any]]
        return try #require(list).compactMap { $0["text"] as? String }
    }

    @Test func authorDeletesAComment() async throws {
        let served = try await served()
        let (first, second) = (try await add("first", to: served), try await add("second", to: served))
        for status in ["kept", "known"] {
            let reply = try await order("DELETE", "/" + first, on: served)
            #expect(reply.status == 200 && reply.json["status"] as? String == status, "\(reply.text)")
        }
        #expect(try await texts(served) == ["second"])
        #expect(try await served.stats()["comments"] == 1)
        #expect(try await order("PUT", "/" + first, on: served).status == 200)
        #expect(try await texts(served) == ["second", "first"])
        for (id, viewer, status) in [
            (second, "two", 403), (second, nil, 403), ("999", "one", 404), ("x", "one", 404), ("0", "one", 404),
        ] as [(String, String?, Int)] {
            let reply = try await order("DELETE", "/" + id, by: viewer, on: served)
            #expect(reply.status == status && reply.json["error"] != nil, "\(id) \(reply.text)")
        }
        // A viewer without an id is an address, which others may have as well.
        let anonymous = try await add("anonymous", by: nil, to: served)
        #expect(try await order("DELETE", "/" + anonymous, by: nil, on: served).status == 403)
        let asOperator = ["Authorization: Bearer " + Self.admin]
        #expect(try await order("DELETE", "/" + anonymous, by: "op", asOperator, on: served).status == 200)
        #expect(try await order("DELETE", "/" + second + "?token=" + Self.admin, on: served).status == 200)
        #expect(try await texts(served) == ["first"])
        await served.stop()
    }

    @Test func deletedCommentWithRepliesKeepsItsPlace() async throws {
        let served = try await served()
        let first = try await add("secret", to: served)
        let body =
            #"{"event_id":"r","text":"reply","at":"\#(RFC3339.text(seconds: WallClock.now))","parent":"\#(first)"}"#
        #expect(try await served.ask("POST", Self.path, ["Flick-Viewer: two"], body: body).status == 201)
        #expect(try await order("DELETE", "/" + first, on: served).status == 200)
        let page = try await served.get(Self.path, ["Flick-Viewer: one"])
        let thread = try #require((page.json["comments"] as? [[String: Any]])?.first)
        #expect(thread["deleted"] as? Bool == true && thread["own"] as? Bool == false && thread["name"] == nil)
        #expect((thread["replies"] as? [[String: Any]])?.count == 1 && !page.text.contains("secret"))
        // What clients of the first version need is there.
        #expect((thread["text"] as? String)?.isEmpty == false && thread["at"] is String && thread["id"] is String)
        await served.stop()
    }

    @Test func likesOfACommentCountOncePerViewer() async throws {
        let served = try await served()
        let id = try await add("x", to: served)
        for (method, viewer, likes) in [("PUT", "a", 1), ("PUT", "a", 1), ("PUT", "b", 2), ("DELETE", "a", 1)] {
            let reply = try await order(method, "/\(id)/like", by: viewer, on: served)
            #expect(reply.status == 200 && reply.json["status"] as? String == "kept")
            #expect(reply.json["likes"] as? Int == likes, "\(reply.text)")
        }
        for (viewer, isLiked) in [("a", false), ("b", true)] {
            let page = try await served.get(Self.path, ["Flick-Viewer: " + viewer])
            let comment = try #require((page.json["comments"] as? [[String: Any]])?.first)
            #expect(comment["likes"] as? Int == 1 && comment["liked"] as? Bool == isLiked)
        }
        #expect(try await order("PUT", "/999/like", on: served).status == 404)
        #expect(try await served.ask("PUT", "/videos/0123456789abcdef/comments/\(id)/like").status == 404)
        await served.stop()
    }

    /// What flick of commit 2afa737f sends, letter by letter but for the times; and all that it reads of the answers.
    @Test func clientOfThePreviousVersionWorks() async throws {
        let served = try await served()
        let item = "/videos/" + ServedFolder.a
        let head = #"{"event_id":"8F3B2C1E-0000-4000-8000-00000000000"#
        let at = #"","at":"\#(RFC3339.text(seconds: WallClock.now))""#
        let about = #","video_id":"\#(ServedFolder.a)","session_id":"s""#
        let visit = #","watch_time":3,"completion":0.5,"milestones":[25,50],"replay_count":1,"has_skipped":true"#
        let sent: [(method: String, path: String, fields: String)] = [
            ("POST", "/videos/track_view", about + #","watched_ms":2010"#),
            ("POST", "/videos/track_engagement", about + visit + #","buffer_duration":0.25"#),
            ("PUT", item + "/like", ""), ("DELETE", item + "/like", ""), ("PUT", item + "/dislike", ""),
            ("PUT", item + "/save", ""), ("POST", item + "/share", ""),
        ]
        for (place, message) in sent.enumerated() {
            let body = head + "\(place)" + at + message.fields + "}"
            let reply = try await served.ask(message.method, message.path, ["Flick-Viewer: one"], body: body)
            #expect(reply.status == 200 && reply.json["status"] as? String == "kept", "\(message) \(reply.text)")
        }
        let comment = try await served.ask(
            "POST", item + "/comments", ["Flick-Viewer: one"], body: head + "9" + at + #","text":"hi","name":"N"}"#)
        #expect(comment.status == 201)
        for field in ["id", "text", "at", "name"] { #expect(comment.json[field] is String, "\(field)") }
        #expect(comment.json["own"] as? Bool == true)
        let page = try await served.get(item + "/comments", ["Flick-Viewer: one"])
        #expect((page.json["comments"] as? [[String: Any]])?.count == 1 && page.json["total"] as? Int == 1)
        let feed = try await served.get("/feed.json")
        #expect(feed.json["engagement"] is String && (feed.json["items"] as? [[String: Any]])?.count == 1)
        await served.stop()
    }

    @Test func reportsAreForTheOperator() async throws {
        let served = try await served()
        let id = try await add("rude words", to: served)
        func report(_ body: String, by viewer: String = "two") async throws -> ServedFolder.Reply {
            try await order("POST", "/\(id)/report", by: viewer, body: body, on: served)
        }
        for status in ["kept", "known"] {
            #expect(try await report(#"{"reason":" rude "}"#).json["status"] as? String == status)
        }
        let long = String(repeating: "x", count: 501)
        for body in ["{}", #"{"reason":""}"#, #"{"reason":"\#(long)"}"#, #"{"reason":7}"#, #"{"reason":"\#u{200B}"}"#] {
            let reply = try await report(body, by: "three")
            #expect(reply.status == 400 && (reply.json["error"] as? String)?.hasPrefix("reason: ") == true)
        }
        #expect(try await served.get("/reports.json").status == 401)
        let reply = try await served.get("/reports.json?token=" + Self.admin)
        let reports = try #require(reply.json["reports"] as? [[String: Any]])
        #expect(reports.count == 1 && reports[0]["reason"] as? String == "rude")
        #expect(reports[0]["video_id"] as? String == ServedFolder.a)
        #expect((reports[0]["comment"] as? [String: Any])?["text"] as? String == "rude words")
        #expect(!reply.text.contains("two"), "it names the viewer")
        let without = try await ServedFolder()
        #expect(try await without.get("/reports.json").status == 403)
        await without.stop()
        await served.stop()
    }
}
