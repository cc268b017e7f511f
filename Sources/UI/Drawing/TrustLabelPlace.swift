import Model

/// Where the feed's words for a trust score stand: below the ring, or before
/// the score where that is a line of text. A value.
///
/// They may be wider than the rail. Beside the picture they continue to the right; over it to the left, but not on low
/// pages, nor where captions, subtitles or the words of a clip that loads can stand.
struct TrustLabelPlace: Sendable, Equatable {
    /// The columns beyond which words are cut, and the fewest that say more than "trust".
    private static let (widest, shortest) = (24, 8)
    /// The columns of "trust", which the score follows.
    private static let wordColumns = 5

    let words: GridRect
    /// The score's first column, if it stands in the same row.
    let score: Int?
    /// The end of both.
    private let end: Int

    /// nil if the feed has no words for the score, or they have no room.
    init?(_ content: PageContent, _ state: State, index: Int, in layout: PageLayout) {
        let label = content.trustLabel
        guard !label.isEmpty, let value = content.trust, let trust = layout.trust else { return nil }
        let isLine = Self.isLine(trust, state.options)
        // A low ring has no row for words.
        guard isLine || trust.rows != 3 else { return nil }
        let row = isLine ? trust.row : trust.row + trust.rows - 1
        let figures = isLine ? "\(value)".count + 1 : 0
        let margin = state.size.columns >= 60 ? 2 : 1
        let right = isLine ? trust.column + Self.wordColumns : trust.column + trust.columns
        let room =
            if layout.isRailBeside {
                state.size.columns - margin - figures - trust.column
            } else if state.pager.rows >= 16, Self.isFree(row, state, index: index, in: layout) {
                right - margin
            } else {
                right - trust.column
            }
        let columns = min(label.columns, room, Self.widest)
        guard columns == label.columns || columns >= Self.shortest else { return nil }
        let column = layout.isRailBeside ? trust.column : min(trust.column, right - columns)
        words = GridRect(column: column, row: row, columns: columns, rows: 1)
        score = isLine ? column + columns + 1 : nil
        end = column + columns + figures
    }

    /// Whether a trust score in these cells is a line of text: there is no room for a ring.
    static func isLine(_ trust: GridRect, _ options: Options) -> Bool {
        trust.rows == 1 || (trust.rows == 2 && !options.trustIsPlain)
    }

    /// Whether a row over the picture is free at the left of the rail.
    private static func isFree(_ row: Int, _ state: State, index: Int, in layout: PageLayout) -> Bool {
        let loading = LoadingPlace.rows(state.pager.rows, textRow: layout.text.row)
        guard row < layout.text.row, row != loading.dots, row != loading.words else { return false }
        let hasTexts =
            !state.content(of: index).item.captions.isEmpty
            || state.clip(of: index).facts?.textTracks.isEmpty == false
        return !hasTexts || row < layout.text.row - 1 - SubtitlePlace.maxRows
    }

    /// What these words, and the score behind them, take beside the score's own cells; nil if that is nothing.
    func beyond(_ trust: GridRect) -> GridRect? {
        let trustEnd = trust.column + trust.columns
        let range = words.column < trust.column ? words.column..<trust.column : min(trustEnd, end)..<end
        guard !range.isEmpty else { return nil }
        return GridRect(column: range.lowerBound, row: words.row, columns: range.count, rows: 1)
    }
}
