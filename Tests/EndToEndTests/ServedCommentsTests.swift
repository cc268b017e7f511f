import Foundation
import TestSupport
import Testing

extension EndToEnd {
    /// flick and `flick serve`: comments and items that are deleted, liked and reported.
    @Suite struct ServedCommentsTests {
        private static let admin = "of-who-runs-it"
        private let folder = TemporaryFolder()
        private let state = TemporaryFolder()

        /// The demo's clips, which can be deleted.
        private func serve() throws -> ServeProcess {
            for name in ["aurora.mp4", "bloom.mp4"] {
                let bytes = try Data(contentsOf: URL(fileURLWithPath: FlickBinary.demo + "/" + name))
                try folder.write("clips/" + name, bytes)
            }
            return try ServeProcess(
                folder.path + "/clips", state: state.path, arguments: ["--admin-token", Self.admin, "--quiet"])
        }

        private func browse(_ feed: String) throws -> FlickSession {
            let config = try state.write("config.toml", Array("[keys]\ndelete_item = \"Z\"\n".utf8))
            let flick = try FlickSession(
                [
                    "--fill", "--start", "1", "--cache-dir", state.path + "/cache", "--config", config, feed,
                ], environment: ["XDG_STATE_HOME": state.path + "/flick"])
            try flick.waitForTrace("engage") { $0.what == "impression" }
            return flick
        }

        private func get(_ server: ServeProcess, _ path: String) throws -> [String: Any] {
            let text = try Command.run([
                "curl", "-s", "-g", "--max-time", "20", "http://127.0.0.1:\(server.port)\(path)",
            ]).output
            return try #require(try JSONSerialization.jsonObject(with: Data(text.utf8)) as? [String: Any], "\(text)")
        }

        private func items(_ server: ServeProcess) throws -> [String] {
            try #require(get(server, "/feed.json")["items"] as? [[String: Any]]).compactMap { $0["id"] as? String }
        }

        private func comments(_ server: ServeProcess, of item: String) throws -> [[String: Any]] {
            try #require(get(server, "/videos/\(item)/comments")["comments"] as? [[String: Any]])
        }

        private func add(_ text: String, to item: String, on server: ServeProcess) throws {
            let at = Int(Date().timeIntervalSince1970)
            let body = "{\"event_id\":\"\(UUID().uuidString)\",\"text\":\"\(text)\",\"at\":\(at)}"
            _ = try Command.run([
                "curl", "-s", "-H", "Flick-Viewer: other", "-d", body,
                "http://127.0.0.1:\(server.port)/videos/\(item)/comments",
            ])
        }

        @Test func commentIsLikedReportedDeletedAndRestored() throws {
            let server = try serve()
            let item = try #require(items(server).first)
            try add("from another", to: item, on: server)
            let flick = try browse(server.feed)
            let terminal = flick.terminal
            try terminal.press("c")
            try terminal.waitUntil("the comment") { $0.contains("from another") }
            try terminal.press("l")
            try terminal.waitUntil("the like") { $0.contains("♥ 1") }
            #expect(try holds(within: .seconds(20)) { try comments(server, of: item)[0]["likes"] as? Int == 1 })
            try terminal.press("!")
            try terminal.type("rude")
            try terminal.press("Enter")
            let reports = "/reports.json?token=" + Self.admin
            #expect(
                try holds(within: .seconds(20)) {
                    try (get(server, reports)["reports"] as? [[String: Any]])?.first?["reason"] as? String == "rude"
                })
            try terminal.press("Enter")
            try terminal.type("mine")
            try terminal.press("Enter")
            #expect(try holds(within: .seconds(20)) { try comments(server, of: item).count == 2 })
            try terminal.waitUntil("the hint") { $0.contains("d delete") }
            try terminal.press("d")
            try terminal.waitUntil("the notice") { $0.contains("Comment deleted") }
            #expect(try holds(within: .seconds(20)) { try comments(server, of: item).count == 1 })
            try terminal.press("U")
            #expect(try holds(within: .seconds(20)) { try comments(server, of: item).count == 2 })
            try terminal.press("d")
            #expect(try holds(within: .seconds(20)) { try comments(server, of: item).count == 1 })
            #expect(try comments(server, of: item)[0]["text"] as? String == "from another")
        }

        /// Nothing is lost while the server is down.
        @Test func deletionWaitsForTheServer() throws {
            var server = try serve()
            let item = try #require(items(server).first)
            let flick = try browse(server.feed)
            let terminal = flick.terminal
            try terminal.press("c", "Enter")
            try terminal.type("mine")
            try terminal.press("Enter")
            #expect(try holds(within: .seconds(20)) { try comments(server, of: item).count == 1 })
            try terminal.waitUntil("the hint") { $0.contains("d delete") }
            let port = server.port
            #expect(server.end(SIGTERM) == 0)
            try terminal.press("d")
            try terminal.waitUntil("the notice") { $0.contains("Not sent yet") }
            server = try ServeProcess(
                folder.path + "/clips", state: state.path,
                arguments: ["--admin-token", Self.admin, "--quiet", "--port", "\(port)"])
            #expect(try holds(within: .seconds(30)) { try comments(server, of: item).isEmpty })
        }

        @Test func operatorDeletesAClipAndBringsItBack() throws {
            let server = try serve()
            let all = try items(server)
            let flick = try browse(server.feed + "?token=" + Self.admin)
            let terminal = flick.terminal
            try terminal.waitUntil("two clips") { $0.rows[0].contains("1/2") }
            try terminal.press("Z")
            try terminal.waitUntil("it is gone") { !$0.rows[0].contains("1/2") && $0.contains("Clip deleted") }
            #expect(try holds(within: .seconds(20)) { try items(server) == Array(all.dropFirst()) })
            #expect(access(folder.path + "/clips/aurora.mp4", F_OK) != 0)
            try terminal.press("U")
            try terminal.waitUntil("it is back") { $0.rows[0].contains("1/2") }
            #expect(try holds(within: .seconds(20)) { try items(server) == all })
        }

        /// A viewer may not, and a service of the first version cannot: nothing is offered, sent or retried.
        @Test func serviceOfTheFirstVersionGetsNoNewMessages() throws {
            let service = try TestService()
            let flick = try browse(service.feed)
            let terminal = flick.terminal
            try terminal.press("c", "Enter")
            try terminal.type("mine")
            try terminal.press("Enter")
            #expect(try holds(within: .seconds(20)) { try service.table().comments.count == 1 })
            try terminal.waitUntil("it is sent") { !$0.contains("sending") && $0.contains("mine") }
            #expect(try !terminal.capture().contains("d delete"))
            try terminal.press("d")
            try terminal.waitUntil("one clear line") { $0.contains("This server cannot delete comments") }
            try terminal.press("l")
            try terminal.waitUntil("one clear line") { $0.contains("Comments cannot be liked here") }
            #expect(try service.table().comments.count == 1 && service.table().events("like").isEmpty)
        }
    }
}
