import Model
import Platform

/// Standard output with a buffer, so that whole pictures and lines are written with one call. Blocks while the pipe is
/// full.
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
        guard !isClosed else { return }
        do throws(SystemError) { try Descriptor(STDOUT_FILENO).write(bytes) } catch {
            isClosed = true
            if error.code != EPIPE { failure = error.code }
        }
    }
}
