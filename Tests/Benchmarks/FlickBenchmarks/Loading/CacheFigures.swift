import Bytes
import Cache
import Foundation
import TestSupport

/// Reads from the cache beside plain `pread`, and the index of ranges.
func cache(_ report: inout Report, _ programs: Programs, _ clips: Clips) throws {
    report.section("Cache: warm reads, and the index of ranges")
    try warmReads(&report)
    rangeIndex(&report)
}

private func warmReads(_ report: inout Report) throws {
    let length: Int64 = 128 << 20
    let rig = try Rig()
    let clip = rig.serve("clip", length: length)
    let first = rig.provider()
    first.focus(on: clip)
    try first.open(clip).check(0..<length, seed: Rig.seed("clip"))
    first.close()
    rig.server.stop()

    let provider = rig.provider()
    defer { provider.close() }
    let source = try provider.open(clip)
    let descriptor = open(try largestFile(in: rig.cache.folder), O_RDONLY | O_CLOEXEC)
    defer { close(descriptor) }
    var buffer = [UInt8](repeating: 0, count: 256 << 10)
    func seconds(_ read: (Int64, UnsafeMutableRawBufferPointer) throws -> Int) rethrows -> Double {
        let start = ContinuousClock.now
        var offset: Int64 = 0
        while offset < length {
            let got = try buffer.withUnsafeMutableBytes { try read(offset, $0) }
            if got <= 0 { break }
            offset += Int64(got)
        }
        return offset == length ? start.duration(to: .now) / .seconds(1) : .infinity
    }
    var times: (own: [Double], plain: [Double]) = ([], [])
    // In turn, so that a machine that slows down slows both.
    for _ in 0..<9 {
        times.own.append(try seconds { try source.read(at: $0, into: $1) })
        times.plain.append(seconds { pread(descriptor, $1.baseAddress, $1.count, off_t($0)) })
    }
    let megabytes = Double(length) / 1e6
    report.note("pread of the cache's file", megabytes / times.plain.median, "MB/s")
    report.note("the same bytes through the provider", megabytes / times.own.median, "MB/s")
    report.figure("warm reads, provider / pread", times.plain.median / times.own.median, "", atLeast: 0.8)
}

private func largestFile(in folder: String) throws -> String {
    var largest = (size: -1, path: "")
    for name in FileManager.default.enumerator(atPath: folder)?.compactMap({ $0 as? String }) ?? [] {
        let path = "\(folder)/\(name)"
        let size = try FileManager.default.attributesOfItem(atPath: path)[.size] as? Int ?? 0
        if size > largest.size { largest = (size, path) }
    }
    return largest.path
}

private func rangeIndex(_ report: inout Report) {
    /// In seconds.
    func measure(_ count: Int) -> Double {
        var random = SeededRandom(state: 42)
        var ranges = ByteRanges()
        let start = ContinuousClock.now
        for _ in 0..<count {
            let first = Int64(random.next() >> 20)
            ranges.insert(first...first + Int64(random.next() & 1_023))
        }
        var held: Int64 = 0
        for index in 0..<count {
            let first = Int64(random.next() >> 20)
            if index % 2 == 0 {
                held &+= ranges.prefix(from: first)
            } else {
                held &+= ranges.firstGap(in: first...first + 1_023)?.lowerBound ?? 0
            }
        }
        // Used, so that it is not left out.
        precondition(held >= 0)
        return start.duration(to: .now) / .seconds(1)
    }
    let (small, large) = (1 << 14, 1_000_000)
    // Each round measures all four, so that a machine that slows down slows both. Few are through in a millisecond, so
    // they are measured more often.
    let rounds = (0..<5).map { _ in
        let few = (0..<21).map { _ in (own: measure(small), search: binarySearch(small)) }
        return (
            few: few.map(\.own).median, many: measure(large),
            search: (few: few.map(\.search).median, many: binarySearch(large))
        )
    }
    let million = rounds.map(\.many).median
    report.figure("a million random inserts and a million look-ups", million, "s", atMost: 2)
    let growth = rounds.map { round in
        (round.many / Double(large)) / (round.few / Double(small))
    }
    let searchGrowth = rounds.map { $0.search.many / $0.search.few }
    report.note(
        "an operation among 16 Ki ranges",
        rounds.map(\.few).median / Double(small) * 1e9 / 2, "ns")
    report.note("an operation among a million", million / Double(large) * 1e9 / 2, "ns")
    // What is larger than a processor's caches costs more to look at, however few steps are made. A plain binary search
    // pays that too, and no more.
    report.note("growth of an operation's cost from 16 Ki to a million", growth.median, "")
    report.note("growth of a plain binary search's cost", searchGrowth.median, "")
    report.figure(
        "growth of an operation / growth of a binary search", zip(growth, searchGrowth).map { $0 / $1 }.median, "",
        atMost: 1)
}

/// The time of a look-up in a sorted array of `count` ranges, in seconds.
private func binarySearch(_ count: Int) -> Double {
    var random = SeededRandom(state: 7)
    let spans = (0..<count).map { _ in Int64(random.next() >> 20) }.sorted().map { ($0, $0 + 1_023) }
    return spans.withUnsafeBufferPointer { spans in
        var found = 0
        let start = ContinuousClock.now
        for _ in 0..<count {
            let offset = Int64(random.next() >> 20)
            var (low, high) = (0, spans.count)
            while low < high {
                let middle = (low + high) / 2
                if spans[middle].1 < offset { low = middle + 1 } else { high = middle }
            }
            found &+= low
        }
        // Used, so that it is not left out.
        precondition(found >= 0)
        return start.duration(to: .now) / .seconds(1) / Double(count)
    }
}
