import Model
import TestSupport

@testable import Engagement

/// A session that is drawn by chance, and what it came to by another reckoning than the tracker's.
///
/// People, pages and players move on a raster of 10 ms, and clips are cells of 5 ms, so that every speed plays whole
/// cells in a step: nothing is rounded, and results are compared without tolerance. Played cells are ticked off in a
/// bitmap; the tracker sees only signals. What passed since a clip's last report is set aside, and is thrown away where
/// the tracker's rules say so: after a gap or a jump of the clock, and on leaving where the clip may have stood.
final class SimulatedSession {
    private enum Kind: CaseIterable { case clip, loop, live, still, failed }

    /// The page of which enough is visible: it cannot be two.
    private struct Sight {
        var item: String
        var time = 0
        var isSeen = false
    }

    private static let step = 10
    private static let cell = 5
    private static let ids = ["a", "b", "c", "d"]

    private var random: SeededRandom
    private var tracker = Tracker()
    private(set) var found: [EngagementEvent] = []
    private(set) var expected: [EngagementEvent] = []
    /// The steps so far, for a test that fails.
    private(set) var story: [String] = []
    /// How often each thing was done.
    private(set) var deeds: [String: Int] = [:]

    // The world. Times are milliseconds.
    private var time = 0
    private var offset: Int
    private var signalled = 0
    private var hasJumped = false
    private var isSuspended = false
    private var isDeaf = false
    /// On the tracker's clock, in milliseconds.
    private var wake = Int.max
    private var sight: Sight?
    private var seen: Set<String> = []
    private var viewed: Set<String> = []
    private var loops: Bool
    /// Cells in a step.
    private var speed = 2

    /// The page that comes.
    private var coming = (kind: Kind.clip, cells: 0)

    // The page in view.
    private var item: String?
    private var kind = Kind.clip
    private var (cells, head) = (0, 0)
    private var (isPlaying, isStalled, hasEnded) = (false, false, false)
    /// Until it moves.
    private var wait = 0
    /// It stands without a report, or is about to stall: nothing is done to it before the next report.
    private var isHidden = false
    private var (sinceReport, interval) = (0, 0)

    // The reckoning of it.
    private var knowsDuration = false
    private var bitmap: [Bool] = []
    private var (ticked, watched, stalled, replays) = (0, 0, 0, 0)
    private var milestones: [Int] = []
    private var (wasSeen, hasStarted) = (false, false)
    /// The cells played since the last report; those of the first round are apart.
    private var aside: [Int] = []
    private var firstRound: Int?
    private var rounds = 0
    private var asideTime = 0
    private var runTime = 0
    private var (isKnown, isNew, isSure, isSpoiled) = (false, true, false, false)

    init(seed: UInt64) {
        random = SeededRandom(state: seed)
        offset = Int.random(in: 0...1_000_000, using: &random)
        loops = Bool.random(using: &random)
    }

    private var now: Duration { .milliseconds(offset + time) }
    private var isLong: Bool { kind == .live || cells >= 500 }
    private func duration(of cells: Int) -> Duration? { cells > 0 ? .milliseconds(cells * Self.cell) : nil }
    private var position: Duration { .milliseconds(head * Self.cell) }
    /// Whether the tracker has reason to think that the clip moves.
    private var isThoughtToMove: Bool {
        isPlaying && !isStalled && isKnown && !hasEnded && kind != .still && kind != .failed
    }

    // MARK: The session

    func run() {
        for _ in 0..<draw(1...3) {
            arrive()
            for _ in 0..<draw(0...5) where item != nil { act() }
            settleWorld()
        }
        signal(.finished, leaves: true)
    }

    private func draw(_ range: ClosedRange<Int>) -> Int { Int.random(in: range, using: &random) }
    private func chance(_ percent: Int) -> Bool { draw(1...100) <= percent }
    /// A length of time on the raster.
    private func span(_ range: ClosedRange<Int>) -> Int {
        draw((range.lowerBound / Self.step)...(range.upperBound / Self.step)) * Self.step
    }

    private func did(_ deed: String) {
        story.append("\(time): \(deed)")
        deeds[deed, default: 0] += 1
    }

    private func arrive() {
        let old = item
        let next = Self.ids.filter { $0 != old }[draw(0...2)]
        let (slides, share) = (chance(70), Double(draw(30...70)) / 100)
        if slides, let old { show([(old, 1 - share), (next, share)]) }
        let known = prepare()
        signal(.arrived(next, duration: known ? duration(of: coming.cells) : nil), leaves: true)
        begin(next)
        knowsDuration = known && cells > 0
        did("arrive \(kind)")
        if slides { pass(span(0...150)) }
        show([(next, 1)])
        if kind == .failed { return pass(span(0...600)) }
        if kind == .still { signal(.still(next)) }
        if chance(50) { wait = span(0...(chance(80) ? 400 : 1_500)) }
        play()
        // It begins to move with its first frame, or a little later.
        if !isLong || chance(70) { pass(wait) }
        if !isLong || chance(90) { start() }
        pass(span(0...300))
    }

    /// Draws the next page. Whether its duration is known before it is opened.
    private func prepare() -> Bool {
        let kind = Kind.allCases[draw(0...9) < 7 ? draw(0...1) : draw(2...4)]
        // Clips of 2.5 … 4 s, and tiny ones, which may loop several times between two reports.
        switch kind {
        case .clip, .loop: coming = (kind, chance(85) ? draw(500...800) : draw(8...80))
        case .live, .still, .failed: coming = (kind, 0)
        }
        return chance(50)
    }

    private func begin(_ next: String) {
        item = next
        (kind, cells) = coming
        // It continues where it was left, if that was far in.
        head = cells >= 560 && chance(20) ? draw(460...(cells - 80)) : 0
        (isPlaying, isStalled, hasEnded, wait, isHidden, sinceReport) = (false, false, false, 0, false, 0)
        interval = chance(80) ? 0 : 100
        bitmap = Array(repeating: false, count: cells)
        (ticked, watched, stalled, replays, milestones, hasStarted) = (0, 0, 0, 0, [], false)
        wasSeen = sight?.item == next && sight?.isSeen == true
        isKnown = head == 0
        isNew = true
        clear()
    }

    private func start() {
        guard let item else { return }
        note()
        hasStarted = true
        if isNew { clear() }
        signal(.firstFrame(item, how: .pool, sincePage: .milliseconds(7))) {
            $0.expect(.start(how: .pool, after: .milliseconds(7)))
        }
    }

    /// A person, a player or the machine does something; then time passes.
    private func act() {
        guard let item else { return }
        if hasEnded, chance(50) { play() }
        switch draw(0...13) {
        case 0, 1: togglePlay(item)
        case 2, 3: seek(item)
        case 4: changeSpeed()
        case 5: stall(item)
        case 6: suspend()
        case 7: jump()
        case 8: recover(item)
        case 9: hide()
        default: break
        }
        pass(span(0...(chance(30) ? 2_400 : 300)))
    }

    private func togglePlay(_ item: String) {
        guard kind != .failed else { return }
        guard isPlaying else { return play() }
        settleWorld()  // It may end meanwhile.
        guard isPlaying else { return }
        did("pause")
        // The report of where it stopped comes before or after, or not at all.
        let order = kind == .still ? 0 : draw(0...2)
        if order == 1 { report() }
        note()
        isPlaying = false
        signal(.paused(item))
        if order == 2 { report() }
        isDeaf = false
    }

    private func play() {
        guard let item else { return }
        did(hasEnded ? "play again" : "play")
        note()
        if hasEnded {
            if head * Self.cell <= 500 { replays += 1 }
            hasEnded = false
        }
        isPlaying = true
        isSure = false
        if !isLong { wait = 0 }
        hold(150)
        signal(.playing(item))
    }

    private func seek(_ item: String) {
        guard cells > 0 else { return }
        settleWorld()
        did("seek")
        confirm()
        head = chance(20) ? 0 : draw(0...(cells - 1))
        isKnown = true
        isNew = false
        if !isLong { wait = 0 }
        hold(300)
        signal(.sought(item, to: position))
    }

    private func changeSpeed() {
        settleWorld()
        guard isSure else { return }
        speed = speed % 4 + 1
        did("speed")
        isSure = false
        hold(150)
        signal(.speed(Double(speed) / 2))
    }

    private func stall(_ item: String) {
        guard isPlaying, kind != .failed else { return }
        settleWorld()
        guard isPlaying else { return }
        did("stall")
        if isLong, kind != .still {
            wait = span(0...100)
            isHidden = wait > 0
            pass(wait)
            isHidden = false
        }
        note()
        isStalled = true
        isSure = false
        signal(.stalled(item, true))
        pass(span(0...1_500))
        if chance(20) { return }
        note()
        isStalled = false
        isSure = false
        signal(.stalled(item, false))
    }

    private func suspend() {
        settleWorld()
        did("suspend")
        signal(.suspended)
        isSuspended = true
        pass(span(0...1_500))
        if chance(30) { offset += 100_000 }
        signal(.resumed)
        isSuspended = false
        isSure = false
        sight?.time = 0
        hold(150)
    }

    private func jump() {
        guard !isDeaf else { return }
        did("jump")
        signal(.tick)
        offset += chance(50) ? draw(1_200...50_000) : -draw(20_000...50_000)
        hasJumped = true
    }

    private func recover(_ item: String) {
        guard isPlaying, kind == .clip || kind == .loop else { return }
        settleWorld()
        guard isPlaying else { return }
        did("recover")
        confirm()
        isKnown = false
        head = max(0, head - draw(0...20))
        wait = span(0...600)
        signal(.recovering(item))
    }

    /// It stands, without a report.
    private func hide() {
        settleWorld()
        guard isThoughtToMove, isSure, wait == 0, isLong else { return }
        did("hide")
        wait = span(250...600)
        isHidden = true
    }

    private func hold(_ limit: Int) { wait = isLong && chance(60) ? max(wait, span(0...limit)) : wait }

    /// Lets time pass until the player and the loop answer again.
    private func settleWorld() {
        var left = 3_000
        while isDeaf || isHidden, left > 0 {
            pass(Self.step)
            left -= 1
        }
        precondition(left > 0, "the clip never reports")
    }

    // MARK: Time

    private func pass(_ length: Int) {
        var left = length
        while left > 0 {
            tick()
            left -= Self.step
        }
    }

    private func tick() {
        time += Self.step
        if isSuspended { return }
        if isThoughtToMove { runTime += Self.step }
        if isPlaying, !isStalled, !hasEnded, kind != .still, kind != .failed {
            if wait > 0 { wait -= Self.step } else { move() }
        }
        if wake <= offset + time, !isDeaf { signal(.tick) }
    }

    private func move() {
        if cells > 0, !loops, kind != .loop, head + speed > cells { return end() }
        var left = speed
        // The cells of a live clip are not counted.
        if cells == 0 { (head, left) = (head + speed, 0) }
        while left > 0 {
            left -= 1
            if isKnown { aside.append(head) }
            head += 1
            guard head == cells, loops || kind == .loop else { continue }
            head = 0
            if firstRound == nil { firstRound = aside.count }
            rounds += 1
        }
        if isKnown { asideTime += Self.step }
        sinceReport += Self.step
        if sinceReport >= interval { report() }
    }

    private func report() {
        guard let item else { return }
        isDeaf = false
        signal(.position(item, position, duration: duration(of: cells))) { $0.count() }
        isHidden = false
        sinceReport = 0
        interval = chance(90) ? 100 : chance(80) ? span(10...400) : span(900...1_500)
        isDeaf = interval >= 900 && chance(50)
    }

    private func end() {
        guard let item else { return }
        // The rest of this step is not played: the clip ended a few cells before its duration.
        runTime -= isThoughtToMove ? Self.step : 0
        time -= Self.step
        did("end")
        report()
        isDeaf = false
        for cell in head..<cells { tickOff(cell) }
        hasEnded = true
        isPlaying = false
        isSure = false
        head = 0
        signal(.ended(item))
    }

    // MARK: The reckoning

    private func clear() {
        aside.removeAll(keepingCapacity: true)
        (firstRound, rounds, asideTime, runTime, isSure, isSpoiled) = (nil, 0, 0, 0, false, false)
    }

    private func tickOff(_ cell: Int) {
        guard cell < cells, !bitmap[cell] else { return }
        bitmap[cell] = true
        ticked += 1
    }

    private var mayCount: Bool { isKnown && !isSpoiled && runTime > 0 && runTime <= 1_000 }

    /// A report has come.
    private func count() {
        if mayCount {
            for cell in aside { tickOff(cell) }
            watched += asideTime
            replays += rounds
        }
        clear()
        isKnown = true
        isNew = false
        isSure = true
        knowsDuration = cells > 0
    }

    /// No report will come of the cells set aside. A round that has begun in them does not count.
    private func confirm() {
        note()
        if mayCount, isSure {
            for cell in aside[..<(firstRound ?? aside.count)] { tickOff(cell) }
            watched += asideTime
        }
        clear()
    }

    /// The effects of time itself, whatever the next signal is.
    private func note() {
        let passed = time - signalled
        let isClear = !hasJumped && passed <= 1_000
        signalled = time
        defer { hasJumped = false }
        guard !isSuspended else { return }
        if !isClear, isThoughtToMove { isSpoiled = true }
        if isClear, isPlaying, isStalled { stalled += passed }
        if isClear, isPlaying, !isStalled, kind == .still, hasStarted { watched += passed }
        guard let sight, !sight.isSeen else { return }
        self.sight?.time = isClear ? sight.time + passed : 0
        guard isClear, sight.time + passed >= 300 else { return }
        self.sight?.isSeen = true
        if sight.item == item { wasSeen = true }
        let isFirst = seen.insert(sight.item).inserted
        let at = now - .milliseconds(sight.time + passed - 300)
        expected.append(EngagementEvent(item: sight.item, at: at, what: isFirst ? .impression : .again))
    }

    private func hasPlayed(_ percent: Int) -> Bool { knowsDuration && ticked * 100 >= cells * percent }

    private func expect(_ what: EngagementEvent.What) {
        guard let item else { return }
        expected.append(EngagementEvent(item: item, at: now, what: what))
    }

    private func expectProgress() {
        guard let item else { return }
        if watched >= 2_000, viewed.insert(item).inserted { expect(.view(watched: .milliseconds(watched))) }
        let percents = [25, 50, 75, 95]
        while milestones.count < 4, hasPlayed(percents[milestones.count]) {
            expect(.milestone(percents[milestones.count]))
            milestones.append(percents[milestones.count])
        }
    }

    private func expectEnding() {
        confirm()
        expectProgress()
        let hasBegun = hasStarted || watched > 0
        guard hasBegun || wasSeen else { return }
        let completion = knowsDuration ? Duration.milliseconds(ticked) / .milliseconds(cells) : 0
        let hasSkipped = hasBegun && knowsDuration && !hasPlayed(80)
        if hasSkipped { expect(.skip(completion: completion)) }
        expect(
            .summary(
                EngagementEvent.Summary(
                    watchTime: .milliseconds(watched), completion: completion, milestones: milestones,
                    replays: replays, hasSkipped: hasSkipped, stallTime: .milliseconds(stalled))))
    }

    // MARK: To the tracker

    private func signal(
        _ signal: Tracker.Signal, leaves: Bool = false, applies: (SimulatedSession) -> Void = { _ in }
    ) {
        note()
        if leaves { expectEnding() }
        applies(self)
        found += tracker.note(signal, now: now)
        if leaves { item = nil } else { expectProgress() }
        wake = tracker.nextWake(after: now).map { Int($0.microseconds / 1_000) } ?? .max
    }

    private func show(_ pages: [(item: String, share: Double)]) {
        signal(.visible(pages))
        let near = pages.first { $0.share >= 0.6 }?.item
        if near != sight?.item { sight = near.map { Sight(item: $0) } }
    }
}
