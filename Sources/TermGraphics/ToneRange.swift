/// The brightness that is shown as blank, and the one that is shown with the most ink.
///
/// Characters and black and white have few tones, so a picture that uses only a part of the scale is stretched to all
/// of it, by up to a factor of two.
struct ToneRange: Hashable {
    /// 0…255. Their distance is at least `least`.
    var black: Int
    var white: Int

    static let full = ToneRange(black: 0, white: 255)
    private static let least = 128
    /// What a range may differ from the one in use without replacing it: a
    /// replaced one changes characters all over the picture.
    private static let tolerance = 8

    init(black: Int, white: Int) {
        self.black = black
        self.white = white
    }

    /// Leaves out the darkest twentieth and the brightest fiftieth of the
    /// samples counted in `histogram`, by brightness 0…255.
    init(histogram: borrowing Plane<UInt32>) {
        let samples = (0..<256).reduce(0) { $0 + Int(histogram[$1]) }
        var (dark, bright) = (0, 255)
        var below = 0
        for value in 0..<256 {
            let before = below
            below += Int(histogram[value])
            if before * 20 <= samples { dark = value }
            if before * 50 <= samples * 49 { bright = value }
        }
        guard samples > 0 else { self = .full; return }
        let width = bright - dark
        guard width < Self.least else { self.init(black: dark, white: bright); return }
        // A narrower range is widened so that it keeps its place on the scale: grey stays grey, and black stays black.
        let black = dark * (255 - Self.least) / (255 - width)
        self.init(black: black, white: black + Self.least)
    }

    /// This range, or the one in use where that is about the same.
    func settled(inUse: ToneRange) -> ToneRange {
        let isClose =
            abs(black - inUse.black) <= Self.tolerance && abs(white - inUse.white) <= Self.tolerance
        return isClose ? inUse : self
    }

    /// Where brightnesses lie in the range: 0 at `black`, 255 (or just below) at `white`.
    @inline(__always)
    func stretched(_ values: SIMD8<UInt8>) -> SIMD8<UInt8> {
        let width = UInt16(truncatingIfNeeded: white - black)
        // At most 255, and so is what it multiplies, as the range is at least 128 wide.
        let factor = (255 * 128 + width / 2) / width
        let black = SIMD8(repeating: UInt8(truncatingIfNeeded: black))
        let above = SIMD8<UInt16>(truncatingIfNeeded: pointwiseMax(values, black) &- black)
        let inside = pointwiseMin(above, SIMD8(repeating: width))
        return SIMD8<UInt8>(truncatingIfNeeded: pointwiseMin((inside &* factor) &>> 7, SIMD8(repeating: 255)))
    }
}

/// The range that the pictures shown together have, and stay in while they hardly change.
struct ToneMemory: ~Copyable {
    /// How many samples have each brightness.
    private let histogram = Plane<UInt32>(count: 256, filledWith: 0)
    private(set) var range = ToneRange.full

    /// Counts a row of visible pixels: every second one is enough.
    func count(_ row: UnsafePointer<UInt32>, count: Int) {
        var column = 0
        while column < count {
            histogram[Int(luma(row[column]))] += 1
            column += 2
        }
    }

    /// Ends the count of the next picture; true if that needs another range.
    mutating func settle() -> Bool {
        let new = ToneRange(histogram: histogram).settled(inUse: range)
        histogram.base.update(repeating: 0, count: histogram.count)
        defer { range = new }
        return new != range
    }
}
