import Foundation
import TestSupport
import Testing

extension EndToEnd {
    /// `flick serve` as its users start and end it.
    @Suite struct ServeTests {
        private let state = TemporaryFolder()

        private func curl(_ arguments: [String]) throws -> String {
            try Command.run(["curl", "-s", "-g", "--max-time", "20"] + arguments).output
        }

        @Test func aServedFolderIsAFeedForFlick() throws {
            let server = try ServeProcess(FlickBinary.demo, state: state.path)
            let address = "http://127.0.0.1:\(server.port)/feed.json"
            #expect(server.line == "flick serves \(FlickBinary.demo) at \(address)\n")
            let there = try Command.run(
                [FlickBinary.path, "feed", FlickBinary.demo + "/", "--json"], unsetting: ["NO_COLOR"])
            let here = try Command.run(
                [FlickBinary.path, "feed", address, "--json", "--no-cache"],
                setting: ["XDG_STATE_HOME": state.path, "XDG_CONFIG_HOME": state.path])
            #expect(here.status == 0 && here.errors.isEmpty, "\(here.errors)")
            func titles(_ text: String) throws -> [String] {
                try text.split(separator: "\n").map { line in
                    let item = try JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any]
                    return try #require(item?["title"] as? String)
                }
            }
            #expect(try titles(here.output).count > 5 && Set(try titles(there.output)) == Set(try titles(here.output)))
            #expect(here.output.contains("\"stats\":{\"likes\":0"))
            // A clip of HLS: playlist, variant and segments.
            let stream = try #require(here.output.split(separator: "\"").first { $0.hasSuffix("/master.m3u8") })
            let picture = try Command.run(
                [FlickBinary.path, "preview", String(stream), "--size", "20x10", "--no-cache"],
                setting: ["XDG_STATE_HOME": state.path, "XDG_CONFIG_HOME": state.path])
            #expect(picture.status == 0 && picture.output.count > 100, "\(picture.errors)")
            #expect(server.end(SIGTERM) == 0)
        }

        /// By the decoder that lies beside the server, kept in the state directory, and gone with it.
        @Test func stillsAreMadeByTheInstalledDecoder() throws {
            let folder = TemporaryFolder()
            try folder.link("served", to: FlickBinary.demo + "/abyss")
            let server = try ServeProcess(folder.path + "/served", state: state.path)
            let items = try JSONSerialization.jsonObject(with: Data(try curl([server.feed]).utf8)) as? [String: Any]
            let item = try #require((items?["items"] as? [[String: Any]])?.first)
            let still = folder.path + "/still.jpg"
            let facts = try curl([
                "-o", still, "-w", "%{http_code} %{content_type}", try #require(item["thumbnail"] as? String),
            ])
            #expect(facts == "200 image/jpeg")
            let bytes = try Data(contentsOf: URL(fileURLWithPath: still))
            #expect(bytes.starts(with: [0xFF, 0xD8]) && bytes.count > 2_000)
            let kept = try Command.run(["find", state.path + "/xdg/flick/serve", "-name", "*.jpg"]).output
            #expect(kept.split(separator: "\n").count == 1)
            #expect(try holds(within: .seconds(20)) { try ProcessTable.descendants(of: server.pid).isEmpty })
            #expect(server.end(SIGTERM) == 0)
        }

        @Test func curlGetsRangesAndKillLosesNothing() throws {
            let folder = TemporaryFolder()
            try folder.write("a.mp4", (0..<100_000).map { UInt8(truncatingIfNeeded: $0) })
            var server = try ServeProcess(folder.path, state: state.path)
            var base: String { "http://127.0.0.1:\(server.port)" }
            let items =
                try JSONSerialization.jsonObject(with: Data(try curl([base + "/feed.json"]).utf8)) as? [String: Any]
            let id = try #require(((items?["items"] as? [[String: Any]])?.first)?["id"] as? String)
            let sums = try Command.run([
                "/bin/sh", "-c",
                "curl -s -r 5000-69999 \(base)/media/\(id) | cksum; tail -c +5001 '\(folder.path)/a.mp4' | head -c 65000 | cksum",
            ]).output.split(separator: "\n")
            #expect(sums.count == 2 && sums[0] == sums[1])
            var kept = 0
            for round in 0..<5 {
                for number in 0..<10 {
                    let answer = try curl([
                        "-d", "{\"event_id\":\"\(round)-\(number)\",\"text\":\"t\",\"at\":\"2026-01-01\"}",
                        "-o", "/dev/null", "-w", "%{http_code}", base + "/videos/\(id)/comments",
                    ])
                    kept += answer == "201" ? 1 : 0
                }
                #expect(server.end(SIGKILL) == 128 + SIGKILL)
                server = try ServeProcess(folder.path, state: state.path)
                let page = try curl([base + "/videos/\(id)/comments"])
                #expect(page.contains("\"total\":\(kept)}"), "\(kept) were kept; \(page)")
            }
            #expect(kept == 50)
            #expect(server.end(SIGINT) == 130)
        }

        @Test func statsNeedTheAdminTokenAndCoverAllViewers() throws {
            let server = try ServeProcess(
                FlickBinary.demo, state: state.path, arguments: ["--admin-token", "of-who-runs-it"])
            let base = "http://127.0.0.1:\(server.port)"
            let id = try #require(curl([base + "/feed.json?limit=1"]).split(separator: "/media/").last?.prefix(16))
            let visit =
                #"{"event_id":"e","video_id":"\#(id)","session_id":"s","at":1780000000,"watch_time":125,"completion":0.5}"#
            #expect(try curl(["-d", visit, base + "/videos/track_engagement"]).contains("kept"))
            func stats(_ arguments: String...) throws -> Command.Result {
                try Command.run(
                    [FlickBinary.path, "stats"] + arguments,
                    setting: ["XDG_STATE_HOME": state.path, "XDG_CONFIG_HOME": state.path])
            }
            let drawn = try stats(base + "/feed.json", "--admin-token", "of-who-runs-it")
            #expect(drawn.status == 0 && drawn.output.hasPrefix("2 min watched, 1 visit to 1 clip, 50 % of a clip"))
            let json = try stats(base + "/feed.json", "--admin-token", "of-who-runs-it", "--json")
            #expect(json.output.hasPrefix(#"{"watch_time":125,"visits":1,"completion":0.5,"clips":1,"#))
            let later = try stats(base + "/feed.json", "--admin-token", "of-who-runs-it", "--since", "1d")
            #expect(later.output == "nothing watched\n")
            let wrong = try stats(base + "/feed.json", "--admin-token", "of-who-runs-i")
            #expect(wrong.status >> 8 == 1 && wrong.output.isEmpty)
            #expect(wrong.errors.contains("cannot read the statistics of \(base)/feed.json: the server rejected"))
            for mistake in [["--admin-token", "x"], ["/tmp", "--admin-token", "x"], [base, "--admin-token", "a b"]] {
                #expect(try Command.run([FlickBinary.path, "stats"] + mistake).status >> 8 == 2)
            }
            #expect(server.end(SIGTERM) == 0)
            let gone = try stats(base + "/feed.json", "--admin-token", "of-who-runs-it")
            #expect(gone.status >> 8 == 1 && gone.errors.split(separator: "\n").count == 1, "\(gone.errors)")
        }

        @Test func mistakesAreOneLine() throws {
            func serve(_ arguments: String...) throws -> Command.Result {
                try Command.run(
                    [FlickBinary.path, "serve"] + arguments,
                    setting: ["HOME": state.path, "XDG_STATE_HOME": state.path])
            }
            let none = try serve("/nowhere/at/all")
            #expect(none.status >> 8 == 1 && none.output.isEmpty)
            #expect(
                none.errors == "flick: cannot serve '/nowhere/at/all': no such file or directory; pass a folder\n"
            )
            let taken = try ServeProcess(state.path, state: state.path)
            let second = try serve(state.path, "--port", "\(taken.port)")
            #expect(second.status >> 8 == 1)
            #expect(
                second.errors
                    == "flick: cannot listen at 127.0.0.1:\(taken.port): address already in use; "
                    + "choose another port with --port\n"
            )
            for wrong in [
                ["--port", "70000"], ["--token", "short"], ["--tls-cert", "x"],
                ["--database", "mysql://me:secret@x/y"],
                ["--admin-token", "x"], ["--token", "12345678", "--admin-token", "12345678"], ["--media-base", "x"],
                ["--allow-host", "http://feed.example"], ["--allow-host", "feed.example:80"], ["--nonsense"],
            ] {
                let result = try Command.run([FlickBinary.path, "serve", state.path] + wrong)
                #expect(result.status >> 8 == 2 && result.errors.hasPrefix("flick: "), "\(result.errors)")
                #expect(!result.errors.contains("secret"))
            }
            for help in [["serve", "--help"], ["help", "serve"]] {
                let result = try Command.run([FlickBinary.path] + help)
                #expect(result.status == 0 && result.output.contains("USAGE: flick serve"))
            }
        }

        @Test func serverSpeaksTLS() throws {
            let folder = TemporaryFolder()
            let bytes = (0..<700_000).map { UInt8(truncatingIfNeeded: $0 &* 7) }
            try folder.write("a.mp4", bytes)
            let (certificate, key) = (state.path + "/cert.pem", state.path + "/key.pem")
            let made = try Command.run([
                "openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2", "-subj", "/CN=localhost",
                "-addext", "subjectAltName=DNS:localhost", "-keyout", key, "-out", certificate,
            ])
            #expect(made.status == 0, "\(made.errors)")
            let server = try ServeProcess(
                folder.path, state: state.path, arguments: ["--tls-cert", certificate, "--tls-key", key])
            #expect(server.line.contains(" at https://127.0.0.1:"))
            let base = "https://localhost:\(server.port)"
            let feed = try curl(["--cacert", certificate, base + "/feed.json"])
            #expect(feed.contains("\"engagement\":\"\(base)/\""))
            let id = try #require(feed.split(separator: "/media/").dropFirst().first?.prefix(16))
            let got = state.path + "/got"
            _ = try curl(["--cacert", certificate, "-o", got, base + "/media/\(id)"])
            #expect(FileManager.default.contents(atPath: got) == Data(bytes))
        }
    }
}
