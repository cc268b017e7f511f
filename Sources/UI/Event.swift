import Model

/// What the mouse did, in cells from the top left.
public struct Mouse: Hashable, Sendable {
    public enum Action: Hashable, Sendable {
        case press(Button), release(Button)
        /// Moved while a button is down.
        case drag
        case wheelUp, wheelDown
    }
    public enum Button: Hashable, Sendable { case left, middle, right }

    public var action: Action
    public var at: GridPoint

    public init(_ action: Action, at: GridPoint) {
        self.action = action
        self.at = at
    }
}

/// Everything that can happen to the page. `update` is the only consumer.
public enum Event: Sendable {
    case key(Key)
    case mouse(Mouse)
    case resized(GridSize)
    /// Time has passed: sent when `State.nextWake` is due.
    case tick
    /// The feed was read. `State.items` becomes this list; the item being watched stays in view (P6).
    case feed(any ItemList & Sendable, title: String?)
    /// The feed has grown at its end: this list begins with the items that were there (P9).
    case more(any ItemList & Sendable)
    /// The feed goes on, but its next page cannot be had for now.
    case moreFailed
    /// What an item's player reports.
    case player(Item.ID, PlayerReport)
    /// A message for the user about something outside of the page.
    case notice(String)
    /// ^Z was pressed and flick is back, or the terminal was taken away for a while.
    case resumed
}

/// What `update` wants done. Whoever runs an effect reports back with events. `State.item(_:)` finds the item that an id names.
public enum Effect: Sendable, Equatable {
    /// Play an item (C9 decides how), pausing any other.
    case play(Item.ID)
    case pause(Item.ID)
    /// Open these items ahead, the most needed first, and close the players of all others.
    case keepWarm([Item.ID])
    /// While scrubbing: show the key picture near `to`. It commits with `.seek`.
    case preview(Item.ID, to: Duration)
    case seek(Item.ID, to: Duration)
    /// One picture on (1) or back (-1), while paused.
    case step(Item.ID, by: Int)
    case setSpeed(Double)
    /// 0 … 1; muted is 0.
    case setVolume(Double)
    case setLoop(Bool)
    case setFit(PictureFit)
    /// Start a failed item from nothing.
    case retry(Item.ID)
    /// Put text on the clipboard (OSC 52).
    case copy(String)
    /// Open elsewhere: a browser or the system's player.
    case openElsewhere(String)
    /// Ask once more for the feed's next page, which could not be had.
    case loadMore
    /// Read the feed again.
    case refresh
    case redraw
    case suspend
    case quit
    /// Write an event to the trace.
    case trace(TraceEvent)
}
