import Model

/// What the rail shows and how many rows that takes, before it has a place on the page. A value.
///
/// A sign that can do nothing for an item is not shown:
/// - *like* and *save* always stand there: they work for every item, without its feed.
/// - *dislike* and *comments* need their count from the feed: only then does it know them. A dislike of the user's own
///   is shown too, and comments also where they can be written.
/// - *share* needs an address that others can open: the item's link, or a clip that is not a local file.
/// - *trust* needs a score.
/// - A clip that cannot be played has none of them.
struct RailPlan: Sendable, Equatable {
    /// How the rail places its buttons.
    enum Kind: Sendable, Equatable, CaseIterable {
        /// Counts above the words, an empty row between buttons.
        case roomy
        /// Counts above the words.
        case dense
        /// One row for each button, which has no room for the count: a word says more than a figure beside an icon
        /// alone.
        case compact

        var gap: Int { self == .roomy ? 1 : 0 }
    }

    /// A button, and its rows from the rail's first one on: two with a count, else one.
    struct Place: Sendable, Equatable {
        let button: PageLayout.Button
        let row: Int
        let rows: Int
    }

    let places: [Place]
    let gauge: TrustGauge?
    /// The first row of the gauge, an empty row below the last button if there is one.
    let gaugeRow: Int
    let rows: Int
    let columns: Int

    /// With fewer rows than this below a picture, the rail covers it anyway.
    private static let minBelow = 6

    /// Counts and the score depend on `room` alone, so that they are the same on every page of a terminal.
    ///
    /// - Parameters:
    ///   - room: rows that the rail may take.
    ///   - below: those of them below the picture. Buttons that would not fit there leave no gaps, so that less of the
    ///     picture is covered.
    init(_ content: PageContent, _ state: State, clip: Clip, room: Int, below: Int) {
        guard clip.failure == nil else {
            (places, gauge, gaugeRow, rows, columns) = ([], nil, 0, 0, 0)
            return
        }
        let item = content.item
        let wanted = Self.buttons(for: item, state)
        let counted = Set(wanted.filter { state.count(at: $0, of: item) != nil })
        let candidates = Self.candidates(content, state.options).map { Layout(wanted, counted, $0, $1) }
        let isTight = below >= Self.minBelow && candidates[0].rows >= below
        let usable = isTight ? candidates.dropFirst() : candidates[...]
        // An empty row stays above the rail.
        let best = usable.first { $0.rows < room } ?? usable.last { $0.rows <= room }
        let layout = best ?? Layout(Array(wanted.prefix(max(room, 1))), counted, .compact, nil)
        (places, gauge, gaugeRow, rows) = (layout.places, layout.gauge, layout.gaugeRow, layout.rows)
        let isASCII = state.options.isASCII
        let widths = layout.places.map { $0.button.columns(isASCII: isASCII) + ($0.rows == 1 || isASCII ? 2 : 0) }
        columns = max(widths.max() ?? 0, layout.gauge?.columns ?? 0)
    }

    /// Kinds of buttons and forms of the score, from the one that takes most rows on.
    private static func candidates(_ content: PageContent, _ options: Options) -> [(Kind, TrustGauge?)] {
        let gauges = TrustGauge.forms(options).compactMap { TrustGauge(content, $0, options) }
        guard let first = gauges.first else { return Kind.allCases.map { ($0, nil) } }
        return [(.roomy, first), (.dense, first)] + gauges.map { (.compact, $0) }
    }

    /// The rows of one kind and one form.
    private struct Layout {
        let places: [Place]
        let gauge: TrustGauge?
        let gaugeRow: Int
        let rows: Int

        init(_ buttons: [PageLayout.Button], _ counted: Set<PageLayout.Button>, _ kind: Kind, _ gauge: TrustGauge?) {
            var (places, row) = ([Place](), 0)
            for button in buttons {
                let rows = kind != .compact && counted.contains(button) ? 2 : 1
                places.append(Place(button: button, row: row, rows: rows))
                row += rows + kind.gap
            }
            row -= places.isEmpty ? 0 : kind.gap
            (self.places, self.gauge) = (places, gauge)
            gaugeRow = row + (gauge == nil || kind == .compact && gauge?.form == .text ? 0 : 1)
            rows = gaugeRow + (gauge?.rows ?? 0)
        }
    }

    private static func buttons(for item: Item, _ state: State) -> [PageLayout.Button] {
        [PageLayout.Button.like, .dislike, .comments, .save, .share].filter { button in
            switch button {
            case .dislike: item.stats?.dislikes != nil || state.reactions[item.id].isDisliked
            case .comments: state.feed.acceptsComments(on: item) || item.stats?.comments != nil
            case .share: item.link != nil || !item.isFile
            default: true
            }
        }
    }
}

extension PageLayout.Button {
    /// What the button in the rail is called, the widest first: "liked" while it is on.
    fileprivate var words: [String] {
        switch self {
        case .like: ["liked", "like"]
        case .dislike: ["dislike"]
        case .save: ["saved", "save"]
        case .share: ["shared", "share"]
        case .comments, .message, .trust, .follow, .caption: ["comment"]
        }
    }

    /// The columns of the button's key and its word. In ASCII the icon is the key, and stands before the word.
    fileprivate func columns(isASCII: Bool) -> Int { words[0].utf8.count + (isASCII ? 0 : 2) }

    /// The word for a button that is on, or off.
    func word(isOn: Bool) -> String { isOn ? words[0] : words[words.count - 1] }
}

extension State {
    /// The figure beside a button's icon; nil if the feed does not say, and for zero.
    func count(at button: PageLayout.Button, of item: Item) -> Int? {
        let stats = item.stats
        let count =
            switch button {
            case .like: reactions.count(stats?.likes, of: \.isLiked, to: item.id)
            case .dislike: reactions.count(stats?.dislikes, of: \.isDisliked, to: item.id)
            case .save: reactions.count(stats?.saves, of: \.isSaved, to: item.id)
            case .share: reactions.count(stats?.shares, of: \.wasShared, to: item.id)
            case .comments: discussion.count(of: item)
            case .message, .trust, .follow, .caption: nil as Int?
            }
        return count.flatMap { $0 > 0 ? $0 : nil }
    }

    /// Whether what the user did with this button waits for the service.
    func waits(_ button: PageLayout.Button, of item: Item) -> Bool {
        reactions.outbox.waits(Outbox.Act(item: item.id, action: button.action))
    }
}
