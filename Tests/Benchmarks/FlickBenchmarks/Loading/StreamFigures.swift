import Bytes
import Foundation
import TestSupport

/// A file much larger than memory use may ever be.
func stream(_ report: inout Report, _ programs: Programs, _ clips: Clips) throws {
    report.section("Stream: a file of 5 GB, read from its beginning to its end")
    let rig = try Rig()
    let length: Int64 = 5_000_000_000
    let small = rig.serve("small", length: 32 << 20)
    let large = rig.serve("large", length: length)
    let provider = rig.provider()
    defer { provider.close() }
    // Allocates what is needed once, threads and buffers, before the measurement.
    provider.focus(on: small)
    try provider.open(small).check(0..<32 << 20, seed: Rig.seed("small"))
    let before = ProcessFile.memory(getpid(), "Rss:")
    var most = before
    var next: Int64 = 0
    let start = ContinuousClock.now
    provider.focus(on: large)
    let got = try provider.open(large).check(0..<length, seed: Rig.seed("large")) { offset in
        guard offset >= next else { return }
        next += 32 << 20
        most = max(most, ProcessFile.memory(getpid(), "Rss:"))
    }
    report.note("every byte equal, of", "\(got)")
    report.note("speed", Double(got) / 1e6 / (start.duration(to: .now) / .seconds(1)), "MB/s")
    report.figure("growth of memory, server included", most - before, "MiB", atMost: 16)
}
