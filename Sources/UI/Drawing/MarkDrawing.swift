import Model
import Platform

/// How far a shape has faded. A value.
private struct Fade {
    /// How the shape is blended into what is below it.
    let opacity: UInt8
    /// Without colours nothing can be blended: the shape fades by holes.
    private let hasHoles: Bool
    private let alpha: Double

    private static let bayer: [Double] = [0, 8, 2, 10, 12, 4, 14, 6, 3, 11, 1, 9, 15, 7, 13, 5]

    /// - Parameter alpha: from 1, all of it, to 0, nothing.
    init(_ alpha: Double, _ options: Options) {
        hasHoles = options.color == .mono
        self.alpha = min(max(alpha, 0), 1)
        opacity = hasHoles ? 255 : UInt8((self.alpha * 255).rounded())
    }

    func shows(_ x: Int, _ y: Int) -> Bool {
        !hasHoles || alpha > (Self.bayer[y & 3 + (x & 3) * 4] + 0.5) / 16
    }
}

/// Shapes that appear over the picture. They are drawn in quarters of cells, hearts in halves;
/// the picture shows through where they do not cover it.
extension OverlayDrawing {
    /// The quadrant block for each set of filled quarters: 1 top left, 2 top right, 4 bottom left, 8 bottom right.
    private static let quadrants: [Unicode.Scalar] = [
        " ", "▘", "▝", "▀", "▖", "▌", "▞", "▛", "▗", "▚", "▐", "▜", "▄", "▙", "▟", "█",
    ]
    /// Fills the shape that `covers` describes, within `radius` rows of the centre. x and y are in rows too, y points
    /// down. `alpha` fades the shape.
    private mutating func stamp(
        at center: (x: Double, y: Double), radius: Double, alpha: Double, color: RGB, plain: Unicode.Scalar,
        covers: (Double, Double) -> Bool
    ) {
        let fade = Fade(alpha, options)
        guard fade.opacity > 0 else { return }
        let rows = Int((center.y - radius).rounded(.down))...Int((center.y + radius).rounded(.up))
        let columns = Int((center.x - 2 * radius).rounded(.down))...Int((center.x + 2 * radius).rounded(.up))
        for row in rows {
            for column in columns where isInside(column, row) {
                var filled = 0
                for quarter in 0..<4 {
                    let (qx, qy) = (quarter % 2, quarter / 2)
                    let x = (Double(column) + 0.25 + Double(qx) * 0.5 - center.x) / 2
                    let y = Double(row) + 0.25 + Double(qy) * 0.5 - center.y
                    if fade.shows(column * 2 + qx, row * 2 + qy), covers(x, y) { filled |= 1 << quarter }
                }
                guard filled != 0 else { continue }
                if options.isASCII {
                    guard filled.nonzeroBitCount >= 2 else { continue }
                    mark(Glyph(plain), column: column, row: row, color: color, style: .bold, opacity: fade.opacity)
                } else {
                    mark(Glyph(Self.quadrants[filled]), column: column, row: row, color: color, opacity: fade.opacity)
                }
            }
        }
    }

    /// The play or pause mark: it springs out, then fades.
    mutating func drawPop(_ state: State, now: Duration) {
        guard let pop = state.playback.pop, state.view.sheet == nil else { return }
        let progress = min(max((now - pop.start) / Playback.Pop.length, 0), 1)
        let size = min(max(Double(state.size.rows) / 9, 2), 4.5) * Self.spring(progress)
        let center = (x: Double(state.size.columns) / 2, y: Double(state.size.rows - 1) / 2)
        let alpha = progress < 0.5 ? 1 : 2 - 2 * progress
        let mark = pop.mark
        stamp(at: center, radius: size, alpha: alpha, color: state.theme.text, plain: mark == .play ? ">" : "|") {
            x, y in
            let (x, y) = (x / size, y / size)
            switch mark {
            case .play: return x > -0.55 && abs(y) < 0.85 - (x + 0.55) * 0.62
            case .pause: return abs(y) < 0.8 && abs(x) > 0.2 && abs(x) < 0.62
            }
        }
    }

    /// Grows from 0.6 past 1 and back to 1.
    private static func spring(_ progress: Double) -> Double { 1 - 0.4 * exp(-progress * 9) * cos(progress * 16) }

    /// A red mark: the readiness gate does not let the user page on yet.
    mutating func drawRefusal(_ state: State) {
        guard state.loading.refusedAt != nil, state.view.sheet == nil else { return }
        let text = GlyphLine(options.isASCII ? " x " : " ✗ ")
        put(
            text, column: (state.size.columns - text.columns) / 2, row: 1, color: .white, ground: Theme.refusal,
            style: options.color == .mono ? [.bold, .reverse] : .bold)
    }

    /// The heart of a like, where it is not drawn in pixels.
    mutating func drawBurst(_ state: State, now: Duration) {
        guard !options.pictureMode.hasPixels, let heart = state.heart(now: now) else { return }
        bottom = heart.rows.upperBound
        defer { bottom = state.size.rows }
        stamp(.nearest(to: heart.columns), at: heart.at, alpha: heart.opacity, color: heart.color)
    }

    /// Puts a heart's pixels, half a row each, over the page. Without colours it is an outline on a dark ground, which
    /// is seen on a white picture too.
    private mutating func stamp(_ heart: HeartBitmap, at center: GridPoint, alpha: Double, color: RGB) {
        let (left, top) = (center.column - heart.width / 2, 2 * center.row + 1 - heart.rows.count / 2)
        let fade = Fade(alpha, options)
        guard fade.opacity > 0 else { return }
        for row in top / 2 - 1...(top + heart.rows.count) / 2 {
            for x in 0..<heart.width where isInside(left + x, row) {
                let column = left + x
                func has(_ half: Int) -> Bool { heart.has(x, half - top) && fade.shows(column, half) }
                let (upper, lower) = (has(2 * row), has(2 * row + 1))
                guard upper || lower else { continue }
                guard options.color == .mono else {
                    mark(heartGlyph(upper, lower), column: column, row: row, color: color, opacity: fade.opacity)
                    continue
                }
                let edge = (
                    upper: upper && heart.isEdge(x, 2 * row - top), lower: lower && heart.isEdge(x, 2 * row + 1 - top)
                )
                paint(heartGlyph(edge.upper, edge.lower), column: column, row: row, color: .white, ground: .black)
            }
        }
    }

    /// The glyph of a cell of which these halves are filled.
    private func heartGlyph(_ upper: Bool, _ lower: Bool) -> Glyph {
        guard upper || lower else { return .space }
        return Glyph(options.isASCII ? "*" : upper && lower ? "█" : upper ? "▀" : "▄")
    }

    /// Three dots that light up in turn, while a clip loads and during a stall; below them what flick waits for.
    mutating func drawLoading(_ state: State, layout: PageLayout, now: Duration) {
        guard let place = LoadingPlace(state, layout, now: now) else { return }
        let lit = state.options.reducedMotion ? 1 : Int(now / Loading.step) % 4
        for dot in 0..<3 {
            var line = GlyphLine()
            line.append(Glyph(options.isASCII ? (dot == lit ? "o" : ".") : (dot == lit ? "●" : "·")), width: 1)
            write(
                line, column: place.dots.column + dot * 2, row: place.dots.row,
                color: dot == lit ? state.theme.text : state.theme.dim)
        }
        guard let words = place.words else { return }
        write(words.line, column: words.frame.column, row: words.frame.row, color: state.theme.text)
    }

    /// What stands in place of a clip that cannot be played, or is hidden.
    mutating func drawWords(_ state: State, _ place: WordsPlace) {
        let theme = state.theme
        for row in place.rows {
            switch row.part {
            case .title: drawCentred(row.line, row: row.row, state: state, color: theme.bareText, style: .bold)
            case .words: drawCentred(row.line, row: row.row, state: state, color: theme.bareText)
            case .place, .advice: drawCentred(row.line, row: row.row, state: state, color: theme.bareDim)
            case .keys: drawCentred(row.line, row: row.row, state: state, color: theme.bareAccent)
            }
        }
    }
}

extension State {
    /// The heart of a like: it shrinks to 0.85 of its size, then springs to 2.3 times that while it fades.
    func heart(now: Duration) -> Scene.Heart? {
        guard let burst = reactions.burst, view.sheet == nil else { return nil }
        let shrunk = min(max((now - burst.start) / Reactions.Burst.shrinking, 0), 1)
        let grown = min(max((now - burst.start - Reactions.Burst.shrinking) / Reactions.Burst.growing, 0), 1)
        let scale = (1 - 0.15 * shrunk) * (1 + 1.3 * (1 - exp(-grown * 5) * cos(grown * 5)))
        let rows = min(max(Double(size.rows) / 8, 1.8), 5) * scale
        let middle = GridPoint(column: size.columns / 2, row: (size.rows - 1) / 2)
        return Scene.Heart(
            at: burst.at ?? middle, columns: 4 * rows, opacity: 1 - grown, color: theme.like, rows: 0..<size.rows - 1)
    }
}
