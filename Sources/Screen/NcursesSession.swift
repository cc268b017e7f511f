internal import CNcurses
import Model
import TerminalInput

/// ncurses' screen on the terminal: it sets the terminal up and back, and reads keys where `InputParser` cannot.
///
/// ncurses writes into memory; `TTY` fetches these bytes from here and sends them. There is
/// one session at a time, used from one thread, and it outlives the painters that use it.
final class NcursesSession {
    private let session: OpaquePointer
    private var size = GridSize(columns: 0, rows: 0)
    /// Resets the palette (terminfo's `oc`). ncurses sends it whenever it resumes; it is left out, as flick changes no
    /// colour of the user's palette.
    private let resetPalette: [UInt8]
    /// The number of colours, once `startColor` has queried it.
    private var colors: Int32?

    /// - Parameters:
    ///   - name: the terminal, whose description `Terminfo.load` has just read.
    ///   - line: the terminal's descriptor. Nothing is changed yet.
    ///   - isUnicode: whether characters beyond ASCII may be written.
    init(name: String, line: Int32, isUnicode: Bool, resetPalette: [UInt8]) throws(ScreenError) {
        guard let session = flick_session_begin(name, line, isUnicode ? 1 : 0) else { throw .unknownTerminal(name) }
        self.session = session
        self.resetPalette = resetPalette
    }

    deinit { flick_session_end(session) }

    /// Sets the line's modes, and returns the bytes that set up an empty screen
    /// of `size`. In the background this stops the job first.
    func resume(size: GridSize) throws(ScreenError) -> [UInt8] {
        let code = flick_session_resume(session, Int32(size.rows), Int32(size.columns))
        guard code == 0 else { throw .system(call: "tcsetattr", code: -code) }
        self.size = size
        let bytes = writtenBytes()
        guard !resetPalette.isEmpty, let place = bytes.firstRange(of: resetPalette) else { return bytes }
        return Array(bytes[..<place.lowerBound] + bytes[place.upperBound...])
    }

    func resize(to size: GridSize) {
        guard size != self.size else { return }
        self.size = size
        flick_session_resize(session, Int32(size.rows), Int32(size.columns))
    }

    /// Sets the shell's modes, and returns the bytes that give the screen back. Waits at most 200 ms for a terminal
    /// that takes no bytes.
    func suspend() -> [UInt8] {
        flick_session_suspend(session)
        return writtenBytes()
    }

    /// Colours from now on, if there are any. Returns how many.
    func startColor() -> Int {
        if colors == nil { colors = flick_screen_start_color() }
        return Int(colors ?? 0)
    }

    // MARK: Its output

    /// How many bytes ncurses has written that have not been fetched yet.
    var writtenCount: Int { flick_session_written(session) }

    /// Copies the written bytes to `target`, which has room for `writtenCount` bytes. Returns their number.
    func read(into target: UnsafeMutableRawBufferPointer) -> Int {
        flick_session_read(session, target.baseAddress, target.count)
    }

    private func writtenBytes() -> [UInt8] {
        let count = writtenCount
        return Array(unsafeUninitializedCapacity: count) { buffer, count in
            count = read(into: UnsafeMutableRawBufferPointer(buffer))
        }
    }

    // MARK: keys

    /// The keys that have come, as this terminal spells them. Waits at most 25 ms, for what may follow an Escape.
    func keys() -> [Key] {
        var found: [Key] = []
        while found.count < 4096 {
            var code: UInt32 = 0
            switch flick_session_key(session, &code) {
            case 1: if let key = Self.key(character: code) { found.append(key) }
            case 2: if let key = Self.special[Int32(bitPattern: code)] { found.append(key) }
            default: return found
            }
        }
        return found
    }

    private static func key(character code: UInt32) -> Key? {
        if code < 0x20 || code == 0x7F { return InputParser.controlKey(UInt8(code)) }
        guard code < 0x7F || code >= 0xA0, let scalar = Unicode.Scalar(code) else { return nil }
        return .character(Character(scalar))
    }

    private static let special: [Int32: Key] = [
        KEY_UP: .up, KEY_DOWN: .down, KEY_LEFT: .left, KEY_RIGHT: .right, KEY_SLEFT: .shiftLeft,
        KEY_SRIGHT: .shiftRight,
        KEY_PPAGE: .pageUp, KEY_NPAGE: .pageDown, KEY_HOME: .home, KEY_END: .end, KEY_ENTER: .enter, KEY_DC: .delete,
        KEY_BACKSPACE: .backspace,
    ]
}
