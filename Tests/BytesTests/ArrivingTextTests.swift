import Foundation
import Model
import Synchronization
import TestSupport
import Testing
import Threads

@testable import Bytes

@Suite struct ArrivingTextTests {
    let fixture: ProviderFixture
    private static let length: Int64 = 12 << 20

    init() throws { fixture = try ProviderFixture() }

    @Test func anArrivingTextKeepsTheContract() async throws {
        let provider = fixture.provider()
        let server = fixture.server
        let faults = try await onThread {
            try ByteSourceContract.faults { bytes in
                server.serve("/feed.json", bytes)
                let url = server.url("/feed.json")
                return try provider.open(
                    ByteRequest(url: url, asset: Asset(url: url), role: .feed), cancellation: Cancellation())
            }
        }
        #expect(faults == [])
    }

    @Test(arguments: [[], [Fault.chunked], [.gzip]])
    func manifestsHaveNoLimitOfLength(faults: [Fault]) async throws {
        let url = fixture.serve("/feed.json", length: Self.length, faults)
        let source = try await fixture.provider().source(url, role: .feed)
        #expect(!source.isSeekable && source.length == nil)
        #expect(try await source.bytes(at: 0, count: Int(Self.length) + 1) == pattern(0, Int(Self.length)))
        #expect(try await source.bytes(at: Self.length, count: 1) == [])
        #expect(!FileManager.default.fileExists(atPath: fixture.cacheFolder + "/data"))
    }

    @Test func theServerSendsNoMoreThanIsRead() async throws {
        let url = fixture.serve("/feed.json", length: 1 << 30)
        let provider = fixture.provider()
        var source: (any ByteSource)? = try await provider.source(url, role: .feed)
        #expect(try await source?.bytes(at: 0, count: 100_000) == pattern(0, 100_000))
        // The server can write only as much as fits in both sockets' buffers.
        #expect(await fixture.serverSees { $0.answering == 1 })
        #expect(fixture.server.counts.bodyBytes < 64 << 20)
        source = nil
        #expect(await fixture.serverSees { $0.answering == 0 })
        #expect(await fixture.reports { $0.count == 1 && $0[0].got >= 100_000 && $0[0].status == 200 })
    }

    @Test func manifestIsRetriedOnlyBeforeItsResponse() async throws {
        let url = fixture.serve("/feed.json", length: 300_000, [.status(503).first(2), .cut(after: 200_000, .closed)])
        let source = try await fixture.provider().source(url, role: .feed)
        #expect(await reason { try await source.bytes(at: 0, count: 300_000) } == .dropped)
        #expect(fixture.server.counts.requests == 3)
        #expect(
            await reason { try await fixture.provider().source(fixture.server.url("/no"), role: .feed) }
                == .status(404)
        )
    }

    @Test func goingBackToAnotherTextIsAnError() async throws {
        let url = fixture.serve("/feed.json", length: 300_000)
        let source = try await fixture.provider().source(url, role: .feed)
        #expect(try await source.bytes(at: 0, count: 1_000) == pattern(0, 1_000))
        #expect(try await source.bytes(at: 500, count: 300_000) == pattern(500, 299_500))
        _ = fixture.serve("/feed.json", length: 300_000, seed: 2, etag: "\"2\"")
        #expect(await reason { try await source.bytes(at: 0, count: 1_000) } == .changed)
    }

    @Test func aCancelledReadEnds() async throws {
        let url = fixture.serve("/feed.json", length: 300_000, [.stall(after: 1_000)])
        let source = try await fixture.provider().source(url, role: .feed)
        #expect(try await source.bytes(at: 0, count: 1_000) == pattern(0, 1_000))
        let cancellation = Cancellation()
        async let read = reason { try await source.bytes(at: 1_000, count: 1, cancellation) }
        cancellation.cancel()
        #expect(await read == .cancelled)
        // It is no end of the text.
        _ = fixture.serve("/feed.json", length: 300_000)
        #expect(try await source.bytes(at: 1_000, count: 300_000) == pattern(1_000, 299_000))
    }
}
