import Synchronization
import Wire

/// Messages on their way to a decoder, in order, from any thread. The main thread never waits for a decoder that does not read; the threads of the
/// `ReadServer` may.
final class Outbox: Sendable {
    private struct Queue {
        var messages: [ArraySlice<UInt8>] = []
        var isDraining = false
        var failed = false
        var sentCount = 0
    }

    private let channel: DecoderChannel
    private let queue = Mutex(Queue())

    init(channel: DecoderChannel) { self.channel = channel }

    /// How many messages were given to `send` so far.
    var sentCount: Int { queue.withLock(\.sentCount) }

    /// Whether something waits that the socket did not take.
    var isBlocked: Bool { queue.withLock { !$0.messages.isEmpty && !$0.isDraining } }

    func send(_ message: ToDecoder, waits: Bool) {
        let bytes = message.encoded()
        queue.withLock { queue in
            queue.messages.append(bytes[...])
            queue.sentCount += 1
        }
        drain(waits: waits)
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
                guard sent < message.count else { continue }
                let blocked = queue.withLock { queue in
                    queue.messages.insert(message[(message.startIndex + sent)...], at: 0)
                    queue.isDraining = waits
                    return !waits
                }
                if blocked { return }
            } catch {
                // The thread that receives finds the channel closed, and reports it.
                queue.withLock { $0 = Queue(failed: true, sentCount: $0.sentCount) }
                return
            }
        }
    }

    /// The next message to send; with none left, nobody drains any more.
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
