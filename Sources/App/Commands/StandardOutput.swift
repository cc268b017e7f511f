import Model

#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

/// Standard output with its own buffer, so that whole pictures and lines are
/// written with one call. Blocks while nobody reads.
struct StandardOutput {
    private var buffer: [UInt8] = []
    /// Nothing more can be written, so the caller should stop.
    private(set) var isClosed = false
    /// The errno of a failed write; nil if the reader has just closed its end.
    private var failure: Int32?

    init() {
        // A closed pipe shall make `write` fail, not end the process with a signal.
        signal(SIGPIPE, SIG_IGN)
    }

    mutating func write(_ text: String) {
        buffer.append(contentsOf: text.utf8)
        if buffer.count >= 1 << 16 { flush() }
    }

    mutating func flush() {
        buffer.withUnsafeBytes { send($0) }
        buffer.removeAll(keepingCapacity: true)
    }

    mutating func write(_ bytes: UnsafeRawBufferPointer) {
        flush()
        send(bytes)
    }

    /// Writes the rest. Throws `AppError` if something could not be written, for example on a full disk, but not if a
    /// reader such as `head` has closed its end.
    mutating func finish() throws {
        flush()
        if let failure { throw AppError("cannot write the output: \(SystemError.text(failure))") }
    }

    private mutating func send(_ bytes: UnsafeRawBufferPointer) {
        guard !isClosed, let code = StandardOutput.writeAll(bytes) else { return }
        isClosed = true
        if code != EPIPE { failure = code }
    }

    /// The errno of the write that failed; nil if everything was written.
    private static func writeAll(_ bytes: UnsafeRawBufferPointer) -> Int32? {
        var written = 0
        while written < bytes.count {
            // Not empty, so it has a base address.
            #if canImport(Glibc)
                let count = Glibc.write(STDOUT_FILENO, bytes.baseAddress! + written, bytes.count - written)
            #else
                let count = Darwin.write(STDOUT_FILENO, bytes.baseAddress! + written, bytes.count - written)
            #endif
            if count < 0 {
                if errno == EINTR { continue }
                guard errno == EAGAIN else { return errno }
                var wait = pollfd(fd: STDOUT_FILENO, events: Int16(POLLOUT), revents: 0)
                poll(&wait, 1, -1)
                continue
            }
            written += count
        }
        return nil
    }
}
