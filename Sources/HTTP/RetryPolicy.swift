import Model
import Threads

/// Decides when a failed transfer is retried. Pure.
///
/// Temporary failures (408, 429, 5xx but 501 and 505, a dropped connection) get four attempts in all, with pauses that
/// double from 0.25 s to 8 s. Bytes that arrived reset the count, but at most `progressLimit` times a minute, so that a
/// server that cuts the connection after each byte does not keep flick busy for ever. Readers must learn of a failure
/// in time, so no attempt begins later than `patience` after the last bytes. With the default limits of
/// `NetworkOptions`, a request to a silent server fails after two attempts; with a time limit of `patience` or more for
/// the first byte, after one. If a server asks for a longer wait (`Retry-After`), the request fails at once.
package struct RetryPolicy: Sendable {
    package enum Cause: Equatable, Sendable {
        case status(Int, retryAfter: Duration?)
        /// The connection broke or stalled; `progress` is whether bytes had arrived.
        case dropped(progress: Bool)
        /// The server cannot be reached: no route, unknown name, connection refused.
        case unreachable
    }

    package static let attempts = 4
    /// Few, so that a cached clip plays soon while flick is offline.
    static let attemptsUnreachable = 3
    static let progressLimit = 30
    static let patience: Duration = .seconds(30)
    private static let backoff = Backoff(from: .milliseconds(250), upTo: .seconds(8))

    /// Failures since the last progress.
    private var failures = 0
    /// The time of attempts and pauses since the last progress.
    private var spent = Duration.zero
    /// When progress was counted in the last minute.
    private var progress: [ContinuousClock.Instant] = []

    package init() {}

    /// How long to wait before the next attempt; nil if no attempt may follow.
    /// - Parameters:
    ///   - took: how long the attempt lasted.
    ///   - jitter: 0 ..< 1.
    package mutating func delay(
        after failure: Cause, took: Duration = .zero, jitter: Double, at now: ContinuousClock.Instant = .now
    ) -> Duration? {
        spent += took
        var least = Duration.zero
        var limit = RetryPolicy.attempts
        switch failure {
        case .status(let status, let retryAfter):
            guard BytesError.mayPass(status) else { return nil }
            least = min(retryAfter ?? .zero, RetryAfter.most)
        case .dropped(progress: true): noteProgress(at: now)
        case .dropped(progress: false): break
        case .unreachable: limit = RetryPolicy.attemptsUnreachable
        }
        failures += 1
        guard failures < limit else { return nil }
        let delay = max(RetryPolicy.backoff.pause(after: failures - 1, jitter: jitter), least)
        guard spent + delay <= RetryPolicy.patience else { return nil }
        spent += delay
        return delay
    }

    private mutating func noteProgress(at now: ContinuousClock.Instant) {
        progress.removeAll { now - $0 >= .seconds(60) }
        guard progress.count < RetryPolicy.progressLimit else { return }
        progress.append(now)
        (failures, spent) = (0, .zero)
    }
}

/// Why an attempt failed, and whether another one can help (`failure` is nil if not).
package struct FailedAttempt: Error {
    package var error: BytesError
    package var failure: RetryPolicy.Cause?

    package init(error: BytesError, failure: RetryPolicy.Cause?) {
        self.error = error
        self.failure = failure
    }

    /// An attempt without a response, or one that failed during the body. `progress`: whether bytes had arrived.
    package init(_ error: BytesError, progress: Bool = false) {
        self.init(error: error, failure: error.failure(progress: progress))
    }

    /// An attempt with an error status.
    package init(_ answer: Transport.Answer, of url: String) {
        self.init(
            error: .status(answer.status, retryAfter: answer.retryAfter, of: url),
            failure: .status(answer.status, retryAfter: answer.retryAfter))
    }
}

extension RetryPolicy {
    /// Repeats attempts until one succeeds or the policy allows no more; then throws the error of the last
    /// `FailedAttempt`. Throws other errors at once. Calls `pausing` with the reason before each pause. With `repeats`
    /// false there is one attempt: the caller makes the next one when it likes.
    ///
    /// A request that is not idempotent is only repeated if no connection was made, because the server cannot have
    /// received it then (RFC 9110, 9.2.2).
    package static func run<Value>(
        _ method: Transport.Method = .get, repeats: Bool = true, pausing: (BytesError) -> Void = { _ in },
        _ attempt: () async throws -> Value
    ) async throws -> Value {
        var policy = RetryPolicy()
        while true {
            let began = ContinuousClock.now
            do {
                return try await attempt()
            } catch let failed as FailedAttempt {
                guard repeats, let failure = failed.failure, method.isIdempotent || failure == .unreachable,
                    let pause = policy.delay(
                        after: failure, took: .now - began, jitter: .random(in: 0..<1))
                else { throw failed.error }
                pausing(failed.error)
                // No event announces that the server responds again, so this sleeps. A cancellation ends the pause.
                try await Task.sleep(for: pause)
            }
        }
    }
}

extension BytesError {
    package init(_ reason: Reason, of request: Transport.Request) {
        self.init(verb: .read, url: request.url, reason: reason)
    }

    /// The error for a failure status, with the wait that the server requests, if any.
    package static func status(_ status: Int, retryAfter: Duration?, of url: String) -> BytesError {
        guard BytesError.mayPass(status), let retryAfter, retryAfter >= .seconds(1) else {
            return BytesError(verb: .open, url: url, reason: .status(status))
        }
        return BytesError(verb: .open, url: url, reason: .busy(status, retryAfter))
    }

    /// The failure that `RetryPolicy` decides by; nil if another attempt would
    /// not help. `progress`: whether bytes had arrived.
    package func failure(progress: Bool) -> RetryPolicy.Cause? {
        switch reason {
        case _ where isOffline: .unreachable
        // Bytes that are not HTTP often come from a connection with the rest of an earlier response in it.
        case .dropped, .timedOut, .nonsense: .dropped(progress: progress)
        case .status(let status): .status(status, retryAfter: nil)
        case .busy(let status, let wait): .status(status, retryAfter: wait)
        default: nil
        }
    }
}
