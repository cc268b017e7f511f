import Model

/// A line of the sheet of all places. A value.
enum PlaceLine: Sendable, Equatable {
    case place(Place)
    /// A place that the user has turned off.
    case off(Place)
    /// The list of what is hidden, where that is no place: flick remembers nothing.
    case hidden
    case source(PlaceList.Source)
    case add
}

extension State {
    /// The shares that keys give to a source.
    private static let weights = [0.1, 0.25, 0.5, 1, 2, 3, 5, 10]

    var placeLines: [PlaceLine] {
        let shown = feed.places.all
        var all = shown
        for place in feed.hidden.rules.compactMap(\.place) where !all.contains(place) {
            all.insert(place, at: Places.index(for: place, in: all))
        }
        let lines = all.map { shown.contains($0) ? PlaceLine.place($0) : .off($0) }
        let hidden: [PlaceLine] = all.contains(.hidden) ? [] : [.hidden]
        return lines + hidden + feed.placeList.sources.map { .source($0) } + [.add]
    }

    var placeEntries: [SheetEntry] {
        var heading: String?
        return placeLines.flatMap { line in
            let last = heading
            heading = self.heading(over: line)
            let new: [SheetEntry] = heading.flatMap { $0 == last ? nil : [.heading($0)] } ?? []
            return new + [entry(of: line)]
        }
    }

    /// Lists have the name of the top row.
    private func heading(over line: PlaceLine) -> String? {
        switch line {
        case .place(let place), .off(let place): place.isOfLibrary ? "Library" : nil
        case .hidden: "Library"
        case .source, .add: feed.places.all.contains(.home) ? "Sources of Home" : "Home (flick without a feed)"
        }
    }

    private func entry(of line: PlaceLine) -> SheetEntry {
        switch line {
        case .place(let place):
            let name = place == .source && !feed.sourceName.isEmpty ? feed.sourceName.text : place.name
            let number = place == .hidden ? feed.hidden.count : feed.placeList.counts[place] ?? 0
            let count = number == 0 ? "" : Label.count(number)
            return .choice(name, key: count.isEmpty || place.isOfLibrary ? count : "\(count) new")
        case .off(let place): return .choice(place.name, key: "off")
        case .hidden: return entry(of: .place(.hidden))
        case .source(let source): return .choice(source.title, key: source.figures)
        case .add: return .choice(options.isASCII ? "Add a source..." : "Add a source…", key: "")
        }
    }

    /// What the chosen line can do, for the sheet's lower edge.
    var placeHints: [(action: Action, word: String)] {
        let lines = placeLines
        guard lines.indices.contains(view.line) else { return Self.hints() }
        let all = hints(of: lines[view.line])
        guard case .source(let source) = lines[view.line] else { return all }
        return all.filter { hint in
            guard hint.action == .moreOfSource || hint.action == .lessOfSource else { return true }
            return Self.weight(after: hint.action, from: source.weight) != nil
        }
    }

    /// The next share of a source; nil if it has the largest or the smallest already.
    private static func weight(after action: Action, from weight: Double) -> Double? {
        action == .moreOfSource ? weights.first { $0 > weight } : weights.last { $0 < weight }
    }

    /// The same of all lines.
    var allPlaceHints: [[(action: Action, word: String)]] { placeLines.map { hints(of: $0) } }

    private func hints(of line: PlaceLine) -> [(action: Action, word: String)] {
        switch line {
        case .place(.forYou):
            Self.hints(act: [(.choose, "open"), (.removeSource, "turn off")], other: [(.addSource, "add")])
        case .off: Self.hints(act: [(.choose, "turn on")], other: [(.addSource, "add"), (.refresh, "refresh")])
        case .source(let source) where source.isAdded:
            Self.hints(
                act: [(.choose, "open"), (.removeSource, "remove"), (.moreOfSource, "more"), (.lessOfSource, "less")])
        case .place, .hidden, .source:
            Self.hints(act: [(.choose, "open")], other: [(.addSource, "add"), (.refresh, "refresh")])
        case .add: Self.hints(act: [(.choose, "add")])
        }
    }

    /// Opens the sheet at the place that is shown.
    mutating func openPlaces() -> [Effect] {
        let closed = open(Sheet.places)
        guard view.sheet == .places else { return closed }
        view.go(to: placeLines.firstIndex(of: .place(feed.places.chosen)) ?? 0)
        return [.readPlaces]
    }

    /// The chosen line is opened; a place that is off is turned on, and the sheet stays open.
    mutating func openPlaceLine(now: Duration) -> [Effect] {
        let lines = placeLines
        guard lines.indices.contains(view.line) else { return [] }
        switch lines[view.line] {
        case .off(let place): return show(HideRule(place: place), now: now)
        case .place(let place):
            view.close()
            return open(place)
        case .hidden:
            view.close()
            return open(Sheet.hidden)
        case .source(let source):
            view.close()
            feed.places.add(.source)
            feed.places.want(.source)
            return [.source(.open(source))]
        case .add: return typeSource()
        }
    }

    /// Opens the field for a source to add.
    mutating func typeSource() -> [Effect] {
        view.close()
        typing = Typing(.source)
        return []
    }

    mutating func addTypedSource(now: Duration) -> [Effect] {
        let text = (typing?.field.text ?? "").trimmed
        let closed = endTyping(now: now)
        guard !text.isEmpty else { return closed }
        toasts.show("Reading \(CleanText.line(SafeURL.text(text), limit: 100))", now: now)
        return closed + [.source(.add(PlaceList.Source(text)))]
    }

    /// The chosen source goes from Home, or its weight changes by a step; For You goes from the places.
    mutating func changeSource(_ action: Action, now: Duration) -> [Effect] {
        let lines = placeLines
        guard view.sheet == .places, lines.indices.contains(view.line) else { return [] }
        if action == .removeSource, lines[view.line] == .place(.forYou) {
            return hide(HideRule(place: .forYou), now: now)
        }
        guard case .source(var source) = lines[view.line] else { return [] }
        guard source.isAdded else {
            toasts.show("This source is in config.toml, under [home]; edit it there", as: .failure, now: now)
            return []
        }
        if action == .removeSource {
            feed.note(.removed(source))
            feed.placeList.sources.removeAll { $0.text == source.text }
            toasts.show(offering(.undo, "to undo", after: "Removed: \(source.title)"), now: now)
            return [.source(.remove(source))]
        }
        guard let weight = Self.weight(after: action, from: source.weight) else { return [] }
        source.weight = weight
        if let place = feed.placeList.sources.firstIndex(where: { $0.text == source.text }) {
            feed.placeList.sources[place] = source
        }
        return [.source(.weigh(source))]
    }
}
