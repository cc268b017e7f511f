internal import CNcurses

/// The terminal as a place to paint one moving picture, without keys and without an interface: `flick preview --video`.
///
/// The cursor is shown again whatever ends the process, and while it is stopped.
@MainActor
public enum PaintedOutput {
    /// DECTCEM: no cursor; ED: an empty screen.
    public static let begin = "\u{1B}[?25l\u{1B}[2J"

    /// Plain colours, below the picture of `rows` rows, with a cursor.
    public static func end(rows: Int) -> String { "\u{1B}[0m\u{1B}[\(rows);1H\n\u{1B}[?25h" }

    /// From now on a signal, a crash or `exit` writes `end(rows:)` to `descriptor` and ends the process as it would
    /// have. Does nothing where `descriptor` is no terminal: what reads a pipe sees its end.
    public static func guardEnd(rows: Int, descriptor: Int32) {
        // CAN ends a control sequence that was cut short.
        let bytes = Array(("\u{18}" + end(rows: rows)).utf8)
        _ = bytes.withUnsafeBytes { flick_rescue_guard(descriptor, $0.baseAddress, $0.count) }
    }

    /// `end(rows:)` has been written.
    public static func disarm() { flick_rescue_disarm() }
}
