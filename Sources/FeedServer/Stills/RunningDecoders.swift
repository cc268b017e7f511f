import Synchronization
import Wire

/// The decoders that are at work, so that the end of the server is theirs, too. Any thread.
final class RunningDecoders: Sendable {
    private struct State {
        var processes: [DecoderProcess] = []
        var isEnded = false
    }

    private let state = Mutex(State())

    var count: Int { state.withLock(\.processes.count) }

    var isEnded: Bool { state.withLock(\.isEnded) }

    /// Runs `body` with a new decoder. Throws `WireError`: `closed` once no more may start. Blocks.
    func withDecoder<Value>(of nursery: Nursery, _ body: (DecoderProcess) throws -> Value) throws -> Value {
        let process = try nursery.decoder()
        let isEntered = state.withLock { state in
            if !state.isEnded { state.processes.append(process) }
            return !state.isEnded
        }
        guard isEntered else {
            process.kill()
            process.reap()
            throw WireError.closed
        }
        defer { state.withLock { state in state.processes.removeAll { $0 === process } } }
        return try body(process)
    }

    /// Ends all of them at once, and has no more started. Returns at once.
    func end() {
        let processes = state.withLock { state in
            state.isEnded = true
            return state.processes
        }
        for process in processes { process.kill() }
    }
}
