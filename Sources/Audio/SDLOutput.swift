internal import CSDL2
import Synchronization
import Threads

/// The system's sound device, through SDL's queue: no Swift runs on the thread of the device.
public final class SDLOutput: SoundOutput {
    private struct Device {
        var state = SoundState.closed
        var id: SDL_AudioDeviceID = 0
        var latency = 0
    }

    /// Frames that the device fetches at once: 21 ms.
    private static let bufferFrames: UInt16 = 1024

    private let device = Mutex(Device())
    private let changed: @Sendable () -> Void

    /// `changed` is called on another thread when the device is ready, or is not to be had.
    public init(changed: @escaping @Sendable () -> Void) { self.changed = changed }

    public var state: SoundState {
        device.withLock { device in
            // A device that was pulled out reports itself as stopped (SDL_audio.h, SDL_GetAudioDeviceStatus).
            if device.state == .ready, SDL_GetAudioDeviceStatus(device.id) == SDL_AUDIO_STOPPED {
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
        SDL_SetHint(SDL_HINT_NO_SIGNAL_HANDLERS, "1")
        SDL_SetHint(SDL_HINT_AUDIO_DEVICE_APP_NAME, "flick")
        guard SDL_InitSubSystem(UInt32(SDL_INIT_AUDIO)) == 0 else { return fail() }
        var wanted = SDL_AudioSpec()
        wanted.freq = 48_000
        wanted.format = SDL_AudioFormat(flick_audio_s16)
        wanted.channels = 2
        wanted.samples = SDLOutput.bufferFrames
        var got = SDL_AudioSpec()
        // No allowed changes: SDL converts whatever the device speaks.
        let id = SDL_OpenAudioDevice(nil, 0, &wanted, &got, 0)
        guard id != 0 else {
            fail()
            return SDL_QuitSubSystem(UInt32(SDL_INIT_AUDIO))
        }
        SDL_PauseAudioDevice(id, 0)
        let kept = device.withLock { device in
            guard device.state == .opening else { return false }
            device.id = id
            device.latency = Int(got.samples)
            device.state = .ready
            return true
        }
        if kept { changed() } else { SDLOutput.giveBack(id) }
    }

    private func fail() {
        let why = String(cString: SDL_GetError())
        device.withLock { device in
            if device.state == .opening { device.state = .unavailable(why) }
        }
        changed()
    }

    public func write(_ samples: [Int16]) {
        device.withLock { device in
            guard device.state == .ready else { return }
            let result = samples.withUnsafeBytes { SDL_QueueAudio(device.id, $0.baseAddress, UInt32($0.count)) }
            if result != 0 { device.state = .unavailable(String(cString: SDL_GetError())) }
        }
    }

    public var queuedFrames: Int {
        device.withLock { $0.state == .ready ? Int(SDL_GetQueuedAudioSize($0.id)) / 4 : 0 }
    }

    public var latencyFrames: Int { device.withLock { $0.latency } }

    public func clear() {
        device.withLock { device in
            if device.state == .ready { SDL_ClearQueuedAudio(device.id) }
        }
    }

    /// SDL waits for two buffers (43 ms) when it closes a device: a thread of its own does, after the sound has been cut off.
    public func close() {
        let id = device.withLock { device in
            defer {
                device.state = .unavailable("closed")
                device.id = 0
            }
            if device.state == .ready {
                SDL_ClearQueuedAudio(device.id)
                SDL_PauseAudioDevice(device.id, 1)
            }
            return device.id
        }
        guard id != 0 else { return }
        let isStarted = BlockingThread.start { SDLOutput.giveBack(id) }
        if !isStarted { SDLOutput.giveBack(id) }
    }

    /// Every SDL_InitSubSystem wants its SDL_QuitSubSystem.
    private static func giveBack(_ id: SDL_AudioDeviceID) {
        SDL_CloseAudioDevice(id)
        SDL_QuitSubSystem(UInt32(SDL_INIT_AUDIO))
    }
}
