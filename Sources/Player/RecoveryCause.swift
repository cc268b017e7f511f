/// Why a player's decoder is replaced, or helped on. The raw value is the trace's `check`; docs/internals/recovery.md
/// lists signs and times.
enum RecoveryCause: String, CaseIterable {
    // MARK: Found by `Watchdog.check`, from times

    /// The clock did not begin to run.
    case start
    /// There is sound, but the picture does not reach the terminal.
    case picture
    /// The clock stands although it was started.
    case clock
    /// There is no first picture.
    case firstFrame = "first_frame"
    /// A decoder that has something to send is silent.
    case hung
    /// Sound or clock run on, and the pictures that are still to come do not, or the decoder is silent.
    case zombie

    // MARK: Seen by the player, which calls `recover`

    /// A decoder uses the processor and brings nothing; see `ProcessorWatch`.
    case busy
    /// The decoder's process has ended.
    case worker
    /// The decoder reported an internal error.
    case failed
    /// The bytes can no longer be decoded, although some were decoded before.
    case undecodable
    /// The server has another file now.
    case changed
    /// The decoder violated the protocol.
    case wire

    /// What the trace, the log and, after the last attempt, the page say of it,
    /// if the player knows no more than the cause.
    var words: String {
        switch self {
        case .start, .clock: "the clock stopped"
        case .picture: "audio without video"
        case .firstFrame: "no frame received"
        case .hung: "the decoder does not respond"
        case .zombie: "audio continues without video"
        case .busy: "decoder busy, no output"
        case .worker: "the decoder exited"
        case .failed: "the decoder reported an error"
        case .undecodable: "the rest cannot be decoded"
        case .changed: "the file changed on the server"
        case .wire: "the decoder violated the protocol"
        }
    }
}
