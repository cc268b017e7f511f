import Audio
import Synchronization
import TestSupport

/// A sound device that is not there, or that plays by a test's clock; by real time until it has one.
///
/// It fetches what is queued in whole buffers, as real devices do, and plays them one after the other.
/// It can take its time to open, stand as a sink does that wakes up, and be lost and found.
final class TestOutput: SoundOutput {
    private struct Device {
        var state = SoundState.closed
        var clock: ManualClock?
        var playedAt = Duration.zero
        /// Frames played so far, and those that were fetched and written.
        var played = 0.0
        var fetched = 0
        var written = 0
        var heard: [Int16] = []
        var underruns = 0
        var isThere = true
        var opens = 0
        var opensAt = Duration.zero
        /// Until when it plays nothing.
        var standsUntil = Duration.zero
    }

    private let device = Mutex(Device())
    private let start = ContinuousClock.now
    private let rate: Double
    private let buffer: Int
    private let opening: Duration
    private let sleep: Duration

    /// - Parameter opening: how long it takes to open.
    /// - Parameter sleep: how long it stands once it is open.
    /// - Parameter speed: how fast the device's own clock runs.
    /// - Parameter buffer: frames that it fetches at once.
    init(
        missing: Bool = false, opening: Duration = .zero, sleep: Duration = .zero, speed: Double = 1, buffer: Int = 1
    ) {
        self.opening = opening
        self.sleep = sleep
        device.withLock { $0.isThere = !missing }
        rate = 48_000 * speed
        self.buffer = buffer
    }

    func follow(_ clock: ManualClock) { device.withLock { $0.clock = clock } }

    var state: SoundState {
        device.withLock { device in
            if device.state == .opening, now(device) >= device.opensAt {
                device.state = device.isThere ? .ready : .unavailable(AudioError(.noDevice, detail: "no device"))
                device.standsUntil = now(device) + sleep
            }
            return device.state
        }
    }
    func open() {
        device.withLock { device in
            device.opens += 1
            device.opensAt = now(device) + opening
            device.state = .opening
        }
    }
    /// It is pulled out.
    func lose() {
        device.withLock { device in
            play(&device)
            device.isThere = false
            device.state = .unavailable(AudioError(.lost, detail: "pulled out"))
            device.heard.removeLast((device.written - device.fetched) * 2)
            device.written = device.fetched
        }
    }
    /// It can be opened again.
    func find() { device.withLock { $0.isThere = true } }
    /// It stops playing for some time, and keeps what it has.
    func stand(for time: Duration) {
        device.withLock { device in
            play(&device)
            device.standsUntil = now(device) + time
        }
    }
    /// How often it was to be opened.
    var opens: Int { device.withLock(\.opens) }
    /// What is heard at this moment; nil while nothing is.
    var sounding: Int16? {
        device.withLock { device in
            play(&device)
            let index = Int(device.played) * 2
            return device.state == .ready && now(device) > device.standsUntil && index < device.heard.count
                ? device.heard[index] : nil
        }
    }
    func write(_ samples: [Int16]) {
        device.withLock { device in
            play(&device)
            device.written += samples.count / 2
            device.heard += samples
        }
    }
    var queuedFrames: Int {
        device.withLock { device in
            play(&device)
            return device.written - device.fetched
        }
    }
    var latencyFrames: Int { buffer > 1 ? buffer : 0 }
    func clear() {
        device.withLock { device in
            play(&device)
            device.heard.removeLast((device.written - device.fetched) * 2)
            device.written = device.fetched
        }
    }
    func close() { device.withLock { $0.state = .unavailable(AudioError(.closed, detail: "closed")) } }
    /// How often it ran out of what it had.
    var underruns: Int { device.withLock { $0.underruns } }
    /// What was written and not taken back.
    var heard: [Int16] { device.withLock { $0.heard } }
    /// Frames that were played: the exact number that `queuedFrames` and `latencyFrames` only approximate.
    var playedFrames: Double {
        device.withLock { device in
            play(&device)
            return device.played
        }
    }

    private func now(_ device: Device) -> Duration { device.clock?.now ?? ContinuousClock.now - start }

    private func play(_ device: inout Device) {
        let now = now(device)
        let passed = max(.zero, now - max(device.playedAt, min(device.standsUntil, now)))
        device.playedAt = now
        guard device.written > 0 else { return }
        let wanted = device.played + passed / .seconds(1) * rate
        if device.played < Double(device.written), wanted > Double(device.written) { device.underruns += 1 }
        device.played = min(wanted, Double(device.written))
        let buffers = (Int(device.played.rounded(.up)) + buffer - 1) / buffer
        device.fetched = min(max(device.fetched, buffers * buffer), device.written)
    }
}
