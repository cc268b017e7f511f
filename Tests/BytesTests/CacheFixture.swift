import Foundation
import Synchronization
import TestSupport

@testable import Bytes
@testable import Cache

/// A cache on real files with a manual clock, and its notices.
final class CacheFixture: Sendable {
    let parent = TemporaryFolder()
    let notices = Mutex<[String]>([])
    let time = Mutex(1_000_000.0)
    var path: String { parent.path + "/cache" }

    var options: CacheOptions { CacheOptions(folder: path) }

    func store(_ options: CacheOptions? = nil, write: @escaping SparseFile.Write = SparseFile.writeAll) -> AssetStore {
        AssetStore(options ?? self.options, now: { [self] in time.withLock { $0 } }, write: write, sweepsSoon: false) {
            [self] text in
            notices.withLock { $0.append(text) }
        }
    }

    var said: [String] { notices.withLock { $0 } }

    func pass(_ seconds: Double) { time.withLock { $0 += seconds } }

    /// The files of assets.
    var files: [String] {
        // A cache that was never written to has no folder of assets.
        ((try? FileManager.default.contentsOfDirectory(atPath: path + "/assets")) ?? []).sorted().map {
            path + "/assets/" + $0
        }
    }

    func inspection(_ options: CacheOptions? = nil) throws -> CacheInspection {
        try CacheInspection(options ?? self.options)
    }

    /// Cached bytes, as the index counts them.
    func total() throws -> Int64 { try inspection().status().bytes }
}

func key(_ name: String) -> AssetKey { AssetKey("https://example.com/\(name)")! }  // Well-formed.

/// Bytes that differ from offset to offset.
func pattern(_ count: Int, seed: UInt64 = 7) -> [UInt8] {
    var random = SeededRandom(state: seed)
    var bytes: [UInt8] = []
    bytes.reserveCapacity(count + 8)
    while bytes.count < count { withUnsafeBytes(of: random.next()) { bytes.append(contentsOf: $0) } }
    return Array(bytes.prefix(count))
}

extension StoredAsset {
    func save(_ bytes: some Collection<UInt8>, at offset: Int64) -> Bool {
        Array(bytes).withUnsafeBytes { save($0, at: offset) }
    }

    func read(_ count: Int, at offset: Int64 = 0) -> [UInt8] {
        var bytes = [UInt8](repeating: 0xEE, count: count)
        let got = bytes.withUnsafeMutableBytes { read(at: offset, into: $0) }
        return Array(bytes.prefix(got))
    }
}
