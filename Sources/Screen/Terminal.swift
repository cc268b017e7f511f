internal import CNcurses
import Model
import Platform
import TerminalInput

/// The terminal. It belongs to flick from `init` to `restore`, and is restored however the process ends (see rescue.c).
///
/// Used from one thread. Only `suspend`, `release`, `restore` and `waitForAnswers` wait for the terminal. ncurses
/// sets the terminal up and back (`NcursesSession`), and paints where no other painter suits (`makePainter`).
/// `InputParser` reads the keys, as ncurses' reader cannot distinguish a terminal's replies from keys; ncurses
/// reads them only where some are control characters, which the parser cannot distinguish from typed ones.
///
/// The loop polls `inputDescriptor` and `signalDescriptor` for reading, until `nextWake` at the latest; then calls
/// `events`, and looks at `ending` and `wantsSuspend`. Output is written on a separate thread (`TTYWriter`), which
/// calls `wake` if `wakeWhenWritten` asked for it. A signal may interrupt the loop's poll (EINTR).
@MainActor
public final class Terminal {
    private let environment: TerminalEnvironment
    private let isColorFixed: Bool
    private let mayBeNear: Bool
    private var choice: OutputChoice
    private(set) var pictureModeChoice: PictureModeChoice
    private let hasControlCharacterKeys: Bool
    var modes: TerminalModes
    /// nil in plain mode.
    let session: NcursesSession?
    private var line: TTY
    private var parser: InputParser
    private var isAcquired = false
    private var isRestored = false
    private var endingSignal: Ending?
    /// A SIGINT has come, and it is not known yet whether it was a key.
    private var isInterrupted = false
    /// SIGCONT has come since this was last set to false.
    private var wasContinued = false
    private let answerPatience: Duration
    private var questionsSent: ContinuousClock.Instant? { didSet { updateRescue() } }
    /// The questions for the status that have no answer yet.
    private var statusQuestions = StatusReports() { didSet { updateRescue() } }
    private var furtherQuestions = FurtherQuestions()
    private var reportedCell: PixelSize?
    private var reportedArea: PixelSize?
    /// Standard error as it was, while it goes elsewhere.
    private var savedErrors: Int32 = -1

    /// In cells, at least 1×1 and at most 2,000×1,000.
    public private(set) var size: GridSize
    /// One cell in pixels, if the terminal reports a plausible size.
    public private(set) var cellPixels: PixelSize?
    public private(set) var capabilities: Capabilities
    /// Goes up with each change of `capabilities`, `pictureMode` or `cellPixels`: replies come after the first picture.
    public private(set) var capabilitiesVersion = 0
    /// Whether the terminal is queried at all: only then can its answers be distinguished from keys.
    public let isAsked: Bool
    /// How long the terminal took to answer the first questions; nil until it has.
    public private(set) var firstAnswerTime: Duration?
    /// Incremented with each status that the terminal reports; see `askForStatus`.
    public var statusAnswers: Int { statusQuestions.answers }
    /// How pictures are drawn, and why. May change once, when the terminal has reported its name.
    public var pictureMode: PictureMode { choice.pictureMode }
    public private(set) var pictureModeReason: PictureModeReason
    /// Where the terminal finds pictures, if it runs on this machine.
    let sharedPictures = SharedPictures()
    /// The job is to be stopped: SIGTSTP came from outside. Pause what plays, then call `suspend`.
    public private(set) var wantsSuspend = false
    /// Readable when a signal has come.
    public let signalDescriptor: Int32

    /// Takes the terminal over and queries its capabilities. `events` handles the answers.
    ///
    /// - Parameters:
    ///   - input: standard input; if that is not a terminal (a list of clips), keys come from `output`'s.
    ///   - output: must be a terminal.
    ///   - wake: called on another thread, see `wakeWhenWritten`.
    /// - Throws: `ScreenError`, before anything was changed.
    public init(
        _ options: TerminalOptions = TerminalOptions(), environment: TerminalEnvironment = .current,
        input: Int32 = STDIN_FILENO, output: Int32 = STDOUT_FILENO, wake: @escaping @Sendable () -> Void = {}
    ) throws(ScreenError) {
        let line = try TTY(input: input, output: output, takesLines: options.isPlain, wake: wake)
        let terminfo: Terminfo
        let isUnicode: Bool
        do throws(ScreenError) {
            terminfo =
                options.isPlain
                ? Terminfo.ofKeys(environment.term, descriptor: line.device)
                : try Terminfo.load(environment.term, descriptor: line.output)
            if options.output == .direct, !terminfo.isECMA48 { throw .notECMA48(environment.term) }
            let signals = flick_signals_install()
            guard signals >= 0 else { throw .system(call: "pipe", code: -signals) }
            signalDescriptor = signals
            let remembered = flick_line_save(line.device)
            guard remembered == 0 else { throw .system(call: "tcgetattr", code: -remembered) }
            // A user who requests blocks by name knows better than the environment.
            isUnicode = terminfo.isECMA48 && (environment.hasUnicode || options.pictureMode?.needsUnicode == true)
            session =
                options.isPlain
                ? nil
                : try NcursesSession(
                    name: environment.term, line: line.output, isUnicode: isUnicode, resetPalette: terminfo.resetPalette
                )
        } catch {
            line.close()
            throw error
        }
        self.line = line
        self.environment = environment
        isColorFixed = options.color != nil || environment["NO_COLOR"] != nil
        mayBeNear = options.isNear
        answerPatience = options.answerPatience
        hasControlCharacterKeys = terminfo.hasControlCharacterKeys
        pictureModeChoice = PictureModeChoice(
            wanted: options.isPlain ? .ascii : options.pictureMode, environment: environment,
            isECMA48: terminfo.isECMA48, isUnicode: isUnicode,
            hasWayForPixels: terminfo.isXtermLike && environment.passesStrings)
        let pictureMode: PictureMode
        (pictureMode, pictureModeReason) = pictureModeChoice.decision
        choice = OutputChoice(
            wanted: options.output, pictureMode: pictureMode, terminfo: terminfo.facts,
            isColorFixed: options.color != nil)
        modes = TerminalModes(
            terminfo: terminfo, hasMouse: options.mouse && !options.isPlain,
            reportsFocus: options.reportsFocus, hasImages: pictureMode == .kitty)
        parser = InputParser(keys: terminfo.keys)
        // Answers come in ECMA-48's grammar, which has to be the keys' too.
        isAsked =
            !TerminalQueries.questions(environment: environment, memory: nil).isEmpty && terminfo.isECMA48
            && !hasControlCharacterKeys && !options.isPlain
        capabilities = Capabilities(environment: environment, terminfo: terminfo.facts, color: options.color)
        capabilities.hasUnicode = isUnicode
        capabilities.color = choice.shown(by: choice.output(for: capabilities.color), of: capabilities.color)
        size = GridSize(columns: 80, rows: 24)
        readSize()
        do throws(ScreenError) {
            try acquire()
        } catch {
            line.close()
            throw error
        }
        if isAsked {
            SharedPictures.removeLeftovers()
            let asksForMemory = environment.passesStrings && !capabilities.isRemote
            let memory = asksForMemory ? sharedPictures.storeProbe() : nil
            write(TerminalQueries.questions(environment: environment, memory: memory))
            questionsSent = .now
            parser.awaitsGraphicsReply = environment.passesStrings
        }
    }

    public var inputDescriptor: Int32 { line.input }

    /// When `events` wants to be called although nothing has arrived; nil while nothing is pending.
    public func nextWake(now: Duration) -> Duration? {
        let removal = sharedPictures.nextRemoval.map { now + max($0 - .now, .zero) }
        return [parser.nextWake, removal].compactMap(\.self).min()
    }

    /// Why the loop has to end now: a signal, or a terminal that has gone. Stays.
    public var ending: Ending? { endingSignal ?? (line.isGone ? .hungUp : nil) }

    /// Who writes the screen now, and why.
    public var output: ScreenOutput { choice.output(for: capabilities.color) }
    public var outputReason: OutputReason { choice.decision(for: capabilities.color).reason }

    // MARK: in

    /// Everything that has arrived: keys, pastes, the mouse, a new size, `.resumed` when the process was stopped and
    /// continued from outside. Replies to questions change `capabilities` instead. Does not block, but where ncurses
    /// reads the keys it waits 25 ms at most, for what may follow an Escape.
    ///
    /// - Parameters:
    ///   - now: monotonic, since the process began.
    ///   - ready: the descriptors that poll found readable; the others are not asked.
    public func events(now: Duration, ready: Readiness = [.input, .signals]) -> [TerminalEvent] {
        let (pastes, wasPasting) = (parser.pasteCount, parser.isPasting)
        sharedPictures.removeLate(now: .now)
        var events = ready.contains(.signals) ? readSignals() : []
        defer {
            // The pasted text contains a ^C, which the line took for the key. The
            // input before it can still be read, as the line keeps its input then.
            if isInterrupted, !wasPasting, parser.pasteCount == pastes { endingSignal = .interrupted }
            if isInterrupted, endingSignal == nil { flick_signals_forgive() }
            isInterrupted = false
        }
        guard isAcquired else { return events }
        if hasControlCharacterKeys {
            guard ready.contains(.input), let session else { return events }
            events += session.keys().map { .key($0) }
            line.noteHangUp()
            return events
        }
        var bytes = ready.contains(.input) ? line.read() : []
        // The line sends the signal before the input around the ^C. But `poll` can report the input alone: where this
        // process runs again only once both have come, the signal's handler runs after `poll`.
        if !bytes.isEmpty { events += readSignals() }
        if isInterrupted {
            line.settle()
            bytes += line.read()
        }
        for input in parser.feed(bytes, now: now) {
            switch input {
            case .key(let key): events.append(.key(key))
            case .mouse(let mouse): events.append(.mouse(mouse))
            case .paste(let text): events.append(.paste(text))
            case .focus(let isThere): events.append(.focus(isThere))
            case .reply(let reply): apply(reply)
            }
        }
        return events
    }

    private func readSignals() -> [TerminalEvent] {
        let bits = Int(flick_signals_read())
        func came(_ signal: Int) -> Bool { bits & signal != 0 }
        if came(FLICK_SIGNAL_INTERRUPT) { isInterrupted = true }
        if came(FLICK_SIGNAL_TERMINATE) { endingSignal = .terminated }
        if came(FLICK_SIGNAL_HANGUP) { endingSignal = .hungUp }
        if came(FLICK_SIGNAL_STOP) { wantsSuspend = true }
        var events: [TerminalEvent] = []
        if came(FLICK_SIGNAL_CONTINUE) { wasContinued = true }
        if came(FLICK_SIGNAL_CONTINUE), isAcquired {
            // Stopped by SIGSTOP, which no program can catch: the shell has had the terminal meanwhile.
            isAcquired = false
            // Setting the line's modes waits for the end of a `write`, which takes long on a slow terminal.
            line.stop()
            resume()
            events.append(.resumed)
        }
        if came(FLICK_SIGNAL_RESIZE), session != nil {
            readSize()
            // Even to the old size: with the one in between, the terminal has dropped what did not fit.
            events.append(.resized(size))
        }
        return events
    }

    private func apply(_ reply: Reply) {
        switch reply {
        case .deviceAttributes:
            if let questionsSent, firstAnswerTime == nil { firstAnswerTime = .now - questionsSent }
            questionsSent = nil
            parser.awaitsGraphicsReply = false
            if capabilities.readsSharedMemory != true { sharedPictures.removeAll() }
        case .status: statusQuestions.answered()
        case .colorsChanged:
            write(TerminalQueries.colorQuestions)
            questionsSent = .now
        case .cellPixels(let cell): reportedCell = cell
        case .areaPixels(let area): reportedArea = area
        default: break
        }
        // ncurses shows no more colours than terminfo lists, whatever the terminal answers.
        let isNew = capabilities.apply(
            reply, isColorFixed: isColorFixed || choice.output(for: .truecolor) == .ncurses)
        if isNew { capabilitiesVersion += 1 }
        sharedPictures.isReadable = capabilities.readsSharedMemory
        if case .version(let text) = reply { pictureModeChoice.version = text }
        pictureModeChoice.hasOctants = capabilities.hasOctants != false
        pictureModeChoice.pixels.hasKittyImages = capabilities.hasKittyGraphics == true
        pictureModeChoice.pixels.areShared = capabilities.readsSharedMemory == true
        pictureModeChoice.pixels.sixelColors = capabilities.hasSixel ? capabilities.sixelColors : nil
        if let firstAnswerTime { note(roundTrip: firstAnswerTime) }
        if case .deviceAttributes = reply { askFurther() }
        decidePictureMode()
        readCellPixels(area: line.size()?.pixels)
    }

    /// Asks what follows from the answers.
    private func askFurther() {
        guard environment.passesStrings else { return }
        let lookedTooLate =
            sharedPictures.wasLate && capabilities.hasKittyGraphics == true && capabilities.readsSharedMemory == false
        let questions = furtherQuestions.next(
            hasSixel: capabilities.hasSixel, wantsColors: pictureModeChoice.wantsSixelColors,
            memory: lookedTooLate ? sharedPictures.storeProbe : nil)
        guard !questions.isEmpty else { return }
        write(questions)
        questionsSent = .now
        parser.awaitsGraphicsReply = lookedTooLate
    }

    /// The terminal has answered a question within this time: only one on this machine answers soon.
    public func note(roundTrip time: Duration) {
        guard mayBeNear, !capabilities.isRemote, time < TerminalQueries.nearTime else { return }
        guard !pictureModeChoice.pixels.isNear else { return }
        pictureModeChoice.pixels.isNear = true
        if questionsSent == nil { askFurther() }
        decidePictureMode()
    }

    /// Pixels take too long: switches to blocks, unless pixels were requested
    /// by name, or are read from memory. Returns whether that is a change.
    public func noteLatePixels() -> Bool {
        guard !pictureModeChoice.pixels.areLate else { return false }
        pictureModeChoice.pixels.areLate = true
        return decidePictureMode()
    }

    /// Decides the picture mode again from the terminal's answers. Returns whether it has changed.
    @discardableResult private func decidePictureMode() -> Bool {
        let before = pictureMode
        (choice.pictureMode, pictureModeReason) = pictureModeChoice.decision
        guard pictureMode != before else { return false }
        capabilitiesVersion += 1
        write(TerminalModes.removal(of: before, rows: size.rows))
        modes.hasImages = modes.hasImages || pictureMode == .kitty
        if isAcquired { arm(modes.restoreAll) }
        return true
    }

    /// Reads the size, in cells and in pixels.
    private func readSize() {
        // Lines are as long as they are.
        guard let session else { return }
        let known = line.size()
        if let grid = known?.grid {
            size = GridSize(columns: min(grid.columns, 2_000), rows: min(grid.rows, 1_000))
        }
        if isAcquired { session.resize(to: size) }
        readCellPixels(area: known?.pixels)
    }

    private func readCellPixels(area: PixelSize?) {
        let before = cellPixels
        // A multiplexer does not know the outer terminal's pixels.
        guard !capabilities.isMultiplexed else { return }
        cellPixels =
            area.flatMap { CellPixels.cell(area: $0, grid: size) } ?? reportedCell.flatMap(CellPixels.plausible)
            ?? reportedArea.flatMap { CellPixels.cell(area: $0, grid: size) } ?? before
        if cellPixels != before { capabilitiesVersion += 1 }
    }

    // MARK: out

    /// Bytes are still waiting for the terminal: draw nothing new until they are gone, so that the newest picture wins.
    public var isBusy: Bool { line.isBusy }

    /// Sends bytes behind those of before. Never blocks. While suspended they are dropped.
    public func write(_ bytes: UnsafeRawBufferPointer) {
        if isAcquired { line.write(bytes) }
    }

    public func write(_ bytes: [UInt8]) { bytes.withUnsafeBytes { write($0) } }

    /// Asks for the terminal's status: the answer says that it has processed everything
    /// that was written before. Only where an answer can be distinguished from keys.
    public func askForStatus() {
        guard isAsked, isAcquired else { return }
        statusQuestions.asked(now: .now)
        write(StatusReports.bytes)
    }

    /// Has `wake` called once the terminal has taken everything. If it has already, returns false and calls nothing.
    public func wakeWhenWritten() -> Bool { line.wakeWhenWritten() }

    /// Redirects standard error to `descriptor` while the terminal is taken over, so that no library's
    /// message lands in the picture. Only if standard error is a terminal. `suspend` and `restore` undo it.
    public func redirectErrors(to descriptor: Int32) {
        guard isAcquired, savedErrors < 0, isatty(STDERR_FILENO) == 1 else { return }
        savedErrors = fcntl(STDERR_FILENO, F_DUPFD_CLOEXEC, 16)
        if savedErrors >= 0 { dup2(descriptor, STDERR_FILENO) }
    }
}

// MARK: acquiring and releasing

extension Terminal {
    /// Restores the terminal, stops the job as ^Z does, and takes the terminal over again
    /// once the job is continued. Blocks meanwhile. Redraw everything afterwards, at the
    /// new `size`. Without a shell that could continue the job, it continues at once.
    public func suspend() {
        guard isAcquired else { return }
        let errors = redirectedErrors()
        release()
        flick_stop_job()
        wantsSuspend = false
        // Read here, so that `events` does not report the continuation too; a signal to end is stored in `ending`.
        _ = readSignals()
        resume()
        if let errors {
            redirectErrors(to: errors)
            close(errors)
        }
    }

    /// Takes the terminal over again after `release`. Does nothing if it is flick's. In the background it stops the job
    /// until that is continued in the foreground, or is to end.
    public func resume() {
        guard !isRestored, !isAcquired, awaitForeground() else { return }
        readSize()
        do throws(ScreenError) { try acquire() } catch { endingSignal = endingSignal ?? .hungUp }
    }

    /// Setting the line's modes from the background would stop the process again before it has handled the signal
    /// that woke it: `kill %1` sends one signal to end and one to continue. Returns false if it is to end.
    private func awaitForeground() -> Bool {
        while endingSignal == nil, line.isInBackground {
            // Another thread may be handling a signal: give it a moment.
            while endingSignal == nil, TTY.isReady(signalDescriptor, POLLIN, within: Self.signalDelay) {
                _ = readSignals()
            }
            guard endingSignal == nil else { break }
            wasContinued = false
            flick_stop_job()
            if !TTY.isReady(signalDescriptor, POLLIN, within: Self.signalDelay) { break }
            _ = readSignals()
            // Without a shell to continue it, it was not stopped either; the terminal is gone then.
            if !wasContinued { break }
        }
        return endingSignal == nil
    }

    private static let signalDelay: Int32 = 50  // ms

    /// Restores the terminal for a while. Does nothing unless it is flick's.
    /// Waits about half a second at most, for a terminal that accepts no bytes.
    public func release() {
        guard isAcquired else { return }
        waitForAnswers()
        if session == nil { waitForLines() }
        isAcquired = false
        line.stop()
        // The bytes are ncurses'. `flick_rescue_now` writes them, as it copes with a terminal that takes none.
        arm(session.map { modes.disable + $0.suspend() } ?? [])
        flick_rescue_now()
        sharedPictures.removeAll()
        if savedErrors >= 0 {
            dup2(savedErrors, STDERR_FILENO)
            close(savedErrors)
            savedErrors = -1
        }
    }

    /// Gives the terminal back for good. May be called any number of times.
    public func restore() {
        release()
        guard !isRestored else { return }
        isRestored = true
        line.close()
    }

    private func acquire() throws(ScreenError) {
        // Before a byte is written: in the background this stops the job.
        guard let session else {
            let code = flick_line_set_keys(line.device)
            guard code == 0 else { throw .system(call: "tcsetattr", code: -code) }
            arm([])
            isAcquired = true
            return line.resume()
        }
        let screen = try session.resume(size: size)
        arm(modes.restoreAll)
        isAcquired = true
        line.resume()
        write(screen + modes.enable)
    }

    /// From now on a process that dies writes these bytes.
    private func arm(_ bytes: [UInt8]) {
        bytes.withUnsafeBytes { flick_rescue_arm(line.device, $0.baseAddress, $0.count) }
    }

    /// A process that dies takes the answers that are owed.
    private func updateRescue() {
        flick_rescue_awaits(
            Int32(clamping: statusQuestions.open + (questionsSent == nil ? 0 : 1)), Int32(answerPatience.milliseconds))
    }

    /// Where standard error goes now, if it was redirected: a copy, to be closed.
    private func redirectedErrors() -> Int32? {
        guard savedErrors >= 0 else { return nil }
        let copy = fcntl(STDERR_FILENO, F_DUPFD_CLOEXEC, 16)
        return copy >= 0 ? copy : nil
    }

    /// Waits until all lines are written, half a second at most: the last ones say what the user has done last.
    private func waitForLines() {
        let end = ContinuousClock.now + .milliseconds(500)
        while line.isBusy, !line.isGone, ContinuousClock.now < end {
            // The writer's thread does not wake this one.
            usleep(1_000)
        }
    }

    /// Waits until the terminal has answered all questions, or until no answer can be expected any more: `doctor` shows
    /// the answers, and a program that ends at once must not leave them to the shell. Keys typed meanwhile are lost.
    public func waitForAnswers() {
        func end() -> ContinuousClock.Instant? {
            [questionsSent, statusQuestions.lastOpen].compactMap(\.self).max().map { $0 + answerPatience }
        }
        // `apply` notes the answers.
        while let end = end(), !line.isGone, ContinuousClock.now < end {
            guard TTY.isReady(line.input, POLLIN, within: 10) else { continue }
            for case .reply(let reply) in parser.feed(line.read(), now: .zero) { apply(reply) }
        }
        questionsSent = nil
        statusQuestions.forget()
    }
}
