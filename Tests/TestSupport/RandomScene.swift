import Model
import TermGraphics

/// Pictures, pages and an overlay that change slightly from update to update.
public struct RandomScene {
    public let size: GridSize
    public var first: Picture
    public var second: Picture
    public var top = 0.0
    public var cover = 0.0
    public var overlay: CellGrid
    public var background = RGB(20, 30, 40)

    public init(size: GridSize, pictureMode: PictureMode, using random: inout SeededRandom) {
        self.size = size
        overlay = CellGrid(size: size)
        let whole = pictureMode.pictureSize(for: size)
        first = Self.picture(within: whole, using: &random)
        second = Self.picture(within: whole, using: &random)
    }

    /// Has few colours, so that runs and reuse occur; can be smaller or larger than the page.
    private static func picture(within whole: PixelSize, using random: inout SeededRandom) -> Picture {
        let size = PixelSize(
            width: .random(in: 1...whole.width + 3, using: &random),
            height: .random(in: 1...whole.height + 3, using: &random))
        let few: [UInt32] = [0xFF000000, 0xFFFFFF, 0x102030, 0xAABBCC, 0xFF00FF]
        let isFlat = Bool.random(using: &random)
        return Picture(
            size: size,
            pixels: (0..<size.width * size.height).map { _ in
                isFlat ? few[.random(in: 0..<few.count, using: &random)] : .random(in: 0...0xFF_FFFF, using: &random)
            })
    }

    public mutating func change(using random: inout SeededRandom) {
        if Int.random(in: 0..<3, using: &random) == 0 {
            top = Double.random(in: -Double(size.rows) - 1...Double(size.rows) + 1, using: &random)
        }
        cover = Int.random(in: 0..<5, using: &random) == 0 ? .random(in: 0...1, using: &random) : 0
        for _ in 0..<Int.random(in: 0...5, using: &random) {
            let pixel = Int.random(in: 0..<first.pixels.count, using: &random)
            first.pixels[pixel] = .random(in: 0...0xFF_FFFF, using: &random)
        }
        for _ in 0..<Int.random(in: 0...8, using: &random) { changeCell(using: &random) }
    }

    private mutating func changeCell(using random: inout SeededRandom) {
        let index = Int.random(in: 0..<size.cells, using: &random)
        let glyphs: [Glyph] = [
            .none, .none, .space, .continuation, Glyph("a"), Glyph("é"), Glyph("┃"), Glyph("世"), Glyph("界"),
            GlyphTable.glyph(for: "e\u{301}"), Glyph("▀"),
        ]
        var glyph = glyphs[.random(in: 0..<glyphs.count, using: &random)]
        let isWide = glyph == Glyph("世") || glyph == Glyph("界")
        if isWide, index % size.columns == size.columns - 1 { glyph = Glyph("x") }
        overlay.cells[index] = Cell(
            glyph: glyph, foreground: RGB(packed: .random(in: 0...0xFF_FFFF, using: &random)),
            background: RGB(packed: .random(in: 0...0xFF_FFFF, using: &random)),
            style: CellStyle(rawValue: .random(in: 0...255, using: &random) & 0x9F),
            shade: .random(in: 0...255, using: &random))
        if isWide, index % size.columns < size.columns - 1 { overlay.cells[index + 1] = Cell(glyph: .continuation) }
        mendWideCharacters()
    }

    /// Repairs halves of wide characters, because flick's own drawing never leaves half of one.
    private mutating func mendWideCharacters() {
        for index in overlay.cells.indices {
            let glyph = overlay.cells[index].glyph
            let isWide = glyph == Glyph("世") || glyph == Glyph("界")
            let isLast = index % size.columns == size.columns - 1
            let isFollowed = !isLast && overlay.cells[index + 1].glyph == .continuation
            if isWide, !isFollowed { overlay.cells[index].glyph = Glyph("x") }
            if !isWide, isFollowed, glyph.code >= 0x7F, glyph != .continuation {
                overlay.cells[index].glyph = Glyph("y")
            }
        }
    }

    public func compose(into canvas: inout Canvas) {
        first.withView { first in
            second.withView { second in
                canvas.compose(
                    pages: [
                        PagePicture(picture: first, top: top, cover: cover),
                        PagePicture(picture: second, top: top + Double(size.rows)),
                    ], pageSize: size, overlay: overlay, background: background)
            }
        }
    }
}
