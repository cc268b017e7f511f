import TestSupport
import Testing

@testable import Bytes
@testable import Cache

@Suite struct ByteRangesTests {
    private func ranges(_ parts: ClosedRange<Int64>...) -> ByteRanges {
        var ranges = ByteRanges()
        for part in parts { ranges.insert(part) }
        return ranges
    }

    @Test func overlapsAndNeighboursAreMerged() {
        #expect(ranges(0...4, 5...9).ranges == [0...9])
        #expect(ranges(5...9, 0...4).ranges == [0...9])
        #expect(ranges(0...4, 6...9).ranges == [0...4, 6...9])
        #expect(ranges(0...4, 6...9, 5...5).ranges == [0...9])
        #expect(ranges(0...4, 6...9, 20...30, 3...25).ranges == [0...30])
        #expect(ranges(0...9, 2...3).ranges == [0...9])
    }

    @Test func extremeOffsetsDoNotOverflow() {
        var all = ranges(.min...(.max))
        #expect(all.prefix(from: .min) == .max)
        #expect(all.prefix(from: .max) == 1)
        #expect(all.firstGap(in: .min...(.max)) == nil)
        all.remove(.min...(.min))
        all.remove(.max...(.max))
        let inner: ClosedRange<Int64> = (Int64.min + 1)...(Int64.max - 1)
        #expect(all.ranges == [inner])
        #expect(all.firstGap(in: .min...(.max)) == .min...(.min))
        #expect(all.firstGap(in: 0...(.max)) == .max...(.max))
        #expect(all.gaps(in: .min...(.max)) == [.min...(.min), .max...(.max)])
        all.insert(.max...(.max))
        all.insert(.min...(.min))
        #expect(all.ranges == [.min...(.max)])
        all.remove(.min...(.max))
        #expect(all.isEmpty && all == ByteRanges())
    }

    @Test func aCopyStaysAsItWas() {
        var one = ranges(0...9, 20...29)
        let copy = one
        one.insert(10...19)
        #expect(copy.ranges == [0...9, 20...29])
        #expect(one.ranges == [0...29])
    }

    /// Against an array of flags, which cannot be wrong.
    @Test(arguments: [1, 2, 3, 4] as [UInt64])
    func randomOperationsAgreeWithFlags(seed: UInt64) {
        var random = SeededRandom(state: seed)
        let size: Int64 = seed == 1 ? 40 : 3000
        let longest: Int64 = seed == 4 ? 400 : 4
        var flags = [Bool](repeating: false, count: Int(size))
        var ranges = ByteRanges()
        var faults = 0
        for step in 0..<60_000 {
            let lower = Int64.random(in: 0..<size, using: &random)
            let range = lower...min(size - 1, lower + Int64.random(in: 0..<longest, using: &random))
            switch Int.random(in: 0..<10, using: &random) {
            case 0..<5:
                ranges.insert(range)
                for index in range { flags[Int(index)] = true }
            case 5..<7:
                ranges.remove(range)
                for index in range { flags[Int(index)] = false }
            case 7:
                let end = flags[Int(lower)...].firstIndex(of: false) ?? Int(size)
                if ranges.prefix(from: lower) != Int64(end) - lower { faults += 1 }
            default:
                let first = range.first { !flags[Int($0)] }
                let last = first.map { first in
                    (first...range.upperBound).first { flags[Int($0)] } ?? range.upperBound + 1
                }
                let gap = first.flatMap { first in last.map { first...$0 - 1 } }
                if ranges.firstGap(in: range) != gap { faults += 1 }
            }
            if step % 2000 == 0 { faults += disagreements(ranges, flags) }
        }
        #expect(faults + disagreements(ranges, flags) == 0)
    }

    private func disagreements(_ ranges: ByteRanges, _ flags: [Bool]) -> Int {
        var expected: [ClosedRange<Int64>] = []
        var start: Int?
        for (index, flag) in (flags + [false]).enumerated() {
            if flag, start == nil { start = index }
            if !flag, let first = start {
                expected.append(Int64(first)...Int64(index) - 1)
                start = nil
            }
        }
        var rebuilt = ByteRanges()
        for range in expected.reversed() { rebuilt.insert(range) }
        return (ranges.ranges == expected ? 0 : 1) + (ranges == rebuilt ? 0 : 1)
    }

    @Test func oneRemovalSpansManyLeaves() {
        var ranges = ByteRanges()
        for index in 0..<5000 as Range<Int64> { ranges.insert(index * 10...index * 10 + 4) }
        ranges.remove(102...49_900)
        #expect(ranges.ranges.suffix(11).first == 100...101)
        #expect(ranges.ranges.count == 10 + 1 + 1 + 9)
        ranges.insert(0...60_000)
        #expect(ranges.ranges == [0...60_000])
    }
}
