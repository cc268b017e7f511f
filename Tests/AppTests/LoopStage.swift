import Bytes
import Engagement
import Feeds
import Foundation
import Model
import Synchronization
import TestSupport
import Testing
import Wire

@testable import App
@testable import Player
@testable import Screen
@testable import UI

/// The loop in the hands of a test: a pseudo-terminal, a pool of players with scripted decoders, and time that only the
/// test moves on. All else is what `flick browse` has.
@MainActor
final class LoopStage {
    struct Clock: LoopClock {
        let manual: ManualClock
        var now: Duration { manual.now }
    }

    let pty: PseudoTerminal
    let terminal: Terminal
    let pool: PlayerPool
    let inbox: Inbox<LoopMessage>
    let loop: Browser<Clock>
    let comments: CommentSession
    var captions: CaptionSession { loop.reading.captions }
    var downloads: DownloadSession { loop.reading.downloads }
    let folder: TemporaryFolder
    let hidden: HiddenItems
    /// Whether the terminal reads what it is sent.
    var reads = true
    /// Whether the terminal answers questions.
    var answers: Bool
    /// What the terminal was sent since `takeWritten`.
    private var written: [UInt8] = []
    /// The questions for the status that it has not answered.
    private var questions = 0
    private let clock = ManualClock()
    private let provider: CachedProvider
    private let decoders = StartedDecoders()
    private let journal: Journal

    var now: Duration { clock.now }
    var state: State { loop.state }

    nonisolated static let items = ["a", "b", "c", "d", "e"].map { name in
        Item(id: name, url: "file:///clips/\(name).mp4", title: "Title-\(name)")
    }

    /// - Parameters:
    ///   - items: nil: the feed is still being read.
    ///   - answers: whether the terminal answers.
    ///   - arguments: changes the settings.
    init(
        _ items: [Item]? = LoopStage.items, feed: Feed? = nil, size: GridSize = GridSize(columns: 80, rows: 24),
        decoder: ScriptedDecoder = ScriptedDecoder(), provider: CachedProvider? = nil, answers: Bool = true,
        isPlain: Bool = false, pictureMode: PictureMode? = nil, color: ColorMode? = nil, fps: Double? = nil,
        library: Bool = false, source: String? = nil
    ) throws {
        folder = TemporaryFolder()
        self.answers = answers
        let report = ReportSettings(stateFolder: folder.path)
        // The desktop of the person who runs the tests sees nothing of them.
        let config = "[desktop]\nmpris = false\ncontrol = false\ninhibit_sleep = false\n"
        let setup = try Setup(
            config: folder.write("config.toml", config.utf8), cacheFolder: nil, keepsCache: false)
        let settings = BrowseSettings(
            sources: [source ?? folder.path + "/feed.json"], pictureMode: nil, color: nil, output: nil, fit: nil,
            fps: fps,
            muted: false, audio: false, start: nil, shuffle: false, order: nil, loop: true, autoAdvance: false,
            reducedMotion: false, plain: isPlain, report: report, setup: setup)
        let processClock = ProcessClock()
        journal = try Journal(report, file: LogFile(path: folder.path + "/flick.log"), clock: processClock)
        inbox = try Inbox<LoopMessage>()
        let (inbox, started) = (inbox, decoders)
        let provider = provider ?? setup.provider(nil, notice: { _ in })
        self.provider = provider
        var options = PlayerPool.Options(
            decoderPath: "/nowhere", loop: true, audio: false, idleDecoders: 0,
            spawn: ScriptedDecoder.inTurn([decoder]) { started.add($0, $1) })
        options.prefetch.isAdaptive = false
        pool = PlayerPool(options: options, bytes: MediaBytes(network: provider), audio: nil, wake: { inbox.wake() })
        pty = try PseudoTerminal(size: size, pixels: PixelSize(width: 0, height: 0))
        terminal = try Terminal(
            TerminalOptions(color: color, pictureMode: pictureMode, isPlain: isPlain, answerPatience: .zero),
            environment: TerminalEnvironment([
                "TERM": "xterm-256color", "LANG": "C.UTF-8", "COLORTERM": "truecolor",
            ]), input: pty.slave, output: pty.slave, wake: { inbox.wake() })
        comments = CommentSession(provider: provider, inbox: inbox, journal: journal)
        let link =
            library
            ? LibraryLink(
                path: folder.path + "/flick.db", network: nil, name: nil, comments: comments, inbox: inbox,
                journal: journal, began: 0) : nil
        hidden = HiddenItems(libraryPath: library ? folder.path + "/flick.db" : nil)
        let hidden = hidden
        let given = items.map { Feed(title: "Feed", items: $0, source: "file:///clips").visible(hidden) }
        let feed = feed ?? given
        var loader = FeedLoader(
            places: try PlaceSources(named: settings.sources, home: [], remembers: library),
            libraryPath: library ? folder.path + "/flick.db" : nil,
            placesPath: library ? folder.path + "/flick.db" : nil, ignoresLastSeen: true, isShuffled: false,
            exploration: 0, subtitles: nil, provider: provider, options: setup.feedOptions(), inbox: inbox,
            hidden: hidden)
        (loader.writer, loader.writingLimit) = (link?.recorder, .seconds(20))
        loop = Browser(
            settings: settings, clock: Clock(manual: clock), terminal: terminal, pool: pool, inbox: inbox,
            loader: loader, feed: feed.map { ($0, ReturnPoint()) }, isFirstRun: false,
            fetches: FetchJournal(journal), comments: comments, library: link, kept: provider.kept)
    }

    /// A page that is paused and at rest.
    static func resting() throws -> LoopStage {
        let stage = try LoopStage()
        stage.start()
        try stage.type(" ")
        stage.settle()
        stage.run(for: .seconds(10))
        _ = stage.takeWritten()
        return stage
    }

    /// A page with a further frame to draw, on a terminal that has not answered.
    static func awaitingAnswer() throws -> LoopStage {
        let stage = try LoopStage(answers: false)
        stage.start()
        stage.run(for: .milliseconds(60))
        _ = stage.takeWritten()
        stage.skip(.milliseconds(40))
        stage.settle()
        return stage
    }

    /// Gives back what the loop would at its end.
    func close() {
        loop.library.link?.close()
        terminal.restore()
        pool.close()
        provider.close()
    }

    // MARK: The terminal

    func type(_ keys: String) throws { try pty.type(keys) }

    /// Writes more than the terminal accepts at once: it is busy until `reads` is set.
    func blockTerminal() {
        reads = false
        terminal.write([UInt8](repeating: 0, count: 1 << 20))
        #expect(terminal.isBusy)
    }

    /// A page that has played for a second.
    static func playing() throws -> LoopStage {
        let stage = try LoopStage()
        stage.start()
        stage.run(for: .seconds(1))
        _ = stage.takeWritten()
        return stage
    }

    /// When the text of the page changes next, before which nothing moves.
    func nextTextBeforeMotion() throws -> Duration {
        let text = try #require(state.nextText(after: now))
        #expect(state.nextMotion(after: now).map { $0 > text } ?? true)
        return text
    }

    /// What the terminal was sent since the last call, but for questions.
    func takeWritten() -> String {
        readTerminal()
        defer { written = [] }
        return String(decoding: written, as: UTF8.self).replacingOccurrences(of: "\u{1B}[5n", with: "")
    }

    /// The same without control sequences: what is written on the screen, in the order of its cells.
    func takeText() -> String { takeWritten().replacing(/\u{1B}\[[0-9;:?>]*[A-Za-z]/, with: "") }

    /// Reads what the terminal was sent, until it is idle, and answers. Whether there was anything to answer.
    @discardableResult
    private func readTerminal() -> Bool {
        guard reads else { return false }
        var new: [UInt8] = []
        // A bound for what is broken; it does not come into play otherwise.
        let end = ContinuousClock.now + .seconds(60)
        repeat {
            new += pty.writtenBytes()
            guard ContinuousClock.now < end else {
                Issue.record("the terminal does not come to rest")
                break
            }
        } while terminal.isBusy
        new += pty.writtenBytes()
        written += new
        questions += String(decoding: new, as: UTF8.self).components(separatedBy: "\u{1B}[5n").count - 1
        let asksFirst = String(decoding: new, as: UTF8.self).contains("\u{1B}[c")
        guard answers, questions > 0 || asksFirst else { return false }
        let reply = (asksFirst ? "\u{1B}[?62c" : "") + String(repeating: "\u{1B}[0n", count: questions)
        questions = 0
        do { try pty.type(reply) } catch { Issue.record(error) }
        return true
    }

    // MARK: What the loop is to handle

    /// The events that wait for the loop, which does not get them.
    func drainEvents() -> [Event] {
        inbox.drain().compactMap { if case .event(let event) = $0 { event } else { nil } }
    }

    /// Waits for that many of the events that are meant, and drops the others.
    func nextEvents(_ count: Int, where isMeant: (Event) -> Bool = { _ in true }) -> [Event] {
        var found: [Event] = []
        #expect(
            holds(within: .seconds(10)) {
                found += drainEvents().filter(isMeant)
                return found.count >= count
            })
        return found
    }

    // MARK: Time

    /// Opens the page, and runs the loop until nothing more comes at this moment.
    func start() {
        readTerminal()
        loop.start()
        settle()
    }

    /// Once round the loop.
    func step() {
        waitForDecoders()
        loop.step()
    }

    /// Runs the loop until nothing more comes at this moment.
    func settle() {
        for _ in 0..<1_000 {
            waitForDecoders()
            let before = received
            loop.step()
            let hasAnswered = readTerminal()
            waitForDecoders()
            if !hasAnswered, received == before { return }
        }
        Issue.record("the loop does not come to rest")
    }

    /// Lets time pass, with the loop woken whenever it wants to be.
    func run(for time: Duration) {
        let end = now + time
        while loop.exit == nil {
            let due = loop.deadlines(now: now).compactMap(\.self).min() ?? end
            guard due < end else { break }
            clock.advance(by: max(due - now, .milliseconds(1)))
            settle()
        }
        if now < end { clock.advance(by: end - now) }
        settle()
    }

    /// Lets time pass in which the loop does not come round.
    func skip(_ time: Duration) { clock.advance(by: time) }

    /// Runs the loop until `done`; whether it came to that within ten seconds of the test's own time. For what comes
    /// from other threads.
    func wait(until done: () -> Bool) -> Bool {
        holds(within: .seconds(10)) {
            settle()
            return done()
        }
    }

    /// When the loop wants to come round; nil: only when something comes.
    var nextWake: Duration? { loop.deadlines(now: now).compactMap(\.self).min() }

    /// What came from each decoder so far.
    private var received: [Int] { pool.decodersInUse.map(\.traffic.received).sorted() }

    /// What the library has; nil while it cannot be read.
    func stored<Value>(_ read: (Store) throws -> Value) -> Value? {
        // `try?`: the recorder may not have made it yet, or be writing. Tests wait for the right value.
        try? read(Store(reading: folder.path + "/flick.db"))
    }

    private func waitForDecoders() {
        // A bound for what is broken; it does not come into play otherwise.
        let end = ContinuousClock.now + .seconds(60)
        while !pool.decodersInUse.allSatisfy(hasNothingToSay) {
            guard ContinuousClock.now < end else {
                Issue.record("the decoders do not come to rest")
                return
            }
            sched_yield()
        }
    }

    private func hasNothingToSay(_ handle: DecoderHandle) -> Bool {
        if handle.hasEnded { return true }
        guard let progress = decoders.progress(of: handle), !progress.isOver else { return false }
        let traffic = handle.traffic
        return progress.handled == traffic.sent && progress.sent == traffic.received
    }
}

/// The scripted decoders of a stage, found by their memory.
private final class StartedDecoders: Sendable {
    private let all = Mutex<[(ring: PictureRing, progress: ScriptedDecoder.Progress)]>([])

    func add(_ process: DecoderProcess, _ progress: ScriptedDecoder.Progress) {
        all.withLock { $0.append((process.ring, progress)) }
    }

    func progress(of handle: DecoderHandle) -> ScriptedDecoder.Progress? {
        all.withLock { $0.first { $0.ring === handle.ring }?.progress }
    }
}

extension LoopStage {
    /// A file of subtitles.
    static let cues = "WEBVTT\n\n00:00.000 --> 00:01.000\nHello\n"
}

extension FaultyServer {
    /// An item of the server's, with subtitles and chapters.
    func item(_ name: String) -> Item {
        var item = Item(id: name, url: url("/\(name).mp4"))
        item.captions = [CaptionLink(url: url("/\(name).vtt"))]
        item.chaptersURL = url("/\(name).json")
        return item
    }
}
