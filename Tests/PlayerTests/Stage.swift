import Audio
import Bytes
import Foundation
import Model
import Synchronization
import TestSupport
import Testing
import Wire

@testable import Player

/// A pool in the hands of a test, which drives it as the main loop does and hears what it reports.
///
/// With scripted decoders time is manual: it moves on only when no decoder has anything more to send, so that a busy
/// machine changes nothing. With the real decoder, whose work cannot be waited for, time is real.
@MainActor
final class Stage {
    var reports: [PlayerReport] = []
    private(set) var notices: [String] = []
    private(set) var avatars: Set<String> = []
    /// The sizes of seek stills, as they were reported.
    private(set) var seekStills: [PixelSize] = []
    let events = EventLog()
    let pool: PlayerPool
    /// A picture was there, and then there was none.
    private(set) var lostPicture = false
    /// Whether pictures that are drawn reach the terminal.
    var showsPictures = true
    /// Time passes in steps of at least this: more than a millisecond is a loop that is held up.
    var shortestStep = Duration.milliseconds(1)

    private let clock = ManualClock()
    private let isManual: Bool
    private let start = ContinuousClock.now
    private let woken = DispatchSemaphore(value: 0)
    private let wakes = WakeCount()
    private let network: MeteredProvider?
    private let decoders = StartedDecoders()
    private var shown: Set<PictureIdentity> = []
    /// The item that was played last.
    private var current: Item?

    var now: Duration { isManual ? clock.now : ContinuousClock.now - start + clock.now }

    /// - Parameter decoders: are started in turn, the last again and again; none: the real one.
    /// - Parameter network: where all bytes come from; nil: from `provider`, and there is no network.
    /// - Parameter spawn: how to start a decoder, for tests that do not run the loop.
    init(
        audio: (any SoundOutput)? = nil, loop: Bool = true, idleDecoders: Int = 0,
        provider: any ByteProvider = FileProvider(), network: MeteredProvider? = nil,
        decoders: [ScriptedDecoder] = [],
        spawn: (@Sendable () throws -> DecoderProcess)? = nil,
        prefetch: PlayerPool.Prefetch = .init(), soundLanguages: [String] = [], soundLevel: Double? = nil
    ) {
        let (woken, wakes, started) = (woken, wakes, self.decoders)
        isManual = !decoders.isEmpty
        self.network = network
        var spawn = spawn
        if isManual { spawn = ScriptedDecoder.inTurn(decoders) { started.add($0, $1) } }
        if isManual, let audio = audio as? TestOutput { audio.follow(clock) }
        var options = PlayerPool.Options(
            decoderPath: Stage.decoderPath, loop: loop, idleDecoders: idleDecoders, spawn: spawn)
        options.prefetch = prefetch
        options.soundLanguages = soundLanguages
        options.soundLevel = soundLevel
        pool = PlayerPool(
            options: options, bytes: network.map { MediaBytes(network: $0) } ?? MediaBytes(local: provider),
            audio: audio,
            wake: {
                wakes.add()
                woken.signal()
            })
        note(pool.setSurface(SurfaceRequest(generation: 0, width: 64, height: 48, fit: .fill), now: now))
    }

    private func note(_ events: [PlayerEvent]) {
        for event in events {
            if let traced = event.traceEvent { self.events.add(traced) }
            switch event {
            case .report(_, let report): reports.append(report)
            case .avatars(let addresses): avatars = addresses
            case .seekStill(_, let size): seekStills.append(size)
            case .notice(let text): notices.append(text)
            case .playback, .trace: break
            }
        }
    }

    // MARK: What is wanted

    /// - Parameter slide: how long the page that is left slides out of view.
    func play(_ item: Item, slide: Duration = .zero) {
        current = item
        note(pool.play(item, slideEnd: now + slide, now: now))
    }
    func peek(_ id: Item.ID?) { note(pool.peek(id, now: now)) }
    func wantSeekStill(of item: Item, at place: Duration) {
        note(pool.wantSeekStill(of: item, at: place, now: now))
    }
    func pause(_ id: Item.ID) { note(pool.pause(id, now: now)) }
    func seek(_ id: Item.ID, to time: Duration) { note(pool.seek(id, to: time, now: now)) }
    func preview(_ id: Item.ID, to time: Duration) { note(pool.preview(id, to: time, now: now)) }
    func step(_ id: Item.ID, by count: Int) { note(pool.step(id, by: count, now: now)) }
    func retry(_ item: Item) { note(pool.retry(item, now: now)) }
    func wantStills(_ items: [Item], current: Int = 0) {
        note(pool.wantStills(of: items.enumerated().map { ($0.element, $0.offset - current) }))
    }
    /// The pages after the one in view; none: the feed is empty.
    func keepWarm(_ items: [Item]) {
        let all = items.isEmpty ? [] : [current].compactMap(\.self) + items
        note(pool.keepWarm(all.enumerated().map { PlayerPool.Page(index: $0, item: $1) }, around: 0, now: now))
    }
    func keepWarm(_ pages: [PlayerPool.Page], around index: Int) {
        note(pool.keepWarm(pages, around: index, now: now))
    }
    func withdraw(_ ids: Set<Item.ID>) { note(pool.withdraw(where: { ids.contains($0.id) }, now: now)) }
    func resume(at places: [Item.ID: Duration]) { note(pool.resume(at: places, now: now)) }
    func openAhead(isMoving: Bool = false) { note(pool.openAhead(now: now, isMoving: isMoving)) }
    func startDecodersAhead() { note(pool.startDecodersAhead(now: now)) }
    func chooseSound(_ id: Item.ID, _ track: Int) { note(pool.chooseSound(id, track, now: now)) }
    func chooseText(_ id: Item.ID, _ track: Int?) { note(pool.chooseText(id, track, now: now)) }
    func tune(_ id: Item.ID, variant: Int? = nil, audioDelay: Duration = .zero) {
        var tuning = ClipTuning()
        (tuning.variant, tuning.audioDelay) = (variant, audioDelay)
        note(pool.tune(id, tuning, now: now))
    }
    func setSavesData(_ savesData: Bool) { note(pool.setSavesData(savesData, now: now)) }
    func repeatPart(_ id: Item.ID, _ part: Range<Duration>?) { note(pool.repeatPart(id, part, now: now)) }
    func setSpeed(_ speed: Double) { note(pool.setSpeed(speed, now: now)) }
    func setVolume(_ volume: Double) { note(pool.setVolume(volume, now: now)) }
    func resize() {
        note(pool.setSurface(SurfaceRequest(generation: 0, width: 32, height: 24, fit: .fill), now: now))
    }
    func advance() { note(pool.advance(now: now)) }
    var nextWake: Duration? { pool.nextWake(now: now) }

    /// Whether nothing is to be done unless the user acts or a decoder sends something. An open decoder
    /// is still looked at three times a minute, and the provider is informed once that the user stays.
    var wantsNoWake: Bool {
        nextWake.map { $0 == ProcessorWatch.nextWake(after: now) || $0 == pool.stay.nextWake } ?? true
    }

    /// How often the pool asked for the loop to come round.
    var wakeCount: Int { wakes.count }

    /// Whether the pool asks for the loop to come round once `body` was done, which it does not see otherwise.
    func isWoken(by body: () -> Void) -> Bool {
        waitUntilQuiet()
        let before = wakeCount
        body()
        // A bound for what is broken, as in `waitUntilQuiet`.
        let end = ContinuousClock.now + .seconds(10)
        while wakeCount == before, ContinuousClock.now < end { _ = woken.wait(timeout: .now() + .milliseconds(1)) }
        return wakeCount > before
    }

    // MARK: Time

    /// Lets time pass in which the loop does not come round.
    func skip(_ time: Duration) { clock.advance(by: time) }

    /// Runs the loop until `done`, at most for `limit`; whether it came to that.
    func run(_ item: Item, limit: Duration = .seconds(10), until done: (Stage) -> Bool) -> Bool {
        let end = now + limit
        while true {
            comeRound(item)
            if done(self) { return true }
            guard now < end else { return false }
            let due = min(pool.nextWake(now: now) ?? end, now + .milliseconds(100), end)
            if isManual {
                clock.advance(by: max(due - now, shortestStep))
            } else {
                _ = woken.wait(timeout: .now() + .microseconds(Int(max(0, (due - now) / .microseconds(1)))))
            }
        }
    }

    /// Once round the loop. With manual time again and again, until nothing more comes at this moment.
    private func comeRound(_ item: Item) {
        for _ in 0..<10_000 {
            waitUntilQuiet()
            let before = received
            advance()
            let picture = pool.withPicture(of: item.id) { _, identity in identity }
            if picture == nil, !shown.isEmpty { lostPicture = true }
            if let picture, showsPictures, shown.insert(picture).inserted {
                note(pool.pictureShown(of: item.id, picture, now: now, bytes: 0, cells: 0, took: .zero))
            }
            guard isManual else { return }
            waitUntilQuiet()
            if received == before { return }
        }
        Issue.record("the decoders send on and on")
    }

    /// What came from each decoder so far.
    private var received: [Int] { pool.decodersInUse.map(\.traffic.received).sorted() }

    private func waitUntilQuiet() {
        guard isManual else { return }
        // A bound for what is broken; it does not come into play otherwise.
        let end = ContinuousClock.now + .seconds(60)
        while !isQuiet {
            guard ContinuousClock.now < end else {
                Issue.record("the decoders do not come to rest")
                return
            }
            _ = woken.wait(timeout: .now() + .milliseconds(1))
        }
    }

    /// Whether nothing more comes from any decoder before the test or time does something.
    private var isQuiet: Bool {
        let handles = pool.decodersInUse
        guard handles.allSatisfy(hasNothingToSay) else { return false }
        let served = handles.count { $0.isServed && !$0.hasEnded }
        guard served == 0 || served == network?.stuckReads else { return false }
        // Bytes may have been answered since the messages were counted.
        return !handles.contains(where: \.isAnswering) && handles.allSatisfy(hasNothingToSay)
    }

    private func hasNothingToSay(_ handle: DecoderHandle) -> Bool {
        if handle.hasEnded { return true }
        guard let progress = decoders.progress(of: handle), !progress.isOver else { return false }
        let traffic = handle.traffic
        return progress.handled == traffic.sent && progress.sent == traffic.received
    }

    func position() -> Duration {
        for case .position(let time, _) in reports.reversed() { return time }
        return .zero
    }

    // MARK: Real decoders

    nonisolated static let decoderPath = URL(fileURLWithPath: FlickBinary.path).deletingLastPathComponent()
        .appendingPathComponent("flick-decoder").path

    nonisolated static let clip = made(tone: 440)
    nonisolated static let otherClip = made(tone: 1_320)

    /// Six seconds with a sound of 440 Hz in German, and one of 1,320 Hz in English.
    nonisolated static let clipOfTwoSounds: URL? = {
        let file = FileManager.default.temporaryDirectory.appendingPathComponent("flick-pool-\(getpid())-two.mkv")
        // `try?`: without ffmpeg there is no clip, and the tests that need one say so.
        let made = try? Command.run(
            ["ffmpeg", "-v", "error", "-y", "-f", "lavfi", "-i", "testsrc2=size=640x360:rate=30:duration=6"]
                + ["-f", "lavfi", "-i", "sine=frequency=440:duration=6"]
                + ["-f", "lavfi", "-i", "sine=frequency=1320:duration=6", "-map", "0", "-map", "1", "-map", "2"]
                + ["-metadata:s:a:0", "language=ger", "-metadata:s:a:1", "language=eng"]
                + ["-pix_fmt", "yuv420p", "-g", "60", file.path])
        return made?.status == 0 ? file : nil
    }()

    private nonisolated static func made(tone: Int) -> URL? {
        let file = FileManager.default.temporaryDirectory.appendingPathComponent("flick-pool-\(getpid())-\(tone).mp4")
        // Without ffmpeg there is no clip, and the tests that need one say so.
        let made = try? Command.run(
            ["ffmpeg", "-v", "error", "-y", "-f", "lavfi", "-i", "testsrc2=size=320x240:rate=30:duration=6"]
                + ["-f", "lavfi", "-i", "sine=frequency=\(tone):duration=6", "-pix_fmt", "yuv420p", file.path])
        return made?.status == 0 ? file : nil
    }
}

/// The scripted decoders of a stage, found by their memory.
private final class StartedDecoders: Sendable {
    private let all = Mutex<[(ring: PictureRing, progress: ScriptedDecoder.Progress)]>([])

    func add(_ process: DecoderProcess, _ progress: ScriptedDecoder.Progress) {
        all.withLock { $0.append((process.ring, progress)) }
    }

    func progress(of handle: DecoderHandle) -> ScriptedDecoder.Progress? {
        all.withLock { $0.first { $0.ring === handle.ring }?.progress }
    }
}

private final class WakeCount: Sendable {
    private let value = Mutex(0)
    func add() { value.withLock { $0 += 1 } }
    var count: Int { value.withLock(\.self) }
}

final class EventLog: Sendable {
    private let events = Mutex<[TraceEvent]>([])
    func add(_ event: TraceEvent) { events.withLock { $0.append(event) } }
    func all(_ name: String) -> [TraceEvent] { events.withLock { $0.filter { $0.encoding.name == name } } }
}
