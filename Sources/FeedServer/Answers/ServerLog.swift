import Model
import Platform
import Synchronization
import Threads

/// The log: a line for each request, and for what the operator should know. Any thread; does not wait.
final class ServerLog: Sendable {
    /// The most bytes that wait; more are lost while the log's reader is not reading.
    private static let waitingLimit = 1 << 20

    private let descriptor: Int32
    private let ownsDescriptor: Bool
    private let logsRequests: Bool
    private let addresses: LoggedAddress
    private let waiting = Mutex<[UInt8]>([])
    private let thread = SerialThread()

    /// Standard error.
    ///
    /// - Parameter tokens: what no line shows.
    init(logsRequests: Bool = true, tokens: [String] = []) {
        (descriptor, ownsDescriptor, self.logsRequests) = (2, false, logsRequests)
        addresses = LoggedAddress(tokens: tokens)
    }

    /// Appends to a file, which is made for the user alone; nil, with errno, if that cannot be.
    init?(path: String, logsRequests: Bool = true, tokens: [String] = []) {
        let descriptor = open(path, O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { return nil }
        self.descriptor = descriptor
        ownsDescriptor = true
        self.logsRequests = logsRequests
        addresses = LoggedAddress(tokens: tokens)
    }

    deinit { if ownsDescriptor { close(descriptor) } }

    func warn(_ text: String) { write("\(Self.time) warning: \(CleanText.line(text, limit: 1_000))") }

    /// - Parameter path: as it was sent; what would command a terminal is made harmless, and a token is left out, and
    ///   what may be one.
    func request(
        peer: String, method: String, path: String, status: Int, bytes: Int, seconds: Double, agent: String?
    ) {
        guard logsRequests else { return }
        let agent = agent.map { CleanText.line(addresses.agent($0), limit: 120).replacing("\"", with: "'") } ?? "-"
        let shown = CleanText.line(addresses.text(path), limit: 500).replacing("\"", with: "%22")
        let milliseconds = JSONLine.decimal((seconds * 10_000).rounded() / 10)
        write(
            "\(Self.time) \(peer) \"\(CleanText.line(method, limit: 20)) \(shown)\" \(status) \(bytes) \(milliseconds)ms \"\(agent)\""
        )
    }

    private static var time: String { RFC3339.text(seconds: WallClock.now.rounded(.down)) }

    /// Hands a line to the thread that writes: requests do not wait for the log's reader.
    private func write(_ line: String) {
        let isFirst: Bool = waiting.withLock { waiting in
            guard waiting.count < Self.waitingLimit else { return false }
            defer { waiting.append(contentsOf: (line + "\n").utf8) }
            return waiting.isEmpty
        }
        guard isFirst, thread.put({ [self] in drain() }) else { return }
        thread.wake()
    }

    private func drain() {
        let bytes = waiting.withLock { waiting in
            defer { waiting = [] }
            return waiting
        }
        // `try?`: a log that cannot be written is no reason to stop serving.
        try? Descriptor(descriptor).write(bytes)
    }

    /// Waits until all lines are written. Blocks.
    func finish() { thread.drain(upTo: .seconds(1)) }
}
