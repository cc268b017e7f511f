import Model

extension State {
    /// Takes a key. Every key acts at once; a sheet takes the ones that move in it first.
    mutating func take(_ key: Key, now: Duration) -> [Effect] {
        if let effects = takeAlways(key, now: now) { return effects }
        if isTooSmall { return [] }
        if sheet != nil, let effects = takeInSheet(key, now: now) { return effects }
        if items.count == 0 { return key == .character("r") ? [.refresh] : takeWithoutItem(key, now: now) }
        if let failure = clip.failure, !failure.isEmpty, key == .enter || key == .character("r") {
            return retry(now: now)
        }
        if let effects = takeMove(key, now: now) { return effects }
        if let effects = takeTransport(key, now: now) { return effects }
        if let effects = takeReaction(key, now: now) { return effects }
        return takeWithoutItem(key, now: now)
    }

    /// What works however small the terminal is.
    private func takeAlways(_ key: Key, now: Duration) -> [Effect]? {
        switch key {
        case .character("q"), .control("c"): [.quit]
        case .control("z"): onCurrent { .pause($0) } + [.suspend]
        case .control("l"): [.redraw]
        default: nil
        }
    }

    private mutating func takeMove(_ key: Key, now: Duration) -> [Effect]? {
        switch key {
        case .down, .character("j"), .pageDown: return page(by: 1, now: now)
        case .up, .character("k"), .pageUp: return page(by: -1, now: now)
        case .character("g"), .home: return jump(to: 0, now: now)
        case .character("G"), .end: return jump(to: items.count - 1, now: now)
        default: return nil
        }
    }

    private mutating func takeTransport(_ key: Key, now: Duration) -> [Effect]? {
        switch key {
        case .character(" "): return togglePlay(now: now)
        case .left: return scrub(by: .zero - options.seekStep, now: now)
        case .right: return scrub(by: options.seekStep, now: now)
        case .shiftLeft: return scrub(by: .seconds(-1), now: now)
        case .shiftRight: return scrub(by: .seconds(1), now: now)
        case .altLeft: return scrub(by: .seconds(-30), now: now)
        case .altRight: return scrub(by: .seconds(30), now: now)
        case .character(let digit) where digit.isASCII && digit.isWholeNumber:
            return seek(toTenth: digit.wholeNumberValue ?? 0, now: now)
        case .character(","): return step(by: -1, now: now)
        case .character("."): return step(by: 1, now: now)
        case .character("["): return setSpeed(speed - (speed > 2 ? 0.5 : 0.25), now: now)
        case .character("]"): return setSpeed(speed + (speed >= 2 ? 0.5 : 0.25), now: now)
        case .backspace: return setSpeed(1, now: now)
        default: return nil
        }
    }

    private mutating func takeReaction(_ key: Key, now: Duration) -> [Effect]? {
        switch key {
        case .character("l"): return like(toggling: true, at: nil, now: now)
        case .character("d"): return dislike(now: now)
        case .character("s"): return save(now: now)
        case .character("y"): return share(now: now)
        case .character("f"): return follow(now: now)
        case .character("c"): return open(.comments)
        case .character("T"): return open(.trust)
        case .character("M"): return open(.menu)
        case .character("e"): return expand()
        case .character("o"): return openElsewhere(now: now)
        default: return nil
        }
    }

    /// Keys that need no item.
    private mutating func takeWithoutItem(_ key: Key, now: Duration) -> [Effect] {
        switch key {
        case .character("m"): return mute(!isMuted, now: now)
        case .character("-"): return setVolume(volume - 0.05, now: now)
        case .character("="), .character("+"): return setVolume(volume + 0.05, now: now)
        case .character("z"):
            fit = fit == .fill ? .fit : .fill
            toasts.show(fit == .fill ? "fill the page" : "show the whole picture", kind: "fit", now: now)
            return [.setFit(fit)]
        case .character("A"):
            autoAdvances.toggle()
            toasts.show(autoAdvances ? "auto-advance on" : "auto-advance off", kind: "auto", now: now)
            return [.setLoop(options.loop && !autoAdvances)]
        case .character("r"):
            toasts.show("refreshing", now: now)
            return [.refresh]
        case .character("?"): return open(.help)
        case .character("I"): return open(.diagnostics)
        case .escape:
            isExpanded = false
            captionLine = 0
            return []
        default: return []
        }
    }

    /// Keys while a sheet lies over the page; nil for those that go on to the page.
    private mutating func takeInSheet(_ key: Key, now: Duration) -> [Effect]? {
        guard let sheet else { return nil }
        switch key {
        case .escape: self.sheet = nil
        case .character(let character) where character == sheet.key: self.sheet = nil
        case .up, .character("k"): sheetLine = max(sheetLine - 1, 0)
        case .down, .character("j"): sheetLine = min(sheetLine + 1, lastSheetLine)
        case .pageUp: sheetLine = max(sheetLine - 8, 0)
        case .pageDown: sheetLine = min(sheetLine + 8, lastSheetLine)
        case .enter where sheet == .menu:
            let entry = MenuEntry.allCases[min(sheetLine, MenuEntry.allCases.count - 1)]
            self.sheet = nil
            return take(entry.key, now: now)
        case .enter: self.sheet = nil
        default: return nil
        }
        return []
    }

    private var lastSheetLine: Int {
        sheet == .menu ? MenuEntry.allCases.count - 1 : max(sheetLines().count - 1, 0)
    }

    /// Opens a sheet, or closes it if it is open already.
    mutating func open(_ wanted: Sheet) -> [Effect] {
        sheet = sheet == wanted ? nil : wanted
        sheetLine = 0
        return []
    }
}

extension State.Sheet {
    /// The key that opens and closes it.
    var key: Character {
        switch self {
        case .help: "?"
        case .trust: "T"
        case .diagnostics: "I"
        case .menu: "M"
        case .comments: "c"
        }
    }
}

/// What the item's menu offers: each does what its key does.
enum MenuEntry: CaseIterable {
    case like, dislike, comments, save, share, follow, openElsewhere, trust, diagnostics, help

    var key: Key {
        switch self {
        case .like: .character("l")
        case .dislike: .character("d")
        case .comments: .character("c")
        case .save: .character("s")
        case .share: .character("y")
        case .follow: .character("f")
        case .openElsewhere: .character("o")
        case .trust: .character("T")
        case .diagnostics: .character("I")
        case .help: .character("?")
        }
    }

    var text: String {
        switch self {
        case .like: "Like"
        case .dislike: "Dislike"
        case .comments: "Comments"
        case .save: "Save"
        case .share: "Copy the link"
        case .follow: "Follow"
        case .openElsewhere: "Open elsewhere"
        case .trust: "Why this trust"
        case .diagnostics: "Diagnostics"
        case .help: "All keys"
        }
    }
}

extension Key {
    /// The key's name in the trace, and in a config.
    var name: String {
        switch self {
        case .character(" "): "space"
        case .character(let character): CleanText.line(String(character), limit: 8)
        case .up: "up"
        case .down: "down"
        case .left: "left"
        case .right: "right"
        case .shiftLeft: "shift-left"
        case .shiftRight: "shift-right"
        case .altLeft: "alt-left"
        case .altRight: "alt-right"
        case .pageUp: "pgup"
        case .pageDown: "pgdn"
        case .home: "home"
        case .end: "end"
        case .enter: "enter"
        case .escape: "esc"
        case .backspace: "backspace"
        case .tab: "tab"
        case .delete: "delete"
        case .control(let character): "ctrl-" + CleanText.line(String(character), limit: 8)
        }
    }
}
