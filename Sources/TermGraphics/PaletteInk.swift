import Synchronization

/// The colours of a character in a palette: ink and background that together look like a colour.
struct InkAndPaper: Hashable {
    var ink: UInt32
    var paper: UInt32
}

extension PaletteMatcher {
    /// How many amounts of ink are told apart.
    static let inkSteps = 16
    /// How much brighter than its background a character is at least.
    private static let leastContrast: Int32 = 20
    static let inkKeys = OpponentColor.coarseKeys * inkSteps

    /// The entries for a character that inks `ink`/256 of its cell, so that the cell's mean comes near `color`. They differ, so that it can be
    /// seen, but no more than the mean needs.
    @inline(__always)
    func inkAndPaper(for color: UInt32, ink: UInt32) -> InkAndPaper {
        let step = min(Int(ink) / 4, Self.inkSteps - 1)
        let key = OpponentColor(color).coarseKey * Self.inkSteps + step
        let word = knownInks[key].load(ordering: .relaxed)
        let found = word != 0 ? word : findInk(key)
        return InkAndPaper(ink: UInt32(first) + UInt32(found >> 8), paper: UInt32(first) + UInt32(found & 0xFF))
    }

    /// Works an entry out and keeps it. Never 0: ink and paper differ.
    @inline(never)
    private func findInk(_ key: Int) -> UInt16 {
        let wanted = OpponentColor(coarseKey: key / Self.inkSteps)
        // 1…64 of 256: what no character inks is a space, which has no ink.
        let ink = Int32(key % Self.inkSteps * 4 + 2)
        let word = withUnsafeTemporaryAllocation(of: Int.self, capacity: 16) { candidates in
            let found = candidatesForMixing(wanted.rgb, nearest: nearestEntry(wanted), into: candidates)
            return bestInk(ink, for: wanted, of: UnsafeBufferPointer(rebasing: candidates[..<found]))
        }
        knownInks[key].store(word, ordering: .relaxed)
        return word
    }

    private func bestInk(_ ink: Int32, for wanted: OpponentColor, of candidates: UnsafeBufferPointer<Int>) -> UInt16 {
        var best: UInt16 = 0
        var least = Int32.max
        for paper in candidates {
            for other in candidates where colors[other].luma >= colors[paper].luma + Self.leastContrast {
                let (bright, dark) = (colors[other], colors[paper])
                func mixed(_ bright: Int32, _ dark: Int32) -> Int32 { (bright * ink + dark * (256 - ink)) / 256 }
                let mix = OpponentColor(
                    luma: mixed(bright.luma, dark.luma), red: mixed(bright.red, dark.red),
                    blue: mixed(bright.blue, dark.blue))
                let away = mix.hueDistance(to: wanted) + bright.distance(to: dark) / 2_048 * ink
                if away < least {
                    least = away
                    best = UInt16(other << 8 | paper)
                }
            }
        }
        return best != 0 ? best : UInt16(brightest << 8 | darkest)
    }
}
