import Model
import Player
import Screen
import UI

// What the loop does outside players and pages: the terminal and other programs.
extension Browser {
    // MARK: The terminal

    /// Requests pictures that fit the terminal's cells from the pool, if it does not make those already.
    func askForPictures() -> [Event] {
        wantAvatars()
        return forPage(output.requestPictures(state.size, state.playback.fit, now: clock.now))
    }

    /// The terminal has reported more of its capabilities.
    func terminalChanged() -> [Event] {
        state.options.color = terminal.capabilities.color
        let losesOctants = state.options.pictureMode == .octant && terminal.pictureModeReason == .misplacedOctants
        state.options.pictureMode = terminal.pictureMode
        state.options.theme = settings.theme(on: terminal.capabilities)
        state.options.knowsCellAspect = terminal.cellPixels != nil
        state.options.hasBackdrop = output.showsBackdrop
        output.terminalChanged()
        state.options.pictures = output.pictures
        let warning =
            losesOctants ? [journal.complaint(of: "terminal", "No octants in this terminal; using blocks")] : []
        return askForPictures() + warning
    }

    /// The terminal has a new size, and may have lost or moved its contents.
    func resized() -> [Event] {
        let events = terminalChanged()
        output.startOver()
        return events
    }

    /// ^Z: pauses the clip, gives the terminal to the shell, and continues when the shell continues flick.
    func suspend() -> [Event] {
        let events = state.currentID.map { forPage(pool.pause($0, now: clock.now)) } ?? []
        library.suspend(now: clock.now)
        terminal.suspend()
        output.screenLost()
        return events + [.resumed]
    }

    /// Shows and logs the warnings about the configuration, and what of it this terminal cannot do.
    func warn(of setup: Setup) {
        for warning in setup.warnings { journal.warn(warning) }
        if let first = setup.shortWarnings.first {
            let count = setup.shortWarnings.count
            handle(Event.notice(count > 1 ? "\(count) warnings, first: \(first)" : first, .failure))
        }
        guard !output.isPlain, terminal.pictureModeReason == .noWayForPixels else { return }
        let warning = "no pixel graphics in this terminal; using blocks (see flick doctor)"
        journal.warn(warning)
        handle(Event.notice(warning, .remark))
    }

    // MARK: Notices and other programs

    /// Copies a link to the clipboard if the terminal supports that. The notice shows the link.
    func copy(_ link: String) -> Event {
        switch terminal.copy(link) {
        case .taken: .linkNotice("Link copied", link: link)
        case .sent: .linkNotice("Link copied if the terminal allows it", link: link)
        case .refused: .linkNotice("Cannot copy; this terminal has no clipboard", link: link, .failure)
        }
    }

    /// The frame of an item that is on the screen becomes a file.
    func saveFrame(of id: Item.ID) -> [Event] {
        guard let frame = savedFrame(of: id) else { return [.notice("No frame to save", .failure)] }
        reading.frames.save(frame, retention: pool.retention)
        return []
    }

    /// The frame of an item that is on the screen; nil without one.
    func savedFrame(of id: Item.ID) -> SavedFrame? {
        guard let item = state.item(id), let size = state.clips[id]?.facts?.displaySize,
            let picture = pool.pictureIdentity(of: id)
        else { return nil }
        return SavedFrame(item: item, time: picture.mediaTime, size: size)
    }

    /// The clip of an item becomes a file, or no longer.
    func saveClip(of id: Item.ID) -> [Event] {
        guard let clip = savedClip(of: id) else { return [] }
        fetches.note(CollectionOfOne(clip.item))
        return reading.clips.toggle(clip, retention: pool.retention)
    }

    /// The clip of an item, as its player knows it; nil if there is no such item.
    func savedClip(of id: Item.ID) -> SavedClip? {
        guard let item = state.item(id) else { return nil }
        let (facts, duration) = (state.clips[id]?.facts, state.clips[id]?.duration ?? item.duration)
        let folder: UserFolder =
            facts?.isStill == true ? .pictures : facts.map { $0.hasAudio && !$0.hasVideo } == true ? .music : .videos
        return SavedClip(
            item: item, duration: duration, container: facts?.container, folder: folder,
            choice: pool.remuxChoice(of: id))
    }

    /// Opens an item in the system's application for it, which gets neither flick's descriptors nor the terminal. What
    /// became of it comes as a message.
    func open(elsewhere address: String) -> [Event] {
        let (inbox, journal) = (inbox, journal)
        let isLink = RemoteURL(address) != nil
        do {
            try Launch.detached(Launch.opener, [address]) { outcome in
                let failure = Launch.failure(of: outcome, isLink: isLink)
                let complaint = failure.map { journal.complaint(of: "open in another program", $0) }
                inbox.post(.event(complaint ?? .openedElsewhere(address)))
            }
            return []
        } catch {
            return [journal.complaint(of: "open in another program", "Couldn't open: \(error)")]
        }
    }
}
