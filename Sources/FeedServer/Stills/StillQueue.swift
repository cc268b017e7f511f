import Bytes
import Synchronization
import Threads

/// Makes stills, at most two at a time, each on a thread that may block; others wait in line.
/// Requests for a still that is being made share it. Any thread.
final class StillQueue: Sendable {
    struct Job: Sendable {
        /// Identifies the clip and its edition.
        var name: String
        /// Below the served folder.
        var path: [UInt8]
        var clip: ServedFile
    }

    enum Outcome: Sendable {
        case file(ServedFile)
        /// It could not be kept.
        case bytes([UInt8])
        /// This edition of the clip has no picture, and why.
        case none(String)
        /// It may have a still, but not now, and why.
        case failed(String)
        /// Too many wait.
        case busy
    }

    /// Makes one still after the other on one thread, which it blocks.
    typealias Maker = (Job) -> Outcome

    private struct State {
        var line: [Job] = []
        /// Those in line and those that are made.
        var waiters: [String: [CheckedContinuation<Outcome, Never>]] = [:]
        var threads = 0
        /// The threads that are making one.
        var busy = 0
        var failures = Recent<String, String>(limit: StillQueue.maxFailures)
        var isEnded = false
    }

    /// The most that are made at a time, and the most that wait.
    static let maxAtOnce = 2
    static let maxWaiting = 64
    /// The most clips without a still that are remembered.
    private static let maxFailures = 10_000

    private let state = Monitor(State())
    private let maker: @Sendable () -> Maker

    /// - Parameter maker: called on each thread that begins, and retained until the line is empty.
    init(maker: @escaping @Sendable () -> Maker) { self.maker = maker }

    /// How many wait in line, and how many wait for one. For tests.
    var waiting: (jobs: Int, askers: Int) {
        state.withLock { ($0.line.count, $0.waiters.values.reduce(0) { $0 + $1.count }) }
    }

    /// Whether a clip's edition is known to have no picture.
    func hasFailed(_ name: String) -> Bool { state.withLock { $0.failures.peek(name) != nil } }

    /// Makes a still, or waits for who makes it.
    func make(_ job: Job) async -> Outcome {
        await withCheckedContinuation { waiter in
            enum Next { case answer(Outcome), start, wait }
            let next: Next = state.change { state in
                guard !state.isEnded else { return .answer(Self.ended) }
                if let why = state.failures[job.name] { return .answer(.none(why)) }
                if state.waiters[job.name] == nil {
                    guard state.line.count < Self.maxWaiting else { return .answer(.busy) }
                    state.line.append(job)
                }
                state.waiters[job.name, default: []].append(waiter)
                guard state.threads < min(Self.maxAtOnce, state.line.count + state.busy) else { return .wait }
                state.threads += 1
                return .start
            }
            switch next {
            case .answer(let outcome): waiter.resume(returning: outcome)
            case .wait: break
            case .start: BlockingThread.start { [self] in work() }
            }
        }
    }

    /// Refuses further ones, and those in line. Returns at once.
    func end() {
        let lost = state.change { state in
            state.isEnded = true
            defer { state.line = [] }
            return state.line.flatMap { state.waiters.removeValue(forKey: $0.name) ?? [] }
        }
        for waiter in lost { waiter.resume(returning: Self.ended) }
    }

    /// Waits until no still is being made. Blocks.
    func drain(upTo limit: Duration) { _ = state.wait(upTo: limit) { $0.threads == 0 ? () : nil } }

    private static let ended = Outcome.failed("the server is shutting down")

    // MARK: Threads

    private func work() {
        let make = maker()
        while let job = next() {
            let outcome = make(job)
            let waiters = state.change { state in
                state.busy -= 1
                if case .none(let why) = outcome {
                    state.failures[job.name] = why
                    state.failures.trim()
                }
                return state.waiters.removeValue(forKey: job.name) ?? []
            }
            for waiter in waiters { waiter.resume(returning: outcome) }
        }
    }

    /// nil, and the thread ends, if there is nothing to make.
    private func next() -> Job? {
        state.change { state in
            guard !state.line.isEmpty else {
                state.threads -= 1
                return nil
            }
            state.busy += 1
            return state.line.removeFirst()
        }
    }
}
