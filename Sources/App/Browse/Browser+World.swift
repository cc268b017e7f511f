import Model
import Player
import Screen
import TermGraphics
import UI
import Wire

// What the loop does outside players and pages: pictures, the terminal and other programs.
extension Browser {
    // MARK: Pictures

    /// Draws the current state, and reports to the pool which pictures have reached the terminal.
    ///
    /// - Parameter budget: in bytes.
    func present(within budget: Int, for purpose: OutputPacer.Purpose) {
        let now = clock.now
        guard plain == nil else { return passPictures(now: now) }
        // The drawing appears a moment later. Drawing for that moment makes a slide start one frame earlier.
        let seen = now + FrameScheduler.frame
        let scene: Scene
        if let drawn, seen < drawn.until {
            scene = drawn.scene
        } else {
            scene = draw(state, now: seen)
            drawn = (scene, state.nextWake(after: seen) ?? .seconds(Int64.max))
        }
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
                        return TilePicture(picture: picture, frame: tile.frame, ground: scene.tileGround)
                    case .avatar(let address):
                        return pool.withAvatar(at: address) { picture, identity in
                            TilePicture(
                                .avatar(rows: tile.rows, shade: tile.shade),
                                picture: presenter.tile(tile, identity, picture), frame: tile.frame,
                                ground: scene.background)
                        }
                    }
                }
                precision = refinement.precision(change(to: identities), isLinkSlow: pacer.isNarrow, now: now)
                return presenter.present(
                    scene, pictures: pictures, tiles: tiles, within: budget, precision: precision,
                    questions: pacer.questions)
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
        outputRate.note(figures.bytes, now: now)
        // How much coarser the link has made it: 0 … 1.
        let coarseness =
            max(figures.tolerance - max(precision.tolerance, Precision.moving.tolerance), 0)
            / (1 - Precision.moving.tolerance)
        pacer.sent(figures.bytes, for: purpose, coarseness: coarseness, now: now)
        noteLink(coarseness: coarseness, hasNewPicture: identities != updateInFlight.newest, now: now)
        refinement.painted(isExact: figures.isExact, now: now)
        // Reports the first picture of each decoder when it is on the terminal, and with a trace every picture.
        let isAwaited =
            tracesPictures
            || identities.contains { new in !updateInFlight.newest.contains { $0.isFollowed(by: new) } }
        updateInFlight.sent(
            identities, bytes: figures.bytes, cells: figures.cells, begun: now, isAwaited: isAwaited)
        if !presenter.isBusy { updateArrived() }
    }

    /// In plain mode the pictures of the current page count as shown although
    /// nobody sees them: the clip goes on by them.
    private func passPictures(now: Duration) {
        scheduler.drawn(now: now)
        itemsInView = state.currentID.map { [$0] } ?? []
        updateInFlight.sent(itemsInView.compactMap(pool.pictureIdentity), bytes: 0, cells: 0, begun: now)
        updateArrived()
    }

    /// What of the pictures in view is new.
    private func change(to identities: [PictureIdentity]) -> PrecisionSchedule.Change {
        let before = updateInFlight.newest
        if state.pager.isMoving { return .motion }
        if identities == before { return .none }
        let isKnown = identities.first.map { new in before.contains { $0.item == new.item } }
        return isKnown == false ? .cut : .motion
    }

    /// Once a second, while something is sent: how the link to the terminal is used.
    private func noteLink(coarseness: Double, hasNewPicture: Bool, now: Duration) {
        guard let link = linkFigures.note(hasNewPicture: hasNewPicture, coarseness: coarseness, now: now) else {
            return
        }
        journal.record(
            .link(
                roundTrip: pacer.roundTrip ?? .zero, inFlight: pacer.updatesInFlight, fps: link.picturesPerSecond,
                quality: 1 - link.coarseness))
    }

    /// The terminal has received everything, so it shows the pictures of the last update.
    func updateArrived() {
        guard let update = updateInFlight.arrived() else { return }
        let now = clock.now
        for picture in update.fresh {
            handle(
                pool.pictureShown(
                    of: picture.item, picture, now: now, bytes: update.bytes, cells: update.cells,
                    took: now - update.begun))
        }
    }

    /// An update is about to be sent: whether the terminal took the last ones soon enough decides what is drawn.
    func notePace() {
        linkPace.noteUpdate(now: clock.now)
        if state.options.hasBackdrop != showsBackdrop { state.options.hasBackdrop = showsBackdrop }
    }

    /// Whether a page in view has a newer picture than the terminal.
    var hasNewPicture: Bool {
        let identities = itemsInView.compactMap(pool.pictureIdentity)
        return identities != updateInFlight.newest
    }

    /// Requests pictures that fit the terminal's cells from the pool, if it does not make those already.
    func askForPictures() -> [Event] {
        let wanted =
            plain != nil
            ? .least
            : SurfaceRequest(
                grid: state.size, samples: presenter.pictures.samplesPerCell, cell: terminal.cellPixels,
                fit: state.playback.fit)
        wantAvatars()
        guard wanted != request else { return [] }
        request = wanted
        let events = pool.setSurface(wanted, now: clock.now)
        presenter.asked(for: pool.generation)
        return forPage(events)
    }

    // MARK: The terminal

    /// The terminal has reported more of its capabilities.
    func terminalChanged() -> [Event] {
        state.options.color = terminal.capabilities.color
        state.options.pictureMode = terminal.pictureMode
        state.options.theme = settings.theme(on: terminal.capabilities)
        state.options.knowsCellAspect = terminal.cellPixels != nil
        state.options.hasBackdrop = showsBackdrop
        presenter.terminalChanged()
        state.options.pictures = presenter.pictures
        scheduler.noteAnswer()
        return askForPictures()
    }

    /// Whether there are colours and bytes enough for a backdrop.
    var showsBackdrop: Bool {
        switch terminal.capabilities.color {
        case .truecolor, .palette256: !linkPace.isSlow && !pacer.isSlow
        case .palette16, .mono: false
        }
    }

    /// The terminal has a new size, and may have lost or moved its contents.
    func resized() -> [Event] {
        let events = terminalChanged()
        presenter.startOver()
        return events
    }

    func redraw() {
        presenter.startOver()
        scheduler.noteAnswer()
    }

    /// ^Z: pauses the clip, gives the terminal to the shell, and goes on when the shell continues flick.
    func suspend() -> [Event] {
        let events = state.currentID.map { forPage(pool.pause($0, now: clock.now)) } ?? []
        noteSuspension()
        terminal.suspend()
        updateInFlight.lost()
        pacer.forgetUpdates()
        return events + [.resumed]
    }

    /// Shows and logs the warnings about the configuration, and what of it this terminal cannot do.
    func warn(of setup: Setup) {
        for warning in setup.warnings { journal.warn(warning) }
        if let first = setup.shortWarnings.first {
            let count = setup.shortWarnings.count
            handle(Event.notice(count > 1 ? "\(count) warnings, first: \(first)" : first, .failure))
        }
        guard plain == nil, terminal.pictureModeReason == .noWayForPixels else { return }
        let warning = "no pixel graphics in this terminal; using blocks (see flick doctor)"
        journal.warn(warning)
        handle(Event.notice(warning, .remark))
    }

    // MARK: Notices and other programs

    /// A temporary problem: writes an `error` to trace and log, and returns a notice for the page.
    func complaint(of what: String, _ why: String, as kind: Toasts.Kind = .failure) -> Event {
        journal.record(.error(what: what, why: why))
        return .notice(why, kind)
    }

    /// Puts a link on the clipboard, as far as the terminal takes it. Unless that is sure, the notice shows the link.
    func copy(_ link: String) -> Event {
        switch terminal.copy(link) {
        case .taken: .notice("Link copied")
        case .sent: .linkNotice("Link copied if the terminal allows it", link: link)
        case .refused: .linkNotice("Cannot copy; this terminal has no clipboard", link: link, .failure)
        }
    }

    /// Opens an item in the system's application for it, which gets neither flick's descriptors nor the terminal. What
    /// became of it comes as a message.
    func open(elsewhere address: String) -> [Event] {
        let inbox = inbox
        let isLink = RemoteURL(address) != nil
        do {
            try Launch.detached(Launch.opener, [address]) { outcome in
                inbox.post(.openedElsewhere(address, failure: Launch.failure(of: outcome, isLink: isLink)))
            }
            return []
        } catch {
            return [complaint(of: "open in another program", "Couldn't open: \(error)")]
        }
    }
}

extension Scene.Tile {
    /// The item whose still it shows.
    fileprivate var still: Item.ID? { if case .still(let item) = content { item } else { nil } }
}
