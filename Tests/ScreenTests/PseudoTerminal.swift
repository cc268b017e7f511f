import Foundation
import Model
import TestSupport
import Testing
import Threads

@testable import Screen

#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

/// Both ends of a pseudo-terminal; closed with the value's last use of `deinit`.
final class PseudoTerminal {
    let slave: Int32
    private var master: Int32

    init(size: GridSize, pixels: PixelSize) throws {
        let (master, path) = try TerminalLine.open(size: size, pixels: pixels)
        self.master = master
        slave = open(path, O_RDWR | O_NOCTTY | O_CLOEXEC)
        try #require(slave >= 0, "\(path) cannot be opened")
        _ = fcntl(master, F_SETFL, O_NONBLOCK)
    }

    deinit {
        if master >= 0 { close(master) }
        close(slave)
    }

    /// Closes the terminal's side, and waits until the line has noticed. That is not at once: a program that another
    /// test starts has that side too, between its fork and its exec.
    func hangUp() throws {
        close(master)
        master = -1
        var entry = pollfd(fd: slave, events: 0, revents: 0)
        try #require(poll(&entry, 1, 30_000) == 1 && entry.revents & Int16(POLLHUP) != 0, "the line did not hang up")
    }

    /// What the line does with bytes, as text that can be compared.
    var modes: String {
        var modes = termios()
        tcgetattr(slave, &modes)
        return "\(modes.c_iflag) \(modes.c_oflag) \(modes.c_cflag) \(modes.c_lflag) \(modes.c_cc)"
    }

    /// What waits in the line for whoever reads next, finished lines or not.
    var unreadBytes: Int32 {
        var modes = termios()
        tcgetattr(slave, &modes)
        modes.c_lflag &= ~tcflag_t(ICANON)
        tcsetattr(slave, TCSANOW, &modes)
        var count: Int32 = 0
        _ = ioctl(slave, UInt(FIONREAD), &count)
        return count
    }

    func resize(to size: GridSize) throws {
        var window = winsize(ws_row: UInt16(size.rows), ws_col: UInt16(size.columns), ws_xpixel: 0, ws_ypixel: 0)
        try #require(ioctl(master, UInt(TIOCSWINSZ), &window) == 0)
    }

    func type(_ text: String) throws {
        let bytes = Array(text.utf8)
        try #require(write(master, bytes, bytes.count) == bytes.count)
        // The kernel hands them over on a thread of its own.
        try #require(TTY.isReady(slave, POLLIN, within: 5_000), "what was typed did not arrive")
    }

    /// Types from another thread, as after a link's round trip.
    func type(_ text: String, after delay: Duration) throws {
        let master = master
        let isStarted = BlockingThread.start {
            // It is the link's delay: there is nothing else to wait for.
            usleep(UInt32(delay / .microseconds(1)))
            let bytes = Array(text.utf8)
            #expect(write(master, bytes, bytes.count) == bytes.count)
        }
        try #require(isStarted)
    }

    /// The next `count` bytes that the terminal is sent.
    func read(count: Int) throws -> [UInt8] {
        var all: [UInt8] = []
        while all.count < count {
            try #require(TTY.isReady(master, POLLIN, within: 30_000), "\(all.count) of \(count) bytes came")
            all += written().utf8
        }
        return all
    }

    /// Whether the terminal takes notice that all it wrote was read: its thread may need a moment.
    @MainActor func becomesIdle(_ terminal: Terminal) -> Bool {
        let end = ContinuousClock.now + .seconds(30)
        while terminal.isBusy, ContinuousClock.now < end { sched_yield() }
        return !terminal.isBusy
    }

    /// Everything the terminal was sent since the last call. The kernel passes on what was written a moment later, so
    /// the last bytes may come with the next call.
    func writtenBytes() -> [UInt8] {
        var all: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 65_536)
        while true {
            let count = systemRead(master, &buffer, buffer.count)
            guard count > 0 else { break }
            all += buffer[..<count]
        }
        return all
    }

    /// The same as text; only for whole characters.
    func written() -> String { String(decoding: writtenBytes(), as: UTF8.self) }
}

#if canImport(Glibc)
    private let systemRead = Glibc.read
#else
    private let systemRead = Darwin.read
#endif
