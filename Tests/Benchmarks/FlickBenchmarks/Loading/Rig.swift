import Bytes
import Cache
import Foundation
import HTTP
import Model
import TestSupport
import Threads

/// A server, a cache, and providers between them.
final class Rig {
    let server: FaultyServer
    private let folder = TemporaryFolder()
    var cache: CacheOptions
    var network = NetworkOptions()

    init() throws {
        server = try FaultyServer()
        cache = CacheOptions(folder: folder.path + "/cache")
    }

    func provider() -> CachedProvider { CachedProvider(cache: cache, network: network) }

    /// Serves a pattern of `length` bytes, whose seed is derived from its name.
    func serve(_ name: String, length: Int64, faults: [Fault] = []) -> Asset {
        server.serve("/\(name)", Resource(.pattern(length: length, seed: Self.seed(name)), faults: faults))
        return Asset(url: server.url("/\(name)"))
    }

    static func seed(_ name: String) -> UInt64 { name.utf8.reduce(5_381) { $0 &* 33 &+ UInt64($1) } }

    /// Waits until the server has been quiet for a quarter of a second.
    func writeUses() {
        var last = server.counts
        while true {
            usleep(250_000)
            let counts = server.counts
            if counts == last, counts.answering == 0 { return }
            last = counts
        }
    }
}

/// A reader received bytes that the server does not have.
struct WrongBytes: Error, CustomStringConvertible {
    var url: String
    var offset: Int64
    var description: String { "wrong bytes of \(url) at \(offset)" }
}

extension ByteSource {
    /// Reads `range` from its beginning, checks each byte against the pattern,
    /// and returns how many came before the end.
    @discardableResult
    func check(_ range: Range<Int64>, seed: UInt64, step: Int = 256 << 10, each: (Int64) -> Void = { _ in }) throws
        -> Int64
    {
        var buffer = [UInt8](repeating: 0, count: step)
        var offset = range.lowerBound
        while offset < range.upperBound {
            let wanted = min(Int64(step), range.upperBound - offset)
            let got = try buffer.withUnsafeMutableBytes { buffer in
                let got = try read(at: offset, into: UnsafeMutableRawBufferPointer(rebasing: buffer[..<Int(wanted)]))
                let bytes = UnsafeRawBufferPointer(rebasing: buffer[..<got])
                guard PatternBytes.matches(bytes, seed: seed, at: offset) else {
                    throw WrongBytes(url: url, offset: offset)
                }
                return got
            }
            if got == 0 { break }
            offset += Int64(got)
            each(offset)
        }
        return offset - range.lowerBound
    }
}

extension ByteProvider {
    func open(_ asset: Asset, range: Range<Int64>? = nil) throws -> any ByteSource {
        try open(ByteRequest(url: asset.url, asset: asset, range: range), cancellation: Cancellation())
    }
}
