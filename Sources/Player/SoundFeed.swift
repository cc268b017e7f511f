import Audio
import Wire

/// One player's sound on its way from the decoder to the device: what waits here, what lies in the device, and how much the decoder may still send.
struct SoundFeed {
    private(set) var queue = SoundQueue()
    /// Sound of this player lies in the device.
    private(set) var isInDevice = false
    /// How much later than the sound the pictures were, when that was last measured.
    var drift: Microseconds = 0
    /// Frames that the decoder may still send.
    private var credit = 0
    private let output: (any SoundOutput)?

    /// Frames that lie in the device: 150 ms, so that a pause or a seek is heard at once.
    private static let inDevice = 7_200
    /// Frames that the decoder may be ahead: a second while playing, a little while it waits to be played.
    private static let ahead = 48_000
    private static let aheadWhilePaused = 9_600
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

    func openDevice() { output?.open() }

    // MARK: From the decoder

    /// A new decoder has been allowed nothing so far.
    mutating func restart() { credit = 0 }

    /// Counts what came; false if that is more than the decoder may send.
    mutating func count(_ samples: [Int16]) -> Bool {
        credit -= samples.count / 2
        return credit >= -WireLimit.soundFrames
    }

    mutating func append(pts: Microseconds, mediaTime: Microseconds, samples: [Int16]) {
        queue.append(pts: pts, mediaTime: mediaTime, samples: samples)
    }

    /// How many frames more the decoder is to be allowed; nil if that is not worth a message.
    mutating func newCredit(isPlaying: Bool) -> UInt32? {
        let target = isPlaying ? SoundFeed.ahead : SoundFeed.aheadWhilePaused
        let missing = target - max(credit, 0) - queue.frames
        // Each credit wakes the decoder up.
        guard missing >= target / 2 else { return nil }
        credit += missing
        return UInt32(missing)
    }

    mutating func setRate(_ rate: Double) { queue.rate = rate }

    /// Forgets what waits.
    mutating func clear() { queue.clear() }

    // MARK: To the device

    /// Hands the device what it has room for. What lies before `position` is not heard any more. True if this player's sound begins with it.
    ///
    /// - Parameter isAudible: whether the clip has sound, and there may be a device for it.
    mutating func play(from position: Microseconds, isAudible: Bool, volume: Double) -> Bool {
        guard isAudible, let output, output.state == .ready else {
            // What has passed is dropped, so that the sound can begin where the picture is.
            queue.drop(before: position)
            return false
        }
        let queued = output.queuedFrames
        if isInDevice, queued == 0 { isInDevice = false }
        var begins = false
        if !isInDevice {
            queue.drop(before: position)
            guard let start = queue.start, queue.frames > 0, start - position < 20_000 else { return false }
            isInDevice = true
            begins = true
        }
        let room = SoundFeed.inDevice - queued
        guard room > 480, queue.frames > 0 else { return begins }
        output.write(SoundFeed.scaled(queue.next(room), by: volume))
        return begins
    }

    /// What is heard at this moment; nil while nothing is.
    mutating func heardPosition() -> Microseconds? {
        guard isInDevice, let output else { return nil }
        guard output.state == .ready else {
            isInDevice = false
            return nil
        }
        let queued = output.queuedFrames
        guard queued > 0, let next = queue.start else { return nil }
        let ahead = Double(queued + output.latencyFrames) / Double(WireLimit.sampleRate) * 1_000_000 * queue.rate
        return next - Microseconds(ahead)
    }

    /// Takes this player's sound out of the device; true if there was any.
    ///
    /// - Parameter keepsUnheard: what was not heard goes back to the queue.
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
        output.write(SoundFeed.scaled(queue.next(queued), by: volume))
    }

    /// The device has gone, and with it what lay in it.
    mutating func loseDevice() { isInDevice = false }

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
