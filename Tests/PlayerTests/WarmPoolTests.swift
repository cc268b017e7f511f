import Model
import Synchronization
import TestSupport
import Testing
import Wire

@testable import Player

/// What is opened ahead of need, and what becomes of it.
@Suite(.serialized) @MainActor struct WarmPoolTests {
    private let feed = (0..<30).map { Item(id: "\($0)", url: "file:///\($0)") }

    /// Turns to a page as the loop does.
    private func turn(_ stage: Stage, to page: Int, reach: ClosedRange<Int> = -4...6, slide: Duration = .zero) {
        stage.play(feed[page], slide: slide)
        let pages = reach.map { $0 + page }.filter(feed.indices.contains)
        stage.keepWarm(pages.map { PlayerPool.Page(index: $0, item: feed[$0]) }, around: page)
    }

    /// Runs the loop, which opens clips ahead, until `done`.
    @discardableResult
    private func run(
        _ stage: Stage, at page: Int, limit: Duration = .seconds(10), until done: (Stage) -> Bool
    ) -> Bool {
        stage.run(feed[page], limit: limit) { stage in
            stage.openAhead()
            return done(stage)
        }
    }

    private func warmed(_ stage: Stage) -> [Int] {
        stage.events.all("warm").compactMap { if case .warm(_, let index, _, _) = $0 { index } else { nil } }
    }

    @Test func wholeWindowIsOpenedAndATurnClaimsFromIt() {
        let stage = Stage(audio: TestOutput(), decoders: [ScriptedDecoder()])
        defer { stage.pool.close() }
        turn(stage, to: 10)
        let opened = run(stage, at: 10) { warmed($0).count == 10 }
        #expect(opened)
        #expect(warmed(stage).sorted() == Array(6...9) + Array(11...16))
        #expect(warmed(stage).first == 11)
        #expect(stage.pool.decodersInUse.count == 11)
        turn(stage, to: 11)
        #expect(stage.events.all("claim").last == .claim(item: "11", index: nil, how: .pool))
        // The picture is there before anything else has come.
        #expect(stage.pool.pictureIdentity(of: "11")?.mediaTime == .zero)
        let moved = run(stage, at: 11) { warmed($0).count == 11 }
        #expect(moved && stage.pool.decodersInUse.count == 11)
        #expect(
            stage.events.all("evict") == [.evict(item: "6", index: 6, why: "too far away")])
        #expect(stage.reports.count { $0 == .closed } == 1)
        turn(stage, to: 10)
        // It has gone back to its beginning.
        #expect(stage.events.all("claim").last == .claim(item: "10", index: nil, how: .pool))
        // A page that was never opened.
        turn(stage, to: 29)
        #expect(stage.events.all("claim").last == .claim(item: "29", index: nil, how: .cold))
    }

    /// Each has a server or a program asked where it is.
    @Test func clipsWhosePlaceIsAskedForAreOpenedOnlyNearby() {
        let stage = Stage(decoders: [ScriptedDecoder()])
        defer { stage.pool.close() }
        let asked = feed.map { Item(id: $0.id, url: $0.url, resolver: .ytDLP) }
        stage.play(asked[10])
        stage.keepWarm((6...16).map { PlayerPool.Page(index: $0, item: asked[$0]) }, around: 10)
        let opened = stage.run(asked[10], limit: .seconds(10)) { stage in
            stage.openAhead()
            return warmed(stage).count == 3
        }
        #expect(opened)
        // Nothing more comes.
        _ = stage.run(asked[10], limit: .milliseconds(300)) { stage in
            stage.openAhead()
            return false
        }
        #expect(warmed(stage).sorted() == [9, 11, 12])
    }

    /// The page turns to another clip.
    @Test func clipsThatTheUserHidesAreClosedAtOnceButNotTheOneInView() {
        let stage = Stage(decoders: [ScriptedDecoder()])
        defer { stage.pool.close() }
        turn(stage, to: 5, reach: -2...2)
        let given = run(stage, at: 5) { warmed($0).count == 4 }
        #expect(given)
        stage.withdraw(["4", "5", "7"])
        #expect(stage.pool.players.keys.sorted() == ["3", "5", "6"])
        #expect(stage.events.all("evict").count == 2)
    }

    @Test func clipNotReadyInTwoSecondsIsClosed() {
        let stage = Stage(decoders: [ScriptedDecoder(), ScriptedDecoder(fault: .hangs)])
        defer { stage.pool.close() }
        turn(stage, to: 0, reach: 0...1)
        let given = run(stage, at: 0) { !$0.events.all("warm_failed").isEmpty }
        #expect(given)
        #expect(stage.events.all("warm_failed") == [.warmFailed(item: "1", index: 1, why: "not ready within 2 s")])
        #expect(stage.pool.decodersInUse.count == 1)
        #expect(stage.events.all("recover").isEmpty)
    }

    @Test func shortMemoryLeavesThePageInViewAndTheNext() {
        let stage = Stage(decoders: [ScriptedDecoder()])
        defer { stage.pool.close() }
        let files = Pressure()
        stage.pool.memory = MemoryPressure { files.now }
        turn(stage, to: 10)
        run(stage, at: 10) { warmed($0).count == 10 }
        files.isShort = true
        let short = run(stage, at: 10, limit: .seconds(6)) { $0.pool.decodersInUse.count == 2 }
        #expect(short)
        #expect(stage.events.all("evict").count == 9)
        let reasons = stage.events.all("evict").compactMap { if case .evict(_, _, let why) = $0 { why } else { nil } }
        #expect(Set(reasons) == ["low memory"])
        files.isShort = false
        let back = run(stage, at: 10, limit: .seconds(30)) { $0.pool.decodersInUse.count == 11 }
        #expect(back)
    }

    private final class Pressure: Sendable {
        private let state = Mutex(false)
        var isShort: Bool {
            get { state.withLock(\.self) }
            set { state.withLock { $0 = newValue } }
        }
        var now: MemoryPressure.Files {
            MemoryPressure.Files(pressure: ["some avg10=\(isShort ? "12.50" : "0.00") avg60=0.00\n"])
        }
    }

    /// The first page is in view, and the second one's clip is
    /// open. Returns also the orders to the second one's decoder.
    private func besideAWarmClip(prefetch: PlayerPool.Prefetch = PlayerPool.Prefetch()) -> (Stage, Orders) {
        let orders = Orders()
        var script = ScriptedDecoder()
        script.hears = { orders.add($0) }
        let stage = Stage(decoders: [ScriptedDecoder(), script], prefetch: prefetch)
        turn(stage, to: 0, reach: 0...1)
        run(stage, at: 0) { warmed($0) == [1] }
        return (stage, orders)
    }

    @Test func decoderIsInformedWhenItsClipEntersOrLeavesTheView() {
        var prefetch = PlayerPool.Prefetch()
        (prefetch.buffer, prefetch.bitrate) = (.milliseconds(1_500), 400_000)
        let (stage, orders) = besideAWarmClip(prefetch: prefetch)
        defer { stage.pool.close() }
        let warm = ToDecoder.warm(time: 1_500_000, bitsPerSecond: 400_000)
        #expect(orders.views == [warm])
        turn(stage, to: 1, reach: -1...0)
        run(stage, at: 1) { $0.position() > .milliseconds(200) }
        #expect(orders.views == [warm, .watched])
        turn(stage, to: 0, reach: 0...1)
        run(stage, at: 0, limit: .milliseconds(100)) { _ in false }
        #expect(orders.views == [warm, .watched, warm])
    }

    /// A decoder that receives `watched` makes many pictures at once, while the first is on its way to the terminal.
    @Test(arguments: [true, false]) func watchedIsSentOnceTheFirstPictureIsOnTheTerminal(isTaken: Bool) {
        let (stage, orders) = besideAWarmClip()
        defer { stage.pool.close() }
        stage.showsPictures = false
        turn(stage, to: 1, reach: 1...1)
        #expect(stage.nextWake.map { $0 <= stage.now + ClipPlayer.maxWatchedDelay } == true)
        run(stage, at: 1, limit: ClipPlayer.maxWatchedDelay / 2) { _ in false }
        #expect(!orders.views.contains(.watched))
        stage.showsPictures = isTaken
        run(stage, at: 1, limit: ClipPlayer.maxWatchedDelay / 4) { _ in false }
        #expect(orders.views.contains(.watched) == isTaken)
        run(stage, at: 1, limit: ClipPlayer.maxWatchedDelay / 2) { _ in false }
        #expect(orders.views.filter { $0 == .watched }.count == 1)
    }

    @Test func clipThatLeavesTheViewAtOnceSendsNoViewOrders() {
        let (stage, orders) = besideAWarmClip()
        defer { stage.pool.close() }
        let before = orders.views
        turn(stage, to: 1, reach: -1...0)
        turn(stage, to: 0, reach: 0...1)
        run(stage, at: 0, limit: ClipPlayer.maxWatchedDelay * 2) { _ in false }
        #expect(orders.views == before)
    }

    @Test(arguments: [true, false]) func skippingPagesPreloadsFewerAndSmallerClips(isAdaptive: Bool) {
        let orders = Orders()
        var script = ScriptedDecoder()
        script.hears = { orders.add($0) }
        var prefetch = PlayerPool.Prefetch()
        prefetch.isAdaptive = isAdaptive
        let stage = Stage(decoders: [script], prefetch: prefetch)
        defer { stage.pool.close() }
        // With the last turn clips are opened that come after the change of pace.
        let last = SkimDetector.count + 1
        for page in 0...last {
            turn(stage, to: page)
            run(stage, at: page, limit: .milliseconds(400)) { _ in false }
        }
        run(stage, at: last, limit: .seconds(1)) { _ in false }
        let smaller = ToDecoder.warm(time: 1_000_000, bitsPerSecond: 375_000)
        // Three ahead and one behind, else six and four.
        #expect(stage.pool.decodersInUse.count == (isAdaptive ? 1 + 3 + 1 : 1 + 6 + 4))
        #expect(orders.views.contains(smaller) == isAdaptive)
    }

    /// Clips of a second, all of them seen to the end.
    @Test(arguments: [true, false]) func stayingOnPagesPreloadsMoreAndBetterClips(savesData: Bool) {
        let orders = Orders()
        var script = ScriptedDecoder()
        script.duration = 1_000_000
        script.hears = { orders.add($0) }
        let stage = Stage(decoders: [script])
        defer { stage.pool.close() }
        if savesData { stage.setSavesData(true) }
        let last = SkimDetector.count
        for page in 0...last {
            #expect(stage.pool.decodersInUse.count <= 11)
            turn(stage, to: page, reach: -6...9)
            run(stage, at: page, limit: .milliseconds(900)) { _ in false }
        }
        // Where the feed has enough of them on both sides.
        turn(stage, to: 15, reach: -6...9)
        // Nine ahead and six behind, else six and four: these clips are local, and cost no data.
        let wanted = Set((savesData ? 11...21 : 9...24).map { "\($0)" })
        run(stage, at: 15) { Set($0.pool.players.keys) == wanted && $0.pool.decodersInUse.count == wanted.count }
        run(stage, at: 15, limit: .seconds(1)) { _ in false }
        #expect(Set(stage.pool.players.keys) == wanted)
        let better = ToDecoder.warm(time: 3_000_000, bitsPerSecond: 1_500_000)
        #expect(orders.views.contains(better) != savesData)
    }

    private final class Orders: Sendable {
        private let all = Mutex<[ToDecoder]>([])
        func add(_ order: ToDecoder) { all.withLock { $0.append(order) } }
        var variants: [VariantWish] {
            all.withLock { $0.compactMap { if case .variant(let wish) = $0 { wish } else { nil } } }
        }
        /// Those before the clip is opened come first.
        var views: [ToDecoder] {
            all.withLock { orders in
                orders.filter {
                    switch $0 {
                    case .warm, .watched: true
                    default: false
                    }
                }
            }
        }
    }

    @Test func dataSaverAndChoiceByHandReachTheDecoders() {
        let orders = Orders()
        var script = ScriptedDecoder()
        script.hears = { orders.add($0) }
        let stage = Stage(decoders: [script])
        defer { stage.pool.close() }
        stage.tune("1", variant: 2)
        turn(stage, to: 0, reach: 0...1)
        run(stage, at: 0) { warmed($0) == [1] }
        #expect(orders.variants == [.index(2)])
        stage.setSavesData(true)
        run(stage, at: 0, limit: .milliseconds(100)) { _ in false }
        // What was chosen by hand stays.
        #expect(orders.variants == [.index(2), .smallest])
        stage.tune("1")
        turn(stage, to: 1, reach: 0...1)
        run(stage, at: 1) { warmed($0) == [1, 2] }
        #expect(orders.variants == [.index(2), .smallest, .smallest, .smallest])
    }

    @Test func dataSaverPrefetchesNearClipsOnly() {
        let network = MeteredProvider(size: 1_000)
        let stage = Stage(network: network, decoders: [ScriptedDecoder()])
        defer { stage.pool.close() }
        let items = (0..<12).map { Item(id: "\($0)", url: "http://example.org/\($0).mp4") }
        stage.pool.prefetch(items)
        stage.setSavesData(true)
        stage.pool.prefetch(items)
        #expect(network.prefetched.map(\.count) == [12, 2] && network.savingReported == [true])
    }

    // MARK: Leaving and coming back

    @Test func leftPagePlaysSilentlyUntilOutOfView() {
        let output = TestOutput()
        let stage = Stage(audio: output, decoders: [ScriptedDecoder()])
        defer { stage.pool.close() }
        turn(stage, to: 0)
        run(stage, at: 0) { $0.position() > .milliseconds(500) && warmed($0).count >= 1 }
        let before = stage.pool.pictureIdentity(of: "0")?.mediaTime ?? .zero
        turn(stage, to: 1, slide: .milliseconds(200))
        let left = stage.now
        #expect(stage.events.all("audio").last == .audio(owner: "0", state: .silent, drift: nil))
        _ = stage.run(feed[1], limit: .milliseconds(190)) { _ in false }
        let during = stage.pool.pictureIdentity(of: "0")?.mediaTime ?? .zero
        #expect(during - before >= .milliseconds(150), "\(during - before)")
        _ = stage.run(feed[1], limit: .milliseconds(200)) { _ in false }
        let after = stage.pool.pictureIdentity(of: "0")?.mediaTime ?? .zero
        #expect(after - before <= .milliseconds(240), "\(after - before) after \(stage.now - left)")
        let voices = stage.events.all("audio").compactMap {
            if case .audio(let owner, .playing, _) = $0 { owner } else { nil }
        }
        #expect(voices.drop { $0 == "0" }.allSatisfy { $0 == "1" })
    }

    @Test func pulledPagePlaysSilentlyAndContinuesOnRelease() {
        let stage = Stage(audio: TestOutput(), decoders: [ScriptedDecoder()])
        defer { stage.pool.close() }
        turn(stage, to: 0)
        run(stage, at: 0) { $0.position() > .milliseconds(300) && warmed($0).count >= 2 }
        stage.peek("1")
        _ = stage.run(feed[0], limit: .milliseconds(300)) { _ in false }
        let peeked = stage.pool.pictureIdentity(of: "1")?.mediaTime ?? .zero
        #expect(peeked >= .milliseconds(240))
        #expect(stage.events.all("audio").allSatisfy { $0.encoding.item == "0" })
        // When it goes back, it stands still and restarts.
        stage.peek(nil)
        let stands = run(stage, at: 0, limit: .seconds(1)) { $0.pool.pictureIdentity(of: "1")?.mediaTime == .zero }
        #expect(stands)
        stage.peek("1")
        _ = stage.run(feed[0], limit: .milliseconds(300)) { _ in false }
        turn(stage, to: 1)
        stage.peek(nil)
        #expect(stage.events.all("claim").last == .claim(item: "1", index: nil, how: .pool))
        let heard = stage.run(feed[1], limit: .seconds(1)) { stage in
            stage.events.all("audio").contains(.audio(owner: "1", state: .playing, drift: .zero))
        }
        #expect(heard)
        #expect(stage.pool.pictureIdentity(of: "1")?.mediaTime ?? .zero > .milliseconds(240))
    }

    @Test func shortClipRewindsWhileOutOfViewAndRestartsOnReturn() {
        let stage = Stage(decoders: [ScriptedDecoder()])
        defer { stage.pool.close() }
        turn(stage, to: 0)
        run(stage, at: 0) { $0.position() > .milliseconds(900) }
        turn(stage, to: 1, slide: .milliseconds(150))
        let rewound = run(stage, at: 1, limit: .seconds(1)) { $0.pool.pictureIdentity(of: "0")?.mediaTime == .zero }
        #expect(rewound)
        stage.reports = []
        turn(stage, to: 0)
        run(stage, at: 0, limit: .milliseconds(200)) { _ in false }
        #expect(stage.position() < .milliseconds(300))
    }

    /// Before its beginning was made ready out of view.
    @Test func shortClipRestartsOnImmediateReturn() {
        let stage = Stage(decoders: [ScriptedDecoder()])
        defer { stage.pool.close() }
        turn(stage, to: 0)
        run(stage, at: 0) { $0.position() > .milliseconds(900) }
        turn(stage, to: 1, slide: .milliseconds(150))
        turn(stage, to: 0)
        run(stage, at: 0, limit: .milliseconds(300)) { _ in false }
        let place = stage.pool.pictureIdentity(of: "0")?.mediaTime ?? .zero
        #expect(place > .zero && place <= .milliseconds(300))
    }

    @Test(arguments: [1, 20]) func longClipResumesAfterOneOrFortyPages(pages: Int) throws {
        var script = ScriptedDecoder()
        script.duration = 61_000_000
        let stage = Stage(decoders: [script])
        defer { stage.pool.close() }
        turn(stage, to: 0)
        run(stage, at: 0) { $0.position() > .seconds(2) }
        turn(stage, to: pages)
        run(stage, at: pages) { warmed($0).count >= 6 }
        #expect((stage.pool.players["0"] == nil) == (pages == 20))
        stage.reports = []
        turn(stage, to: 0)
        let back = run(stage, at: 0) { $0.position() > .milliseconds(2_300) }
        #expect(back)
        let places: [Duration] = stage.reports.compactMap { if case .position(let time, _) = $0 { time } else { nil } }
        let first = try #require(places.first { $0 > .zero })
        #expect(first > .milliseconds(1_900) && first < .milliseconds(2_400), "\(first)")
    }

    /// What of a clip there is when the place comes at which it was left in an earlier session.
    enum Moment: CaseIterable { case unknown, opening, ready, playing }

    @Test(arguments: Moment.allCases) func longClipResumesWhereAnEarlierSessionLeftIt(moment: Moment) throws {
        var script = ScriptedDecoder()
        script.duration = 61_000_000
        let stage = Stage(decoders: [script])
        defer { stage.pool.close() }
        let place = Duration.seconds(30)
        if moment == .unknown { stage.resume(at: ["1": place]) }
        turn(stage, to: 0)
        let begun = run(stage, at: 0) {
            switch moment {
            case .unknown, .ready: warmed($0).contains(1)
            case .opening: $0.pool.players["1"]?.phase == .opening
            case .playing: $0.position() > .milliseconds(100)
            }
        }
        #expect(begun)
        // A clip that is playing already continues where it is.
        if moment == .playing { stage.resume(at: ["0": place]) }
        stage.resume(at: ["1": place])
        // It is not said twice.
        stage.resume(at: ["1": .seconds(7)])
        let there = run(stage, at: 0) { $0.pool.pictureIdentity(of: "1")?.mediaTime ?? .zero >= place }
        #expect(there, "its first picture is made before it is in view")
        stage.reports = []
        turn(stage, to: 1)
        let on = run(stage, at: 1) { $0.position() > place + .milliseconds(100) }
        #expect(on)
        #expect(stage.pool.place(of: "1", now: stage.now).map { $0 > place && $0 < place + .seconds(2) } == true)
    }

    /// A clip may be another one by now.
    @Test(arguments: [20_000_000, 65_000_000]) func placeBeyondAShortenedClipIsForgotten(
        duration: Microseconds
    ) {
        var script = ScriptedDecoder()
        script.duration = duration
        let stage = Stage(decoders: [script])
        defer { stage.pool.close() }
        stage.resume(at: ["0": .seconds(70)])
        turn(stage, to: 0)
        var times: [Duration] = []
        run(stage, at: 0, limit: .seconds(1)) {
            if let picture = $0.pool.pictureIdentity(of: "0") { times.append(picture.mediaTime) }
            return false
        }
        #expect(times.contains { $0 > .zero } && times.allSatisfy { $0 <= .seconds(1) }, "\(times)")
    }

    // MARK: Damaged pictures

    @Test(arguments: [true, false]) func onlyDamagedPictureIsShown(loop: Bool) {
        var damaged = ScriptedDecoder()
        damaged.damaged = .max
        // Fewer than are passed over.
        damaged.duration = 400_000
        let stage = Stage(loop: loop, decoders: [damaged])
        defer { stage.pool.close() }
        stage.play(feed[0])
        let shown = stage.run(feed[0], limit: .seconds(1)) {
            $0.pool.pictureIdentity(of: "0")?.isCorrupt == true
        }
        #expect(shown && stage.events.all("recover").isEmpty)
    }

    @Test func damagedPicturesDoNotTakeThePlaceOfAStill() {
        var dying = ScriptedDecoder(fault: .dies, after: 30)
        dying.hasAudio = false
        var damaged = ScriptedDecoder()
        damaged.damaged = 5
        let stage = Stage(decoders: [dying, damaged])
        defer { stage.pool.close() }
        stage.play(feed[0])
        _ = stage.run(feed[0]) { !$0.events.all("recover").isEmpty }
        var seen: [PictureIdentity] = []
        _ = stage.run(feed[0], limit: .milliseconds(500)) { stage in
            if let identity = stage.pool.pictureIdentity(of: "0"), identity != seen.last { seen.append(identity) }
            return false
        }
        #expect(!seen.isEmpty && !seen.contains { $0.isCorrupt } && !stage.lostPicture)
        // Where there are no others, they are shown.
        damaged.damaged = .max
        let other = Stage(decoders: [damaged])
        defer { other.pool.close() }
        other.play(feed[0])
        let shown = other.run(feed[0]) { $0.pool.pictureIdentity(of: "0")?.isCorrupt == true }
        #expect(shown)
    }
}
