/// Rows of pixels, compared many at a time.
enum Pixels {
    @inline(__always)
    static func areEqual(_ first: UnsafePointer<UInt32>, _ second: UnsafePointer<UInt32>, count: Int) -> Bool {
        firstDifference(first, second, count: count) == count
    }

    /// The first place where two rows differ, or `count`.
    static func firstDifference(_ first: UnsafePointer<UInt32>, _ second: UnsafePointer<UInt32>, count: Int) -> Int {
        var place = 0
        while place + 16 <= count {
            let difference =
                UnsafeRawPointer(first + place).loadUnaligned(as: SIMD16<UInt32>.self)
                ^ UnsafeRawPointer(second + place).loadUnaligned(as: SIMD16<UInt32>.self)
            if difference != SIMD16() { break }
            place += 16
        }
        while place < count, first[place] == second[place] { place += 1 }
        return place
    }

    /// The end of the last place where two rows differ, or 0.
    static func endOfDifference(_ first: UnsafePointer<UInt32>, _ second: UnsafePointer<UInt32>, count: Int) -> Int {
        var end = count
        while end >= 16 {
            let difference =
                UnsafeRawPointer(first + end - 16).loadUnaligned(as: SIMD16<UInt32>.self)
                ^ UnsafeRawPointer(second + end - 16).loadUnaligned(as: SIMD16<UInt32>.self)
            if difference != SIMD16() { break }
            end -= 16
        }
        while end > 0, first[end - 1] == second[end - 1] { end -= 1 }
        return end
    }
}
