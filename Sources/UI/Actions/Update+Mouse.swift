import Model

extension State {
    /// Takes what the pointer did. A press decides nothing yet: what follows tells a click, a hold, a swipe and a scrub apart.
    mutating func take(_ mouse: Mouse, now: Duration) -> [Effect] {
        guard !isTooSmall, items.count > 0 else { return [] }
        switch mouse.action {
        case .wheelDown: return wheel(by: 1, now: now)
        case .wheelUp: return wheel(by: -1, now: now)
        case .press(.left): return press(at: mouse.at, now: now)
        case .press(.right): return open(.menu)
        case .drag: return drag(to: mouse.at, now: now)
        case .release(.left): return release(at: mouse.at, now: now)
        case .press(.middle), .release: return []
        }
    }

    private mutating func wheel(by pages: Int, now: Duration) -> [Effect] {
        if sheet != nil { return take(pages > 0 ? .down : .up, now: now) }
        // A notch is a swipe; a wheel that spins sends many, so the next one counts only when the page is more than half there.
        return page(by: pages, lead: 1.5, now: now)
    }

    private mutating func press(at point: GridPoint, now: Duration) -> [Effect] {
        // The last release may have been outside of the terminal.
        let effects = letGo(now: now)
        pointer = Pointer(start: point, since: now)
        guard sheet == nil, clip.failure == nil else { return effects }
        let layout = PageLayout(self, index: current)
        if layout.scrubberHit.contains(point) {
            pointer?.purpose = .scrubbing
            return effects + scrub(toShare: layout.share(at: point), now: now)
        }
        return effects
    }

    /// The button is up, or its release was lost: what it held comes to an end where it is.
    mutating func letGo(now: Duration) -> [Effect] {
        defer { pointer = nil }
        switch pointer?.purpose {
        case .scrubbing: return commitScrub(now: now)
        case .paging:
            pager.endDrag(now: now)
            return commit(now: now)
        case .undecided, .done, nil: return []
        }
    }

    private mutating func drag(to point: GridPoint, now: Duration) -> [Effect] {
        guard let pointer else { return [] }
        switch pointer.purpose {
        case .done: return []
        case .scrubbing:
            return scrub(toShare: PageLayout(self, index: current).share(at: point), now: now)
        case .paging:
            pager.drag(to: point.row, now: now)
            prepareContents()
        case .undecided:
            guard sheet == nil, abs(point.row - pointer.start.row) >= 1 else { return [] }
            guard !options.reducedMotion else { return [] }
            self.pointer?.purpose = .paging
            pager.beginDrag(row: pointer.start.row, now: now)
            pager.drag(to: point.row, now: now)
            prepareContents()
        }
        return []
    }

    private mutating func release(at point: GridPoint, now: Duration) -> [Effect] {
        guard let pointer else { return [] }
        let effects = letGo(now: now)
        return pointer.purpose == .undecided ? endPress(begunAt: pointer.start, at: point, now: now) : effects
    }

    /// A press that became neither a drag nor a hold: a click, if it stayed where it was. Without motion, a swipe turns the page at its end.
    private mutating func endPress(begunAt start: GridPoint, at point: GridPoint, now: Duration) -> [Effect] {
        let rows = point.row - start.row
        if sheet == nil, options.reducedMotion, abs(rows) >= 2 { return page(by: rows < 0 ? 1 : -1, now: now) }
        guard abs(rows) <= 1, abs(point.column - start.column) <= Clicks.reach else { return [] }
        return click(at: point, now: now)
    }

    /// Buttons act at once; elsewhere the click waits for a second one.
    private mutating func click(at point: GridPoint, now: Duration) -> [Effect] {
        if sheet != nil { return clickInSheet(at: point, now: now) }
        let layout = PageLayout(self, index: current)
        if let button = layout.button(at: point) { return press(button, now: now) }
        if clip.failure != nil { return retry(now: now) }
        guard clicks.click(at: point, now: now) else { return [] }
        return like(toggling: false, at: point, now: now)
    }

    private mutating func clickInSheet(at point: GridPoint, now: Duration) -> [Effect] {
        let layout = SheetLayout(self)
        guard layout.frame.contains(point) else {
            sheet = nil
            return []
        }
        let line = point.row - layout.body.row + layout.first
        guard sheet == .menu, layout.body.contains(point), line < MenuEntry.allCases.count else { return [] }
        sheetLine = line
        return take(.enter, now: now)
    }

    private mutating func press(_ button: PageLayout.Button, now: Duration) -> [Effect] {
        switch button {
        case .like: like(toggling: true, at: nil, now: now)
        case .dislike: dislike(now: now)
        case .comments: open(.comments)
        case .save: save(now: now)
        case .share: share(now: now)
        case .trust: open(.trust)
        case .follow: follow(now: now)
        case .caption: expand()
        }
    }

    /// A click that stayed alone.
    mutating func tap(at point: GridPoint, now: Duration) -> [Effect] {
        sheet == nil ? togglePlay(now: now) : []
    }
}

extension Mouse {
    /// The input's name in the trace; a drag has none, as it comes with every cell.
    var traceName: String? {
        switch action {
        case .press(.left): "mouse-left"
        case .press(.middle): "mouse-middle"
        case .press(.right): "mouse-right"
        case .wheelUp: "wheel-up"
        case .wheelDown: "wheel-down"
        case .release, .drag: nil
        }
    }
}
