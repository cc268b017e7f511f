import Threads

/// Reports fetches in order, on a thread that may block: reports are written to files, which the event loop must not wait for. Any thread.
final class Reporter: Sendable {
    private let report: (@Sendable (Fetch) -> Void)?
    private let thread = SerialThread()

    /// `report` is nil where nobody listens: then there is no thread either.
    init(_ report: (@Sendable (Fetch) -> Void)?) { self.report = report }

    /// Returns at once. Nothing is reported after `end`, or if the system has no thread left.
    func add(_ fetch: Fetch) {
        guard let report else { return }
        if thread.put({ runs in if runs { report(fetch) } }) { thread.wake() }
    }

    /// Waits until all fetches so far are reported, or `limit` has passed, and ignores later ones. Blocks.
    func end(within limit: Duration) {
        thread.end()
        thread.drain(upTo: limit)
    }
}
