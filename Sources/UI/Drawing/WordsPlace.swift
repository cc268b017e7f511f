import Model

/// Where the words of a page without a clip stand: of one that cannot be played, or is hidden. Drawing and clicks use it. A value.
struct WordsPlace {
    /// The lines of both texts, as ranges of their glyphs.
    let words: ArraySlice<Range<Int>>
    let advice: ArraySlice<Range<Int>>
    /// Of the first line, and of the hints at keys below the last.
    let row: Int
    let keysRow: Int

    /// - Parameter floor: the row that what else is on the page begins in.
    init(_ words: GlyphLine, _ advice: GlyphLine, above floor: Int, in state: State) {
        let width = max(min(state.size.columns - 4, 56), 12)
        let room = max(floor - 3, 1)
        // The end of long words says more than their beginning, which may be an address.
        self.words = words.balanced(to: width).suffix(min(room, 5))
        self.advice = advice.balanced(to: width).prefix(max(room - self.words.count, 0))
        let height = self.words.count + self.advice.count + 2
        row = max(min((state.pager.rows - height) / 2 - 1, floor - height), 1)
        let end = row + height - 2
        keysRow = end + 1 < floor ? end + 1 : end
    }
}
