import Bytes
import Foundation
import Model
import Synchronization
import TestSupport
import Testing
import Wire

@testable import Player

/// A decoder in the hands of a file's author cannot crash, hang or fill flick, nor keep it from its keys.
@Suite(.serialized) @MainActor struct HostileDecoderTests {
    @Test func thereAreSixtyWaysToMisbehave() {
        #expect(Misdeed.all.count >= 60)
        #expect(Set(Misdeed.all.map(\.name)).count == Misdeed.all.count)
    }

    @Test(arguments: Misdeed.all) func isEndedOrBorne(misdeed: Misdeed) throws {
        let ordeal = try Ordeal(decoders: [misdeed.decoder])
        defer { ordeal.close() }
        switch misdeed.end {
        case .replaced(let cause):
            let isReplaced = ordeal.run(limit: .seconds(8)) { !$0.recoveries.isEmpty }
            #expect(isReplaced)
            #expect(ordeal.recoveries.first == cause.word)
            // The next decoder is an honest one, and plays.
            let plays = ordeal.run(limit: .seconds(8)) { $0.hasPlayed(.milliseconds(80)) }
            #expect(plays)
            #expect(ordeal.recoveries.count == 1)
        case .failed:
            let hasFailed = ordeal.run(limit: .seconds(8)) { $0.failure != nil }
            #expect(hasFailed && ordeal.recoveries.isEmpty)
        case .borne:
            _ = ordeal.run(limit: .milliseconds(200)) { _ in false }
            #expect(ordeal.recoveries.isEmpty && ordeal.failure == nil, "\(ordeal.words)")
        }
        let areGone = ordeal.run(limit: .seconds(8)) { $0.decodersEnding == 0 }
        #expect(areGone, "its descriptors and memory are let go of")
        ordeal.expectBounds()
    }

    /// Arbitrary messages in arbitrary order, while a user presses keys.
    @Test(arguments: [UInt64(7), 8, 9]) func randomMessagesAreHandledOrEndTheDecoder(seed: UInt64) throws {
        let seconds = ProcessInfo.processInfo.environment["FLICK_FUZZ_SECONDS"].flatMap(Double.init) ?? 4
        let next = Atomic(seed << 32)
        let ordeal = try Ordeal {
            let seed = next.add(1, ordering: .relaxed).newValue
            return HostileDecoder { try RandomMessages(seed: seed).send(to: $0) }
        }
        defer { ordeal.close() }
        var user = SeededRandom(state: seed)
        _ = ordeal.run(limit: .seconds(seconds / 3)) { ordeal in
            ordeal.use(&user)
            return false
        }
        // Enough lives that most misdeeds have been seen; on a busy machine they take longer.
        let sawMost = ordeal.run(limit: .seconds(30)) { ordeal in
            ordeal.use(&user)
            return ordeal.decodersStarted > 10
        }
        #expect(sawMost)
        ordeal.expectBounds()
    }

    @Test func previewAndProbeEndWhatBrowsingEnds() throws {
        let folder = TemporaryFolder()
        let file = try folder.write("clip", Array(repeating: 7, count: 300_000))
        let surface = SurfaceRequest(generation: 1, width: 64, height: 48, fit: .fill)
        // Those that only say nothing cost the patience of each.
        let deeds = Misdeed.all.filter { [.replaced(.wire), .replaced(.worker), .failed].contains($0.end) }
        for deed in deeds where !Misdeed.harmlessInPreview.contains(deed.name) {
            let run = LinearDecode(
                try deed.decoder.start(), url: "file://" + file, pictures: surface, start: .zero,
                bytes: .files)
            let began = ContinuousClock.now
            #expect(throws: (any Error).self, "\(deed.name)") {
                for _ in 0..<100_000 {
                    switch try run.next() {
                    case .picture(let header): try run.withPicture(header) { _ in }
                    case .opened: continue
                    case .ended: throw PlaybackError(why: "over")
                    }
                }
            }
            #expect(ContinuousClock.now - began < .seconds(5), "\(deed.name)")
        }
    }

    /// Its output goes to a pager, say.
    @Test func previewWaitsForItsReader() throws {
        let (clock, isBack) = (ManualClock(), DispatchSemaphore(value: 0))
        let run = LinearDecode(
            try HostileDecoder { hand in
                try hand.open()
                isBack.wait()
                try hand.send(.buffered(serial: 0, until: 1_000_000))
                try hand.picture()
                try hand.hearAll()
            }.start(), url: "file:///x", pictures: SurfaceRequest(generation: 1, width: 64, height: 48, fit: .fill),
            start: .zero, bytes: .files, now: { clock.now })
        guard case .opened = try run.next() else { throw PlaybackError(why: "not opened") }
        clock.advance(by: SilenceLimits.longest * 2)
        isBack.signal()
        guard case .picture = try run.next() else { throw PlaybackError(why: "no picture") }
    }

    @Test func previewReportsWhyNoDecoderStarts() throws {
        let surface = SurfaceRequest(generation: 1, width: 64, height: 48, fit: .fill)
        let run = try LinearDecode(
            url: "file:///x", pictures: surface, start: .zero, decoderPath: "/no/such/decoder",
            bytes: .files)
        #expect(throws: WireError.system(call: "posix_spawn", code: ENOENT)) { _ = try run.next() }
    }

    /// It gets further all the time, and nowhere.
    @Test func runEndsAtItsTimeLimit() throws {
        let folder = TemporaryFolder()
        let file = try folder.write("clip", Array(repeating: 7, count: 300_000))
        let began = ContinuousClock.now
        let run = LinearDecode(
            try HostileDecoder { hand in
                try hand.greet()
                try hand.source()
                while ContinuousClock.now - began < .seconds(10) {
                    try hand.send(.read(id: 1, offset: 0, count: 1 << 16))
                    try hand.hear { if case .data = $0 { true } else { false } }
                }
            }.start(), url: "file://" + file, pictures: nil, start: .zero, bytes: .files,
            limit: .milliseconds(200))
        #expect(throws: WireError.silent) { _ = try run.next() }
    }

    @Test func previewReplacesASilentDecoderWhereItStopped() throws {
        let started = Mutex(0)
        let run = try LinearDecode(
            url: "file:///x", pictures: SurfaceRequest(generation: 1, width: 64, height: 48, fit: .fill),
            bytes: .files, silence: SilenceLimits([.milliseconds(50), .milliseconds(50), .seconds(10)])
        ) { () throws(WireError) in
            let number = started.withLock { count in
                count += 1
                return count
            }
            let decoder = HostileDecoder { hand in
                // The first sends nothing; the second stops after its second picture.
                if number == 1 { try hand.hearAll() }
                try hand.open()
                for picture in 0..<(number == 2 ? 2 : 4) {
                    try hand.picture(slot: UInt32(picture), pts: Microseconds(picture) * 40_000)
                }
                if number == 2 { try hand.hearAll() }
                try hand.send(.ended(serial: 0))
                try hand.hearAll()
            }
            do { return try decoder.start() } catch { throw .closed }
        }
        var (openings, times): (Int, [Microseconds]) = (0, [])
        steps: while true {
            switch try run.next() {
            case .opened: openings += 1
            case .picture(let header):
                try run.withPicture(header) { _ in }
                times.append(header.mediaTime)
            case .ended: break steps
            }
        }
        #expect(openings == 1)
        #expect(times == [0, 40_000, 80_000, 120_000])
        #expect(started.withLock(\.self) == 3)
    }

    /// With the limits that are in force without options, and real processes.
    @Test func probeReplacesADecoderThatIsSilentFor1500Milliseconds() throws {
        #expect(SilenceLimits().current == .milliseconds(1_500))
        let folder = TemporaryFolder()
        let clip = try folder.write("silent-once.mp4", [7])
        let began = ContinuousClock.now
        let run = try LinearDecode(
            url: FileURL.url(path: clip.utf8), pictures: nil, start: .zero,
            decoderPath: FlickBinary.sibling("flick-hostile-decoder"), bytes: .files)
        guard case .opened(let info) = try run.next() else { throw PlaybackError(why: "not opened") }
        let took = ContinuousClock.now - began
        #expect(info.container == "hostile")
        #expect(took >= .milliseconds(1_500) && took < SilenceLimits.longest, "\(took)")
    }

    @Test func previewEndsASilentDecoder() throws {
        let run = LinearDecode(
            try HostileDecoder { try $0.hearAll() }.start(), url: "file:///x", pictures: nil, start: .zero,
            bytes: .files, patience: .milliseconds(50))
        #expect(throws: WireError.silent) { _ = try run.next() }
    }
}

/// flick's side of a hostile decoder: a pool that plays one clip, with time as it is, and what that costs.
@MainActor
private final class Ordeal {
    private(set) var recoveries: [String] = []
    private(set) var failure: String?
    private(set) var words: [String] = []
    private let pool: PlayerPool
    private let woken = DispatchSemaphore(value: 0)
    private let start = ContinuousClock.now
    private let started: Count
    private let folder = TemporaryFolder()
    private let item: Item
    private var positions: [Duration] = []
    private var longestPass = Duration.zero
    private let memoryBefore: Int
    private var maxMemory = 0

    private final class Count: Sendable {
        let value = Atomic(0)
    }

    private var now: Duration { .now - start }
    var decodersEnding: Int { pool.decodersEnding }
    var decodersStarted: Int { started.value.load(ordering: .relaxed) }

    /// - Parameter decoders: in turn; behind them come honest ones.
    convenience init(decoders: [HostileDecoder]) throws {
        let left = Mutex(decoders)
        try self.init { left.withLock { $0.isEmpty ? nil : $0.removeFirst() } }
    }

    /// - Parameter next: the next decoder; nil is an honest one.
    init(next: @escaping @Sendable () throws -> HostileDecoder?) throws {
        let started = Count()
        let woken = woken
        self.started = started
        item = Item(id: "a", url: "file://" + (try folder.write("clip", Array(repeating: 7, count: 300_000))))
        memoryBefore = Ordeal.memory
        pool = PlayerPool(
            options: PlayerPool.Options(
                decoderPath: "", loop: false, idleDecoders: 0,
                spawn: {
                    started.value.add(1, ordering: .relaxed)
                    return try next()?.start() ?? ScriptedDecoder().start()
                }),
            bytes: .files, audio: TestOutput(), wake: { woken.signal() })
        note(pool.setSurface(SurfaceRequest(generation: 0, width: 64, height: 48, fit: .fill), now: now))
        note(pool.play(item, now: now))
    }

    private func note(_ events: [PlayerEvent]) {
        for event in events {
            switch event {
            case .playback(_, .recovering(let check, _, let why)):
                recoveries.append(check)
                words.append(why)
            case .trace(.gaveUp): failure = failure ?? "gave up"
            case .report(_, .failed(let why, let advice, let detail)):
                failure = why
                words += [why, advice, detail]
            case .report(_, .opened(let facts)): words.append(facts.container)
            case .report(_, .position(let time, _)): positions.append(time)
            default: break
            }
        }
    }

    func hasPlayed(_ time: Duration) -> Bool { positions.contains { $0 >= time } }

    /// Runs the loop as `Browser` does until `done`, and measures how long it is held up.
    func run(limit: Duration, until done: (Ordeal) -> Bool) -> Bool {
        let end = now + limit
        while now < end {
            pass {
                note(pool.advance(now: now))
                if let picture = pool.withPicture(of: item.id, { _, identity in identity }) {
                    note(pool.pictureShown(of: item.id, picture, now: now, bytes: 0, cells: 0, took: .zero))
                }
            }
            if done(self) { return true }
            let due = min(pool.nextWake(now: now) ?? end, now + .milliseconds(20), end)
            _ = woken.wait(timeout: .now() + .microseconds(Int(max(0, (due - now) / .microseconds(1)))))
        }
        return false
    }

    /// A key of a user who tries them all.
    func use(_ random: inout SeededRandom) {
        let time = Duration.milliseconds(Int.random(in: -1_000...6_000, using: &random))
        let surface = SurfaceRequest(
            generation: 0, width: .random(in: 1...300, using: &random), height: .random(in: 1...200, using: &random),
            fit: .fill)
        pass {
            switch Int.random(in: 0..<40, using: &random) {
            case 0: note(pool.seek(item.id, to: time, now: now))
            case 1: note(pool.preview(item.id, to: time, now: now))
            case 2: note(pool.pause(item.id, now: now))
            case 3: note(pool.play(item, now: now))
            case 4: note(pool.step(item.id, by: .random(in: -3...3, using: &random), now: now))
            case 5: note(pool.setSpeed(.random(in: 0.1...5, using: &random), now: now))
            case 6: note(pool.setVolume(.random(in: 0...1, using: &random), now: now))
            case 7: note(pool.setSurface(surface, now: now))
            case 8: note(pool.setLoop(.random(using: &random), now: now))
            default: break
            }
            if failure != nil {
                failure = nil
                note(pool.retry(item, now: now))
            }
        }
    }

    /// One pass of the loop: the keyboard waits as long. Other programs on the machine do not count.
    private func pass(_ body: () -> Void) {
        let before = ThreadTime.used
        body()
        longestPass = max(longestPass, ThreadTime.used - before)
        maxMemory = max(maxMemory, Ordeal.memory)
    }

    func expectBounds() {
        #expect(longestPass < .milliseconds(50))
        #expect(maxMemory - memoryBefore <= 64 << 20, "flick grew by \((maxMemory - memoryBefore) >> 20) MB")
        for text in words {
            #expect(!text.unicodeScalars.contains { $0.properties.generalCategory == .control }, "\(text)")
            #expect(text.unicodeScalars.count <= 500)
        }
    }

    func close() {
        let began = ContinuousClock.now
        pool.close()
        #expect(ContinuousClock.now - began < .seconds(2))
    }

    /// In bytes. The rings are shared, and a decoder's own.
    private static var memory: Int {
        do {
            return try ProcessTable.ownMemory(of: getpid())
        } catch {
            Issue.record("flick's memory cannot be read: \(error)")
            return 0
        }
    }
}

extension Misdeed {
    /// What `LinearDecode` has no reason to end: it takes neither sound nor generations,
    /// seeks and slots into account, and ends with the first end that is reported.
    static let harmlessInPreview: Set = [
        "sends more sound than it may", "leaves a second of silence behind every frame of sound",
        "sends two pictures in one slot", "sends a picture of a size that is not requested yet",
        "sends sound before the clip is open", "sends a picture before the clip's beginning",
        "sends a picture that lasts less than nothing",
    ]
}

extension Misdeed.RecoveryCauses {
    var word: String { self == .firstFrame ? "first_frame" : rawValue }
}
