import TestSupport
import Testing

@testable import TermGraphics

@Suite struct ColorDistanceTests {
    @Test func vectorisedDistancesMatchScalarOnes() {
        var random = SeededRandom(state: 3)
        for _ in 0..<2_000 {
            let colors = (0..<16).map { _ in
                Bool.random(using: &random)
                    ? UInt32.random(in: 0...0xFF_FFFF, using: &random)
                    : [0, 0xFF_FFFF, 0xFF, 0xFF00].randomElement(using: &random)!
            }
            let (one, other) = (SIMD8(colors[0..<8]), SIMD8(colors[8..<16]))
            let together = ColorDistance.between(one, other)
            for lane in 0..<8 {
                #expect(Int32(together[lane] & 0xFFFF) == ColorDistance.between(one[lane], other[lane]))
            }
        }
    }

    @Test func brightnessCountsMoreThanColour() {
        let grey: UInt32 = 0x808080
        #expect(ColorDistance.between(grey, grey) == 0)
        #expect(ColorDistance.between(grey, 0x818181) == 4)
        // Eight levels of one colour against the other two, brightness staying.
        #expect(ColorDistance.between(grey, 0x88_80_78) == 20)
        #expect(ColorDistance.between(grey, 0x888888) == 32)
        #expect(ColorDistance.between(grey, Pen.unknown) > ColorDistance.between(0, 0xFF_FFFF))
    }

    /// What a range has is near enough to every colour that it was made of.
    @Test func middleOfACommonRangeIsNearAllItsColours() throws {
        var random = SeededRandom(state: 5)
        var (found, empty) = (0, 0)
        for _ in 0..<3_000 {
            let radius = Int32.random(in: 4...200, using: &random)
            let first = UInt32.random(in: 0...0xFF_FFFF, using: &random)
            let second = near(first, by: Int(radius), using: &random)
            let range = ColorRange(around: first, radius: radius)
            guard let common = range.common(with: ColorRange(around: second, radius: radius)) else {
                empty += 1
                #expect(ColorDistance.between(first, second) > radius)
                continue
            }
            found += 1
            // Two quarters are lost to whole levels. What was moved into the range of bytes is not counted here.
            let middle = common.middle
            let isInside = [16, 8, 0].allSatisfy { 0 < middle >> $0 & 0xFF && middle >> $0 & 0xFF < 255 }
            if isInside {
                #expect(ColorDistance.between(middle, first) <= radius + 4)
                #expect(ColorDistance.between(middle, second) <= radius + 4)
            }
        }
        #expect(found > 500 && empty > 100)
        #expect(ColorRange(around: 0x123456, radius: 9).middle == 0x123456)
    }

    private func near(_ color: UInt32, by span: Int, using random: inout SeededRandom) -> UInt32 {
        [16, 8, 0].reduce(0) { sum, shift in
            let value = Int(color >> UInt32(shift) & 0xFF) + .random(in: -span...span, using: &random)
            return sum | UInt32(min(max(value, 0), 255)) << UInt32(shift)
        }
    }
}
