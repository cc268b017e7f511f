import Threads

/// Tells of what came, in order, on a thread that may block: what is told goes to files, and the event loop does not wait for those.
final class Reporter: Sendable {
    private let tell: (@Sendable (Fetch) -> Void)?
    private let thread = SerialThread()

    /// `tell` is nil where nobody listens: then there is no thread either.
    init(_ tell: (@Sendable (Fetch) -> Void)?) { self.tell = tell }

    /// Returns at once. Nothing is told after `end`, and where no thread is to be had.
    func add(_ fetch: Fetch) {
        guard let tell else { return }
        if thread.put({ runs in if runs { tell(fetch) } }) { thread.wake() }
    }

    /// Waits until all is told, or `limit` has passed, and tells nothing more of what comes. Blocks.
    func end(within limit: Duration) {
        thread.end()
        thread.drain(upTo: limit)
    }
}
