import Model
import UI

/// What other threads have for the loop.
enum LoopMessage: Sendable {
    /// Something happened that the page shows.
    case event(Event)
    case feed(FeedSession.Arrival)
    /// Where long clips that come near were left.
    case places([Item.ID: Duration])
}
