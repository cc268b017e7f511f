/// Where sound goes: 48 kHz stereo, 16 bits, left and right interleaved. One owner at a time; any thread.
///
/// No call blocks for longer than a copy takes.
public protocol SoundOutput: AnyObject, Sendable {
    var state: SoundState { get }
    /// Starts opening the device if it is `closed`, or again if it was `unavailable`; `state` shows the result.
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
    /// It plays the written frames.
    case ready
    /// There is no device, or it has gone.
    case unavailable(AudioError)
}

/// Why no sound can be heard. A value.
public struct AudioError: Error, Sendable, Equatable {
    public enum Kind: Sendable {
        /// SDL2 is not installed.
        case noLibrary
        case noDevice
        /// There was a device.
        case lost
        /// `close` was called.
        case closed
    }

    public var kind: Kind
    /// The library's message, in one line.
    public var detail: String

    public init(_ kind: Kind, detail: String) {
        self.kind = kind
        self.detail = detail
    }

    /// The problem and what can be done, in a line for the user.
    public var words: String {
        switch kind {
        case .noLibrary: "no audio: SDL2 is not installed"
        case .noDevice: "no audio: no device found; see `flick doctor`"
        case .lost: "no audio: the device was removed; plug one in"
        case .closed: "no audio: the device is closed"
        }
    }
}
