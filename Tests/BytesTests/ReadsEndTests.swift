import HTTP
import Model
import TestSupport
import Testing
import Threads

@testable import Bytes

/// Whatever the server always does wrong: a read ends with bytes or an error, and the number of requests is limited.
@Suite struct ReadsEndTests {
    let fixture: ProviderFixture

    init() throws { fixture = try ProviderFixture() }

    private static let length: Int64 = 1 << 20
    private static let faults: [Fault] = [
        .contentRange(.missing), .contentRange(.shifted(by: 7)), .contentRange(.tooLong), .contentRange(.total(5)),
        .contentRange(.total(.max)), .contentRange(.text("bytes */*")), .status(206), .status(416), .status(204),
        .status(304), .status(503), .lengthOff(by: 10_000), .lengthOff(by: -10_000), .noLength, .chunked, .noRanges,
        .cut(after: 0), .cut(after: 500_000), .cut(after: 500_000, .closed), .stall(after: 500_000), .gzip, .garbage(),
        .ignoresIfRange, .closes, .redirect(to: "/clip.mp4"),
    ]

    /// The result of a read; nil if it did not end.
    private func read(
        _ url: String, at offset: Int64, cached: Bool, stall: Duration = .milliseconds(200)
    ) async -> Result<[UInt8], BytesError>? {
        let provider = fixture.provider(cached: cached, stall: stall)
        let cancellation = Cancellation()
        let done = Monitor<Result<[UInt8], BytesError>?>(nil)
        BlockingThread.start {
            let request = ByteRequest(url: url, asset: Asset(url: url))
            do {
                let source = try provider.open(request, cancellation: cancellation)
                let bytes = try source.readAll(at: offset, count: Int(Self.length) + 1, cancellation)
                done.change { $0 = .success(bytes) }
            } catch let error as BytesError {
                done.change { $0 = .failure(error) }
            } catch {
                Issue.record(error)
            }
        }
        let result = await onThread { done.wait(upTo: .seconds(40)) { $0 } }
        cancellation.cancel()
        await provider.closed()
        return result
    }

    @Test(arguments: faults.indices, [[], [.noRanges], [.noLength]] as [[Fault]])
    func readEndsDespiteFaultyResponses(index: Int, also: [Fault]) async throws {
        let url = fixture.serve("/clip.mp4", length: Self.length, [Self.faults[index]] + also)
        let offset = index.isMultiple(of: 2) ? 0 : Self.length / 2
        let result = try #require(await read(url, at: offset, cached: index % 3 > 0), "it waits for ever")
        if case .success(let bytes) = result { #expect(bytes == pattern(offset, bytes.count)) }
        #expect(fixture.server.counts.requests <= 40)
    }

    /// The server answers any request with 206 or 416, without `Content-Range`.
    @Test func responsesThatFitNoRequestAreErrors() async throws {
        fixture.server.serve("/206.mp4", Resource(.bytes([]), faults: [.status(206)]))
        fixture.server.serve("/416.mp4", Resource(.bytes([]), faults: [.status(416)]))
        let provider = fixture.provider()
        #expect(await reason { try await provider.source(fixture.server.url("/206.mp4")) } == .otherBytes)
        #expect(await reason { try await provider.source(fixture.server.url("/416.mp4")) } == .status(416))
    }

    /// A length that is too large, or an early end: bytes that come again are not progress. How many arrive before a
    /// connection breaks is not the same each time, so some more attempts can bring new ones.
    @Test(arguments: [Fault.lengthOff(by: 10_000), .cut(after: 900_000, .closed)])
    func bodiesThatAlwaysEndEarlyAreNotDownloadedForEver(fault: Fault) async throws {
        let url = fixture.serve("/clip.mp4", length: Self.length, etag: nil, [.noRanges, fault])
        // A machine that is busy for a moment is not a server that sends nothing.
        let result = try #require(await read(url, at: 0, cached: true, stall: .seconds(10)))
        #expect(throws: BytesError(verb: .read, url: url, reason: .dropped)) { _ = try result.get() }
        let attempts = fixture.reported.filter { $0.source == .network }.map(\.got)
        let most = try #require(attempts.max())
        let useless = try #require(attempts.firstIndex(of: most).map { attempts.count - 1 - $0 })
        #expect(useless < RetryPolicy.attempts, "\(attempts)")
        #expect(attempts.count == fixture.server.counts.requests)
    }
}
