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
        /// Whether the user hides all of it.
        public var isHidden: Bool

        public init(
            _ text: String, name: String? = nil, weight: Double = 1, isAdded: Bool = true, unseen: Int? = nil,
            isHidden: Bool = false
        ) {
            (self.text, self.name, self.weight) = (text, name, weight)
            (self.isAdded, self.unseen, self.isHidden) = (isAdded, unseen, isHidden)
        }

        /// Clean, without passwords.
        var title: String { CleanText.line(name ?? SafeURL.text(text), limit: 120) }

        /// "weight 3, 12 new".
        var figures: String {
            if isHidden { return "hidden" }
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
