import Foundation
import TestSupport

/// Long feeds, and many feeds that have not changed.
func feeds(_ report: inout Report, _ programs: Programs, _ clips: Clips) throws {
    report.section(
        "Feeds: RSS of 10 MB with 20,000 entries, 50,000 channels, 200 unchanged feeds, a home of 50, 300 creators"
    )
    let folder = TemporaryFolder()
    let clip = try clips.small()
    let words = String(repeating: "A description of what is to be seen here. ", count: 8)
    let entries = (0..<20_000).map { number in
        """
        <item><title>Entry \(number) &amp; more</title><guid isPermaLink="false">entry-\(number)</guid>
        <pubDate>Fri, 01 May 2026 12:00:00 GMT</pubDate><description><![CDATA[<p>\(words)</p>]]></description>
        <enclosure url="\(clip)?\(number)" length="1000" type="video/mp4"/></item>

        """
    }
    let rss = try folder.write(
        "feed.xml", "<rss version=\"2.0\"><channel><title>Long</title>\(entries.joined())</channel></rss>".utf8)
    // A file's name has no query: without it all entries lead to the same clip.
    let local = try folder.write(
        "local.xml",
        "<rss version=\"2.0\"><channel><title>Long</title>\(entries.joined())</channel></rss>"
            .replacingOccurrences(of: #"\?[0-9]+""#, with: "\"", options: .regularExpression).utf8)
    report.note("bytes of the feed", "\(try FileManager.default.attributesOfItem(atPath: rss)[.size] ?? 0)")
    report.figure("all entries", try listing([programs.flick, "feed", rss, "--json"], lines: 20_000), "s", atMost: 1)
    var (long, alone): ([Double], [Double]) = ([], [])
    // In turn, so that a slow moment of the machine affects both.
    for _ in 0..<5 {
        long.append(try programs.firstPicture([programs.flick, local]))
        alone.append(try programs.firstPicture([programs.flick, clip]))
    }
    report.note("first picture of the feed", long.median, "ms")
    report.figure("later than that of the clip alone", long.median - alone.median, "ms", atMost: 300)

    let channels = (0..<50_000).map { number in
        "#EXTINF:-1 tvg-id=\"ch\(number)\" tvg-logo=\"http://tv.example/\(number).png\" group-title=\"Group \(number % 80)\",Channel \(number)\nhttp://tv.example/live/\(number).m3u8\n"
    }
    let list = try folder.write("tv.m3u", ("#EXTM3U\n" + channels.joined()).utf8)
    let tv = [programs.flick, "feed", list, "--json"]
    report.figure("50,000 channels", try listing(tv, lines: 50_000), "s", atMost: 1)
    report.figure("memory for 50,000 channels", try peakMemory(tv), "MB", atMost: 30)

    try unchanged(&report, programs, folder)
    try home(&report, programs, clip, folder)
    for count in [10, 1] { try following(&report, programs, clip, servers: count) }
}

/// 300 followed creators on servers with 100 ms of latency, whose feeds have not changed since they were read.
private func following(_ report: inout Report, _ programs: Programs, _ clip: String, servers count: Int) throws {
    let folder = TemporaryFolder()
    let bytes = [UInt8](try Data(contentsOf: URL(fileURLWithPath: clip)))
    let servers = try (0..<count).map { _ in try FaultyServer() }
    let urls = (0..<300).map { number in
        let server = servers[number % count]
        let entry = "<item><title>\(number)</title><enclosure url=\"/\(number).mp4\" type=\"video/mp4\"/></item>"
        var feed = Resource(
            .bytes(Array("<rss><channel><title>\(number)</title>\(entry)</channel></rss>".utf8)), type: "text/xml",
            etag: "\"\(number)\"")
        feed.answersConditions = true
        server.serve("/\(number).xml", feed)
        server.serve("/\(number).mp4", Resource(.bytes(bytes), type: "video/mp4"))
        return server.url("/\(number).xml")
    }
    let config = try folder.write("following.toml", "[home]\nsources = [\"\(clip)\"]\n".utf8)
    let options = [
        "--config", config, "--no-audio", "--cache-dir", folder.path + "/followed", "--state-dir",
        folder.path + "/following",
    ]
    // The first clip that is seen makes the library.
    let start = try Session(programs.flick, [], options)
    start.run(.seconds(2))
    _ = try start.finish()
    let script = """
        import sqlite3, sys
        db = sqlite3.connect(sys.argv[1])
        db.executemany("INSERT INTO follow (scope, creator, name, since, feed) VALUES ('', ?1, ?1, 1, ?1)",
                       [(url,) for url in sys.argv[2:]])
        db.commit()
        """
    let filled = try Command.run(["python3", "-c", script, folder.path + "/following/flick.db"] + urls)
    guard filled.status == 0 else { throw NotMeasured("cannot follow creators: \(filled.errors)") }
    var (first, whole, bodies): ([Double], [Double], Int64) = ([], [], 0)
    var requests = 0
    try withExtendedLifetime(servers) {
        for run in 0..<4 {
            for server in servers { server.resetCounts() }
            let session = try Session(programs.flick, [], options + ["--place", "following"])
            session.run(.seconds(8))
            let trace = try session.finish()
            // The first run fills the cache.
            guard run > 0 else {
                for server in servers { server.link = .init(rate: 100_000_000, latency: .milliseconds(100)) }
                continue
            }
            first.append(trace.events("first_frame").first.map { $0.time * 1_000 } ?? .infinity)
            var items = 0.0
            let complete = trace.events("feed").first { event in
                items += event.number("items") ?? 0
                return items >= 300
            }
            whole.append(complete?.time ?? .infinity)
            let asked = servers.flatMap(\.requests).filter { $0.path.hasSuffix(".xml") }
            requests += asked.count
            bodies += asked.reduce(0) { $0 + $1.bodyBytes }
        }
    }
    let place = count == 1 ? "one server" : "\(count) servers"
    guard requests >= 900 else { throw NotMeasured("\(requests) of 900 creators on \(place) were asked for") }
    report.figure("first picture of Following, \(place)", first.median, "ms", atMost: 800)
    report.figure("all of 300 unchanged creators on \(place)", whole.median, "s", atMost: 5)
    report.figure("bytes of their feeds that were sent again", Double(bodies), "", atMost: 0)
}

/// A home feed of 50 sources on ten servers with 100 ms of latency. Ten sources are slow or broken.
private func home(
    _ report: inout Report, _ programs: Programs, _ clip: String, _ folder: TemporaryFolder
) throws {
    let bytes = [UInt8](try Data(contentsOf: URL(fileURLWithPath: clip)))
    let servers = try (0..<10).map { _ in try FaultyServer() }
    var urls: [String] = []
    for number in 0..<50 {
        let server = servers[number % 10]
        let faults: [Fault] =
            switch number {
            case 0, 15, 31, 47: [.status(503, retryAfter: nil)]
            case 8, 22, 36: [.slowStart(.seconds(5))]
            case 5, 27, 43: [.closes]
            default: []
            }
        let entries = (0..<12).map { entry in
            server.serve("/\(number)-\(entry).mp4", Resource(.bytes(bytes), type: "video/mp4"))
            return
                "<item><title>\(number), \(entry)</title><enclosure url=\"/\(number)-\(entry).mp4\" type=\"video/mp4\"/></item>"
        }
        let feed = "<rss><channel><title>Source \(number)</title>\(entries.joined())</channel></rss>"
        server.serve("/\(number).xml", Resource(.bytes(Array(feed.utf8)), type: "text/xml", faults: faults))
        urls.append(server.url("/\(number).xml"))
    }
    for server in servers { server.link = .init(rate: 100_000_000, latency: .milliseconds(100)) }
    let list = urls.map { "\"\($0)\"" }.joined(separator: ", ")
    let config = try folder.write("home.toml", "[home]\nsources = [\(list)]\n".utf8)
    var (first, whole): ([Double], [Double]) = ([], [])
    // They end with their last use here, and flick is the one that uses them.
    try withExtendedLifetime(servers) {
        for run in 0..<3 {
            let session = try Session(
                programs.flick, [], ["--config", config, "--no-audio", "--cache-dir", "\(folder.path)/home-\(run)"])
            session.run(.seconds(5))
            let trace = try session.finish()
            first.append(trace.events("first_frame").first.map { $0.time * 1_000 } ?? .infinity)
            // 40 sources with twelve items each.
            var items = 0.0
            let complete = trace.events("feed").first { event in
                items += event.number("items") ?? 0
                return items >= 480
            }
            whole.append(complete?.time ?? .infinity)
        }
    }
    report.figure("first picture of the home feed", first.median, "ms", atMost: 800)
    report.figure("all of its 40 sources that answer", whole.median, "s", atMost: 3)
}

/// 200 feeds on a server with 100 ms of latency, read again.
private func unchanged(_ report: inout Report, _ programs: Programs, _ folder: TemporaryFolder) throws {
    let server = try FaultyServer()
    let urls = (0..<200).map { number in
        let entry = "<item><title>\(number)</title><enclosure url=\"/\(number).mp4\" type=\"video/mp4\"/></item>"
        var feed = Resource(
            .bytes(Array("<rss><channel><title>\(number)</title>\(entry)</channel></rss>".utf8)), type: "text/xml",
            etag: "\"\(number)\"")
        feed.answersConditions = true
        server.serve("/\(number).xml", feed)
        return server.url("/\(number).xml")
    }
    let command = [programs.flick, "feed", "--cache-dir", folder.path + "/cache"] + urls
    _ = try listing(command, lines: 200, times: 1)
    server.resetCounts()
    server.link = .init(rate: 100_000_000, latency: .milliseconds(100))
    report.figure("200 unchanged feeds", try listing(command, lines: 200, times: 1), "s", atMost: 5)
    let counts = server.counts
    guard counts.requests > 0 else { throw NotMeasured("the server was not asked whether they have changed") }
    report.figure("requests for them", Double(counts.requests), "", atMost: 200)
    report.figure("bytes of bodies", Double(counts.bodyBytes), "", atMost: 0)
}

/// How many seconds a command takes that prints `lines` lines: the median.
private func listing(_ command: [String], lines: Int, times: Int = 5) throws -> Double {
    try (0..<times).map { _ in
        let began = ContinuousClock.now
        let printed = try Programs.output(of: command).count { $0 == 0x0A }
        guard printed == lines else {
            throw NotMeasured(
                "\(command.prefix(3).joined(separator: " ")) printed \(printed) lines instead of \(lines)")
        }
        return (ContinuousClock.now - began) / .seconds(1)
    }.median
}

/// The most memory that a command had at a time, in megabytes.
private func peakMemory(_ command: [String]) throws -> Double {
    let script = """
        import resource, subprocess, sys
        subprocess.run(sys.argv[1:], stdout=subprocess.DEVNULL, check=True)
        print(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss)
        """
    let watched = try Command.run(["python3", "-c", script] + command)
    guard let kilobytes = Double(watched.output.trimmingCharacters(in: .whitespacesAndNewlines)) else {
        throw PTYProcess.Error(description: "no figure of memory: \(watched.errors)")
    }
    return kilobytes / 1_024
}
