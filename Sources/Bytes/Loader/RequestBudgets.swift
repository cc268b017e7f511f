import Model
import Synchronization

/// The `RequestBudget` of every URL. Any thread.
final class RequestBudgets: Sendable {
    /// One request for a URL. Its last reference ends it.
    final class Ask: Sendable {
        private enum State {
            case under(RequestBudget.End)
            case brought
        }

        private let limits: RequestBudgets
        private let url: String
        private let state = Mutex(State.under(.unanswered))

        fileprivate init(_ limits: RequestBudgets, _ url: String) { (self.limits, self.url) = (limits, url) }

        deinit {
            guard case .under(let end) = state.withLock(\.self) else { return }
            let now = limits.now()
            limits.change(url) { $0.end(end, at: now) }
        }

        /// The server has answered: until there is a byte, in vain.
        func answered() { note(.inVain(.empty)) }

        /// Nothing new came of the answer, and nothing more comes.
        func endedInVain(_ reason: BytesError.Reason) { note(.inVain(reason)) }

        /// New bytes have come.
        func progressed() {
            let isFirst = state.withLock { state in
                guard case .under = state else { return false }
                state = .brought
                return true
            }
            if isFirst { limits.change(url) { $0.progressed() } }
        }

        private func note(_ end: RequestBudget.End) {
            state.withLock { if case .under = $0 { $0 = .under(end) } }
        }
    }

    private struct Entry {
        var limit = RequestBudget()
        /// Those who wait until one of the requests under way has brought a byte or ended. Finished then.
        var waiting: [AsyncStream<Never>.Continuation] = []
    }

    private let all = Mutex<[String: Entry]>([:])
    private let now: @Sendable () -> Duration
    /// With more URLs, those that do not matter any more are forgotten.
    private static let manyURLs = 256

    init(now: @escaping @Sendable () -> Duration) { self.now = now }

    /// Asks for `url`, once there is no more under way than may be. Throws the last answer as a `BytesError` if it was
    /// asked for in vain too often.
    func ask(_ url: String) async throws -> Ask {
        while true {
            let now = now()
            let (verdict, changed) = all.withLock { all -> (RequestBudget.Verdict, AsyncStream<Never>?) in
                if all.count > RequestBudgets.manyURLs { all = all.filter { !$0.value.limit.isOver(now: now) } }
                let verdict = all[url, default: Entry()].limit.begin(now: now)
                guard verdict == .wait else { return (verdict, nil) }
                let (changed, waiting) = AsyncStream.makeStream(of: Never.self)
                all[url]?.waiting.append(waiting)
                return (verdict, changed)
            }
            switch verdict {
            case .ask: return Ask(self, url)
            case .refuse(let reason): throw BytesError(verb: .open, url: url, reason: reason)
            case .wait:
                if let changed { for await _ in changed {} }
                try Task.checkCancellation()
            }
        }
    }

    /// Tells the limit of `url` what became of one of its requests, and those who wait for that.
    private func change(_ url: String, _ body: (inout RequestBudget) -> Void) {
        let waiting = all.withLock { all in
            guard var entry = all[url] else { return [AsyncStream<Never>.Continuation]() }
            body(&entry.limit)
            let waiting = entry.waiting
            entry.waiting = []
            all[url] = entry
            return waiting
        }
        for one in waiting { one.finish() }
    }
}
