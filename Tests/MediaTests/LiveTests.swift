import Testing
import Wire

/// Playlists that go on. The film has seven segments of 12 pictures (the last of 3); target durations are of one second.
@Suite struct LiveTests {
    private func open(_ live: LiveFilm, loop: Bool = false) throws -> DecoderHarness {
        let harness = try DecoderHarness()
        harness.serve = live.serve
        try harness.start("http://live/list", loop: loop)
        return harness
    }

    private func numbers(_ harness: DecoderHarness) -> [Int] { harness.pictures.map { SeekingTests.number($0.pixels) } }

    @Test(arguments: ["ts", "fmp4"]) func whatIsAddedIsPlayedUntilTheListEnds(kind: String) throws {
        let live = LiveFilm(try ServedFilms.film(of: kind), window: 0..<3)
        live.advance = {
            $0.window = $0.window.lowerBound..<min($0.window.upperBound + 2, 7)
            $0.isOver = $0.window.upperBound == 7
        }
        let harness = try open(live)
        try harness.runToEnd()
        #expect(harness.failure == nil)
        #expect(harness.info?.duration == -1 && harness.info?.isSeekable == false)
        #expect(numbers(harness) == Array(0..<75))
        #expect(harness.pictures.map { ($0.header.mediaTime + 1_000) / 40_000 } == (0..<75).map { Int64($0) })
        #expect(harness.wants.filter { $0.role == .liveSegment && $0.to > 0 }.count == 5)
        #expect(harness.wants.filter { $0.role == .segment && $0.to > 0 }.count == 2)
        #expect(zip(live.loads, live.loads.dropFirst()).allSatisfy { $1 - $0 > .milliseconds(490) })
    }

    @Test func itBeginsThreeTargetDurationsFromTheEdge() throws {
        let live = LiveFilm(try ServedFilms.film(of: "ts"), window: 0..<7)
        let harness = try open(live)
        try harness.run { $0.pictures.count > 1 }
        // Three seconds: all there is.
        #expect(numbers(harness).first == 0)
        live.tags = "#EXT-X-START:TIME-OFFSET=-1.0"
        let late = try open(live)
        try late.run { $0.pictures.count > 1 }
        #expect(numbers(late).first == 48)
        #expect(late.pictures.first?.header.mediaTime == 0)
        #expect(harness.close() && late.close())
    }

    @Test(arguments: ["ts", "fmp4"]) func whatHasLeftTheWindowIsPassedOver(kind: String) throws {
        let live = LiveFilm(try ServedFilms.film(of: kind), window: 0..<2)
        live.advance = {
            $0.window = 5..<7
            $0.isOver = true
        }
        let harness = try open(live)
        try harness.runToEnd()
        #expect(harness.failure == nil)
        #expect(numbers(harness) == Array(0..<24) + Array(60..<75))
    }

    @Test func aReloadThatFailsIsTriedAgain() throws {
        let live = LiveFilm(try ServedFilms.film(of: "ts"), window: 0..<2)
        live.advance = {
            $0.window = 0..<7
            $0.isOver = true
        }
        let harness = try open(live)
        try harness.run { $0.pictures.count > 1 }
        live.failsLoads = 2
        try harness.runToEnd()
        #expect(harness.failure == nil)
        #expect(numbers(harness) == Array(0..<75))
        #expect(zip(live.loads, live.loads.dropFirst()).allSatisfy { $1 - $0 > .milliseconds(490) })
    }

    @Test func ordersAreFollowedWhileNothingComes() throws {
        let live = LiveFilm(try ServedFilms.film(of: "ts"), window: 0..<1)
        live.target = 60
        let harness = try open(live)
        // A decoder keeps the last few back until it knows that none goes before them.
        try harness.run { $0.pictures.count >= 8 }
        let before = harness.pictures.count
        try harness.channel.send(.surface(SurfaceRequest(generation: 2, width: 20, height: 20, fill: false)))
        try harness.run { $0.pictures.last?.header.generation == 2 }
        #expect(harness.pictures.count > before)
        #expect(harness.close())
    }

    @Test func anEventCanBeSoughtIn() throws {
        let live = LiveFilm(try ServedFilms.film(of: "ts"), window: 0..<5)
        live.tags = "#EXT-X-PLAYLIST-TYPE:EVENT"
        live.advance = {
            $0.window = 0..<7
            $0.isOver = true
        }
        let harness = try open(live)
        try harness.run { $0.pictures.count > 3 }
        #expect(numbers(harness).first == 0 && harness.info?.isSeekable == true && harness.info?.duration == -1)
        try harness.channel.send(.seek(serial: 2, time: 800_000, mode: .exact))
        try harness.run { $0.ended.contains(2) }
        #expect(numbers(harness).suffix(55) == Array(20..<75)[...])
    }

    @Test func aMissingSegmentLeavesAHole() throws {
        let live = LiveFilm(try ServedFilms.film(of: "ts"), window: 0..<7)
        live.isOver = true
        live.missing = [2, 3]
        let harness = try open(live)
        try harness.runToEnd()
        #expect(harness.failure == nil)
        #expect(numbers(harness) == Array(0..<24) + Array(48..<75))
        #expect(abs((harness.pictures.last?.header.mediaTime ?? 0) - 2_960_000) < 2_000)
    }

    @Test func whereNoSegmentCanBeHadItFailsInFlicksWords() throws {
        let live = LiveFilm(try ServedFilms.film(of: "ts"), window: 0..<7)
        live.isOver = true
        live.missing = Set(1..<7)
        let harness = try open(live)
        try harness.runToEnd()
        #expect(harness.failure?.code == .unreadable)
        #expect(harness.failure?.why == "not found")
        #expect(numbers(harness).allSatisfy { $0 < 12 })
    }
}
