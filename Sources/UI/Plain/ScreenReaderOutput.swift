import Model

/// Plain mode, for people with a screen reader and for terminals that cannot move their cursor. Prints the page as
/// lines, one for each event, instead of what `draw` shows (docs/user/plain.md).
///
/// Keeps what was printed. Each call of `next` returns what is new; its result depends only on that, the state and the
/// time. Lines are clean (`CleanText.line`): none holds a control character. A value.
public struct ScreenReaderOutput: Sendable {
    var last = Printed()
    var lines: [String] = []

    /// The state as it was last printed.
    struct Printed: Sendable, Equatable {
        var feed: FeedState?
        var page: PlainPage?
        var status = PlainStatus.none
        /// What the clip was waiting for.
        var wait: String?
        /// The last title of the page's radio.
        var title = ""
        /// The subtitle that was on.
        var subtitle: String?
        var hasDuration = false
        var hasBegun = false
        var toasts = 0
        var sought: Duration?
        var refused: Duration?
        var hint: Duration?
        var questions = RepeatRequests()
        var sheet: State.Sheet?
        /// The comments that were printed, and the line below them.
        var comments: Set<String> = []
        var commentsTail = ""
        var typing: Typing?
        var found: Found?
        var grid: StillGrid?
    }

    enum FeedState: Sendable, Equatable { case opening, empty, full }

    /// Which page it is.
    struct PlainPage: Sendable, Equatable {
        var item: Item.ID
        var index: Int
        var part: FeedPart?
    }

    /// How the clip of the page is.
    enum PlainStatus: Sendable, Equatable { case none, playing, paused, ended, stalled, failed }

    /// What is found so far.
    struct Found: Sendable, Equatable {
        var words: [[UInt8]]
        var count: Int
        /// The index of the chosen item.
        var match: Int?
    }

    public init() {}

    /// The lines to print after an update; often none.
    public mutating func next(_ state: State, now: Duration) -> [String] {
        lines = []
        reportFeed(state)
        endTyping(state)
        reportGrid(state)
        if state.feed.grid == nil { reportPage(state, now: now) }
        reportSheet(state, now: now)
        reportTyping(state)
        reportSeek(state)
        if state.toasts.count != last.toasts, let toast = state.toasts.current { lines.append(toast.text.text) }
        if state.feed.grid == nil {
            reportStatus(state, now: now)
            reportSubtitle(state, now: now)
        }
        if state.loading.refusedAt != last.refused, state.loading.refusedAt != nil {
            lines.append("the clip has not started yet")
        }
        if state.view.hint?.until != last.hint, state.view.hint?.until != nil {
            lines.append("this key does nothing here" + hint(state, .help, "lists the keys", before: "; "))
        }
        if last.sheet != nil, last.sheet != .filter, state.view.sheet == nil, lines.isEmpty { lines.append("closed") }
        (last.toasts, last.sought, last.refused, last.hint) = (
            state.toasts.count, state.seeking.soughtAt, state.loading.refusedAt, state.view.hint?.until
        )
        (last.sheet, last.typing) = (state.view.sheet, state.typing?.withoutFound)
        (last.grid, last.questions) = (state.feed.grid, state.questions)
        return lines.map { CleanText.line($0) }.filter { !$0.isEmpty }
    }

    /// "; Space plays it again"; nothing for an action without a key.
    func hint(_ state: State, _ action: Action, _ words: String, before: String = "") -> String {
        state.keyLabel(of: action).map { "\(before)\($0) \(words)" } ?? ""
    }

    // MARK: The feed

    private mutating func reportFeed(_ state: State) {
        let feed: FeedState = state.items.count > 0 ? .full : state.feed.isReading ? .opening : .empty
        guard feed != last.feed else { return }
        if last.feed == nil {
            let keys = [hint(state, .help, "lists the keys"), hint(state, .quit, "quits")].filter { !$0.isEmpty }
            lines.append("flick" + (keys.isEmpty ? "" : ": " + keys.joined(separator: ", ")))
        }
        last.feed = feed
        switch feed {
        case .opening: lines.append("opening the feed")
        case .empty:
            lines.append(
                state.emptyListTitle.lowercasedFirst + (state.emptyListWords.map { ". \($0)" } ?? "")
                    + hint(state, .refresh, "refreshes", before: "; "))
        case .full:
            lines.append("\(state.feed.title.isEmpty ? "feed" : state.feed.title.text): \(clips(state.items.count))")
        }
    }

    func clips(_ count: Int) -> String { count == 1 ? "1 clip" : "\(count) clips" }

    /// The list of a creator's clips, which is drawn as a grid of stills.
    private mutating func reportGrid(_ state: State) {
        guard let grid = state.feed.grid else { return }
        last.page = nil
        if last.grid == nil {
            let title = state.feed.part?.title ?? "feed"
            let next = state.items.count > 1 ? hint(state, .scrollDown, "reads the next") : ""
            let hints = [next, hint(state, .choose, "opens"), hint(state, .close, "goes back")].filter { !$0.isEmpty }
            lines.append(
                "clips of \(title): \(clips(state.items.count))"
                    + (hints.isEmpty ? "" : "; " + hints.joined(separator: ", ")))
        }
        guard last.grid?.chosen != grid.chosen || last.questions.line != state.questions.line || last.grid == nil,
            grid.chosen < state.items.count
        else { return }
        lines.append("\(grid.chosen + 1) of \(state.items.count): \(PageContent.title(of: state.items[grid.chosen]))")
    }

    // MARK: The page

    private mutating func reportPage(_ state: State, now: Duration) {
        guard let content = state.content, state.items.count > 0 else {
            last.page = nil
            return
        }
        let page = PlainPage(item: content.item.id, index: state.current, part: state.feed.part)
        if state.questions.caption != last.questions.caption { lines += PlainItem(content, state, now: now).all }
        let isAsked = state.questions.page != last.questions.page
        guard page != last.page || isAsked else { return }
        if let before = last.page, page.part != before.part {
            lines.append(page.part.map { "only \($0.title): \(clips(state.items.count))" } ?? "back to the whole feed")
        }
        let item = PlainItem(content, state, now: now)
        lines.append(item.short)
        (last.hasDuration, last.wait) = (item.duration != nil, nil)
        if page.item != last.page?.item { (last.status, last.hasBegun, last.title) = (.none, false, "") }
        if isAsked { last.status = .none }
        last.page = page
    }

    private mutating func reportStatus(_ state: State, now: Duration) {
        guard state.items.count > 0 else { return }
        let clip = state.clip
        let status = Self.status(of: state, now: now)
        let wait = status == .paused || status == .failed ? nil : clip.wait?.words
        if wait != last.wait, let wait { lines.append(wait) }
        last.wait = wait
        if clip.title != last.title, !clip.title.isEmpty { lines.append("now playing: \(clip.title)") }
        last.title = clip.title
        guard status != last.status else { return }
        let place = self.place(state, now: now)
        switch status {
        // `last.status` stays, so that the same status is not printed twice.
        case .none: return
        case .playing:
            var words = "playing"
            if last.status == .none, last.hasBegun { words += place }
            if !last.hasBegun {
                if !last.hasDuration, let duration = clip.duration { words += ", \(Label.clock(duration)) long" }
                if clip.facts?.isStill == true { words = "an image" }
                if clip.facts?.hasAudio == false { words += ", no audio" }
            }
            (last.hasBegun, last.hasDuration) = (true, true)
            lines.append(words)
        case .paused: lines.append("paused" + place)
        case .ended: lines.append("ended" + hint(state, .pause, "replays it", before: "; "))
        case .stalled: lines.append("buffering" + place)
        case .failed:
            guard let failure = clip.failure else { return }
            let advice = failure.advice.isEmpty ? "" : ". \(failure.advice.text)"
            lines.append(
                "cannot be played: \(failure.words.text)\(advice)" + hint(state, .retry, "retries", before: "; ")
                    + (state.hasNextPage ? hint(state, .next, "skips to the next clip", before: ", ") : ""))
        }
        last.status = status
    }

    private static func status(of state: State, now: Duration) -> PlainStatus {
        let clip = state.clip
        if clip.failure != nil { return .failed }
        if state.isHeld || state.isCovered { return .none }
        if state.isPaused { return clip.hasEnded ? .ended : .paused }
        if state.loading.stall.isShown(now: now) { return .stalled }
        return clip.isPlaying && (clip.isRendering || clip.isSoundOnly) ? .playing : .none
    }

    /// " at 0:12 of 1:20".
    private func place(_ state: State, now: Duration) -> String {
        let length = state.clip.duration.map { " of \(Label.clock($0))" } ?? ""
        return " at \(Label.clock(state.shownPosition(now: now)))\(length)"
    }

    /// What is said now, once it is.
    private mutating func reportSubtitle(_ state: State, now: Duration) {
        let text = state.typing == nil ? state.subtitle(now: now) : nil
        if text != last.subtitle, let text { lines.append(text) }
        last.subtitle = text
    }

    private mutating func reportSeek(_ state: State) {
        let soughtAt = state.seeking.soughtAt
        guard soughtAt != last.sought, soughtAt != nil, let target = state.seeking.target?.to else { return }
        let length = state.clip.duration.map { " of \(Label.clock($0))" } ?? ""
        lines.append(Label.clock(target) + length)
        // Where it ended is not where it is any more.
        if last.status == .ended { last.status = .none }
    }
}
