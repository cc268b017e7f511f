import Synchronization

/// State that one thread works with at a time. Other threads do not wait; they get nil meanwhile. Any thread.
package final class TryLock<Work: Sendable>: Sendable {
    /// nil while a thread works with it, and before `set`.
    private let work: Mutex<Work?>

    package init(_ work: Work? = nil) { self.work = Mutex(work) }

    func set(_ work: Work) { self.work.withLock { $0 = work } }

    /// Reads the state; nil while a thread works with it. `body` must be quick.
    func peek<Result: Sendable>(_ body: (Work) -> Result?) -> Result? { work.withLock { $0.flatMap(body) } }

    /// Runs `body` with the state; nil if another thread works with it.
    package func run<Result, Failure: Error>(_ body: (inout Work) throws(Failure) -> Result) throws(Failure) -> Result?
    {
        guard var work = self.work.withLock({ $0.take() }) else { return nil }
        defer { self.work.withLock { $0 = work } }
        return try body(&work)
    }
}
