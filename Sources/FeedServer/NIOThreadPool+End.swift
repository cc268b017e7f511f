import NIOPosix

extension NIOThreadPool {
    /// Ends the pool's threads once what they do is done. What still waits for one fails.
    func end() async {
        // It fails only for a pool that has ended, and each has one owner, who ends it once.
        do { try await shutdownGracefully() } catch { assertionFailure("\(error)") }
    }
}
