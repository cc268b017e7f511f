import Model
import Synchronization

/// Finds the nearest match for a colour in a palette: one entry, or two that a shade character (░▒▓) mixes.
///
/// Colours are looked up by a key of 18 bits. The result of a key is computed on first
/// use and stored for the process, so that no table has to be built at the start. Safe
/// from any thread: entries are single words, and each thread would write the same one.
final class PaletteMatcher: Sendable {
    /// The cube and the greys only: the user may have changed 0…15.
    static let cube = PaletteMatcher(16..<256)
    static let terminal = PaletteMatcher(0..<16)
    /// The same where no background can be bright: characters stand on one of the first eight.
    static let terminalWithDarkGrounds = PaletteMatcher(0..<16, grounds: 8)
    /// For a terminal without colours: unlit is 0, lit is 1.
    static let blackAndWhite = PaletteMatcher(colors: [RGB(packed: 0), RGB(packed: 0xFF_FFFF)], first: 0)

    /// Entries that are further apart are not mixed: their dots would be seen.
    private static let farthestMix = 160

    let first: Int
    // nonisolated(unsafe): written only by `init`, never freed, as all instances are static.
    nonisolated(unsafe) let colors: UnsafePointer<OpponentColor>
    nonisolated(unsafe) private let packed: UnsafePointer<UInt32>
    private let count: Int
    /// How many of the first entries can be the ground of a character, if not all can.
    let grounds: Int?
    // nonisolated(unsafe): the pointers are written only by `init`; what they point to is atomic.
    nonisolated(unsafe) private let knownNearest: UnsafeMutablePointer<Atomic<UInt8>>
    nonisolated(unsafe) let knownInks: UnsafeMutablePointer<Atomic<UInt32>>
    nonisolated(unsafe) private let knownMixes: UnsafeMutablePointer<Atomic<UInt32>>

    private convenience init(_ range: Range<Int>, grounds: Int? = nil) {
        self.init(colors: range.map { TerminalPalette.color(of: $0) }, first: range.lowerBound, grounds: grounds)
    }

    private init(colors palette: [RGB], first: Int, grounds: Int? = nil) {
        self.first = first
        self.grounds = grounds
        count = palette.count
        let colors = UnsafeMutablePointer<OpponentColor>.allocate(capacity: count)
        let packed = UnsafeMutablePointer<UInt32>.allocate(capacity: count)
        for (index, color) in palette.enumerated() {
            colors.advanced(by: index).initialize(to: OpponentColor(color.packed))
            packed.advanced(by: index).initialize(to: color.packed)
        }
        self.colors = UnsafePointer(colors)
        self.packed = UnsafePointer(packed)
        knownNearest = Self.zeroes(OpponentColor.keys)
        knownMixes = Self.zeroes(OpponentColor.keys)
        knownInks = Self.zeroes(OpponentColor.coarseKeys)
    }

    /// Words of 0, written as plain bytes: a loop over a million atomics would be felt at the start.
    private static func zeroes<Word>(_ count: Int) -> UnsafeMutablePointer<Atomic<Word>> {
        let bytes = count * MemoryLayout<Atomic<Word>>.stride
        let memory = UnsafeMutableRawPointer.allocate(
            byteCount: bytes, alignment: MemoryLayout<Atomic<Word>>.alignment)
        memory.initializeMemory(as: UInt8.self, repeating: 0, count: bytes)
        return memory.bindMemory(to: Atomic<Word>.self, capacity: count)
    }

    // MARK: Single colours

    /// The index of the entry that is `rgb`, else of the nearest.
    func nearest(_ rgb: UInt32) -> UInt32 {
        for index in 0..<count where packed[index] == rgb & 0xFF_FFFF { return UInt32(first + index) }
        return UInt32(first + nearestEntry(OpponentColor(rgb)))
    }

    func color(of index: UInt32) -> UInt32 { packed[Int(index) - first] }

    // MARK: Cells

    /// The cell that shows `upper` above `lower` best: two pixels, or where they are alike a shade of two entries.
    @inline(__always)
    func cell(upper: UInt32, lower: UInt32) -> PaletteCell {
        let (above, below) = (OpponentColor(upper), OpponentColor(lower))
        let (pixelAbove, pixelBelow) = (nearestEntry(above), nearestEntry(below))
        let asPair = above.distance(to: colors[pixelAbove]) + below.distance(to: colors[pixelBelow])
        // What a shade loses whatever it mixes: the difference of the two pixels. A shade must be better by a little.
        let atLeast = above.distance(to: below) + 32
        if atLeast < asPair {
            // The mean of each channel at once.
            let halves: UInt32 = ((upper ^ lower) & 0xFEFEFE) >> 1
            let middle: UInt32 = halves + (upper & lower)
            let wanted = OpponentColor(middle)
            if let mix = mixing(wanted), atLeast + 2 * mix.loss < asPair { return mix.cell }
        }
        return PaletteCell(
            quarters: 0, foreground: UInt32(first + pixelAbove), background: UInt32(first + pixelBelow))
    }

    /// The shade nearest to a colour, and its loss: how far it is
    /// from it, and how much its dots disturb; nil if no shade suits.
    @inline(__always)
    func mixing(_ wanted: OpponentColor) -> (cell: PaletteCell, loss: Int32)? {
        let mix = mix(wanted)
        guard mix.quarters > 0 else { return nil }
        let (ink, paper) = (colors[mix.foreground], colors[mix.background])
        let quarters = Int32(mix.quarters)
        let away = ink.mixed(quarters: quarters, with: paper).distance(to: wanted)
        let cell = PaletteCell(
            quarters: mix.quarters, foreground: UInt32(first + mix.foreground),
            background: UInt32(first + mix.background))
        return (cell, away + Self.texture(ink, paper, quarters: quarters))
    }

    /// How much the dots of a shade disturb: more the further its colours are
    /// apart, most where there is as much of both.
    @inline(__always)
    private static func texture(_ ink: OpponentColor, _ paper: OpponentColor, quarters: Int32) -> Int32 {
        ink.distance(to: paper) / 1_024 * (quarters * (4 - quarters))
    }

    // MARK: The tables

    /// The result for the colours of a key: the offset of the nearest entry.
    @inline(__always)
    func nearestEntry(_ color: OpponentColor) -> Int {
        let key = color.key
        let word = knownNearest[key].load(ordering: .relaxed)
        return Int(word != 0 ? word : findNearest(key)) - 1
    }

    @inline(never)
    private func findNearest(_ key: Int) -> UInt8 {
        let target = OpponentColor(key: key)
        var nearest = 0
        var least = Int32.max
        for index in 0..<count {
            let away = target.distance(to: colors[index])
            if away < least {
                least = away
                nearest = index
            }
        }
        let word = UInt8(nearest + 1)
        knownNearest[key].store(word, ordering: .relaxed)
        return word
    }

    /// The result for the colours of a key: the two entries to mix,
    /// and how many quarters are foreground (0: no mix is worth it).
    private struct Mix {
        let word: UInt32

        @inline(__always)
        init(word: UInt32) { self.word = word }

        init(_ foreground: Int, _ background: Int, quarters: Int) {
            // The top bit says that it is known.
            word = UInt32(foreground | background << 8 | quarters << 16) | 1 << 31
        }

        @inline(__always) var foreground: Int { Int(word & 0xFF) }
        @inline(__always) var background: Int { Int(word >> 8 & 0xFF) }
        @inline(__always) var quarters: UInt32 { word >> 16 & 3 }
    }

    @inline(__always)
    private func mix(_ color: OpponentColor) -> Mix {
        let key = color.key
        let word = knownMixes[key].load(ordering: .relaxed)
        return Mix(word: word != 0 ? word : findMix(key))
    }

    @inline(never)
    private func findMix(_ key: Int) -> UInt32 {
        let target = OpponentColor(key: key)
        let nearest = nearestEntry(target)
        let word = withUnsafeTemporaryAllocation(of: Int.self, capacity: 16) { candidates in
            let found = candidatesForMixing(target.rgb, nearest: nearest, into: candidates)
            return bestMix(target, of: UnsafeBufferPointer(rebasing: candidates[..<found]), nearest: nearest)
        }
        knownMixes[key].store(word, ordering: .relaxed)
        return word
    }

    /// All of a small palette; of the cube the eight corners around the colour, and the greys that are about as bright.
    func candidatesForMixing(
        _ rgb: UInt32, nearest: Int, into list: UnsafeMutableBufferPointer<Int>
    ) -> Int {
        guard first == TerminalPalette.firstOfCube else {
            for index in 0..<count { list[index] = index }
            return count
        }
        let (red, green, blue) = (Int(rgb >> 16), Int(rgb >> 8 & 0xFF), Int(rgb & 0xFF))
        let steps = (
            TerminalPalette.steps(around: red), TerminalPalette.steps(around: green),
            TerminalPalette.steps(around: blue)
        )
        for corner in 0..<8 {
            list[corner] =
                36 * (corner & 4 == 0 ? steps.0.below : steps.0.above)
                + 6 * (corner & 2 == 0 ? steps.1.below : steps.1.above)
                + (corner & 1 == 0 ? steps.2.below : steps.2.above)
        }
        let brightness = (54 * red + 183 * green + 19 * blue) >> 8
        let darker = min(max((brightness - 8) / 10 - 2, 0), TerminalPalette.greys - 6)
        for grey in 0..<6 { list[8 + grey] = TerminalPalette.firstGrey - first + darker + grey }
        list[14] = nearest
        return 15
    }

    private func bestMix(_ target: OpponentColor, of candidates: UnsafeBufferPointer<Int>, nearest: Int) -> UInt32 {
        var word = Mix(nearest, nearest, quarters: 0).word
        var least = target.distance(to: colors[nearest])
        for one in candidates {
            for other in candidates where one < other && areMixable(one, other) {
                let quarters = target.quarters(of: colors[one], with: colors[other])
                guard (1...3).contains(quarters) else { continue }
                let away =
                    colors[one].mixed(quarters: quarters, with: colors[other]).distance(to: target)
                    + Self.texture(colors[one], colors[other], quarters: quarters)
                guard away < least else { continue }
                least = away
                // The brighter of the two is always the ink, so that equal mixes are equal cells.
                let isInk = colors[one].luma >= colors[other].luma
                let (ink, paper) = isInk ? (one, other) : (other, one)
                word = Mix(ink, paper, quarters: Int(isInk ? quarters : 4 - quarters)).word
            }
        }
        return word
    }

    private func areMixable(_ one: Int, _ other: Int) -> Bool {
        guard first == TerminalPalette.firstOfCube else { return true }
        func gap(_ shift: UInt32) -> Int { Int(packed[one] >> shift & 0xFF) - Int(packed[other] >> shift & 0xFF) }
        let (red, green, blue) = (gap(16), gap(8), gap(0))
        return red * red + green * green + blue * blue <= Self.farthestMix * Self.farthestMix
    }
}

/// A cell of few colours: two pixels one above the other, or a shade of two colours.
struct PaletteCell: Hashable {
    /// How much of the cell the foreground covers: 0 for two pixels, where the foreground is the upper one; else 1…3.
    var quarters: UInt32
    var foreground: UInt32
    var background: UInt32

    /// ░ ▒ ▓
    var shade: UInt32 { 0x2590 + quarters }
}
