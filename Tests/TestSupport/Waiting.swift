import Foundation
import Threads

/// Asks until `condition` holds, as other programs do not say when it does. Blocks. False if that takes longer than
/// `limit`.
///
/// A question often starts a program, which takes processor time from those it asks about. So the pauses between
/// questions are twice as long as the last one took, from 20 to 50 ms.
public func holds(within limit: Duration, _ condition: () throws -> Bool) rethrows -> Bool {
    let end = ContinuousClock.now + limit
    while true {
        let asked = ContinuousClock.now
        if try condition() { return true }
        let now = ContinuousClock.now
        guard now < end else { return false }
        let pause = min(max((now - asked) * 2, .milliseconds(20)), .milliseconds(50))
        usleep(UInt32(pause / .microseconds(1)))  // Other processes do not signal that the condition holds.
    }
}

/// Runs blocking code on its own thread: the shared pool, on which tests run, has only as many threads as cores. What
/// the code holds is released before its value is returned: a source that it has read is closed then.
public func onThread<Value: Sendable>(_ body: @escaping @Sendable () -> Value) async -> Value {
    let waiting = Monitor(Optional(body))
    return await withCheckedContinuation { continuation in
        BlockingThread.start { continuation.resume(returning: run(waiting)) }
    }
}

/// Runs the body and releases it.
private func run<Value>(_ waiting: Monitor<(@Sendable () -> Value)?>) -> Value {
    guard let body = waiting.withLock({ $0.take() }) else { preconditionFailure("a body runs once") }
    return body()
}

public func onThread<Value: Sendable>(_ body: @escaping @Sendable () throws -> Value) async throws -> Value {
    let result: Result<Value, any Error> = await onThread { Result { try body() } }
    return try result.get()
}
