import Model
import TerminalInput

/// While a text is typed, its field has the keys.
extension State {
    mutating func type(_ key: Key, now: Duration) -> [Effect] {
        guard let typing else { return [] }
        switch key {
        case .escape: return endTyping(now: now)
        case .enter: return submit(now: now)
        default: break
        }
        if typing.item == nil, let step = Typing.step(of: key) { return move(by: step.count, pages: step.isPage) }
        let width = BarLayout(self).body.columns
        if self.typing?.handle(key, width: width) == true {
            if typing.item == nil { view.go(to: 0) }
            return []
        }
        if key.base == .enter { return submit(now: now) }
        // What types nothing, and works wherever one is.
        if case .character = key.base, key.modifiers.isEmpty { return [] }
        switch options.keys.action(for: key, in: .page) {
        case .quit, .suspend, .redraw:
            return options.keys.action(for: key, in: .page).map { perform($0, now: now) } ?? []
        default: return []
        }
    }

    /// Moves in the list above the field.
    private mutating func move(by count: Int, pages: Bool) -> [Effect] {
        switch typing?.purpose {
        case .message: return scrollComments(by: count, pages: pages)
        case .filter: moveFilter(by: count, pages: pages)
        case .keys: return scrollSheet(by: count, pages: pages)
        case .hidden, .source, .report, nil: break
        }
        return []
    }

    /// What is pasted is text; where none is typed it means nothing.
    mutating func paste(_ text: String) {
        typing?.paste(text)
        if let typing, typing.item == nil { view.go(to: 0) }
    }

    mutating func submit(now: Duration) -> [Effect] {
        switch typing?.purpose {
        case .message: sendMessage(now: now)
        case .filter: goToChosen(now: now)
        case .hidden: hideTypedWords(now: now)
        case .source: addTypedSource(now: now)
        case .report: sendReport(now: now)
        case .keys: endTyping(now: now)
        case nil: []
        }
    }

    /// Closes the field. The text is saved as the item's draft, and the clip continues if it was playing.
    mutating func endTyping(now: Duration) -> [Effect] {
        let wasHeld = isHeld
        if typing?.filter != nil { view.close() }
        leaveField()
        return wasHeld && !isPaused ? onCurrent { .play($0) } : []
    }

    /// Closes the field without anything else.
    mutating func leaveField() {
        if let typing, case .message(let item, let parent) = typing.purpose {
            discussion.keepDraft(Draft(field: typing.field, parent: parent), of: item)
        }
        if typing?.filter != nil, view.sheet == .filter { view.close() }
        typing = nil
    }

    /// A click places the cursor, sends, or chooses from the sheet; beside all that it closes the field.
    mutating func point(_ mouse: Mouse, now: Duration) -> [Effect] {
        switch mouse.action {
        case .wheelDown, .wheelUp:
            let step = mouse.action == .wheelDown ? 1 : -1
            return view.sheet == nil ? [] : move(by: step, pages: false)
        case .press(.left): return press(at: mouse.at, now: now)
        default: return []
        }
    }

    private mutating func press(at point: GridPoint, now: Duration) -> [Effect] {
        guard let typing else { return [] }
        if let target = target(at: point, now: now) { return act(on: target, now: now) }
        let bar = BarLayout(self)
        if bar.frame.contains(point) {
            let place = GridPoint(column: point.column - bar.body.column, row: point.row - bar.body.row)
            self.typing?.field.place(at: typing.field.index(at: place, in: bar.window))
            return []
        }
        return view.sheet != nil && SheetLayout(self).frame.contains(point) ? [] : endTyping(now: now)
    }
}

/// Finding a clip among the loaded ones. The feed itself stays whole.
extension State {
    mutating func openFilter(now: Duration) -> [Effect] {
        guard items.count > 0 else { return [] }
        let effects = letGo(now: now) + commitScrub(now: now)
        guard items.count > 0 else { return effects }
        view.open(.filter)
        typing = Typing(.filter)
        return effects
    }

    /// The place of the chosen clip in the list: at first the current clip's while all are listed, else the first.
    var chosenMatch: Int {
        guard let filter = typing?.filter else { return 0 }
        return filter.chosen ?? (filter.isEmpty ? current : 0)
    }

    mutating func moveFilter(by count: Int, pages: Bool) {
        guard let filter = typing?.filter else { return }
        let step = pages ? max(SheetLayout(self).body.rows - 1, 1) : 1
        let chosen = min(max(chosenMatch + count * step, 0), max(filter.count(of: items.count) - 1, 0))
        typing?.filter?.chosen = chosen
    }

    /// Looks at some more items, and reads those that the list shows.
    mutating func advanceFilter() {
        guard typing?.filter != nil else { return }
        typing?.filter?.scan(feed.items)
        let chosen = chosenMatch
        typing?.filter?.prepare(feed.items, around: chosen, reach: SheetLayout.maxFound)
    }

    /// Goes to the chosen clip's page.
    mutating func goToChosen(now: Duration) -> [Effect] {
        guard let filter = typing?.filter, chosenMatch < filter.count(of: items.count) else { return [] }
        let index = filter.index(at: chosenMatch)
        leaveField()
        return index == pager.target ? [] : jump(to: index, now: now)
    }
}
