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
        // What is left of a word beside a sheet says nothing.
        let sheet = state.sheet == nil ? nil : SheetLayout(state).frame
        func isCut(_ frame: GridRect) -> Bool { sheet?.overlaps(frame) ?? false }
        for (button, frame) in layout.buttons where !isCut(frame) {
            drawButton(look(of: button, content: content, state: state), in: frame, state: state)
        }
        if let score = content.trust, let frame = layout.trust, !layout.trustFrames.contains(where: isCut) {
            let label = layout.trustLabel.map { TrustLabel(place: $0, words: content.trustLabel) }
            drawTrust(score, label: label, in: frame, state: state)
        }
    }

    /// Icon and count with the word below them; icon and word where there is one row.
    private mutating func drawButton(_ look: Look, in frame: GridRect, state: State) {
        var icon = GlyphLine()
        icon.append(look.glyph, width: 1)
        write(icon, column: frame.column, row: frame.row, color: look.color, style: .bold)
        let word = GridRect(
            column: frame.rows >= 2 ? frame.column : frame.column + 2, row: frame.row + frame.rows - 1,
            columns: frame.rows >= 2 ? frame.columns : frame.columns - 2, rows: 1)
        if frame.rows >= 2, let count = look.count {
            write(
                GlyphLine(Label.count(count)), column: frame.column + 2, row: frame.row, limit: frame.columns - 2,
                color: look.color, style: look.isOn ? .bold : [])
        }
        drawWord(look, in: word, theme: state.theme)
    }

    /// The button's word, with the letter of its key set apart; nothing if there is no room for it.
    private mutating func drawWord(_ look: Look, in frame: GridRect, theme: Theme) {
        guard let word = look.words.first(where: { $0.utf8.count <= frame.columns }) else { return }
        if look.isOn {
            write(word, column: frame.column, row: frame.row, color: look.color, style: .bold)
        } else {
            // In ASCII the icon is the key's letter.
            let key = options.isASCII && look.key.map(GlyphLine.init)?.glyphs.first == look.glyph ? nil : look.key
            write(KeyedWord(word, key: key, room: frame.columns), column: frame.column, row: frame.row, theme: theme)
        }
    }

    private struct Look {
        var glyph: Glyph
        var color: RGB
        var isOn = false
        var count: Int?
        /// What the button is called, the best first; another if that has no room.
        var words: [String]
        var key: String?
    }

    private func look(of button: PageLayout.Button, content: PageContent, state: State) -> Look {
        let symbols = Symbols(options)
        let theme = state.theme
        let stats = content.item.stats
        let reaction = state.reaction(to: content.item)
        let key = state.keyLabel(of: button.action)
        /// A reaction's button: lit when the user has reacted.
        func look(
            _ glyph: Glyph, lit color: RGB, _ mark: KeyPath<Reaction, Bool>, of told: Int?, _ words: String...
        ) -> Look {
            let isOn = reaction[keyPath: mark]
            return Look(
                glyph: glyph, color: isOn ? color : theme.text, isOn: isOn,
                count: state.count(told, of: mark, to: content.item), words: words, key: key)
        }
        return switch button {
        case .like:
            look(
                symbols.like(reaction.isLiked), lit: theme.like, \.isLiked, of: stats?.likes,
                reaction.isLiked ? "liked" : "like")
        case .dislike:
            look(
                symbols.dislike(reaction.isDisliked), lit: theme.accent, \.isDisliked, of: stats?.dislikes,
                "dislike")
        case .save:
            look(
                symbols.save(reaction.isSaved), lit: theme.save, \.isSaved, of: stats?.saves,
                reaction.isSaved ? "saved" : "save")
        case .share:
            look(
                symbols.share(reaction.wasShared), lit: theme.accent, \.wasShared, of: stats?.shares,
                reaction.wasShared ? "shared" : "share", "share")
        case .comments, .message, .trust, .follow, .caption:
            Look(
                glyph: symbols.comments, color: theme.text, count: state.discussion.count(of: content.item),
                words: ["comment"], key: key)
        }
    }

    private struct TrustLabel {
        var place: TrustLabelPlace
        var words: GlyphLine
    }

    /// The trust score: a braille ring with the number inside and words below where there is room, else words, number
    /// and a bar; plain text without colour. Number, arc and bar have the score's colour. The words are the feed's own
    /// for the score if they have room, else "trust".
    private mutating func drawTrust(_ score: Int, label: TrustLabel?, in frame: GridRect, state: State) {
        let color = Theme.trust(Double(score) / 100, color: options.color, isOnLight: bareGround != nil)
        if TrustLabelPlace.isLine(frame, options) {
            drawTrustLine(score, label: label, in: frame, state: state, color: color)
            return
        }
        if options.trustIsPlain {
            write("\(score)/100", column: frame.column, row: frame.row, color: color, style: .bold)
        } else {
            drawRing(score, in: frame, state: state, color: color)
        }
        guard frame.rows == 2 || frame.rows == 4 else { return }
        drawTrustWords(label, column: frame.column, row: frame.row + frame.rows - 1, state: state)
    }

    private mutating func drawTrustWords(_ label: TrustLabel?, column: Int, row: Int, state: State) {
        guard let label else {
            write("trust", column: column, row: row, color: state.theme.dim)
            return
        }
        let frame = label.place.words
        write(label.words, column: frame.column, row: frame.row, limit: frame.columns, color: state.theme.dim)
    }

    /// "trust 82", or the feed's words in place of the first, and a bar of that length below if there is a second row.
    private mutating func drawTrustLine(
        _ score: Int, label: TrustLabel?, in frame: GridRect, state: State, color: RGB
    ) {
        drawTrustWords(label, column: frame.column, row: frame.row, state: state)
        write(
            "\(score)", column: label?.place.score ?? frame.column + 6, row: frame.row, color: color, style: .bold)
        guard frame.rows >= 2 else { return }
        let filled = (frame.columns * score + 50) / 100
        for place in 0..<frame.columns {
            var dash = GlyphLine()
            dash.append(Glyph(place < filled ? "━" : "─"), width: 1)
            write(
                dash, column: frame.column + place, row: frame.row + 1, color: place < filled ? color : state.theme.dim)
        }
    }

    /// Six columns by three rows of braille make a square of 12 × 12 dots. The
    /// ring begins at the top and goes clockwise.
    private mutating func drawRing(_ score: Int, in frame: GridRect, state: State, color: RGB) {
        let bits: [[UInt32]] = [[0x01, 0x08], [0x02, 0x10], [0x04, 0x20], [0x40, 0x80]]
        let share = Double(score) / 100
        for row in 0..<3 {
            for column in 0..<6 {
                var (track, arc) = (UInt32(0), UInt32(0))
                for y in 0..<4 {
                    for x in 0..<2 {
                        let (dx, dy) = (Double(column * 2 + x) - 5.5, Double(row * 4 + y) - 5.5)
                        let radius = (dx * dx + dy * dy).squareRoot()
                        guard radius > 4.1, radius < 6.1 else { continue }
                        var turn = atan2(dx, -dy) / (2 * .pi)
                        if turn < 0 { turn += 1 }
                        track |= bits[y][x]
                        if turn <= share { arc |= bits[y][x] }
                    }
                }
                guard track != 0 else { continue }
                var line = GlyphLine()
                line.append(Glyph(code: 0x2800 + (arc != 0 ? arc : track)), width: 1)
                write(
                    line, column: frame.column + column, row: frame.row + row,
                    color: arc != 0 ? color : state.theme.dim, style: .bold)
            }
        }
        let text = "\(score)"
        write(
            text, column: frame.column + (6 - text.utf8.count) / 2, row: frame.row + 1, color: state.theme.text,
            style: .bold)
    }
}

extension GridRect {
    fileprivate func overlaps(_ other: GridRect) -> Bool {
        row < other.row + other.rows && other.row < row + rows && column < other.column + other.columns
            && other.column < column + columns
    }
}
