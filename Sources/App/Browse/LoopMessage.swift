import Feeds
import Model
import UI

/// What other threads have for the loop.
enum LoopMessage: Sendable {
    /// Something happened that the page shows.
    case event(Event)
    case feed(Result<Browser.LoadedFeed, AppError>)
    case part(FeedPart, Feed)
    /// A further page of the feed; nil if there is none.
    case page(FeedPages, Result<FeedPages.Page?, FeedsError>)
    /// Files came to the feed's folders, or went.
    case folders(FolderFollower, FolderFollower.Change)
    /// Where long clips that come near were left.
    case places([Item.ID: Duration])
}
