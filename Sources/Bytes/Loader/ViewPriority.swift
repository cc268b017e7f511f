/// Whether the asset in view has priority over all others: while its clip is stalled for
/// lack of bytes, and they arrive. Pure; times are given.
///
/// Transfers of other assets then pause, because they share the link. A server that sends
/// nothing, or little for long, delays only its own page.
struct ViewPriority: Equatable {
    /// The time after the last byte at which the others continue.
    var patience = Duration.seconds(1)
    /// The longest pause of the others.
    var longest = Duration.seconds(10)

    /// When the clip stalled; nil if it plays, or needs nothing.
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

    /// When the others continue if nothing arrives before; nil if they are not paused.
    func end(after now: Duration) -> Duration? {
        guard let stalledSince else { return nil }
        let end = min(max(stalledSince, arrivedAt) + patience, stalledSince + longest)
        return end > now ? end : nil
    }
}
