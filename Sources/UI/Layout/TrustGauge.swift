import Model

/// How a trust score is shown, below the buttons: with the feed's words for it, which are never replaced by others. A
/// value.
struct TrustGauge: Sendable, Equatable {
    /// From the one that takes most rows on.
    enum Form: Sendable, Equatable, CaseIterable {
        /// An arc of dots with the score in it, and the words below.
        case arc
        /// Words and score, and a bar below.
        case bar
        /// Words and score.
        case text
    }

    let form: Form
    /// The words, line by line; the score behind them unless it stands in the arc.
    let lines: [GlyphLine]
    let columns: Int
    /// Whether the arc can be a shape of pixels, which nothing may cover.
    let isShape: Bool

    /// The dots of an arc are a half circle over the score.
    static let arc = GridSize(columns: 6, rows: 2)
    /// The columns that words may take, and the lines: longer ones end in an ellipsis.
    private static let (widest, maxLines) = (12, 3)

    /// nil if the item has no score.
    init?(_ content: PageContent, _ form: Form, _ options: Options) {
        guard let score = content.trust else { return nil }
        self.form = form
        isShape = form == .arc && options.pictureMode.hasPixels
        let label = content.trustLabel.isEmpty ? GlyphLine("Trust score") : content.trustLabel
        let text = form == .arc ? label : label + GlyphLine(" \(score)")
        let ranges = text.wrapped(to: Self.widest)
        let ellipsis = Glyph(options.isASCII ? "~" : "…")
        let figures = form == .arc ? GlyphLine() : GlyphLine(" \(score)")
        lines = ranges.prefix(Self.maxLines).enumerated().map { place, range in
            guard place == Self.maxLines - 1, ranges.count > Self.maxLines else { return text.slice(range) }
            // The score is never cut.
            let rest = label.slice(min(range.lowerBound, label.count)..<label.count)
            return rest.truncated(to: Self.widest - figures.columns, ellipsis: ellipsis) + figures
        }
        columns = max(lines.map(\.columns).max() ?? 0, form == .text ? 0 : Self.arc.columns)
    }

    /// The forms that a terminal can show, the best first.
    static func forms(_ options: Options) -> [Form] { options.trustIsPlain ? [.text] : Form.allCases }

    var rows: Int {
        switch form {
        case .arc: Self.arc.rows + lines.count
        case .bar: lines.count + 1
        case .text: lines.count
        }
    }
}
