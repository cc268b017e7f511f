import Foundation
import Model
import Synchronization
import TestSupport
import Testing
import Threads

@testable import Bytes

@Suite struct CachedProviderTests {
    let fixture: ProviderFixture

    init() throws { fixture = try ProviderFixture() }

    // MARK: - The contract

    private func contract(_ provider: CachedProvider, _ faults: [Fault] = []) async throws -> [String] {
        try await onThread { [fixture] in
            try ByteSourceContract.faults { bytes in
                let path = "/\(UUID().uuidString).mp4"
                fixture.server.serve(path, bytes, faults: faults)
                return try provider.open(fixture.server.url(path), for: fixture.server.url(path))
            }
        }
    }

    @Test func httpWithoutACacheKeepsTheContract() async throws {
        #expect(try await contract(fixture.provider(cached: false)) == [])
    }

    @Test func anUncachedFileKeepsTheContract() async throws {
        #expect(try await contract(fixture.provider()) == [])
    }

    @Test(arguments: [[Fault.noRanges], [.noRanges, .chunked], [.chunked], [.noRanges, .noLength], [.closes]])
    func poorServersKeepTheContract(faults: [Fault]) async throws {
        #expect(try await contract(fixture.provider(), faults) == [])
        #expect(try await contract(fixture.provider(cached: false), faults) == [])
    }

    @Test func aCachedFileKeepsTheContract() async throws {
        let faults = try await onThread { [fixture] in
            try ByteSourceContract.faults { bytes in
                let path = "/\(UUID().uuidString).mp4"
                fixture.server.serve(path, bytes)
                let url = fixture.server.url(path)
                let cold = fixture.provider()
                _ = try cold.open(url, for: url).readAll(at: 0, count: bytes.count + 1)
                cold.close()
                return try fixture.provider().open(url, for: url)
            }
        }
        #expect(faults == [])
    }

    @Test func localFilesAreOpenedByTheSameProvider() async throws {
        let path = try fixture.folder.write("x", [1, 2, 3])
        #expect(try await fixture.provider().source("file://" + path).bytes(at: 1, count: 9) == [2, 3])
        let refusal = await reason {
            try await fixture.provider().source("file://" + path, asset: fixture.server.url("/"))
        }
        #expect(refusal == .forbidden)
    }

    /// The source as the next start of the program finds it: whole.
    private func foundAgain(_ url: String, length: Int64, after provider: CachedProvider) async throws -> any ByteSource
    {
        await provider.closed()
        fixture.forget()
        let source = try await fixture.provider().source(url)
        #expect(source.length == length && source.isSeekable)
        return source
    }

    // MARK: - Nothing is fetched twice

    @Test func secondPlayNeedsNoRequest() async throws {
        let url = fixture.serve("/clip.mp4", length: 3_000_001)
        let provider = fixture.provider()
        #expect(try await provider.source(url).bytes(at: 0, count: 4_000_000) == pattern(0, 3_000_001))
        #expect(fixture.server.counts.bodyBytes == 3_000_001)
        let source = try await foundAgain(url, length: 3_000_001, after: provider)
        #expect(try await source.bytes(at: 0, count: 4_000_000) == pattern(0, 3_000_001))
        #expect(fixture.server.counts.requests == 0)
        fixture.server.stop()
        #expect(try await fixture.provider().source(url).bytes(at: 1_000_000, count: 100) == pattern(1_000_000, 100))
    }

    @Test func aSeekIntoAGapFetchesTheGapOnly() async throws {
        let url = fixture.serve("/clip.mp4", length: 8 << 20)
        let provider = fixture.provider()
        for offset: Int64 in [0, 4 << 20] {
            _ = try await provider.source(url, role: .segment, range: offset..<offset + 1 << 20).bytes(
                at: offset, count: 1 << 20)
        }
        await provider.closed()
        fixture.forget()
        let again = fixture.provider()
        let source = try await again.source(url, role: .segment, range: 0..<5 << 20)
        #expect(try await source.bytes(at: 0, count: 5 << 20) == pattern(0, 5 << 20))
        #expect(fixture.server.counts.bodyBytes == 3 << 20)
        #expect(fixture.server.requests.map { $0.headers["range"] } == ["bytes=1048576-4194303"])
        await again.closed()
        #expect(Set(fixture.reported.map(\.source)) == [.cache, .network])
    }

    @Test func readersOfTheSameBytesShareOneDownload() async throws {
        let url = fixture.serve("/clip.mp4", length: 2_000_000, [.slowStart(.milliseconds(100))])
        let provider = fixture.provider()
        try await withThrowingTaskGroup(of: [UInt8].self) { group in
            for _ in 0..<4 {
                group.addTask { try await provider.source(url).bytes(at: 0, count: 2_000_000) }
            }
            for try await bytes in group { #expect(bytes == pattern(0, 2_000_000)) }
        }
        #expect(fixture.server.counts.bodyBytes == 2_000_000)
    }

    @Test func overlappingRequestsFetchEachByteOnce() async throws {
        let url = fixture.serve("/clip.mp4", length: 4 << 20)
        let provider = fixture.provider()
        try await withThrowingTaskGroup(of: Void.self) { group in
            for offset: Int64 in [0, 500_000, 1_000_000, 1_500_000] {
                group.addTask {
                    let range = offset..<offset + 1_500_000
                    let source = try await provider.source(url, role: .segment, range: range)
                    let bytes = try await source.bytes(at: offset, count: 1_500_000)
                    #expect(bytes == pattern(offset, 1_500_000))
                }
            }
            try await group.waitForAll()
        }
        // The bytes on the way when two transfers met may come twice: one step of each.
        #expect(fixture.server.counts.bodyBytes <= 3_000_000 + (1 << 20))
        await provider.closed()
        fixture.forget()
        #expect(try await fixture.provider().source(url).bytes(at: 0, count: 3_000_000) == pattern(0, 3_000_000))
        #expect(fixture.server.requests.allSatisfy { $0.headers["range"] != "bytes=0-" })
    }

    @Test func noRequestIsSpentOnFactsAlone() async throws {
        let url = fixture.serve("/clip.mp4", length: 100_000)
        let source = try await fixture.provider().source(url)
        #expect(source.length == 100_000)
        #expect(try await source.bytes(at: 0, count: 100_000) == pattern(0, 100_000))
        #expect(fixture.server.requests.map(\.method) == ["GET"])
    }

    @Test func reportsSayWhetherBytesCameFromNetworkOrCache() async throws {
        let url = fixture.serve("/clip.mp4", length: 100_000) + "?token=secret"
        let provider = fixture.provider()
        _ = try await provider.source(url).bytes(at: 0, count: 100_000)
        #expect(await fixture.reports { $0.count == 1 })
        await provider.closed()
        let again = fixture.provider()
        _ = try await again.source(url).bytes(at: 0, count: 100_000)
        await again.closed()
        // The last source is let go of, and so reported, by the thread that read it.
        #expect(await fixture.reports { $0.count == 2 })
        #expect(fixture.reported.map(\.source) == [.network, .cache])
        #expect(fixture.reported.map(\.got) == [100_000, 100_000])
        #expect(fixture.reported.map(\.status) == [206, 0])
        #expect(fixture.reported.allSatisfy { $0.asset == url && !$0.url.contains("secret") })
    }

    // MARK: - The edge cases of saving

    @Test func readCancelledBeforeTheFirstByteIsCleanedUp() async throws {
        let url = fixture.serve("/clip.mp4", length: 1_000_000, [.stall(after: 0)])
        // However late a busy machine gets to the cancellation.
        let provider = fixture.provider(stall: .seconds(60))
        let source = try await provider.source(url)
        let cancellation = Cancellation()
        async let outcome = reason { try await source.bytes(at: 0, count: 10, cancellation) }
        #expect(await fixture.serverSees { $0.requests >= 1 })
        cancellation.cancel()
        #expect(await outcome == .cancelled)
        await provider.closed()
        #expect(await fixture.serverSees { $0.answering == 0 })
        fixture.server.serve("/clip.mp4", [UInt8](pattern(0, 1_000_000)))
        #expect(try await fixture.provider().source(url).bytes(at: 0, count: 10) == pattern(0, 10))
    }

    @Test func anOpeningCanBeCancelled() async throws {
        let url = fixture.serve("/clip.mp4", length: 1_000, [.slowStart(.seconds(60))])
        let provider = fixture.provider()
        let cancellation = Cancellation()
        async let outcome = reason {
            try await onThread {
                try provider.open(ByteRequest(url: url, asset: Asset(url: url)), cancellation: cancellation)
            }
        }
        #expect(await fixture.serverSees { $0.requests == 1 })
        cancellation.cancel()
        #expect(await outcome == .cancelled)
    }

    @Test func bytesThatCameBeforeTheReleaseAreSaved() async throws {
        let url = fixture.serve("/clip.mp4", length: 2_000_000, [.stall(after: 700_000, for: .seconds(30))])
        do {
            let provider = fixture.provider()
            #expect(try await provider.source(url).bytes(at: 0, count: 700_000) == pattern(0, 700_000))
        }
        fixture.server.stop()
        // It keeps saving for a moment, on its own thread.
        #expect(await fixture.allProvidersAreGone())
        let again = fixture.provider()
        let source = try await again.source(url)
        #expect(try await source.bytes(at: 0, count: 524_288) == pattern(0, 524_288))
    }

    @Test func fastPagingSavesTheBytesOfEachItem() async throws {
        fixture.server.link = FaultyServer.Link(rate: 2_000_000)
        let provider = fixture.provider()
        let urls = (0..<5).map { fixture.serve("/\($0).mp4", length: 10 << 20, seed: UInt64($0)) }
        for (index, url) in urls.enumerated() {
            provider.focus(on: Asset(url: url))
            let source = try await provider.source(url)
            #expect(try await source.bytes(at: 0, count: 100_000) == pattern(0, 100_000, seed: UInt64(index)))
        }
        provider.focus(on: nil)
        await provider.closed()
        #expect(await fixture.serverSees { $0.answering == 0 })
        fixture.server.stop()
        let again = fixture.provider()
        for (index, url) in urls.enumerated() {
            let source = try await again.source(url)
            #expect(try await source.bytes(at: 0, count: 100_000) == pattern(0, 100_000, seed: UInt64(index)))
        }
    }

    @Test func playingContinuesWithAFullCache() async throws {
        let url = fixture.serve("/clip.mp4", length: 6 << 20)
        let provider = fixture.provider { $0.limit = 2 << 20 }
        provider.focus(on: Asset(url: url))
        let source = try await provider.source(url)
        #expect(try await source.bytes(at: 0, count: 6 << 20) == pattern(0, 6 << 20))
        #expect(try await source.bytes(at: 100, count: 1_000) == pattern(100, 1_000))
    }

    @Test func playingContinuesWithAnUnwritableCache() async throws {
        try fixture.folder.write("cache", [1])
        let url = fixture.serve("/clip.mp4", length: 2 << 20)
        let provider = fixture.provider()
        #expect(try await provider.source(url).bytes(at: 0, count: 2 << 20) == pattern(0, 2 << 20))
        await provider.closed()
        #expect(fixture.notices.count == 1)
    }

    @Test func aFileOfUnknownLengthIsCachedWhole() async throws {
        let url = fixture.serve("/clip.mp4", length: 900_000, [.noRanges, .chunked])
        let provider = fixture.provider()
        fixture.server.link = FaultyServer.Link(rate: 1_000_000)
        let (source, length, isSeekable) = try await onThread {
            let source = try provider.open(url, for: url)
            return (source, source.length, source.isSeekable)
        }
        #expect(length == nil)
        #expect(!isSeekable)
        #expect(try await source.bytes(at: 0, count: 1_000_000) == pattern(0, 900_000))
        #expect(source.length == 900_000)
        let again = try await foundAgain(url, length: 900_000, after: provider)
        #expect(try await again.bytes(at: 899_990, count: 100) == pattern(899_990, 10))
        #expect(fixture.server.counts.requests == 0)
    }

    // MARK: - Leaving nothing behind

    @Test func aReleasedProviderLeavesNoLoaderAndNoConnection() async throws {
        let url = fixture.serve("/clip.mp4", length: 50 << 20)
        do {
            let provider = fixture.provider()
            provider.focus(on: Asset(url: url))
            _ = try await provider.source(url).bytes(at: 0, count: 100_000)
        }
        #expect(await fixture.serverSees { $0.openConnections == 0 })
        #expect(await fixture.allProvidersAreGone())
    }
}
