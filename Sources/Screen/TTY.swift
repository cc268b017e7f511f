internal import CNcurses
import Model
import Platform

/// The terminal device: bytes in and out. No call waits for the terminal, but `stop` and `close`, which may for 0.1 s.
///
/// It opens the device twice: O_NONBLOCK is a flag of an open file, and the one flick was started with is shared with
/// the shell, whose reads would then fail. The first is read, and gets short writes; the second may block and belongs
/// to the `TTYWriter`. Where the device cannot be opened, the given descriptors are used: reads guarded by poll(2), all
/// writes by the `TTYWriter`.
struct TTY {
    /// Bytes up to which a write is made at once, without the writer's thread:
    /// less than a pseudo-terminal has room for.
    private static let smallWrite = 2_048

    let input: Int32
    let output: Int32
    /// That of them which is a terminal, whose line has modes.
    var device: Int32 { isTerminal ? output : input }
    private let isOwn: Bool
    /// `output` is `input`, and accepts as much as it has room for without blocking.
    private let isTerminal: Bool
    private let writer: TTYWriter
    /// The writer's own open file; −1 where it uses the given one.
    private let blocking: Int32
    private var hasHungUp = false

    /// - Parameters:
    ///   - takesLines: the output may be a file or a pipe. Keys come from
    ///     `input` if that is a terminal, else from the controlling terminal.
    ///   - wake: called on another thread after a request by `wakeWhenWritten`.
    init(
        input given: Int32, output givenOutput: Int32, takesLines: Bool = false, wake: @escaping @Sendable () -> Void
    ) throws(ScreenError) {
        isTerminal = isatty(givenOutput) == 1
        guard isTerminal || takesLines else { throw .notATerminal }
        var (own, blocking): (Int32, Int32) = (-1, -1)
        let device = ttyname(isTerminal ? givenOutput : given).map { String(cString: $0) }
        for path in [device, "/dev/tty"].compactMap(\.self) where own < 0 {
            own = Self.opened(path, O_NONBLOCK)
            guard isTerminal else { continue }
            blocking = own < 0 ? -1 : Self.opened(path, 0)
            guard own >= 0, blocking < 0 else { continue }
            Descriptor(own).close()
            own = -1
        }
        isOwn = own >= 0
        if isOwn {
            input = own
            output = isTerminal ? own : givenOutput
        } else {
            // Standard input may be a list of clips; without a terminal on it there are no keys.
            guard isatty(given) == 1 else { throw isTerminal ? .notATerminal : .noKeys }
            input = given
            output = givenOutput
        }
        self.blocking = blocking
        guard let writer = TTYWriter(descriptor: blocking >= 0 ? blocking : givenOutput, wake: wake) else {
            for descriptor in [own, blocking] where descriptor >= 0 { Descriptor(descriptor).close() }
            throw .system(call: "malloc", code: ENOMEM)
        }
        self.writer = writer
    }

    /// -1: it cannot be opened.
    private static func opened(_ path: String, _ flags: Int32) -> Int32 {
        // `try?`: the caller does without, whatever the reason.
        (try? Descriptor.open(path, O_RDWR | O_NOCTTY | flags))?.number ?? -1
    }

    /// The terminal has hung up: nothing will ever be read or written again.
    var isGone: Bool { hasHungUp || writer.isGone }

    /// The size in cells, and the text area in pixels (zero where the terminal does not say).
    func size() -> (grid: GridSize, pixels: PixelSize)? {
        var size = winsize()
        guard ioctl(output, UInt(TIOCGWINSZ), &size) == 0, size.ws_col > 0, size.ws_row > 0 else { return nil }
        return (
            GridSize(columns: Int(size.ws_col), rows: Int(size.ws_row)),
            PixelSize(width: Int(size.ws_xpixel), height: Int(size.ws_ypixel))
        )
    }

    // MARK: in

    /// Waits until what arrived with a ^C can be read: some microseconds. The line sends the signal first.
    func settle() { flick_line_settle(input) }

    /// The bytes that have arrived, at most 64 KB at a time so that
    /// a flood of input cannot keep the page from being drawn.
    mutating func read() -> [UInt8] {
        var all: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 4096)
        while all.count < 1 << 16, isOwn || Self.isReady(input, POLLIN) {
            let count = buffer.withUnsafeMutableBytes { Descriptor(input).readSome(into: $0) }
            if count > 0 {
                all += buffer[..<count]
                if count < buffer.count { break }
            } else {
                // 0 is a terminal that hung up, EIO one that no longer belongs to any session.
                if count == 0 || (errno != EAGAIN && errno != EWOULDBLOCK) { hasHungUp = true }
                break
            }
        }
        return all
    }

    /// Looks whether the terminal has hung up, where ncurses reads.
    mutating func noteHangUp() {
        var entry = pollfd(fd: input, events: 0, revents: 0)
        if poll(&entry, 1, 0) > 0, entry.revents & Int16(POLLHUP | POLLERR | POLLNVAL) != 0 { hasHungUp = true }
    }

    // MARK: out

    /// The terminal has not taken everything yet.
    var isBusy: Bool { writer.isBusy }

    /// Has `wake` called once the terminal has taken everything; false if it has already.
    func wakeWhenWritten() -> Bool { writer.wakeWhenDone() }

    /// Writes bytes behind those of before. Does not wait.
    mutating func write(_ bytes: UnsafeRawBufferPointer) {
        guard !isGone, !bytes.isEmpty else { return }
        var rest = bytes
        if isOwn, isTerminal, bytes.count <= Self.smallWrite, !writer.isBusy {
            rest = UnsafeRawBufferPointer(rebasing: bytes[send(bytes)...])
        }
        // This keeps the order: the writer was idle, and gets these bytes before any later ones.
        if !rest.isEmpty, !isGone { writer.write(rest) }
    }

    /// Drops the bytes that were not sent yet. Nothing may be written before `resume`.
    func stop() { writer.stop() }

    /// The terminal is flick's (again): output is sent.
    func resume() {
        writer.stopsBeforeRescue(true)
        writer.resume()
    }

    /// Sends as much as the terminal has room for now. Returns how many bytes that were.
    private mutating func send(_ bytes: UnsafeRawBufferPointer) -> Int {
        var done = 0
        while done < bytes.count {
            let count = writer.send(UnsafeRawBufferPointer(rebasing: bytes.dropFirst(done)), to: output)
            if count >= 0 {
                done += count
            } else {
                if errno != EAGAIN && errno != EWOULDBLOCK { hasHungUp = true }
                break
            }
        }
        return done
    }

    /// Whether another job of the shell has the terminal.
    var isInBackground: Bool {
        let foreground = tcgetpgrp(input)
        return foreground > 0 && foreground != getpgrp()
    }

    static func isReady(_ descriptor: Int32, _ events: Int32, within milliseconds: Int32 = 0) -> Bool {
        var entry = pollfd(fd: descriptor, events: Int16(events), revents: 0)
        return poll(&entry, 1, milliseconds) > 0
    }

    func close() {
        let isOut = writer.end()
        writer.stopsBeforeRescue(false)
        guard isOwn else { return }
        Descriptor(input).close()
        if isOut, blocking >= 0 { Descriptor(blocking).close() }
    }
}

extension Terminal {
    /// Which of the terminal's descriptors have something to be read, or have failed.
    public struct Readiness: OptionSet, Sendable {
        public let rawValue: Int
        public init(rawValue: Int) { self.rawValue = rawValue }
        public static let input = Readiness(rawValue: 1)
        public static let signals = Readiness(rawValue: 2)
    }
}
