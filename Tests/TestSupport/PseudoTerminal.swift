import Model
import Platform
import Threads

/// Both ends of a pseudo-terminal; closed with the value's last use of `deinit`.
public final class PseudoTerminal {
    public let slave: Int32
    private var master: Int32

    public init(size: GridSize, pixels: PixelSize) throws {
        let (master, path) = try TerminalLine.open(size: size, pixels: pixels)
        self.master = master
        slave = open(path, O_RDWR | O_NOCTTY | O_CLOEXEC)
        try Self.check(slave >= 0, "\(path) cannot be opened")
        _ = fcntl(master, F_SETFL, O_NONBLOCK)
    }

    deinit {
        if master >= 0 { close(master) }
        close(slave)
    }

    /// Closes the terminal's side, and waits until the line has noticed. That is not at once: a program that another
    /// test starts has that side too, between its fork and its exec.
    public func hangUp() throws {
        close(master)
        master = -1
        var entry = pollfd(fd: slave, events: 0, revents: 0)
        try Self.check(
            poll(&entry, 1, 30_000) == 1 && entry.revents & Int16(POLLHUP) != 0, "the line did not hang up")
    }

    /// What the line does with bytes, as text that can be compared.
    public var modes: String {
        var modes = termios()
        tcgetattr(slave, &modes)
        return "\(modes.c_iflag) \(modes.c_oflag) \(modes.c_cflag) \(modes.c_lflag) \(modes.c_cc)"
    }

    /// The number of unread bytes in the line, in finished lines or not.
    public var unreadBytes: Int32 {
        var modes = termios()
        tcgetattr(slave, &modes)
        modes.c_lflag &= ~tcflag_t(ICANON)
        tcsetattr(slave, TCSANOW, &modes)
        var count: Int32 = 0
        _ = ioctl(slave, UInt(FIONREAD), &count)
        return count
    }

    public func resize(to size: GridSize) throws {
        var window = winsize(ws_row: UInt16(size.rows), ws_col: UInt16(size.columns), ws_xpixel: 0, ws_ypixel: 0)
        try Self.check(ioctl(master, UInt(TIOCSWINSZ), &window) == 0, "the line has no size")
    }

    public func type(_ text: String) throws {
        let bytes = Array(text.utf8)
        try Self.check(write(master, bytes, bytes.count) == bytes.count, "the line took no bytes")
        // The kernel hands them over asynchronously, on another thread.
        try Self.check(Self.isReadable(slave, within: 5_000), "what was typed did not arrive")
    }

    private static func check(_ holds: Bool, _ why: @autoclosure () -> String) throws {
        if !holds { throw TerminalLine.Error(description: why()) }
    }

    private static func isReadable(_ descriptor: Int32, within milliseconds: Int32) -> Bool {
        var entry = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
        return poll(&entry, 1, milliseconds) > 0
    }

    /// Types from another thread, as after a link's round trip.
    public func type(_ text: String, after delay: Duration) {
        let master = master
        BlockingThread.start {
            // It is the link's delay: there is nothing else to wait for.
            usleep(UInt32(delay / .microseconds(1)))
            let bytes = Array(text.utf8)
            // What does not arrive is missed by the test that waits for it.
            _ = write(master, bytes, bytes.count)
        }
    }

    /// The next `count` bytes that the terminal is sent.
    public func read(count: Int) throws -> [UInt8] {
        var all: [UInt8] = []
        while all.count < count {
            try Self.check(Self.isReadable(master, within: 30_000), "\(all.count) of \(count) bytes came")
            all += written().utf8
        }
        return all
    }

    /// Everything the terminal was sent since the last call. The kernel passes on what was written a moment later, so
    /// the last bytes may come with the next call.
    public func writtenBytes() -> [UInt8] {
        var all: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 65_536)
        while true {
            let count = buffer.withUnsafeMutableBytes { Descriptor(master).readSome(into: $0) }
            guard count > 0 else { break }
            all += buffer[..<count]
        }
        return all
    }

    /// The same as text; only for whole characters.
    public func written() -> String { String(decoding: writtenBytes(), as: UTF8.self) }
}
