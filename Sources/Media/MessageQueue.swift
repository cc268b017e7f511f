import Threads
import Wire

/// Messages from flick that are not handled yet. The channel's thread adds them; the session's thread removes them and
/// can wait for more.
///
/// Answers to reads are separate from orders, so that a read can wait for its answer while orders queue up.
final class MessageQueue: Sendable {
    private struct State {
        var orders: [ToDecoder] = []
        var answers: [ToDecoder] = []
        var changes = 0
        var isClosed = false
    }

    private let state = Monitor(State())

    /// Adds a message.
    func put(_ message: ToDecoder) {
        state.change { state in
            switch message {
            case .source, .data: state.answers.append(message)
            case .close: state.isClosed = true
            default: state.orders.append(message)
            }
            state.changes += 1
        }
    }

    /// No more messages will come.
    func close() {
        state.change { state in
            state.isClosed = true
            state.changes += 1
        }
    }

    var isClosed: Bool { state.withLock(\.isClosed) }

    /// Changes with each message. Read it, look for a message, and call
    /// `wait(past:)` with it if the message is not there.
    var version: Int { state.withLock(\.changes) }

    /// Blocks until a message has come since `version` was read, or until `time` of `MonotonicTime`. Returns at once if
    /// it is closed: that may have happened before `version` was read.
    func wait(past version: Int, until time: Microseconds? = nil) {
        let limit = time.map { Duration.microseconds($0 - MonotonicTime.now()) }
        let _: Void? = state.wait(upTo: limit) { $0.changes == version && !$0.isClosed ? nil : () }
    }

    /// Whether a seek waits, so that the current reading is useless.
    var hasSeek: Bool {
        state.withLock { state in
            state.orders.contains {
                if case .seek = $0 { true } else { false }
            }
        }
    }

    /// The next order. Of several seeks in a row only the last is returned: results of the others would never be seen.
    func next() -> ToDecoder? {
        state.withLock { state in
            while !state.orders.isEmpty {
                let order = state.orders.removeFirst()
                if case .seek = order, state.orders.contains(where: { if case .seek = $0 { true } else { false } }) {
                    continue
                }
                return order
            }
            return nil
        }
    }

    /// The next order that can be handled in the middle of a read: one that
    /// neither seeks nor changes how the clip is played.
    func nextHarmless() -> ToDecoder? {
        state.withLock { state in
            let index = state.orders.firstIndex {
                switch $0 {
                case .release, .credit, .surface, .link, .warm, .watched: true
                default: false
                }
            }
            return index.map { state.orders.remove(at: $0) }
        }
    }

    /// The answer to `openURL` of `id`, once.
    func receiveSource(id: UInt32) -> (url: String, length: Int64, seekable: Bool, error: String)? {
        state.withLock { state in
            for (index, answer) in state.answers.enumerated() {
                if case .source(id, let url, let length, let seekable, let error) = answer {
                    state.answers.remove(at: index)
                    return (url, length, seekable, error)
                }
            }
            return nil
        }
    }

    /// The answer to `read` of `id` at `offset`, once. Drops answers to earlier reads of `id`.
    func receiveData(id: UInt32, offset: Int64) -> (bytes: [UInt8], error: String)? {
        state.withLock { state in
            var found: (bytes: [UInt8], error: String)?
            state.answers.removeAll { answer in
                guard case .data(id, let place, let bytes, let error) = answer else { return false }
                if place == offset && found == nil { found = (bytes, error) }
                return true
            }
            return found
        }
    }
}
