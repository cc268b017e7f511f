import Bytes
import Cache
import Foundation
import HTTP
import Model
import TestSupport
import Testing
import Wire

@testable import Player

/// Thumbnails of a server on loopback, made by the real decoder, with a cache on disk.
@Suite(.serialized, .timeLimit(.minutes(2))) @MainActor struct ThumbnailBytesTests {
    private let server: FaultyServer
    private let folder = TemporaryFolder()
    private var item: Item { Item(id: "a", url: server.url("/a.mp4"), thumbnail: server.url("/a.jpg")) }

    init() throws { server = try FaultyServer() }

    private func provider() -> CachedProvider {
        var network = NetworkOptions()
        network.environment = [:]
        return CachedProvider(cache: CacheOptions(folder: folder.path + "/cache"), network: network)
    }

    private func picture() throws -> [UInt8] {
        let path = folder.path + "/picture.png"
        let made = try Command.run(
            ["ffmpeg", "-v", "error", "-y", "-f", "lavfi", "-i", "testsrc2=size=64x48", "-frames:v", "1", path])
        try #require(made.status == 0, "\(made.errors)")
        return [UInt8](try Data(contentsOf: URL(fileURLWithPath: path)))
    }

    /// Has the item's thumbnail made, as when its page comes near. Whether there is one.
    private func makesThumbnail(with provider: CachedProvider) -> Bool {
        // On a busy machine a decoder may take too long, which says nothing about the bytes.
        for _ in 0..<5 {
            let why = failure(with: provider)
            if why != "its decoder took too long" { return why == nil }
        }
        return false
    }

    /// Why there is no thumbnail; nil if there is one.
    private func failure(with provider: CachedProvider) -> String? {
        let decoders = DecoderPool(
            options: PlayerPool.Options(decoderPath: Stage.decoderPath), bytes: MediaBytes(network: provider), wake: {})
        defer { decoders.close() }
        let maker = StillMaker(decoders: decoders, retention: .lasting, cache: provider)
        defer { maker.close() }
        maker.setSurface(SurfaceRequest(generation: 1, width: 64, height: 48, fit: .fill))
        maker.want([(item: item, offset: 0)])
        let coverage = StillMaker.Coverage(furthest: .max, changes: 0, isLate: false)
        let began = ContinuousClock.now
        var events: [PlayerEvent] = []
        let hasEnded = holds(within: .seconds(30)) {
            let now = ContinuousClock.now - began
            maker.begin(coverage, isCovered: { _ in false }, now: now)
            _ = maker.advance(now: now)
            events += maker.drainEvents()
            return !events.isEmpty
        }
        guard hasEnded, case .trace(.still("a", "thumbnail", _, let why))? = events.first else {
            return "no thumbnail was tried: \(events)"
        }
        return why
    }

    @Test(arguments: ["text/plain", "application/json", "image/jpeg"])
    func textInPlaceOfAThumbnailIsRequestedAgain(type: String) throws {
        let provider = provider()
        defer { provider.close() }
        server.serve("/a.jpg", .text(#"{"error": "Please log in"}"#, type: type))
        #expect(!makesThumbnail(with: provider))
        server.serve("/a.jpg", Resource(.bytes(try picture()), type: "image/png"))
        #expect(makesThumbnail(with: provider))
    }

    @Test func textInPlaceOfAThumbnailIsNotCached() throws {
        let first = provider()
        server.serve("/a.jpg", .text("Please log in", type: "text/plain"))
        #expect(!makesThumbnail(with: first))
        first.close()
        server.serve("/a.jpg", Resource(.bytes(try picture()), type: "image/png"))
        let second = provider()
        defer { second.close() }
        #expect(makesThumbnail(with: second))
    }

    /// Many servers send pictures so.
    @Test(arguments: ["application/octet-stream", "text/plain", nil] as [String?])
    func pictureOfAnyTypeIsCached(type: String?) throws {
        let provider = provider()
        defer { provider.close() }
        server.serve("/a.jpg", Resource(.bytes(try picture()), type: type))
        #expect(makesThumbnail(with: provider))
        #expect(makesThumbnail(with: provider))
        #expect(server.requests(for: "/a.jpg").count == 1)
    }
}
