import Threads

/// Reports fetches in order on its own thread, because reports are written to files and the network must not wait
/// for those. Any thread.
final class Reporter: Sendable {
    private let report: (@Sendable (Fetch) -> Void)?
    private let thread = SerialThread()

    /// - Parameter report: nil without a listener; then the reporter has no thread either.
    init(_ report: (@Sendable (Fetch) -> Void)?) { self.report = report }

    /// Returns at once. Reports nothing after `end`, or if the system has no thread left.
    func add(_ fetch: Fetch) {
        guard let report else { return }
        if thread.put({ runs in if runs { report(fetch) } }) { thread.wake() }
    }

    /// Waits until all earlier fetches are reported or `limit` has passed; ignores later ones. Blocks.
    func end(within limit: Duration) {
        thread.end()
        thread.drain(upTo: limit)
    }
}
