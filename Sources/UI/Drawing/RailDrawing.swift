import Model
import Platform

extension OverlayDrawing {
    /// The buttons on the right, with the trust score below them.
    mutating func drawRail(_ state: State, index: Int, layout: PageLayout) {
        let content = state.content(of: index)
        for (button, frame) in layout.buttons {
            drawButton(look(of: button, item: content.item, state: state), in: frame, theme: state.theme)
        }
        if let score = content.trust, let trust = layout.trust, let gauge = layout.gauge {
            drawTrust(score, gauge, in: trust, theme: state.theme)
        }
    }

    /// The icon, its count, and the key and word below; in one row if the button has no count. A letter as the icon
    /// stands before the word: beside the count, both would read as one value.
    private mutating func drawButton(_ look: Look, in frame: GridRect, theme: Theme) {
        let isLetter = options.isASCII
        let last = frame.row + frame.rows - 1
        var icon = GlyphLine()
        icon.append(look.glyph, width: 1)
        write(icon, column: frame.column, row: isLetter ? last : frame.row, color: look.color, style: .bold)
        let style: CellStyle = look.isOn ? .bold : []
        var indent = 2
        if frame.rows > 1, let count = look.count {
            let mark = look.isWaiting ? isLetter ? "..." : "…" : ""
            let beside = isLetter ? 0 : 2
            write(
                GlyphLine(Label.count(count) + mark), column: frame.column + beside, row: frame.row,
                limit: frame.columns - beside, color: look.color, style: style)
            indent = 2 - beside
        }
        let word = KeyedWord(look.word, key: look.key, room: frame.columns - indent)
        write(
            word, column: frame.column + indent, row: last, theme: theme, color: look.isOn ? look.color : nil,
            style: style)
    }

    private struct Look {
        let glyph: Glyph
        let color: RGB
        let isOn: Bool
        let count: Int?
        /// What the user did waits for the feed's service.
        let isWaiting: Bool
        let word: String
        let key: String?
    }

    private func look(of button: PageLayout.Button, item: Item, state: State) -> Look {
        let (symbols, theme, reaction) = (Symbols(options), state.theme, state.reactions[item.id])
        let (isOn, glyph, off, lit) =
            switch button {
            case .like: (reaction.isLiked, symbols.like(reaction.isLiked), symbols.like(false), theme.like)
            case .dislike:
                (reaction.isDisliked, symbols.dislike(reaction.isDisliked), symbols.dislike(false), theme.accent)
            case .save: (reaction.isSaved, symbols.save(reaction.isSaved), symbols.save(false), theme.save)
            case .share: (reaction.wasShared, symbols.share(reaction.wasShared), symbols.share(false), theme.accent)
            case .comments, .message, .trust, .follow, .caption:
                (false, symbols.comments, symbols.comments, theme.text)
            }
        let key = state.keyLabel(of: button.action)
        // In ASCII the icon is the key's letter.
        let isIcon = options.isASCII && key.map(GlyphLine.init)?.glyphs == [off]
        return Look(
            glyph: glyph, color: isOn ? lit : theme.text, isOn: isOn, count: state.count(at: button, of: item),
            isWaiting: state.waits(button, of: item), word: button.word(isOn: isOn), key: isIcon ? nil : key)
    }

    /// The arc, or the bar, is as long as the score, and has its colours from red on; what is missing is dim. Words are
    /// dim, and the score bold.
    private mutating func drawTrust(_ score: Int, _ gauge: TrustGauge, in frame: GridRect, theme: Theme) {
        let arc = gauge.form == .arc
        var row = frame.row
        if arc {
            drawArc(score, in: frame, theme: theme)
            row += TrustGauge.arc.rows
        }
        for (place, line) in gauge.lines.enumerated() {
            let isLast = place == gauge.lines.count - 1 && !arc
            let figures = isLast ? "\(score)".utf8.count : 0
            let words = line.slice(0..<(line.count - figures))
            write(words, column: frame.column, row: row + place, color: theme.dim)
            guard isLast else { continue }
            write(
                "\(score)", column: frame.column + words.columns, row: row + place,
                color: trustColor(Double(score) / 100), style: .bold)
        }
        guard gauge.form == .bar else { return }
        for place in 0..<frame.columns {
            let share = (Double(place) + 0.5) / Double(frame.columns)
            let isFilled = share * 100 <= Double(score)
            write(
                isFilled ? "━" : "─", column: frame.column + place, row: frame.row + frame.rows - 1,
                color: isFilled ? trustColor(share) : theme.buffered)
        }
    }

    private func trustColor(_ share: Double) -> RGB {
        Theme.trust(share, color: options.color, isOnLight: bareGround != nil)
    }

    /// Six columns by two rows of braille are 12 × 8 dots: a half circle from the left over the top to the right, and
    /// the score under it. A cell has the colour of its place on the arc. Where there are pixels, and the picture is
    /// the ground, it is a shape of the scene: then blanks darken the picture as dots would.
    private mutating func drawArc(_ score: Int, in frame: GridRect, theme: Theme) {
        let isShape = options.pictureMode.hasPixels && textGround == nil
        let blank = GlyphLine(" ")
        if isShape {
            let place = GridRect(
                column: frame.column, row: frame.row + top, columns: TrustGauge.arc.columns, rows: TrustGauge.arc.rows)
            arcs.append(
                Scene.Arc(
                    frame: place, share: Double(score) / 100, left: trustColor(0), top: trustColor(0.5),
                    right: trustColor(1), missing: theme.buffered, rows: first..<bottom))
        }
        for row in 0..<TrustGauge.arc.rows {
            for column in 0..<TrustGauge.arc.columns {
                let cell = ArcCell(column: column, row: row, share: Double(score) / 100)
                guard let dots = cell.dots else { continue }
                write(
                    isShape ? blank : dots.line, column: frame.column + column, row: frame.row + row,
                    color: dots.isFilled ? trustColor(cell.place) : theme.buffered, style: [.bold, .shape])
            }
        }
        let text = "\(score)"
        write(
            text, column: frame.column + (TrustGauge.arc.columns - text.utf8.count) / 2, row: frame.row + 1,
            color: theme.text, style: .bold)
    }
}

/// The dots of the trust score's arc in one of its cells. A value.
private struct ArcCell {
    /// The bits of a braille cell's dots, row by row.
    private static let bits: [[UInt32]] = [[0x01, 0x08], [0x02, 0x10], [0x04, 0x20], [0x40, 0x80]]
    private static let middle = (x: 5.5, y: 6.5)
    private static let radii = 4.7..<6.4

    /// Where on the arc the cell is, 0 … 1.
    let place: Double
    /// Those of the filled part if there are any, else those of the missing part; nil if the arc does not pass here.
    let dots: (line: GlyphLine, isFilled: Bool)?

    init(column: Int, row: Int, share: Double) {
        var (filled, missing) = (UInt32(0), UInt32(0))
        for y in 0..<4 {
            for x in 0..<2 {
                let (dx, dy) = (Double(column * 2 + x) - Self.middle.x, Double(row * 4 + y) - Self.middle.y)
                guard Self.radii.contains((dx * dx + dy * dy).squareRoot()) else { continue }
                if Self.turn(dx, dy) <= share, share > 0 {
                    filled |= Self.bits[y][x]
                } else {
                    missing |= Self.bits[y][x]
                }
            }
        }
        place = Self.turn(Double(column * 2) + 0.5 - Self.middle.x, Double(row * 4) + 1.5 - Self.middle.y)
        let code = filled != 0 ? filled : missing
        guard code != 0 else {
            dots = nil
            return
        }
        var line = GlyphLine()
        line.append(Glyph(code: 0x2800 + code), width: 1)
        dots = (line, filled != 0)
    }

    /// How far along the half circle a point is: 0 at the left, 1 at the right.
    private static func turn(_ dx: Double, _ dy: Double) -> Double {
        // A dot lower than the middle is at an end.
        atan2(max(-dy, 0), -dx) / .pi
    }
}
