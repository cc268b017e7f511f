import Model
import Testing

@testable import Bytes
@testable import Cache

/// Requests that were not repeated because all readers had something else to do, and readers that come meanwhile.
@Suite final class HeldRequestTests {
    private var state = LoaderState.ofClip
    private let reader: Int

    init() {
        state.lookedUp(nil, ByteRanges())
        reader = state.open(from: 0, end: nil)
    }

    private func read(isPatient: Bool) -> LoaderState.Reading? {
        state.readers[reader]?.isPatient = isPatient
        var buffer = [UInt8](repeating: 0, count: 1_000)
        return buffer.withUnsafeMutableBytes { state.read(reader, at: 0, into: $0, now: .zero) }
    }

    /// The transfer that starts now; nil if none does.
    private func started() -> Int? {
        state.balance(now: .zero)
        for case .start(let number) in state.drainOrders().transfers { return number }
        return nil
    }

    private func fail(_ transfer: Int) {
        state.failed(transfer, .status(503), isUnreachable: false, isHeldBack: true, until: .seconds(1))
    }

    @Test func patientReaderGetsTheError() throws {
        #expect(read(isPatient: true) == nil)
        fail(try #require(started()))
        #expect(read(isPatient: true) == .failed(.status(503)) && started() == nil)
    }

    @Test func requestIsMadeForAReaderThatComesLater() throws {
        #expect(read(isPatient: true) == nil)
        fail(try #require(started()))
        #expect(read(isPatient: false) == nil && started() != nil)
    }

    /// It has begun to wait after the decision about the request: it waits already, and does not read again.
    @Test func requestIsMadeForAReaderThatWaitsAlready() throws {
        #expect(read(isPatient: false) == nil)
        fail(try #require(started()))
        #expect(started() != nil && read(isPatient: false) == nil)
    }

    /// It is not missing yet. The reader that opens it has the requests that are left.
    @Test func announcedSegmentIsRequestedOnce() throws {
        state.close(reader)
        state.expected = [0..<Int64.max]
        let transfer = try #require(started())
        #expect(state.isPatient)
        fail(transfer)
        #expect(started() == nil)
        let opening = state.open(from: 0, end: nil)
        #expect(state.opening(opening, isPatient: true, now: .seconds(2)) == nil && state.isPatient)
        #expect(state.opening(opening, isPatient: false, now: .seconds(2)) == nil && !state.isPatient)
    }

    /// It is not asked for again before it is opened.
    @Test func prefetchIsNotHeldBack() {
        state.close(reader)
        state.prefetchEnd = 1_000
        #expect(started() != nil && !state.isPatient)
    }
}

extension LoaderState {
    /// Of a clip that may be cached and of which nothing is known.
    static var ofClip: LoaderState {
        LoaderState(
            url: "http://h/x.mp4",
            settings: Settings(
                pieceSize: 512 << 10, caches: true, readAhead: ReadAhead(cacheLimit: 500_000_000), isOwnFile: true,
                isSegment: false),
            mayBePlaylist: false)
    }
}
