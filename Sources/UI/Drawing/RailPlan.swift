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
    enum Kind: Sendable, Equatable {
        /// The word below icon and count, an empty row between buttons.
        case roomy
        /// The word below icon and count.
        case dense
        /// Icon and word in one row, which has no room for the count: a word
        /// says more than a figure beside an icon alone.
        case compact

        /// Rows from one button to the next, and rows of a button.
        var step: Int {
            switch self {
            case .roomy: 3
            case .dense: 2
            case .compact: 1
            }
        }
        var height: Int { self == .compact ? 1 : 2 }
        /// Columns of the rail: with icon and word in one row it takes two more.
        var columns: Int { self == .compact ? 9 : 7 }
    }

    let kind: Kind
    let buttons: [PageLayout.Button]
    /// Rows of the trust score: 4 for the ring with its word, 3 without; 2 for word, number and bar, 1 without the bar;
    /// 0 without a score.
    let trustRows: Int
    /// Empty rows between the trust score and the first button.
    let gap: Int

    /// - Parameters:
    ///   - room: rows that the rail may take.
    ///   - isPlain: a line of text stands for the ring.
    init(_ content: PageContent, clip: Clip, reaction: Reaction, takesComments: Bool, room: Int, isPlain: Bool) {
        let hasTrust = content.trust != nil && clip.failure == nil
        let wanted =
            clip.failure == nil ? Self.buttons(for: content, reaction: reaction, takesComments: takesComments) : []
        let ring = hasTrust ? (isPlain ? 2 : 4) : 0
        let between = hasTrust ? 1 : 0
        func rows(_ kind: Kind, _ count: Int) -> Int { max(count * kind.step - (kind.step - kind.height), 0) }
        /// Whether buttons and score fit, with an empty row above them.
        func fits(_ kind: Kind, score: Int) -> Bool { rows(kind, wanted.count) + score + between + 1 <= room }
        if fits(.roomy, score: ring) {
            (kind, trustRows, gap) = (.roomy, ring, between)
        } else if fits(.dense, score: ring) {
            (kind, trustRows, gap) = (.dense, ring, between)
        } else if hasTrust, fits(.dense, score: ring - 1) {
            (kind, trustRows, gap) = (.dense, ring - 1, between)
        } else {
            kind = .compact
            trustRows = !hasTrust ? 0 : (fits(.compact, score: 2) ? 2 : 1)
            gap = hasTrust && trustRows == 2 ? 1 : 0
        }
        let count = (room - trustRows - gap + kind.step - kind.height) / kind.step
        buttons = Array(wanted.prefix(max(count, 1)))
    }

    /// Rows of the buttons, from the first one's first row.
    var buttonRows: Int { max(buttons.count * kind.step - (kind.step - kind.height), 0) }

    private static func buttons(
        for content: PageContent, reaction: Reaction, takesComments: Bool
    ) -> [PageLayout.Button] {
        let item = content.item
        return [PageLayout.Button.like, .dislike, .comments, .save, .share].filter { button in
            switch button {
            case .dislike: item.stats?.dislikes != nil || reaction.isDisliked
            case .comments: takesComments || item.stats?.comments != nil
            case .share: item.link != nil || !item.isFile
            default: true
            }
        }
    }
}
