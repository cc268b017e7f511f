import Model

/// A line of the sheet "Not interested". A value.
enum HideChoice: Sendable, Equatable {
    case rule(HideRule)
    /// Words in titles, which are typed.
    case words
    /// The list of what is hidden.
    case list
}

extension State {
    /// The most topics of a clip that are offered.
    private static let maxTopics = 6

    /// What of the current clip can be hidden.
    var hideChoices: [HideChoice] {
        var choices: [HideChoice] = []
        if let item = content?.item {
            choices = [.rule(HideRule(clip: item))]
            if !item.own, let creator = HideRule(creatorOf: item) { choices.append(.rule(creator)) }
            let named = topics.isEmpty ? item.folder.map { [$0] } ?? [] : Array(topics.prefix(Self.maxTopics))
            choices += named.map { .rule(HideRule(.topic, value: $0)) }
            choices += [.rule(sourceRule(of: item)), .words]
        }
        if feed.places.current == .forYou { choices.append(.rule(HideRule(place: .forYou))) }
        return feed.hidden.isEmpty ? choices : choices + [.list]
    }

    /// By the feed's title, if the item is of the feed that is shown.
    private func sourceRule(of item: Item) -> HideRule {
        var rule = HideRule(sourceOf: item)
        let title = feed.places.current == .source ? feed.sourceName : feed.part == nil ? feed.title : GlyphLine()
        if let address = feed.address, item.feed == address, !title.isEmpty { rule.name = title.text }
        return rule
    }

    var hideEntries: [SheetEntry] {
        let dots = options.isASCII ? "..." : "…"
        return hideChoices.map { choice in
            switch choice {
            case .rule(let rule) where rule.kind == .clip: .choice("This clip", key: "")
            case .rule(let rule) where rule.kind == .place: .choice("Turn \(rule.name) off", key: "")
            case .rule(let rule): .choice(rule.words(isASCII: options.isASCII), key: "")
            case .words: .choice("Words in titles\(dots)", key: "")
            case .list:
                .choice("Everything you have hidden\(dots)", key: feed.hidden.count == 0 ? "" : "\(feed.hidden.count)")
            }
        }
    }

    /// What Enter does at the chosen line, for the sheet's lower edge.
    var hideHints: [(action: Action, word: String)] {
        let all = allHideHints
        return all.indices.contains(view.line) ? all[view.line] : []
    }

    /// The same of all lines.
    var allHideHints: [[(action: Action, word: String)]] {
        hideChoices.map { choice in
            switch choice {
            case .rule(let rule): [(action: .choose, word: rule.kind == .place ? "turn off" : "hide")]
            case .words: [(action: .choose, word: "type")]
            case .list: [(action: .choose, word: "open")]
            }
        }
    }

    /// What Enter does at the chosen line of all that is hidden: only a file changes what the configuration hides.
    var hiddenHints: [(action: Action, word: String)] {
        let all = allHiddenHints
        return all.indices.contains(view.line) ? all[view.line] : []
    }

    /// The same of all lines that it changes.
    var allHiddenHints: [[(action: Action, word: String)]] {
        feed.hidden.rules.map { [(action: .choose, word: $0.place == nil ? "unhide" : "turn on")] }
    }

    /// The sheet of all that is hidden.
    var hiddenEntries: [SheetEntry] {
        let list = feed.hidden
        guard !list.isEmpty else { return [.text("Nothing is hidden.")] }
        return list.rules.map { hiddenEntry(of: $0) }
            + list.configured.map { .choice($0.words(isASCII: options.isASCII), key: "config.toml") }
    }

    /// A place that is off is listed as in the sheet of places.
    private func hiddenEntry(of rule: HideRule) -> SheetEntry {
        if let place = rule.place { return .choice(place.name, key: "off") }
        return .choice(rule.words(isASCII: options.isASCII), key: "")
    }

    /// Opens the sheet of all that is hidden if its place is shown, which has no clips.
    mutating func showHiddenList() {
        if feed.places.current == .hidden, !feed.hidden.isEmpty, view.sheet == nil { view.open(.hidden) }
    }

    /// The rules have changed.
    mutating func renewHidden(_ rules: [HideRule], configured: [HideRule]) {
        let wasEmpty = feed.hidden.isEmpty
        feed.hidden.renew(rules, configured: configured)
        // flick begins at their place before they are read.
        if wasEmpty { showHiddenList() }
        // The chosen line may have been the last one; another flick may have changed them, too.
        if view.sheet == .hidden { view.go(to: max(min(view.line, feed.hidden.lines - 1), 0)) }
    }

    /// Opens the sheet that asks what to hide; where there is nothing to hide, the one of what is hidden.
    mutating func openHiding(now: Duration) -> [Effect] {
        if content != nil || view.sheet == .hide || feed.places.current == .forYou { return open(Sheet.hide) }
        return open(Sheet.hidden)
    }

    /// A line of that sheet was chosen. The sheet is closed.
    mutating func hide(_ line: Int, now: Duration) -> [Effect] {
        let choices = hideChoices
        guard choices.indices.contains(line) else { return [] }
        switch choices[line] {
        case .rule(let rule): return hide(rule, now: now)
        case .words:
            typing = Typing(.hidden)
            return []
        case .list: return open(Sheet.hidden)
        }
    }

    mutating func hide(_ rule: HideRule, now: Duration) -> [Effect] {
        let place = rule.place
        guard place != nil || currentID != nil else { return [] }
        feed.hidden.returning = nil
        feed.note(.hid(rule, at: place == nil ? currentID : nil))
        let words =
            place.map { "\($0.name) is off" } ?? "Hidden: \(rule.words(isASCII: options.isASCII).lowercasedFirst)"
        toasts.show(offering(.undo, "to undo", after: words), now: now)
        let other = place == feed.places.chosen ? feed.places.all.first { $0 != place } : nil
        return [.hide(rule, true)] + (other.map { open($0) } ?? [])
    }

    /// What was typed is hidden from now on, wherever a title has it.
    mutating func hideTypedWords(now: Duration) -> [Effect] {
        let words = CleanText.line(typing?.field.text ?? "", limit: 200).trimmed
        let closed = endTyping(now: now)
        return words.isEmpty ? closed : closed + hide(HideRule(.words, value: words), now: now)
    }

    /// Shows the chosen one of what is hidden again. Its sheet stays open.
    mutating func showHidden(_ line: Int, now: Duration) -> [Effect] {
        let list = feed.hidden
        guard list.rules.indices.contains(line) else {
            if line < list.lines {
                toasts.show("This rule is in config.toml, under [hide]; edit it there", as: .failure, now: now)
            }
            return []
        }
        return show(list.rules[line], now: now)
    }

    /// Shows something again.
    ///
    /// - Parameter item: the clip that is in view then; nil: the one that is there.
    mutating func show(_ rule: HideRule, returningTo item: Item.ID? = nil, now: Duration) -> [Effect] {
        feed.hidden.returning = item
        feed.forgetChanges { if case .hid(let hidden, _) = $0 { hidden.id == rule.id } else { false } }
        let words = rule.words(isASCII: options.isASCII).lowercasedFirst
        toasts.show(rule.place.map { "\($0.name) is on" } ?? "No longer hidden: \(words)", now: now)
        return [.hide(rule, false)]
    }

    /// The feed without what is hidden, at this page. After an undo, the clip is in view again.
    mutating func renewVisible(_ list: any ItemList & Sendable, at index: Int, now: Duration) -> [Effect] {
        let returning = feed.hidden.takeReturning().flatMap { list.index(of: $0, near: index) }
        let closed = closeGrid()
        return closed + replace(list, title: feed.title, at: returning ?? index, now: now)
    }
}

extension String {
    var lowercasedFirst: String { prefix(1).lowercased() + dropFirst() }
}
