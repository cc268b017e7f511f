import Model

extension BytesError {
    package init(_ reason: Reason, of request: Transport.Request) {
        self.init(verb: .read, url: request.url, reason: reason)
    }

    /// The error for a status that is no success, with the wait that the server asks for, if it does.
    package static func refusal(_ status: Int, retryAfter: Duration?, of url: String) -> BytesError {
        guard RetryPolicy.mayPass(status), let retryAfter, retryAfter >= .seconds(1) else {
            return BytesError(verb: .open, url: url, reason: .status(status))
        }
        return BytesError(verb: .open, url: url, reason: .busy(status, retryAfter))
    }

    /// The failure that `RetryPolicy` decides by; nil: another attempt would not help. `progress`: whether bytes had come.
    package func failure(progress: Bool) -> RetryPolicy.Failure? {
        switch reason {
        case _ where isOffline: .unreachable
        // Noise where HTTP should be is often a connection that another's answer was left in.
        case .dropped, .timedOut, .nonsense: .dropped(progress: progress)
        case .status(let status): .status(status, retryAfter: nil)
        case .busy(let status, let wait): .status(status, retryAfter: wait)
        default: nil
        }
    }
}
