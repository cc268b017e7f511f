import Model

/// The marks of the page: one column wide in every terminal tried, none that some draw as an emoji; and their ASCII stand-ins, which are
/// the keys' own letters, in capitals when on.
struct Symbols {
    let isASCII: Bool

    init(_ options: Options) { isASCII = options.isASCII }

    private func pick(_ full: Unicode.Scalar, _ plain: Unicode.Scalar) -> Glyph { Glyph(isASCII ? plain : full) }

    func like(_ on: Bool) -> Glyph { on ? pick("♥", "L") : pick("♡", "l") }
    func dislike(_ on: Bool) -> Glyph { on ? pick("▼", "D") : pick("▽", "d") }
    var comments: Glyph { pick("❝", "c") }
    func save(_ on: Bool) -> Glyph { on ? pick("★", "S") : pick("☆", "s") }
    func share(_ on: Bool) -> Glyph { pick("➤", on ? "Y" : "y") }
    var note: Glyph { pick("♪", "~") }
    var dot: Glyph { pick("·", "-") }
    var play: Glyph { pick("▶", ">") }
    var check: Glyph { pick("✓", "*") }
    var pause: String { isASCII ? "||" : "❚❚" }
    var border: (horizontal: Glyph, vertical: Glyph, corners: [Glyph]) {
        isASCII
            ? (Glyph("-"), Glyph("|"), [Glyph("+"), Glyph("+"), Glyph("+"), Glyph("+")])
            : (Glyph("─"), Glyph("│"), [Glyph("╭"), Glyph("╮"), Glyph("╰"), Glyph("╯")])
    }
}
