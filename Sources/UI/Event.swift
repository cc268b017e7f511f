import Model
import TerminalInput

/// Everything that can happen to the page. Only `update` handles events. A value.
public enum Event: Sendable {
    case key(Key)
    /// Text was pasted. It is not clean, and at most 64 KB.
    case paste(String)
    case mouse(Mouse)
    /// The terminal's window has the keyboard, or has it no longer. Sent only
    /// if the user wants the clip to wait meanwhile.
    case focus(Bool)
    case resized(GridSize)
    /// Time has passed: sent when `State.nextWake` is due.
    case tick
    /// The feed was read. This list replaces `State.items`; the current item stays in view.
    case feed(any ItemList & Sendable, title: String?)
    /// The feed is an earlier answer of this age, because its server does not answer; nil: it was read now.
    case cachedFeed(age: Duration?)
    /// A part of the feed was read. Its list stands in place of the feed's; the current item stays in view.
    case part(FeedPart, any ItemList & Sendable)
    /// The whole feed is to stand there again, at this page.
    case wholeFeed(any ItemList & Sendable, title: String?, at: Int)
    /// What `.openPlace` asked for: this list stands in place of the one before, at this page.
    case place(Place, any ItemList & Sendable, title: String?, at: Int)
    /// It cannot be had, and why.
    case placeUnavailable(Place, why: String)
    /// The places are others now.
    case places([Place])
    /// What `.readPlaces` asked for.
    case placeList(PlaceList)
    /// Why For You has these items, each in one line.
    case reasons([Item.ID: String])
    /// The feed has grown at its end. The list begins with the items that were there before.
    case more(any ItemList & Sendable)
    /// Files came to the feed's folders: the list has new clips at its end. Or, if `hasLost`, others went; the current
    /// item stays in view if it is there.
    case changed(any ItemList & Sendable, hasLost: Bool)
    /// What the user hides: the rules made on the page, the newest first, and those of the configuration.
    case hidden([HideRule], configured: [HideRule])
    /// That changed: this list stands in place of the feed's, at this page unless the current item is still in it.
    case visible(any ItemList & Sendable, at: Int)
    /// The feed has another page, but flick cannot load it for now.
    case moreFailed
    /// A report of an item's player.
    case player(Item.ID, PlayerReport)
    /// These avatars can be shown now, by their addresses (`Item.Creator.avatar`).
    case avatars(Set<String>)
    /// There is another small still of a place in an item's clip, of this size.
    case seekStill(Item.ID, PixelSize)
    /// A message for the user about something outside the page.
    case notice(String, Toasts.Kind = .news)
    /// The same about a link or a path: one that could not be copied is shown whole, to be copied by hand.
    case linkNotice(String, link: String, Toasts.Kind = .news)
    /// This link or file, which an effect named, is open in another program.
    case openedElsewhere(String)
    /// What earlier sessions knew of items that come near, and which of their creators are followed
    /// (`Item.Creator.key`).
    case remembered([Item.ID: Reaction], follows: Set<String>)
    /// The service behind the feed did not take a reaction: it is as it was `before`.
    case reactionRefused(Item.ID, Reaction, why: String)
    /// The service behind the feed did not take a follow, or the end of one
    /// (`Item.Creator.key`): it is as it was `before`.
    case followRefused(String, Bool, why: String)
    /// The feed's service could not receive this action on an item; it is sent later. The actions are those of the
    /// page's buttons.
    case undelivered(Item.ID, Action)
    /// The service has it, or refused it.
    case delivered(Item.ID, Action)
    /// Whether the feed's service shows comments and takes them, and what else it can do; and the feed's own address,
    /// without secrets, if it is a single one.
    case service(takesComments: Bool, abilities: Set<ServiceAbility> = [], address: String? = nil)
    /// A page of comments that `.loadComments` asked for, with the same `after`.
    case comments(Item.ID, after: String?, CommentPage)
    /// The comments that `.loadComments` asked for cannot be had.
    case commentsUnavailable(Item.ID, why: String)
    /// The service has taken the comment that is known here by the id `local`.
    case commentSent(Item.ID, local: String, Comment)
    case commentRefused(Item.ID, local: String, why: String)
    /// How many like the comment of this id, by its service.
    case commentLikes(Item.ID, String, Int)
    /// The service did not do this with the comment of this id.
    case commentChangeRefused(Item.ID, String, CommentAct, why: String)
    /// The service did not delete the item, or did not bring it back (false).
    case deletionRefused(Item.ID, Bool, why: String)
    /// What the file of subtitles says that `.readCaptions` named, in order.
    case captions(Item.ID, Int, [Cue])
    /// It cannot be read, and why; nil: it was not wanted any more.
    case captionsUnavailable(Item.ID, Int, why: String?)
    /// The chapters that `.readChapters` asked for, in order.
    case chapters(Item.ID, [Chapter])
    /// How many bytes of a clip that is being saved are on disk, and how many it has; nil while unknown.
    case saving(Item.ID, bytes: Int64, of: Int64?)
    /// It is saved, could not be, or the user has cancelled that.
    case savingEnded(Item.ID)
    /// Another program wants something.
    case external(ExternalCommand)
    /// flick has the terminal again after ^Z, or after another program used it.
    case resumed
}

extension Event {
    /// How soon what an event has changed must be seen.
    public enum Urgency: Sendable {
        /// Nothing visible has changed, or what has is known elsewhere.
        case none
        /// Text may wait for the next picture.
        case text
        /// Something has moved by itself.
        case motion
        /// The user did something, or waits for an answer.
        case answer
    }

    /// Of reports, that of clips in view: those of others change nothing visible.
    public var urgency: Urgency {
        switch self {
        // Nothing is visible until the user asks for more.
        case .moreFailed: .none
        // What a tick is for is known when it is due.
        case .tick: .none
        case .remembered, .reasons, .saving: .text
        case .avatars, .seekStill: .motion
        case .player(_, .position), .player(_, .buffered), .player(_, .cached), .player(_, .offline),
            .player(_, .diagnostics):
            .text
        case .player: .motion
        default: .answer
        }
    }
}

/// An effect that `update` requests. The code that carries it out replies with events. `State.item(_:)` finds the
/// item for an id. A value.
public enum Effect: Sendable, Equatable {
    /// Play this item's clip and pause every other.
    case play(Item.ID)
    case pause(Item.ID)
    /// This item's page is pulled into view: its pictures may move already, in silence. nil: no page is.
    case peek(Item.ID?)
    /// Open these items ahead, and close the players of all others: the current
    /// one, those after it and those before it.
    case keepWarm([Item.ID])
    /// While scrubbing: show the key frame near `to`. A `.seek` commits the scrub.
    case preview(Item.ID, to: Duration)
    /// The pointer is on the scrubber: make a small still of this place.
    case makeSeekStill(Item.ID, at: Duration)
    case seek(Item.ID, to: Duration)
    /// One picture forward (1) or back (-1), while paused.
    case step(Item.ID, by: Int)
    /// Play this one of the clip's sounds (`ClipFacts.soundTracks`), and of other clips those in its language.
    case chooseSound(Item.ID, Int)
    /// Report what this one of the clip's texts says (`ClipFacts.textTracks`); nil: none.
    case chooseText(Item.ID, Int?)
    /// Play this item as the user has set for it, whenever it is opened.
    case tune(Item.ID, ClipTuning)
    /// Play small variants of clips, and fetch little ahead; or no longer.
    case setSavesData(Bool)
    case setSpeed(Double)
    /// 0 … 1; 0 when muted.
    case setVolume(Double)
    case setLoop(Bool)
    case setFit(PictureFit)
    /// Remember what the user thinks of this item from now on.
    case react(Item.ID, Reaction)
    /// This item's link was given away.
    case share(Item.ID)
    /// Remember whether this item's creator is followed from now on.
    case follow(Item.ID, Bool)
    /// Hide something in all feeds from now on, or no longer.
    case hide(HideRule, Bool)
    /// Load a page of the item's comments; `after` is the page's before it, nil for the first.
    case loadComments(Item.ID, after: String?)
    /// Send a comment, clean and trimmed, which is known here by the id `local`. `parent` is the id of what it answers.
    case sendComment(Item.ID, local: String, text: String, parent: String?)
    /// Delete a comment that no server has, or store it again.
    case deleteComment(id: String)
    case restoreComment(Item.ID, Comment)
    /// Do something with the comment of this id, which the item's service has.
    case changeComment(Item, String, CommentAct)
    /// Delete the item from its service and all feeds, or bring it back (false).
    case deleteItem(Item, Bool)
    /// Show a deleted item in feeds, or no longer.
    case showDeleted(Item.ID, Bool)
    /// Read this one of the item's files of subtitles (`Item.captions`).
    case readCaptions(Item.ID, Int)
    /// Read the chapters that the item leads to (`Item.chaptersURL`).
    case readChapters(Item.ID)
    /// Keep the item's clip offline from now on, or no longer.
    case keepOffline(Item.ID, Bool)
    /// Open a failed item afresh.
    case retry(Item.ID)
    /// Save the item's frame on the screen in full size, and report where.
    case saveFrame(Item.ID)
    /// Save the item's clip as a file, and report where; if it is being saved, cancel that.
    case saveClip(Item.ID)
    /// Repeat this part of the clip, in its time; nil: no longer.
    case repeatPart(Item.ID, Range<Duration>?)
    /// Put text on the clipboard (OSC 52), and show the result.
    case copy(String)
    /// Open a link in a browser or the system's player.
    case openElsewhere(String)
    /// Try once more to load the feed's next page, which failed to load.
    case loadMore
    /// Read this part of the feed, which then stands in its place.
    case openPart(FeedPart)
    /// Show this place, where it was left.
    case openPlace(Place)
    /// Count what is new in all places.
    case readPlaces
    /// Change the sources of Home, and read what it is of then.
    case source(SourceChange)
    /// The grid shows these items: they are to have stills.
    case showTiles(Range<Int>)
    /// Come back to the whole feed.
    case closePart
    /// Read the feed again.
    case refresh
    case redraw
    case suspend
    case quit
    /// Write an event to the trace.
    case trace(TraceEvent)
}
