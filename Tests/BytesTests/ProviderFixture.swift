import Foundation
import Model
import Synchronization
import TestSupport
import Threads

@testable import Bytes
@testable import Cache
@testable import HTTP

/// A provider between a server and a cache folder, and what it reported.
final class ProviderFixture: Sendable {
    let folder = TemporaryFolder()
    let server: FaultyServer
    private let fetches = Monitor<[Fetch]>([])
    private let notes = Monitor<[String]>([])
    private let lives = Monitor(0)

    init() throws { server = try FaultyServer() }

    var cacheFolder: String { folder.path + "/cache" }
    var reported: [Fetch] { fetches.withLock { $0 } }
    var notices: [String] { notes.withLock { $0 } }

    /// A new provider, as after a restart of the program.
    func provider(
        cached: Bool = true, firstByte: Duration = .seconds(5), stall: Duration = .seconds(1),
        resolver: ScriptedResolver? = nil, clock: ManualClock? = nil, _ change: (inout CacheOptions) -> Void = { _ in }
    ) -> CachedProvider {
        var options = CacheOptions(folder: cacheFolder)
        change(&options)
        let life = Life(among: lives)
        var network = NetworkOptions()
        network.connectTimeout = .seconds(5)
        network.firstByteTimeout = firstByte
        network.stallTimeout = stall
        let time: (@Sendable () -> Duration)? = if let clock { { clock.now } } else { nil }
        let services = LoaderServices(
            cache: cached ? options : nil, network: network,
            report: { [fetches] fetch in withExtendedLifetime(life) { fetches.change { $0.append(fetch) } } },
            notice: { [notes] text in withExtendedLifetime(life) { notes.change { $0.append(text) } } },
            clock: time)
        return CachedProvider(
            services, resolvers: resolver.map { [.ytDLP: $0] } ?? [:], privateHosts: network.privateHosts)
    }

    /// Serves the pattern `seed`; returns its URL.
    func serve(_ path: String, length: Int64, seed: UInt64 = 1, etag: String? = "\"1\"", _ faults: [Fault] = [])
        -> String
    {
        server.serve(path, Resource(.pattern(length: length, seed: seed), etag: etag, faults: faults))
        return server.url(path)
    }

    /// Bytes from the network, as the provider reported them.
    var fetched: Int64 { reported.filter { $0.source == .network }.reduce(0) { $0 + $1.got } }

    func forget() {
        fetches.withLock { $0 = [] }
        server.resetCounts()
    }

    /// Referenced by every part of a provider that can still report something.
    private final class Life: Sendable {
        private let lives: Monitor<Int>

        init(among lives: Monitor<Int>) {
            self.lives = lives
            lives.change { $0 += 1 }
        }

        deinit { lives.change { $0 -= 1 } }
    }

    /// Waits until no part of any provider is left; false if something stays.
    func allProvidersAreGone() async -> Bool {
        await onThread { [lives] in lives.wait(upTo: .seconds(60)) { $0 == 0 ? true : nil } ?? false }
    }

    /// Waits until the reports meet a condition; false if they do not in time.
    func reports(_ holds: @escaping @Sendable ([Fetch]) -> Bool) async -> Bool {
        await onThread { [fetches] in fetches.wait(upTo: .seconds(60)) { holds($0) ? true : nil } ?? false }
    }

    /// Waits until the server's counts meet a condition.
    func serverSees(_ holds: @escaping @Sendable (FaultyServer.Counts) -> Bool) async -> Bool {
        await onThread { [server] in server.waitUntil(within: .seconds(60), holds) }
    }
}

func pattern(_ offset: Int64, _ count: Int, seed: UInt64 = 1) -> [UInt8] {
    PatternBytes.bytes(seed: seed, at: offset, count: count)
}

extension ByteSource {
    /// Up to `count` bytes, as many as there are. Blocks.
    func readAll(at offset: Int64, count: Int, _ cancellation: Cancellation = Cancellation()) throws -> [UInt8] {
        var whole: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: min(count, 64 << 10))
        while whole.count < count {
            let wanted = min(count - whole.count, buffer.count)
            let got = try buffer.withUnsafeMutableBytes {
                try self.read(
                    at: offset + Int64(whole.count), into: UnsafeMutableRawBufferPointer(rebasing: $0[..<wanted]),
                    cancellation: cancellation)
            }
            if got == 0 { break }
            whole += buffer[..<got]
        }
        return whole
    }

    func bytes(at offset: Int64, count: Int, _ cancellation: Cancellation = Cancellation()) async throws -> [UInt8] {
        try await onThread { try self.readAll(at: offset, count: count, cancellation) }
    }
}

extension CachedProvider {
    func source(
        _ url: String, role: ByteRole = .media, range: Range<Int64>? = nil, asset: String? = nil,
        clipTimes: Range<Duration>? = nil, _ cancellation: Cancellation = Cancellation()
    ) async throws -> any ByteSource {
        try await onThread {
            try self.open(
                ByteRequest(url: url, asset: Asset(url: asset ?? url), role: role, range: range, clipTimes: clipTimes),
                cancellation: cancellation)
        }
    }

    /// Closed, and all that it had to write is written: on a slow machine that takes longer than `close` waits.
    func closed() async {
        await onThread {
            self.close()
            self.services.writer.drain(upTo: .seconds(60))
        }
    }

    /// Waits until the received bytes are in the cache.
    func written() async { await onThread { self.services.writer.drain(upTo: .seconds(10)) } }
}

/// The reason of an error; nil if `body` throws none.
func reason<Value>(_ body: () async throws -> Value) async -> BytesError.Reason? {
    do {
        _ = try await body()
        return nil
    } catch {
        return (error as? BytesError)?.reason
    }
}
