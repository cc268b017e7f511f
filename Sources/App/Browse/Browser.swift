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
        /// A passing trouble that its finder has told the trace of.
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
    let presenter: Presenter
    let loader: FeedLoader
    /// The feed that was there at the start, until it is shown.
    private var feed: Feed?
    /// The rest of the feed that is shown.
    var pages: FeedPages?
    var pageAhead = PageAhead()
    var state: State
    var scheduler: FrameScheduler
    var updateInFlight = UpdateInFlight<PictureIdentity>()
    /// The items that the last update showed.
    var itemsInView: [Item.ID] = []
    /// The pictures that the pool was last asked for.
    var request: SurfaceRequest?
    /// The feed is being read, at the start or again.
    var isReading: Bool
    /// When the page next changes by itself.
    private var wakeAt: Duration?
    private var knownCapabilities: Int
    private var exit: ExitReason?
    /// Events that came up while another one was being handled.
    private var queue: [Event] = []
    private var isHandling = false

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
        self.loader = loader
        self.feed = feed
        pages = feed?.pages
        isReading = feed == nil
        scheduler = FrameScheduler(fps: settings.fps)
        let surface = settings.surface ?? (terminal.capabilities.hasUnicode ? .half : .ascii)
        presenter = Presenter(terminal: terminal, surface: surface)
        state = State(
            size: terminal.size, items: feed?.items ?? [Item](),
            options: Options(settings, surface: surface, terminal: terminal))
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
        if let feed { tellFeed(feed) }
        for effect in begin(&state, now: clock.now) { run(effect) }
        if let feed { warn(of: feed.warnings) }
        feed = nil
        warn(of: settings.setup)
        // Something may have come before anybody listened.
        step()
        while true {
            if let exit { return exit }
            wait()
            step()
        }
    }

    // MARK: The loop

    /// Blocks until there is something to do.
    private func wait() {
        let now = clock.now
        let isBusy = presenter.isBusy
        let timeout = FrameScheduler.timeout(
            until: [
                pool.nextWake(now: now), wakeAt, terminal.nextWake, isBusy ? nil : scheduler.due,
                pages == nil ? nil : pageAhead.nextWake(left: itemsLeft),
            ], now: now)
        var sources = [
            pollfd(fd: terminal.inputDescriptor, events: Int16(POLLIN), revents: 0),
            pollfd(fd: inbox.descriptor, events: Int16(POLLIN), revents: 0),
            pollfd(fd: terminal.signalDescriptor, events: Int16(POLLIN), revents: 0),
        ]
        if isBusy { sources.append(pollfd(fd: terminal.outputDescriptor, events: Int16(POLLOUT), revents: 0)) }
        // An interrupted wait is a wait that is over.
        _ = poll(&sources, nfds_t(sources.count), timeout)
    }

    private func step() {
        if presenter.isBusy { terminal.flush() }
        if !presenter.isBusy { arrived() }
        for message in inbox.drain() { handle(message) }
        for event in terminal.events(now: clock.now) { handle(event) }
        if terminal.capabilitiesVersion != knownCapabilities {
            knownCapabilities = terminal.capabilitiesVersion
            terminalChanged()
        }
        if terminal.wantsSuspend { suspend() }
        // Changed while the shell had the terminal: then no signal tells.
        if terminal.size != state.size { handle(Event.resized(terminal.size)) }
        if let ending = terminal.ending { exit = .ended(ending) }
        loadAhead()
        let now = clock.now
        collectingReports { pool.advance(now: now) }
        // A page's first picture is what the user waits for.
        if hasNewPicture { if updateInFlight.newest.isEmpty { scheduler.noteAnswer() } else { scheduler.noteMotion() } }
        if let wakeAt, wakeAt <= now { handle(Event.tick) }
        wakeAt = state.nextWake(after: now)
        guard exit == nil else { return }
        if !presenter.isBusy, let due = scheduler.due, clock.now >= due { present() }
        if !scheduler.isNeeded {
            collectingReports { pool.openAhead(now: clock.now, isMoving: state.pager.isMoving) }
        }
    }

    // MARK: Events

    private func handle(_ message: Message) {
        switch message {
        case .feed(let result):
            isReading = false
            switch result {
            case .success(let feed): show(feed)
            case .failure(let error):
                if state.items.count == 0 { exit = .failed(error) } else { complain(of: "feed", "\(error)") }
            }
        case .page(let from, let result): if from === pages { take(result) }
        case .notice(let text): handle(Event.notice(text))
        }
    }

    /// Takes an event, and runs what is to be done about it. What an effect reports waits until the effects before it are done.
    func handle(_ event: Event) {
        queue.append(event)
        handleQueue()
    }

    private func handleQueue() {
        guard !isHandling else { return }
        isHandling = true
        defer { isHandling = false }
        while !queue.isEmpty {
            let event = queue.removeFirst()
            note(event)
            let effects = update(&state, event, now: clock.now)
            for effect in effects { run(effect) }
            if case .resized = event { resized() }
        }
    }

    /// Lets players work; what they report is handled when they are done, so that no effect reaches into them meanwhile.
    private func collectingReports(_ body: () -> Void) {
        isHandling = true
        body()
        isHandling = false
        handleQueue()
    }

    /// How soon what an event changes is to be seen.
    private func note(_ event: Event) {
        switch event {
        case .key, .mouse, .resized, .feed, .more, .notice, .resumed: scheduler.noteAnswer()
        case .tick: scheduler.noteMotion()
        // It is seen only once the user asks for more.
        case .moreFailed: break
        // Clips that wait out of view have things to tell, but nothing to show.
        case .player(let item, _): if itemsInView.contains(item) { scheduler.noteMotion() }
        }
    }

    /// What a player reports, on its way to the page that shows it.
    func report(_ item: Item.ID, _ report: PlayerReport) { handle(.player(item, report)) }

    // MARK: Effects

    private func run(_ effect: Effect) {
        let now = clock.now
        switch effect {
        case .play(let id): withItem(id) { pool.play($0, index: state.page(of: id), now: now) }
        case .pause(let id): pool.pause(id, now: now)
        case .keepWarm(let wanted): keepWarm(wanted)
        case .preview(let id, let time): pool.preview(id, to: time, now: now)
        case .seek(let id, let time): pool.seek(id, to: time, now: now)
        case .step(let id, let count): pool.step(id, by: count, now: now)
        case .retry(let id): withItem(id) { pool.retry($0, now: now) }
        case .setSpeed(let speed): pool.setSpeed(speed, now: now)
        case .setVolume(let volume): pool.setVolume(volume)
        case .setLoop(let loops): pool.setLoop(loops)
        case .setFit: askForPictures()
        case .copy(let text): terminal.write(Clipboard.copying(text))
        case .openElsewhere(let address): open(elsewhere: address)
        case .loadMore:
            pageAhead.hurry()
            loadAhead()
        case .refresh: reload()
        case .redraw: redraw()
        case .suspend: suspend()
        case .quit: exit = exit ?? .quit
        case .trace(let event): journal.record(event)
        }
    }

    private func withItem(_ id: Item.ID, _ body: (Item) -> Void) {
        guard let item = state.item(id) else { return }
        fetches.note(CollectionOfOne(item))
        body(item)
    }

    private func keepWarm(_ wanted: [Item.ID]) {
        let items = wanted.compactMap(state.item)
        fetches.note(items)
        pool.keepWarm(items, now: clock.now)
        let next = state.current..<min(state.current + Self.prefetched + 1, state.items.count)
        pool.prefetch(next.map { state.items[$0] }, now: clock.now)
    }

    /// Of so many items after the one in view the beginnings are fetched.
    private static let prefetched = 10
}

extension Options {
    /// What the user asked for, and what is known of the terminal so far.
    @MainActor
    fileprivate init(_ settings: BrowseSettings, surface: PictureMode, terminal: Terminal) {
        self.init()
        color = terminal.capabilities.color
        self.surface = surface
        reducedMotion = settings.reducedMotion
        loop = settings.loop
        autoAdvance = settings.autoAdvance
        fit = settings.fit
        isMuted = settings.muted
        volume = settings.volume
        startIndex = settings.start
        knowsCellAspect = terminal.cellPixels != nil
        seed = .random(in: 0 ... .max)
    }
}
