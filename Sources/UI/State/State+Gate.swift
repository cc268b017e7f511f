/// The readiness gate (P10): with it, paging waits until the clip in view is ready, or has had its time.
extension State {
    /// After so long the gate opens by itself.
    static let gateLimit = Duration.seconds(5)
    /// How long the mark of a refused attempt is shown.
    static let refusalLength = Duration.milliseconds(300)

    /// Whether the page may be left now; shows that it may not.
    mutating func passesGate(now: Duration) -> Bool {
        let isReady = clip.isRendering || clip.failure != nil || (clip.isSoundOnly && clip.isPlaying)
        if !options.hasGate || isReady || now - pageShownAt >= Self.gateLimit { return true }
        refusedAt = now
        return false
    }
}
