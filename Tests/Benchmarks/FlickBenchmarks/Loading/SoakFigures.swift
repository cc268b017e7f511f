import Bytes
import Cache
import Foundation
import HTTP
import Model
import Synchronization
import TestSupport
import Threads

/// A minute of everything at once; `make soak` runs ten.
func soak(_ report: inout Report, _ programs: Programs, _ clips: Clips) throws {
    try soak(&report, for: .seconds(60))
}

func longSoak(_ report: inout Report, _ programs: Programs, _ clips: Clips) throws {
    try soak(&report, for: .seconds(600))
}

private func soak(_ report: inout Report, for time: Duration) throws {
    report.section("Soak: \(Int(time / .seconds(1))) s of random seeks and page turns against random faults")
    let soak = try Soak()
    // The first fifth covers one-time costs. Memory use varies by tens of megabytes, as readers come and go: medians
    // show growth.
    _ = soak.run(for: time / 5)
    let before = (memory: soak.run(for: time / 5).median, descriptors: soak.descriptors)
    _ = soak.run(for: time / 5 * 2)
    let after = (memory: soak.run(for: time / 5).median, descriptors: soak.descriptors)
    let results = soak.finish()
    report.note("reads, of which failed as they may", "\(results.reads), \(results.failures)")
    report.note("bytes read", Double(results.bytes) / 1e6, "MB")
    report.note("bytes from the network", Double(results.fetched) / 1e6, "MB")
    guard results.bytes > 0 else { throw NotMeasured("nothing was read") }
    report.figure("reads with wrong bytes", Double(results.wrong), "", atMost: 0)
    report.figure("longest read", results.longest / .seconds(1), "s", atMost: Soak.patience / .seconds(1))
    report.figure("readers that hang at the end", Double(results.hanging), "", atMost: 0)
    report.note("memory, median", "\(Int(before.memory)), then \(Int(after.memory)) MiB")
    report.figure("growth of memory", after.memory - before.memory, "MiB", atMost: 16)
    report.figure("growth of open descriptors", after.descriptors - before.descriptors, "", atMost: 32)
}

/// Four readers that go from clip to clip and from place to place, and a server that almost always has faults.
private final class Soak: Sendable {
    struct Results: Sendable {
        var reads = 0
        var failures = 0
        var wrong = 0
        var bytes: Int64 = 0
        var fetched: Int64 = 0
        var longest = Duration.zero
        var hanging = 0
    }

    /// The timeouts below, with every retry of a read that fails in the end.
    static let patience = Duration.seconds(40)

    private struct Shared {
        var results = Results()
        var running = 0
    }

    private let server: FaultyServer
    private let folder: TemporaryFolder
    private let provider: CachedProvider
    private let shared = Monitor(Shared())
    private let isOver = Atomic(false)
    private static let lengths: [Int64] = [300_000, 1 << 20, 5_242_881, 12_000_000, 40_000_000, 100_000_000]

    init() throws {
        server = try FaultyServer()
        folder = TemporaryFolder()
        var cache = CacheOptions(folder: folder.path + "/cache")
        // Smaller than what is read, so that there is always something to evict.
        cache.limit = 60_000_000
        var network = NetworkOptions()
        network.connectTimeout = .seconds(1)
        network.firstByteTimeout = .seconds(1)
        network.stallTimeout = .seconds(1)
        provider = CachedProvider(cache: cache, network: network)
        server.link = .init(rate: 80 << 20, latency: .milliseconds(1))
        for number in 0..<4 {
            shared.withLock { $0.running += 1 }
            BlockingThread.start { [self] in
                var random = SeededRandom(state: UInt64(number) + 100)
                while !isOver.load(ordering: .relaxed) { visit(&random) }
                shared.change { $0.running -= 1 }
            }
        }
    }

    /// Changes the server's faults from time to time. Returns how much memory is used after each change, in MiB.
    func run(for time: Duration) -> [Double] {
        var memory: [Double] = []
        let end = ContinuousClock.now + time
        var random = SeededRandom(state: 9)
        while ContinuousClock.now < end {
            for clip in Self.lengths.indices { serve(clip, &random) }
            // The server's record would grow without end.
            let fetched = server.counts.bodyBytes
            server.resetCounts()
            shared.withLock { $0.results.fetched += fetched }
            usleep(useconds_t(500_000 + random.next() % 1_000_000))
            memory.append(ProcessFile.memory(getpid(), "Rss:"))
        }
        return memory
    }

    var descriptors: Double { ProcessFile.descriptors(getpid()) }

    func finish() -> Results {
        isOver.store(true, ordering: .relaxed)
        let ended: Bool? = shared.wait(upTo: Self.patience) { $0.running == 0 ? true : nil }
        provider.close()
        var results = shared.withLock(\.results)
        results.hanging = ended == nil ? shared.withLock(\.running) : 0
        return results
    }

    private func serve(_ clip: Int, _ random: inout SeededRandom) {
        let after = Int64(random.next() % UInt64(Self.lengths[clip]))
        let some: [Fault] = [
            .noRanges, .contentRange(.shifted(by: 1)), .contentRange(.missing), .contentRange(.tooLong), .chunked,
            .noLength, .lengthOff(by: 100), .headerNames(.odd), .slowStart(.milliseconds(300)),
            .slowStart(.seconds(3)), .stall(after: after, for: .milliseconds(400)), .stall(after: after),
            .cut(after: after), .cut(after: after, .closed), .status(500), .status(429, retryAfter: "1"), .status(404),
            .status(416), .redirect(to: "/\(clip)?again"), .gzip, .closes, .noHead, .headWithoutLength, .garbage(),
            .endlessHeaders,
        ]
        let faults = (0..<2).map { _ in
            some[Int(random.next() % UInt64(some.count))].chance(0.3, seed: random.next())
        }
        server.serve(
            "/\(clip)",
            Resource(.pattern(length: Self.lengths[clip], seed: UInt64(clip)), etag: "\"\(clip)\"", faults: faults))
    }

    /// Opens a clip, as a page turn does, and reads it at some places.
    private func visit(_ random: inout SeededRandom) {
        let clip = Int(random.next() % UInt64(Self.lengths.count))
        let asset = Asset(url: server.url("/\(clip)"))
        provider.focus(on: asset)
        provider.prefetch((1...3).map { Asset(url: server.url("/\((clip + $0) % Self.lengths.count)")) })
        if random.next() % 50 == 0 { provider.revalidate(asset) }
        guard let source = timed({ try provider.open(asset) }) else { return }
        for _ in 0..<random.next() % 8 {
            let start = Int64(random.next() % UInt64(Self.lengths[clip]))
            let end = min(start + Int64(random.next() % 2_000_000), Self.lengths[clip])
            let got = timed { try source.check(start..<end, seed: UInt64(clip), step: 64 << 10) }
            guard let got else { return }
            shared.withLock { shared in
                shared.results.bytes += got
                if got < end - start { shared.results.wrong += 1 }
            }
        }
    }

    /// nil if it failed.
    private func timed<Value>(_ body: () throws -> Value) -> Value? {
        let start = ContinuousClock.now
        let result = Result { try body() }
        let time = ContinuousClock.now - start
        return shared.withLock { shared in
            shared.results.reads += 1
            shared.results.longest = max(shared.results.longest, time)
            switch result {
            case .success(let value): return value
            case .failure(is WrongBytes):
                shared.results.wrong += 1
                return nil
            case .failure:
                shared.results.failures += 1
                return nil
            }
        }
    }
}
