import Model
import TerminalInput

extension State {
    /// A press alone decides nothing: the events after it tell a click, a long press, a swipe and a scrub apart. Each
    /// ends in an `Action`, except while the pointer drags a page or the scrubber.
    mutating func handle(_ mouse: Mouse, now: Duration) -> [Effect] {
        guard !isTooSmall, items.count > 0 else { return [] }
        if typing != nil { return point(mouse, now: now) }
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
        case .press(.middle), .release: return []
        }
    }

    private mutating func press(at point: GridPoint, now: Duration) -> [Effect] {
        // The last release may have happened outside the terminal window.
        let effects = letGo(now: now)
        pointer.press(at: point, now: now)
        guard view.sheet == nil, clip.failure == nil else { return effects }
        let layout = PageLayout(self, index: current)
        if layout.scrubberHit.contains(point) {
            pointer.decide(.scrubbing)
            return effects + scrub(toShare: layout.share(at: point), now: now)
        }
        return effects
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

    /// A click on a button acts at once. Elsewhere the click waits for a second one.
    private mutating func click(at point: GridPoint, now: Duration) -> [Effect] {
        if view.sheet != nil { return clickInSheet(at: point, now: now) }
        if let keyHintFrame, keyHintFrame.contains(point) { return perform(.help, by: .button, now: now) }
        if toast(now: now)?.frame.contains(point) != true, let effects = clickTarget(at: point, now: now) {
            return effects
        }
        // A click that was meant for something else reveals nothing, and a hidden item cannot be liked.
        if isHidden { return revealFrame?.contains(point) == true ? perform(.retry, by: .button, now: now) : [] }
        if clip.failure != nil { return perform(.retry, by: .button, now: now) }
        guard pointer.clicks.click(at: point, now: now) else { return [] }
        return perform(.like, by: .doubleClick(at: point), now: now)
    }

    /// A click on something of the page that acts by itself; nil if there is nothing of that kind at the point.
    private mutating func clickTarget(at point: GridPoint, now: Duration) -> [Effect]? {
        let layout = PageLayout(self, index: current)
        if clickChipMark(at: point) { return [] }
        if let content, let chip = layout.chipRow(content.tags)?.chips.first(where: { $0.frame.contains(point) }) {
            return open(.topic(content.topics[chip.index]), now: now)
        }
        if menuFrame.contains(point) { return perform(.menu, by: .button, now: now) }
        if let place = place(at: point, now: now) { return open(place) }
        let drawn = drawnWords(layout, now: now)
        if let button = layout.button(at: point, besides: drawn) {
            return perform(button.action, by: .button, now: now)
        }
        if layout.name.contains(point) || layout.avatar?.contains(point) == true,
            content.flatMap({ FeedPart.maker(of: $0.item) }) != nil
        {
            return perform(.creator, by: .button, now: now)
        }
        // The menu's margin, beside it in the top row and below.
        guard menuFrame.grown(by: 1).contains(point), !drawn.contains(where: { $0.contains(point) }) else { return nil }
        return perform(.menu, by: .button, now: now)
    }

    /// Temporary words on the page that are not part of its layout.
    private func drawnWords(_ layout: PageLayout, now: Duration) -> [GridRect] {
        guard let item = content?.item else { return [] }
        let loading = LoadingPlace(self, layout, now: now)
        return (words(of: item, clip, above: layout.text.row)?.frames ?? [])
            + [loading?.dots, loading?.words?.frame, setSubtitle(layout, now: now)?.frame].compactMap(\.self)
    }

    private mutating func clickInSheet(at point: GridPoint, now: Duration) -> [Effect] {
        let layout = SheetLayout(self)
        guard layout.frame.contains(point) else { return perform(.close, by: .button, now: now) }
        if layout.footerFrame?.contains(point) == true {
            return perform(view.sheet == .comments && feed.takesComments ? .message : .close, by: .button, now: now)
        }
        if view.sheet == .caption { return openLink(layout.link(at: point)) }
        guard let entry = layout.entry(at: point) else { return [] }
        if view.sheet == .comments {
            chooseComment(entry, in: layout)
            return []
        }
        view.go(to: entry)
        return perform(.choose, by: .button, now: now)
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
    /// The mouse input's name in the trace; nil for drags, which arrive with every cell of movement.
    var traceName: String? {
        switch action {
        case .press(.left): "mouse-left"
        case .press(.middle): "mouse-middle"
        case .press(.right): "mouse-right"
        case .wheelUp: "wheel-up"
        case .wheelDown: "wheel-down"
        case .wheelLeft: "wheel-left"
        case .wheelRight: "wheel-right"
        case .release, .drag: nil
        }
    }
}
