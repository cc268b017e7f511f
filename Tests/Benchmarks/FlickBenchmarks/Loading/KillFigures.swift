import Bytes
import Cache
import Foundation
import Model
import TestSupport

/// Kill -9 at random moments, and all problems that a disk can have.
func kill(_ report: inout Report, _ programs: Programs, _ clips: Clips) throws {
    report.section("Kill: 200 times kill -9 in the middle of playback and prefetch")
    try killMany(&report, programs, clips)
    report.section("Broken caches: flick plays on and reports each once")
    try BrokenCache(programs, clips).measure(&report)
}

private func killMany(_ report: inout Report, _ programs: Programs, _ clips: Clips) throws {
    let rig = try Rig()
    // So that a kill interrupts transfers, with little in the kernel's buffers.
    rig.server.link = .init(rate: 24 << 20, latency: .milliseconds(2))
    // Read from front to back. If a transfer is aborted, it is unknown how much of it was read from the kernel.
    let files = try (0..<5).map { try clips.frontal($0) }
    let whole = try files.map { Array(try Data(contentsOf: URL(fileURLWithPath: $0))) }
    var random = SeededRandom(state: 7)
    var (lost, bad, wrong, kept, all) = (0.0, Int64(0), 0, Int64(0), Int64(0))
    for round in 0..<200 {
        // Separate paths: rounds share a cache, and none must find what another has fetched.
        let paths = files.indices.map { "/\(round)/\($0).mp4" }
        for (path, file) in zip(paths, files) { rig.server.serve(path, Resource(.file(file))) }
        rig.server.resetCounts()
        let received = try playAndKill(
            programs.flick, rig, paths, after: .milliseconds(150 + Int(random.next() % 600)))
        all += received.values.reduce(0, +)
        _ = rig.server.waitUntil { $0.openConnections == 0 }

        let inspection = try CacheInspection(rig.cache)
        let found = try inspection.verify { _, _ in }
        bad += found.badBytes
        let held = Dictionary(try inspection.entries().map { ($0.url, $0.bytes) }, uniquingKeysWith: { $1 })
        for path in paths {
            let bytes = held[rig.server.url(path)] ?? 0
            kept += bytes
            lost = max(lost, Double((received[path] ?? 0) - bytes))
        }
        // Every tenth round, everything is played again through another process's provider. Then a new cache begins,
        // because each check verifies the whole cache.
        if round % 10 == 9 {
            wrong += try wrongBytes(rig, paths, whole)
            try FileManager.default.removeItem(atPath: rig.cache.folder)
        }
    }
    guard all > 0 else { throw NotMeasured("flick received nothing before it was killed") }
    report.note("received before the kills, in all", Double(all) / 1e6, "MB")
    report.note("kept at the moment of the kill, in all", Double(kept) / 1e6, "MB")
    report.figure("most bytes of a clip that were lost", lost / 1_024, "KiB", atMost: 512)
    report.figure("bad bytes found by verifying", Double(bad), "B", atMost: 0)
    report.figure("bytes that differ when read again", Double(wrong), "B", atMost: 0)
}

/// Plays, then kills flick. Returns how many bytes of each path it had received.
private func playAndKill(_ flick: String, _ rig: Rig, _ paths: [String], after time: Duration) throws -> [String: Int64]
{
    let session = try Session(flick, paths.map(rig.server.url), ["--no-audio", "--cache-dir", rig.cache.folder])
    session.run(time)
    // Stopped first: it then reads nothing more, and the server's bytes wait in the kernel, where they can be counted.
    kill(session.program.pid, SIGSTOP)
    var last = rig.server.counts
    while true {
        // No event reports that the kernel's buffers are full. The link needs a tenth of this time for its next 64 KB.
        usleep(30_000)
        let counts = rig.server.counts
        if counts == last { break }
        last = counts
    }
    var received: [String: Int64] = [:]
    var newest: [UInt16: String] = [:]
    for request in rig.server.requests where paths.contains(request.path) {
        received[request.path, default: 0] += request.bodyBytes
        newest[request.clientPort] = request.path
    }
    // A connection's queues contain bytes of its newest response.
    for (port, bytes) in try queues(of: rig.server.port) {
        if let path = newest[port] { received[path, default: 0] -= bytes }
    }
    kill(session.program.pid, SIGKILL)
    session.program.finish(within: .seconds(5))
    unlink(session.trace)
    return received
}

/// The bytes between both ends of each connection to a port, by the client's port: waiting to be sent or read (proc(5),
/// /proc/net/tcp).
private func queues(of port: UInt16) throws -> [UInt16: Int64] {
    var queues: [UInt16: Int64] = [:]
    // Line by line, because reading a whole file ends at the first short read, and this file is returned page by page.
    guard let table = fopen("/proc/net/tcp", "re") else { throw POSIXError(.ENOENT) }
    defer { fclose(table) }
    while let line = line(of: table) {
        let fields = line.split(separator: " ")
        // The header line has no such numbers.
        guard fields.count > 4, let local = fields[1].split(separator: ":").last.flatMap({ UInt16($0, radix: 16) }),
            let remote = fields[2].split(separator: ":").last.flatMap({ UInt16($0, radix: 16) })
        else { continue }
        let sizes = fields[4].split(separator: ":").map { Int64($0, radix: 16) ?? 0 }
        if local == port { queues[remote, default: 0] += sizes[0] }
        if remote == port { queues[local, default: 0] += sizes[1] }
    }
    return queues
}

private func line(of file: UnsafeMutablePointer<FILE>) -> String? {
    withUnsafeTemporaryAllocation(of: CChar.self, capacity: 512) { buffer in
        fgets(buffer.baseAddress, Int32(buffer.count), file).map { String(cString: $0) }
    }
}

private func wrongBytes(_ rig: Rig, _ paths: [String], _ whole: [[UInt8]]) throws -> Int {
    let provider = rig.provider()
    defer { provider.close() }
    var wrong = 0
    for (path, expected) in zip(paths, whole) {
        let source = try provider.open(Asset(url: rig.server.url(path)))
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
