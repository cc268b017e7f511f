import Synchronization

/// How a character shows a colour in a palette.
struct InkAndPaper: Hashable {
    /// Indices of the palette.
    var ink: UInt32
    var paper: UInt32
    /// How much of the cell the character should ink, in 256ths: 4, 8 … 60, or 0 where the paper alone comes nearest.
    var coverage: Int
    /// Such a character has to be dense where the cell is dark.
    var isInkDarker: Bool
}

extension PaletteMatcher {
    /// How far apart in brightness ink and paper are at least, so that the character can be seen.
    private static let minContrast: Int32 = 20

    /// The ink, the paper and the coverage that together come nearest to `color`. With few colours most tones lie
    /// between ink of one entry and paper of another, so none of the three is chosen alone.
    @inline(__always)
    func inkAndPaper(for color: UInt32) -> InkAndPaper {
        let key = OpponentColor(color).coarseKey
        let word = knownInks[key].load(ordering: .relaxed)
        let found = word != 0 ? word : findInk(key)
        return InkAndPaper(
            ink: UInt32(first) + (found >> 8 & 0xFF), paper: UInt32(first) + (found & 0xFF),
            coverage: Int(found >> 16 & 0xFF), isInkDarker: found >> 24 & 1 != 0)
    }

    /// Works an entry out and keeps it. The top bit says that it is known.
    @inline(never)
    private func findInk(_ key: Int) -> UInt32 {
        let wanted = OpponentColor(coarseKey: key)
        let word = withUnsafeTemporaryAllocation(of: Int.self, capacity: 16) { candidates in
            let found = candidatesForMixing(wanted.rgb, nearest: nearestEntry(wanted), into: candidates)
            return bestInk(for: wanted, of: UnsafeBufferPointer(rebasing: candidates[..<found]))
        }
        knownInks[key].store(word | 1 << 31, ordering: .relaxed)
        return word
    }

    private func bestInk(for wanted: OpponentColor, of candidates: UnsafeBufferPointer<Int>) -> UInt32 {
        // Where colours allow it, brighter cells have denser characters, as they have without colours.
        let usual = max(wanted.luma, 0) * Int32(ASCIIMatcher.brightest) / 255
        var best: UInt32 = 0
        var least = Int32.max
        func consider(ground paper: Int) {
            let ground = colors[paper]
            let blank = ground.distance(to: wanted)
            if blank < least {
                least = blank
                best = UInt32(paper << 8 | paper)
            }
            for other in candidates where abs(colors[other].luma - ground.luma) >= Self.minContrast {
                let ink = colors[other]
                let coverage = Self.coverage(of: ink, on: ground, for: wanted, usual: usual)
                let away =
                    ink.mixed(coverage: coverage, with: ground).distance(to: wanted)
                    + ink.distance(to: ground) / 2_048 * coverage + (coverage - usual) * (coverage - usual) / 2
                guard away < least else { continue }
                least = away
                best = UInt32(other << 8 | paper) | UInt32(coverage) << 16 | (ink.luma < ground.luma ? 1 << 24 : 0)
            }
        }
        guard let grounds else {
            candidates.forEach(consider)
            return best
        }
        // Few grounds are as bright as the colour. Rather one of another brightness than one of another hue.
        for paper in candidates where paper < grounds && colors[paper].hueDistance(to: wanted) < 50_000 {
            consider(ground: paper)
        }
        consider(ground: 0)
        consider(ground: 7)
        return best
    }

    /// The coverage for which `away` in `bestInk` is least, where its derivative is 0; rounded, and within what
    /// characters reach.
    private static func coverage(
        of ink: OpponentColor, on ground: OpponentColor, for wanted: OpponentColor, usual: Int32
    ) -> Int32 {
        let whole = Int64(ink.distance(to: ground))
        let exact = Int64(ground.product(ink, wanted)) * 256
        let least = (2 * (exact - 16 * whole) + 65_536 * Int64(usual)) / (2 * whole + 65_536)
        return Int32(min(max((least + 2) / 4, 1), 15) * 4)
    }
}
