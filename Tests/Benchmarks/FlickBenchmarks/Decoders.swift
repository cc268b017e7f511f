import Foundation
import Model
import TestSupport
import Wire

/// How soon a decoder is ready that was not forked ahead of need, and the cost of decoders without a clip.
func decoders(_ report: inout Report, _ programs: Programs, _ clips: Clips) throws {
    report.section("Decoders from the nursery")
    let program = URL(fileURLWithPath: programs.flick).deletingLastPathComponent()
        .appendingPathComponent("flick-decoder").path
    let nursery = Nursery(path: program)
    defer {
        nursery.end()
        nursery.waitForEnd()
    }
    report.note("the first, with the nursery's own start", try readiness(nursery, count: 1).median, "ms")
    let times = try readiness(nursery, count: 300)
    report.note("from request to hello, p50", times.median, "ms")
    report.figure("from request to hello, p95", times.quantile(0.95), "ms", atMost: 3)

    let idle = try (0..<10).map { _ in try nursery.decoder() }
    defer { idle.forEach(endDecoder) }
    let pids = try idle.map { decoder in
        let pid = try decoder.waitUntilStarted()
        _ = try decoder.channel.receive()
        return pid
    }
    report.figure(
        "ten of them, proportional", pids.map { ProcessFile.memory($0, "Pss:") }.reduce(0, +), "MiB", atMost: 60)
    if let pid = nursery.pid { report.note("the nursery, proportional", ProcessFile.memory(pid, "Pss:"), "MiB") }
}

/// Milliseconds from asking for a decoder to its greeting, one after the other.
private func readiness(_ nursery: Nursery, count: Int) throws -> [Double] {
    try (0..<count).map { _ in
        let asked = ContinuousClock.now
        let decoder = try nursery.decoder()
        defer { endDecoder(decoder) }
        try decoder.waitUntilStarted()
        _ = try decoder.channel.receive()
        return (ContinuousClock.now - asked) / .milliseconds(1)
    }
}

private func endDecoder(_ decoder: DecoderProcess) {
    decoder.kill()
    decoder.reap()
}
