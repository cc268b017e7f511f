import Model
import Testing

@testable import TermGraphics

@Suite struct PartGlyphTests {
    private func name(_ code: UInt32) -> String? { Unicode.Scalar(code)?.properties.name }

    /// The parts of a pattern as Unicode's names have them: 1 is the upper left one.
    private func digits(_ pattern: Int) -> String {
        var digits = ""
        for part in 0..<8 where pattern >> part & 1 == 1 { digits += String(part + 1) }
        return digits
    }

    @Test(arguments: [PictureMode.quadrant, .sextant, .octant, .braille])
    func everyPatternHasAUniqueCharacter(mode: PictureMode) {
        let codes = PartGlyphs.codes(of: mode)
        let samples = mode.samplesPerCell
        #expect(codes.count == 1 << (samples.width * samples.height))
        #expect(Set(codes).count == codes.count)
        #expect(codes[0] == 0x20)
        #expect(codes.last == (mode == .braille ? 0x28FF : 0x2588))
        #expect(codes.dropFirst().allSatisfy { PartGlyphs.isOneColumn($0) })
    }

    @Test func quadrantsAreWhatTheirNamesSay() {
        let places = ["UPPER LEFT", "UPPER RIGHT", "LOWER LEFT", "LOWER RIGHT"]
        let halves = [
            0b0011: "UPPER HALF BLOCK", 0b1100: "LOWER HALF BLOCK", 0b0101: "LEFT HALF BLOCK",
            0b1010: "RIGHT HALF BLOCK",
        ]
        for pattern in 1..<15 {
            let parts = places.indices.filter { (pattern >> $0) & 1 == 1 }.map { places[$0] }
            let wanted = halves[pattern] ?? "QUADRANT " + parts.joined(separator: " AND ")
            #expect(name(PartGlyphs.quadrants[pattern]) == wanted)
        }
    }

    @Test func sextantsAreWhatTheirNamesSay() {
        for pattern in 1..<63 where ![0b010101, 0b101010].contains(pattern) {
            #expect(name(PartGlyphs.sextants[pattern]) == "BLOCK SEXTANT-" + digits(pattern))
        }
        #expect(PartGlyphs.sextants[0b010101] == 0x258C && PartGlyphs.sextants[0b101010] == 0x2590)
    }

    /// The 26 patterns of octants without a character of that name, and 20 of the others: Unicode 16, UnicodeData.txt.
    @Test func octantsAreThoseOfUnicode16() {
        let others: [String: UInt32] = [
            "": 0x20, "12345678": 0x2588, "1234": 0x2580, "5678": 0x2584, "1357": 0x258C, "2468": 0x2590,
            "13": 0x2598, "24": 0x259D, "57": 0x2596, "68": 0x2597, "1368": 0x259A, "2457": 0x259E,
            "123457": 0x259B, "123468": 0x259C, "135678": 0x2599, "245678": 0x259F, "12": 0x1FB82, "123456": 0x1FB85,
            "78": 0x2582, "345678": 0x2586, "1": 0x1CEA8, "2": 0x1CEAB, "7": 0x1CEA3, "8": 0x1CEA0, "35": 0x1FBE6,
            "46": 0x1FBE7,
        ]
        let octants: [String: UInt32] = [
            "3": 0x1CD00, "23": 0x1CD01, "123": 0x1CD02, "4": 0x1CD03, "135": 0x1CD0D, "2345": 0x1CD16, "146": 0x1CD20,
            "456": 0x1CD2F, "23456": 0x1CD35, "17": 0x1CD36, "2357": 0x1CD49, "12457": 0x1CD4D, "67": 0x1CD51,
            "18": 0x1CD71, "168": 0x1CD90, "12468": 0x1CD98, "178": 0x1CDAC, "678": 0x1CDCB, "15678": 0x1CDDB,
            "2345678": 0x1CDE5,
        ]
        var counted = 0
        for pattern in 0..<256 {
            let parts = digits(pattern)
            if let code = others[parts] {
                #expect(PartGlyphs.octants[pattern] == code, "\(parts)")
            } else {
                #expect(PartGlyphs.octants[pattern] == 0x1CD00 + UInt32(counted), "\(parts)")
                counted += 1
            }
            if let code = octants[parts] { #expect(PartGlyphs.octants[pattern] == code, "\(parts)") }
        }
        #expect(counted == 230)
    }

    @Test func brailleIsWhatItsNamesSay() {
        // The dots of a cell, left to right and top to bottom.
        let numbers = [1, 4, 2, 5, 3, 6, 7, 8]
        for pattern in 1..<256 {
            let inked = numbers.indices.filter { (pattern >> $0) & 1 == 1 }
            let dots = inked.map { numbers[$0] }.sorted().map { String($0) }
            #expect(name(PartGlyphs.braille[pattern]) == "BRAILLE PATTERN DOTS-" + dots.joined())
        }
    }

    @Test(arguments: [PictureMode.quadrant, .sextant, .octant])
    func inversesShowTheOtherParts(mode: PictureMode) {
        let codes = PartGlyphs.codes(of: mode)
        for pattern in 1..<codes.count - 1 {
            #expect(PartGlyphs.inverse(of: codes[pattern]) == codes[codes.count - 1 - pattern])
        }
        for code in [0x20, 0x41, 0x2588, 0x2591, 0x2503, 0x28FF, 0x1FBEF, 0x1CEBF, 0x1F600] as [UInt32] {
            #expect(PartGlyphs.inverse(of: code) == 0)
        }
    }

    @Test func octantsMapToNearQuadrants() {
        func quadrant(_ parts: String) -> UInt32? {
            let pattern = parts.reduce(0) { $0 | 1 << ($1.wholeNumberValue! - 1) }
            return PartGlyphs.quadrant(for: PartGlyphs.octants[pattern])
        }
        #expect(quadrant("3") == 0x2598)
        #expect(quadrant("123") == 0x2598)
        #expect(quadrant("1234578") == 0x259B)
        #expect(quadrant("13") == nil && quadrant("1234") == nil)
        #expect(PartGlyphs.quadrant(for: 0x41) == nil && PartGlyphs.quadrant(for: 0x1FB00) == nil)
    }
}
