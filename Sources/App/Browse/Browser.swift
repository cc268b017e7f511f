import Audio
import Feeds
import Model
import Player
import Screen
import UI
import Wire

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif
#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

/// The loop of `flick browse`: events in, `update`, effects out, and at most one picture a frame interval.
///
/// Everything here runs on the main thread. The loop blocks in one place, `wait`, until the terminal, another thread, or the next deadline
/// has something for it.
@MainActor
final class Browser {
    enum Message: Sendable {
        case feed(Result<Feed, AppError>)
        /// A further page of the feed; nil if there is none.
        case page(FeedPages, Result<FeedPages.Page?, FeedsError>)
        /// A passing trouble, for the page. The trace has it already.
        case notice(String)
    }

    enum ExitReason {
        case quit
        case ended(Ending)
        case failed(AppError)
    }

    let settings: BrowseSettings
    let clock: ProcessClock
    let terminal: Terminal
    let pool: PlayerPool
    let inbox: Inbox<Message>
    let journal: Journal
    private let fetches: FetchJournal
    let tracesPictures: Bool
    let presenter: Presenter
    let loader: FeedLoader
    /// The feed that was there at the start, until it is shown.
    private var feed: Feed?
    /// The further pages of the feed that is shown.
    var pages: FeedPages?
    var pageAhead = PageAhead()
    var state: State { didSet { drawn = nil } }
    var scheduler: FrameScheduler
    var outputRate = OutputRate()
    var updateInFlight = UpdateInFlight<PictureIdentity>()
    /// The items that the last update showed.
    var itemsInView: [Item.ID] = []
    /// The pictures that the pool was last asked for.
    var request: SurfaceRequest?
    /// The feed is being read, at the start or again.
    var isReading: Bool
    /// When something on the page next moves by itself, and when text next changes.
    private var motionAt: Duration?
    private var textAt: Duration?
    /// The tick that is being handled is for text alone.
    private var isTextTick = false
    /// The last scene that was drawn, and until when it is what would be drawn again: most pictures come between two changes of the page.
    var drawn: (scene: Scene, until: Duration)?
    private var knownCapabilities: Int
    private var exit: ExitReason?

    init(
        settings: BrowseSettings, clock: ProcessClock, terminal: Terminal, pool: PlayerPool, inbox: Inbox<Message>,
        loader: FeedLoader, feed: Feed?, journal: Journal, fetches: FetchJournal
    ) {
        self.settings = settings
        self.clock = clock
        self.terminal = terminal
        self.pool = pool
        self.inbox = inbox
        self.journal = journal
        self.fetches = fetches
        tracesPictures = journal.writesPictures
        self.loader = loader
        self.feed = feed
        pages = feed?.pages
        isReading = feed == nil
        scheduler = FrameScheduler(fps: settings.fps)
        presenter = Presenter(terminal: terminal)
        state = State(
            size: terminal.size, items: feed?.items ?? [Item](),
            options: Options(settings, terminal: terminal))
        state.wallClock = Date(timeIntervalSinceNow: -clock.now.seconds)
        state.isReadingFeed = isReading
        knownCapabilities = terminal.capabilitiesVersion
    }

    /// Runs until the user leaves, and says why it ended.
    func run() -> ExitReason {
        journal.record(
            .start(
                version: version, size: state.size, surface: state.options.surface.rawValue,
                color: state.options.color.rawValue))
        if let feed { recordFeed(feed) }
        handle(begin(&state, now: clock.now).flatMap(run))
        if let feed { warn(of: feed.warnings) }
        feed = nil
        warn(of: settings.setup)
        // Something may have come before anybody listened.
        step()
        while true {
            if let exit { return exit }
            step(wait())
        }
    }

    // MARK: The loop

    /// Blocks until there is something to do. Returns what of the terminal is to be read.
    private func wait() -> Terminal.Readiness {
        let now = clock.now
        let isBusy = presenter.isBusy
        // It may have become idle this moment.
        if isBusy, wantsWakeWhenWritten, !terminal.wakeWhenWritten() { return [] }
        let timeout = FrameScheduler.timeout(
            until: [
                pool.nextWake(now: now), motionAt,
                FrameScheduler.textWake(at: textAt, nextPicture: nextPicture), terminal.nextWake,
                isBusy ? nil : scheduler.due,
                pages == nil ? nil : pageAhead.nextWake(left: itemsLeft),
            ], now: now)
        var sources = [
            pollfd(fd: terminal.inputDescriptor, events: Int16(POLLIN), revents: 0),
            pollfd(fd: inbox.descriptor, events: Int16(POLLIN), revents: 0),
            pollfd(fd: terminal.signalDescriptor, events: Int16(POLLIN), revents: 0),
        ]
        // An interrupted wait is a wait that is over.
        guard poll(&sources, nfds_t(sources.count), timeout) > 0 else { return [] }
        var ready: Terminal.Readiness = []
        if sources[0].revents != 0 { ready.insert(.input) }
        if sources[2].revents != 0 { ready.insert(.signals) }
        return ready
    }

    private func step(_ ready: Terminal.Readiness = [.input, .signals]) {
        if !presenter.isBusy { updateArrived() }
        for message in inbox.drain() { handle(message) }
        for event in terminal.events(now: clock.now, ready: ready) { handle(event) }
        if terminal.capabilitiesVersion != knownCapabilities {
            knownCapabilities = terminal.capabilitiesVersion
            handle(terminalChanged())
        }
        if terminal.wantsSuspend { handle(suspend()) }
        // It may have changed while the shell had the terminal, and then no signal comes.
        if terminal.size != state.size { handle(Event.resized(terminal.size)) }
        if let ending = terminal.ending { exit = .ended(ending) }
        loadAhead()
        let now = clock.now
        handle(pool.advance(now: now))
        // A page's first picture is what the user waits for.
        if hasNewPicture { if updateInFlight.newest.isEmpty { scheduler.noteAnswer() } else { scheduler.noteMotion() } }
        isTextTick = motionAt.map { $0 > now } ?? true
        if [motionAt, textAt].contains(where: { $0.map { $0 <= now } ?? false }) { handle(Event.tick) }
        (motionAt, textAt) = (state.nextMotion(after: now), state.nextText(after: now))
        guard exit == nil else { return }
        if !presenter.isBusy, let due = scheduler.due, clock.now >= due {
            // The writer's thread may have come to the end of the last update since this pass began.
            updateArrived()
            present()
        }
        if !scheduler.isNeeded { handle(pool.openAhead(now: clock.now, isMoving: state.pager.isMoving)) }
    }

    /// Whether the loop is to be woken once the terminal has taken the update that is on its way: something else waits to be drawn, or to be reported.
    /// While a clip plays the next picture wakes it soon enough.
    private var wantsWakeWhenWritten: Bool { scheduler.isNeeded || updateInFlight.isAwaited }

    // MARK: Events

    private func handle(_ message: Message) {
        switch message {
        case .feed(let result):
            isReading = false
            switch result {
            case .success(let feed): show(feed)
            case .failure(let error):
                if state.items.count == 0 { exit = .failed(error) } else { handle(complaint(of: "feed", "\(error)")) }
            }
        case .page(let from, let result): if from === pages { receive(result) }
        case .notice(let text): handle(Event.notice(text))
        }
    }

    /// Updates the page, and runs what is to be done about it.
    func handle(_ event: Event) { handle([event]) }

    /// What happened to players: the page hears of it, the user, or the trace.
    func handle(_ events: [PlayerEvent]) { handle(forPage(events)) }

    /// Handles events in order. What an effect brings about waits until the effects before it, and the events before those, are done.
    private func handle(_ events: [Event]) {
        var waiting = events
        var next = 0
        while next < waiting.count {
            let event = waiting[next]
            next += 1
            note(event)
            for effect in update(&state, event, now: clock.now) { waiting += run(effect) }
            if case .resized = event { waiting += resized() }
        }
    }

    /// The part of what happened to players that is for the page. The part for the trace is written here.
    func forPage(_ events: [PlayerEvent]) -> [Event] {
        // Most calls bring nothing about.
        guard !events.isEmpty else { return [] }
        return events.compactMap { event in
            switch event {
            // Players do not know what the terminal is sent.
            case .report(let item, .diagnostics(var figures)):
                figures.bytesPerSecond = outputRate.bytesPerSecond(now: clock.now)
                return .player(item, .diagnostics(figures))
            case .report(let item, let report): return .player(item, report)
            case .notice(let text): return .notice(text)
            case .trace(let event):
                journal.record(event)
                return nil
            }
        }
    }

    /// How soon what an event changes is to be seen.
    private func note(_ event: Event) {
        switch event {
        case .key, .mouse, .resized, .feed, .more, .notice, .resumed: scheduler.noteAnswer()
        case .tick:
            if isTextTick { noteText() } else { scheduler.noteMotion() }
        // It is seen only once the user asks for more.
        case .moreFailed: break
        // Clips that wait out of view have things to tell, but nothing to show.
        case .player(let item, let report):
            guard itemsInView.contains(item) else { break }
            switch report {
            case .position, .buffered, .cached, .diagnostics: noteText()
            default: scheduler.noteMotion()
            }
        }
    }

    private func noteText() { scheduler.noteText(now: clock.now, nextPicture: nextPicture) }

    /// When the clip in view shows its next picture, as far as that is known.
    private var nextPicture: Duration? { pool.nextPicture }

    // MARK: Effects

    /// Does what `update` wants done, and returns what came of it at once.
    private func run(_ effect: Effect) -> [Event] {
        let now = clock.now
        switch effect {
        case .play(let id):
            return forPage(item(id).map { pool.play($0, index: state.page(of: id), now: now) } ?? [])
        case .pause(let id): return forPage(pool.pause(id, now: now))
        case .keepWarm(let wanted): return keepWarm(wanted)
        case .preview(let id, let time): return forPage(pool.preview(id, to: time, now: now))
        case .seek(let id, let time): return forPage(pool.seek(id, to: time, now: now))
        case .step(let id, let count): return forPage(pool.step(id, by: count, now: now))
        case .retry(let id): return forPage(item(id).map { pool.retry($0, now: now) } ?? [])
        case .setSpeed(let speed): return forPage(pool.setSpeed(speed, now: now))
        case .setVolume(let volume): return forPage(pool.setVolume(volume, now: now))
        case .setLoop(let loops): return forPage(pool.setLoop(loops, now: now))
        case .setFit: return askForPictures()
        case .openElsewhere(let address): return [open(elsewhere: address)]
        case .suspend: return suspend()
        case .copy(let text): terminal.write(Clipboard.copying(text))
        case .loadMore:
            pageAhead.hurry()
            loadAhead()
        case .refresh: reload()
        case .redraw: redraw()
        case .quit: exit = exit ?? .quit
        case .trace(let event): journal.record(event)
        }
        return []
    }

    /// The item that an effect names, whose bytes are about to be fetched.
    private func item(_ id: Item.ID) -> Item? {
        guard let item = state.item(id) else { return nil }
        fetches.note(CollectionOfOne(item))
        return item
    }

    private func keepWarm(_ wanted: [Item.ID]) -> [Event] {
        let items = wanted.compactMap(state.item)
        fetches.note(items)
        let events = pool.keepWarm(items, now: clock.now)
        let next = state.current..<min(state.current + Self.prefetched + 1, state.items.count)
        pool.prefetch(next.map { state.items[$0] })
        return forPage(events)
    }

    /// Of so many items after the one in view the beginnings are fetched.
    private static let prefetched = 10
}

extension Options {
    /// What the user asked for, and what is known of the terminal so far.
    @MainActor
    fileprivate init(_ settings: BrowseSettings, terminal: Terminal) {
        self.init()
        color = terminal.capabilities.color
        theme = settings.theme(on: terminal.capabilities)
        surface = terminal.surface
        reducedMotion = settings.reducedMotion
        hasGate = settings.setup.configuration.interface.hasGate
        loop = settings.loop
        autoAdvance = settings.autoAdvance
        fit = settings.fit
        isMuted = settings.muted
        volume = settings.volume
        startIndex = settings.start
        knowsCellAspect = terminal.cellPixels != nil
        keys = KeyMap(changing: settings.setup.configuration.keys)
        seed = .random(in: 0 ... .max)
    }
}

extension BrowseSettings {
    /// The theme that was asked for, else what suits the terminal's background as far as that is known.
    func theme(on terminal: Capabilities) -> Theme.Name {
        theme ?? .suiting(lightBackground: terminal.isBackgroundLight)
    }
}
