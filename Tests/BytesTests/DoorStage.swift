import Foundation
import Synchronization
import TestSupport
import Threads

@testable import Bytes

/// A door with a server before it and a folder behind it, and what it reported.
final class DoorStage: Sendable {
    let folder = TemporaryFolder()
    let server: FaultyServer
    private let fetches = Monitor<[Fetch]>([])
    private let told = Monitor<[String]>([])

    init() throws { server = try FaultyServer() }

    var cacheFolder: String { folder.path + "/cache" }
    var reported: [Fetch] { fetches.withLock { $0 } }
    var notices: [String] { told.withLock { $0 } }

    /// A new door, as after a restart of the program.
    func door(cached: Bool = true, _ change: (inout CacheOptions) -> Void = { _ in }) -> CachedDoor {
        var options = CacheOptions(folder: cacheFolder)
        change(&options)
        var network = NetworkOptions()
        network.connectTimeout = .seconds(5)
        network.firstByteTimeout = .seconds(5)
        network.stallTimeout = .seconds(1)
        return CachedDoor(
            cache: cached ? options : nil, network: network,
            report: { [fetches] fetch in fetches.change { $0.append(fetch) } },
            notice: { [told] text in told.change { $0.append(text) } })
    }

    /// Bytes of the network, by what the door reported.
    var fetched: Int64 { reported.filter { $0.source == .network }.reduce(0) { $0 + $1.got } }

    func forget() {
        fetches.withLock { $0 = [] }
        server.resetCounts()
    }

    /// Blocks until what was reported is so; false if it does not come to be.
    func waitForReport(_ holds: @escaping ([Fetch]) -> Bool) -> Bool {
        fetches.wait(upTo: .seconds(20)) { holds($0) ? true : nil } ?? false
    }
}

extension ByteSource {
    func bytes(at offset: Int64, count: Int, _ cancellation: Cancellation = Cancellation()) throws -> [UInt8] {
        var whole: [UInt8] = []
        while whole.count < count {
            var buffer = [UInt8](repeating: 0, count: min(count - whole.count, 64 << 10))
            let got = try buffer.withUnsafeMutableBytes {
                try self.read(at: offset + Int64(whole.count), into: $0, cancellation: cancellation)
            }
            if got == 0 { break }
            whole += buffer[..<got]
        }
        return whole
    }
}

extension CachedDoor {
    func open(_ url: String, role: ByteRole = .media, range: Range<Int64>? = nil) throws -> any ByteSource {
        try open(ByteRequest(url: url, asset: Asset(url: url), role: role, range: range), cancellation: Cancellation())
    }
}
