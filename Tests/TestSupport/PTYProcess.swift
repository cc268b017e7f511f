import Model
import Platform

/// A program in its own pseudo-terminal, seen from the terminal's side. Used by one thread at a time.
///
/// It does not interpret what the program writes; it only times it.
public final class PTYProcess {
    public struct Error: Swift.Error, CustomStringConvertible {
        public let description: String
        public init(description: String) { self.description = description }
    }

    public let pid: pid_t
    private let master: Int32
    private(set) public var status: Int32?
    /// The line's modes before the program started.
    public let modesBefore: String
    private(set) public var usage = rusage()

    /// What the user's own flick remembers is out of reach.
    private let state = TemporaryFolder()

    /// Starts `arguments` (the first is the program's path) in a terminal of `size`.
    public init(_ arguments: [String], size: GridSize, environment: [String: String] = [:]) throws {
        let path: String
        (master, path) = try TerminalLine.open(
            size: size, pixels: PixelSize(width: size.columns * 8, height: size.rows * 16))

        modesBefore = Self.modes(of: master)
        var variables = ["TERM": "xterm-256color", "COLORTERM": "truecolor", "LC_ALL": "C.UTF-8", "LANG": "C.UTF-8"]
        variables["XDG_STATE_HOME"] = state.path
        for name in ["PATH", "HOME"] { variables[name] = getenv(name).map { String(cString: $0) } }
        variables.merge(environment) { $1 }
        do {
            pid = try spawn(arguments, terminal: path, environment: variables)
        } catch {
            close(master)
            throw error
        }
    }

    deinit {
        if status == nil { reap(pid, after: SIGKILL) }
        close(master)
    }

    /// The line's current modes, as a text to compare.
    public var modes: String { Self.modes(of: master) }

    private static func modes(of line: Int32) -> String {
        var modes = termios()
        tcgetattr(line, &modes)
        return "\(modes.c_iflag) \(modes.c_oflag) \(modes.c_cflag) \(modes.c_lflag) \(modes.c_cc)"
    }

    /// Types `text`.
    public func type(_ text: String) {
        var bytes = Array(text.utf8)
        _ = write(master, &bytes, bytes.count)
    }

    /// Changes the terminal's size, as dragging a corner of its window does.
    public func resize(to size: GridSize) {
        var window = winsize(
            ws_row: UInt16(size.rows), ws_col: UInt16(size.columns), ws_xpixel: UInt16(size.columns * 8),
            ws_ypixel: UInt16(size.rows * 16))
        _ = ioctl(master, UInt(TIOCSWINSZ), &window)
    }

    /// Passes what the program writes to `body`, piece by piece, until `limit`
    /// from now. Ends early if `body` returns false.
    ///
    /// Returns false if the program has closed the terminal.
    @discardableResult
    public func read(
        for limit: Duration, _ body: (UnsafeRawBufferPointer) -> Bool
    ) -> Bool {
        let end = ContinuousClock.now + limit
        var buffer = [UInt8](repeating: 0, count: 1 << 16)
        while true {
            let left = end - ContinuousClock.now
            guard left > .zero else { return true }
            var wait = pollfd(fd: master, events: Int16(POLLIN), revents: 0)
            let milliseconds = left.components.seconds * 1_000 + left.components.attoseconds / 1_000_000_000_000_000
            guard poll(&wait, 1, Int32(clamping: milliseconds + 1)) > 0 else { continue }
            let count = buffer.withUnsafeMutableBytes { Descriptor(master).readSome(into: $0) }
            // EIO means that no process has the terminal open any more.
            guard count > 0 else { return false }
            let isWanted = buffer.withUnsafeBytes { body(UnsafeRawBufferPointer(rebasing: $0[..<count])) }
            if !isWanted { return true }
        }
    }

    /// Waits until the program has written something, and reads it. nil if
    /// nothing came in time, or nothing may be read.
    public func readSome(atMost count: Int, within limit: Duration) -> [UInt8]? {
        var wait = pollfd(fd: count > 0 ? master : -1, events: Int16(POLLIN), revents: 0)
        guard poll(&wait, 1, Int32(clamping: Int64((limit / .milliseconds(1)).rounded(.up)))) > 0 else { return nil }
        let size = min(count, 1 << 16)
        let bytes = [UInt8](unsafeUninitializedCapacity: size) { buffer, read in
            let room = UnsafeMutableRawBufferPointer(rebasing: UnsafeMutableRawBufferPointer(buffer)[..<size])
            read = max(Descriptor(master).readSome(into: room), 0)
        }
        return bytes.isEmpty ? nil : bytes
    }

    /// How many bytes of the program's output are unread: at most what the kernel holds, some 4 KB.
    public var unreadBytes: Int {
        var count: Int32 = 0
        return ioctl(master, UInt(FIONREAD), &count) == 0 ? Int(count) : 0
    }

    /// Reads until the program ends; kills it after `limit`. Returns waitpid's status.
    @discardableResult
    public func finish(within limit: Duration) -> Int32 {
        if let status { return status }
        if read(for: limit, { _ in true }) { kill(pid, SIGKILL) }
        var status: Int32 = 0
        _ = uninterrupted { wait4(pid, &status, 0, &usage) }
        self.status = status
        return status
    }

    /// User and system time of the program and all its children, in seconds. Call it after `finish`.
    public var processorSeconds: Double {
        func seconds(_ time: timeval) -> Double { Double(time.tv_sec) + Double(time.tv_usec) * 1e-6 }
        return seconds(usage.ru_utime) + seconds(usage.ru_stime)
    }
}
