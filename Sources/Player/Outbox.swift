import Synchronization
import Wire

/// Messages on their way to a decoder. The main thread never waits for a decoder that does not read; the reader's thread may.
final class Outbox: Sendable {
    private struct Queue {
        var messages: [ArraySlice<UInt8>] = []
        var isDraining = false
        var failed = false
    }

    private let channel: DecoderChannel
    private let queue = Mutex(Queue())

    init(channel: DecoderChannel) { self.channel = channel }

    /// Whether something waits that the socket did not take.
    var isBlocked: Bool { queue.withLock { !$0.messages.isEmpty && !$0.isDraining } }

    func send(_ message: ToDecoder, waits: Bool) {
        let bytes = message.encoded()
        queue.withLock { $0.messages.append(bytes[...]) }
        drain(waits: waits)
    }

    /// Sends what waits. If another thread is at it, that one does the rest.
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
                // The reader's thread finds the channel closed and tells.
                queue.withLock { $0 = Queue(failed: true) }
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
