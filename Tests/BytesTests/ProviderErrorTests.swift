import Foundation
import Model
import Synchronization
import TestSupport
import Testing
import Threads

@testable import Bytes
@testable import Cache
@testable import HTTP

@Suite struct ProviderErrorTests {
    let fixture: ProviderFixture

    init() throws { fixture = try ProviderFixture() }

    /// Caches the first half of `/clip.mp4` in the edition `seed`.
    private func keepBeginning(_ url: String, count: Int = 1 << 20) async throws {
        let provider = fixture.provider()
        _ = try await provider.source(url, role: .segment, range: 0..<Int64(count)).bytes(at: 0, count: count)
        await provider.closed()
        fixture.forget()
    }

    @Test func aFileThatChangedIsNeverMixed() async throws {
        let url = fixture.serve("/clip.mp4", length: 3 << 20)
        try await keepBeginning(url)
        _ = fixture.serve("/clip.mp4", length: 3 << 20, seed: 2, etag: "\"2\"")
        let provider = fixture.provider()
        let source = try await provider.source(url)
        // The cached bytes are returned without a request if enough of them follow that no read-ahead is needed. When
        // the rest turns out to be another file's, the reader gets an error.
        #expect(try await source.bytes(at: 0, count: 256 << 10) == pattern(0, 256 << 10))
        #expect(fixture.server.counts.requests == 0)
        #expect(await reason { try await source.bytes(at: 1 << 20, count: 100) } == .changed)
        #expect(await reason { try await source.bytes(at: 0, count: 100) } == .changed)
        let reopened = try await provider.source(url)
        #expect(try await reopened.bytes(at: 0, count: 3 << 20) == pattern(0, 3 << 20, seed: 2))
        await provider.closed()
        fixture.server.stop()
        #expect(try await fixture.provider().source(url).bytes(at: 0, count: 3 << 20) == pattern(0, 3 << 20, seed: 2))
    }

    @Test(arguments: [false, true])
    func aChangedFileIsNoticedWithAndWithoutIfRange(ignores: Bool) async throws {
        let url = fixture.serve("/clip.mp4", length: 3 << 20)
        try await keepBeginning(url)
        _ = fixture.serve("/clip.mp4", length: 3 << 20, seed: 2, etag: "\"2\"", ignores ? [.ignoresIfRange] : [])
        let source = try await fixture.provider().source(url)
        // No bytes of the old edition were returned, so the new one can be read.
        #expect(try await source.bytes(at: 2 << 20, count: 100) == pattern(2 << 20, 100, seed: 2))
        #expect(try await source.bytes(at: 0, count: 100) == pattern(0, 100, seed: 2))
    }

    // MARK: - Web pages instead of clips

    private static let page = "\n<!DOCTYPE html><html><title>Sign in</title></html>"

    @Test(arguments: [ByteRole.media, .segment, .playlist])
    func aWebPageIsAnError(role: ByteRole) async {
        fixture.server.serve("/clip.mp4", .text(Self.page, type: "text/html; charset=utf-8"))
        let url = fixture.server.url("/clip.mp4")
        #expect(
            await reason { try await fixture.provider().source(url, role: role).bytes(at: 0, count: 100) } == .webPage)
        #expect(fixture.server.counts.requests == 1)
    }

    @Test(
        arguments: ["<!DOCTYPE html>", "\r\n <HTML lang=de>", "\u{FEFF}<!doctype HTML><p>"],
        [[], [.noRanges]] as [[Fault]])
    func aWebPageWithTheTypeOfAClipIsAnErrorAndNotCached(page: String, faults: [Fault]) async throws {
        fixture.server.serve("/clip.mp4", .text(page, type: "video/mp4", faults: faults))
        let url = fixture.server.url("/clip.mp4")
        let provider = fixture.provider()
        #expect(await reason { try await provider.source(url).bytes(at: 0, count: 100) } == .webPage)
        await provider.closed()
        _ = fixture.serve("/clip.mp4", length: 1_000)
        #expect(try await fixture.provider().source(url).bytes(at: 0, count: 2_000) == pattern(0, 1_000))
    }

    @Test func aCachedWebPageIsNotUsed() async throws {
        let url = fixture.serve("/clip.mp4", length: 1_000)
        let key = try #require(AssetKey(url))
        let before = fixture.provider()
        let isKept = await onThread {
            let facts = AssetFacts(length: Int64(Self.page.utf8.count), type: "video/mp4", etag: "\"1\"")
            let place = before.services.writer.store()?.make(key, facts: facts, retention: Asset(url: url).retention)
            return Array(Self.page.utf8).withUnsafeBytes { place?.save($0, at: 0) ?? false }
        }
        #expect(isKept)
        await before.closed()
        let provider = fixture.provider()
        #expect(try await provider.source(url).bytes(at: 0, count: 2_000) == pattern(0, 1_000))
        await provider.closed()
        fixture.server.stop()
        #expect(try await fixture.provider().source(url).bytes(at: 0, count: 2_000) == pattern(0, 1_000))
    }

    @Test func aCaptivePortalDropsNoCachedBytes() async throws {
        let url = fixture.serve("/clip.mp4", length: 3 << 20)
        try await keepBeginning(url)
        fixture.server.serve("/clip.mp4", .text(Self.page, type: "text/html", faults: [.noRanges]))
        let provider = fixture.provider()
        let source = try await provider.source(url)
        #expect(await reason { try await source.bytes(at: 1 << 20, count: 100) } == .webPage)
        #expect(try await source.bytes(at: 0, count: 1 << 20) == pattern(0, 1 << 20))
    }

    @Test func cachedBytesPlayBehindACaptivePortal() async throws {
        let url = fixture.serve("/clip.mp4", length: 1 << 20)
        let provider = fixture.provider()
        _ = try await provider.source(url).bytes(at: 0, count: 1 << 20)
        await provider.written()
        fixture.server.serve("/clip.mp4", .text(Self.page, type: "text/html", faults: [.noRanges]))
        provider.revalidate(Asset(url: url))
        #expect(try await provider.source(url).bytes(at: 0, count: 1 << 20) == pattern(0, 1 << 20))
    }

    /// The length of a clip's first box can look like a `<`.
    @Test(arguments: [0x18, 0x3C] as [UInt8])
    func aClipWithTheTypeOfAWebPageIsPlayed(length: UInt8) async throws {
        let bytes = [0, 0, 0, length] + Array("ftypisom".utf8)
        fixture.server.serve("/clip.php", Resource(.bytes(bytes), type: "text/html"))
        let source = try await fixture.provider().source(fixture.server.url("/clip.php"))
        #expect(try await source.bytes(at: 0, count: 100) == bytes)
    }

    // MARK: - Texts instead of pictures

    private static let text = "Please log in"

    /// The text in place of a picture, in a provider that has cached it.
    private func provider(withTextAt path: String) async throws -> CachedProvider {
        fixture.server.serve(path, .text(Self.text, type: "text/plain"))
        let provider = fixture.provider()
        let read = try await provider.source(fixture.server.url(path)).bytes(at: 0, count: 100)
        #expect(read == Array(Self.text.utf8))
        await provider.written()
        return provider
    }

    @Test(arguments: [false, true])
    func discardedBytesAreNotReadAgain(restarts: Bool) async throws {
        let provider = try await provider(withTextAt: "/a.jpg")
        let url = fixture.serve("/a.jpg", length: 1_000)
        provider.discard(Asset(url: url))
        var next = provider
        if restarts {
            await provider.closed()
            next = fixture.provider()
        }
        #expect(try await next.source(url).bytes(at: 0, count: 2_000) == pattern(0, 1_000))
    }

    /// A decoder closes its source a little later than it reports that there is no picture.
    @Test func openReaderDoesNotFetchWhatWasDiscarded() async throws {
        let provider = try await provider(withTextAt: "/a.jpg")
        let url = fixture.server.url("/a.jpg")
        let open = try await provider.source(url)
        let read = try await open.bytes(at: 0, count: 100)
        provider.discard(Asset(url: url))
        #expect(try await open.bytes(at: 0, count: 100) == read)
        #expect(fixture.server.counts.requests == 1)
        _ = fixture.serve("/a.jpg", length: 1_000)
        #expect(try await provider.source(url).bytes(at: 0, count: 2_000) == pattern(0, 1_000))
        #expect(await reason { try await open.bytes(at: 0, count: 100) } == .changed)
    }

    /// A feed can name the same picture for each of its items.
    @Test func discardedBytesAreRequestedFourTimes() async throws {
        let provider = try await provider(withTextAt: "/a.jpg")
        let url = fixture.server.url("/a.jpg")
        for _ in 0..<10 {
            provider.discard(Asset(url: url))
            // It fails once the budget is used up.
            _ = await reason { try await provider.source(url).bytes(at: 0, count: 100) }
        }
        #expect(fixture.server.counts.requests == RequestBudget.limit)
    }

    // MARK: - Files that change

    @Test func aFileThatShrankIsReadAgain() async throws {
        let url = fixture.serve("/clip.mp4", length: 3 << 20, etag: nil)
        try await keepBeginning(url)
        _ = fixture.serve("/clip.mp4", length: 1 << 20, seed: 2, etag: nil)
        let provider = fixture.provider()
        let source = try await provider.source(url)
        #expect(try await source.bytes(at: 2 << 20, count: 100) == [])
        #expect(try await source.bytes(at: 0, count: 2 << 20) == pattern(0, 1 << 20, seed: 2))
    }

    @Test(arguments: [
        Fault.contentRange(.shifted(by: 1000)), .contentRange(.missing), .contentRange(.text("bytes bananas")),
        .contentRange(.tooLong),
    ])
    func bytesAreRightDespiteAWrongContentRange(fault: Fault) async throws {
        let url = fixture.serve("/clip.mp4", length: 2 << 20, [fault])
        let source = try await fixture.provider().source(url)
        #expect(try await source.bytes(at: 0, count: 2 << 20) == pattern(0, 2 << 20))
    }

    @Test func aWrongContentRangeInTheMiddleIsReadAgain() async throws {
        let url = fixture.serve("/clip.mp4", length: 2 << 20, [Fault.contentRange(.shifted(by: 7)).on(1)])
        let source = try await fixture.provider().source(url)
        #expect(try await source.bytes(at: 0, count: 2 << 20) == pattern(0, 2 << 20))
        #expect(source.isSeekable)
    }

    @Test func aCutTransferContinuesWhereItWasCut() async throws {
        let url = fixture.serve(
            "/clip.mp4", length: 1 << 20, [.cut(after: 300_000, .closed).on(1), .cut(after: 100_000, .closed).on(2)])
        let provider = fixture.provider()
        #expect(try await provider.source(url).bytes(at: 0, count: 1 << 20) == pattern(0, 1 << 20))
        let starts = fixture.server.requests.compactMap(\.rangeStart)
        #expect(starts.count == 3 && starts == starts.sorted() && starts[2] > starts[1] && starts[1] > 0)
        #expect(fixture.server.requests.dropFirst().allSatisfy { $0.headers["if-range"] == "\"1\"" })
    }

    @Test func aStalledTransferContinues() async throws {
        let url = fixture.serve("/clip.mp4", length: 500_000, [.stall(after: 200_000).on(1)])
        #expect(try await fixture.provider().source(url).bytes(at: 0, count: 500_000) == pattern(0, 500_000))
    }

    @Test(arguments: [503, 520]) func threeServerFailuresAreRetried(status: Int) async throws {
        let url = fixture.serve("/clip.mp4", length: 1_000, [.status(status).first(3)])
        #expect(try await fixture.provider().source(url).bytes(at: 0, count: 1_000) == pattern(0, 1_000))
        #expect(fixture.server.counts.requests == 4)
    }

    /// Reads as a decoder does that finds the index at the end, and begins again when the file has changed. Returns the
    /// bytes, and how often that was.
    private func play(_ url: String, from provider: CachedProvider, length: Int64) async throws -> ([UInt8], Int) {
        for changes in 0..<4 {
            do {
                let source = try await provider.source(url)
                _ = try await source.bytes(at: 0, count: 64 << 10)
                _ = try await source.bytes(at: length - 100_000, count: 100_000)
                return (try await source.bytes(at: 64 << 10, count: Int(length)), changes)
            } catch let error as BytesError where error.reason == .changed {
                continue
            }
        }
        throw BytesError(verb: .read, url: url, reason: .changed)
    }

    /// Mirrors behind one name, each with another ETag; their bytes differ here, so that a mixture would be noticed.
    @Test(arguments: [false, true], [false, true])
    func fileWithChangingValidatorsIsReadable(ignoresIfRange: Bool, isCached: Bool) async throws {
        let length: Int64 = 3 << 20
        let mirrors = (1...60).map { number in
            Fault.becomes(
                Resource(.pattern(length: length, seed: UInt64(number)), etag: "\"\(number)\"")
            ).on(number)
        }
        // Slow enough that no response is complete when the next decoder begins.
        fixture.server.link = FaultyServer.Link(rate: 3_000_000)
        let url = fixture.serve("/clip.mp4", length: length, mirrors + (ignoresIfRange ? [.ignoresIfRange] : []))
        let provider = fixture.provider(cached: isCached)
        let (bytes, changes) = try await play(url, from: provider, length: length)
        let seed = (1...60).first { pattern(64 << 10, 100, seed: UInt64($0)) == Array(bytes.prefix(100)) }
        #expect(bytes == pattern(64 << 10, Int(length) - 64 << 10, seed: UInt64(try #require(seed))))
        // A page gets three other decoders.
        #expect(changes <= 3)
    }

    @Test func partialFileWithChangingValidatorsIsNotCached() async throws {
        let length: Int64 = 8 << 20
        let mirrors = (1...20).map { number in
            Fault.becomes(
                Resource(.pattern(length: length, seed: UInt64(number)), etag: "\"\(number)\"")
            ).on(number)
        }
        let url = fixture.serve(
            "/clip.mp4", length: length, mirrors + [.stall(after: 1 << 20).on(2), .stall(after: 5 << 20).from(3)])
        let provider = fixture.provider(stall: .seconds(60))
        for _ in 0..<3 {
            // As another decoder begins after each change.
            _ = await reason {
                let source = try await provider.source(url)
                _ = try await source.bytes(at: 0, count: 64 << 10)
                _ = try await source.bytes(at: 4 << 20, count: 64 << 10)
            }
        }
        await provider.closed()
        fixture.server.stop()
        #expect(await reason { try await fixture.provider().source(url).bytes(at: 0, count: 1) } == .refused)
    }

    @Test func saveAtEndKeepsBytesOfACancelledTransfer() async throws {
        let url = fixture.serve("/clip.mp4", length: 3 << 20, [.stall(after: 2 << 20)])
        let provider = fixture.provider(stall: .seconds(60)) { $0.savesAtEnd = true }
        let source = try await provider.source(url)
        #expect(try await source.bytes(at: 0, count: 2 << 20) == pattern(0, 2 << 20))
        await provider.closed()
        fixture.server.stop()
        let again = try await fixture.provider().source(url)
        #expect(try await again.bytes(at: 0, count: 2 << 20) == pattern(0, 2 << 20))
    }

    @Test(arguments: [[Fault.noRanges, .chunked], [.noRanges, .noLength], [.contentRange(.unknownTotal)]])
    func fileOfUnknownLengthIsSeekableOnceComplete(faults: [Fault]) async throws {
        let url = fixture.serve("/clip.mp4", length: 2 << 20, faults)
        let source = try await fixture.provider().source(url)
        #expect(source.length == nil)
        #expect(try await source.bytes(at: 0, count: 3 << 20) == pattern(0, 2 << 20))
        #expect(source.length == 2 << 20 && source.isSeekable)
        #expect(try await source.bytes(at: 1_000, count: 1_000) == pattern(1_000, 1_000))
    }

    @Test func a404IsReportedAndNotRetriedAtOnce() async throws {
        let url = fixture.server.url("/nothing.mp4")
        let provider = fixture.provider()
        let began = ContinuousClock.now
        for _ in 0..<20 {
            #expect(await reason { try await provider.source(url) } == .status(404))
        }
        // Once a second.
        let seconds = Int((ContinuousClock.now - began) / .seconds(1))
        #expect(fixture.server.counts.requests <= 2 + seconds)
    }

    @Test func offlineCachedBytesPlayAndOthersFail() async throws {
        let url = fixture.serve("/clip.mp4", length: 3 << 20)
        try await keepBeginning(url)
        fixture.server.stop()
        let source = try await fixture.provider().source(url)
        #expect(try await source.bytes(at: 0, count: 1 << 20) == pattern(0, 1 << 20))
        let began = ContinuousClock.now
        do {
            _ = try await source.bytes(at: 2 << 20, count: 1)
            Issue.record("there is nothing to read")
        } catch let error as BytesError {
            #expect(error.isOffline)
        }
        #expect(ContinuousClock.now - began < .seconds(4))
    }

    @Test func withoutRangesAReadAheadWaitsAndAReadBackStartsAgain() async throws {
        let url = fixture.serve("/clip.mp4", length: 12 << 20, [.noRanges])
        let source = try await fixture.provider(cached: false).source(url)
        #expect(!source.isSeekable)
        #expect(try await source.bytes(at: 11 << 20, count: 100) == pattern(11 << 20, 100))
        #expect(fixture.server.counts.requests == 1)
        #expect(try await source.bytes(at: 0, count: 12 << 20) == pattern(0, 12 << 20))
        #expect(fixture.server.counts.requests == 2)
    }

    @Test func aDistrustedFileIsConfirmedByTheServer() async throws {
        let url = fixture.serve("/clip.mp4", length: 1 << 20)
        let provider = fixture.provider()
        _ = try await provider.source(url).bytes(at: 0, count: 1 << 20)
        // All of it is on disk, not only in memory.
        await provider.written()
        fixture.forget()
        provider.revalidate(Asset(url: url))
        #expect(try await provider.source(url).bytes(at: 0, count: 1 << 20) == pattern(0, 1 << 20))
        #expect(fixture.server.requests.map { $0.headers["range"] } == ["bytes=0-1"])
        _ = fixture.serve("/clip.mp4", length: 1 << 20, seed: 2, etag: "\"2\"")
        provider.revalidate(Asset(url: url))
        #expect(try await provider.source(url).bytes(at: 0, count: 1 << 20) == pattern(0, 1 << 20, seed: 2))
        await provider.written()
        fixture.server.stop()
        provider.revalidate(Asset(url: url))
        #expect(try await provider.source(url).bytes(at: 0, count: 1 << 20) == pattern(0, 1 << 20, seed: 2))
    }

    @Test func rejectedBytesAreFetchedAgainDespiteTheSameETag() async throws {
        let url = fixture.serve("/clip.mp4", length: 3 << 20)
        let provider = fixture.provider()
        _ = try await provider.source(url).bytes(at: 0, count: 3 << 20)
        await provider.written()
        fixture.forget()
        _ = fixture.serve("/clip.mp4", length: 3 << 20, seed: 2)
        provider.revalidate(Asset(url: url))
        #expect(try await provider.source(url).bytes(at: 0, count: 3 << 20) == pattern(0, 3 << 20))
        fixture.forget()
        provider.reject(Asset(url: url))
        #expect(try await provider.source(url).bytes(at: 0, count: 3 << 20) == pattern(0, 3 << 20, seed: 2))
        #expect(try await provider.source(url).bytes(at: 2 << 20, count: 100) == pattern(2 << 20, 100, seed: 2))
        #expect(fixture.server.requests.allSatisfy { $0.headers["cache-control"] == "no-cache" })
        // The bytes on disk are right from now on, too.
        await provider.written()
        await onThread { provider.close() }
        let later = fixture.provider()
        #expect(try await later.source(url).bytes(at: 0, count: 3 << 20) == pattern(0, 3 << 20, seed: 2))
    }

    @Test func rejectedBytesAreUsedWhileTheServerCannotBeReached() async throws {
        let url = fixture.serve("/clip.mp4", length: 1 << 20)
        let provider = fixture.provider()
        _ = try await provider.source(url).bytes(at: 0, count: 1 << 20)
        await provider.written()
        fixture.server.stop()
        provider.reject(Asset(url: url))
        #expect(try await provider.source(url).bytes(at: 0, count: 1 << 20) == pattern(0, 1 << 20))
    }

    @Test func segmentsOfARejectedClipWithoutALoaderAreFetchedAgainOnce() async throws {
        let url = fixture.serve("/1.ts", length: 1 << 20)
        let clip = fixture.server.url("/list.m3u8")
        let first = fixture.provider()
        _ = try await first.source(url, role: .segment, asset: clip).bytes(at: 0, count: 1 << 20)
        await first.written()
        await onThread { first.close() }
        _ = fixture.serve("/1.ts", length: 1 << 20, seed: 2)
        let provider = fixture.provider()
        provider.reject(Asset(url: clip))
        fixture.forget()
        for _ in 0..<2 {
            let source = try await provider.source(url, role: .segment, asset: clip)
            #expect(try await source.bytes(at: 0, count: 1 << 20) == pattern(0, 1 << 20, seed: 2))
        }
        #expect(fixture.fetched == 1 << 20)
    }

    @Test(arguments: [false, true])
    func everyByteIsRightDespiteServerFaults(cached: Bool) async throws {
        let length: Int64 = 9 << 20
        let url = fixture.serve(
            "/clip.mp4", length: length,
            [
                .cut(after: 200_000).chance(0.15, seed: 1), .cut(after: 0).chance(0.05, seed: 2),
                .status(503).chance(0.1, seed: 3), .contentRange(.shifted(by: 3)).chance(0.02, seed: 4),
                .noRanges.chance(0.03, seed: 5), .stall(after: 1_000, for: .milliseconds(50)).chance(0.1, seed: 6),
                .chunked.chance(0.1, seed: 7),
            ])
        let tally = Tally()
        // A provider that has made too many fruitless requests pauses for 30 s: then another session continues.
        for session in 0..<25 where tally.right < 20 {
            let provider = fixture.provider(cached: cached)
            await withTaskGroup(of: Void.self) { group in
                for reader in 0..<4 {
                    group.addTask {
                        await onThread {
                            var random = SeededRandom(state: UInt64(session * 4 + reader))
                            var source: (any ByteSource)?
                            for _ in 0..<20 where tally.right < 20 {
                                let offset = Int64.random(in: 0..<length, using: &random)
                                let count = Int.random(in: 1...400_000, using: &random)
                                do {
                                    let reading = try source ?? provider.open(url, for: url)
                                    source = reading
                                    let bytes = try reading.readAll(at: offset, count: count)
                                    let expected = min(count, Int(length - offset))
                                    let isRight = bytes.count == expected && bytes == pattern(offset, expected)
                                    tally.count(isRight: isRight)
                                } catch {
                                    // An error is acceptable; wrong bytes never are.
                                    source = nil
                                }
                            }
                        }
                    }
                }
            }
            await provider.closed()
        }
        #expect(tally.wrong == 0)
        #expect(tally.right >= 20)
    }
}

/// How many reads were right, and how many wrong.
private final class Tally: Sendable {
    private let counts = Mutex((right: 0, wrong: 0))
    var right: Int { counts.withLock(\.right) }
    var wrong: Int { counts.withLock(\.wrong) }
    func count(isRight: Bool) {
        counts.withLock { if isRight { $0.right += 1 } else { $0.wrong += 1 } }
    }
}
