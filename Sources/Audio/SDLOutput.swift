internal import CSDL2
import Threads

/// The system's sound device, through SDL's queue: no Swift runs on the thread of the device.
public final class SDLOutput: SoundOutput {
    private struct Device {
        var state = SoundState.closed
        /// 0: none.
        var id: UInt32 = 0
        /// SDL's sound has been set up, and a device of its driver was opened.
        var isSetUp = false
        var latency = 0
        var isClosed = false
    }

    /// Frames that the device fetches at once: 43 ms. SDL's thread wakes up for each.
    private static let bufferFrames: UInt16 = 2048
    /// SDL and the sound server fill their own buffers without a
    /// pause. A fetch after a pause means that sound was played.
    private static let fillingPause = Duration.milliseconds(20)

    private let device = Monitor(Device())
    private let changed: @Sendable () -> Void

    /// `changed` is called on another thread when the device is ready or unavailable.
    public init(changed: @escaping @Sendable () -> Void) { self.changed = changed }

    public var state: SoundState {
        device.withLock { device in
            if device.state == .ready, flick_sound_has_gone(device.id) != 0 {
                device.state = .unavailable(AudioError(.lost, detail: "the audio device was removed"))
            }
            return device.state
        }
    }

    /// Opening can take long, as a sound server may have to be reached,
    /// and may let its device sleep: a separate thread waits for both.
    public func open() {
        let begins = device.withLock { device in
            switch device.state {
            case .closed, .unavailable: break
            case .opening, .ready: return false
            }
            guard !device.isClosed else { return false }
            device.state = .opening
            return true
        }
        guard begins else { return }
        // Not on this thread: that would block the caller for as long as the device sleeps.
        BlockingThread.start { self.openNow() }
    }

    /// While the state is `opening`, no other thread touches `id` and `isSetUp`.
    private func openNow() {
        let (lost, isSetUp) = device.withLock { device in
            defer { device.id = 0 }
            return (device.id, device.isSetUp)
        }
        if lost != 0 { flick_sound_close(lost) }
        guard isSetUp || flick_sound_init("flick") == 0 else {
            return finish(.unavailable(SDLOutput.error(flick_sound_is_loaded() != 0 ? .noDevice : .noLibrary)))
        }
        var frames = SDLOutput.bufferFrames
        let id = flick_sound_open(48_000, &frames)
        guard id != 0 else {
            let error = SDLOutput.error(isSetUp ? .lost : .noDevice)
            // By the next time another driver may have a device. A driver
            // that had a device stays: it finds its next one by itself.
            if !isSetUp { flick_sound_quit() }
            return finish(.unavailable(error))
        }
        let plays = waitUntilItPlays(id)
        device.change { device in
            device.id = id
            device.isSetUp = true
            // Half a buffer lies with SDL on average, and as much with the
            // sound server: measured with PulseAudio's null sink.
            device.latency = Int(frames)
        }
        finish(plays ? .ready : .unavailable(AudioError(.lost, detail: "the audio device was removed")))
    }

    /// Waits until the device plays what it fetches: an idle sink fetches two buffers at once, and
    /// the third after two seconds. False if it has gone; true also if `close` was called meanwhile.
    private func waitUntilItPlays(_ id: UInt32) -> Bool {
        let silence = [Int16](repeating: 0, count: Int(SDLOutput.bufferFrames) * 2 * 8)
        guard silence.withUnsafeBytes({ flick_sound_queue(id, $0.baseAddress, $0.count) }) == 0 else { return false }
        defer { flick_sound_clear(id) }
        let begin = ContinuousClock.now
        var fetchedAt: ContinuousClock.Instant?
        var queued = flick_sound_queued(id)
        while flick_sound_has_gone(id) == 0 {
            // A device that keeps sleeping is checked less and less often.
            let age = ContinuousClock.now - begin
            let isClosed = device.wait(upTo: max(.milliseconds(5), min(age / 20, .milliseconds(200)))) { device in
                device.isClosed ? true : nil
            }
            if isClosed == true { return true }
            let left = flick_sound_queued(id)
            guard left < queued else { continue }
            queued = left
            let now = ContinuousClock.now
            if let fetchedAt, now - fetchedAt >= SDLOutput.fillingPause { return true }
            fetchedAt = now
        }
        return false
    }

    private func finish(_ state: SoundState) {
        let isClosed = device.change { device in
            if !device.isClosed { device.state = state }
            return device.isClosed
        }
        if isClosed { giveBack() } else { changed() }
    }

    private static func error(_ kind: AudioError.Kind) -> AudioError {
        AudioError(kind, detail: String(cString: flick_sound_error()))
    }

    public func write(_ samples: [Int16]) {
        device.withLock { device in
            guard device.state == .ready else { return }
            let result = samples.withUnsafeBytes { flick_sound_queue(device.id, $0.baseAddress, $0.count) }
            if result != 0 { device.state = .unavailable(SDLOutput.error(.lost)) }
        }
    }

    public var queuedFrames: Int {
        device.withLock { $0.state == .ready ? Int(flick_sound_queued($0.id)) / 4 : 0 }
    }

    public var latencyFrames: Int { device.withLock { $0.latency } }

    public func clear() {
        device.withLock { device in
            if device.state == .ready { flick_sound_clear(device.id) }
        }
    }

    /// SDL waits for two buffers (85 ms) when it closes a device. A
    /// separate thread does that, after the sound has been cut off.
    public func close() {
        let isOpening = device.change { device in
            if device.state == .ready {
                flick_sound_clear(device.id)
                flick_sound_pause(device.id)
            }
            defer { device.state = .unavailable(AudioError(.closed, detail: "closed")) }
            device.isClosed = true
            return device.state == .opening
        }
        // The thread that opens it gives it back.
        guard !isOpening else { return }
        BlockingThread.start { self.giveBack() }
    }

    private func giveBack() {
        let (id, isSetUp) = device.change { device in
            defer {
                device.id = 0
                device.isSetUp = false
            }
            return (device.id, device.isSetUp)
        }
        if id != 0 { flick_sound_close(id) }
        if isSetUp { flick_sound_quit() }
    }
}
