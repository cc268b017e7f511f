internal import CSDL2
import Synchronization
import Threads

/// The system's sound device, through SDL's queue: no Swift runs on the thread of the device.
public final class SDLOutput: SoundOutput {
    private struct Device {
        var state = SoundState.closed
        var id: UInt32 = 0
        var latency = 0
    }

    /// Frames that the device fetches at once: 43 ms. SDL's thread wakes up for each.
    private static let bufferFrames: UInt16 = 2048

    private let device = Mutex(Device())
    private let changed: @Sendable () -> Void

    /// `changed` is called on another thread when the device is ready, or is not to be had.
    public init(changed: @escaping @Sendable () -> Void) { self.changed = changed }

    public var state: SoundState {
        device.withLock { device in
            if device.state == .ready, flick_sound_has_gone(device.id) != 0 {
                device.state = .unavailable("the sound device has gone")
            }
            return device.state
        }
    }

    /// Opening can take long, as a sound server may have to be reached: a thread of its own waits for it.
    public func open() {
        let begins = device.withLock { device in
            guard device.state == .closed else { return false }
            device.state = .opening
            return true
        }
        guard begins else { return }
        let isStarted = BlockingThread.start { self.openNow() }
        // Out of threads: then opening has to be waited for.
        if !isStarted { openNow() }
    }

    private func openNow() {
        guard flick_sound_init("flick") == 0 else { return fail() }
        var frames = SDLOutput.bufferFrames
        let id = flick_sound_open(48_000, &frames)
        guard id != 0 else {
            fail()
            return flick_sound_quit()
        }
        let kept = device.withLock { device in
            guard device.state == .opening else { return false }
            device.id = id
            // Half a buffer lies with SDL on average, and as much with the sound server: measured with PulseAudio's null sink.
            device.latency = Int(frames)
            device.state = .ready
            return true
        }
        if kept { changed() } else { SDLOutput.giveBack(id) }
    }

    private func fail() {
        let why = String(cString: flick_sound_error())
        device.withLock { device in
            if device.state == .opening { device.state = .unavailable(why) }
        }
        changed()
    }

    public func write(_ samples: [Int16]) {
        device.withLock { device in
            guard device.state == .ready else { return }
            let result = samples.withUnsafeBytes { flick_sound_queue(device.id, $0.baseAddress, $0.count) }
            if result != 0 { device.state = .unavailable(String(cString: flick_sound_error())) }
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

    /// SDL waits for two buffers (85 ms) when it closes a device: a thread of its own does, after the sound has been cut off.
    public func close() {
        let id = device.withLock { device in
            defer {
                device.state = .unavailable("closed")
                device.id = 0
            }
            if device.state == .ready {
                flick_sound_clear(device.id)
                flick_sound_pause(device.id)
            }
            return device.id
        }
        guard id != 0 else { return }
        let isStarted = BlockingThread.start { SDLOutput.giveBack(id) }
        if !isStarted { SDLOutput.giveBack(id) }
    }

    private static func giveBack(_ id: UInt32) {
        flick_sound_close(id)
        flick_sound_quit()
    }
}
