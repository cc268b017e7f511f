import Model

/// Something that happened to the players. Every call of `PlayerPool` that can bring something about returns such
/// events, in order; the caller hands them on, to the page, the user and the trace.
public enum PlayerEvent: Sendable, Equatable {
    /// A player reports to the page that shows its item.
    case report(Item.ID, PlayerReport)
    /// The avatars that there are now, by their addresses; `PlayerPool.withAvatar` hands them out.
    case avatars(Set<String>)
    /// A line for the user.
    case notice(String)
    /// An event for the trace.
    case trace(TraceEvent)
}
