import Model

/// Something that happened to the players. Every call of `PlayerPool` that can bring something about returns such
/// events, in order; the caller hands them on, to the page, the user and the trace.
public enum PlayerEvent: Sendable, Equatable {
    /// A player reports to the page that shows its item.
    case report(Item.ID, PlayerReport)
    /// The avatars that there are now, by their addresses; `PlayerPool.withAvatar` hands them out.
    case avatars(Set<String>)
    /// There is another small still of a place in the clip in view, of this size; `PlayerPool.withSeekStill` hands it
    /// out.
    case seekStill(Item.ID, PixelSize)
    /// A line for the user.
    case notice(String)
    /// An item's playback took a turn.
    case playback(Item.ID, PlaybackEvent)
    /// Something that only diagnostics are about.
    case trace(TraceEvent)

    /// As the trace has it; nil if it does not.
    public var traceEvent: TraceEvent? {
        switch self {
        case .report, .avatars, .seekStill, .notice: nil
        case .playback(let item, .started(let pts, let sincePage, let how)):
            .firstFrame(item: item, pts: pts, sincePage: sincePage, how: how)
        case .playback(let item, .recovering(let check, let attempt, let why)):
            .recover(item: item, check: check, attempt: attempt, why: why)
        case .trace(let event): event
        }
    }
}
