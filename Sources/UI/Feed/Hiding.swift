import Model

/// What the user hides, as its sheet lists it, and what can be undone of it. A value.
struct HiddenList: Sendable, Equatable {
    /// Made on the page, the newest first.
    private(set) var rules: [HideRule] = []
    /// Those of the configuration, which only their file changes.
    private(set) var configured: [HideRule] = []
    /// What was hidden last in this session, and the clip it was hidden at.
    private var last: (rule: HideRule, item: Item.ID)?
    /// The clip to go back to once it is in the feed again.
    private var returning: Item.ID?

    var count: Int { rules.count + configured.count }

    static func == (one: HiddenList, other: HiddenList) -> Bool {
        one.rules == other.rules && one.configured == other.configured
    }

    mutating func renew(_ rules: [HideRule], configured: [HideRule]) {
        (self.rules, self.configured) = (rules, configured)
    }

    mutating func note(_ rule: HideRule, at item: Item.ID) { (last, returning) = ((rule, item), nil) }

    /// What `undo` shows again, once.
    mutating func takeLast() -> HideRule? {
        defer { last = nil }
        returning = last?.item
        return last?.rule
    }

    /// The clip to go back to, once.
    mutating func takeReturning() -> Item.ID? {
        defer { returning = nil }
        return returning
    }
}

/// A line of the sheet "Not interested". A value.
enum HideChoice: Sendable, Equatable {
    case rule(HideRule)
    /// Words in titles, which are typed.
    case words
    /// The list of what is hidden.
    case list
}

extension HideRule {
    /// What it hides: "Clips by Ilma Kettu". Clean.
    func words(isASCII: Bool) -> String {
        let name = CleanText.line(name, limit: 120)
        let (open, close) = isASCII ? ("\"", "\"") : ("“", "”")
        return switch kind {
        case .clip: "The clip \(open)\(name)\(close)"
        case .creator: "Clips by \(name)"
        case .topic: "The topic #\(name.drop { $0 == "#" })"
        case .source: "All from \(name)"
        case .words: "Titles with \(open)\(name)\(close)"
        }
    }
}

extension State {
    /// So many topics of a clip are offered.
    private static let maxTopics = 6

    /// What of the current clip can be hidden.
    var hideChoices: [HideChoice] {
        var choices: [HideChoice] = []
        if let item = content?.item {
            choices = [.rule(HideRule(clip: item))]
            if !item.own, let creator = HideRule(creatorOf: item) { choices.append(.rule(creator)) }
            let named = topics.isEmpty ? item.folder.map { [$0] } ?? [] : Array(topics.prefix(Self.maxTopics))
            choices += named.map { .rule(HideRule(.topic, value: $0)) }
            choices += [.rule(HideRule(sourceOf: item)), .words]
        }
        return feed.hidden.count > 0 ? choices + [.list] : choices
    }

    var hideEntries: [SheetEntry] {
        hideChoices.map { choice in
            switch choice {
            case .rule(let rule) where rule.kind == .clip: .choice("This clip", key: "")
            case .rule(let rule): .choice(rule.words(isASCII: options.isASCII), key: "")
            case .words: .choice(options.isASCII ? "Words in titles..." : "Words in titles…", key: "")
            case .list: .choice("Everything you have hidden", key: "\(feed.hidden.count)")
            }
        }
    }

    /// The sheet of all that is hidden.
    var hiddenEntries: [SheetEntry] {
        let list = feed.hidden
        guard list.count > 0 else { return [.text("Nothing is hidden.")] }
        return list.rules.map { .choice($0.words(isASCII: options.isASCII), key: "") }
            + list.configured.map { .choice($0.words(isASCII: options.isASCII), key: "config.toml") }
    }

    /// Opens the sheet that asks what to hide; without a clip, the one of what is hidden.
    mutating func openHiding(now: Duration) -> [Effect] {
        if content != nil || view.sheet == .hide { return open(Sheet.hide) }
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
        guard let item = currentID else { return [] }
        feed.hidden.note(rule, at: item)
        feed.removedSource = nil
        let words = "Hidden: \(rule.words(isASCII: options.isASCII).lowercasedFirst)"
        toasts.show(offering(.undo, "to undo", after: words), now: now)
        return [.hide(rule, true)]
    }

    /// What was typed is hidden from now on, wherever a title has it.
    mutating func hideTypedWords(now: Duration) -> [Effect] {
        let words = CleanText.line(typing?.field.text ?? "", limit: 200).trimmed
        let closed = endTyping(now: now)
        return words.isEmpty ? closed : closed + hide(HideRule(.words, value: words), now: now)
    }

    /// Adds the source again that was removed last, or shows again what was hidden last in this session.
    mutating func undo(now: Duration) -> [Effect] {
        if let effects = undoRemoval(now: now) { return effects }
        guard let rule = feed.hidden.takeLast() else {
            toasts.show("Nothing to undo", now: now)
            return []
        }
        return show(rule, now: now)
    }

    /// Shows the chosen one of what is hidden again. Its sheet stays open.
    mutating func showHidden(_ line: Int, now: Duration) -> [Effect] {
        let list = feed.hidden
        guard list.rules.indices.contains(line) else {
            if line < list.count {
                toasts.show("This rule is in config.toml, under [hide]: edit it there", as: .failure, now: now)
            }
            return []
        }
        view.go(to: max(min(line, list.count - 2), 0))
        return show(list.rules[line], now: now)
    }

    private mutating func show(_ rule: HideRule, now: Duration) -> [Effect] {
        toasts.show("No longer hidden: \(rule.words(isASCII: options.isASCII).lowercasedFirst)", now: now)
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
    fileprivate var lowercasedFirst: String { prefix(1).lowercased() + dropFirst() }
}
