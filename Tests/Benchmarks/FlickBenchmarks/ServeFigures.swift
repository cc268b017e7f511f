import Foundation
import TestSupport
import Threads

/// `flick serve`: media beside nginx, posts, and a folder of a hundred thousand clips.
func serve(_ report: inout Report, _ programs: Programs, _ clips: Clips) throws {
    try serveMedia(&report, programs.flick)
    try servePosts(&report, programs.flick, database: nil)
    try servePosts(&report, programs.flick, database: PostgresCluster(isDurable: true))
    try serveManyFiles(&report, programs.flick)
}

private func served(
    _ folder: String, _ state: TemporaryFolder, _ flick: String, _ arguments: [String] = []
) throws -> ServeProcess {
    try ServeProcess(folder, state: state.path, flick: flick, arguments: ["--quiet"] + arguments)
}

private func items(_ port: UInt16) throws -> [String] {
    let client = try RawClient(port: port)
    client.send("GET /feed.json HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n")
    let bytes = try client.readToEnd()
    guard let end = bytes.firstRange(of: Array("\r\n\r\n".utf8)) else { return [] }
    let page = try JSONSerialization.jsonObject(with: Data(bytes[end.upperBound...])) as? [String: Any]
    return (page?["items"] as? [[String: Any]] ?? []).compactMap { $0["id"] as? String }
}

private func firstItem(_ port: UInt16) throws -> String {
    guard let id = try items(port).first else { throw PTYProcess.Error(description: "the feed has no item") }
    return id
}

/// What many clients got at the same time.
private struct Harvest<Got> {
    var got: [Got] = []
    /// Clients that could not connect, whose connection ended, or that got another answer than they asked for.
    var failed = 0
    var running: Int
}

/// Runs `clients` clients at the same time until `end`. Each has one connection, and sends its next request after the
/// last response. Blocks.
///
/// - Parameters:
///   - status: what every answer has to have.
///   - ask: the request of a client, by the client's and the request's number.
///   - note: what is kept of an answer: the length of its body, and how long it took.
private func harvest<Got: Sendable>(
    port: UInt16, clients: Int, until end: ContinuousClock.Instant, status: Int,
    ask: @escaping @Sendable (Int, Int) -> String, note: @escaping @Sendable (Int, Duration) -> Got
) -> Harvest<Got> {
    let all = Monitor(Harvest<Got>(running: clients))
    for number in 0..<clients {
        BlockingThread.start {
            var got: [Got] = []
            var isFine = true
            do {
                let client = try RawClient(port: port)
                while isFine, .now < end {
                    let sent = ContinuousClock.now
                    client.send(ask(number, got.count))
                    let answer = client.skipAnswer()
                    isFine = answer?.status == status
                    if let answer, isFine { got.append(note(answer.length, .now - sent)) }
                }
            } catch {
                isFine = false
            }
            all.change { all in
                all.got += got
                all.failed += isFine ? 0 : 1
                all.running -= 1
            }
        }
    }
    // Without a limit: each client ends by itself.
    return all.wait { $0.running == 0 ? $0 : nil } ?? Harvest(failed: clients, running: 0)
}

/// How many megabytes arrive each second when `clients` clients read ranges of 4 MB for a while, and how many of them
/// failed.
private func throughput(port: UInt16, target: String, clients: Int, size: Int) -> (rate: Double, failed: Int) {
    let range = 4 << 20
    let start = ContinuousClock.now
    let harvest = harvest(port: port, clients: clients, until: start + .seconds(4), status: 206) { client, round in
        let first = (client + 7 * round) * range % (size - range)
        return "GET \(target) HTTP/1.1\r\nHost: localhost\r\nRange: bytes=\(first)-\(first + range - 1)\r\n\r\n"
    } note: { length, _ in
        length
    }
    return (Double(harvest.got.reduce(0, +)) / 1e6 / ((.now - start) / .seconds(1)), harvest.failed)
}

private func serveMedia(_ report: inout Report, _ flick: String) throws {
    report.section("Serve: one file of 256 MB, ranges of 4 MB, 200 readers at a time")
    let (folder, state) = (TemporaryFolder(), TemporaryFolder())
    let size = 256 << 20
    try folder.write("a.mp4", [UInt8](repeating: 7, count: size))
    // nginx as it comes, with sendfile, in the clear.
    let nginx = try NginxProcess(hasWorkers: true) { ports in
        """
        sendfile on; tcp_nopush on; access_log off; keepalive_requests 1000000;
        server { listen 127.0.0.1:\(ports[0]); root \(folder.path); }
        """
    }
    let server = try served(folder.path, state, flick)
    defer { _ = server.end(SIGKILL) }
    let id = try firstItem(server.port)
    var (own, peer): ([Double], [Double]) = ([], [])
    var (ownFailed, peerFailed) = (0, 0)
    // In turn, so that a slow moment of the machine affects both.
    for _ in 0..<3 {
        let ours = throughput(port: server.port, target: "/media/\(id)", clients: 200, size: size)
        let theirs = throughput(port: nginx.ports[0], target: "/a.mp4", clients: 200, size: size)
        own.append(ours.rate)
        peer.append(theirs.rate)
        (ownFailed, peerFailed) = (ownFailed + ours.failed, peerFailed + theirs.failed)
    }
    guard own.median > 0, peer.median > 0 else { throw NotMeasured("nothing was served") }
    report.note("flick serve", own.median, "MB/s")
    report.note("nginx", peer.median, "MB/s")
    report.figure("throughput, flick serve / nginx", own.median / peer.median, "", atLeast: 0.5)
    report.figure("readers that were refused or cut, of 600", Double(ownFailed), "", atMost: 0)
    report.note("the same of nginx", "\(peerFailed)")
    report.figure("memory", ProcessFile.memory(server.pid, "Rss:"), "MiB", atMost: 150)
}

/// - Parameter database: PostgreSQL instead of SQLite.
private func servePosts(_ report: inout Report, _ flick: String, database: PostgresCluster?) throws {
    let name = database == nil ? "SQLite" : "PostgreSQL"
    report.section("Serve: track_view into \(name), 64 connections, each answered before the next")
    let (folder, state) = (TemporaryFolder(), TemporaryFolder())
    try folder.write("a.mp4", [1])
    let file = state.path + "/serve.db"
    let address = try database?.address(of: "bench") ?? "sqlite:" + file
    let server = try served(folder.path, state, flick, ["--database", address])
    let id = try firstItem(server.port)
    let (clients, seconds) = (64, 5.0)
    let at = Int(Date().timeIntervalSince1970)
    let harvest = harvest(port: server.port, clients: clients, until: .now + .seconds(seconds), status: 200) {
        let body =
            "{\"event_id\":\"\($0)-\($1)\",\"video_id\":\"\(id)\",\"session_id\":\"s\",\"at\":\(at),\"watched_ms\":2000}"
        return "POST /videos/track_view HTTP/1.1\r\nHost: [::1]\r\nContent-Length: \(body.utf8.count)\r\n\r\n\(body)"
    } note: { _, time in
        time / .milliseconds(1)
    }
    let times = harvest.got
    guard !times.isEmpty else { throw NotMeasured("no post was answered with 200") }
    report.figure("posts a second", Double(times.count) / seconds, "", atLeast: 2_000)
    report.figure("clients that were refused or cut, of \(clients)", Double(harvest.failed), "", atMost: 0)
    report.note("p50", times.quantile(0.5), "ms")
    report.figure("p99", times.quantile(0.99), "ms", atMost: 50)
    _ = server.end(SIGKILL)
    let count = "SELECT count(*) FROM event"
    let script = "import sqlite3, sys\nprint(sqlite3.connect(sys.argv[1]).execute(sys.argv[2]).fetchone()[0])"
    // "flick" is the schema that the server creates.
    let kept =
        try database?.query("SELECT count(*) FROM flick.event", in: "bench").first
        ?? Command.run(["python3", "-c", script, file, count]).output
    let lost = times.count - (Int(kept.trimmingCharacters(in: .whitespacesAndNewlines)) ?? 0)
    report.figure("answered with 200, and lost by kill -9", Double(max(lost, 0)), "", atMost: 0)
}

private func serveManyFiles(_ report: inout Report, _ flick: String) throws {
    report.section("Serve: a folder of 100,000 clips")
    let (folder, state) = (TemporaryFolder(), TemporaryFolder())
    for creator in 0..<100 {
        let path = try folder.folder("creator \(creator)")
        for clip in 0..<1_000 { close(open("\(path)/clip \(clip).mp4", O_CREAT | O_WRONLY, 0o600)) }
    }
    var (listening, cold, walked): ([Double], [Double], [Double]) = ([], [], [])
    var memory = 0.0
    for _ in 0..<5 {
        let server = try served(folder.path, state, flick)
        defer { _ = server.end(SIGKILL) }
        listening.append(server.startTime / .milliseconds(1))
        func page() throws -> Double {
            let start = ContinuousClock.now
            let ids = try items(server.port)
            guard ids.count == 50 else { return .infinity }
            return (ContinuousClock.now - start) / .milliseconds(1)
        }
        cold.append(try page())
        for _ in 0..<20 { walked.append(try page()) }
        memory = max(memory, ProcessFile.memory(server.pid, "Rss:"))
    }
    report.figure("listens after", listening.median, "ms", atMost: 300)
    report.figure("first page, asked at once", cold.max() ?? .nan, "ms", atMost: 1_000)
    report.figure("a page once walked", walked.max() ?? .nan, "ms", atMost: 200)
    report.figure("memory", memory, "MiB", atMost: 150)
}
