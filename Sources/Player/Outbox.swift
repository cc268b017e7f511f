import Threads
import Wire

/// Messages on their way to a decoder, in order, from any thread. The main thread
/// never waits for a decoder that does not read; the threads of the `ReadServer` do.
///
/// The queue is bounded: answers wait for room, and orders that a correct decoder would have read long ago fail.
final class Outbox: Sendable {
    private struct Queue {
        var messages: [ArraySlice<UInt8>] = []
        /// Bytes of all messages that wait.
        var bytes = 0
        var isDraining = false
        var failed = false
        var sentCount = 0
        /// Bytes that the socket has taken.
        var taken = 0

        mutating func fail() { self = Queue(failed: true, sentCount: sentCount, taken: taken) }
    }

    /// In bytes: when this much is queued, an answer waits to be added.
    static let room = 64 << 10
    /// In bytes: orders beyond this fail. Behind one answer there is room for a thousand and more.
    static let most = room + WireLimit.message + room
    /// What a message costs beside its bytes.
    private static let overhead = 32

    private let channel: DecoderChannel
    private let queue = Monitor(Queue())

    init(channel: DecoderChannel) { self.channel = channel }

    /// How many messages were given to `send` so far.
    var sentCount: Int { queue.withLock(\.sentCount) }

    /// Whether something waits that the socket did not take.
    var isBlocked: Bool { queue.withLock { !$0.messages.isEmpty && !$0.isDraining } }

    /// How many bytes the socket has taken; nil if nothing waits to be taken.
    var unread: Int? { queue.withLock { $0.bytes > 0 ? $0.taken : nil } }

    /// In bytes, for tests: what waits.
    var waiting: Int { queue.withLock(\.bytes) }

    /// False if the decoder has left so much unread that it violates
    /// the protocol: this message is lost, and so are all others.
    ///
    /// - Parameter waits: blocks until the message was handed on, or something else fails.
    @discardableResult
    func send(_ message: ToDecoder, waits: Bool) -> Bool {
        let bytes = message.encoded()
        if waits { let _: Void? = queue.wait { $0.failed || $0.bytes <= Outbox.room ? () : nil } }
        let isKept = queue.withLock { queue in
            queue.sentCount += 1
            guard !queue.failed else { return true }
            guard queue.bytes <= Outbox.most else { return false }
            queue.messages.append(bytes[...])
            queue.bytes += bytes.count + Outbox.overhead
            return true
        }
        guard isKept else {
            queue.change { $0.fail() }
            return false
        }
        drain(waits: waits)
        return true
    }

    /// Sends what waits. If another thread does so already, that one sends the rest.
    func drain(waits: Bool) {
        let begins = queue.withLock { queue in
            guard !queue.isDraining, !queue.failed else { return false }
            queue.isDraining = true
            return true
        }
        guard begins else { return }
        while let message = nextMessage() {
            do {
                let sent = try channel.write(message, waits: waits)
                let isBlocked = queue.change { queue in
                    guard !queue.failed else { return true }
                    queue.taken += sent
                    queue.bytes -= sent
                    guard sent < message.count else {
                        queue.bytes -= Outbox.overhead
                        return false
                    }
                    queue.messages.insert(message[(message.startIndex + sent)...], at: 0)
                    queue.isDraining = waits
                    return !waits
                }
                if isBlocked { return }
            } catch {
                // The thread that receives finds the channel closed, and reports it.
                queue.change { $0.fail() }
                return
            }
        }
    }

    /// The next message to send; when the queue is empty, draining stops.
    private func nextMessage() -> ArraySlice<UInt8>? {
        queue.withLock { queue in
            guard !queue.messages.isEmpty else {
                queue.isDraining = false
                return nil
            }
            return queue.messages.removeFirst()
        }
    }
}

/// Detects a decoder that does not read its messages. The caller passes the time.
struct StalledReaderDetector {
    /// The longest time between two looks that counts: during a longer gap
    /// flick was stopped or the machine slept, and the decoder with it.
    static let longestGap = Duration.seconds(1)

    private var last: (taken: Int, at: Duration)?
    /// For how long nothing was read.
    private var silent = Duration.zero

    /// Whether it has read nothing for as long as it may be silent. To be called twice a second while messages wait.
    ///
    /// - Parameter unread: `Outbox.unread`.
    mutating func isStuck(_ unread: Int?, now: Duration) -> Bool {
        if let last, last.taken == unread {
            silent += min(now - last.at, Self.longestGap)
        } else {
            silent = .zero
        }
        last = unread.map { ($0, now) }
        return silent >= Watchdog.patience
    }
}
