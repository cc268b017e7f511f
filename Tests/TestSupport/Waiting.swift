import Foundation
import Threads

/// Asks until `condition` holds, every 10 ms, as other programs do not say when it does. Blocks. False if that takes
/// longer than `limit`.
public func holds(within limit: Duration, _ condition: () throws -> Bool) rethrows -> Bool {
    let end = ContinuousClock.now + limit
    while try !condition() {
        guard ContinuousClock.now < end else { return false }
        // It looks at other processes, which signal nothing to wait for.
        usleep(10_000)
    }
    return true
}

/// Runs blocking code on its own thread: the shared pool, on which tests run, has only as many threads as cores.
public func onThread<Value: Sendable>(_ body: @escaping @Sendable () -> Value) async -> Value {
    await withCheckedContinuation { continuation in
        BlockingThread.start { continuation.resume(returning: body()) }
    }
}

public func onThread<Value: Sendable>(_ body: @escaping @Sendable () throws -> Value) async throws -> Value {
    let result: Result<Value, any Error> = await onThread { Result { try body() } }
    return try result.get()
}
