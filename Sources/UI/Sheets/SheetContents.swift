import Model

/// What a sheet says, before it is laid out. A value.
struct SheetContents: Sendable, Equatable {
    var title: String
    var entries: [SheetEntry]
    /// Whether wide terminals show the sections side by side.
    var hasColumns = false
}

/// An entry of a sheet. Its texts need not be clean. A value.
enum SheetEntry: Sendable, Equatable {
    /// Begins a section.
    case heading(String)
    /// A paragraph.
    case text(String)
    /// A key and what it does, or a name and its figure. All pairs of a sheet are aligned.
    case pair(String, String)
    /// A pair whose figure has a graph of its past before it, the newest last.
    case graph(String, past: [Double], String)
    /// An entry of a menu, and its key.
    case choice(String, key: String)

    var isHeading: Bool { if case .heading = self { true } else { false } }
    var isChoice: Bool { if case .choice = self { true } else { false } }
}

extension State.Sheet {
    /// Whether one of its entries is chosen.
    var isMenu: Bool {
        switch self {
        case .menu, .topics, .hide, .hidden, .places, .quality: true
        case .help, .trust, .diagnostics, .caption, .comments, .filter: false
        }
    }

    /// Whether it asks or says something about its clip, and is left by keys that do something else.
    var isAboutItsClip: Bool {
        switch self {
        case .trust, .topics, .hide, .quality: true
        // The menu names such keys; the others are read while they work, or have their own.
        case .menu, .help, .diagnostics, .caption, .comments, .filter, .hidden, .places: false
        }
    }
}

extension State {
    /// The hints of a sheet or a grid, in the order that all have: what moves, what acts on what is chosen, what else
    /// can be done, and how it is closed.
    static func hints(
        move: [(action: Action, word: String)] = [], act: [(action: Action, word: String)] = [],
        other: [(action: Action, word: String)] = [], close: String = "close"
    ) -> [(action: Action, word: String)] {
        move + act + other + [(.close, close)]
    }

    /// What the keys of the open sheet do, for its lower edge.
    var sheetHints: [(action: Action, word: String)] {
        switch view.sheet {
        case .help: Self.hints(other: [(.filter, "filter")])
        case .menu, .topics: Self.hints(act: [(.choose, "choose")])
        case .quality: Self.hints(act: [(.choose, "select")])
        case .hide: Self.hints(act: hideHints)
        case .hidden: Self.hints(act: hiddenHints)
        case .places: placeHints
        default: Self.hints()
        }
    }

    /// The hints that take most room: a sheet whose hints differ by line is as wide at each.
    var widestSheetHints: [(action: Action, word: String)] {
        switch view.sheet {
        case .hide: widest(allHideHints.map { Self.hints(act: $0) })
        case .hidden: widest(allHiddenHints.map { Self.hints(act: $0) })
        case .places: widest(allPlaceHints)
        default: sheetHints
        }
    }

    /// The widest of several lines' hints.
    private func widest(_ all: [[(action: Action, word: String)]]) -> [(action: Action, word: String)] {
        all.max { footer($0).columns < footer($1).columns } ?? Self.hints()
    }

    /// The contents of the open sheet; nil if none is open.
    var sheetContents: SheetContents? {
        switch view.sheet {
        case .help: SheetContents(title: "Keys", entries: keyEntries, hasColumns: typing == nil)
        case .trust: SheetContents(title: "Trust", entries: trustEntries)
        case .diagnostics: SheetContents(title: "Diagnostics", entries: diagnosticEntries)
        case .menu:
            SheetContents(
                title: "This clip", entries: menu.map { .choice($0.text, key: keyLabel(of: $0.action) ?? "") })
        case .topics:
            SheetContents(title: "Topics", entries: topics.map { .choice("#\($0)", key: "") })
        case .hide: SheetContents(title: "Not interested", entries: hideEntries)
        case .hidden: SheetContents(title: "Hidden", entries: hiddenEntries)
        case .places: SheetContents(title: "Places", entries: placeEntries)
        case .quality: SheetContents(title: "Quality", entries: qualityEntries)
        // These are long, and `SheetLayout` makes rows of what is in view.
        case .caption, .comments, .filter, nil: nil
        }
    }

    private var trustEntries: [SheetEntry] {
        guard let trust = content?.item.trust, let score = content?.trust else {
            return [.text("This clip has no trust score.")]
        }
        let reasons = trust.reasons.prefix(20).map { SheetEntry.text("- \($0)") }
        return [.heading("\(trust.label ?? "Trust"): \(score) of 100")]
            + (reasons.isEmpty ? [.text("The feed gives no reason.")] : reasons)
            + [.text("Score provided by the feed.")]
    }
}
