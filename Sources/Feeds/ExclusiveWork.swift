import Synchronization

/// State that one thread at a time works with. Others do not wait for it: they see that it is away. Any thread.
final class ExclusiveWork<Work: Sendable>: Sendable {
    /// nil while a thread works with it, and before there is any.
    private let work: Mutex<Work?>

    init(_ work: Work? = nil) { self.work = Mutex(work) }

    func set(_ work: Work) { self.work.withLock { $0 = work } }

    /// Looks at the work; nil while a thread works with it. `body` is quick.
    func peek<Result: Sendable>(_ body: (Work) -> Result?) -> Result? { work.withLock { $0.flatMap(body) } }

    /// Runs `body` with the work; nil if another thread works with it.
    func run<Result, Failure: Error>(_ body: (inout Work) throws(Failure) -> Result) throws(Failure) -> Result? {
        guard var work = self.work.withLock({ $0.take() }) else { return nil }
        defer { self.work.withLock { $0 = work } }
        return try body(&work)
    }
}
