import Model

/// When a failed transfer is tried again (L8). Pure.
///
/// Failures that may pass (408, 429, 500, 502, 503, 504, a dropped connection) get five attempts in all, with pauses that double from 0.25 s to 8 s. Bytes
/// that came reset the count, but at most `progressLimit` times a minute: a server that cuts after each byte does not keep flick busy for ever.
/// Readers must hear of a failure, so no attempt begins later than `patience` after the last bytes. With `NetworkOptions`' own limits a server that hangs is
/// given up after its second silence, with a limit of `patience` or more for the first byte after its first. A server that asks for a longer wait
/// (`Retry-After`) is given up at once.
package struct RetryPolicy: Sendable {
    package enum Failure: Equatable, Sendable {
        case status(Int, retryAfter: Duration?)
        /// The connection was cut, or stalled, after some bytes had come (`progress`) or before.
        case dropped(progress: Bool)
        /// Nothing answers there: no route, no name, refused.
        case unreachable
    }

    package static let attempts = 5
    /// Offline, what is cached is to play soon.
    static let attemptsUnreachable = 3
    static let progressLimit = 30
    static let patience: Duration = .seconds(30)

    /// Failures since the last progress.
    private var failures = 0
    /// The time of attempts and pauses since then.
    private var spent = Duration.zero
    /// When progress was counted, the last minute's.
    private var progress: [ContinuousClock.Instant] = []

    package init() {}

    /// How long to wait before the next attempt; nil: give up.
    /// - Parameters:
    ///   - took: how long the attempt lasted.
    ///   - jitter: 0 ..< 1.
    package mutating func delay(
        after failure: Failure, took: Duration = .zero, jitter: Double, at now: ContinuousClock.Instant = .now
    ) -> Duration? {
        spent += took
        var least = Duration.zero
        var limit = RetryPolicy.attempts
        switch failure {
        case .status(let status, let retryAfter):
            guard RetryPolicy.mayPass(status) else { return nil }
            least = min(retryAfter ?? .zero, RetryAfter.most)
        case .dropped(progress: true): noteProgress(at: now)
        case .dropped(progress: false): break
        case .unreachable: limit = RetryPolicy.attemptsUnreachable
        }
        failures += 1
        guard failures < limit else { return nil }
        let pause = min(Duration.milliseconds(250 << (failures - 1)), .seconds(8))
        // Between a half and the whole, so that many who failed together do not come back together.
        let delay = max(pause * (0.5 + 0.5 * jitter), least)
        guard spent + delay <= RetryPolicy.patience else { return nil }
        spent += delay
        return delay
    }

    package static func mayPass(_ status: Int) -> Bool { [408, 429, 500, 502, 503, 504].contains(status) }

    private mutating func noteProgress(at now: ContinuousClock.Instant) {
        progress.removeAll { now - $0 >= .seconds(60) }
        guard progress.count < RetryPolicy.progressLimit else { return }
        progress.append(now)
        (failures, spent) = (0, .zero)
    }
}

/// Why an attempt failed, and what that means for another; nil: it would not help.
package struct FailedAttempt: Error {
    package var error: BytesError
    package var failure: RetryPolicy.Failure?

    package init(error: BytesError, failure: RetryPolicy.Failure?) {
        self.error = error
        self.failure = failure
    }

    /// Without an answer, or in the middle of one. `progress`: whether bytes had come.
    package init(_ error: BytesError, progress: Bool = false) {
        self.init(error: error, failure: error.failure(progress: progress))
    }

    /// With a status that is no success.
    package init(_ answer: Transport.Answer, of url: String) {
        self.init(
            error: .refusal(answer.status, retryAfter: answer.retryAfter, of: url),
            failure: .status(answer.status, retryAfter: answer.retryAfter))
    }
}

extension RetryPolicy {
    /// Attempts until it works, or another attempt makes no sense: then the last `FailedAttempt`'s error is thrown. Other errors are thrown at once.
    /// `pausing` is called with the reason before each pause.
    ///
    /// What is not idempotent is attempted again only where no connection was made: then the server cannot have got it (RFC 9110, 9.2.2).
    package static func run<Value>(
        _ method: Transport.Method = .get, pausing: (BytesError) -> Void = { _ in },
        _ attempt: () async throws -> Value
    ) async throws -> Value {
        var policy = RetryPolicy()
        while true {
            let began = ContinuousClock.now
            do {
                return try await attempt()
            } catch let failed as FailedAttempt {
                guard let failure = failed.failure, method.isIdempotent || failure == .unreachable,
                    let pause = policy.delay(
                        after: failure, took: .now - began, jitter: .random(in: 0..<1))
                else { throw failed.error }
                pausing(failed.error)
                // The pause waits for no event: nothing says when a server will answer again. A cancellation ends it.
                try await Task.sleep(for: pause)
            }
        }
    }
}
