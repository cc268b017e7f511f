import Model
import Synchronization
import UI

#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

/// Messages from other threads to the main loop, in order, and a pipe that wakes its `poll`. Any thread posts; the
/// loop's thread drains.
final class Inbox<Message: Sendable>: Sendable {
    private struct Waiting {
        var messages: [Message] = []
        var isWoken = false
    }

    private let waiting = Mutex(Waiting())
    /// Readable when there is something to do.
    let descriptor: Int32
    private let wakeEnd: Int32

    init() throws(AppError) {
        var pair: [Int32] = [-1, -1]
        guard pipe(&pair) == 0 else {
            throw AppError("cannot make a pipe: \(SystemError.text(errno))")
        }
        for end in pair {
            _ = fcntl(end, F_SETFD, FD_CLOEXEC)
            _ = fcntl(end, F_SETFL, O_NONBLOCK)
        }
        (descriptor, wakeEnd) = (pair[0], pair[1])
    }

    deinit {
        close(descriptor)
        close(wakeEnd)
    }

    /// Any thread.
    func post(_ message: Message) {
        waiting.withLock { $0.messages.append(message) }
        wake()
    }

    /// Makes the loop run once more. Any thread. Costs a system call only if the loop has not been woken already.
    func wake() {
        let isFirst = waiting.withLock { waiting in
            defer { waiting.isWoken = true }
            return !waiting.isWoken
        }
        guard isFirst else { return }
        var byte: UInt8 = 1
        // A full pipe wakes the loop too.
        _ = write(wakeEnd, &byte, 1)
    }

    /// All messages so far. On the loop's thread.
    func drain() -> [Message] {
        waiting.withLock { waiting in
            if waiting.isWoken {
                var bytes: (UInt64, UInt64) = (0, 0)
                _ = withUnsafeMutableBytes(of: &bytes) { read(descriptor, $0.baseAddress, $0.count) }
                waiting.isWoken = false
            }
            defer { waiting.messages.removeAll() }
            return waiting.messages
        }
    }
}

/// What other threads have for the loop.
enum LoopMessage: Sendable {
    /// Something happened that the page shows.
    case event(Event)
    case feed(FeedSession.Arrival)
    /// Where long clips that come near were left.
    case places([Item.ID: Duration])
}
