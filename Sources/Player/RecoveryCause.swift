/// Why a player's decoder is replaced, or helped on (C10, C11). The raw value is the trace's `check`.
///
/// The first six are `Watchdog`'s. The others are seen by the player itself, and always end in `ClipPlayer.recover`.
enum RecoveryCause: String {
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
    /// A decoder is silent while its sound still plays.
    case zombie
    /// The decoder's process has ended.
    case worker
    /// The decoder reported a fault of its own.
    case failed
    /// The server has another file now.
    case changed
    /// The decoder sent what no honest one does.
    case wire
}
