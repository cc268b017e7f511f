/// Whether the bytes of the asset in view come before all others: while its clip stands still for want of them, and
/// they come. Pure; times are given.
///
/// Transfers of other assets then pause, as they share the link. A server that sends nothing, or little for long, holds
/// up its own page only.
struct ViewPriority: Equatable {
    /// So long after the last byte others go on.
    var patience = Duration.seconds(1)
    /// So long others pause at most.
    var longest = Duration.seconds(10)

    /// When the clip came to a standstill; nil if it plays, or needs nothing.
    private var stalledSince: Duration?
    private var arrivedAt = Duration.zero

    /// The clip in view stands still, or no longer does. Returns whether that is new.
    mutating func note(isStalled: Bool, now: Duration) -> Bool {
        guard isStalled != (stalledSince != nil) else { return false }
        stalledSince = isStalled ? now : nil
        return true
    }

    /// Bytes of the asset in view have arrived.
    mutating func arrived(now: Duration) { arrivedAt = now }

    /// When others go on if nothing arrives before; nil if nothing holds them up.
    func end(after now: Duration) -> Duration? {
        guard let stalledSince else { return nil }
        let end = min(max(stalledSince, arrivedAt) + patience, stalledSince + longest)
        return end > now ? end : nil
    }
}
