import Audio
import Bytes
import Feeds
internal import Logging
import Model
import Player
import Screen
import Synchronization
import Threads

#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

/// `flick browse`: takes the terminal over, runs the loop, gives the terminal back. Returns the process's exit status.
///
/// The order matters for the time to the first picture: the decoder process needs about 30 ms before it can open anything, so it is
/// started first, and everything else happens meanwhile.
@MainActor
public func browse(_ settings: BrowseSettings) throws -> Int32 {
    let clock = ProcessClock()
    let installation = Installation.current()
    guard let decoder = installation.decoder else {
        throw AppError(
            "cannot find flick-decoder, which belongs beside flick or in ../libexec/flick; install flick again")
    }
    let trace = try settings.report.trace.map { try TraceFile(path: $0, clock: clock) }
    let log = LogFile(path: logPath(settings.report))
    let inbox = try Inbox<Browser.Message>()
    let tell: TraceSink = { event in trace?.write(event) }

    let sound: (any SoundOutput)? = settings.audio ? SDLOutput(changed: { inbox.wake() }) : nil
    let reports = ReportTarget()
    let deck = Deck(
        options: Deck.Options(decoderPath: decoder, loop: settings.loop, audio: settings.audio), door: LocalDoor(),
        audio: sound,
        wake: { inbox.wake() }, trace: tell, report: { item, report in reports.browser?.report(item, report) },
        notice: { inbox.post(.notice($0)) })
    deck.prespawn()
    defer { deck.close() }

    var feedSettings = settings
    if feedSettings.sources.isEmpty {
        guard let demo = installation.demo else {
            throw AppError("cannot find the demo feed; name a folder, a file or a manifest to browse")
        }
        feedSettings.sources = ["\(demo)/\(Installation.manifestName)"]
    }
    loadInBackground(feedSettings, into: inbox)
    // Most feeds are there at once, and a mistake in the arguments is told on the shell's own screen.
    let feed = try firstFeed(from: inbox, within: .milliseconds(300))

    let terminal: Terminal
    do {
        terminal = try Terminal(TerminalOptions(color: settings.color))
    } catch {
        throw AppError("\(error)")
    }
    defer { terminal.restore() }
    if log.openDescriptor >= 0 { terminal.redirectErrors(to: log.openDescriptor) }

    let browser = Browser(
        settings: feedSettings, clock: clock, terminal: terminal, deck: deck, inbox: inbox, feed: feed, trace: tell)
    reports.browser = browser
    let reason = browser.run()
    terminal.restore()
    let status: Int32 =
        switch reason {
        case .quit: 0
        case .ended(let ending): ending.exitStatus
        case .failed: 1
        }
    // The terminal is back already; what the decoders' ends have to tell comes before the trace's last line.
    deck.close()
    tell(TraceEvent("end", ["status": .integer(Int(status))]))
    if case .failed(let error) = reason { throw error }
    return status
}

/// Breaks the circle of deck and browser: each needs the other at its making.
@MainActor
private final class ReportTarget {
    weak var browser: Browser?
}

/// Loads a feed on a thread of its own: folders can be large, and disks slow.
func loadInBackground(_ settings: BrowseSettings, into inbox: Inbox<Browser.Message>) {
    BlockingThread.start {
        do {
            let feed = try loadFeed(
                sources: settings.sources, door: LocalDoor(),
                options: FeedOptions(shuffle: settings.shuffle ? .random(in: 0 ... .max) : nil))
            inbox.post(.feed(.success(feed)))
        } catch {
            inbox.post(.feed(.failure(AppError("\(error)"))))
        }
    }
}

/// The feed, if it is there in time; nil if it takes longer. Blocks.
private func firstFeed(from inbox: Inbox<Browser.Message>, within limit: Duration) throws(AppError) -> Feed? {
    let end = ContinuousClock.now + limit
    while ContinuousClock.now < end {
        var source = pollfd(fd: inbox.descriptor, events: Int16(POLLIN), revents: 0)
        let left = (end - ContinuousClock.now).milliseconds
        guard poll(&source, 1, Int32(max(1, left))) > 0 else { continue }
        for message in inbox.drain() {
            switch message {
            case .feed(.success(let feed)): return feed
            case .feed(.failure(let error)): throw error
            case .notice: break
            }
        }
    }
    return nil
}

/// Where the log goes.
private func logPath(_ report: ReportSettings) -> String {
    if let log = report.log { return log }
    let folder = report.stateFolder ?? stateFolder { name in getenv(name).map { String(cString: $0) } }
    return folder.map { "\($0)/flick.log" } ?? "/dev/null"
}
