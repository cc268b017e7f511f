import TermGraphics
import Testing

@testable import Screen

@Suite struct EightColorsTests {
    private static let blocks = "▀▄ ░▒▓█".unicodeScalars.map { $0.value }

    /// The share of each colour in a cell's upper and lower half.
    private func halves(_ cell: PaintedCell) -> [[UInt32: Double]] {
        let coverage: [(upper: Double, lower: Double)] = [
            (1, 0), (0, 1), (0, 0), (0.25, 0.25), (0.5, 0.5), (0.75, 0.75), (1, 1),
        ]
        let ink = coverage[Self.blocks.firstIndex(of: cell.glyph)!]
        return [ink.upper, ink.lower].map { share in
            [(cell.foreground, share), (cell.background, 1 - share)]
                .reduce(into: [:]) { if $1.1 > 0 { $0[$1.0, default: 0] += $1.1 } }
        }
    }

    @Test func blocksLookTheSameWithoutABrightBackground() {
        for glyph in Self.blocks {
            for front: UInt32 in 0..<16 {
                for back: UInt32 in 0..<16 {
                    let colors = UInt64(back) << 32 | UInt64(front)
                    let cell = PaintedCell(glyph: glyph, colors: colors)
                    let made = EightColors.cell(cell)
                    #expect(halves(made) == halves(cell), "\(glyph) \(front) \(back)")
                    // What is behind a full block is not seen.
                    if front < 8 || front == back, glyph != 0x2588 {
                        #expect(made.background < 8, "\(glyph) \(front) \(back)")
                    }
                    // Of two bright ones dark grey, which would become black, is kept, and white is not.
                    if front >= 8, back == 8, front != 8, glyph == 0x2580 { #expect(made.background == front) }
                    if front >= 8, back == 15, front != 15, glyph == 0x2580 { #expect(made.background == 15) }
                }
            }
        }
    }

    @Test func spacesBesideLettersStaySpaces() {
        func stay(_ text: String, _ grounds: [UInt64]) -> String {
            let stays = EightColors.spacesBesideLetters(
                glyphs: text.unicodeScalars.map(\.value), colors: grounds.map { $0 << 32 | 7 })
            return stays.map { $0 ? "x" : "." }.joined()
        }
        #expect(stay("  A  ", [12, 12, 12, 12, 12]) == "xxxxx")
        #expect(stay("  A  ", [9, 12, 12, 12, 9]) == ".xxx.")
        #expect(stay("  A  ", [12, 12, 4, 12, 12]) == ".....")
        #expect(stay(" ▀A▀ ", [12, 12, 12, 12, 12]) == "..x..")
        #expect(stay("     ", [12, 12, 12, 12, 12]) == ".....")
    }

    @Test func lettersAndStyledCellsStayAsTheyAre() {
        let letter = PaintedCell(glyph: 0x41, colors: 12 << 32 | 7)
        #expect(EightColors.cell(letter) == letter)
        let bold = PaintedCell(glyph: 0x2580, colors: 12 << 32 | 1 << 24 | 7)
        #expect(EightColors.cell(bold) == bold)
    }
}
