extension BytesError {
    init(_ reason: Reason, of request: Transport.Request) { self.init(verb: .read, url: request.url, reason: reason) }

    /// What trying again is decided by; nil: it would not help. `progress`: whether bytes had come.
    func failure(progress: Bool) -> RetryPolicy.Failure? {
        if isOffline { return .unreachable }
        switch reason {
        case .cut, .nonsense, .compressed, .timedOut: return .dropped(progress: progress)
        case .status(let status): return .status(status, retryAfter: nil)
        default: return nil
        }
    }
}
