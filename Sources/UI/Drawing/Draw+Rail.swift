import Model

#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

extension OverlayDrawing {
    /// The buttons on the right, with the trust score above them.
    mutating func drawRail(_ state: State, index: Int, layout: PageLayout) {
        let content = state.content(of: index)
        for (button, frame) in layout.buttons {
            let look = look(of: button, content: content, state: state)
            let count = GlyphLine(look.count.map { Label.count($0) } ?? "")
            var icon = GlyphLine()
            icon.append(look.glyph, width: 1)
            if layout.railKind == .compact {
                write(icon, column: frame.column, row: frame.row, color: look.color, style: .bold)
                write(count, column: frame.column + 2, row: frame.row, limit: 5, color: state.theme.text)
            } else {
                write(icon, column: frame.column + 3, row: frame.row, color: look.color, style: .bold)
                let column = frame.column + (frame.columns - count.columns) / 2
                write(count, column: column, row: frame.row + 1, limit: frame.columns, color: state.theme.text)
            }
        }
        if let score = content.trust, let frame = layout.trust { drawTrust(score, in: frame, state: state) }
    }

    private struct Look {
        var glyph: Glyph
        var color: RGB
        var count: Int?
    }

    private func look(of button: PageLayout.Button, content: PageContent, state: State) -> Look {
        let symbols = Symbols(options)
        let theme = state.theme
        let stats = content.item.stats
        let reaction = state.reaction(to: content.item)
        /// A reaction's button: lit when the user has reacted, with the user's own reaction added to the feed's count.
        func look(_ glyph: Glyph, lit color: RGB, _ isOn: Bool, of count: Int?) -> Look {
            Look(
                glyph: glyph, color: isOn ? color : theme.text,
                count: isOn ? min(max(count ?? 0, 0), .max - 1) + 1 : count)
        }
        return switch button {
        case .like: look(symbols.like(reaction.isLiked), lit: theme.like, reaction.isLiked, of: stats?.likes)
        case .dislike:
            look(symbols.dislike(reaction.isDisliked), lit: theme.accent, reaction.isDisliked, of: stats?.dislikes)
        case .save: look(symbols.save(reaction.isSaved), lit: theme.save, reaction.isSaved, of: stats?.saves)
        case .share: look(symbols.share(reaction.wasShared), lit: theme.accent, reaction.wasShared, of: stats?.shares)
        case .comments, .trust, .follow, .caption:
            Look(glyph: symbols.comments, color: theme.text, count: stats?.comments)
        }
    }

    /// The trust score: a braille ring with the number inside where there is room, else a bar of one row; plain text
    /// without colour.
    private mutating func drawTrust(_ score: Int, in frame: GridRect, state: State) {
        let color = Theme.trust(Double(score) / 100)
        if options.color == .mono || options.isASCII {
            let text = GlyphLine("\(score)/100")
            if frame.rows >= 3 { write("trust", column: frame.column + 1, row: frame.row, color: state.theme.dim) }
            let column = frame.rows >= 3 ? frame.column + (frame.columns - text.columns) / 2 : frame.column
            write(text, column: column, row: frame.row + min(frame.rows - 1, 1), color: color)
        } else if frame.rows >= 3 {
            drawRing(score, in: frame, state: state)
        } else {
            let text = "\(score)"
            let cells = frame.columns - text.utf8.count - 1
            let filled = (cells * score + 50) / 100
            for place in 0..<cells {
                let share = Double(place) / Double(max(cells - 1, 1))
                var dash = GlyphLine()
                dash.append(Glyph(place < filled ? "━" : "─"), width: 1)
                let tone = place < filled ? Theme.trust(min(share, Double(score) / 100)) : state.theme.dim
                write(dash, column: frame.column + place, row: frame.row, color: tone)
            }
            write(text, column: frame.column + cells + 1, row: frame.row, color: color, style: .bold)
        }
    }

    /// Six columns by three rows of braille make a square of 12 × 12 dots. The ring begins at the top and goes
    /// clockwise.
    private mutating func drawRing(_ score: Int, in frame: GridRect, state: State) {
        let bits: [[UInt32]] = [[0x01, 0x08], [0x02, 0x10], [0x04, 0x20], [0x40, 0x80]]
        let share = Double(score) / 100
        for row in 0..<3 {
            for column in 0..<6 {
                var (track, arc) = (UInt32(0), UInt32(0))
                var furthest = 0.0
                for y in 0..<4 {
                    for x in 0..<2 {
                        let (dx, dy) = (Double(column * 2 + x) - 5.5, Double(row * 4 + y) - 5.5)
                        let radius = (dx * dx + dy * dy).squareRoot()
                        guard radius > 4.6, radius < 6.1 else { continue }
                        var turn = atan2(dx, -dy) / (2 * .pi)
                        if turn < 0 { turn += 1 }
                        track |= bits[y][x]
                        if turn <= share {
                            arc |= bits[y][x]
                            furthest = max(furthest, turn)
                        }
                    }
                }
                guard track != 0 else { continue }
                var line = GlyphLine()
                line.append(Glyph(code: 0x2800 + (arc != 0 ? arc : track)), width: 1)
                let color = arc != 0 ? Theme.trust(furthest) : state.theme.panelDim
                write(line, column: frame.column + column, row: frame.row + row, color: color)
            }
        }
        let text = "\(score)"
        write(
            text, column: frame.column + (6 - text.utf8.count) / 2, row: frame.row + 1, color: Theme.trust(share),
            style: .bold)
    }
}
