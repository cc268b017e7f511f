import Model

#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

/// The terminal's line: bytes in and out, never waiting.
///
/// It opens the terminal device anew: being non-blocking belongs to an open file, and the one flick was started with is shared with the shell, which
/// would find its own reads failing. Where that is not allowed, the given descriptors are used, each call guarded by poll(2).
struct TTY {
    /// What a line that may block takes in one write after poll said yes: the kernel promises this much room (WAKEUP_CHARS).
    private static let guardedWrite = 256

    let input: Int32
    let output: Int32
    private let isOwn: Bool
    private var pending: [UInt8] = []
    private var sent = 0
    /// The other end has gone: nothing will ever be read or written again.
    private(set) var isGone = false

    init(input given: Int32, output givenOutput: Int32) throws(ScreenError) {
        guard isatty(givenOutput) == 1 else { throw .notATerminal }
        var own: Int32 = -1
        if let name = ttyname(givenOutput) { own = Self.open(name) }
        if own < 0 { own = Self.open("/dev/tty") }
        isOwn = own >= 0
        if isOwn {
            input = own
            output = own
        } else {
            // Standard input may be a list of clips; without a terminal on it there are no keys.
            guard isatty(given) == 1 else { throw .notATerminal }
            input = given
            output = givenOutput
        }
    }

    private static func open(_ path: UnsafePointer<CChar>) -> Int32 {
        #if canImport(Glibc)
            Glibc.open(path, O_RDWR | O_NONBLOCK | O_NOCTTY | O_CLOEXEC)
        #else
            Darwin.open(path, O_RDWR | O_NONBLOCK | O_NOCTTY | O_CLOEXEC)
        #endif
    }

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

    /// What has arrived, at most 64 KB at a time so that a flood of input cannot keep the page from being drawn.
    mutating func read() -> [UInt8] {
        var all: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 4096)
        while all.count < 1 << 16, isOwn || Self.isReady(input, POLLIN) {
            let count = systemRead(input, &buffer, buffer.count)
            if count > 0 {
                all += buffer[..<count]
                if count < buffer.count { break }
            } else if count < 0, errno == EINTR {
                continue
            } else {
                // 0 is a terminal that hung up, EIO one that belongs to nobody any more.
                if count == 0 || (errno != EAGAIN && errno != EWOULDBLOCK) { isGone = true }
                break
            }
        }
        return all
    }

    /// Looks whether the other end has gone, where somebody else reads.
    mutating func noteHangUp() {
        var entry = pollfd(fd: input, events: 0, revents: 0)
        if poll(&entry, 1, 0) > 0, entry.revents & Int16(POLLHUP | POLLERR | POLLNVAL) != 0 { isGone = true }
    }

    // MARK: out

    var isBusy: Bool { sent < pending.count }

    mutating func write(_ bytes: UnsafeRawBufferPointer) {
        guard !isGone, !bytes.isEmpty else { return }
        var rest = bytes
        if !isBusy {
            let count = send(bytes)
            rest = UnsafeRawBufferPointer(rebasing: bytes[count...])
        }
        if !rest.isEmpty, !isGone { pending.append(contentsOf: rest) }
    }

    mutating func flush() {
        guard isBusy else { return }
        // The buffer is lent out meanwhile, so that `send` can note that the terminal has gone.
        let bytes = pending
        pending = []
        sent += bytes.withUnsafeBytes { send(UnsafeRawBufferPointer(rebasing: $0[sent...])) }
        if sent < bytes.count, !isGone {
            pending = bytes
        } else {
            sent = 0
        }
    }

    /// What is still queued is not sent any more.
    mutating func forget() {
        pending.removeAll()
        sent = 0
    }

    /// Sends what the terminal takes now; how many bytes that were.
    private mutating func send(_ bytes: UnsafeRawBufferPointer) -> Int {
        var done = 0
        while done < bytes.count, isOwn || Self.isReady(output, POLLOUT) {
            let wanted = isOwn ? bytes.count - done : min(bytes.count - done, Self.guardedWrite)
            let count = systemWrite(output, bytes.baseAddress.map { $0 + done }, wanted)
            if count >= 0 {
                done += count
            } else if errno != EINTR {
                if errno != EAGAIN && errno != EWOULDBLOCK { isGone = true }
                break
            }
        }
        return done
    }

    static func isReady(_ descriptor: Int32, _ events: Int32, within milliseconds: Int32 = 0) -> Bool {
        var entry = pollfd(fd: descriptor, events: Int16(events), revents: 0)
        return poll(&entry, 1, milliseconds) > 0
    }

    func close() {
        if isOwn { systemClose(output) }
    }
}

#if canImport(Glibc)
    private let systemRead = Glibc.read
    private let systemWrite = Glibc.write
    private func systemClose(_ descriptor: Int32) { _ = Glibc.close(descriptor) }
#else
    private let systemRead = Darwin.read
    private let systemWrite = Darwin.write
    private func systemClose(_ descriptor: Int32) { _ = Darwin.close(descriptor) }
#endif
