import Model

/// The page's icons: a heart, a cross, quotation marks, a star, and an arrow that leaves to the right. They are one
/// column wide, and none of them is an emoji. They are solid, so that they are seen on any picture; a button that is on
/// shows it in its colour and its word. Without colour a button that is off is hollow instead. In ASCII the letter of
/// the key takes their place, as a capital when the button is on.
struct Symbols {
    let isASCII: Bool
    private let isMono: Bool

    init(_ options: Options) {
        isASCII = options.isASCII
        isMono = options.color == .mono
    }

    /// Where a list continues that is scrolled.
    enum More { case above, below }

    /// " ▾ more ", or " ▾ ".
    func line(of more: More, hasWord: Bool) -> GlyphLine {
        let arrow =
            switch more {
            case .above: isASCII ? "^" : "▴"
            case .below: isASCII ? "v" : "▾"
            }
        return GlyphLine(hasWord ? " \(arrow) more " : " \(arrow) ")
    }

    private func pick(_ full: Unicode.Scalar, _ plain: Unicode.Scalar) -> Glyph { Glyph(isASCII ? plain : full) }

    func like(_ on: Bool) -> Glyph { on ? pick("♥", "L") : pick(isMono ? "♡" : "♥", "l") }
    func dislike(_ on: Bool) -> Glyph { on ? pick("✘", "D") : pick(isMono ? "✗" : "✘", "d") }
    var comments: Glyph { pick("❝", "c") }
    func save(_ on: Bool) -> Glyph { on ? pick("★", "S") : pick(isMono ? "☆" : "★", "s") }
    func share(_ on: Bool) -> Glyph { pick("➦", on ? "Y" : "y") }
    var note: Glyph { pick("♪", "&") }
    var dot: Glyph { pick("·", "-") }
    var menu: String { isASCII ? "=" : "…" }
    var pause: String { isASCII ? "||" : "❚❚" }
    var border: (horizontal: Glyph, vertical: Glyph, corners: [Glyph]) {
        isASCII
            ? (Glyph("-"), Glyph("|"), [Glyph("+"), Glyph("+"), Glyph("+"), Glyph("+")])
            : (Glyph("─"), Glyph("│"), [Glyph("╭"), Glyph("╮"), Glyph("╰"), Glyph("╯")])
    }
}
