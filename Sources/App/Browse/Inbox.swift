import Desktop
import Model
import Platform
import Synchronization
import UI

/// Messages from other threads to the main loop, in order, and a pipe that wakes its `poll`. Any thread posts; the
/// loop's thread drains.
final class Inbox<Message: Sendable>: Sendable {
    private struct Waiting {
        var messages: [Message] = []
        var isWoken = false
    }

    private let waiting = Mutex(Waiting())
    private let pipe: Pipe
    /// Readable when there is something to do.
    var descriptor: Int32 { pipe.reading.number }

    init() throws(AppError) {
        do throws(SystemError) { pipe = try Pipe(waits: false) } catch {
            throw AppError("cannot make a pipe: \(SystemError.text(error.code))")
        }
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
        if isFirst { pipe.wake() }
    }

    /// All messages so far. On the loop's thread.
    func drain() -> [Message] {
        waiting.withLock { waiting in
            if waiting.isWoken {
                pipe.clear()
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
    /// Another program wants something, and may wait for an answer.
    case desktop(DesktopRequest)
    /// Where long clips that come near were left.
    case places([Item.ID: Duration])
}
