import Audio
import Bytes
import Engagement
import Feeds
import Model
import Platform
import Player
import Screen
import UI
import Wire

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// Where the loop has the time from. Monotonic.
protocol LoopClock {
    /// Since the process began.
    var now: Duration { get }
}

extension ProcessClock: LoopClock {}

/// Why the loop has ended.
enum LoopExit {
    case quit
    case ended(Ending)
    case failed(AppError)
}

/// The sessions that read or decode more of items than their players do.
@MainActor
struct ReadingSessions {
    let captions: CaptionSession
    let downloads: DownloadSession
    let frames: FrameSession
    let clips: ClipSaveSession

    /// - Parameter charset: of subtitles that are not Unicode; nil: it is detected.
    init(provider: any ByteProvider, inbox: Inbox<LoopMessage>, journal: Journal, charset: String?) {
        captions = CaptionSession(provider: provider, inbox: inbox, journal: journal, charset: charset)
        downloads = DownloadSession(provider: provider, inbox: inbox, journal: journal)
        frames = FrameSession(provider: provider, inbox: inbox, journal: journal)
        clips = ClipSaveSession(provider: provider, inbox: inbox, journal: journal)
    }
}

/// The loop of `flick browse`: passes events to `update`, runs the effects, and draws at most once per frame interval.
///
/// Main thread only. The loop blocks in one place, `wait`, until the terminal or another thread has something for it,
/// or until the next deadline.
@MainActor
final class Browser<Clock: LoopClock> {
    let settings: BrowseSettings
    let clock: Clock
    let terminal: Terminal
    let pool: PlayerPool
    let inbox: Inbox<LoopMessage>
    let fetches: FetchJournal
    let library: LibrarySession
    private let comments: CommentSession
    let reading: ReadingSessions
    private let desktop: DesktopSession
    let output: FrameOutput
    let feed: FeedSession
    var state: State { didSet { output.pageChanged() } }
    /// Why the loop ends; nil while it runs.
    private(set) var exit: LoopExit?

    var journal: Journal { fetches.journal }

    init(
        settings: BrowseSettings, clock: Clock, terminal: Terminal, pool: PlayerPool, inbox: Inbox<LoopMessage>,
        loader: FeedLoader, feed: LoadedFeed?, isFirstRun: Bool, fetches: FetchJournal, comments: CommentSession,
        library: LibraryLink?, kept: any ByteProvider
    ) {
        let journal = fetches.journal
        self.comments = comments
        self.library = LibrarySession(link: library, pool: pool, journal: journal)
        self.settings = settings
        self.clock = clock
        self.terminal = terminal
        self.pool = pool
        self.inbox = inbox
        self.fetches = fetches
        self.feed = FeedSession(
            feed, loader: loader, pool: pool, library: library, journal: journal, settings: settings, kept: kept)
        reading = ReadingSessions(
            provider: loader.provider, inbox: inbox, journal: journal, charset: settings.subtitleCharset.name)
        desktop = DesktopSession(settings.setup.configuration.desktop, inbox: inbox, journal: journal)
        output = FrameOutput(
            terminal: terminal, pool: pool, journal: journal, isPlain: settings.plain, fps: settings.fps,
            bitrate: settings.link, now: clock.now)
        state = State(
            size: terminal.size, items: feed?.feed.items ?? [Item](), title: feed?.feed.title,
            places: Places(loader.places.all, current: loader.places.first), sourceName: loader.places.sourceName,
            options: Options(settings, at: loader.places.first, from: feed?.point, terminal: terminal))
        state.wallClock = Date(timeIntervalSinceNow: -clock.now.seconds)
        state.feed.isReading = feed == nil
        state.options.isFirstRun = isFirstRun
        state.options.hasBackdrop = output.showsBackdrop
    }

    /// Runs until the user leaves. Returns why it ended.
    func run() -> LoopExit {
        start()
        while true {
            if let exit {
                desktop.close()
                reading.downloads.close()
                reading.clips.close()
                feed.close()
                library.finish(now: clock.now)
                return exit
            }
            step(wait())
        }
    }

    /// Opens the page, and looks at what arrived before the loop.
    func start() {
        journal.record(
            .start(
                version: version, size: state.size,
                surface: output.isPlain ? "plain" : state.options.pictureMode.rawValue,
                color: state.options.color.rawValue))
        let first = feed.takeFirst()
        if let first {
            handle(each: feed.note(first.feed))
            feed.follow(first.feed)
            resume(at: first.point, of: first.feed.items.count)
        }
        // Those of the configuration are known before the library is read.
        handle(each: feed.applyRules(on: state))
        library.link?.counted = { [unowned self] in state.reactions.withOwnCounts($0) }
        state.feed.readsComments = { ServiceComments(of: $0) != nil }
        if library.link != nil { state.feed.keepsComments = { LibraryLink.keepsComments(on: $0) } }
        handle(feed.service)
        let effects = begin(&state, now: clock.now)
        look()
        handle(effects.flatMap(run))
        if let first { handle(each: feed.warn(of: first.feed)) }
        warn(of: settings.setup)
        step()
    }

    // MARK: The loop

    /// Blocks until there is something to do. Returns what to read from the terminal.
    func wait() -> Terminal.Readiness {
        let now = clock.now
        // The terminal may have taken the last byte just now.
        if output.isBusy, output.wantsWakeWhenWritten(now: now), !terminal.wakeWhenWritten() { return [] }
        let timeout = FrameScheduler.timeout(until: deadlines(now: now), now: now)
        var sources = [
            pollfd(fd: terminal.inputDescriptor, events: Int16(POLLIN), revents: 0),
            pollfd(fd: inbox.descriptor, events: Int16(POLLIN), revents: 0),
            pollfd(fd: terminal.signalDescriptor, events: Int16(POLLIN), revents: 0),
        ]
        // A signal that interrupts the wait also ends it.
        guard poll(&sources, nfds_t(sources.count), timeout) > 0 else { return [] }
        var ready: Terminal.Readiness = []
        if sources[0].revents != 0 { ready.insert(.input) }
        if sources[2].revents != 0 { ready.insert(.signals) }
        return ready
    }

    /// When to look again although nothing has come, at the earliest of these.
    func deadlines(now: Duration) -> [Duration?] {
        [
            pool.nextWake(now: now), output.nextWake(now: now), terminal.nextWake(now: now),
            feed.nextWake(left: itemsLeft), library.nextWake, desktop.nextWake,
        ]
    }

    /// Handles what has come, then draws what has changed.
    ///
    /// - Parameter ready: what to read from the terminal.
    func step(_ ready: Terminal.Readiness = [.input, .signals]) {
        if !output.isBusy { updateArrived() }
        output.sendLines()
        for message in inbox.drain() { handle(message) }
        for event in terminal.events(now: clock.now, ready: ready).map(Event.init)
        where state.heeds(event, now: clock.now) {
            handle(event)
        }
        if output.noteAnswers(now: clock.now) {
            handle(Event.notice("Terminal too slow for pixels; using blocks", .remark))
        }
        if output.takesNewCapabilities() { handle(terminalChanged()) }
        if terminal.wantsSuspend { handle(suspend()) }
        // The size may have changed while the shell had the terminal; no signal reports that.
        if terminal.size != state.size { handle(Event.resized(terminal.size)) }
        if let ending = terminal.ending { exit = .ended(ending) }
        feed.loadAhead(left: itemsLeft, now: clock.now)
        let now = clock.now
        let happened = pool.advance(now: now)
        // An assignment, even of the same, would have the page drawn again.
        if state.playback.sound.isMissing != pool.lacksSound { state.playback.sound.isMissing = pool.lacksSound }
        handle(happened)
        output.notePictures()
        if output.takesTick(now: now) { handle(Event.tick) }
        library.advance(playing: state.clip.isPlaying ? state.currentID : nil, now: now)
        guard exit == nil else { return }
        if let budget = output.budget(now: clock.now) { present(within: budget) }
        if state.isPassing {
            // The page where the keys end gets a decoder that is ready.
            handle(pool.startDecodersAhead(now: clock.now))
        } else if output.isUpToDate {
            handle(pool.openAhead(now: clock.now, isMoving: state.pager.isMoving))
        }
        // Only for the next step: the terminal does not wait for it.
        output.expectChanges(of: state, after: now)
        // Other programs can wait for it; the page is on its way.
        desktop.advance(state, now: now)
    }

    /// Brings the page to the terminal.
    ///
    /// - Parameter budget: in bytes.
    private func present(within budget: Int) {
        // The writer's thread may have finished the last update during this step.
        updateArrived()
        output.notePace(now: clock.now)
        if state.options.hasBackdrop != output.showsBackdrop { state.options.hasBackdrop = output.showsBackdrop }
        if output.present(state, within: budget, now: clock.now) { updateArrived() }
    }

    /// The terminal has received everything, so it shows the pictures of the last update.
    private func updateArrived() {
        guard let update = output.arrived() else { return }
        let now = clock.now
        for picture in update.fresh {
            handle(
                pool.pictureShown(
                    of: picture.item, picture, now: now, bytes: update.bytes, cells: update.cells,
                    took: now - update.begun))
        }
    }

    // MARK: Events

    private func handle(_ message: LoopMessage) {
        switch message {
        case .event(let event): handle(event)
        case .feed(.read(let place, .success((let new, let point)))):
            if feed.looksAgain(at: place, new, from: point, on: state) { return }
            if feed.isAt(place) { return show(new, from: point) }
            handle(pool.resume(at: point.places, now: clock.now))
            handle(each: feed.receive(new, of: place, from: point, on: state))
        case .feed(.read(let place, .failure(let error))):
            feed.fail(place)
            guard feed.isAt(place) else { return handle(Event.placeUnavailable(place, why: "\(error)")) }
            if state.items.count == 0, state.feed.isReading {
                exit = .failed(error)
            } else {
                handle(journal.complaint(of: "feed", "\(error)"))
            }
        case .feed(.part(let part, let new)): handle(each: feed.show(part, new, on: state))
        case .feed(.page(let pages, let result)):
            handle(each: feed.receive(result, of: pages, left: itemsLeft, now: clock.now))
        case .feed(.folders(let follower, let change, let items, let new)):
            handle(each: feed.receive(change, items, new: new, of: follower))
        case .feed(.visible(let lists)): handle(each: feed.receive(lists, on: state))
        case .feed(.sources(let sources)): handle(each: feed.change(home: sources, on: state))
        case .feed(.counted(let list, let changes)): handle(each: feed.receive(list, changes: changes))
        case .feed(.rules): handle(each: feed.applyRules(on: state) + closeHidden())
        case .places(let places): handle(pool.resume(at: places, now: clock.now))
        case .desktop(let request):
            for command in ExternalCommand.commands(for: request.command, on: state, now: clock.now) {
                handle(Event.external(command))
            }
            request.answer(desktop.playing(state, now: clock.now))
        }
    }

    /// - Parameter point: where to continue, if it is the first feed.
    private func show(_ new: Feed, from point: ReturnPoint) {
        handle(each: feed.show(new))
        if state.items.count == 0 {
            state.options.startIndex = settings.startIndex(from: point)
            resume(at: point, of: new.items.count)
        }
        handle(feed.service)
        handle(Event.feed(new.items, title: new.title))
        handle(each: feed.warn(of: new))
    }

    /// Opens the feed: long clips continue where they were left.
    private func resume(at point: ReturnPoint, of count: Int) {
        handle(pool.resume(at: point.places, now: clock.now))
        // A warning about the configuration comes first: what is wrong there holds until it is mended.
        let kind: Toasts.Kind = settings.setup.shortWarnings.isEmpty ? .news : .remark
        let words = feed.words(for: point.start, of: count, as: kind) { state.offering(.first, "first", after: $0) }
        handle(each: words)
    }

    /// The number of items after the current one, or the chosen one of a grid.
    private var itemsLeft: Int { state.items.count - 1 - (state.feed.grid?.chosen ?? state.current) }

    /// Handles events one after the other, each with all that it causes.
    private func handle(each events: [Event]) { for event in events { handle(event) } }

    /// Updates the page, and runs the effects.
    func handle(_ event: Event) { handle([event]) }

    /// Handles events of players: passes them to the page, the user or the trace.
    func handle(_ events: [PlayerEvent]) { handle(forPage(events)) }

    /// Handles events in order. Events that an effect causes wait until all earlier events and effects are done.
    private func handle(_ events: [Event]) {
        var waiting = events
        var next = 0
        while next < waiting.count {
            let event = waiting[next]
            next += 1
            note(event)
            let effects = update(&state, event, now: clock.now)
            look()
            noteHandled(event)
            for effect in effects { waiting += run(effect) }
            if case .resized = event { waiting += resized() }
        }
    }

    /// Writes the trace's part of players' events, and returns the page's part.
    func forPage(_ events: [PlayerEvent]) -> [Event] {
        // Most calls have no events.
        guard !events.isEmpty else { return [] }
        return events.compactMap { event in
            if let traced = event.traceEvent { journal.record(traced) }
            switch event {
            // Players do not know what is sent to the terminal, so add that here.
            case .report(let item, .diagnostics(var figures)):
                output.complete(&figures, now: clock.now)
                return .player(item, .diagnostics(figures))
            case .report(let item, let report): return .player(item, report.naming(state.item(item)))
            case .avatars(let addresses): return .avatars(addresses)
            case .seekStill(let item, let size): return .seekStill(item, size)
            case .notice(let text): return .notice(text, .remark)
            case .playback(let item, let event):
                library.note(event, of: item, now: clock.now)
                return nil
            case .trace: return nil
            }
        }
    }

    /// Looks at the page after a change.
    private func look() {
        if output.isPlain { output.printChanges(in: state, now: clock.now) }
        library.look(at: state, page: feed.isWhole ? state.current : nil, now: clock.now)
    }

    /// Passes on what of an event counts as watched.
    private func noteHandled(_ event: Event) {
        switch event {
        case .player(let item, let report):
            let isPlaying = state.clips[item]?.isPlaying ?? false
            library.note(report, of: item, isPlaying: isPlaying, now: clock.now)
        case .resumed: library.resume(now: clock.now)
        default: break
        }
    }

    /// Notes how soon the change by an event must be visible.
    private func note(_ event: Event) {
        // Reports of clips out of view change nothing visible.
        if case .player(let item, _) = event, !output.shows(item) { return }
        // Most movements of the mouse light nothing up.
        if case .mouse(let mouse) = event, mouse.action == .move,
            !state.changesLight(at: mouse.at, now: clock.now)
        {
            return
        }
        output.note(event.urgency, now: clock.now)
    }

    // MARK: Effects

    /// Carries out an effect, and returns its immediate events.
    private func run(_ effect: Effect) -> [Event] {
        let now = clock.now
        library.note(effect, now: now)
        switch effect {
        case .react(let id, let reaction):
            if let item = state.item(id) { library.link?.react(to: item, reaction, now: now) }
        case .loadComments(let id, let next):
            if let item = state.item(id) { comments.load(of: item, after: next, from: library.link) }
        case .readCaptions(let id, let index):
            if let item = state.item(id) { reading.captions.readCaptions(index, of: item) }
        case .readChapters(let id): if let item = state.item(id) { reading.captions.readChapters(of: item) }
        case .sendComment(let id, let local, let text, let parent):
            if let item = state.item(id), let link = library.link {
                if link.takesComments(on: item) {
                    comments.send(text, on: item, local: local, answering: parent, through: link, now: now)
                    return []
                }
                if LibraryLink.keepsComments(on: item) {
                    comments.keep(text, on: item, local: local, answering: parent, in: link, now: now)
                    return []
                }
            }
            return [.commentRefused(id, local: local, why: "this feed has no comments")]
        case .deleteComment(let id): library.link?.deleteComment(id)
        case .restoreComment(let id, let comment):
            if let item = state.item(id) { library.link?.restore(comment, on: item) }
        case .changeComment(let item, let comment, let act):
            library.link?.change(comment, on: item, act, now: now)
        case .deleteItem(let item, let deletes):
            return feed.delete(item, deletes, on: state, now: now) + closeHidden()
        case .showDeleted(let id, let isShown): return feed.show(deleted: id, isShown, on: state) + closeHidden()
        case .share(let id): if let item = state.item(id) { library.link?.share(item, now: now) }
        case .follow(let id, let follows):
            if let item = state.item(id) { library.link?.follow(item, follows, now: now) }
            feed.changeFollows()
        case .hide(let rule, let hides): return feed.hide(rule, hides, on: state, now: now) + closeHidden()
        case .play(let id):
            let slideEnd = state.pager.slideEnd ?? now
            // Another place may have left it open, whose clips the page has forgotten.
            let again = state.clips[id]?.facts == nil ? pool.reportFacts(of: id) : []
            return forPage(
                item(id).map { again + pool.play($0, index: state.page(of: id), slideEnd: slideEnd, now: now) } ?? [])
        case .pause(let id): return forPage(pool.pause(id, now: now))
        case .peek(let id): return forPage(pool.peek(id, now: now))
        case .keepWarm(let wanted): return keepWarm(wanted)
        case .preview(let id, let time): return forPage(pool.preview(id, to: time, now: now))
        case .makeSeekStill(let id, let time):
            return forPage(item(id).map { pool.wantSeekStill(of: $0, at: time, now: now) } ?? [])
        case .seek(let id, let time): return forPage(pool.seek(id, to: time, now: now))
        case .step(let id, let count): return forPage(pool.step(id, by: count, now: now))
        case .chooseSound(let id, let track): return forPage(pool.chooseSound(id, track, now: now))
        case .chooseText(let id, let track): return forPage(pool.chooseText(id, track, now: now))
        case .retry(let id): return forPage(item(id).map { pool.retry($0, now: now) } ?? [])
        case .tune(let id, let tuning): return forPage(pool.tune(id, tuning, now: now))
        case .setSavesData(let savesData): return forPage(pool.setSavesData(savesData, now: now))
        case .setSpeed(let speed): return forPage(pool.setSpeed(speed, now: now))
        case .setVolume(let volume): return forPage(pool.setVolume(volume, now: now))
        case .setLoop(let loops): return forPage(pool.setLoop(loops, now: now))
        case .setFit: return askForPictures()
        case .keepOffline(let id, let isKept):
            if let item = item(id) {
                pool.keepOffline(item, isKept)
                reading.downloads.keep(item, isKept)
            }
        case .openElsewhere(let address): return open(elsewhere: address)
        case .suspend: return suspend()
        case .copy(let link): return [copy(link)]
        case .saveFrame(let id): return saveFrame(of: id)
        case .saveClip(let id): return saveClip(of: id)
        case .repeatPart(let id, let part): return forPage(pool.repeatPart(id, part, now: now))
        case .loadMore:
            feed.hurry()
            feed.loadAhead(left: itemsLeft, now: now)
        case .openPart(let part): feed.open(part, on: state)
        case .readPlaces: feed.countNew()
        case .source(.open(let source)):
            return feed.open(FeedSource(source.text, name: source.name, weight: source.weight), on: state)
        case .source(.refresh): feed.refreshSources(on: state)
        case .source(let change): feed.change(change)
        case .openPlace(let place): return feed.open(place, on: state)
        case .showTiles(let shown): return wantStills(ofTiles: shown)
        case .closePart: return feed.closePart()
        case .refresh: feed.reload(on: state)
        case .redraw: output.startOver()
        case .quit: exit = exit ?? .quit
        case .trace(let event): journal.record(event)
        }
        return []
    }

    /// The item that an effect names. Its bytes are about to be fetched.
    private func item(_ id: Item.ID) -> Item? {
        guard let item = state.item(id) else { return nil }
        fetches.note(CollectionOfOne(item))
        return item
    }
}

extension Event {
    fileprivate init(_ event: TerminalEvent) {
        self =
            switch event {
            case .key(let key): .key(key)
            case .mouse(let mouse): .mouse(mouse)
            case .paste(let text): .paste(text)
            case .focus(let isThere): .focus(isThere)
            case .resized(let size): .resized(size)
            case .resumed: .resumed
            }
    }
}
