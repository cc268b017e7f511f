import Bytes
import Foundation
import TestSupport
import Threads

private let mebibyte = 1_048_576.0

/// How many bytes cross the network.
func loader(_ report: inout Report, _ programs: Programs, _ clips: Clips) throws {
    report.section("Loader: bytes from a server on loopback")
    try playTwice(&report)
    try seekIntoGap(&report)
    try prefetchTen(&report)
    try fetchTwentyStills(&report)
    try readTogether(&report)
}

private func playTwice(_ report: inout Report) throws {
    let rig = try Rig()
    let clip = rig.serve("clip", length: 20 << 20)
    let bytes: [Int64] = try (0..<3).map { _ in
        // A new provider each time, as after a restart, with nothing in memory.
        let provider = rig.provider()
        defer { provider.close() }
        rig.server.resetCounts()
        provider.focus(on: clip)
        try provider.open(clip).check(0..<20 << 20, seed: Rig.seed("clip"))
        return rig.server.counts.bodyBytes
    }
    guard bytes[0] > 0 else { throw NotMeasured("nothing came from the server the first time") }
    report.note("a clip of 20 MiB played: bytes the first time", "\(bytes[0])")
    report.figure("the same clip the second and third time", Double(bytes[1] + bytes[2]), "B", atMost: 0)
}

private func seekIntoGap(_ report: inout Report) throws {
    let rig = try Rig()
    let clip = rig.serve("clip", length: 64 << 20)
    let provider = rig.provider()
    defer { provider.close() }
    // Cached: 0–8 MiB and 9–16 MiB.
    for range in [0..<Int64(8 << 20), Int64(9 << 20)..<Int64(16 << 20)] {
        try provider.open(clip, range: range).check(range, seed: Rig.seed("clip"))
    }
    rig.writeUses()
    rig.server.resetCounts()
    let range = Int64(7 << 20)..<Int64(10 << 20)
    try provider.open(clip, range: range).check(range, seed: Rig.seed("clip"))
    rig.writeUses()
    let off = abs(rig.server.counts.bodyBytes - (1 << 20))
    report.figure("a seek into a gap of 1 MiB: bytes more or less than it", Double(off), "B", atMost: mebibyte / 2)
}

private func prefetchTen(_ report: inout Report) throws {
    let rig = try Rig()
    let clips = (0..<10).map { rig.serve("clip\($0)", length: 20 << 20) }
    let provider = rig.provider()
    defer { provider.close() }
    provider.prefetch(clips)
    _ = rig.server.waitUntil(within: .seconds(30)) { $0.bodyBytes >= 50 << 20 && $0.answering == 0 }
    rig.writeUses()
    let bytes = Double(rig.server.counts.bodyBytes)
    report.figure("ten clips of 20 MiB prefetched", bytes / mebibyte, "MiB", atMost: 50)
    report.figure("the same, as what is worth fetching", bytes / mebibyte, "MiB", atLeast: 49)
}

/// From a server half a second away.
private func fetchTwentyStills(_ report: inout Report) throws {
    let rig = try Rig()
    let length: Int64 = 20_000
    let stills = (0..<20).map { rig.serve("still\($0)", length: length, faults: [.slowStart(.milliseconds(500))]) }
    let provider = rig.provider()
    defer { provider.close() }
    let began = ContinuousClock.now
    provider.prefetchStills(stills)
    let isDone = rig.server.waitUntil(within: .seconds(30)) { $0.bodyBytes >= 20 * length && $0.answering == 0 }
    let took = (ContinuousClock.now - began) / .seconds(1)
    report.figure("twenty stills of a server half a second away", isDone ? took : 30, "s", atMost: 1.2)
}

private func readTogether(_ report: inout Report) throws {
    let rig = try Rig()
    let clip = rig.serve("clip", length: 4 << 20)
    // Slow enough for the two transfers to meet.
    rig.server.link = .init(rate: 8 << 20, latency: .milliseconds(20))
    let provider = rig.provider()
    defer { provider.close() }
    let ended = Monitor<[Bool]>([])
    for _ in 0..<2 {
        BlockingThread.start {
            // One that failed has not got all, and is counted as that.
            let got = try? provider.open(clip).check(0..<4 << 20, seed: Rig.seed("clip"))
            ended.change { $0.append(got == 4 << 20) }
        }
    }
    let results = ended.wait(upTo: .seconds(30)) { $0.count == 2 ? $0 : nil }
    rig.writeUses()
    guard results == [true, true] else { throw NotMeasured("two readers of one file did not both get all of it") }
    report.figure(
        "two readers of one file: their bytes from the network, in times the file",
        Double(rig.server.counts.bodyBytes) / (4 * mebibyte), "", atMost: 1)
}
