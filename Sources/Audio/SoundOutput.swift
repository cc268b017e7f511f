/// Where sound goes: 48 kHz stereo, 16 bits, left and right interleaved. One owner at a time; any thread.
///
/// No call blocks for longer than a copy takes.
public protocol SoundOutput: AnyObject, Sendable {
    var state: SoundState { get }
    /// Starts opening the device, once; `state` tells the result.
    func open()
    /// Queues frames behind earlier ones. Does nothing unless the device is `ready`.
    func write(_ samples: [Int16])
    /// How many written frames the device has not fetched yet.
    var queuedFrames: Int { get }
    /// An estimate of how many fetched frames are not audible yet.
    var latencyFrames: Int { get }
    /// Drops the queued frames, so that silence follows.
    func clear()
    /// Closes the device for good.
    func close()
}

public enum SoundState: Sendable, Equatable {
    case closed
    case opening
    case ready
    /// There is no device, or it has gone; says why in one line.
    case unavailable(String)
}
