import Model

/// One thing that a user can do. Keys (`KeyMap`), the mouse, the page's buttons and its menu all lead to actions;
/// `State.perform` carries them out. A value.
///
/// The raw value is the action's name in `[keys]` of the configuration. docs/architecture.md lists what a new action
/// needs.
public enum Action: String, Hashable, Sendable, CaseIterable {
    // The feed.
    case next, previous, first, last, filter, refresh
    case autoAdvance = "auto_advance"
    case nextPlace = "next_place"
    case previousPlace = "previous_place"
    case places

    // The clip.
    case pause
    case seekBack = "seek_back"
    case seekForward = "seek_forward"
    case seekBackShort = "seek_back_short"
    case seekForwardShort = "seek_forward_short"
    case seekBackLong = "seek_back_long"
    case seekForwardLong = "seek_forward_long"
    case seek0 = "seek_0"
    case seek10 = "seek_10"
    case seek20 = "seek_20"
    case seek30 = "seek_30"
    case seek40 = "seek_40"
    case seek50 = "seek_50"
    case seek60 = "seek_60"
    case seek70 = "seek_70"
    case seek80 = "seek_80"
    case seek90 = "seek_90"
    case frameBack = "frame_back"
    case frameForward = "frame_forward"
    case chapterBack = "chapter_back"
    case chapterForward = "chapter_forward"
    case slower, faster
    case normalSpeed = "normal_speed"
    case mute, quieter, louder, fit
    case soundTrack = "sound_track"
    case quality
    case subtitles
    case subtitlesEarlier = "subtitles_earlier"
    case subtitlesLater = "subtitles_later"
    case audioEarlier = "audio_earlier"
    case audioLater = "audio_later"
    case hideOverlay = "hide_overlay"
    case saveFrame = "save_frame"
    case saveClip = "save_clip"
    /// Marks the start and the end of a part that is repeated, then clears them.
    case repeatPart = "repeat_part"
    case sleepTimer = "sleep_timer"

    // The user's reaction to the item.
    case like, dislike, save, follow
    case notInterested = "not_interested"
    /// Takes back what was hidden, removed or deleted last.
    case undo
    case copyLink = "copy_link"
    case keepOffline = "keep_offline"
    case open
    /// Deletes an item of the user's own from its service.
    case deleteItem = "delete_item"

    // More about the item, and sheets.
    case caption, comments, message, trust, creator, topics, diagnostics, menu, help

    // The program.
    case close, redraw, suspend, quit
    /// Starts a failed clip again, from its error page; shows what is hidden.
    case retry

    // In a sheet.
    case scrollUp = "scroll_up"
    case scrollDown = "scroll_down"
    case scrollPageUp = "scroll_page_up"
    case scrollPageDown = "scroll_page_down"
    case choose
    /// Answers the chosen comment.
    case reply
    case deleteComment = "delete_comment"
    case likeComment = "like_comment"
    case reportComment = "report_comment"
    // In the sheet of all places.
    case addSource = "add_source"
    case removeSource = "remove_source"
    case moreOfSource = "more_of_source"
    case lessOfSource = "less_of_source"
    // In the caption's sheet.
    case nextLink = "next_link"
    case previousLink = "previous_link"
    // In a grid of stills.
    case gridLeft = "grid_left"
    case gridRight = "grid_right"
}

extension Action {
    /// Which tenth of the clip a seek action goes to; nil for other actions.
    var tenth: Int? { Self.tenths.firstIndex(of: self) }

    static let tenths: [Action] = [
        .seek0, .seek10, .seek20, .seek30, .seek40, .seek50, .seek60, .seek70, .seek80, .seek90,
    ]

    /// The sheet that the action opens, or closes if it is open already.
    var sheet: State.Sheet? {
        switch self {
        case .trust: .trust
        case .comments: .comments
        case .diagnostics: .diagnostics
        case .menu: .menu
        case .topics: .topics
        case .notInterested: .hide
        case .places: .places
        case .quality: .quality
        case .help: .help
        default: nil
        }
    }

    /// Whether it reads or closes a sheet, and leaves the page below alone.
    var isForSheets: Bool {
        switch self {
        case .scrollUp, .scrollDown, .scrollPageUp, .scrollPageDown, .first, .last, .choose, .close: true
        default: false
        }
    }

    /// Whether the action makes sense while the feed is empty.
    var worksWithoutItem: Bool {
        switch self {
        case .refresh, .mute, .quieter, .louder, .fit, .autoAdvance, .help, .diagnostics, .close, .redraw, .suspend,
            .quit, .scrollUp, .scrollDown, .scrollPageUp, .scrollPageDown, .choose, .nextPlace,
            .previousPlace, .places, .sleepTimer, .addSource, .removeSource, .moreOfSource, .lessOfSource,
            .notInterested, .undo:
            true
        default: false
        }
    }

    /// The mode in which the action's keys are looked up.
    public var mode: InputMode {
        switch self {
        case .scrollUp, .scrollDown, .scrollPageUp, .scrollPageDown, .choose: .sheet
        case .reply, .deleteComment, .likeComment, .reportComment: .comments
        case .addSource, .removeSource, .moreOfSource, .lessOfSource: .places
        case .nextLink, .previousLink: .caption
        case .gridLeft, .gridRight: .grid
        default: .page
        }
    }
}

/// What keys mean depends on what is open. Each mode looks a key up in its own bindings first, then in those of the
/// modes below. While a text is typed, its field has the keys (`TextField.handle`).
public enum InputMode: Hashable, Sendable, CaseIterable {
    case page
    /// A sheet is open over the page.
    case sheet
    /// That sheet has the caption.
    case caption
    /// That sheet has the comments.
    case comments
    /// That sheet has all places.
    case places
    /// A grid of stills stands in place of the page.
    case grid

    /// The modes whose bindings count, the first ones before the others.
    var chain: [InputMode] {
        switch self {
        case .page: [.page]
        case .sheet: [.sheet, .page]
        case .caption: [.caption, .sheet, .page]
        case .comments: [.comments, .sheet, .page]
        case .places: [.places, .sheet, .page]
        case .grid: [.grid, .sheet, .page]
        }
    }
}
