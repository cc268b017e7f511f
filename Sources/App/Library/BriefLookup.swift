import Threads

/// A lookup in flick's history before the first picture, which waits neither for the disk nor for a program that keeps
/// the file locked.
enum BriefLookup {
    static let limit = Duration.milliseconds(200)

    /// What `body` returns; nil if that takes longer than `limit`, or the system has no thread left. It then ends
    /// later, on its own thread. Blocks.
    static func run<Value: Sendable>(
        within limit: Duration = limit, _ body: @escaping @Sendable () -> Value
    ) -> Value? {
        let result = Monitor<Value?>(nil)
        guard
            BlockingThread.start({
                let value = body()
                result.change { $0 = value }
            })
        else { return nil }
        return result.wait(upTo: limit) { $0 }
    }
}
