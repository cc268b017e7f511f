/// Where sound goes: 48 kHz stereo, 16 bits, left and right in turn. One owner at a time.
///
/// No call blocks for longer than a copy, and every one may be made from any thread.
public protocol SoundOutput: AnyObject, Sendable {
    var state: SoundState { get }
    /// Begins to open the device, once; `state` tells what became of it.
    func open()
    /// Queues frames behind those that wait. Does nothing unless the device is `ready`.
    func write(_ samples: [Int16])
    /// Frames that were written and that the device has not fetched yet.
    var queuedFrames: Int { get }
    /// Frames that the device has fetched and that are not heard yet: an estimate.
    var latencyFrames: Int { get }
    /// Forgets what waits, so that silence follows.
    func clear()
    /// Gives the device back. Nothing can be written any more.
    func close()
}

public enum SoundState: Sendable, Equatable {
    case closed
    case opening
    case ready
    /// There is no device, or it has gone. One line on why.
    case unavailable(String)
}
