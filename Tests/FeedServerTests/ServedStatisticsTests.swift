import Feeds
import Foundation
import Model
import TestSupport
import Testing

@testable import FeedServer

@Suite struct ServedStatisticsTests {
    private static let token = "of-who-runs-it"

    private func served(_ change: (inout ServerOptions) -> Void = { _ in }) async throws -> ServedFolder {
        let sidecar = Array(#"{"tags": ["rain"]}"#.utf8)
        let files = ["Mira/a.mp4": ServedFolder.bytes, "Mira/b.mp4": [1], "Ana/c.mp4": [2], "Ana/c.json": sidecar]
        return try await ServedFolder(files) {
            $0.adminToken = Self.token
            change(&$0)
        }
    }

    private func visit(_ served: ServedFolder, _ path: String, _ watched: Double, _ completion: Double) async throws {
        let body = """
            {"event_id": "\(UUID())", "video_id": "\(ServedFolder.id(path))", "session_id": "s", "at": 1780000000,
             "watch_time": \(watched), "completion": \(completion), "has_skipped": \(completion < 0.8)}
            """
        let reply = try await served.ask("POST", "/videos/track_engagement", body: body)
        #expect(reply.status == 200, "\(reply.text)")
    }

    @Test func statisticsCoverAllViewers() async throws {
        let served = try await served()
        #expect(await served.waits { $0.isWhole && $0.topics["rain"] != nil })
        try await visit(served, "Mira/a.mp4", 10, 0.25)
        try await visit(served, "Mira/a.mp4", 20, 0.75)
        try await visit(served, "Mira/b.mp4", 5, 1)
        try await visit(served, "Ana/c.mp4", 7, 0.5)
        let reply = try await served.get("/stats.json", ["Authorization: Bearer \(Self.token)"])
        #expect(reply.status == 200 && reply.headers["cache-control"] == "no-cache")
        let statistics = try #require(ServiceAnswer.statistics(reply.body))
        #expect(
            statistics
                == Statistics(
                    all: .init(name: "", watched: 42, visits: 4, completion: 0.625), clips: 3,
                    days: [.init(date: "2026-05-28", watched: 42)],
                    creators: [
                        .init(name: "Mira", watched: 35, visits: 3, completion: 0.666667),
                        .init(name: "Ana", watched: 7, visits: 1, completion: 0.5),
                    ], topics: [.init(name: "rain", watched: 7, visits: 1, completion: 0.5)],
                    skips: [0, 0, 1, 0, 0, 1, 0, 1]))
        // An item that is gone counts, but for no creator.
        try FileManager.default.removeItem(atPath: served.path + "/Mira/b.mp4")
        #expect(await served.waits { $0.count == 2 })
        let later = try await served.get("/stats.json?limit=1&token=\(Self.token)")
        let without = try #require(ServiceAnswer.statistics(later.body))
        #expect(without.all.visits == 4 && without.creators.map(\.name) == ["Mira"])
        #expect(without.creators.first?.watched == 30)
        let since = try await served.get("/stats.json?since=2026-05-29T00:00:00Z&token=\(Self.token)")
        #expect(ServiceAnswer.statistics(since.body) == .nothing)
        await served.stop()
        #expect(!served.log.contains(Self.token))
    }

    @Test func statisticsRequireTheAdminToken() async throws {
        let open = try await ServedFolder()
        #expect(try await open.get("/stats.json").status == 403)
        #expect(try await open.get("/stats.json?token=").status == 403)
        await open.stop()
        let served = try await served { $0.token = "of-every-viewer" }
        for shown in ["", "?token=of-every-viewer", "?token=of-who-runs-i", "?token=of-who-runs-it2"] {
            let reply = try await served.get("/stats.json" + shown)
            #expect(reply.status == 401 && reply.headers["www-authenticate"]?.contains("statistics") == true)
        }
        // It opens what the viewers' token does, and more.
        #expect(try await served.get("/feed.json?token=\(Self.token)").status == 200)
        #expect(try await served.ask("HEAD", "/stats.json?token=\(Self.token)").status == 200)
        for wrong in [
            "limit=-1", "limit=10001", "limit=x", "since=yesterday", "since=\(String(repeating: "1", count: 99))",
        ] {
            #expect(try await served.get("/stats.json?\(wrong)&token=\(Self.token)").status == 400, "\(wrong)")
        }
        await served.stop()
    }
}
