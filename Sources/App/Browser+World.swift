import Feeds
import Model
import Player
import Screen
import TermGraphics
import UI
import Wire

#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

// What the loop does to the world outside of players and pages.
extension Browser {
    /// Draws the state as it is now, and tells the deck what of it has reached the terminal (C8's third signal).
    func present() {
        let now = clock.now
        // What is drawn now is seen a moment later; a slide that begins with its first step is a frame quicker.
        let scene = draw(state, now: now + Browser.frameInterval)
        pagesInView = scene.pages.prefix(2).map(\.index)
        let shown = scene.pages.prefix(2).map { page in
            (page, page.index < state.items.count ? state.items[page.index].id : nil)
        }
        var identities: [(Item.ID, PictureIdentity)] = []

        /// Borrows the pictures of the pages one inside the other, as they are only valid while they are borrowed.
        func borrow(_ index: Int, _ pictures: [PagePicture]) -> UpdateFigures {
            guard index < shown.count else { return presenter.present(scene, pictures: pictures) }
            let (page, id) = shown[index]
            let figures = id.flatMap { id in
                deck.withPicture(of: id, now: now) { picture, identity in
                    identities.append((id, identity))
                    return borrow(
                        index + 1, pictures + [PagePicture(picture: picture, top: page.top, cover: page.cover)])
                }
            }
            return figures
                ?? borrow(index + 1, pictures + [PagePicture(picture: nil, top: page.top, cover: page.cover)])
        }

        let figures = borrow(0, [])
        isDirty = false
        lastPresented = now
        underway = Underway(
            pictures: identities.filter { !shownIdentities.contains($0.1) }, figures: figures, begun: now)
        shownIdentities = identities.map(\.1)
        if !presenter.isBusy { arrived() }
    }

    /// The last update is on the terminal, with the pictures in it.
    func arrived() {
        guard let underway else { return }
        self.underway = nil
        let milliseconds = (clock.now - underway.begun).milliseconds
        for (id, identity) in underway.pictures {
            deck.pictureShown(
                of: id, identity, now: clock.now, bytes: underway.figures.bytes, cells: underway.figures.cells,
                milliseconds: milliseconds)
        }
    }

    /// Whether a page in view has another picture than the one on the terminal.
    var hasNewPicture: Bool {
        let identities = pagesInView.compactMap { index in
            index < state.items.count ? deck.pictureIdentity(of: state.items[index].id) : nil
        }
        return identities != shownIdentities
    }

    /// Asks the deck for pictures of the size that the terminal's cells want.
    func askForPictures() {
        let size = state.size
        let surface = state.options.surface
        let picture = surface.pictureSize(for: size)
        let cell = terminal.cellPixels ?? PixelSize(width: 1, height: 2)
        deck.setSurface(
            SurfaceRequest(
                generation: 0, width: UInt32(picture.width), height: UInt32(picture.height),
                aspectNumerator: UInt32(cell.width * surface.samplesPerCell.height),
                aspectDenominator: UInt32(cell.height * surface.samplesPerCell.width), fill: state.fit == .fill),
            now: clock.now)
        isDirty = true
    }

    /// The terminal has another size, or has told more of what it can do.
    func terminalChanged() {
        state.options.color = terminal.capabilities.color
        state.options.knowsCellAspect = terminal.cellPixels != nil
        presenter.startOver()
        askForPictures()
    }

    func show(_ feed: Feed) {
        traceFeed(feed)
        indices = [:]
        handle(Event.feed(feed.items, title: feed.title))
        warn(of: feed)
    }

    func traceFeed(_ feed: Feed) {
        trace(
            TraceEvent(
                "feed",
                [
                    "source": .text(feed.source), "items": .integer(feed.items.count),
                    "next": feed.next.map { .text($0) } ?? .null,
                ]))
    }

    /// What of a feed was left out: the first of it, and how much more there is.
    func warn(of feed: Feed) {
        guard let warning = feed.warnings.first else { return }
        let more = feed.warnings.count > 1 ? " (and \(feed.warnings.count - 1) more)" : ""
        handle(Event.notice(warning + more))
    }

    func reload() {
        loadInBackground(settings, into: inbox)
    }

    /// ^Z: pauses what plays, gives the terminal to the shell, and goes on when the shell says so (P11).
    func suspend() {
        withItem(state.current) { deck.pause($0.id, now: clock.now) }
        terminal.suspend()
        presenter.startOver()
        if terminal.size != state.size { handle(Event.resized(terminal.size)) }
        handle(Event.resumed)
    }

    /// Opens an item in the system's own application for it, which gets none of flick's descriptors and none of the terminal.
    func open(elsewhere address: String) {
        #if os(Linux)
            let opener = "xdg-open"
        #else
            let opener = "open"
        #endif
        do {
            try Launch.detached(opener, [address])
        } catch {
            handle(Event.notice("cannot open it elsewhere: \(error)"))
        }
    }
}
