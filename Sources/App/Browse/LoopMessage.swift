import Engagement
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
    /// A problem that was found in the background, for the page. It is in the trace already.
    case notice(String)
    /// What is wrong with the file of what flick remembers.
    case libraryTrouble(String)
    /// What was to be opened in another program was, or was not, and why.
    case openedElsewhere(String, failure: String?)
    /// What is remembered of items that come near; see `Event.remembered`. `places`: where long clips were left.
    case remembered([Item.ID: Reaction], follows: Set<String>, places: [Item.ID: Duration])
    /// The service behind the feed refused what was done to an item, and
    /// why. What holds again, if that was to be undone.
    case refused(Item.ID, Rollback?, why: String)
    /// What became of an attempt to tell the feed's service what was done with an item.
    case sent(Item.ID, ServiceMessage.Act, isDelivered: Bool)
    /// Something that answers in place of the feed's service.
    case serviceTrouble(String)
    /// A page of an item's comments, or why there is none; `after` is what it was asked for with.
    case comments(Item.ID, after: String?, Result<CommentPage, AppError>)
    /// What became of a comment of the user's, by its id here: as the service has it, if it says so.
    case commentSettled(String, Result<Comment?, AppError>)
    /// What came of fetching the files of subtitles of an item that is kept offline.
    case captionsKept(KeptCaptions)
}
