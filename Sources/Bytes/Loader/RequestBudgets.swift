import Model
import Synchronization

/// The `RequestBudget` of every URL. Any thread.
final class RequestBudgets: Sendable {
    /// Allows one request. Its last reference ends it.
    final class Permit: Sendable {
        private enum State {
            case open(RequestBudget.Outcome)
            case settled
        }

        private let budgets: RequestBudgets
        private let url: String
        private let state = Mutex(State.open(.unanswered))

        fileprivate init(_ budgets: RequestBudgets, _ url: String) { (self.budgets, self.url) = (budgets, url) }

        deinit {
            guard case .open(let outcome) = state.withLock(\.self) else { return }
            end(outcome)
        }

        /// The server has answered: unless a byte comes, the request was fruitless.
        func answered() {
            state.withLock { if case .open = $0 { $0 = .open(.fruitless(.empty)) } }
        }

        /// Nothing new came of the answer, and nothing more comes.
        func fruitless(_ reason: BytesError.Reason) { if settle() { end(.fruitless(reason)) } }

        /// It failed before anything came.
        func failed(_ error: BytesError) {
            if settle() { end(error.isOffline ? .unreached : .fruitless(error.reason)) }
        }

        /// New bytes have come.
        func progressed() { if settle() { budgets.change(url) { $0.progressed() } } }

        /// Whether it was open until now.
        private func settle() -> Bool {
            state.withLock { state in
                guard case .open = state else { return false }
                state = .settled
                return true
            }
        }

        private func end(_ outcome: RequestBudget.Outcome) {
            let now = budgets.now()
            budgets.change(url) { $0.end(outcome, at: now) }
        }
    }

    private struct Entry {
        var budget = RequestBudget()
        /// Callers that wait until a request under way has brought a byte or ended. Finished then.
        var waiting: [AsyncStream<Never>.Continuation] = []
    }

    private let all = Mutex<[String: Entry]>([:])
    private let now: @Sendable () -> Duration
    /// With more URLs, full budgets are dropped.
    private static let manyURLs = 256

    init(now: @escaping @Sendable () -> Duration) { self.now = now }

    /// Allows a request for `url`, once there are not too many under way. Throws the last answer as a `BytesError` if
    /// the budget is used up.
    ///
    /// - Parameter isPatient: see `RequestBudget.decision`.
    func permit(for url: String, isPatient: Bool = false) async throws -> Permit {
        while true {
            let now = now()
            let (decision, changed) = all.withLock { all -> (RequestBudget.Decision, AsyncStream<Never>?) in
                if all.count > RequestBudgets.manyURLs { all = all.filter { !$0.value.budget.isFull(at: now) } }
                let decision = all[url, default: Entry()].budget.decision(at: now, isPatient: isPatient)
                switch decision {
                case .send: all[url, default: Entry()].budget.begin()
                case .wait:
                    let (changed, waiting) = AsyncStream.makeStream(of: Never.self)
                    all[url]?.waiting.append(waiting)
                    return (decision, changed)
                case .refuse: break
                }
                return (decision, nil)
            }
            switch decision {
            case .send: return Permit(self, url)
            case .refuse(let reason): throw BytesError(verb: .open, url: url, reason: reason)
            case .wait:
                if let changed { for await _ in changed {} }
                try Task.checkCancellation()
            }
        }
    }

    /// A caller repeats its request for `url` no more: see `RequestBudget.giveUp`.
    func giveUp(_ url: String, because error: BytesError) {
        let now = now()
        change(url) { $0.giveUp(error.reason, at: now) }
    }

    /// What a request for `url` had brought was useless: see `RequestBudget.discard`.
    func discard(_ url: String) {
        let now = now()
        change(url) { $0.discard(at: now) }
    }

    /// Changes the budget of a URL that was requested, and wakes all that wait for that.
    private func change(_ url: String, _ body: (inout RequestBudget) -> Void) {
        let waiting = all.withLock { all in
            guard var entry = all[url] else { return [AsyncStream<Never>.Continuation]() }
            body(&entry.budget)
            let waiting = entry.waiting
            entry.waiting = []
            all[url] = entry
            return waiting
        }
        for one in waiting { one.finish() }
    }
}
