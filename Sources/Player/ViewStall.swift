/// Whether the clip in view has stalled for lack of bytes for long enough that
/// its bytes take precedence over all others. Pure; the caller passes the time.
struct ViewStall {
    /// A clip that is there in this time needs nothing of others: what these are to have would only come later.
    static let patience = Duration.milliseconds(200)

    private var since: Duration?
    /// What `note` said last.
    private var isStalled = false

    /// Returns whether it is stalled, if that is new.
    mutating func note(standsStill: Bool, now: Duration) -> Bool? {
        since = standsStill ? since ?? now : nil
        let isStalled = since.map { now - $0 >= Self.patience } ?? false
        guard isStalled != self.isStalled else { return nil }
        self.isStalled = isStalled
        return isStalled
    }

    /// When time alone changes that; nil: never.
    var due: Duration? { isStalled ? nil : since.map { $0 + Self.patience } }
}

extension PlayerPool {
    /// Has the bytes of the clip in view come before all others while it is
    /// stalled. Those that are opened ahead wait meanwhile.
    func checkStall(now: Duration) {
        let standsStill = current.flatMap { players[$0] }.map { $0.supply.isRemote && $0.standsStill } ?? false
        guard let isStalled = viewStall.note(standsStill: standsStill, now: now) else { return }
        resources.network?.setViewStalled(isStalled)
        plan.note(.viewStalled(isStalled), now: now)
    }
}
