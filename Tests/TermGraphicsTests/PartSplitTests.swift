import Model
import TestSupport
import Testing

@testable import TermGraphics

@Suite struct PartSplitTests {
    /// Brightness and colour differences of a colour, as the split compares them.
    private func point(_ color: UInt32) -> [Double] {
        let (red, green, blue) = (Double(color >> 16 & 0xFF), Double(color >> 8 & 0xFF), Double(color & 0xFF))
        let luma = 0.2126 * red + 0.7152 * green + 0.0722 * blue
        let weight = Double(PartSplit.colorWeight)
        return [luma, weight * (red - luma), weight * (blue - luma)]
    }

    /// The squared distances of the parts from their group's mean.
    private func loss(_ parts: [UInt32], _ pattern: UInt32) -> Double {
        var sum = 0.0
        for isInk in [true, false] {
            let group = parts.indices.filter { (pattern >> UInt32($0) & 1 == 1) == isInk }.map { point(parts[$0]) }
            for channel in 0..<3 where !group.isEmpty {
                let mean = group.reduce(0) { $0 + $1[channel] } / Double(group.count)
                sum += group.reduce(0) { $0 + ($1[channel] - mean) * ($1[channel] - mean) }
            }
        }
        return sum
    }

    private func patterns(_ cells: [[UInt32]], after shown: [UInt32] = []) -> [UInt32] {
        let split = PartSplit(parts: cells[0].count)
        for part in cells[0].indices {
            var colors = SIMD8<UInt32>()
            for lane in cells.indices { colors[lane] = cells[lane][part] }
            split.set(part, colors)
        }
        var before = PartSplit.Patterns()
        for lane in shown.indices { before[lane] = shown[lane] }
        let found = split.patterns(after: before)
        return cells.indices.map { found[$0] }
    }

    private func cells(of parts: Int, using random: inout SeededRandom) -> [[UInt32]] {
        (0..<8).map { kind in
            let (one, other) = (
                UInt32.random(in: 0...0xFF_FFFF, using: &random), UInt32.random(in: 0...0xFF_FFFF, using: &random)
            )
            return (0..<parts).map { part in
                switch kind {
                case 0...3: .random(in: 0...0xFF_FFFF, using: &random)
                // Two colours, a little grey, and a slope.
                case 4, 5: Bool.random(using: &random) ? one : other
                case 6: .random(in: 0x70...0x78, using: &random) * 0x01_0101
                default: UInt32(20 * part) * 0x01_0101 + one % 64
                }
            }
        }
    }

    /// Of all divisions, the one that loses least: tried one by one.
    @Test(arguments: [4, 6, 8])
    func chosenDivisionIsOptimal(parts: Int) {
        for seed in 1...40 {
            var random = SeededRandom(state: UInt64(seed))
            let cells = cells(of: parts, using: &random)
            let whole = UInt32(1) << UInt32(parts) - 1
            for (cell, found) in zip(cells, patterns(cells)) {
                #expect(found & 1 == 1 && found <= whole)
                let least = (0...whole).map { loss(cell, $0) }.min()!
                let limit = found == whole ? Double(PartSplit.flat) * Double(parts) : 0
                #expect(loss(cell, found) <= least + limit + 0.05, "seed \(seed)")
            }
        }
    }

    @Test(arguments: [4, 6, 8])
    func shownPatternStaysUnlessClearlyWorse(parts: Int) {
        var (stayed, changed) = (0, 0)
        for seed in 1...60 {
            var random = SeededRandom(state: UInt64(seed))
            let before = cells(of: parts, using: &random)
            let shown = patterns(before)
            let cells = before.map { cell in
                let most = UInt32.random(in: 0...24, using: &random)
                return cell.map { ($0 & 0xE0_E0E0) + .random(in: 0...most, using: &random) * 0x01_0101 }
            }
            let fresh = patterns(cells)
            for (index, found) in patterns(cells, after: shown).enumerated() {
                let (least, lost) = (loss(cells[index], fresh[index]), loss(cells[index], found))
                let all = loss(cells[index], UInt32(1) << UInt32(parts) - 1)
                let limit = Double(PartSplit.slack) * Double(parts) + Double(PartSplit.slackShare) * (all - least)
                #expect(lost <= least + limit + Double(PartSplit.flat) * Double(parts) + 0.05)
                if found != fresh[index] { stayed += 1 }
                if found != shown[index] { changed += 1 }
                #expect(found == fresh[index] || found == shown[index])
            }
        }
        #expect(stayed > 20 && changed > 20)
    }

    @Test func noiseChangesNoPattern() {
        for parts in [4, 6, 8] {
            var random = SeededRandom(state: 9)
            for _ in 0..<20 {
                let cells = cells(of: parts, using: &random).map { $0.map { $0 & 0xF8_F8F8 } }
                let shown = patterns(cells)
                let noisy = cells.map { $0.map { $0 + .random(in: 0...1, using: &random) * 0x01_0101 } }
                #expect(patterns(noisy, after: shown) == shown)
            }
        }
    }
}
