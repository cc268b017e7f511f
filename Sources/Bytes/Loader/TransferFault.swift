extension BytesError {
    init(_ reason: Reason, of request: Transport.Request) { self.init(verb: .read, url: request.url, reason: reason) }

    /// What trying again is decided by; nil: it would not help. `progress`: whether bytes had come.
    func failure(progress: Bool) -> RetryPolicy.Failure? {
        switch reason {
        case _ where isOffline: .unreachable
        // Noise where HTTP should be is often a connection that another's answer was left in.
        case .dropped, .timedOut, .nonsense: .dropped(progress: progress)
        case .status(let status): .status(status, retryAfter: nil)
        default: nil
        }
    }
}
