import Model
import TerminalInput

/// What led to an action, where that makes a difference.
enum Trigger: Equatable {
    case key
    /// A button of the page, or a line of the menu.
    case button
    case wheel
    /// A right click, or a long press.
    case pointer(at: GridPoint)
    /// A double click likes and never takes a like back.
    case doubleClick(at: GridPoint)
}

extension State {
    /// The mode in which keys are looked up now.
    var inputMode: InputMode {
        switch view.sheet {
        case .caption: .caption
        case .comments: .comments
        case .places: .places
        case nil: feed.grid == nil ? .page : .grid
        default: .sheet
        }
    }

    mutating func handle(_ key: Key, now: Duration) -> [Effect] {
        if typing != nil { return type(key, now: now) }
        if discussion.isRefusedText(key, now: now) { return [] }
        if key == .enter {
            switch view.enter.press(counts: inputMode == .page, now: now) {
            case .single: break
            case .becomesHeld: return inputMode == .page ? perform(.menu, now: now) : []
            case .held: return []
            }
        }
        if let action = options.keys.action(for: key, in: inputMode) {
            // As in less, the key that quits closes what lies over the page first. Ctrl-C always quits.
            let closes = action == .quit && key != .control("c") && (view.sheet != nil || feed.grid != nil)
            return perform(closes ? .close : action, now: now)
        }
        if let next = key.afterEscape { return handle(.escape, now: now) + handle(next, now: now) }
        showKeyHint(now: now)
        return []
    }

    /// Carries out an action, whatever triggered it. An action that does not apply now does nothing; most show why.
    mutating func perform(_ action: Action, by trigger: Trigger = .key, now: Duration) -> [Effect] {
        switch action {
        // These work however small the terminal is.
        case .quit: return [.quit]
        case .suspend: return onCurrent { .pause($0) } + [.suspend]
        case .redraw:
            questions.page += 1
            return [.redraw]
        default: break
        }
        let closesSheet = view.sheet != nil && action.sheet == view.sheet
        let filtersKeys = action == .filter && view.sheet == .help && !options.isPlain
        let movesInSheet = view.sheet != nil && (action == .first || action == .last)
        guard !isTooSmall else { return [] }
        guard items.count > 0 || action.worksWithoutItem || closesSheet || filtersKeys || movesInSheet else {
            toasts.show(feed.isReading ? "The feed is still loading" : "There is no clip here", about: .clip, now: now)
            return []
        }
        if filtersKeys { return openKeyFilter() }
        if feed.grid != nil { return performInGrid(action, now: now) }
        if view.sheet?.isAboutItsClip == true, !action.isForSheets, !closesSheet { view.close() }
        switch action {
        case .next: return trigger == .wheel ? wheel(by: 1, now: now) : page(by: 1, now: now)
        case .previous: return trigger == .wheel ? wheel(by: -1, now: now) : page(by: -1, now: now)
        case .first: return view.sheet == nil ? jump(to: 0, now: now) : scrollSheet(by: -Self.farAway)
        case .last: return view.sheet == nil ? jump(to: items.count - 1, now: now) : scrollSheet(by: Self.farAway)
        case .filter: return openFilter(now: now)
        case .refresh: return refresh(now: now)
        case .retry: return canRetry ? retry(now: now) : isCovered ? reveal(now: now) : []
        case .autoAdvance: return toggleAutoAdvance(now: now)
        case .nextPlace: return turnPlace(by: 1, now: now)
        case .places: return openPlaces()
        case .addSource: return typeSource()
        case .removeSource, .moreOfSource, .lessOfSource: return changeSource(action, now: now)
        case .previousPlace: return turnPlace(by: -1, now: now)

        case .pause: return togglePlay(now: now)
        case .seekBack: return scrub(by: .zero - options.seekStep, now: now)
        case .seekForward: return scrub(by: options.seekStep, now: now)
        case .seekBackShort: return scrub(by: .seconds(-1), now: now)
        case .seekForwardShort: return scrub(by: .seconds(1), now: now)
        case .seekBackLong: return scrub(by: .seconds(-30), now: now)
        case .seekForwardLong: return scrub(by: .seconds(30), now: now)
        case .seek0, .seek10, .seek20, .seek30, .seek40, .seek50, .seek60, .seek70, .seek80, .seek90:
            return seek(toTenth: action.tenth ?? 0, now: now)
        case .frameBack: return step(by: -1, now: now)
        case .frameForward: return step(by: 1, now: now)
        case .chapterBack: return goToChapter(by: -1, now: now)
        case .chapterForward: return goToChapter(by: 1, now: now)
        case .soundTrack: return nextSound(now: now)
        case .quality: return openQuality()
        case .slower: return setSpeed(playback.speed(by: -1), now: now)
        case .faster: return setSpeed(playback.speed(by: 1), now: now)
        case .normalSpeed: return setSpeed(1, now: now)
        case .mute: return mute(!playback.sound.isMuted, now: now)
        case .quieter: return setVolume(playback.sound.volume - 0.05, now: now)
        case .louder: return setVolume(playback.sound.volume + 0.05, now: now)
        case .fit: return toggleFit(now: now)
        case .subtitles: return nextSubtitles(now: now)
        case .subtitlesEarlier: return delaySubtitles(by: -1, now: now)
        case .subtitlesLater: return delaySubtitles(by: 1, now: now)
        case .audioEarlier: return delayAudio(by: -1, now: now)
        case .audioLater: return delayAudio(by: 1, now: now)
        case .hideOverlay: return hideOverlay(now: now)
        case .saveFrame: return saveFrame(now: now)
        case .saveClip: return saveClip(now: now)
        case .repeatPart: return markRepeat(now: now)
        case .sleepTimer: return nextSleep(now: now)

        case .like: return like(by: trigger, now: now)
        case .dislike: return dislike(now: now)
        case .save: return save(now: now)
        // The lines of that sheet are no clips.
        case .notInterested: return view.sheet == .places ? [] : openHiding(now: now)
        case .undo: return undo(now: now)
        case .follow: return follow(now: now)
        case .copyLink: return copyLink(now: now)
        case .open: return openElsewhere(now: now)
        case .keepOffline: return keepOffline(now: now)
        case .deleteItem: return deleteItem(now: now)

        case .caption: return expand()
        case .comments: return comments(now: now)
        case .message: return openMessage(now: now)
        case .reply: return reply(now: now)
        case .deleteComment: return deleteComment(now: now)
        case .likeComment: return likeComment(chosenComment, now: now)
        case .reportComment: return openReport(now: now)
        case .trust: return openTrust(now: now)
        case .creator: return openCreator(now: now)
        case .topics: return openTopics(now: now)
        case .diagnostics: return open(.diagnostics)
        case .menu: return openMenu(by: trigger)
        case .help: return open(.help)
        case .close: return close(now: now)
        case .scrollUp: return scrollSheet(by: -1)
        case .scrollDown: return scrollSheet(by: 1)
        case .scrollPageUp: return scrollSheet(by: -1, pages: true)
        case .scrollPageDown: return scrollSheet(by: 1, pages: true)
        case .choose: return choose(now: now)
        case .nextLink, .previousLink:
            moveLink(by: action == .nextLink ? 1 : -1)
            return []
        case .gridLeft, .gridRight: return []

        case .quit, .suspend, .redraw: return []  // Handled above.
        }
    }

    /// Shows which key shows all keys, after a key that does nothing.
    ///
    /// - Parameter isFirst: the first run of flick for this user.
    mutating func showKeyHint(isFirst: Bool = false, now: Duration) {
        guard keyLabel(of: .help) != nil else { return }
        view.showHint(isFirst: isFirst, now: now)
    }

    /// Whether the current clip failed and its page shows why.
    private var canRetry: Bool { clip.failure != nil }

    mutating func refresh(now: Duration) -> [Effect] {
        if view.sheet == .places {
            toasts.show("Reading all sources", now: now)
            return [.source(.refresh)]
        }
        if canRetry {
            toasts.show("Retrying", about: .clip, now: now)
            return retry(now: now) + [.refresh]
        }
        if items.count > 0 { toasts.show("Refreshing the feed", now: now) }
        return [.refresh]
    }

    private mutating func toggleFit(now: Duration) -> [Effect] {
        toasts.show(playback.nextFit(), now: now)
        return [.setFit(playback.fit)]
    }

    /// Hides what lies over the clip, or shows it again. Plain mode has nothing there.
    private mutating func hideOverlay(now: Duration) -> [Effect] {
        guard !options.isPlain else {
            toasts.show("Nothing to hide", now: now)
            return []
        }
        view.close()
        view.toggleClear()
        if view.isClear { toasts.show(offering(.hideOverlay, "to show", after: "Overlay hidden"), now: now) }
        return []
    }

    private mutating func nextSleep(now: Duration) -> [Effect] {
        let looped = playback.loops(options)
        playback.sleep.next(now: now)
        toasts.show(playback.sleep.words, now: now)
        let settings: [Effect] = playback.loops(options) == looped ? [] : [.setLoop(!looped)]
        // A part that is repeated has no end at which playing could stop.
        guard playback.sleep.stop == .clipEnd, seeking.repeats.part != nil else { return settings }
        seeking.repeats = RepeatMarks()
        return settings + onCurrent { .repeatPart($0, nil) }
    }

    private mutating func toggleAutoAdvance(now: Duration) -> [Effect] {
        playback.toggleAutoAdvance()
        toasts.show(playback.autoAdvances ? "Auto-advance on" : "Auto-advance off", now: now)
        return [.setLoop(playback.loops(options))]
    }

    // MARK: Sheets

    /// Lines, more than any sheet has.
    static let farAway = 1_000_000

    /// Opens a sheet, or closes it if it is open already. What was said of it before ends.
    mutating func open(_ wanted: Sheet) -> [Effect] {
        view.toggle(wanted)
        if view.sheet == wanted { toasts.drop(about: wanted) }
        return []
    }

    /// Opens the menu at what asked for it.
    private mutating func openMenu(by trigger: Trigger) -> [Effect] {
        let place: MenuPlace =
            switch trigger {
            case .pointer(let point): .pointer(point)
            case .button: .button
            case .key, .wheel, .doubleClick: .rail
            }
        view.toggleMenu(at: place)
        return []
    }

    /// What the feed says of the clip's trust; a notice if it says nothing.
    private mutating func openTrust(now: Duration) -> [Effect] {
        guard content?.trust != nil else {
            toasts.show("This clip has no trust score", about: .clip, sheet: .trust, now: now)
            return []
        }
        return open(.trust)
    }

    private mutating func close(now: Duration) -> [Effect] {
        feed.dropWanted()
        if view.sheet != nil {
            view.close()
        } else if !view.isExpanded, let part = feed.part {
            // A creator's clip was chosen in the grid of their clips.
            if case .topic = part { return [.closePart] }
            return openGrid(now: now)
        } else {
            if options.isPlain { toasts.show("Nothing is open", now: now) }
            view.expand(false)
        }
        return []
    }

    /// A menu goes to another entry, any other sheet scrolls: by lines, or by all that it shows but one, so that no
    /// line is passed unseen.
    mutating func scrollSheet(by count: Int, pages: Bool = false) -> [Effect] {
        guard let sheet = view.sheet else { return [] }
        if options.isPlain { return scrollPlain(sheet, by: count, pages: pages) }
        if sheet == .comments { return scrollComments(by: count, pages: pages) }
        let layout = SheetLayout(self)
        let lines = pages ? count * max(layout.body.rows - 1, 1) : count
        let last =
            sheet.isMenu
            ? max((sheetContents?.entries.count { $0.isChoice } ?? 0) - 1, 0) : max(layout.total - layout.body.rows, 0)
        view.scroll(by: lines, last: last)
        return []
    }

    /// Performs the menu's chosen entry, or opens the chosen link; closes any other sheet.
    private mutating func choose(now: Duration) -> [Effect] {
        if view.sheet == .comments { return chooseComment(now: now) }
        if view.sheet == .caption, let link = SheetLayout(self).link { return openLink(link) }
        let (closed, entries, line) = (view.sheet, menu, view.line)
        if closed == .places { return openPlaceLine(now: now) }
        if closed == .hidden { return showHidden(line, now: now) }
        view.close()
        if closed == .hide { return hide(line, now: now) }
        if closed == .quality { return chooseQuality(line, now: now) }
        if closed == .topics, topics.indices.contains(line) { return open(.topic(topics[line]), now: now) }
        guard closed == .menu, !entries.isEmpty else { return [] }
        return perform(entries[min(line, entries.count - 1)].action, by: .button, now: now)
    }
}
