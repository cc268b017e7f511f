/// The readiness gate: when it is on, paging waits until the current clip is ready, or for `gateLimit`.
extension State {
    /// The longest wait; then the gate opens.
    static let gateLimit = Duration.seconds(5)
    /// How long the mark of a refusal is shown.
    static let refusalLength = Duration.milliseconds(300)

    /// Whether the user may leave the page now. Shows the mark of a refusal if not.
    mutating func passesGate(now: Duration) -> Bool {
        let isReady = clip.isRendering || clip.failure != nil || isHidden || (clip.isSoundOnly && clip.isPlaying)
        if !options.hasGate || isReady || now - pageShownAt >= Self.gateLimit { return true }
        refusedAt = now
        return false
    }
}
