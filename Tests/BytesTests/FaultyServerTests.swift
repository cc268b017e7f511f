import Foundation
import TestSupport
import Testing

/// The server of other tests is as correct, and as faulty, as they ask.
@Suite struct FaultyServerTests {
    private let server: FaultyServer
    private let bytes = PatternBytes.bytes(seed: 3, at: 0, count: 100_003)

    init() throws { server = try FaultyServer() }

    /// Sends text to the server unchanged, and returns its output until it ends the connection.
    private func talk(_ text: String) throws -> String {
        let socket = try RawClient(port: server.port)
        socket.send(text)
        return String(decoding: try socket.readToEnd(), as: UTF8.self)
    }

    /// curl's result: the status, the body, and curl's exit status.
    private func curl(_ path: String, _ options: String...) throws -> (status: String, body: [UInt8], exit: Int32) {
        let folder = TemporaryFolder()
        let file = folder.path + "/body"
        let result = try Command.run(
            ["curl", "--noproxy", "*", "-s", "-m", "20", "-o", file, "-w", "%{http_code}"] + options
                + [server.url(path)])
        return (result.output, Array(FileManager.default.contents(atPath: file) ?? Data()), result.status >> 8)
    }

    @Test func servesWholeFilesAndRanges() throws {
        server.serve("/a", bytes)
        #expect(try curl("/a").body == bytes)
        let middle = try curl("/a", "-r", "1000-1999")
        #expect(middle.status == "206" && middle.body == Array(bytes[1_000..<2_000]))
        #expect(try curl("/a", "-r", "100000-").body == Array(bytes[100_000...]))
        #expect(try curl("/a", "-r", "-3").body == Array(bytes.suffix(3)))
        #expect(try curl("/a", "-r", "100003-").status == "416")
        let requests = server.requests(for: "/a")
        #expect(requests.map(\.status) == [200, 206, 206, 206, 416])
        #expect(requests.map(\.rangeStart) == [nil, 1_000, 100_000, nil, 100_003])
        #expect(requests.map(\.bodyBytes).prefix(4) == [100_003, 1_000, 3, 3])
        #expect(try curl("/nothing").status == "404")
    }

    @Test func failedIfRangeGetsTheWholeFile() throws {
        server.serve("/a", bytes)
        #expect(try curl("/a", "-r", "0-9", "-H", "If-Range: \"1\"").status == "206")
        #expect(try curl("/a", "-r", "0-9", "-H", "If-Range: \"2\"").status == "200")
        server.serve("/a", bytes, faults: [.ignoresIfRange])
        #expect(try curl("/a", "-r", "0-9", "-H", "If-Range: \"2\"").status == "206")
    }

    @Test func requestsInARowAreAnsweredInTheirOrderOnOneConnection() throws {
        server.serve("/a", Array("first".utf8))
        server.serve("/b", Array("second".utf8))
        let said = try talk(
            "GET /a HTTP/1.1\r\n\r\nHEAD /b HTTP/1.1\r\n\r\nGET /b?x=1 HTTP/1.1\r\nConnection: close\r\n\r\n")
        let parts = said.components(separatedBy: "HTTP/1.1 200 OK\r\n").dropFirst().map { $0 }
        #expect(parts.count == 3)
        #expect(parts[0].hasSuffix("\r\n\r\nfirst") && parts[2].hasSuffix("\r\n\r\nsecond"))
        #expect(parts[1].hasSuffix("\r\n\r\n") && parts[1].contains("Content-Length: 6\r\n"))
        #expect(server.counts.connections == 1)
        #expect(server.requests.last?.query == "x=1")
    }

    @Test func theFramingFaultsWork() throws {
        for fault in [Fault.chunked, .noLength, .gzip, .noRanges] {
            server.serve("/a", bytes, faults: [fault])
            #expect(try curl("/a", "--compressed").body == bytes)
        }
        #expect(try curl("/a", "-r", "5-9").status == "200")
        server.serve("/a", bytes, faults: [.gzip])
        #expect(try curl("/a").body.starts(with: [0x1F, 0x8B]))
        for length in [0, 65_535, 150_000] {
            server.serve("/a", Resource(.pattern(length: Int64(length), seed: 3), faults: [.gzip]))
            #expect(try curl("/a", "--compressed").body == PatternBytes.bytes(seed: 3, at: 0, count: length))
        }
        server.serve("/a", Resource(.pattern(length: 5_000_000_000, seed: 9)))
        let far = try curl("/a", "-r", "4999999990-")
        #expect(far.body == PatternBytes.bytes(seed: 9, at: 4_999_999_990, count: 10))
    }

    @Test func theGzipBombExpandsManyTimes() throws {
        server.serve("/a", bytes, faults: [.gzipBomb])
        let size = try Command.run([
            "sh", "-c",
            "curl --noproxy '*' -s '\(server.url("/a"))' 2>/dev/null | gzip -dc 2>/dev/null | head -c 200000000 | wc -c",
        ]).output.trimmingCharacters(in: .whitespacesAndNewlines)
        #expect(Int(size) == 200_000_000)
    }

    @Test func faultsHappenToTheRequestsTheyAreMeantFor() throws {
        server.serve("/a", bytes, faults: [.status(500).first(2), .status(429, retryAfter: "1").on(4)])
        let other = Resource(.bytes(Array("other".utf8)), etag: "\"2\"")
        server.serve("/b", bytes, faults: [.becomes(other).from(2), .noHead])
        #expect(try (0..<5).map { _ in try curl("/a").status } == ["500", "500", "200", "429", "200"])
        #expect(try curl("/b").body == bytes)
        #expect(try curl("/b").body == Array("other".utf8))
        #expect(try curl("/b", "-I").status == "405")
        server.serve("/c", bytes, faults: [.status(503).chance(0.5, seed: 4)])
        let first = try (0..<12).map { _ in try curl("/c").status }
        #expect(Set(first) == ["200", "503"])
        server.serve("/c", bytes, faults: [.status(503).chance(0.5, seed: 4)])
        #expect(try (0..<12).map { _ in try curl("/c").status } == first)
    }

    @Test func redirectionsCanLoop() throws {
        server.serve("/a", bytes, faults: [.redirect(to: "/b")])
        server.serve("/b", bytes, faults: [.redirect(to: server.url("/c"), status: 307)])
        server.serve("/c", bytes)
        #expect(try curl("/a", "-L").body == bytes)
        server.serve("/c", bytes, faults: [.redirect(to: "/a")])
        // curl's exit status 47: too many redirects.
        #expect(try curl("/a", "-L", "--max-redirs", "9").exit == 47)
    }

    @Test func theCaseOfHeadersCanBeChosen() throws {
        server.serve("/a", bytes, faults: [.headerNames(.lower)])
        #expect(try talk("HEAD /a HTTP/1.0\r\nConnection: close\r\n\r\n").contains("\r\ncontent-length: 100003\r\n"))
        server.serve("/a", bytes, faults: [.headerNames(.odd)])
        #expect(try talk("HEAD /a HTTP/1.1\r\nConnection: close\r\n\r\n").contains("\r\ncOnTeNt-lEnGtH: 100003\r\n"))
        server.serve("/a", bytes, faults: [.contentRange(.shifted(by: 2))])
        #expect(
            try talk("GET /a HTTP/1.1\r\nRange: bytes=0-1\r\nConnection: close\r\n\r\n")
                .contains("\r\nContent-Range: bytes 2-3/100003\r\n"))
        server.serve("/a", bytes, faults: [.headWithoutLength, .header("Set-Cookie", "x")])
        let head = try talk("HEAD /a HTTP/1.1\r\nConnection: close\r\n\r\n")
        #expect(!head.contains("Content-Length") && head.contains("\r\nSet-Cookie: x\r\n"))
    }

    @Test func connectionsBreakWhereTheyShould() throws {
        server.serve("/a", bytes, faults: [.cut(after: 1_000, .closed)])
        let cut = try curl("/a")
        // curl's exit status 18: the body is shorter than its length.
        #expect(cut.body == Array(bytes[..<1_000]) && cut.exit == 18)
        server.serve("/a", bytes, faults: [.cut(after: 1_000)])
        #expect(try curl("/a").exit == 56)
        server.serve("/a", bytes, faults: [.lengthOff(by: 10)])
        #expect(try curl("/a").exit == 18)
        server.serve("/a", bytes, faults: [.garbage()])
        #expect(try curl("/a").exit != 0)
        server.serve("/a", bytes, faults: [.endlessHeaders])
        #expect(try curl("/a").exit != 0)
    }

    @Test func aStallLastsUntilTheClientLeaves() throws {
        server.serve("/a", bytes, faults: [.stall(after: 5_000)])
        let client = try RawClient(port: server.port)
        client.send("GET /a HTTP/1.1\r\n\r\n")
        #expect(server.waitUntil { $0.bodyBytes == 5_000 })
        #expect(server.counts.answering == 1)
        client.close()
        #expect(server.waitUntil { $0.answering == 0 && $0.openConnections == 0 })
        server.serve(
            "/a", bytes, faults: [.stall(after: 5_000, for: .milliseconds(30)), .slowStart(.milliseconds(30))])
        let start = ContinuousClock.now
        #expect(try curl("/a").body == bytes)
        #expect(ContinuousClock.now - start >= .milliseconds(60))
    }

    @Test func connectionsShareTheLinksSpeedAndLatency() throws {
        server.serve("/a", bytes)
        server.link = .init(rate: 500_000, latency: .milliseconds(50))
        let start = ContinuousClock.now
        let clients = try (0..<2).map { _ in try RawClient(port: server.port) }
        for client in clients { client.send("GET /a HTTP/1.1\r\nConnection: close\r\n\r\n") }
        for client in clients { #expect(try client.readToEnd().count > bytes.count) }
        // Two bodies of 100 kB at 500 kB a second.
        let time = ContinuousClock.now - start
        #expect(time >= .milliseconds(500) && time < .seconds(5))
    }

    @Test func theServerStopsAndRestarts() throws {
        server.serve("/a", bytes)
        let client = try RawClient(port: server.port)
        client.send("GET /a HTTP/1.1\r\n\r\n")
        #expect(server.waitUntil { $0.bodyBytes == 100_003 })
        server.stop()
        #expect(server.counts.openConnections == 0)
        // curl's exit status 7: connection refused.
        #expect(try curl("/a").exit == 7)
        try server.restart()
        #expect(try curl("/a").body == bytes)
    }

    /// Else a test that starts a server meanwhile could get it, in this process or another.
    @Test func stoppedServerKeepsItsPort() throws {
        let stopped = try FaultyServer()
        stopped.stop()
        // curl's exit status 45: it cannot bind the port that it is to connect from.
        let taken = try Command.run([
            "curl", "--noproxy", "*", "-s", "-o", "/dev/null", "--local-port", "\(stopped.port)", server.url("/"),
        ])
        #expect(taken.status >> 8 == 45)
    }

    @Test func hundredsOfConnectionsAreServed() throws {
        server.serve("/a", Resource(.dynamic { Array("number \($0.number)".utf8) }))
        let clients = try (0..<300).map { _ in try RawClient(port: server.port) }
        for client in clients { client.send("GET /a HTTP/1.1\r\n\r\n") }
        #expect(server.waitUntil { $0.requests == 300 && $0.answering == 0 })
        // A third of the clients leave without reading.
        for client in clients.prefix(100) { client.close() }
        #expect(server.waitUntil { $0.openConnections == 200 })
        for client in clients.dropFirst(100) {
            client.send("GET /a HTTP/1.1\r\nConnection: close\r\n\r\n")
            #expect(String(decoding: try client.readToEnd(), as: UTF8.self).contains("number "))
        }
    }
}
