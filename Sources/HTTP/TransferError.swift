import Model

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
