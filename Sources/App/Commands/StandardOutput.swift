import Model

#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

/// Standard output with a buffer of its own: whole pictures and lines go out in one call each. Blocks while nobody reads.
public struct StandardOutput {
    private var buffer: [UInt8] = []
    /// Nothing more can be written: there is no use in making more.
    public private(set) var isClosed = false
    /// Why, where it is not that the reader has had enough: errno.
    private var failure: Int32?

    public init() {
        // A reader that has gone shows in a call that fails, not by a signal.
        signal(SIGPIPE, SIG_IGN)
    }

    public mutating func write(_ text: String) {
        buffer.append(contentsOf: text.utf8)
        if buffer.count >= 1 << 16 { flush() }
    }

    public mutating func flush() {
        buffer.withUnsafeBytes { send($0) }
        buffer.removeAll(keepingCapacity: true)
    }

    public mutating func write(_ bytes: UnsafeRawBufferPointer) {
        flush()
        send(bytes)
    }

    /// Writes what is left. Throws `AppError` if anything could not be written, as on a full disk; not where a reader, say `head`, has closed its end.
    public mutating func finish() throws {
        flush()
        if let failure { throw AppError("cannot write the output: \(String(cString: strerror(failure)).lowercased())") }
    }

    private mutating func send(_ bytes: UnsafeRawBufferPointer) {
        guard !isClosed, let code = StandardOutput.writeAll(bytes) else { return }
        isClosed = true
        if code != EPIPE { failure = code }
    }

    /// The errno of the write that failed; nil if all was written.
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

/// What failed, as one line on standard error: names of files are in it, so nothing in it may command the terminal.
public func printError(_ line: String) { printUsage(CleanText.line(line)) }

/// A text of several lines on standard error. What was typed may be quoted in it, so only its line breaks are obeyed.
public func printUsage(_ text: String) {
    let harmless = text.unicodeScalars.map { scalar in
        scalar != "\n" && scalar.properties.generalCategory == .control ? "\u{FFFD}" : Character(scalar)
    }
    let bytes = Array((String(harmless) + "\n").utf8)
    _ = bytes.withUnsafeBytes { write(STDERR_FILENO, $0.baseAddress, $0.count) }
}
