import Model
import Player
import Screen
import TermGraphics
import UI
import Wire

/// What the terminal shows, what is on its way there, and when and how well the page is drawn next. Main thread.
///
/// It joins pages, pictures and the link to the terminal, and knows nothing of feeds.
@MainActor
final class FrameOutput {
    private let terminal: Terminal
    private let pool: PlayerPool
    private let journal: Journal
    let presenter: Presenter
    /// Prints the page as lines in plain mode; nil otherwise.
    private let plain: PlainOutput?
    private var scheduler: FrameScheduler
    private var link: TerminalLink
    private var refinement = PrecisionSchedule()
    private var pending = PendingFrame<PictureIdentity>()
    /// The items in the last update of the screen.
    private var itemsInView: [Item.ID] = []
    /// The size and form of pictures that was last requested from the pool.
    private var request: SurfaceRequest?
    /// The last drawn scene, and until when drawing would give the same one:
    /// most pictures arrive between two changes of the page.
    private var drawn: (scene: Scene, until: Duration)?
    /// When something on the page next moves by itself, and when text next changes.
    private var changes: (motion: Duration?, text: Duration?)
    private var knownCapabilities: Int

    /// - Parameters:
    ///   - fps: the most pictures a second; nil for no limit.
    ///   - bitrate: the most bits a second to the terminal; nil: as many as it takes.
    init(
        terminal: Terminal, pool: PlayerPool, journal: Journal, isPlain: Bool, fps: Double?, bitrate: Int64?,
        now: Duration
    ) {
        (self.terminal, self.pool, self.journal) = (terminal, pool, journal)
        presenter = Presenter(terminal: terminal)
        plain = isPlain ? PlainOutput(terminal: terminal) : nil
        scheduler = FrameScheduler(fps: fps)
        link = TerminalLink(
            pacer: OutputPacer(
                cap: bitrate.map { Double($0) / 8 }, shortestPeriod: scheduler.motionInterval,
                asked: terminal.isAsked ? now : nil))
        knownCapabilities = terminal.capabilitiesVersion
    }

    /// Whether the page is printed as lines (plain mode).
    var isPlain: Bool { plain != nil }

    /// Whether the last update is not fully written yet: then there is no point in making another.
    var isBusy: Bool { presenter.isBusy }

    /// Whether nothing waits to be drawn.
    var isUpToDate: Bool { !scheduler.isNeeded }

    /// How pictures are drawn now.
    var pictures: PictureFormat { presenter.pictures }

    /// Whether an item is in the last update of the screen.
    func shows(_ item: Item.ID) -> Bool { itemsInView.contains(item) }

    /// Adds what is known of the link to the figures of a player.
    func complete(_ figures: inout Diagnostics, now: Duration) { link.complete(&figures, now: now) }

    // MARK: When to look

    /// When there is something to draw, or the page changes by itself; nil if neither is to come.
    func nextWake(now: Duration) -> Duration? {
        let isBusy = isBusy
        let text = FrameScheduler.textWake(at: changes.text, nextPicture: pool.nextPicture)
        // Once it is due, the scheduler knows when, or the terminal wakes the loop.
        let refining = (isBusy ? refinement.isDue(at: now) : scheduler.isNeeded) ? nil : refinement.due
        return Self.earlier(
            Self.earlier(changes.motion, text), Self.earlier(isBusy ? nil : drawAt(after: now), refining))
    }

    private static func earlier(_ one: Duration?, _ other: Duration?) -> Duration? {
        guard let one, let other else { return one ?? other }
        return min(one, other)
    }

    /// When to draw what has changed; nil if nothing has, or if an answer of the terminal is to come first.
    private func drawAt(after now: Duration) -> Duration? {
        scheduler.due.flatMap { link.mayStart(at: $0, for: purpose, now: now) }
    }

    private var purpose: OutputPacer.Purpose { scheduler.isAnswer ? .answer : .motion }

    /// Whether to wake the loop once the terminal has taken the current update, because something waits to be drawn or
    /// reported. While a clip plays, its next picture wakes the loop soon enough.
    func wantsWakeWhenWritten(now: Duration) -> Bool {
        scheduler.isNeeded || pending.isAwaited || refinement.isDue(at: now) || plain?.isWaiting == true
    }

    /// Looks when the page next changes by itself.
    func expectChanges(of state: State, after now: Duration) {
        changes = (state.nextMotion(after: now), state.nextText(after: now))
    }

    /// Whether the page is to have a tick. What it is for is noted.
    func takesTick(now: Duration) -> Bool {
        let (moves, changesText) = (changes.motion.map { $0 <= now }, changes.text.map { $0 <= now })
        guard moves == true || changesText == true else { return false }
        note(moves == true ? .motion : .text, now: now)
        return true
    }

    // MARK: What is to be drawn

    /// The page has changed.
    func note(_ urgency: Event.Urgency, now: Duration) {
        switch urgency {
        case .none: break
        // It is drawn with the current clip's next picture.
        case .text: scheduler.noteText(now: now, nextPicture: pool.nextPicture)
        case .motion: scheduler.noteMotion()
        case .answer: scheduler.noteAnswer()
        }
    }

    /// Looks whether a page in view has a newer picture than the terminal. The user waits for a page's first one, so
    /// that is drawn without delay.
    func notePictures() {
        guard itemsInView.compactMap(pool.pictureIdentity) != pending.newest else { return }
        if pending.newest.isEmpty { scheduler.noteAnswer() } else { scheduler.noteMotion() }
    }

    /// Whether the page is as it was when it was last drawn: a new picture then needs no new scene.
    var hasScene: Bool { drawn != nil }

    /// The page has changed, or may have.
    func pageChanged() { drawn = nil }

    /// The page is to be drawn from nothing, as its cells on the terminal are lost.
    func startOver() {
        presenter.startOver()
        scheduler.noteAnswer()
    }

    /// The contents of the screen are lost, and the current update with them.
    func screenLost() {
        pending.lost()
        link.forgetUpdates()
    }

    // MARK: The terminal

    /// Whether the terminal has reported more of its capabilities since the last call.
    func takesNewCapabilities() -> Bool {
        defer { knownCapabilities = terminal.capabilitiesVersion }
        return terminal.capabilitiesVersion != knownCapabilities
    }

    /// Paints as the terminal can now.
    func terminalChanged() {
        presenter.terminalChanged()
        scheduler.noteAnswer()
    }

    /// The terminal may have answered. Returns whether it turns out to be too slow for pixels; there are blocks then.
    func noteAnswers(now: Duration) -> Bool {
        link.noteAnswers(first: terminal.firstAnswerTime, statuses: terminal.statusAnswers, now: now)
        if let time = link.pacer.roundTrip { terminal.note(roundTrip: time) }
        // It can wait until nothing is to be drawn, which it would hold up.
        if !isPlain, !isBusy, isUpToDate { terminal.tracksMotion = link.isQuick }
        return link.pacer.pixelPace.isTooSlow && terminal.noteLatePixels()
    }

    /// Whether there are colours and bytes enough for a backdrop.
    var showsBackdrop: Bool {
        switch terminal.capabilities.color {
        case .truecolor, .palette256: !link.isSlow
        case .palette16, .mono: false
        }
    }

    /// Requests pictures that fit the terminal's cells from the pool, if it does not make those already.
    func requestPictures(_ size: GridSize, _ fit: PictureFit, now: Duration) -> [PlayerEvent] {
        let wanted =
            isPlain
            ? .least
            : SurfaceRequest(grid: size, samples: pictures.samplesPerCell, cell: terminal.cellPixels, fit: fit)
        guard wanted != request else { return [] }
        request = wanted
        let events = pool.setSurface(wanted, now: now)
        presenter.asked(for: pool.generation)
        return events
    }

    // MARK: Drawing

    /// The size limit of an update, in bytes; nil if no update is due, or the terminal is busy.
    func budget(now: Duration) -> Int? {
        if refinement.isDue(at: now), !isBusy { scheduler.noteMotion() }
        guard let due = scheduler.due, now >= due else { return nil }
        guard !isBusy else {
            link.noteWait(now: now)
            return nil
        }
        return link.budget(for: purpose, now: now)
    }

    /// An update is about to be sent: whether the terminal took the last ones soon enough decides what is drawn.
    func notePace(now: Duration) { link.noteUpdate(now: now) }

    /// In plain mode, prints what an update of the page has changed.
    func printChanges(in state: State, now: Duration) { plain?.printChanges(in: state, now: now) }

    /// In plain mode, sends what waits, if the terminal has taken what came before.
    func sendLines() { plain?.send() }

    /// Everything that was sent is written. Returns what has arrived with it, once.
    func arrived() -> PendingFrame<PictureIdentity>.Update? { pending.arrived() }

    /// Draws the page. Returns whether the terminal has taken all of it already.
    ///
    /// - Parameter budget: in bytes.
    func present(_ state: State, within budget: Int, now: Duration) -> Bool {
        guard !isPlain else {
            passPictures(of: state, now: now)
            return true
        }
        let purpose = purpose
        let scene = scene(of: state, now: now)
        itemsInView = scene.pages.prefix(2).map(\.item) + scene.tiles.compactMap(\.still)
        var identities: [PictureIdentity] = []
        var precision = Precision.moving

        /// Borrows the pages' pictures in nested calls, because each is valid only inside its call.
        func borrow(_ pages: ArraySlice<Scene.Page>, _ pictures: [PagePicture]) -> PaintStats {
            guard let page = pages.first else {
                let tiles = scene.tiles.compactMap { tile in
                    switch tile.content {
                    case .still(let item):
                        let picture = pool.withPicture(of: item) { picture, identity in
                            identities.append(identity)
                            return presenter.tile(tile, identity, picture)
                        }
                        return TilePicture(
                            picture: picture, frame: tile.frame, ground: scene.tileGround, shade: tile.shade)
                    case .seekStill(let item):
                        return pool.withSeekStill(of: item) { picture, identity in
                            TilePicture(
                                .framed, picture: presenter.tile(tile, identity, picture), frame: tile.frame,
                                ground: state.theme.dim)
                        }
                    case .avatar(let address):
                        return pool.withAvatar(at: address) { picture, identity in
                            TilePicture(
                                .avatar(rows: tile.rows), picture: presenter.tile(tile, identity, picture),
                                frame: tile.frame, ground: scene.background, shade: tile.shade)
                        }
                    }
                }
                precision = refinement.precision(
                    change(to: identities, isPageMoving: state.pager.isMoving), isLinkSlow: link.pacer.isNarrow,
                    now: now)
                return presenter.present(
                    scene, pictures: pictures, tiles: tiles, within: budget, precision: precision,
                    questions: link.pacer.questions)
            }
            let figures = pool.withPicture(of: page.item) { picture, identity in
                identities.append(identity)
                return presenter.withFitting(picture, identity) { picture in
                    presenter.withBackdrop(of: page, picture, now: now) { backdrop in
                        borrow(
                            pages.dropFirst(),
                            pictures + [
                                PagePicture(picture: picture, top: page.top, cover: page.cover, backdrop: backdrop)
                            ])
                    }
                }
            }
            let bare = PagePicture(picture: nil, top: page.top, cover: page.cover)
            return figures ?? borrow(pages.dropFirst(), pictures + [bare])
        }

        let figures = borrow(scene.pages.prefix(2), [])
        scheduler.drawn(now: now)
        // How much coarser the link has made it: 0 … 1.
        let coarseness =
            max(figures.tolerance - max(precision.tolerance, Precision.moving.tolerance), 0)
            / (1 - Precision.moving.tolerance)
        let second = link.sent(
            figures.bytes, for: purpose, coarseness: coarseness,
            hasNewPicture: identities != pending.newest, now: now)
        if let second { record(second) }
        refinement.painted(isExact: figures.isExact, now: now)
        // Reports the first picture of each decoder when it is on the terminal, and with a trace every picture.
        let isAwaited =
            journal.writesPictures
            || identities.contains { new in !pending.newest.contains { $0.isFollowed(by: new) } }
        pending.sent(identities, bytes: figures.bytes, cells: figures.cells, begun: now, isAwaited: isAwaited)
        return !isBusy
    }

    private func scene(of state: State, now: Duration) -> Scene {
        // The drawing appears a moment later. Drawing for that moment makes a slide start one frame earlier.
        let seen = now + FrameScheduler.frame
        if let drawn, seen < drawn.until { return drawn.scene }
        let scene = draw(state, now: seen)
        drawn = (scene, state.nextWake(after: seen) ?? .seconds(Int64.max))
        return scene
    }

    /// Plain mode reports the current page's pictures as shown, since playback waits for that.
    private func passPictures(of state: State, now: Duration) {
        scheduler.drawn(now: now)
        itemsInView = state.currentID.map { [$0] } ?? []
        pending.sent(itemsInView.compactMap(pool.pictureIdentity), bytes: 0, cells: 0, begun: now)
    }

    /// What of the pictures in view is new.
    private func change(to identities: [PictureIdentity], isPageMoving: Bool) -> PrecisionSchedule.Change {
        let before = pending.newest
        if isPageMoving { return .motion }
        if identities == before { return .none }
        let isKnown = identities.first.map { new in before.contains { $0.item == new.item } }
        return isKnown == false ? .cut : .motion
    }

    /// Once a second, while something is sent: how the link to the terminal is used.
    private func record(_ second: OutputStats.Second) {
        journal.record(
            .link(
                roundTrip: link.pacer.roundTrip ?? .zero, inFlight: link.pacer.updatesInFlight,
                fps: second.picturesPerSecond, quality: 1 - second.coarseness))
    }
}

extension Scene.Tile {
    /// The item whose still it shows.
    fileprivate var still: Item.ID? { if case .still(let item) = content { item } else { nil } }
}
