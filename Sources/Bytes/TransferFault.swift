extension BytesError {
    init(_ reason: Reason, of request: Transport.Request) { self.init(verb: .read, url: request.url, reason: reason) }

    /// What trying again is decided by; nil: it would not help. `progress`: whether bytes had come.
    func failure(progress: Bool) -> RetryPolicy.Failure? {
        switch reason {
        case .dropped: .dropped(progress: progress)
        case .unreachable: .unreachable
        case .status(let status): .status(status, retryAfter: nil)
        default: nil
        }
    }
}
