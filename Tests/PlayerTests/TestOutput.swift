import Audio
import Synchronization
import TestSupport

/// A sound device that is not there, or that plays by a test's clock; by real time until it has one.
///
/// It fetches what is queued in whole buffers, as real devices do, and plays them one after the other.
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
    }

    private let device = Mutex(Device())
    private let start = ContinuousClock.now
    private let isMissing: Bool
    private let rate: Double
    private let buffer: Int

    /// - Parameter speed: how fast the device's own clock runs.
    /// - Parameter buffer: frames that it fetches at once.
    init(missing: Bool = false, speed: Double = 1, buffer: Int = 1) {
        isMissing = missing
        rate = 48_000 * speed
        self.buffer = buffer
    }

    func follow(_ clock: ManualClock) { device.withLock { $0.clock = clock } }

    var state: SoundState { device.withLock { $0.state } }
    func open() {
        device.withLock { if $0.state == .closed { $0.state = isMissing ? .unavailable("no device") : .ready } }
    }
    func lose() { device.withLock { $0.state = .unavailable("pulled out") } }
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
    func close() { lose() }
    /// How often it ran out of what it had.
    var underruns: Int { device.withLock { $0.underruns } }
    /// What was written and not taken back.
    var heard: [Int16] { device.withLock { $0.heard } }
    /// Frames that were played: the truth that `queuedFrames` and `latencyFrames` only tell roughly.
    var playedFrames: Double {
        device.withLock { device in
            play(&device)
            return device.played
        }
    }

    private func play(_ device: inout Device) {
        let now = device.clock?.now ?? ContinuousClock.now - start
        let passed = now - device.playedAt
        device.playedAt = now
        guard device.written > 0 else { return }
        let wanted = device.played + passed / .seconds(1) * rate
        if device.played < Double(device.written), wanted > Double(device.written) { device.underruns += 1 }
        device.played = min(wanted, Double(device.written))
        let buffers = (Int(device.played.rounded(.up)) + buffer - 1) / buffer
        device.fetched = min(max(device.fetched, buffers * buffer), device.written)
    }
}
