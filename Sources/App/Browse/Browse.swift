import Audio
import Bytes
import Feeds
import Model
import Platform
import Player
import Screen

/// `flick browse`: takes over the terminal, runs the loop, gives the terminal back. Returns the exit status of the
/// process. Throws `AppError`.
@MainActor
public func browse(_ settings: BrowseSettings) throws -> Int32 {
    let clock = ProcessClock()
    let memory = PageMemory(at: settings.memoryPath)
    let settings = settings.remembering(memory)
    let isFirstRun = settings.report.isFirstRun
    let log = settings.report.logFile
    let journal = try Journal(settings.report, file: log, clock: clock)
    do {
        let status = try browse(
            settings, memory, isFirstRun: isFirstRun, journal: journal, log: log, clock: clock)
        journal.end(status: status)
        return status
    } catch {
        journal.record(.error(what: "browse", why: "\(error)"))
        journal.end(status: 1)
        throw error
    }
}

/// What a page needs once it plays: docs/internals/threads.md lists them.
private let threadsAtLaunch = 16

/// The order matters for the time to the first picture: a decoder process needs about 30 ms before it can open
/// anything, so it is started first and everything else happens meanwhile.
@MainActor
private func browse(
    _ settings: BrowseSettings, _ memory: PageMemory, isFirstRun: Bool, journal: Journal, log: LogFile,
    clock: ProcessClock
) throws(AppError) -> Int32 {
    try beginThreads(threadsAtLaunch)
    let inbox = try Inbox<LoopMessage>()
    let sound: (any SoundOutput)? = settings.audio ? SDLOutput(changed: { inbox.wake() }) : nil
    let fetches = FetchJournal(journal)
    let provider = settings.setup.provider(fetches, notice: { inbox.post(.event(.notice($0, .remark))) })
    // Closed last: by then the decoders have ended, so there is no reader.
    defer { provider.close() }
    let pool = PlayerPool(
        options: PlayerPool.Options(settings, decoderPath: try Installation.decoderPath()),
        bytes: MediaBytes(network: provider), audio: sound, wake: { inbox.wake() })
    defer { pool.close() }
    // There is no player yet, so only the trace needs these events.
    pool.startDecodersAhead(now: clock.now).compactMap(\.traceEvent).forEach(journal.record)

    let comments = CommentSession(provider: provider, inbox: inbox, journal: journal)
    let library = settings.libraryPath.map { path in
        let configuration = settings.setup.configuration
        return LibraryLink(
            path: path, network: configuration.engagement.sends ? configuration.network : nil,
            name: configuration.engagement.name, comments: comments, inbox: inbox, journal: journal,
            began: WallClock.now - clock.now.seconds)
    }
    defer { library?.close() }
    let hidden = HiddenItems(
        configured: settings.setup.configuration.hide.rules, libraryPath: settings.libraryPath)
    var loader = FeedLoader(
        places: try settings.places(), libraryPath: settings.report.libraryPath, placesPath: settings.libraryPath,
        ignoresLastSeen: settings.start != nil, isShuffled: settings.shuffle,
        exploration: settings.setup.configuration.forYou.exploration,
        subtitles: settings.subtitleFile.map { CaptionLink(named: $0) }, provider: provider,
        options: settings.setup.feedOptions(order: settings.order), inbox: inbox, hidden: hidden,
        offline: settings.setup.cache.map { _ in
            let privateHosts = settings.setup.configuration.network.privateHosts
            return OfflineClips(
                library: LibraryReader(
                    path: settings.libraryPath, privateHosts: privateHosts, lockLimit: FeedLoader.lockLimit),
                provider: provider)
        })
    loader.writer = library?.recorder
    loader.load(loader.places.first)
    // Most feeds load fast. Waiting briefly lets a mistake in the arguments appear on the shell's own screen.
    let feed = try firstFeed(from: inbox, within: .milliseconds(300))

    let terminal: Terminal
    do {
        terminal = try Terminal(
            TerminalOptions(
                color: settings.color, pictureMode: settings.pictureMode, output: settings.output,
                reportsFocus: settings.setup.configuration.interface.pausesUnfocused,
                // An explicit link rate means that bytes matter.
                isNear: settings.link == nil, isPlain: settings.plain),
            wake: { inbox.wake() })
    } catch {
        throw AppError("\(error)")
    }
    defer { terminal.restore() }
    // Libraries write to standard error, which would disturb the picture. Without a log it still does, and a notice
    // explains why there is no log.
    do { terminal.redirectErrors(to: try log.open()) } catch { inbox.post(.event(.notice("\(error)", .remark))) }

    let browser = Browser(
        settings: settings, clock: clock, terminal: terminal, pool: pool, inbox: inbox, loader: loader,
        feed: feed, isFirstRun: isFirstRun, fetches: fetches, comments: comments,
        library: library, kept: provider.kept)
    let start = PageMemory(browser.state)
    defer { remember(memory, from: start, to: PageMemory(browser.state), of: settings, journal) }
    // The deferred calls run in this order: first the terminal is restored, then the decoders end.
    switch browser.run() {
    case .quit: return 0
    case .ended(let ending): return ending.exitStatus
    case .failed(let error): throw error
    }
}

/// Keeps how the page is set for the next run, if the user has changed that.
func remember(
    _ memory: PageMemory, from start: PageMemory, to end: PageMemory, of settings: BrowseSettings, _ journal: Journal
) {
    var new = memory
    new.note(from: start, to: end)
    // No key changes it.
    if let theme = settings.chosenTheme { new.theme = theme.choice }
    guard let path = settings.memoryPath, new != memory else { return }
    do throws(AppError) {
        Folders.make(above: path)
        try ReplacedFile.write(new.json, to: path)
    } catch {
        journal.warn("\(error)")
    }
}

/// The feed, if it arrives in time; nil if it takes longer. Blocks.
func firstFeed(from inbox: Inbox<LoopMessage>, within limit: Duration) throws(AppError) -> LoadedFeed? {
    let end = ContinuousClock.now + limit
    // Other messages are for the page.
    var others: [LoopMessage] = []
    defer { for message in others { inbox.post(message) } }
    while ContinuousClock.now < end {
        var source = pollfd(fd: inbox.descriptor, events: Int16(POLLIN), revents: 0)
        let left = (end - ContinuousClock.now).milliseconds
        guard poll(&source, 1, Int32(max(1, left))) > 0 else { continue }
        var found: Result<LoadedFeed, AppError>?
        for message in inbox.drain() {
            if case .feed(.read(_, let result)) = message { found = result } else { others.append(message) }
        }
        if let found { return try found.get() }
    }
    return nil
}
