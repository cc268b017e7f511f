import Model
import TerminalInput

extension State {
    /// A press alone decides nothing: the events after it distinguish a click, a long press, a swipe and a scrub. Each
    /// ends in an `Action`, except while the pointer drags a page or the scrubber.
    mutating func handle(_ mouse: Mouse, now: Duration) -> [Effect] {
        guard !isTooSmall else { return [] }
        if mouse.action == .move {
            hover(at: mouse.at, now: now)
            let effects = lookAhead()
            if effects.isEmpty { pointer.dropStill() }
            return effects
        }
        if typing != nil { return point(mouse, now: now) }
        if items.count == 0 { return pointWithoutPage(mouse, now: now) }
        if feed.grid != nil, view.sheet == nil { return pointInGrid(mouse, now: now) }
        if let step = mouse.action.wheelStep, scrollableChips(at: mouse.at) != nil {
            scrollChips(by: step)
            return []
        }
        switch mouse.action {
        // Where nothing scrolls sideways, that means nothing.
        case .wheelLeft, .wheelRight: return []
        case .wheelDown: return perform(view.sheet == nil ? .next : .scrollDown, by: .wheel, now: now)
        case .wheelUp: return perform(view.sheet == nil ? .previous : .scrollUp, by: .wheel, now: now)
        case .press(.left): return press(at: mouse.at, now: now)
        case .press(.right): return perform(.menu, by: .pointer(at: mouse.at), now: now)
        case .drag: return drag(to: mouse.at, now: now)
        case .release(.left): return release(at: mouse.at, now: now)
        case .press(.middle), .release, .move: return []
        }
    }

    /// The pointer may be on the scrubber: the still of the place there, where that needs no traffic.
    private func lookAhead() -> [Effect] {
        guard pointer.hover != nil, items.count > 0, options.showsAvatars, let content, let duration = clip.duration,
            !clip.isSoundOnly, !covers(content.item),
            // A still of a stream would be read from another variant than the one that is cached.
            content.item.isFile || (clip.facts?.variants ?? []).count < 2,
            let share = hoveredShare(PageLayout(self, index: current)),
            content.item.isFile || clip.cached.contains(where: { $0.contains(share) })
        else { return [] }
        return [.makeSeekStill(content.item.id, at: duration * share)]
    }

    /// On an empty place only sheets and the names of the places take clicks.
    private mutating func pointWithoutPage(_ mouse: Mouse, now: Duration) -> [Effect] {
        switch mouse.action {
        case .wheelDown, .wheelUp:
            return view.sheet == nil ? [] : scrollSheet(by: mouse.action == .wheelDown ? 1 : -1)
        case .press(.left):
            if let target = target(at: mouse.at, now: now) { return act(on: target, now: now) }
            let isOutside = view.sheet != nil && !SheetLayout(self).frame.contains(mouse.at)
            return isOutside ? perform(.close, by: .button, now: now) : []
        default: return []
        }
    }

    private mutating func press(at point: GridPoint, now: Duration) -> [Effect] {
        // The last release may have happened outside the terminal window.
        let effects = letGo(now: now)
        pointer.press(at: point, now: now)
        guard case .scrubber = target(at: point, now: now) else { return effects }
        pointer.decide(.scrubbing)
        return effects + scrub(toShare: PageLayout(self, index: current).share(at: point), now: now)
    }

    /// Ends a drag where it is: the button was released, or its release was lost.
    mutating func letGo(now: Duration) -> [Effect] {
        defer { pointer.release() }
        switch pointer.press?.purpose {
        case .scrubbing: return commitScrub(now: now)
        case .paging:
            pager.endDrag(now: now)
            return commit(now: now)
        case .undecided, .done, nil: return []
        }
    }

    private mutating func drag(to point: GridPoint, now: Duration) -> [Effect] {
        pointer.move(to: point)
        guard let press = pointer.press else { return [] }
        switch press.purpose {
        case .done: return []
        case .scrubbing:
            return scrub(toShare: PageLayout(self, index: current).share(at: point), now: now)
        case .paging:
            pager.drag(to: point.row, now: now)
            prepareContents()
        case .undecided:
            guard view.sheet == nil, abs(point.row - press.start.row) >= 1 else { return [] }
            guard !options.reducedMotion else { return [] }
            guard passesGate(now: now) else {
                pointer.decide(.done)
                return []
            }
            pointer.decide(.paging)
            pager.beginDrag(row: press.start.row, now: now)
            pager.drag(to: point.row, now: now)
            prepareContents()
        }
        return []
    }

    private mutating func release(at point: GridPoint, now: Duration) -> [Effect] {
        guard let press = pointer.press else { return [] }
        let isPulled = pager.isPulledToRefresh
        let effects = letGo(now: now)
        if isPulled { return effects + refresh(now: now) }
        return press.purpose == .undecided ? end(press, at: point, now: now) : effects
    }

    /// Ends a press that became neither a drag nor a long press. It is a click if the pointer did not move. Some
    /// terminals report no motion; there a swipe turns the page when it ends.
    private mutating func end(_ press: Pointer.Press, at point: GridPoint, now: Duration) -> [Effect] {
        let rows = point.row - press.start.row
        if view.sheet == nil, options.reducedMotion, abs(rows) >= 2 {
            let pull = Double(rows) / Double(pager.rows)
            if pager.target == 0, pull >= Pager.refreshPull { return refresh(now: now) }
            return perform(rows < 0 ? .next : .previous, now: now)
        }
        return press.isNear(point) ? click(at: point, now: now) : []
    }

    /// A click on something that acts by itself does that at once. Elsewhere it waits for a second one.
    private mutating func click(at point: GridPoint, now: Duration) -> [Effect] {
        if let target = target(at: point, now: now) { return act(on: target, now: now) }
        if let sheet = view.sheet.map({ _ in SheetLayout(self) }) {
            return sheet.frame.contains(point) ? [] : perform(.close, by: .button, now: now)
        }
        // A click that was meant for something else reveals nothing, and a hidden item cannot be liked.
        if isCovered { return [] }
        if clip.failure != nil { return perform(.retry, by: .button, now: now) }
        guard pointer.clicks.click(at: point, now: now) else { return [] }
        return perform(.like, by: .doubleClick(at: point), now: now)
    }

    /// Does what a click on the target does.
    mutating func act(on target: PointerTarget, now: Duration) -> [Effect] {
        switch target {
        case .keyHint: return feed.grid == nil ? perform(.help, by: .button, now: now) : open(.help)
        case .menu: return perform(.menu, by: .button, now: now)
        case .button(let button): return perform(button.action, by: .button, now: now)
        case .creator: return perform(.creator, by: .button, now: now)
        case .reveal: return perform(.retry, by: .button, now: now)
        case .place(let place): return open(place)
        case .topic(let index): return content.map { open(.topic($0.topics[index]), now: now) } ?? []
        case .moreTopics(let step): scrollChips(by: step)
        // The press has begun to scrub.
        case .scrubber: break
        case .entry(let entry): return choose(entry, now: now)
        case .link(let link) where view.sheet == .comments:
            chooseComment(link, in: SheetLayout(self))
            return likeComment(link, now: now)
        case .link(let link): return openLink(link)
        case .footer:
            return perform(view.sheet == .comments && acceptsComments ? .message : .close, by: .button, now: now)
        case .send: return submit(now: now)
        case .tile(let index):
            feed.grid?.chosen = index
            return openChosenTile(now: now)
        case .play: return performInGrid(.choose, now: now)
        case .back: return performInGrid(.close, now: now)
        }
        return []
    }

    /// A line of the open sheet.
    private mutating func choose(_ entry: Int, now: Duration) -> [Effect] {
        switch view.sheet {
        case .comments:
            chooseComment(entry, in: SheetLayout(self))
            return []
        case .filter:
            typing?.filter?.chosen = entry
            return goToChosen(now: now)
        default:
            view.go(to: entry)
            return perform(.choose, by: .button, now: now)
        }
    }

    /// A single click, once no second one followed.
    mutating func tap(now: Duration) -> [Effect] {
        view.sheet == nil && typing == nil ? perform(.pause, by: .button, now: now) : []
    }
}

extension PageLayout.Button {
    /// The action of a click on the button.
    var action: Action {
        switch self {
        case .like: .like
        case .dislike: .dislike
        case .comments: .comments
        case .message: .message
        case .save: .save
        case .share: .copyLink
        case .trust: .trust
        case .follow: .follow
        case .caption: .caption
        }
    }
}

extension Mouse.Action {
    /// A notch of the wheel, as a step forward or back; nil for anything else.
    fileprivate var wheelStep: Int? {
        switch self {
        case .wheelDown, .wheelRight: 1
        case .wheelUp, .wheelLeft: -1
        default: nil
        }
    }
}

extension Mouse {
    /// The mouse input's name in the trace; nil for movements, of which each cell has one.
    var traceName: String? {
        switch action {
        case .press(.left): "mouse-left"
        case .press(.middle): "mouse-middle"
        case .press(.right): "mouse-right"
        case .wheelUp: "wheel-up"
        case .wheelDown: "wheel-down"
        case .wheelLeft: "wheel-left"
        case .wheelRight: "wheel-right"
        case .release, .drag, .move: nil
        }
    }
}
