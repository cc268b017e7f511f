import Audio
import Bytes
import Feeds
import Model
import Player
import Screen
import TermGraphics
import UI

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
        case notice(String)
    }

    let settings: BrowseSettings
    let clock: ProcessClock
    let terminal: Terminal
    let deck: Deck
    let inbox: Inbox<Message>
    let trace: TraceSink
    let presenter: Presenter
    /// The feed that was there at the start.
    private let feed: Feed?
    var state: State
    /// Where reports of the deck, which knows items, find their page.
    var indices: [Item.ID: Int] = [:]
    /// Something changed that a picture has not shown yet.
    var isDirty = true
    var lastPresented = Duration.seconds(-1)
    /// What the last update showed: the pages' items, and their pictures.
    var pagesInView: [Int] = []
    var shownIdentities: [PictureIdentity] = []
    /// The update that is on its way, until the terminal has taken all of it.
    var underway: Underway?
    /// When the page next changes by itself.
    private var wakeAt: Duration?
    private var knownCapabilities: Int
    private var exit: ExitReason?

    /// What an update showed for the first time.
    struct Underway {
        var pictures: [(Item.ID, PictureIdentity)]
        var figures: UpdateFigures
        var begun: Duration
    }

    enum ExitReason {
        case quit
        case ended(Ending)
        case failed(AppError)
    }

    /// Never more often than a display shows pictures.
    static let frameInterval = Duration.microseconds(8_000)

    init(
        settings: BrowseSettings, clock: ProcessClock, terminal: Terminal, deck: Deck, inbox: Inbox<Message>,
        feed: Feed?, trace: @escaping TraceSink
    ) {
        self.settings = settings
        self.clock = clock
        self.terminal = terminal
        self.deck = deck
        self.inbox = inbox
        self.trace = trace
        let surface = settings.surface ?? (terminal.capabilities.hasUnicode ? .half : .ascii)
        presenter = Presenter(terminal: terminal, surface: surface)
        self.feed = feed
        state = State(
            size: terminal.size, items: feed?.items ?? [Item](),
            options: Browser.options(settings, surface: surface, terminal: terminal))
        state.wallClock = Date(timeIntervalSinceNow: -clock.now.seconds)
        state.isReadingFeed = feed == nil
        knownCapabilities = terminal.capabilitiesVersion
        askForPictures()
    }

    /// Runs until the user leaves, and says why it ended.
    func run() -> ExitReason {
        trace(
            TraceEvent(
                "start",
                [
                    "version": .text(version), "cols": .integer(state.size.columns), "rows": .integer(state.size.rows),
                    "surface": .text(state.options.surface.rawValue), "color": .text(state.options.color.rawValue),
                ]))
        if let feed { traceFeed(feed) }
        for effect in begin(&state, now: clock.now) { run(effect) }
        if let feed { warn(of: feed) }
        while exit == nil {
            wait()
            step()
        }
        return exit ?? .quit
    }

    private static func options(_ settings: BrowseSettings, surface: SurfaceKind, terminal: Terminal) -> Options {
        var options = Options()
        options.color = terminal.capabilities.color
        options.surface = surface
        options.reducedMotion = settings.reducedMotion
        options.loop = settings.loop
        options.autoAdvance = settings.autoAdvance
        options.fit = settings.fit
        options.isMuted = settings.muted
        options.startIndex = settings.start
        options.knowsCellAspect = terminal.cellPixels != nil
        options.seed = UInt64.random(in: 0 ... .max)
        return options
    }

    // MARK: The loop

    /// Blocks until there is something to do.
    private func wait() {
        let now = clock.now
        var deadline = [deck.nextWake(now: now), wakeAt, terminal.nextWake].compactMap(\.self).min()
        if isDirty, !presenter.isBusy { deadline = min(deadline ?? .seconds(3_600), nextPresentation) }
        var sources = [
            pollfd(fd: terminal.inputDescriptor, events: Int16(POLLIN), revents: 0),
            pollfd(fd: inbox.descriptor, events: Int16(POLLIN), revents: 0),
            pollfd(fd: terminal.signalDescriptor, events: Int16(POLLIN), revents: 0),
        ]
        if presenter.isBusy {
            sources.append(pollfd(fd: terminal.outputDescriptor, events: Int16(POLLOUT), revents: 0))
        }
        // Rounded up: a millisecond late is invisible, and rounding down would spin.
        let timeout =
            deadline.map { Int32(clamping: Int64(max(0, ($0 - now).milliseconds.rounded(.up)))) } ?? -1
        // An interrupted wait is a wait that is over.
        _ = poll(&sources, nfds_t(sources.count), timeout)
    }

    private var nextPresentation: Duration {
        let interval = settings.fps.map { max(Browser.frameInterval, .seconds(1 / $0)) } ?? Browser.frameInterval
        return lastPresented + interval
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
        if let ending = terminal.ending { exit = .ended(ending) }
        let now = clock.now
        deck.advance(now: now)
        if hasNewPicture { isDirty = true }
        if let wakeAt, wakeAt <= now { handle(Event.tick) }
        wakeAt = state.nextWake(after: now)
        if isDirty, exit == nil, !presenter.isBusy, clock.now >= nextPresentation { present() }
        if !isDirty, exit == nil { deck.openAhead(now: clock.now) }
    }

    func handle(_ message: Message) {
        switch message {
        case .feed(.success(let feed)): show(feed)
        case .feed(.failure(let error)):
            if state.items.count == 0 { exit = .failed(error) } else { handle(Event.notice("\(error)")) }
        case .notice(let text): handle(Event.notice(text))
        }
    }

    func handle(_ event: Event) {
        isDirty = true
        let effects = update(&state, event, now: clock.now)
        for effect in effects { run(effect) }
        if case .resized = event { terminalChanged() }
    }

    // MARK: Effects

    private func run(_ effect: Effect) {
        let now = clock.now
        switch effect {
        case .play(let index): withItem(index) { deck.play($0, index: index, now: now) }
        case .pause(let index): withItem(index) { deck.pause($0.id, now: now) }
        case .keepWarm(let wanted): keepWarm(wanted)
        case .preview(let index, let time): withItem(index) { deck.preview($0.id, to: time, now: now) }
        case .seek(let index, let time): withItem(index) { deck.seek($0.id, to: time, now: now) }
        case .step(let index, let count): withItem(index) { deck.step($0.id, by: count, now: now) }
        case .retry(let index): withItem(index) { deck.retry($0, now: now) }
        case .setSpeed(let speed): deck.setSpeed(speed, now: now)
        case .setVolume(let volume): deck.setVolume(volume)
        case .setLoop(let loops): deck.setLoop(loops)
        case .setFit: askForPictures()
        case .copy(let text): terminal.write(Clipboard.copying(text))
        case .openElsewhere(let address): open(elsewhere: address)
        case .refresh: reload()
        case .redraw:
            presenter.startOver()
            isDirty = true
        case .suspend: suspend()
        case .quit: exit = exit ?? .quit
        case .trace(let event): trace(event)
        }
    }

    func withItem(_ index: Int, _ body: (Item) -> Void) {
        guard index >= 0, index < state.items.count else { return }
        let item = state.items[index]
        indices[item.id] = index
        body(item)
    }

    private func keepWarm(_ wanted: [Int]) {
        let items = wanted.filter { $0 >= 0 && $0 < state.items.count }.map { ($0, state.items[$0]) }
        indices = Dictionary(items.map { ($0.1.id, $0.0) }, uniquingKeysWith: { first, _ in first })
        deck.keepWarm(items.map(\.1), now: clock.now)
    }

    /// What a player reports, on its way to the page that shows it.
    func report(_ item: Item.ID, _ report: PlayerReport) {
        guard let index = indices[item] else { return }
        handle(.player(index: index, report))
    }
}
