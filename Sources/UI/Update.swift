import Model

/// Opens the page: returns what must be done before the first event. Main thread.
public func begin(_ state: inout State, now: Duration) -> [Effect] {
    if let time = state.options.sleepAfter { state.playback.sleep.start(for: time, now: now) }
    // The feed may come again; the timer continues.
    state.options.sleepAfter = nil
    let effects = state.playback.settings(state.options)
    guard state.items.count > 0 else {
        if !state.feed.isReading { state.toasts.allowRemarks(from: now) }
        return effects
    }
    state.arrive(now: now)
    // Plain mode begins with it anyway.
    if state.options.isFirstRun, !state.options.isPlain { state.showKeyHint(isFirst: true, now: now) }
    state.options.isFirstRun = false
    return state.withoutHidden(effects + state.playCurrent())
}

/// The only way to change the state: takes an event and the time, returns what
/// must be done. It reads no clock. Main thread.
public func update(_ state: inout State, _ event: Event, now: Duration) -> [Effect] {
    var effects: [Effect] = []
    switch event {
    case .key(let key):
        effects.append(.trace(.key(key.name)))
        state.pointer.leave()
        effects += state.focus(true, now: now) + state.handle(key, now: now)
    case .paste(let text): state.paste(text)
    case .mouse(let mouse):
        if let name = mouse.traceName { effects.append(.trace(.key(name))) }
        effects += state.handle(mouse, now: now)
    case .focus(let isThere): effects += state.focus(isThere, now: now)
    case .resized(let size): effects += state.resize(to: size, now: now)
    case .tick: break
    case .feed(let items, let title):
        state.feed.arrive()
        state.reactions.startCounting(hasOwn: state.feedCountsReactions)
        effects += state.closeGrid() + state.replace(items, title: FeedView.title(title), now: now)
        if items.count == 0 { state.toasts.allowRemarks(from: now) }
    case .cachedFeed(let age): state.feed.readAt = age.map { now - $0 }
    case .part(let part, let items):
        state.feed.lacksMore = false
        effects += state.opened(part, items, now: now)
    case .wholeFeed(let items, let title, let index):
        state.feed.lacksMore = false
        effects += state.closedPart(items, title: title, at: index, now: now)
    case .place(let place, let items, let title, let index):
        effects += state.arrived(at: place, items, title: title, index: index, now: now)
    case .placeUnavailable(let place, let why): state.failed(place, why: state.namingServers(in: why), now: now)
    case .places(let all):
        state.feed.places.change(all)
        // A place that was turned on has its count, too.
        if state.view.sheet == .places { effects.append(.readPlaces) }
    case .placeList(let list): state.feed.placeList = list
    case .reasons(let reasons): state.feed.reasons.merge(reasons) { $1 }
    case .more(let items):
        state.feed.lacksMore = false
        effects += state.grow(to: items)
    case .changed(let items, let hasLost): effects += state.change(to: items, hasLost: hasLost, now: now)
    case .hidden(let rules, let configured): state.renewHidden(rules, configured: configured)
    case .visible(let list, let index): effects += state.renewVisible(list, at: index, now: now)
    case .moreFailed: state.feed.lacksMore = true
    case .player(let item, let report):
        effects += state.receive(report, of: item, now: now)
    case .avatars(let addresses): state.feed.avatars = addresses
    case .seekStill(let item, let size): state.pointer.note(SeekStill(item: item, size: size))
    case .notice(let text, let kind):
        state.toasts.show(CleanText.line(state.namingServers(in: text), limit: 300), as: kind, now: now)
    case .linkNotice(let words, let link, let kind):
        // What could not be copied is to be copied by hand.
        let isWhole = kind == .failure || state.options.isPlain
        let text =
            isWhole ? CleanText.line("\(words): \(link)", limit: 2_000) : state.notice(words, link: link)
        state.toasts.show(text, as: kind, isWhole: isWhole, now: now)
    case .openedElsewhere(let address):
        effects += state.openedElsewhere(address, now: now)
    case .remembered(let reactions, let follows):
        state.reactions.recall(reactions, follows: follows, areCounted: state.feedCountsReactions)
    case .reactionRefused(let item, let before, let why):
        state.takeBack(item, to: before, why: state.namingServers(in: why), now: now)
    case .followRefused(let creator, let before, let why):
        state.takeBack(follow: creator, to: before, why: state.namingServers(in: why), now: now)
    case .undelivered(let item, let action): state.keepForLater(Outbox.Act(item: item, action: action), now: now)
    case .delivered(let item, let action): state.reactions.outbox.settle(Outbox.Act(item: item, action: action))
    case .service(let takesComments, let abilities, let address):
        (state.feed.abilities, state.feed.address) = (abilities, address)
        effects += state.setService(takesComments: takesComments, now: now)
    case .comments(let item, let cursor, let page): state.receive(page, after: cursor, of: item)
    case .commentsUnavailable(let item, let why): state.discussion[item].fail(state.namingServers(in: why))
    case .commentSent(let item, let local, let comment): state.confirm(local, of: item, as: comment, now: now)
    case .commentRefused(let item, let local, let why):
        state.refuse(local, of: item, why: state.namingServers(in: why), now: now)
    case .commentLikes(let item, let comment, let likes): state.discussion[item].setLikes(of: comment, likes)
    case .commentChangeRefused(let item, let comment, let act, let why):
        state.takeBack(act, of: comment, on: item, why: state.namingServers(in: why), now: now)
    case .deletionRefused(let item, let deletes, let why):
        effects += state.takeBack(deletion: deletes, of: item, why: state.namingServers(in: why), now: now)
    case .captions(let item, let index, let cues):
        state.receive(cues, ofCaptions: index, of: item, now: now)
    case .captionsUnavailable(let item, let index, let why):
        state.fail(index, of: item, why: why.map { state.namingServers(in: $0) }, now: now)
    case .chapters(let item, let chapters): state.clips[item]?.linkedChapters = chapters
    case .saving(let item, let bytes, let length): state.saving(item, bytes: bytes, of: length, now: now)
    case .savingEnded(let item): state.playback.saving.remove(item)
    case .external(let command): effects += state.perform(command, now: now)
    case .resumed:
        state.questions.page += 1
        state.playback.lacksFocus = false
        effects.append(.redraw)
        effects += state.letGo(now: now)
        if !state.isPaused { effects += state.onCurrent { .play($0) } }
    }
    return state.withoutHidden(effects + state.advance(to: now))
}

extension State {
    /// Handles the passing of time.
    mutating func advance(to now: Duration) -> [Effect] {
        var effects: [Effect] = []
        if pager.advance(to: now) { effects += settled(now: now) }
        if pager.isMoving { prepareContents() }
        if let playAt = playback.playAt, now >= playAt || !pager.isMoving { effects += playCurrent() }
        if pointer.clicks.single(now: now) != nil { effects += tap(now: now) }
        pointer.rest(at: now)
        if let point = pointer.takeLongPress(now: now) {
            effects += perform(.menu, by: .pointer(at: point), now: now)
        }
        if seeking.scrub?.isDue(now: now) == true { effects += commitScrub(now: now) }
        if seeking.isShown { seeking.advance(to: now, isWaiting: clip.wait != nil) }
        playback.hidePop(at: now)
        reactions.hideBurst(at: now)
        view.hideHint(at: now)
        if playback.sleep.advance(to: now) { effects += fallAsleep(now: now) }
        effects += advancePastEndless(now: now)
        advanceFilter()
        prepareCaption()
        effects += prepareComments() + prepareSubtitles() + prepareChapters()
        toasts.advance(to: now)
        updateLoading(now: now)
        announceLatePart(now: now)
        return effects + peek() + askForTiles()
    }

    /// A page that is pulled into view plays early from this share of it on.
    static let peekShare = 0.3

    private mutating func peek() -> [Effect] {
        let distance = pager.position - Double(current)
        var wanted: Item.ID?
        if pager.isDragging, abs(distance) >= Self.peekShare {
            let index = current + (distance > 0 ? 1 : -1)
            if index >= 0, index < items.count {
                let id = content(of: index).item.id
                if clips[id]?.facts?.hasVideo == true { wanted = id }
            }
        }
        return playback.peek(at: wanted) ? [.peek(wanted)] : []
    }

    private mutating func updateLoading(now: Duration) {
        loading.update(
            clip, isExpected: items.count > 0 && !isCovered, wantsPlay: playback.wantsPlay, now: now)
    }

    /// A drag of a page or of the scrubber continues, at the page's old height until the move ends.
    fileprivate mutating func resize(to size: GridSize, now: Duration) -> [Effect] {
        self.size = size
        pager.resize(rows: size.rows)
        pointer.dropClick()
        // Without a page mouse events are ignored, so the release would be lost.
        return isTooSmall ? letGo(now: now) : []
    }

    /// Opens the items around the current page. Drops what is known of other items, except failures nearby.
    mutating func keepWarm() -> Effect {
        let ahead = (1...max(options.warmAhead, 1)).map { current + $0 }
        let behind = (1...max(options.warmBehind, 1)).map { current - $0 }
        let pages = ([current] + ahead + behind).filter { $0 >= 0 && $0 < items.count }
        let near = (current - Self.failureReach)...(current + Self.failureReach)
        var kept = clips.filter { $0.value.failure != nil && near.contains($0.value.page) }
        var wanted: [Item.ID] = []
        for page in pages {
            let id = contents[page]?.item.id ?? items[page].id
            guard !wanted.contains(id) else { continue }
            wanted.append(id)
            kept[id] = clips[id] ?? Clip()
            kept[id]?.page = page
        }
        clips = kept
        return .keepWarm(wanted)
    }

    /// Plays the current item, unless the user has paused it, and opens those around it.
    mutating func playCurrent() -> [Effect] {
        playback.endPassing()
        let warm = keepWarm()
        return (isPaused ? [] : onCurrent { .play($0) }) + [warm]
    }

    /// An effect on the current item; none while the feed is empty.
    func onCurrent(_ effect: (Item.ID) -> Effect) -> [Effect] { currentID.map { [effect($0)] } ?? [] }

    /// The feed has committed to `pager.target`, which becomes the current page.
    ///
    /// - Parameter isPassing: pages slid already when the key came, so another may follow. Nothing plays then but a
    ///   clip that is open; any other waits for `Playback.playAt`, because a decoder for every page that passes would
    ///   be started only to be killed.
    mutating func commit(isPassing: Bool = false, now: Duration) -> [Effect] {
        let from = current
        guard pager.target != from else { return [] }
        endScrub()
        pager.commit()
        let left = contents[from]?.item.id
        if let left {
            clips[left]?.isPlaying = false
            clips[left]?.wasStopped = false
        }
        arrive(now: now)
        let turned = Effect.trace(.page(item: contents[current]?.item.id, from: from, to: current))
        guard isPassing, !clip.isOpen else { return [turned] + playCurrent() }
        let hadPlayer = playback.pass(now: now)
        return [turned] + (hadPlayer ? left.map { [.pause($0)] } ?? [] : [])
    }

    /// Resets what belongs to a single page, because a new one begins.
    mutating func arrive(now: Duration) {
        prepareContents()
        leaveField()
        toasts.dropClip()
        playback.arrive()
        view.arrive()
        seeking.leave()
        reactions.dropBurst()
        if let currentID {
            clips[currentID]?.wasStopped = false
            clips[currentID]?.hasEnded = false
        }
        let clip = self.clip
        loading.arrive(isComing: !clip.isRendering && clip.failure == nil && !isCovered, now: now)
    }

    /// Failed clips are remembered up to this many pages away, as a feed can have any number of them.
    static let failureReach = 100

    mutating func settled(now: Duration) -> [Effect] {
        prepareContents()
        return [.trace(.settled(item: content?.item.id, index: pager.target))]
    }

    /// Whether the user may leave the page now; the readiness gate may be on, and show that it refuses.
    mutating func passesGate(now: Duration) -> Bool {
        let isReady = clip.isRendering || clip.failure != nil || isCovered || (clip.isSoundOnly && clip.isPlaying)
        return loading.passesGate(isReady: !options.hasGate || isReady, now: now)
    }

    /// Pages by `pages`, as a swipe would.
    mutating func page(by pages: Int, now: Duration) -> [Effect] {
        guard items.count > 0, passesGate(now: now) else { return [] }
        let isPassing = pager.isSliding(at: now)
        guard pager.step(by: pages, now: now) else {
            guard !isPassing, !pager.isDragging else { return [] }
            if pages > 0, feed.lacksMore {
                toasts.show("Couldn't load more clips; retrying", as: .failure, now: now)
                return [.loadMore]
            }
            toasts.show(pages > 0 ? "This is the last clip" : "This is the first clip", now: now)
            return []
        }
        return moved(isPassing: isPassing, now: now)
    }

    /// Pages by a notch of the wheel, if it counts.
    mutating func wheel(by pages: Int, now: Duration) -> [Effect] {
        guard pointer.takesNotch(pages, now: now), pager.takesNotch(towards: pages) else { return [] }
        return page(by: pages, now: now)
    }

    mutating func jump(to index: Int, now: Duration) -> [Effect] {
        guard passesGate(now: now) else { return [] }
        guard pager.jump(to: index) else {
            if options.isPlain { questions.page += 1 }
            return []
        }
        return commit(now: now) + settled(now: now)
    }

    /// After a step or the end of a drag: commits the page, and ends the slide at once under reduced motion.
    mutating func moved(isPassing: Bool = false, now: Duration) -> [Effect] {
        guard options.reducedMotion else { return commit(isPassing: isPassing, now: now) }
        pager.settle(at: pager.target)
        return commit(now: now) + settled(now: now)
    }

    /// The feed has more items at its end. Nothing visible changes, also while pages move.
    fileprivate mutating func grow(to list: any ItemList & Sendable) -> [Effect] {
        guard list.count >= items.count, items.count > 0 else { return [] }
        feed.items = list
        pager.replace(count: list.count, watching: pager.target)
        prepareContents()
        return [keepWarm()]
    }

    /// Files came or went.
    fileprivate mutating func change(to list: any ItemList & Sendable, hasLost: Bool, now: Duration) -> [Effect] {
        guard hasLost || items.count == 0 else { return grow(to: list) }
        return replace(list, title: feed.title, now: now)
    }

    /// The feed has a new list of items; the current item stays in view.
    ///
    /// - Parameter index: of the item to show in its place; nil: wherever the current item is now.
    mutating func replace(
        _ list: any ItemList & Sendable, title: GlyphLine, at index: Int? = nil, now: Duration
    ) -> [Effect] {
        let watched = items.count > 0 ? content(of: current).item.id : nil
        let was = current
        (feed.items, feed.title) = (list, title)
        contents = [:]
        typing?.filter?.startOver()
        discussion.forgetCounts()
        guard list.count > 0 else {
            leaveField()
            if view.sheet == .comments { view.close() }
            clips = [:]
            pager.replace(count: 0, watching: 0)
            pager.commit()
            playback.endPassing()
            return watched.map { [.pause($0), .keepWarm([])] } ?? []
        }
        guard let watched else {
            pager = Pager(count: list.count, at: index ?? options.startIndex, rows: size.rows)
            pager.commit()
            return begin(&self, now: now)
        }
        let wanted = index.map { min($0, list.count - 1) }
        let isThere = wanted.map { list.id(at: $0) == watched }
        guard let index = isThere == nil ? list.index(of: watched, near: was) : isThere == true ? wanted : nil else {
            pager.replace(count: list.count, watching: wanted ?? min(was, list.count - 1))
            pager.commit()
            clips = [:]
            arrive(now: now)
            return playCurrent()
        }
        pager.replace(count: list.count, watching: index)
        pager.commit()
        if index != was { seeking.dropScrub() }
        moveClips(by: index - was)
        prepareContents()
        let warm = keepWarm()
        return (index == was || isPaused ? [] : onCurrent { .play($0) }) + [warm]
    }

    /// The list has changed. What is known of items that moved by the same distance as the current one stays known.
    private mutating func moveClips(by distance: Int) {
        for (id, clip) in clips {
            let page = clip.page + distance
            if page >= 0, page < items.count, items.id(at: page) == id {
                clips[id]?.page = page
            } else {
                clips[id] = nil
            }
        }
    }
}
