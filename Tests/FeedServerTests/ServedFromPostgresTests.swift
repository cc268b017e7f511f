import TestSupport
import Testing

@testable import FeedServer

/// A server whose database is PostgreSQL.
@Suite struct ServedFromPostgresTests {
    @Test func withoutItsDatabaseItServesAndIsBackWithIt() async throws {
        let cluster = try await onThread { try PostgresCluster() }
        let url = try await onThread { try cluster.address(of: "served") }
        let served = try await ServedFolder { $0.database = .postgres(url) }
        let like = "/videos/\(ServedFolder.a)/like"
        #expect(try await served.ask("PUT", like).status == 200)
        #expect(try await served.stats()["likes"] == 1)
        await onThread { cluster.stop() }
        for _ in 0..<2 {
            let reply = try await served.ask("PUT", like)
            #expect(reply.status == 503 && reply.headers["retry-after"] == "5" && reply.json["error"] != nil)
        }
        #expect(try await served.get("/videos/\(ServedFolder.a)/comments").status == 503)
        // Without its counts.
        let items = try await served.items()
        #expect(items.count == 1 && items[0]["stats"] == nil)
        #expect(try await served.get("/media/" + ServedFolder.a).status == 200)
        #expect(try await served.get("/metrics").status == 200)
        try await onThread { try cluster.start() }
        #expect(try await served.ask("PUT", "/videos/\(ServedFolder.a)/save").status == 200)
        let stats = try await served.stats()
        #expect(stats["likes"] == 1 && stats["saves"] == 1)
        await served.stop()
        #expect(served.log.contains("the database failed: "))
    }
}
