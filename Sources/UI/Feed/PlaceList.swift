import Model

/// What the sheet of all places says besides their names: how much is new, and the sources of Home. A value.
public struct PlaceList: Sendable, Equatable {
    /// A source of Home. A value.
    public struct Source: Sendable, Equatable {
        /// By which it is known, as it is configured.
        public var text: String
        /// What the user calls it; nil: by its text.
        public var name: String?
        public var weight: Double
        /// Whether the page can change it; else the configuration has it.
        public var isAdded: Bool
        /// How many of its clips were not seen; nil if it was never read.
        public var unseen: Int?

        public init(_ text: String, name: String? = nil, weight: Double = 1, isAdded: Bool = true, unseen: Int? = nil) {
            (self.text, self.name, self.weight) = (text, name, weight)
            (self.isAdded, self.unseen) = (isAdded, unseen)
        }

        /// Clean, without passwords.
        var title: String { CleanText.line(name ?? SafeURL.text(text), limit: 120) }

        /// "weight 3, 12 new".
        var figures: String {
            let new = unseen.map { $0 == 0 ? "" : "\(Label.count($0)) new" } ?? "not read yet"
            let share = weight == 1 ? "" : "weight \(Int(exactly: weight).map(String.init) ?? "\(weight)")"
            return [share, new].filter { !$0.isEmpty }.joined(separator: ", ")
        }
    }

    /// How many clips of a place were not seen; of the library's lists, how many there are. Without those that are not
    /// known.
    public var counts: [Place: Int]
    public var sources: [Source]

    public init(counts: [Place: Int] = [:], sources: [Source] = []) {
        (self.counts, self.sources) = (counts, sources)
    }
}

/// What is to be done with a source of Home. A value.
public enum SourceChange: Sendable, Equatable {
    /// Show it alone.
    case open(PlaceList.Source)
    /// By its text, name and weight.
    case add(PlaceList.Source)
    /// The same of one that was there before.
    case restore(PlaceList.Source)
    case remove(PlaceList.Source)
    /// Give it its weight.
    case weigh(PlaceList.Source)
    /// Read all of them again.
    case refresh
}

/// A line of the sheet of all places. A value.
enum PlaceLine: Sendable, Equatable {
    case place(Place)
    /// The list of what is hidden.
    case hidden
    case source(PlaceList.Source)
    case add
}

extension State {
    /// The shares that keys give to a source.
    private static let weights = [0.1, 0.25, 0.5, 1, 2, 3, 5, 10]

    var placeLines: [PlaceLine] {
        feed.places.all.map { .place($0) } + [.hidden] + feed.placeList.sources.map { .source($0) } + [.add]
    }

    var placeEntries: [SheetEntry] {
        let (places, list) = (feed.places, feed.placeList)
        var entries = places.all.map { place in
            let name = place == .source && !feed.sourceName.isEmpty ? feed.sourceName.text : place.name
            let count = list.counts[place].flatMap { $0 == 0 ? nil : Label.count($0) } ?? ""
            return SheetEntry.choice(name, key: count.isEmpty || place.list != nil ? count : "\(count) new")
        }
        entries.append(.choice("Hidden", key: feed.hidden.count == 0 ? "" : "\(feed.hidden.count)"))
        entries.append(.heading("Sources of Home"))
        entries += list.sources.map { .choice($0.title, key: $0.figures) }
        return entries + [.choice(options.isASCII ? "Add a source..." : "Add a source…", key: "")]
    }

    /// What the chosen line can do, for the sheet's lower edge.
    var placeHints: [(action: Action, word: String)] {
        let lines = placeLines
        guard lines.indices.contains(view.line) else { return [] }
        return switch lines[view.line] {
        case .place, .hidden: [(.choose, "open"), (.addSource, "add"), (.refresh, "refresh")]
        case .source(let source) where source.isAdded:
            [(.choose, "open"), (.removeSource, "remove"), (.moreOfSource, "more"), (.lessOfSource, "less")]
        case .source: [(.choose, "open"), (.addSource, "add"), (.refresh, "refresh")]
        case .add: [(.choose, "add")]
        }
    }

    /// Opens the sheet at the place that is shown.
    mutating func openPlaces() -> [Effect] {
        let closed = open(Sheet.places)
        guard view.sheet == .places else { return closed }
        view.go(to: placeLines.firstIndex(of: .place(feed.places.chosen)) ?? 0)
        return [.readPlaces]
    }

    /// The chosen line is opened.
    mutating func openPlaceLine(now: Duration) -> [Effect] {
        let lines = placeLines
        guard lines.indices.contains(view.line) else { return [] }
        view.close()
        switch lines[view.line] {
        case .place(let place): return open(place)
        case .hidden: return open(Sheet.hidden)
        case .source(let source):
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

    /// The chosen source goes from Home, or its weight changes by a step.
    mutating func changeSource(_ action: Action, now: Duration) -> [Effect] {
        let lines = placeLines
        guard view.sheet == .places, lines.indices.contains(view.line), case .source(var source) = lines[view.line]
        else { return [] }
        guard source.isAdded else {
            toasts.show("This source is in config.toml, under [home]: edit it there", as: .failure, now: now)
            return []
        }
        if action == .removeSource {
            feed.removedSource = source
            feed.placeList.sources.removeAll { $0.text == source.text }
            toasts.show(offering(.undo, "to undo", after: "Removed: \(source.title)"), now: now)
            return [.source(.remove(source))]
        }
        let weight =
            action == .moreOfSource
            ? Self.weights.first { $0 > source.weight } : Self.weights.last { $0 < source.weight }
        guard let weight else { return [] }
        source.weight = weight
        if let place = feed.placeList.sources.firstIndex(where: { $0.text == source.text }) {
            feed.placeList.sources[place] = source
        }
        return [.source(.weigh(source))]
    }

    /// Adds the source again that was removed last.
    mutating func undoRemoval(now: Duration) -> [Effect]? {
        guard let source = feed.removedSource else { return nil }
        feed.removedSource = nil
        return [.source(.restore(source))]
    }
}
