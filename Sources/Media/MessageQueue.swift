import Threads
import Wire

/// Messages from flick that have not been handled yet. The channel's thread fills it; the session's thread empties it and may wait.
///
/// Answers to reads are kept apart from orders, so that a read can wait for its own while orders pile up behind it.
final class MessageQueue: Sendable {
    private struct State {
        var orders: [ToDecoder] = []
        var answers: [ToDecoder] = []
        var changes = 0
        var isClosed = false
    }

    private let state = Monitor(State())

    /// Files a message.
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

    /// Nothing more will come.
    func close() {
        state.change { state in
            state.isClosed = true
            state.changes += 1
        }
    }

    var isClosed: Bool { state.withLock(\.isClosed) }

    /// How many messages have come. Read it, look for what is wanted, and `wait(past:)` it if that is not there.
    var version: Int { state.withLock(\.changes) }

    /// Blocks until something has come since `version` was read, or until `time` of `MonotonicTime`.
    func wait(past version: Int, until time: Microseconds? = nil) {
        let limit = time.map { Duration.microseconds($0 - MonotonicTime.now()) }
        let _: Void? = state.wait(upTo: limit) { $0.changes == version ? nil : () }
    }

    /// Whether somebody wants to be elsewhere: what is being read is of no use any more.
    var hasSeek: Bool {
        state.withLock { state in
            state.orders.contains {
                if case .seek = $0 { true } else { false }
            }
        }
    }

    /// The next order. Of several seeks in a row only the last is given, for nobody will see where the others would have led.
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

    /// The next order that can be followed in the middle of a read: those that touch neither the place in the clip nor how it is played.
    func nextHarmless() -> ToDecoder? {
        state.withLock { state in
            let index = state.orders.firstIndex {
                switch $0 {
                case .release, .credit, .surface, .link: true
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

    /// The answer to `read` of `id` at `offset`, once. Answers to reads of `id` that nobody waits for any more are dropped.
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
