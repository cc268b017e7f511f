import Foundation
import Synchronization
import TestSupport
import Testing
import Threads

extension EndToEnd {
    /// Several servers over one database.
    @Suite struct SharedDatabaseTests {
        /// What one client posted until each post was acknowledged, and the rows that must exist for that.
        private struct Reckoning {
            var client: Int
            var views: [String: Int] = [:]
            var comments = 0
            /// By item and kind, of this client as a viewer.
            var reactions: [String: Bool] = [:]
            var repeats = 0
        }

        private struct NoServer: Error {}

        /// One of three servers at a time is killed while four clients post: nothing is lost, and nothing counts twice.
        @Test func killedServersLoseNothing() throws {
            let cluster = try PostgresCluster()
            let address = try cluster.address(of: "shared")
            let (folder, state) = (TemporaryFolder(), TemporaryFolder())
            for number in 0..<3 { try folder.write("clip \(number).mp4", [1]) }
            func server() throws -> ServeProcess {
                try ServeProcess(folder.path, state: state.path, arguments: ["--database", address, "--quiet"])
            }
            var servers = try (0..<3).map { _ in try server() }
            let ports = Mutex(servers.map(\.port))
            let feed = try Command.run(["curl", "-s", "http://127.0.0.1:\(servers[0].port)/feed.json"]).output
            let items = feed.split(separator: "/media/").dropFirst().map { String($0.prefix(16)) }
            try #require(Set(items).count == 3)

            let kills = ProcessInfo.processInfo.environment["FLICK_KILLS"].flatMap { Int($0) } ?? 12
            let isOver = Atomic(false)
            let reckonings = Monitor<[Result<Reckoning, any Error>]>([])
            // The clients continue until the last server was killed.
            for client in 0..<4 {
                BlockingThread.start {
                    let result = Result {
                        try Self.post(client, items, { ports.withLock { $0.randomElement() ?? 0 } }) {
                            isOver.load(ordering: .relaxed)
                        }
                    }
                    reckonings.change { $0.append(result) }
                }
            }
            var random = SeededRandom(state: 3)
            for _ in 0..<kills {
                // Waits for a random number of posts, whatever the speed of the machine.
                let before = try posts(cluster)
                let wanted = Int.random(in: 5...60, using: &random)
                #expect(try holds(within: .seconds(60)) { try posts(cluster) >= before + wanted })
                let place = Int.random(in: 0..<3, using: &random)
                #expect(servers[place].end(SIGKILL) == 128 + SIGKILL)
                servers[place] = try server()
                ports.withLock { $0[place] = servers[place].port }
            }
            isOver.store(true, ordering: .relaxed)
            let results = try #require(reckonings.wait(upTo: .seconds(120)) { $0.count == 4 ? $0 : nil })
            let all = try results.map { try $0.get() }
            try compare(all, cluster)
        }

        private func posts(_ cluster: PostgresCluster) throws -> Int {
            Int(try cluster.query("SELECT count(*) FROM flick.event", in: "shared").first ?? "") ?? 0
        }

        private func compare(_ all: [Reckoning], _ cluster: PostgresCluster) throws {
            func query(_ statement: String) throws -> [String] {
                try cluster.query("SET search_path = flick; " + statement, in: "shared")
            }
            var views: [String: Int] = [:]
            for one in all { views.merge(one.views) { $0 + $1 } }
            #expect(
                try query("SELECT item || ' ' || count(*) FROM event GROUP BY item ORDER BY 1")
                    == views.map { "\($0) \($1)" }.sorted())
            #expect(
                try query("SELECT item || ' ' || views FROM tally ORDER BY 1") == views.map { "\($0) \($1)" }.sorted())
            let comments = all.reduce(0) { $0 + $1.comments }
            #expect(try query("SELECT count(*), count(DISTINCT body) FROM comment") == ["\(comments)|\(comments)"])
            #expect(try query("SELECT sum(comments) FROM tally") == ["\(comments)"])
            let on = all.flatMap { one in
                one.reactions.filter(\.value).keys.map { "\($0) client\(one.client)" }
            }
            #expect(
                Set(try query("SELECT item || ' ' || kind || ' ' || viewer FROM reaction WHERE is_on = 1")) == Set(on))
            for kind in ["like", "dislike", "save"] {
                let count = on.count { $0.contains(" \(kind) ") }
                #expect(try query("SELECT sum(\(kind)s) FROM tally") == ["\(count)"])
            }
            // Servers were killed under requests, or this has shown nothing.
            #expect(all.contains { $0.repeats > 0 } && views.values.reduce(0, +) > 100)
        }

        /// Posts until `isOver`, each until some server says that it is kept.
        private static func post(
            _ client: Int, _ items: [String], _ port: () -> UInt16, _ isOver: () -> Bool
        ) throws -> Reckoning {
            var reckoning = Reckoning(client: client)
            var random = SeededRandom(state: UInt64(client))
            var number = 0
            while !isOver() {
                number += 1
                let item = items.randomElement(using: &random) ?? ""
                let at = Date().timeIntervalSince1970
                switch number % 3 {
                case 0:
                    let body =
                        "{\"event_id\":\"\(client)-\(number)\",\"video_id\":\"\(item)\",\"session_id\":\"s\",\"at\":\(at),\"watched_ms\":2000}"
                    try send("POST", "/videos/track_view", body, client, port, &reckoning.repeats)
                    reckoning.views[item, default: 0] += 1
                case 1:
                    let body = "{\"event_id\":\"\(client)-\(number)\",\"text\":\"\(client) \(number)\",\"at\":\(at)}"
                    try send("POST", "/videos/\(item)/comments", body, client, port, &reckoning.repeats)
                    reckoning.comments += 1
                default:
                    let kind = ["like", "dislike", "save"].randomElement(using: &random) ?? ""
                    let isOn = Int.random(in: 0..<3, using: &random) > 0
                    let body = "{\"event_id\":\"\(client)-\(number)\",\"at\":\(at)}"
                    try send(
                        isOn ? "PUT" : "DELETE", "/videos/\(item)/\(kind)", body, client, port, &reckoning.repeats)
                    reckoning.reactions["\(item) \(kind)"] = isOn
                    let opposite = ["like": "dislike", "dislike": "like"][kind]
                    if isOn, let opposite { reckoning.reactions["\(item) \(opposite)"] = false }
                }
            }
            return reckoning
        }

        private static func send(
            _ method: String, _ target: String, _ body: String, _ client: Int, _ port: () -> UInt16,
            _ repeats: inout Int
        ) throws {
            let head =
                "\(method) \(target) HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\nFlick-Viewer: client\(client)\r\nContent-Length: \(body.utf8.count)\r\n\r\n"
            let isKept = holds(within: .seconds(60)) {
                // No server listens for a moment after one was killed.
                guard let server = try? RawClient(port: port()) else { return false }
                server.send(head + body)
                // A server that is silent for too long is as good as killed.
                let bytes = (try? server.readToEnd()) ?? []
                let answer = String(decoding: bytes.prefix(12), as: UTF8.self)
                if answer == "HTTP/1.1 200" || answer == "HTTP/1.1 201" { return true }
                repeats += 1
                return false
            }
            if !isKept { throw NoServer() }
        }
    }
}
