/// How far apart two colours look, in quarters of a level of brightness.
///
/// The three axes are those of YCgCo (ITU-T H.273, matrix coefficients 8) times 4, 1 and 2: sums and differences of
/// bytes. Brightness counts more than the axes of colour, which eyes resolve less finely.
enum ColorDistance {
    /// More than any two colours are apart.
    static let none: Int32 = 0x7FFF

    /// The distance between two packed colours; `none` if one is more than 24 bits, as a pen's unknown colour is.
    @inline(__always)
    static func between(_ one: UInt32, _ other: UInt32) -> Int32 {
        guard (one | other) <= 0xFF_FFFF else { return none }
        let red = Int32(one >> 16 & 0xFF) - Int32(other >> 16 & 0xFF)
        let green = Int32(one >> 8 & 0xFF) - Int32(other >> 8 & 0xFF)
        let blue = Int32(one & 0xFF) - Int32(other & 0xFF)
        let light = abs(red + 2 * green + blue)
        let warmth = abs(red - blue)
        let greenness = abs(2 * green - red - blue)
        return max(light, max(warmth + warmth >> 2, greenness))
    }

    /// The same for eight pairs, in the low halves of the result; the high
    /// halves have no meaning. No byte on top may be set.
    @inline(__always)
    static func between(_ one: SIMD8<UInt32>, _ other: SIMD8<UInt32>) -> SIMD8<UInt32> {
        // Red and blue are 16 bits apart, and their differences stay in 16 bits.
        let redBlue = halves(one & 0xFF00FF) &- halves(other & 0xFF00FF)
        let green = halves((one &>> 8) & 0xFF) &- halves((other &>> 8) & 0xFF)
        let pairs = words(redBlue)
        let blueRed = halves((pairs &>> 16) | (pairs &<< 16))
        let (both, twice) = (redBlue &+ blueRed, green &+ green)
        let warmth = Self.magnitude(redBlue &- blueRed)
        let nearer = Self.greater(Self.magnitude(both &+ twice), Self.magnitude(twice &- both))
        return words(Self.greater(nearer, warmth &+ (warmth &>> 2)))
    }

    @inline(__always)
    private static func halves(_ words: SIMD8<UInt32>) -> SIMD16<Int16> { unsafeBitCast(words, to: SIMD16<Int16>.self) }

    @inline(__always)
    private static func words(_ halves: SIMD16<Int16>) -> SIMD8<UInt32> {
        unsafeBitCast(halves, to: SIMD8<UInt32>.self)
    }

    @inline(__always)
    private static func magnitude(_ values: SIMD16<Int16>) -> SIMD16<Int16> {
        let sign = values &>> 15
        return (values ^ sign) &- sign
    }

    /// As `pointwiseMax`, which is a loop over lanes, for values less than 2^15 apart.
    @inline(__always)
    private static func greater(_ one: SIMD16<Int16>, _ other: SIMD16<Int16>) -> SIMD16<Int16> {
        let lead = one &- other
        return one &- (lead & (lead &>> 15))
    }
}

/// The colours that are near enough to each of several: a box in the axes of `ColorDistance`.
struct ColorRange {
    private var low: SIMD4<Int16>
    private var high: SIMD4<Int16>

    /// All colours no further than `radius`, in the units of `ColorDistance`, from `color`.
    @inline(__always)
    init(around color: UInt32, radius: Int32) {
        let (red, green, blue) = (
            Int16(truncatingIfNeeded: color >> 16 & 0xFF), Int16(truncatingIfNeeded: color >> 8 & 0xFF),
            Int16(truncatingIfNeeded: color & 0xFF)
        )
        let middle = SIMD4(red &+ 2 &* green &+ blue, red &- blue, 2 &* green &- red &- blue, 0)
        let reach = Int16(truncatingIfNeeded: radius)
        // Four fifths, rounded down, as the distance counts this axis by five quarters.
        let width = SIMD4(reach, Int16(truncatingIfNeeded: (radius &* 205) &>> 8), reach, 0)
        low = middle &- width
        high = middle &+ width
    }

    /// The intersection of both ranges; nil if it is empty.
    @inline(__always)
    func common(with other: ColorRange) -> ColorRange? {
        var range = self
        // The greater and the lesser of two, which are less than 2^15 apart.
        let (rise, fall) = (low &- other.low, high &- other.high)
        range.low = low &- (rise & (rise &>> 15))
        range.high = other.high &+ (fall & (fall &>> 15))
        let signs = unsafeBitCast(range.high &- range.low, to: UInt64.self) & 0x8000_8000_8000_8000
        return signs == 0 ? range : nil
    }

    /// The colour in its middle, or the nearest that there is.
    @inline(__always)
    var middle: UInt32 {
        let sum = low &+ high
        // Twice each axis.
        let (light, warmth, greenness) = (Int32(sum[0]), Int32(sum[1]), Int32(sum[2]))
        let green = (light &+ greenness &+ 4) >> 3
        let redBlue = light &- greenness
        let red = (redBlue &+ 2 &* warmth &+ 4) >> 3
        let blue = (redBlue &- 2 &* warmth &+ 4) >> 3
        func byte(_ value: Int32) -> UInt32 { UInt32(truncatingIfNeeded: min(max(value, 0), 255)) }
        return byte(red) << 16 | byte(green) << 8 | byte(blue)
    }
}
