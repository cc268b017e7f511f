import Foundation
import TestSupport
import Testing

@testable import FeedServer

/// Connections and requests of clients, well-behaved or not.
@Suite struct ServedConnectionTests {
    /// Sends each text when the one before was answered, on one connection. Returns all that came.
    private func talk(_ served: ServedFolder, _ texts: [String], endsSending: Bool = false) async throws -> String {
        let port = served.port
        let bytes: [UInt8] = try await onThread {
            let client = try RawClient(port: port)
            for text in texts { client.send(text) }
            if endsSending { client.endSending() }
            return try client.readToEnd()
        }
        return String(decoding: bytes, as: UTF8.self)
    }

    private static let last = "GET /healthz HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n"

    @Test func aConnectionServesManyRequests() async throws {
        let served = try await ServedFolder(["small.mp4": Array("some bytes".utf8)])
        let media = "GET /media/\(ServedFolder.id("small.mp4")) HTTP/1.1\r\nHost: x\r\n\r\n"
        let missing = "GET /nothing HTTP/1.1\r\nHost: x\r\n\r\n"
        let text = try await talk(served, [media + media + missing + media + Self.last])
        #expect(text.components(separatedBy: "HTTP/1.1 200").count == 5)
        #expect(text.components(separatedBy: "some bytes").count == 4 && text.contains("HTTP/1.1 404"))
        await served.stop()
    }

    @Test func halfClosedConnectionsAndHTTP10AreAnswered() async throws {
        let served = try await ServedFolder()
        let half = try await talk(served, ["GET /healthz HTTP/1.1\r\nHost: x\r\n\r\n"], endsSending: true)
        #expect(half.hasPrefix("HTTP/1.1 200"))
        let old = try await talk(served, ["GET /healthz HTTP/1.0\r\nHost: x\r\n\r\n"])
        #expect(old.contains(" 200 ") && old.hasSuffix("{\"status\":\"ok\"}\n"))
        #expect(old.lowercased().contains("\r\nconnection: close\r\n"))
        await served.stop()
    }

    @Test(arguments: [
        ("\r\n\r\n\u{1}\u{2}\r\n\r\n", "400"), ("GET /\r\n\r\n", "400"),
        ("NONSENSE / HTTP/1.1\r\nHost: x\r\n\r\n", "40"),
        ("GET / HTTP/1.1\r\nBad Header: x\r\n\r\n", "400"), ("GET / HTTP/1.1\r\n: x\r\n\r\n", "400"),
        ("POST / HTTP/1.1\r\nHost: x\r\nContent-Length: -1\r\n\r\n", "400"),
        ("POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n", "400"),
        ("GET / HTTP/1.1\r\nHost: x\r\nX: \(String(repeating: "a", count: 40_000))\r\n\r\n", "431"),
        ("GET /healthz HTTP/1.1\r\n\(String(repeating: "A: b\r\n", count: 500))\r\n", "431"),
        ("GET /feed.json HTTP/1.1\r\nConnection: close\r\n\r\n", "400"),
        ("GET /healthz HTTP/1.1\r\nConnection: close\r\n\r\n", "400"),
        ("GET /healthz HTTP/1.1\r\nHost: x\r\nHost: x\r\nConnection: close\r\n\r\n", "400"),
        ("GET /feed.json HTTP/1.1\r\nHost: x\r\nhOST: evil.example\r\n\r\n", "400"),
        ("GET http://x/feed.json HTTP/1.1\r\n\r\n", "400"),
        ("GET http://evil.example/feed.json HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n", "421"),
    ])
    func invalidRequestIsRejected(text: String, status: String) async throws {
        let served = try await ServedFolder()
        let answer = try await talk(served, [text])
        #expect(answer.hasPrefix("HTTP/1.1 \(status)"), "\(answer.prefix(100))")
        #expect(try await served.get("/healthz").status == 200)
        await served.stop()
    }

    @Test func requestsBeforeInvalidInputAreAnsweredFirst() async throws {
        let served = try await ServedFolder()
        let good = "GET /healthz HTTP/1.1\r\nHost: x\r\n\r\n"
        func statuses(_ text: String) async throws -> [String] {
            let text = try await talk(served, [text])
            return text.components(separatedBy: "HTTP/1.1 ").dropFirst().map { String($0.prefix(3)) }
        }
        #expect(try await statuses(good + good + good + "\u{1}\r\n\r\n") == ["200", "200", "200", "400"])
        let feed = "GET /feed.json HTTP/1.1\r\nHost: x\r\n\r\n"
        let large = "GET / HTTP/1.1\r\nX: \(String(repeating: "a", count: 40_000))\r\n\r\n"
        #expect(try await statuses(feed + good + large) == ["200", "200", "431"])
        // A body in chunks whose size is no number: its request gets that answer, and no other.
        let body = "POST /videos/track_view HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n"
        #expect(try await statuses(good + body) == ["200", "400"])
        #expect(try await statuses(body) == ["400"])
        #expect(try await statuses(feed + feed + body + good) == ["200", "200", "400"])
        await served.stop()
    }

    @Test func aRequestIsReadToItsEndWhileTheOneBeforeIsAnswered() async throws {
        let served = try await ServedFolder { ($0.limits.bodyPause, $0.limits.body) = (.seconds(600), .seconds(600)) }
        let port = served.port
        let text = try await onThread {
            let client = try RawClient(port: port)
            client.send(
                "GET /healthz HTTP/1.1\r\nHost: x\r\n\r\nPOST /videos/track_view HTTP/1.1\r\nHost: x\r\nContent-Length: 9\r\n\r\n1234"
            )
            // The first answer has come, and the second request, which is answered once it is whole, is half there.
            let first = try client.read(until: "{\"status\":\"ok\"}")
            client.send("56789" + Self.last)
            return String(decoding: first + (try client.readToEnd()), as: UTF8.self)
        }
        #expect(text.components(separatedBy: "HTTP/1.1 ").dropFirst().map { $0.prefix(3) } == ["200", "400", "200"])
        await served.stop()
    }

    @Test func aFileThatIsCutWhileItIsSentEndsTheConnection() async throws {
        let served = try await ServedFolder(["big.mp4": [UInt8](repeating: 7, count: 40_000_000)])
        let (port, path) = (served.port, served.path + "/big.mp4")
        let count = try await onThread {
            let client = try RawClient(port: port)
            client.send("GET /media/\(ServedFolder.id("big.mp4")) HTTP/1.1\r\nHost: x\r\n\r\n")
            let first = try client.read(until: "\r\n\r\n")
            truncate(path, 1_000)
            return first.count + (try client.readToEnd()).count
        }
        #expect(count < 40_000_000)
        await served.stop()
    }

    @Test func absoluteTargetOverridesHost() async throws {
        let served = try await ServedFolder()
        let text = try await talk(
            served, ["GET HTTP://localhost?limit=1 HTTP/1.1\r\nHost: evil.example\r\nConnection: close\r\n\r\n"])
        #expect(text.hasPrefix("HTTP/1.1 307"))
        #expect(text.lowercased().contains("location: http://localhost/feed.json\r\n"))
        let feed = try await talk(
            served, ["GET http://localhost/feed.json HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n"])
        #expect(feed.hasPrefix("HTTP/1.1 200") && feed.contains("http://localhost/media/"))
        // HTTP/1.0 has no Host.
        let old = try await talk(served, ["GET /feed.json HTTP/1.0\r\n\r\n"])
        #expect(old.contains(" 200 ") && old.contains("http://127.0.0.1:\(served.port)/media/"))
        await served.stop()
    }

    @Test func requestsBeforeADuplicateHostAreAnswered() async throws {
        let served = try await ServedFolder()
        let media = "GET /media/\(ServedFolder.a) HTTP/1.1\r\nHost: x\r\n\r\n"
        let double = "POST /videos/track_view HTTP/1.1\r\nHost: x\r\nHost: x\r\nContent-Length: 2\r\n\r\n{}"
        let text = try await talk(served, [media + media + double + Self.last])
        #expect(text.components(separatedBy: "HTTP/1.1 ").dropFirst().map { $0.prefix(3) } == ["200", "200", "400"])
        await served.stop()
    }

    @Test func expectContinueIsAnswered() async throws {
        let served = try await ServedFolder()
        let port = served.port
        let head = "POST /videos/track_view HTTP/1.1\r\nHost: x\r\nConnection: close\r\n"
        let text = try await onThread {
            let client = try RawClient(port: port)
            client.send(head + "Expect: 100-Continue\r\nContent-Length: 2\r\n\r\n")
            let first = try client.read(until: "\r\n\r\n")
            client.send("{}")
            return String(decoding: first + (try client.readToEnd()), as: UTF8.self)
        }
        #expect(text.hasPrefix("HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 400"), "\(text)")
        // No 100 if the request is refused anyway, if the body has already arrived, or for HTTP/1.0.
        let large = try await talk(served, [head + "Expect: 100-continue\r\nContent-Length: 70000\r\n\r\n"])
        #expect(large.hasPrefix("HTTP/1.1 413"))
        let elsewhere = head.replacing("videos/track_view", with: "nothing")
        let none = try await talk(served, [elsewhere + "Expect: 100-continue\r\nContent-Length: 2\r\n\r\n"])
        #expect(none.hasPrefix("HTTP/1.1 404"))
        let whole = try await talk(served, [head + "Expect: 100-continue\r\nContent-Length: 2\r\n\r\n{}"])
        #expect(whole.hasPrefix("HTTP/1.1 400"))
        let old = head.replacing("1.1", with: "1.0")
        let early = try await talk(served, [old + "Expect: 100-continue\r\nContent-Length: 2\r\n\r\n{}"])
        #expect(early.contains(" 400 ") && !early.contains(" 100 "))
        for other in ["200-ok", "100-continue, 200-ok", "100-continue=1"] {
            let refused = try await talk(served, [head + "Expect: \(other)\r\nContent-Length: 2\r\n\r\n{}"])
            #expect(refused.hasPrefix("HTTP/1.1 417"), "\(other)")
        }
        await served.stop()
    }

    @Test func largeBodiesAreNotRead() async throws {
        let served = try await ServedFolder()
        let head = "POST /videos/track_view HTTP/1.1\r\nHost: x\r\n"
        let declared = try await talk(served, [head + "Content-Length: 70000\r\n\r\n{"])
        #expect(declared.hasPrefix("HTTP/1.1 413") && declared.contains("64 KB"))
        #expect(declared.lowercased().contains("\r\nconnection: close\r\n"))
        // It never says where it ends, and does not get there.
        let chunk = "4000\r\n" + String(repeating: " ", count: 0x4000) + "\r\n"
        let chunked = try await talk(
            served, [head + "Transfer-Encoding: chunked\r\n\r\n"] + [String](repeating: chunk, count: 6))
        #expect(chunked.hasPrefix("HTTP/1.1 413"))
        let exact = "{\"event_id\":\"" + String(repeating: "x", count: Fields.sizeLimit - 15) + "\"}"
        #expect(exact.utf8.count == Fields.sizeLimit)
        #expect(try await served.ask("POST", "/videos/track_view", body: exact).status == 400)
        await served.stop()
    }

    @Test func aRequestThatIsAnsweredBeforeItsEndIsTheLast() async throws {
        let served = try await ServedFolder { ($0.limits.bodyPause, $0.limits.body) = (.seconds(600), .seconds(600)) }
        let answer = try await talk(served, ["POST /nothing HTTP/1.1\r\nHost: x\r\nContent-Length: 9\r\n\r\n{"])
        #expect(answer.hasPrefix("HTTP/1.1 404"))
        await served.stop()
    }

    @Test func tokenIsRequired() async throws {
        let served = try await ServedFolder { $0.token = "let-me-in-please" }
        for target in ["/feed.json", "/media/" + ServedFolder.a, "/metrics", "/openapi.json", "/feed.json?token=wrong"]
        {
            let reply = try await served.get(target)
            #expect(reply.status == 401 && reply.headers["www-authenticate"] == "Bearer realm=\"flick\"")
        }
        #expect(try await served.ask("PUT", "/videos/\(ServedFolder.a)/like").status == 401)
        #expect(try await served.get("/healthz").status == 200)
        let open = try await served.get("/feed.json", ["Authorization: Bearer let-me-in-please"])
        #expect(open.status == 200 && !open.text.contains("token="))
        let named = try await served.get("/feed.json?token=let-me-in-please")
        #expect(named.json["engagement"] as? String == "http://127.0.0.1:\(served.port)/?token=let-me-in-please")
        #expect(named.text.contains("/media/\(ServedFolder.a)?token=let-me-in-please\""))
        #expect(try await served.get("/feed.json?%74oken=let-me-in-please").status == 200)
        for mistake in [
            "?tokn=let-me-in-please", "?Token=let-me-in-please", "&token=let-me-in-please", "?let-me-in-please",
        ] {
            #expect([401, 404].contains(try await served.get("/feed.json" + mistake).status))
        }
        await served.stop()
        #expect(!served.log.contains("let-me-in") && served.log.contains("GET /feed.json?token=…"))
    }

    /// The figures of `ConnectionWatchTests`, made short.
    private static let short = ConnectionWatch.Limits(
        head: .seconds(1), bodyPause: .seconds(1), body: .seconds(2), idle: .seconds(1), write: .seconds(1))

    @Test(arguments: [
        ("", "slow_head", "HTTP/1.1 408"), ("GET / HT", "slow_head", "HTTP/1.1 408"),
        ("POST /videos/track_view HTTP/1.1\r\nHost: x\r\nContent-Length: 9\r\n\r\n{", "slow_body", "HTTP/1.1 408"),
        ("GET /healthz HTTP/1.1\r\nHost: x\r\n\r\n", "idle", "HTTP/1.1 200"),
    ])
    func slowClientsAreCut(text: String, why: String, answer: String) async throws {
        let served = try await ServedFolder { $0.limits = Self.short }
        #expect(try await talk(served, [text]).hasPrefix(answer))
        #expect(try await served.get("/metrics").text.contains("flick_connections_dropped_total{why=\"\(why)\"} 1\n"))
        await served.stop()
    }

    @Test func stalledReaderIsDisconnected() async throws {
        let served = try await ServedFolder(["big.mp4": [UInt8](repeating: 7, count: 40_000_000)]) {
            $0.limits = Self.short
        }
        let client = try RawClient(port: served.port)
        client.send("GET /media/\(ServedFolder.id("big.mp4")) HTTP/1.1\r\nHost: x\r\n\r\n")
        let server = served.server
        #expect(await onThread { holds(within: .seconds(60)) { server.connections.figures.cut[.slowReader] == 1 } })
        client.close()
        await served.stop()
    }

    /// A server that has as many connections as it takes, and the clients, in the order in which they came.
    private func crowded(
        _ files: [String: [UInt8]] = [:], sending text: @escaping @Sendable (Int) -> String?
    ) async throws -> (served: ServedFolder, clients: [RawClient]) {
        // No connection is closed for waiting too long.
        let served = try await ServedFolder(files) {
            $0.connections = 16
            ($0.limits.head, $0.limits.idle, $0.limits.write) = (.seconds(600), .seconds(600), .seconds(600))
            ($0.limits.bodyPause, $0.limits.body) = (.seconds(600), .seconds(600))
        }
        let (port, connections) = (served.port, served.server.connections)
        let clients: [RawClient] = try await onThread {
            var silent = 0
            return try (0..<16).map { number in
                let client = try RawClient(port: port)
                if let text = text(number) {
                    client.send(text)
                    if text.hasSuffix("\r\n\r\n") { _ = client.readSome() }
                } else {
                    silent += 1
                }
                let wanted = silent
                #expect(
                    holds(within: .seconds(60)) {
                        connections.figures.open == number + 1 && connections.silent == wanted
                    })
                return client
            }
        }
        return (served, clients)
    }

    @Test func newConnectionReplacesTheOldestSilentOne() async throws {
        // Those that have sent something stay, though they came first.
        let (served, clients) = try await crowded {
            switch $0 {
            case 0: "GET /healthz HTTP/1.1\r\nHost: x\r\n\r\n"
            case 1: "GET /heal"
            default: nil
            }
        }
        var others: [RawClient] = []
        for round in 0..<3 {
            #expect(try await talk(served, [Self.last]).hasPrefix("HTTP/1.1 200"))
            let silent = clients[2 + round]
            #expect(try await onThread { try silent.readToEnd().isEmpty })
            // The new one has left.
            let connections = served.server.connections
            #expect(await onThread { holds(within: .seconds(60)) { connections.figures.open == 15 } })
            if round < 2 { others.append(try await oneMore(served)) }
        }
        let rest = try await onThread { [early = clients[1]] in
            early.send("thz HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n")
            return String(decoding: try early.readToEnd(), as: UTF8.self)
        }
        #expect(rest.hasPrefix("HTTP/1.1 200"))
        #expect(served.server.connections.figures.tooMany == 3)
        for client in clients + others { client.close() }
        await served.stop()
    }

    /// One more silent connection.
    private func oneMore(_ served: ServedFolder) async throws -> RawClient {
        let client = try RawClient(port: served.port)
        let connections = served.server.connections
        #expect(await onThread { holds(within: .seconds(60)) { connections.figures.open == 16 } })
        return client
    }

    @Test(arguments: [
        "GET /healthz HTTP/1.1\r\nHost: x\r\n\r\n", "G",
        "POST /videos/track_view HTTP/1.1\r\nHost: x\r\nContent-Length: 9\r\n\r\n{",
    ])
    func newConnectionReplacesAWaitingOne(text: String) async throws {
        let (served, clients) = try await crowded { _ in text }
        #expect(try await talk(served, [Self.last]).hasPrefix("HTTP/1.1 200"))
        let first = clients[0]
        #expect(try await onThread { try first.readToEnd().isEmpty })
        for client in clients { client.close() }
        await served.stop()
    }

    @Test func newConnectionIsClosedWhileAllOthersAreAnswered() async throws {
        let file = ["big.mp4": [UInt8](repeating: 7, count: 40_000_000)]
        let (served, clients) = try await crowded(file) { _ in
            "GET /media/\(ServedFolder.id("big.mp4")) HTTP/1.1\r\nHost: x\r\n\r\n"
        }
        #expect(try await talk(served, [Self.last]).isEmpty)
        #expect(served.server.connections.figures.open == 16)
        clients[0].close()
        let connections = served.server.connections
        #expect(await onThread { holds(within: .seconds(60)) { connections.figures.open == 15 } })
        #expect(try await talk(served, [Self.last]).hasPrefix("HTTP/1.1 200"))
        for client in clients { client.close() }
        await served.stop(upTo: .zero)
    }

    @Test func thousandIdleConnectionsDelayNoRequest() async throws {
        // On a busy machine the last connection may come when the first has been idle for a minute.
        let served = try await ServedFolder { ($0.limits.idle, $0.limits.head) = (.seconds(3_600), .seconds(3_600)) }
        let port = served.port
        let clients: [RawClient] = try await onThread { try (0..<1_000).map { _ in try RawClient(port: port) } }
        let server = served.server
        #expect(await onThread { holds(within: .seconds(60)) { server.connections.figures.open == 1_000 } })
        // On a busy machine any one of them may have to wait for a core.
        var times: [Duration] = []
        for _ in 0..<10 {
            let start = ContinuousClock.now
            #expect(try await served.get("/media/" + ServedFolder.a).body.count == ServedFolder.bytes.count)
            times.append(.now - start)
        }
        #expect(times.sorted()[times.count / 2] < .milliseconds(500), "\(times)")
        for client in clients { client.close() }
        await served.stop()
    }

    /// Ten thousand requests at random, a hundred on a connection; on every second connection one in fifty is damaged.
    /// None of them is answered with 500, all are answered on an undamaged connection, and the server keeps running.
    @Test func randomRequestsGetTheirAnswers() async throws {
        let served = try await ServedFolder()
        let port = served.port
        let (statuses, unanswered): (Set<String>, Int) = try await onThread {
            var random = SeededRandom(state: 2_026)
            var (statuses, unanswered): (Set<String>, Int) = ([], 0)
            for number in 0..<100 {
                let client = try RawClient(port: port)
                var bytes: [UInt8] = []
                let isDamaged = number % 2 == 1
                for _ in 0..<100 { bytes += Self.request(&random, mayBeDamaged: isDamaged) }
                client.send(bytes)
                client.endSending()
                let text = String(decoding: try client.readToEnd(), as: UTF8.self)
                let answers = text.components(separatedBy: "HTTP/1.1 ").dropFirst().map { String($0.prefix(3)) }
                statuses.formUnion(answers)
                // A request that cannot be read ends the connection.
                if !isDamaged { unanswered += 100 - answers.count }
            }
            return (statuses, unanswered)
        }
        #expect(unanswered == 0)
        #expect(statuses.isSuperset(of: ["200", "400", "404", "405"]))
        #expect(statuses.allSatisfy { $0 == "503" || !$0.hasPrefix("5") }, "\(statuses)")
        #expect(try await served.get("/healthz").status == 200)
        await served.stop()
    }

    private static func request(_ random: inout SeededRandom, mayBeDamaged: Bool) -> [UInt8] {
        let method = ["GET", "HEAD", "POST", "PUT", "DELETE", "PATCH", "OPTIONS"].randomElement(using: &random)!
        let row = Route.table.randomElement(using: &random)!
        let id = [ServedFolder.a, "x", "..", "%2e%2e%2f", "0123456789abcdef"].randomElement(using: &random)!
        var target = row.path.replacingOccurrences(of: "ID", with: id)
        if Bool.random(using: &random) {
            target += ["?limit=1", "?limit=-1", "?cursor=x", "?topic=%ff", "?token=1", "?&&=&"].randomElement(
                using: &random)!
        }
        let range = ["bytes=0-0", "bytes=-", "bytes=9-1", "bytes=99999999999-", "x"].randomElement(using: &random)!
        let body = ["", "{}", "[]", "{\"event_id\":\"x\"}", "\u{0}", "{\"at\":1e999}"].randomElement(using: &random)!
        var bytes = Array(
            "\(method) \(target) HTTP/1.1\r\nHost: x\r\nRange: \(range)\r\nContent-Length: \(body.utf8.count)\r\n\r\n\(body)"
                .utf8)
        if mayBeDamaged, Int.random(in: 0..<100, using: &random) < 2 {
            bytes[Int.random(in: 0..<bytes.count, using: &random)] = UInt8.random(in: 0...255, using: &random)
        }
        return bytes
    }
}

@Suite struct ServerLifeTests {
    @Test func requestsInFlightAreFinishedAndIdleConnectionsAreNotWaitedFor() async throws {
        let served = try await ServedFolder(["big.mp4": [UInt8](repeating: 7, count: 30_000_000)])
        let port = served.port
        let idle = try RawClient(port: port)
        idle.send("GET /healthz HTTP/1.1\r\nHost: x\r\n\r\n")
        #expect(!idle.readSome().isEmpty)
        let client = try RawClient(port: port)
        client.send("GET /media/\(ServedFolder.id("big.mp4")) HTTP/1.1\r\nHost: x\r\n\r\n")
        let first = client.readSome().count
        let start = ContinuousClock.now
        async let stopped: Void = served.stop(upTo: .seconds(60))
        let rest: Int = try await onThread { try client.readToEnd().count }
        #expect(first + rest > 30_000_000)
        await stopped
        #expect(.now - start < .seconds(30), "it waited for the idle connection")
        // Another server may have the port by now.
        #expect(try await onThread { try idle.readToEnd().isEmpty })
    }

    @Test func startErrorIsOneLine() async throws {
        let folder = TemporaryFolder()
        let file = try folder.write("file", [1])
        func why(_ path: String, _ change: (inout ServerOptions) -> Void = { _ in }) async -> String {
            var options = ServerOptions(folder: Array(path.utf8), database: .file(folder.path + "/db"))
            options.port = 0
            options.log = folder.path + "/log"
            change(&options)
            do {
                let server = try FeedServer(options)
                _ = try await server.start()
                await server.stop()
                return "it serves"
            } catch {
                return "\(error)"
            }
        }
        #expect(await why(file) == "cannot serve '\(file)': not a directory; pass a folder")
        #expect(await why(folder.path + "/none").hasSuffix("no such file or directory; pass a folder"))
        #expect(
            await why(folder.path) { $0.log = "/nowhere/log" }
                == "cannot write the log '/nowhere/log': no such file or directory")
        #expect(
            await why(folder.path) { $0.database = .file(file + "/x") }.hasPrefix(
                "cannot use the database '\(file)/x': "))
        #expect(
            await why(folder.path) { $0.tls = (file, file) }.hasPrefix(
                "cannot use the certificate '\(file)' with the key"))
        let served = try await ServedFolder()
        let taken = Int(served.port)
        #expect(
            await why(folder.path) { $0.port = taken }
                == "cannot listen at 127.0.0.1:\(taken): address already in use; choose another port with --port")
        await served.stop()
    }

    @Test func requestsAreLoggedWithoutCommandsToATerminal() async throws {
        let served = try await ServedFolder()
        _ = try await served.get("/feed.json?a=\"b", ["User-Agent: evil\u{9B}2J\"agent"])
        await served.stop()
        let line = try #require(served.log.split(separator: "\n").last)
        #expect(
            line.contains("127.0.0.1 \"GET /feed.json?a=%22b\" 200 ") && line.hasSuffix("ms \"evil\u{FFFD}'agent\""),
            "\(line)")
    }
}
