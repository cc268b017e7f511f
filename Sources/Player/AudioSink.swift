import Audio
import Model
import Wire

/// One player's sound on its way from the decoder to the device: what waits here, what lies in the device, and how much
/// the decoder may still send.
struct AudioSink {
    private(set) var queue = SoundQueue()
    /// Sound of this player lies in the device.
    private(set) var isInDevice = false
    /// How much later than the sound the pictures were, when that was last measured.
    var drift: Microseconds = 0
    /// As last reported by the decoder; nil before its first report.
    var loudness: ClipLoudness?
    /// Frames that the decoder may still send.
    private var credit = 0
    private let output: (any SoundOutput)?
    private var fetching = AudioDeviceLiveness()
    /// The clip has run on while no sound of it could be heard.
    private var isLate = false
    /// How much later than its timestamps the audio is played; negative: earlier.
    private(set) var delay: Microseconds = 0

    /// Frames that lie in the device: 150 ms, so that a pause or a seek is heard at once.
    private static let inDevice = 7_200
    /// Frames that the decoder may be ahead: a second while playing, a little while it waits to be played.
    private static let ahead = 48_000
    private static let aheadWhilePaused = 9_600
    /// Frames that wait at most: the decoder may send a second, and leave some silence in it, which lasts four times as
    /// long at a quarter of the speed.
    private static let maxQueued = 480_000
    /// Frames beside which the decoder's next ones are not urgent.
    static let enough = 9_600

    /// - Parameter output: nil: there is to be no sound.
    init(output: (any SoundOutput)?) { self.output = output }

    /// Whether a device can play it, or may turn out to.
    var canBeHeard: Bool {
        guard let output else { return false }
        if case .unavailable = output.state { return false }
        return true
    }

    /// Opens the device if it is still closed.
    func openDevice() { if output?.state == .closed { output?.open() } }

    // MARK: From the decoder

    /// A new decoder has been allowed nothing so far.
    mutating func restart() { (credit, loudness) = (0, nil) }

    /// Counts received samples; false if the decoder has sent more than it may.
    mutating func count(_ samples: [Int16]) -> Bool {
        credit -= samples.count / 2
        return credit >= -WireLimit.soundFrames
    }

    /// False if so much is queued that the decoder must have left gaps, in violation of the protocol.
    mutating func append(pts: Microseconds, mediaTime: Microseconds, samples: [Int16]) -> Bool {
        queue.append(pts: pts, mediaTime: mediaTime, samples: samples)
        return queue.frames <= AudioSink.maxQueued + delayFrames
    }

    /// How many frames more the decoder is to be allowed; nil if that is not worth a message.
    mutating func newCredit(isPlaying: Bool) -> UInt32? {
        let target = (isPlaying ? AudioSink.ahead : AudioSink.aheadWhilePaused) + delayFrames
        let missing = target - max(credit, 0) - queue.frames
        // Each credit wakes the decoder up.
        guard missing >= target / 2 else { return nil }
        credit += missing
        return UInt32(missing)
    }

    mutating func setRate(_ rate: Double) { queue.rate = rate }

    /// Delays the audio by this much; negative: plays it earlier. What is in the device already is played again at its
    /// new place.
    mutating func setDelay(_ delay: Microseconds) {
        guard delay != self.delay else { return }
        self.delay = delay
        if silence(keepsUnheard: true) { isLate = true }
    }

    /// How many frames more must wait here because sound and pictures are apart.
    private var delayFrames: Int { Int(abs(delay) * Int64(WireLimit.sampleRate) / 1_000_000) }

    /// Until when there is sound to hear; nil if none came.
    var end: Microseconds? { queue.end.map { $0 + delay } }

    /// Forgets what waits.
    mutating func clear() {
        queue.clear()
        isLate = false
    }

    // MARK: To the device

    /// Fills the device's buffer. Sound that was to be heard before `place` is dropped. True if this player's sound
    /// starts with it.
    ///
    /// - Parameter isAudible: whether the clip has sound, and there may be a device for it.
    mutating func play(from place: Microseconds, isAudible: Bool, volume: Double, now: Duration) -> Bool {
        let position = place - delay
        guard isAudible, let output, output.state == .ready else {
            // Sound that is past is dropped, so that the rest can start in sync with the picture.
            queue.drop(before: position)
            isLate = true
            return false
        }
        var queued = output.queuedFrames
        fetching.look(queued: queued, now: now)
        if isInDevice, queued == 0 { isInDevice = false }
        if isInDevice, fetching.stands(now: now) {
            // When it fetches again, it is to fetch what belongs to the picture of that moment.
            output.clear()
            queue.putBack(queued)
            queued = 0
            queue.drop(before: position + latency)
        }
        var begins = false
        if !isInDevice {
            // A beginning is heard whole, and the picture waits that little;
            // sound that comes later joins a picture that moves.
            let target = isLate ? position + latency : position
            queue.drop(before: target)
            guard let start = queue.start, queue.frames > 0, start - target < 20_000 else { return false }
            isInDevice = true
            isLate = false
            begins = true
            fetching.begin(now: now)
        }
        let room = AudioSink.inDevice - queued
        if room > 480, queue.frames > 0 {
            let samples = queue.next(room)
            output.write(AudioSink.scaled(samples, by: volume))
            queued += samples.count / 2
        }
        fetching.replaced(queued: queued)
        return begins
    }

    /// How much later sound is heard than the device fetches it.
    private var latency: Microseconds { time(of: output?.latencyFrames ?? 0) }

    private func time(of frames: Int) -> Microseconds {
        Microseconds(Double(frames) / Double(WireLimit.sampleRate) * 1_000_000 * queue.rate)
    }

    /// The device plays this player's sound.
    func isHeard(now: Duration) -> Bool { isInDevice && fetching.plays(now: now) }

    /// The position whose picture belongs to what is being heard; nil while nothing is heard, or while the device is
    /// stalled.
    mutating func heardPosition(now: Duration) -> Microseconds? {
        guard isInDevice, let output else { return nil }
        guard output.state == .ready else {
            isInDevice = false
            return nil
        }
        let queued = output.queuedFrames
        fetching.look(queued: queued, now: now)
        guard queued > 0, fetching.plays(now: now), let next = queue.start else { return nil }
        return next - time(of: queued + output.latencyFrames) + delay
    }

    /// Takes this player's sound out of the device; true if there was any.
    ///
    /// - Parameter keepsUnheard: whether the unheard part goes back to the queue.
    mutating func silence(keepsUnheard: Bool) -> Bool {
        guard isInDevice, let output else { return false }
        if keepsUnheard { queue.putBack(output.queuedFrames) }
        output.clear()
        isInDevice = false
        return true
    }

    /// The volume has changed: what lies in the device is replaced by the same at the new volume.
    mutating func setVolume(_ volume: Double) {
        guard isInDevice, let output, output.state == .ready else { return }
        let queued = output.queuedFrames
        output.clear()
        queue.putBack(queued)
        output.write(AudioSink.scaled(queue.next(queued), by: volume))
    }

    /// The device has gone, and with it what lay in it.
    mutating func loseDevice() { isInDevice = false }

    /// There is a device again.
    mutating func findDevice() { isLate = true }

    /// Everything that was handed to the device has been heard.
    var deviceIsEmpty: Bool { !isInDevice || output?.queuedFrames == 0 }

    /// The last sound was heard.
    mutating func finish() { isInDevice = false }

    /// How loud the last 50 ms were that were heard: 0 … 1.
    func level() -> Float { queue.level(count: 2_400, behind: isInDevice ? output?.queuedFrames ?? 0 : 0) }

    private static func scaled(_ samples: [Int16], by volume: Double) -> [Int16] {
        guard volume < 1 else { return samples }
        // Ears hear loudness as a power: a third of the scale sounds like a third.
        let factor = Int32((volume * volume * volume * 65_536).rounded())
        return samples.map { Int16(truncatingIfNeeded: Int32((Int64($0) * Int64(factor)) >> 16)) }
    }
}

/// Detects from its fetches whether an audio device plays what it was given. The caller passes the time.
///
/// A sink that sleeps, or has just become the output, may hold what it has fetched for up to two seconds.
struct AudioDeviceLiveness {
    /// A device that fetches nothing for this long is stalled: three of its buffers.
    private static let patience = Duration.milliseconds(130)

    private var queued = 0
    private var fetchedAt: Duration = .zero
    private var hasFetched = false

    /// What lies in the device now is the first of something.
    mutating func begin(now: Duration) {
        queued = 0
        hasFetched = false
        fetchedAt = now
    }

    /// - Parameter queued: the number of frames that wait for the device.
    mutating func look(queued: Int, now: Duration) {
        if queued < self.queued {
            fetchedAt = now
            hasFetched = true
        }
        self.queued = queued
    }

    /// flick has added or taken back frames; `queued` frames wait now.
    mutating func replaced(queued: Int) { self.queued = queued }

    func stands(now: Duration) -> Bool { now - fetchedAt >= AudioDeviceLiveness.patience }

    /// Whether the queue's length shows what is being heard.
    func plays(now: Duration) -> Bool { hasFetched && !stands(now: now) }
}
