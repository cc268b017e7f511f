import HTTP
import Model
import Synchronization
import TestSupport
import Testing

@testable import Bytes
@testable import Cache

@Suite struct LoaderPolicyTests {
    // MARK: - Ahead of the reader

    @Test func onlyAnItemInViewThatFitsTheCacheIsFetchedWhole() {
        let policy = ReadAhead(cacheLimit: 400)
        #expect(policy.goal(isFocused: true, isOwnFile: true, length: 100) == nil)
        #expect(policy.goal(isFocused: true, isOwnFile: true, length: 101) == ReadAhead.long)
        #expect(policy.goal(isFocused: true, isOwnFile: true, length: nil) == ReadAhead.long)
        #expect(policy.goal(isFocused: true, isOwnFile: false, length: 100) == ReadAhead.long)
        #expect(policy.goal(isFocused: false, isOwnFile: true, length: 100) == ReadAhead.unseen)
        #expect(ReadAhead(cacheLimit: nil).goal(isFocused: true, isOwnFile: true, length: 1) == ReadAhead.inMemory)
    }

    @Test func readAheadResumesWhenHalfIsUsed() {
        #expect(ReadAhead.wantsMore(ahead: 99, goal: 100, isUnderWay: true))
        #expect(!ReadAhead.wantsMore(ahead: 100, goal: 100, isUnderWay: true))
        #expect(!ReadAhead.wantsMore(ahead: 50, goal: 100, isUnderWay: false))
        #expect(ReadAhead.wantsMore(ahead: 49, goal: 100, isUnderWay: false))
        #expect(ReadAhead.wantsMore(ahead: .max, goal: nil, isUnderWay: false))
    }

    // MARK: - Before others

    @Test func theViewComesFirstWhileItIsStalledAndItsBytesCome() {
        var priority = ViewPriority()
        /// Whether it is new that the clip is stalled, or not.
        func note(_ isStalled: Bool, at seconds: Double) -> Bool {
            priority.note(isStalled: isStalled, now: .seconds(seconds))
        }
        func end(after seconds: Double) -> Double? { priority.end(after: .seconds(seconds))?.seconds }
        #expect(end(after: 0) == nil)
        #expect([note(true, at: 5), note(true, at: 6)] == [true, false])
        #expect(end(after: 5) == 6)
        // Nothing comes: the priority has ended.
        #expect(end(after: 6) == nil)
        priority.arrived(now: .seconds(6.5))
        #expect(end(after: 6.5) == 7.5)
        // It comes again and again, but for too long.
        priority.arrived(now: .seconds(14.75))
        #expect(end(after: 14.75) == 15 && end(after: 15) == nil)
        #expect([note(false, at: 15), note(false, at: 16), note(true, at: 16)] == [true, false, true])
        #expect(end(after: 16) == 17)
        #expect(note(false, at: 16))
        #expect(end(after: 16) == nil)
    }

    // MARK: - Editions

    /// Its bytes are not those of the file as it is now.
    @Test func pieceThatIsSavedForAnEarlierEditionIsNotCached() {
        var state = LoaderState(
            url: "http://h/x.mp4",
            settings: LoaderState.Settings(
                pieceSize: 512 << 10, caches: true, readAhead: ReadAhead(cacheLimit: 500_000_000), isOwnFile: true,
                isSegment: false),
            mayBePlaylist: false)
        state.lookedUp(nil, ByteRanges())
        state.isKindKnown = true
        [UInt8](repeating: 1, count: 1_000).withUnsafeBytes { state.window.append($0, at: 0, end: 1_000) }
        state.save(all: true)
        let saves = state.drainOrders().disk
        state.beginEdition(AssetFacts(length: 2_000, etag: "\"2\""))
        for case .save(let piece) in saves { state.saved(piece, true) }
        #expect(saves.count == 1 && state.cached.isEmpty && state.doubted == nil)
    }

    // MARK: - Throughput

    @Test func tooFewBytesMakeNoEstimate() {
        var throughput = Throughput()
        throughput.waits(at: .zero)
        throughput.got(1_000, at: .seconds(1))
        #expect(throughput.estimate == nil)
    }

    @Test func itIsCertainToBeSlowAfterASecondOnly() {
        var throughput = Throughput()
        for eighth in 1...12 {
            throughput.waits(at: .milliseconds(125 * eighth))
            throughput.got(62_500, at: .milliseconds(125 * eighth + 125))
            #expect(throughput.isBelow(5_000_000) == (eighth >= 8))
            #expect(!throughput.isBelow(3_000_000))
        }
    }

    @Test func onlyTheTimeOfWaitingForBytesCounts() throws {
        var throughput = Throughput()
        var now = Duration.zero
        for _ in 0..<20 {
            throughput.waits(at: now)
            now += .milliseconds(100)
            throughput.got(100_000, at: now)
            // Held up, or without a reader.
            now += .seconds(10)
        }
        let estimate = try #require(throughput.estimate)
        #expect(abs(estimate - 8_000_000) < 1_000)
    }

    @Test func parallelTransfersShareOneEstimate() throws {
        var throughput = Throughput()
        var now = Duration.zero
        throughput.waits(at: now)
        throughput.waits(at: now)
        for _ in 0..<40 {
            now += .milliseconds(100)
            throughput.got(50_000, at: now)
            throughput.waits(at: now)
            throughput.got(50_000, at: now)
            throughput.waits(at: now)
        }
        let estimate = try #require(throughput.estimate)
        #expect(abs(estimate - 8_000_000) < 200_000)
    }

    @Test func theEstimateFallsSoonerThanItRises() throws {
        func estimate(_ rates: [Int]) throws -> Int64 {
            var throughput = Throughput()
            var now = Duration.zero
            for rate in rates {
                throughput.waits(at: now)
                now += .seconds(1)
                throughput.got(rate, at: now)
            }
            return try #require(throughput.estimate)
        }
        let risen = try estimate(Array(repeating: 100_000, count: 20) + Array(repeating: 1_000_000, count: 4))
        let fallen = try estimate(Array(repeating: 1_000_000, count: 20) + Array(repeating: 100_000, count: 4))
        #expect(8_000_000 - risen > fallen - 800_000)
    }

    @Test func aBurstOutOfABufferDoesNotRaiseTheEstimate() throws {
        var throughput = Throughput()
        throughput.waits(at: .zero)
        throughput.got(100_000, at: .microseconds(1))
        throughput.ended()
        #expect(try #require(throughput.estimate) <= 16_000_000)
    }

    // MARK: - Knowledge

    @Test func theLeastRecentlyUsedGoFirst() {
        var recent = Recent<Int, String>(limit: 2)
        recent[1] = "one"
        recent[2] = "two"
        _ = recent[1]
        recent[3] = "three"
        #expect(recent.trim() == ["two"])
        #expect(recent.all == ["one", "three"])
    }

    @Test func valuesInUseStay() {
        var recent = Recent<Int, Int>(limit: 1)
        for number in 1...3 { recent[number] = number }
        #expect(recent.trim { $0 != 1 } == [2, 3])
        #expect(recent.all == [1])
    }

    @Test func theLimitOfLoadersDependsOnMemory() {
        #expect([3, 5, 7, 16].map { KnowledgeLimit.of(memory: $0 << 30) } == [15, 25, 40, 60])
        #expect([15, 25, 40, 60].contains(KnowledgeLimit.here))
    }

    @Test func unusedLoadersShareAMemoryLimit() throws {
        let services = LoaderServices(cache: nil, network: NetworkOptions(), report: nil, notice: { _ in })
        let registry = LoaderRegistry(services: services, limit: 60)
        let loaders = try (0..<4).map { number in
            let url = "http://h/\(number).mp4"
            return try #require(registry.acquire(ByteRequest(url: url, asset: Asset(url: url))))
        }
        let (size, bytes) = (6 << 20, [UInt8](repeating: 1, count: 6 << 20))
        for loader in loaders {
            loader.update { state in bytes.withUnsafeBytes { state.window.append($0, at: 0, end: nil) } }
        }
        // Dropping two suffices to be below the limit: those that were released first.
        for loader in loaders { registry.release(loader, .media) }
        #expect(loaders.map(\.bufferedCount) == [0, 0, size, size])
        registry.close()
        services.transport.close()
    }

    // MARK: - Prefetching

    private let assets = ["a", "b", "c", "d"].map { Asset(url: $0) }

    @Test func twoPrefetchesAtATimeInOrder() {
        var plan = PrefetchPlan()
        #expect(plan.replace(assets) == [.start(assets[0]), .start(assets[1])])
        #expect(plan.finish(assets[1]) == [.start(assets[2])])
        #expect(plan.finish(assets[1]) == [])
        #expect(plan.finish(assets[0]) == [.start(assets[3])])
    }

    /// The three that are wanted most begin at once, whatever else is under way.
    @Test func fetchesThreeStillsAtOnceAndTwelveOthersAtATime() {
        let stills = (0..<28).map { Asset(url: "\($0).jpg") }
        var plan = PrefetchPlan(.stills)
        #expect(plan.replace(stills) == stills[..<15].map { .start($0) })
        #expect(plan.finish(stills[0]) == [])
        #expect(plan.finish(stills[3]) == [.start(stills[15])])
        #expect(plan.finish(stills[15]) == [.start(stills[16])])
        // Three pages on.
        let next = Array(stills[3...])
        let stopped: [PrefetchPlan.Action] = [.stop(stills[1]), .stop(stills[2])]
        #expect(plan.replace(next) == stopped + [.start(stills[17]), .start(stills[18])])
    }

    @Test func slowLinkLimitsStillsLikeClips() {
        let stills = (0..<28).map { Asset(url: "\($0).jpg") }
        var plan = PrefetchPlan(.stills)
        plan.conservesBandwidth = true
        #expect(plan.replace(stills) == stills[..<5].map { .start($0) })
        #expect(plan.finish(stills[4]) == [.start(stills[5])])
        #expect(plan.fetchMore() == stills[6..<16].map { .start($0) })
    }

    @Test func droppedPrefetchesStopAndFinishedOnesStayFinished() {
        var plan = PrefetchPlan()
        _ = plan.replace(assets)
        _ = plan.finish(assets[0])
        #expect(
            plan.replace([assets[3], assets[0], assets[3]]) == [.stop(assets[1]), .stop(assets[2]), .start(assets[3])])
        #expect(plan.replace([]) == [.stop(assets[3])])
    }

    @Test func aClipThatIsNamedAgainLaterIsPrefetchedAgain() {
        var plan = PrefetchPlan()
        _ = plan.replace([assets[0]])
        _ = plan.finish(assets[0])
        #expect(plan.replace([assets[0], assets[1]]) == [.start(assets[1])])
        #expect(plan.replace([assets[1]]) == [])
        #expect(plan.replace([assets[1], assets[0]]) == [.start(assets[0])])
    }

    @Test func shortenedPrefetchIsCompletedLater() {
        var plan = PrefetchPlan()
        _ = plan.replace(assets)
        _ = plan.finish(assets[0], isCutShort: true)
        _ = plan.finish(assets[1])
        #expect(plan.finish(assets[2], isCutShort: true) == [])
        #expect(plan.fetchMore() == [.start(assets[0])])
        #expect(plan.finish(assets[3]) == [.start(assets[2])])
        #expect(plan.fetchMore() == [])
    }

    // MARK: - The window

    private func append(_ window: inout Window, _ bytes: [UInt8], at offset: Int64, end: Int64? = nil) {
        bytes.withUnsafeBytes { window.append($0, at: offset, end: end) }
    }

    private func copy(_ window: Window, at offset: Int64, _ count: Int) -> [UInt8] {
        var buffer = [UInt8](repeating: 0, count: count)
        let got = buffer.withUnsafeMutableBytes { window.copy(at: offset, into: $0) }
        return Array(buffer[..<got])
    }

    @Test func piecesAreAligned() {
        var window = Window(pieceSize: 10)
        append(&window, Array(0..<22), at: 5, end: 30)
        #expect(
            window.beginSaving(all: false, edition: 0).map { [Int($0.offset), $0.part.count] } == [[5, 5], [10, 10]])
        #expect(window.beginSaving(all: true, edition: 0).map { [Int($0.offset), $0.part.count] } == [[20, 7]])
        append(&window, [1, 2, 3], at: 27, end: 30)
        #expect(window.beginSaving(all: false, edition: 0).map { [Int($0.offset), $0.part.count] } == [[27, 3]])
        #expect(window.beginSaving(all: true, edition: 0).isEmpty)
    }

    @Test func runEndsWhereTheNextOneBegins() {
        var window = Window(pieceSize: 10)
        append(&window, Array(5..<10), at: 5)
        append(&window, Array(0..<5), at: 0)
        #expect(
            window.beginSaving(all: false, edition: 0).map { [Int($0.offset), $0.part.count] } == [[0, 5], [5, 5]])
    }

    @Test func aWindowReadsAcrossRunsAndStopsAtGaps() {
        var window = Window(pieceSize: 10)
        append(&window, Array(0..<15), at: 0)
        append(&window, [99], at: 20)
        #expect(copy(window, at: 8, 100) == Array(8..<15))
        #expect(copy(window, at: 15, 100) == [])
        #expect(window.prefix(from: 3) == 12)
        #expect(window.next(after: 15) == 20)
        append(&window, Array(15..<20), at: 15)
        #expect(copy(window, at: 0, 100) == Array(0..<20) + [99])
    }

    @Test func unsavedBytesIgnoreTheLimit() {
        var window = Window(pieceSize: 10)
        append(&window, Array(0..<30), at: 0)
        let pieces = window.beginSaving(all: false, edition: 0)
        window.saved(pieces[1])
        window.trim(to: 0, heads: [], ahead: 0, cached: true)
        #expect(window.ranges == [0...9, 20...29])
        window.saved(pieces[0])
        window.saved(pieces[2])
        window.trim(to: 0, heads: [], ahead: 0, cached: true)
        #expect(window.isEmpty)
    }

    @Test func withoutADiskCacheBytesBehindTheReaderAreDroppedFirst() {
        var window = Window(pieceSize: 10)
        append(&window, Array(0..<60), at: 0)
        window.trim(to: 30, heads: [40], ahead: 20, cached: false)
        #expect(window.ranges == [30...39, 40...49, 50...59])
    }

    // MARK: - What is total

    @Test func partsAreMergedWhereTheyTouch() {
        #expect(
            ClipParts.merged([(0.5, 0.7), (0, 0.25), (0.2505, 0.4), (0.9, 1.7), (0.3, 0.2)]) == [
                0...0.4, 0.5...0.7, 0.9...1,
            ])
    }

    // MARK: - Outlines

    @Test func anOutlineIsSmallAndExpandsToTheSamePlaylist() throws {
        let segments = (0..<1_000).map {
            "#EXTINF:6.000,\nhttps://cdn.example.org/a/long/path/segment-\($0).m4s?id=abcdef"
        }
        let text = (["#EXTM3U", "#EXT-X-TARGETDURATION:6"] + segments + ["#EXT-X-ENDLIST", ""]).joined(separator: "\n")
        let outline = try #require(PlaylistOutline.make(Array(text.utf8), url: "https://h/x.m3u8"))
        #expect(outline.count * 3 < text.utf8.count)
        let read = try #require(PlaylistOutline.read(outline))
        #expect(read.url == "https://h/x.m3u8")
        #expect(String(decoding: read.text, as: UTF8.self) == text)
    }

    @Test func otherBytesAreNotAnOutline() {
        var random = SeededRandom(state: 7)
        for _ in 0..<20_000 {
            let bytes = (0..<Int.random(in: 0...40, using: &random)).map { _ in
                [0, 1, 2, 4, 10, 65, 255].randomElement(using: &random) ?? UInt8(0)
            }
            _ = PlaylistOutline.read(bytes)
        }
        // Each line as long as the one before and one byte longer: a text far beyond what is taken.
        #expect(PlaylistOutline.read(Array(repeating: [1, 255, 65, 10], count: 1 << 20).flatMap { $0 }) == nil)
    }

    // MARK: - Hosts

    @Test func transfersToOneHostAreLimited() async throws {
        let hosts = HostLimit(perHost: 1)
        try await hosts.enter("a", isUrgent: false)
        try await hosts.enter("b", isUrgent: false)
        let idle = Task { try await hosts.enter("a", isUrgent: false) }
        idle.cancel()
        await #expect(throws: CancellationError.self) { try await idle.value }
        let next = Task { try await hosts.enter("a", isUrgent: true) }
        hosts.leave("a")
        try await next.value
        hosts.leave("a")
        try await hosts.enter("a", isUrgent: false)
    }

    /// A transfer that wants a slot at a host where none is free; it waits by the time this returns.
    private func waiter(
        at hosts: HostLimit, isUrgent: Bool, then: @escaping @Sendable () -> Void = {}
    ) async -> Task<Void, any Error> {
        let before = hosts.load(of: "a").waiting
        let task = Task {
            try await hosts.enter("a", isUrgent: isUrgent)
            then()
            hosts.leave("a")
        }
        while hosts.load(of: "a").waiting == before { await Task.yield() }
        return task
    }

    @Test func waitingTransfersGoInTheirOrderAndUrgentOnesBeforeOthers() async throws {
        let hosts = HostLimit(perHost: 1)
        let order = Mutex<[Int]>([])
        try await hosts.enter("a", isUrgent: false)
        var tasks: [Task<Void, any Error>] = []
        for (number, isUrgent) in [false, true, false, true].enumerated() {
            tasks.append(await waiter(at: hosts, isUrgent: isUrgent) { order.withLock { $0.append(number) } })
        }
        hosts.leave("a")
        for task in tasks { try await task.value }
        #expect(order.withLock { $0 } == [1, 3, 0, 2])
        #expect(hosts.load(of: "a") == (0, 0))
    }

    @Test func cancelledTransferReleasesItsSlot() async throws {
        let hosts = HostLimit(perHost: 1)
        try await hosts.enter("a", isUrgent: false)
        let idle = await waiter(at: hosts, isUrgent: false)
        idle.cancel()
        await #expect(throws: CancellationError.self) { try await idle.value }
        #expect(hosts.load(of: "a") == (1, 0))
    }
}
