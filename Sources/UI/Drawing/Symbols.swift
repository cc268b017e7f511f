import Model

/// The page's icons. In every terminal tried they are one column wide and never drawn as emoji. In ASCII the letter of
/// the key takes their place, as a capital when the button is on.
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
    var pause: String { isASCII ? "||" : "❚❚" }
    var border: (horizontal: Glyph, vertical: Glyph, corners: [Glyph]) {
        isASCII
            ? (Glyph("-"), Glyph("|"), [Glyph("+"), Glyph("+"), Glyph("+"), Glyph("+")])
            : (Glyph("─"), Glyph("│"), [Glyph("╭"), Glyph("╮"), Glyph("╰"), Glyph("╯")])
    }
}
