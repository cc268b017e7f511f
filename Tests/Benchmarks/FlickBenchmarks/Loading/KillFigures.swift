import Bytes
import Foundation
import TestSupport

/// Kill -9 at random moments, and every way in which a disk can be in the way.
func kill(_ report: inout Report, _ programs: Programs, _ clips: Clips) throws {
    report.section("Kill: 200 times kill -9 in the middle of playback and prefetch")
    try killMany(&report, programs, clips)
    report.section("Trouble with the cache: flick plays on and says so once")
    try CacheTrouble(programs, clips).measure(&report)
}

private func killMany(_ report: inout Report, _ programs: Programs, _ clips: Clips) throws {
    let rig = try Rig()
    // So that a kill finds transfers on their way, and little in the kernel's hands.
    rig.server.link = .init(rate: 24 << 20, latency: .milliseconds(2))
    let files = (try (0..<4).map { "\(try clips.ten())/clip\($0).mp4" }) + [try clips.long()]
    let whole = try files.map { Array(try Data(contentsOf: URL(fileURLWithPath: $0))) }
    var random = SplitMix64(state: 7)
    var (lost, bad, wrong, kept) = (0.0, Int64(0), 0, Int64(0))
    for round in 0..<200 {
        // Paths of their own: all rounds share one cache, and none finds what another has fetched.
        let paths = files.indices.map { "/\(round)/\($0).mp4" }
        for (path, file) in zip(paths, files) { rig.server.serve(path, Resource(.file(file))) }
        rig.server.resetCounts()
        try playAndKill(
            programs.flick, rig, paths.map(rig.server.url), after: .milliseconds(150 + Int(random.next() % 600)))
        _ = rig.server.waitUntil { $0.openConnections == 0 }

        let inspection = try CacheInspection(rig.cache)
        let found = try inspection.verify { _, _ in }
        bad += found.badBytes
        let held = Dictionary(try inspection.entries().map { ($0.url, $0.bytes) }, uniquingKeysWith: { $1 })
        for path in paths {
            let sent = rig.server.requests(for: path).filter { $0.method == "GET" }.reduce(0) { $0 + $1.bodyBytes }
            let bytes = held[rig.server.url(path)] ?? 0
            kept += bytes
            lost = max(lost, Double(sent - bytes))
        }
        // Every twentieth time all of it is looked at again, through another process's door.
        if round % 20 == 19 { wrong += try wrongBytes(rig, paths, whole) }
    }
    report.note("kept at the moment of the kill, in all", Double(kept) / 1e6, "MB")
    // What is on its way between the kernels is no loss of the cache's.
    report.figure("most bytes of a clip that were lost", lost / 1_024, "KiB", atMost: 512 + 256)
    report.figure("bad bytes found by verifying", Double(bad), "B", atMost: 0)
    report.figure("bytes that differ when read again", Double(wrong), "B", atMost: 0)
}

/// Plays, and ends it without a warning.
private func playAndKill(_ flick: String, _ rig: Rig, _ urls: [String], after time: Duration) throws {
    let session = try Session(flick, urls, ["--no-audio", "--cache-dir", rig.cache.folder])
    session.run(time)
    kill(session.program.pid, SIGKILL)
    session.program.finish(within: .seconds(5))
    unlink(session.trace)
}

private func wrongBytes(_ rig: Rig, _ paths: [String], _ whole: [[UInt8]]) throws -> Int {
    let door = rig.door()
    defer { door.close() }
    var wrong = 0
    for (path, expected) in zip(paths, whole) {
        let source = try door.open(Asset(url: rig.server.url(path)))
        var buffer = [UInt8](repeating: 0, count: 256 << 10)
        var offset = 0
        while true {
            let got = try buffer.withUnsafeMutableBytes { try source.read(at: Int64(offset), into: $0) }
            if got == 0 { break }
            wrong += zip(buffer[..<got], expected[min(offset, expected.count)...]).count { $0 != $1 }
            offset += got
        }
        wrong += abs(expected.count - offset)
    }
    return wrong
}
