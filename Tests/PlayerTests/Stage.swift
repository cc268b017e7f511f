import Audio
import Bytes
import Foundation
import Model
import Synchronization
import TestSupport
import Wire

@testable import Player

/// A pool on real decoders and real time, driven as the main loop drives it. It needs the built decoder and ffmpeg for a clip.
@MainActor
final class Stage {
    var reports: [PlayerReport] = []
    var notices: [String] = []
    let events = EventLog()
    private(set) var pool: PlayerPool!
    private let woken = DispatchSemaphore(value: 0)
    private let start = ContinuousClock.now
    /// A picture was there, and then there was none.
    private(set) var lostPicture = false
    private var shown: Set<PictureIdentity> = []

    private var skipped = Duration.zero

    var now: Duration { ContinuousClock.now - start + skipped }

    /// Lets time pass that nobody waits for.
    func skip(_ time: Duration) { skipped += time }

    /// With `spawn`, on decoders that it makes; `provider` for bytes that come slowly.
    init(
        audio: (any SoundOutput)? = nil, loop: Bool = true, spares: Int = 0,
        provider: any ByteProvider = FileProvider(),
        spawn: (@Sendable () throws -> DecoderProcess)? = nil
    ) {
        let (woken, events) = (woken, events)
        pool = PlayerPool(
            options: PlayerPool.Options(decoderPath: Stage.decoderPath, loop: loop, spares: spares, spawn: spawn),
            provider: provider,
            audio: audio,
            wake: { woken.signal() }, trace: { events.add($0) },
            // Weak: a pool that is told of something late must not find a stage that is gone.
            report: { [weak self] _, report in self?.reports.append(report) },
            notice: { [weak self] in self?.notices.append($0) })
        pool.setSurface(SurfaceRequest(generation: 0, width: 64, height: 48, fill: true), now: now)
    }

    /// Runs the loop until `done`, at most for `limit`; whether it came to that.
    func run(_ item: Item, limit: Duration = .seconds(10), until done: (Stage) -> Bool) -> Bool {
        let end = now + limit
        while now < end {
            pool.advance(now: now)
            let picture = pool.withPicture(of: item.id, now: now) { _, identity in identity }
            if picture == nil, !shown.isEmpty { lostPicture = true }
            if let picture, shown.insert(picture).inserted {
                pool.pictureShown(of: item.id, picture, now: now, bytes: 0, cells: 0, took: .zero)
            }
            if done(self) { return true }
            let wait = min((pool.nextWake(now: now) ?? end) - now, .milliseconds(100))
            _ = woken.wait(timeout: .now() + .microseconds(Int(max(0, wait / .microseconds(1)))))
        }
        return false
    }

    func position() -> Duration {
        for case .position(let time, _) in reports.reversed() { return time }
        return .zero
    }

    nonisolated static let decoderPath = URL(fileURLWithPath: FlickBinary.path).deletingLastPathComponent()
        .appendingPathComponent("flick-decoder").path

    nonisolated static let clip = made(tone: 440)
    nonisolated static let otherClip = made(tone: 1_320)

    private nonisolated static func made(tone: Int) -> URL? {
        let file = FileManager.default.temporaryDirectory.appendingPathComponent("flick-pool-\(getpid())-\(tone).mp4")
        let made = try? Command.run(
            ["ffmpeg", "-v", "error", "-y", "-f", "lavfi", "-i", "testsrc2=size=320x240:rate=30:duration=6"]
                + ["-f", "lavfi", "-i", "sine=frequency=\(tone):duration=6", "-pix_fmt", "yuv420p", file.path])
        return made?.status == 0 ? file : nil
    }

    nonisolated static var canPlay: Bool { FileManager.default.isExecutableFile(atPath: decoderPath) && clip != nil }
}

/// A sound device that fetches as fast as time passes, or is not there.
final class TestOutput: SoundOutput {
    private struct Device {
        var state = SoundState.closed
        var queued = 0
        var fetched = ContinuousClock.now
        var heard: [Int16] = []
        var underruns = 0
    }

    private let device = Mutex(Device())
    private let missing: Bool

    init(missing: Bool = false) { self.missing = missing }

    var state: SoundState { device.withLock { $0.state } }
    func open() {
        device.withLock { if $0.state == .closed { $0.state = missing ? .unavailable("no device") : .ready } }
    }
    func lose() { device.withLock { $0.state = .unavailable("pulled out") } }
    func write(_ samples: [Int16]) {
        device.withLock { device in
            drain(&device)
            device.queued += samples.count / 2
            device.heard += samples
        }
    }
    var queuedFrames: Int {
        device.withLock { device in
            drain(&device)
            return device.queued
        }
    }
    let latencyFrames = 0
    func clear() {
        device.withLock { device in
            drain(&device)
            device.heard.removeLast(device.queued * 2)
            device.queued = 0
        }
    }
    func close() { lose() }
    /// How often it ran out of what it had.
    var underruns: Int { device.withLock { $0.underruns } }
    /// What was written and not taken back.
    var heard: [Int16] { device.withLock { $0.heard } }

    private func drain(_ device: inout Device) {
        let now = ContinuousClock.now
        let frames = Int((now - device.fetched) / .seconds(1) * 48_000)
        device.fetched = now
        if device.queued > 0, frames > device.queued { device.underruns += 1 }
        device.queued = max(0, device.queued - frames)
    }
}

final class EventLog: Sendable {
    private let events = Mutex<[TraceEvent]>([])
    func add(_ event: TraceEvent) { events.withLock { $0.append(event) } }
    func all(_ name: String) -> [TraceEvent] { events.withLock { $0.filter { $0.encoding.name == name } } }
}
