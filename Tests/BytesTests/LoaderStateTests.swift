import Model
import Testing

@testable import Bytes
@testable import Cache

/// The loader's decisions, without threads, network or disk: events in, orders out.
@Suite final class LoaderStateTests {
    private var state = LoaderState.ofClip
    private let length: Int64 = 50 << 20

    private enum Seen: Equatable {
        case start(Int, from: Int64?, to: Int64?)
        case stop(Int)
        case save(at: Int64, Int)
        case discard, learn, prefetched(isCutShort: Bool), wholeEnded
    }

    /// The orders since the last call.
    private func orders(at now: Duration = .zero) -> [Seen] {
        state.balance(now: now)
        let orders = state.drainOrders()
        let disk = orders.disk.map { order -> Seen in
            switch order {
            case .save(let piece): .save(at: piece.offset, piece.part.count)
            case .discard: .discard
            case .learn: .learn
            }
        }
        return disk
            + orders.transfers.map { order in
                switch order {
                case .start(let number):
                    let question = state.question(of: number)
                    return .start(number, from: question?.range?.from, to: question?.range?.to)
                case .stop(let number): return .stop(number)
                case .prefetched(let isCutShort): return .prefetched(isCutShort: isCutShort)
                case .wholeEnded: return .wholeEnded
                }
            }
    }

    private func read(_ reader: Int, _ offset: Int64, _ count: Int = 1_000, now: Duration = .zero) -> LoaderState
        .Reading?
    {
        var buffer = [UInt8](repeating: 0, count: count)
        return buffer.withUnsafeMutableBytes { state.read(reader, at: offset, into: $0, now: now) }
    }

    private func answer(_ number: Int, _ status: Int = 206, etag: String = "\"1\"") -> LoaderState.Verdict {
        let range = state.question(of: number)?.range
        let facts = AssetFacts(length: length, type: "video/mp4", etag: etag)
        let span = range.map { $0.from...max($0.from, min($0.to ?? .max, length - 1)) }
        return state.answered(
            number, .init(status: status, url: "http://h/x.mp4", facts: facts, span: status == 206 ? span : nil))
    }

    private func arrive(_ number: Int, _ count: Int) -> Bool {
        [UInt8](repeating: 1, count: count).withUnsafeBytes { state.arrived(number, $0) != nil }
    }

    private func number(_ orders: [Seen]) -> Int? {
        for case .start(let number, _, _) in orders { return number }
        return nil
    }

    /// A reader whose transfer from 0 was answered and brought `count` bytes.
    private func opened(bringing count: Int = 1_000) throws -> (reader: Int, transfer: Int) {
        state.lookedUp(nil, ByteRanges())
        let reader = state.open(from: 0, end: nil)
        #expect(read(reader, 0) == nil)
        let transfer = try #require(number(orders()))
        #expect(answer(transfer) == .receive)
        #expect(arrive(transfer, count))
        #expect(read(reader, 0, count) == .copied(count))
        return (reader, transfer)
    }

    @Test func diskIsReadBeforeTheNetwork() {
        let reader = state.open(from: 0, end: nil)
        #expect(read(reader, 0) == nil)
        #expect(orders() == [])
        state.lookedUp(nil, ByteRanges())
        #expect(orders() == [.start(2, from: 0, to: ReadAhead.unseen - 1)])
    }

    @Test func distrustForgetsAFailureSoThatTheNextReadIsTried() throws {
        state.lookedUp(nil, ByteRanges())
        let reader = state.open(from: 0, end: nil)
        #expect(read(reader, 0) == nil)
        let transfer = try #require(number(orders()))
        state.failed(transfer, .dropped, isUnreachable: false, until: .seconds(1))
        #expect(read(reader, 0) == .failed(.dropped))
        #expect(orders() == [])
        state.revalidate()
        #expect(read(reader, 0) == nil)
        #expect(number(orders()) != nil)
    }

    @Test func aPrefetchPausesWhileTheClipInViewWaits() throws {
        state.lookedUp(nil, ByteRanges())
        state.prefetchEnd = 1 << 20
        let transfer = try #require(number(orders()))
        #expect(!state.mustPause(transfer))
        state.yields = true
        #expect(state.mustPause(transfer))
        // A reader that waits for the same bytes makes them urgent.
        let reader = state.open(from: 0, end: nil)
        #expect(read(reader, 0) == nil)
        _ = orders()
        #expect(!state.mustPause(transfer))
    }

    @Test func everyTransferOutOfViewPausesWhileTheViewComesFirst() throws {
        state.lookedUp(nil, ByteRanges())
        let reader = state.open(from: 0, end: nil)
        #expect(read(reader, 0) == nil)
        let transfer = try #require(number(orders()))
        #expect(state.transfers.map(\.isUrgent) == [true] && !state.mustPause(transfer))
        state.isViewFirst = true
        #expect(state.mustPause(transfer))
        state.isFocused = true
        #expect(!state.mustPause(transfer))
    }

    /// Where parts come as `bytes 0-99/*`, only a 416 says that the file ends exactly where the last one did.
    @Test func rangeBeyondTheEndOfAnUnknownLengthIsTheEnd() throws {
        state.lookedUp(nil, ByteRanges())
        let reader = state.open(from: 0, end: nil)
        #expect(read(reader, 0) == nil)
        let first = try #require(number(orders()))
        let facts = AssetFacts(type: "video/mp4", etag: "\"1\"")
        let asked = try #require(state.question(of: first)?.range?.to)
        let part = LoaderState.Heading(status: 206, url: "http://h/x.mp4", facts: facts, span: 0...asked)
        #expect(state.answered(first, part) == .receive)
        #expect(arrive(first, Int(asked) + 1))
        let isWhole = state.ended(first)
        #expect(isWhole && state.facts.length == nil)
        #expect(read(reader, asked + 1) == nil)
        let second = try #require(number(orders()))
        #expect(state.question(of: second)?.range?.from == asked + 1)
        let beyond = LoaderState.Heading(
            status: 416, url: "http://h/x.mp4", facts: AssetFacts(length: asked + 1), span: nil)
        #expect(state.answered(second, beyond) == .stop)
        #expect(number(orders()) == nil, "a reader at the end needs no more bytes, even before it reads again")
        #expect(state.facts.length == asked + 1 && read(reader, asked + 1) == .copied(0))
        #expect(state.availablePrefix(from: 0) == asked + 1, "what came before is still there")
    }

    @Test func conservingBandwidthShortensPrefetches() throws {
        state.lookedUp(nil, ByteRanges())
        (state.conservesLink, state.prefetchEnd) = (true, ReadAhead.beginning)
        let transfer = try #require(number(orders()))
        #expect(state.question(of: transfer)?.range?.to == ReadAhead.beginningWhileSparing - 1)
        #expect(answer(transfer) == .receive)
        #expect(arrive(transfer, Int(ReadAhead.beginningWhileSparing)))
        #expect(orders().contains(.prefetched(isCutShort: true)))
    }

    @Test func conservingEndsAfterALongWaitInView() throws {
        state.conservesLink = true
        let (reader, transfer) = try opened(bringing: Int(ReadAhead.minWhileConserving))
        #expect(state.question(of: transfer)?.range?.to == ReadAhead.minWhileConserving - 1)
        state.isFocused = true
        let next = try #require(number(orders()))
        #expect(state.question(of: next)?.range?.to == 2 * ReadAhead.minWhileConserving - 1)
        #expect(answer(next) == .receive)
        #expect(arrive(next, Int(ReadAhead.minWhileConserving)))
        #expect(orders().filter { if case .start = $0 { true } else { false } } == [])
        // It has read all that is there, which is a reason to fetch more, and then waits.
        #expect(state.isSettled(reader))
        let count = Int(ReadAhead.minWhileConserving)
        #expect(read(reader, ReadAhead.minWhileConserving, count) == .copied(count))
        #expect(!state.isSettled(reader))
        #expect(read(reader, 2 * ReadAhead.minWhileConserving) == nil)
        let more = try #require(number(orders(at: .seconds(1))))
        #expect(state.question(of: more)?.range?.to == 3 * ReadAhead.minWhileConserving - 1)
        #expect(orders(at: .seconds(1) + ReadAhead.patience - .milliseconds(1)) == [])
        #expect(answer(more) == .receive)
        #expect(arrive(more, count))
        // All waits count together.
        let rest = try #require(number(orders(at: .seconds(1) + ReadAhead.patience)))
        #expect(state.question(of: rest)?.range?.to == length - 1)
        // When it comes into view again, it begins again.
        state.isFocused = false
        #expect(state.conservesBandwidth)
    }

    @Test func conservingReadAheadGrowsWithEachWaitOutOfView() throws {
        state.conservesLink = true
        var head = ReadAhead.minWhileConserving
        let (reader, _) = try opened(bringing: Int(head))
        /// The reader waits, and reads all that is brought. Returns how much.
        func waits() throws -> Int64 {
            #expect(read(reader, head) == nil)
            let transfer = try #require(number(orders()))
            let ahead = try #require(state.question(of: transfer)?.range?.to) + 1 - head
            #expect(answer(transfer) == .receive)
            #expect(arrive(transfer, Int(ahead)))
            #expect(read(reader, head, Int(ahead)) == .copied(Int(ahead)))
            head += ahead
            return ahead
        }
        for times in [2, 4, 8] { #expect(try waits() == Int64(times) * ReadAhead.minWhileConserving) }
        // Elsewhere in the file it begins again, and also in view.
        head = 30 << 20
        #expect(try waits() == ReadAhead.minWhileConserving)
        #expect(try waits() == 2 * ReadAhead.minWhileConserving)
        state.isFocused = true
        for _ in 1...2 { #expect(try waits() == ReadAhead.minWhileConserving) }
    }

    @Test func waitForPendingBytesDoublesReadAheadOnce() {
        let least = ReadAhead.minWhileConserving
        var sparing = SparingReadAhead()
        for place in stride(from: 100_000, to: 100_000 + 2 * least, by: 1_000) { sparing.waits(at: place) }
        #expect(sparing.bytes == 2 * least)
        sparing.waits(at: 100_000 + 2 * least)
        #expect(sparing.bytes == 4 * least)
        // It is never more than what is read ahead of others out of view.
        for place in stride(from: Int64(1) << 20, to: 100 << 20, by: 1 << 20) { sparing.waits(at: place) }
        #expect(sparing.bytes == ReadAhead.unseen)
    }

    @Test func aLengthInDoubtIsNoEnd() {
        var cached = ByteRanges()
        cached.insert(0...999)
        state.lookedUp(AssetFacts(length: 1_000, etag: "\"1\""), cached)
        let reader = state.open(from: 0, end: nil)
        #expect(read(reader, 1_000) == .copied(0))
        state.revalidate()
        #expect(read(reader, 1_000) == nil)
    }

    @Test func onlyTheGapIsRequested() {
        var cached = ByteRanges()
        cached.insert(0...99)
        cached.insert(500...length - 1)
        state.lookedUp(AssetFacts(length: length, etag: "\"1\""), cached)
        let reader = state.open(from: 0, end: nil)
        #expect(read(reader, 0) == .onDisk)
        #expect(read(reader, 100) == nil)
        #expect(orders().contains(.start(2, from: 100, to: 499)))
    }

    @Test func twoReadersOfOneGapHaveOneTransfer() {
        state.lookedUp(nil, ByteRanges())
        for _ in 0..<2 {
            let reader = state.open(from: 0, end: nil)
            #expect(read(reader, 0) == nil)
        }
        #expect(orders().count == 1)
    }

    @Test func aSeekStopsTheOldTransferSavesItsRestAndStartsThere() throws {
        let (reader, transfer) = try opened(bringing: 3_000)
        #expect(read(reader, 30 << 20) == nil)
        let orders = orders()
        #expect(orders.contains(.stop(transfer)))
        #expect(orders.contains(.save(at: 0, 3_000)))
        #expect(orders.contains { if case .start(_, 31_457_280, _) = $0 { true } else { false } })
    }

    @Test func saveAtEndWaitsForTransferEndOrFullMemory() throws {
        state.settings.savesAtEnd = true
        state.isFocused = true
        let (_, transfer) = try opened(bringing: 4 << 20)
        func saved() -> Int { orders().reduce(0) { if case .save(_, let count) = $1 { $0 + count } else { $0 } } }
        #expect(saved() == 0 && !state.mustPause(transfer))
        #expect(arrive(transfer, 12 << 20))
        // Memory is limited.
        #expect(state.mustPause(transfer))
        #expect(saved() == 16 << 20)
    }

    @Test func saveAtEndSavesAfterAFailure() throws {
        state.settings.savesAtEnd = true
        state.isFocused = true
        let (_, transfer) = try opened(bringing: 1 << 20)
        #expect(!orders().contains { if case .save = $0 { true } else { false } })
        state.failed(transfer, .dropped, isUnreachable: false, until: .zero)
        let saved = orders().reduce(0) { if case .save(_, let count) = $1 { $0 + count } else { $0 } }
        #expect(saved == 1 << 20)
    }

    @Test func liveSegmentFailureExpiresSooner() {
        #expect(state.settings.failureLifetime == .seconds(1))
        state.settings.isLive = true
        #expect(state.settings.failureLifetime < .milliseconds(500))
    }

    @Test func transferPausesAfterAnUnwrittenPiece() throws {
        let (reader, first) = try opened(bringing: 300_000)
        #expect(read(reader, 30 << 20) == nil)
        _ = orders()
        let second = try #require(state.transfers.last?.number)
        #expect(second != first)
        _ = answer(second)
        #expect(arrive(second, 300_000))
        // The rest of the first is written already, or is written together with the second's bytes.
        var saves: [Window.Piece] = []
        for case .save(let piece) in state.drainOrders().disk { saves.append(piece) }
        // The first transfer's save was ordered when it was stopped, and is not done.
        #expect(saves.map(\.part.count) == [300_000])
        #expect(state.mustPause(second))
        for piece in saves { state.saved(piece, true) }
        #expect(!state.mustPause(second))
        var taken = 0
        while !state.mustPause(second) {
            #expect(arrive(second, 100_000))
            taken += 100_000
            try #require(taken < 2 << 20)
        }
        #expect(state.window.unsaved < 512 << 10 + 100_000)
        for case .save(let piece) in state.drainOrders().disk { state.saved(piece, true) }
        #expect(!state.mustPause(second) && state.window.unsaved < 512 << 10)
    }

    @Test func aReaderThatGoesToAndFroIsServedAtBothPlaces() throws {
        let (reader, _) = try opened()
        var position: [Int64] = [1_000, 30 << 20]
        var stops = 0
        var arrivals = 0
        for turn in 0..<12 {
            let place = turn % 2
            if read(reader, position[place]) == nil {
                let ordered = orders()
                stops += ordered.count { if case .stop = $0 { true } else { false } }
                for case .start(let number, _, _) in ordered { _ = answer(number) }
                for transfer in state.transfers where transfer.position == position[place] {
                    #expect(arrive(transfer.number, 1_000))
                    arrivals += 1
                }
                #expect(read(reader, position[place]) == .copied(1_000))
            }
            position[place] += 1_000
        }
        #expect(arrivals == 12)
        #expect(stops <= 4)
    }

    @Test func aFileInViewIsFetchedWhole() throws {
        state.isFocused = true
        let (_, transfer) = try opened()
        // Until the length is known the first request is for 16 MB; the next is for the rest.
        #expect(arrive(transfer, Int(ReadAhead.long) - 1_000))
        let isOver = state.ended(transfer)
        #expect(isOver)
        #expect(orders().contains { if case .start(_, 16_777_216, 52_428_799) = $0 { true } else { false } })
    }

    @Test func anotherEditionDropsAllAndReadersGetChanged() throws {
        let (reader, _) = try opened()
        #expect(read(reader, 30 << 20) == nil)
        let transfer = try #require(number(orders()))
        #expect(answer(transfer, etag: "\"2\"") == .receive)
        #expect(orders().contains(.discard))
        #expect(read(reader, 0) == .failed(.changed))
        let other = state.open(from: 0, end: nil)
        #expect(arrive(transfer, 10))
        #expect(read(other, 30 << 20, 10) == .copied(10))
    }

    @Test func a200ToARangeIsOverlookedOnceAndThenMeansNoRanges() throws {
        let (reader, _) = try opened()
        for (turn, offset) in [Int64(20 << 20), 30 << 20].enumerated() {
            #expect(read(reader, offset) == nil)
            let transfer = try #require(number(orders()))
            #expect(answer(transfer, 200) == .receive)
            #expect(state.facts.servesRanges == (turn == 0))
        }
    }

    @Test func secondContradictionCountsUnlessEightResponsesAgreedBefore() {
        var ranges = LoaderState.Contradictions()
        ranges.note(contradicts: true)
        #expect(!ranges.arePersistent)
        for _ in 0..<7 { ranges.note(contradicts: false) }
        var forgiven = ranges
        ranges.note(contradicts: true)
        #expect(ranges.arePersistent)
        forgiven.note(contradicts: false)
        forgiven.note(contradicts: true)
        #expect(!forgiven.arePersistent)
        // Those before the contradiction are no part of the eight.
        for _ in 0..<7 { forgiven.note(contradicts: false) }
        forgiven.note(contradicts: true)
        #expect(forgiven.arePersistent)
    }

    @Test func aFailureIsReportedForASecondAndThenTriedAgain() throws {
        state.lookedUp(nil, ByteRanges())
        let reader = state.open(from: 0, end: nil)
        #expect(read(reader, 0) == nil)
        let transfer = try #require(number(orders()))
        state.failed(transfer, .status(404), isUnreachable: false, until: LoaderState.failureLifetime)
        #expect(read(reader, 0, now: .milliseconds(900)) == .failed(.status(404)))
        #expect(orders(at: .milliseconds(900)) == [])
        #expect(read(reader, 0, now: .seconds(2)) == nil)
        #expect(number(orders(at: .seconds(2))) != nil)
    }

    @Test func unsavableBytesAreNotFetchedFarAhead() throws {
        state.isFocused = true
        let (_, transfer) = try opened(bringing: 512 << 10)
        let pieces = state.drainOrders().disk.compactMap { if case .save(let piece) = $0 { piece } else { nil } }
        let piece = try #require(pieces.first)
        state.saved(piece, false)
        #expect(arrive(transfer, 5 << 20))
        #expect(orders().contains(.stop(transfer)))
    }

    @Test(arguments: [Int64(0), 1 << 62, .max - 1, .max])
    func extremeOffsetsDoNotTrap(offset: Int64) {
        state.lookedUp(nil, ByteRanges())
        let reader = state.open(from: offset, end: offset)
        _ = read(reader, offset)
        _ = orders()
        state.expected = [offset..<Int64.max]
        state.prefetchEnd = offset
        _ = orders()
        for transfer in state.transfers {
            _ = answer(transfer.number)
            _ = arrive(transfer.number, 100)
        }
        state.lost(at: offset, keeping: state.cached)
        _ = orders()
    }

    @Test(arguments: [true, false]) func readerFarBeyondTheWindowDoesNotTrap(caches: Bool) throws {
        state.caches = caches
        _ = try opened(bringing: 512 << 10)
        for piece in state.drainOrders().disk.compactMap({ if case .save(let piece) = $0 { piece } else { nil } }) {
            state.saved(piece, true)
        }
        state.facts.length = nil
        #expect(read(state.open(from: 0, end: nil), .max) == nil)
        state.trim(to: 0)
        #expect(state.window.total >= 0)
    }

    @Test func bytesThatComeAgainAreNoProgress() throws {
        state.lookedUp(nil, ByteRanges())
        #expect(read(state.open(from: 0, end: nil), 0) == nil)
        let transfer = try #require(number(orders()))
        let bytes = [UInt8](repeating: 1, count: 1_000)
        for expected in [1_000, 0, 0, 0] {
            #expect(answer(transfer, 200) == .receive)
            let new = bytes.withUnsafeBytes { state.arrived(transfer, $0) }
            #expect(new == Int64(expected))
        }
        let new = bytes.withUnsafeBytes { state.arrived(transfer, $0) }
        #expect(new == 1_000)
    }

    @Test func anEditionThatIsBeingDiscardedIsNotUsedAgain() throws {
        let (reader, _) = try opened()
        #expect(read(reader, 30 << 20) == nil)
        #expect(answer(try #require(number(orders())), etag: "\"2\"") == .receive)
        state.close(reader)
        state.revalidate()
        var cached = ByteRanges()
        cached.insert(0...999)
        let isTaken = state.lookedUp(AssetFacts(length: length, etag: "\"1\""), cached)
        #expect(!isTaken)
        #expect(state.cached.isEmpty && state.facts.etag == "\"2\"" && !state.isKnown)
    }

    @Test func anOpeningIsServedThoughItsFirstBytesWereWrittenWhenAllWasDistrusted() throws {
        let (reader, _) = try opened(bringing: 3_000)
        state.close(reader)
        state.revalidate()
        let opening = state.open(from: 0, end: nil)
        #expect(state.opening(opening, now: .zero) == nil)
        for case .save(let piece) in state.drainOrders().disk { state.saved(piece, true) }
        let transfer = try #require(number(orders()))
        #expect(state.cached.isEmpty)
        #expect(answer(transfer) == .receive)
        #expect(state.opening(opening, now: .zero) == .copied(0))
        #expect(read(opening, 0) == .onDisk)
    }

    /// However late the waiting reader gets to it.
    @Test func errorDuringAWaitIsReported() throws {
        state.lookedUp(nil, ByteRanges())
        let reader = state.open(from: 0, end: nil)
        #expect(read(reader, 0, now: .seconds(5)) == nil)
        let transfer = try #require(number(orders(at: .seconds(5))))
        state.failed(transfer, .dropped, isUnreachable: false, until: .seconds(7))
        #expect(read(reader, 0, now: .seconds(5)) == .failed(.dropped))
    }
}
