/// A colour as brightness and two colour differences, which is how the eye compares colours. Mixing is linear in it.
struct OpponentColor: Hashable {
    /// −255…255: brightness by the weights of BT.709, and how far red and blue are above it.
    var luma: Int32
    var red: Int32
    var blue: Int32

    @inline(__always)
    init(luma: Int32, red: Int32, blue: Int32) {
        self.luma = luma
        self.red = red
        self.blue = blue
    }

    @inline(__always)
    init(_ rgb: UInt32) {
        let (r, g, b) = (Int32(rgb >> 16 & 0xFF), Int32(rgb >> 8 & 0xFF), Int32(rgb & 0xFF))
        luma = (54 * r + 183 * g + 19 * b) >> 8
        red = r - luma
        blue = b - luma
    }

    /// How far apart two colours look, squared. Brightness weighs most: the eye sees shapes by it. With less weight on
    /// the others, dark greys of few colours would be specked with blue and red.
    @inline(__always)
    func distance(to other: OpponentColor) -> Int32 {
        let (l, r, b) = (luma - other.luma, red - other.red, blue - other.blue)
        return 14 * l * l + 4 * r * r + 3 * b * b
    }

    /// The part of `distance` that brightness has no share in.
    func hueDistance(to other: OpponentColor) -> Int32 {
        let (r, b) = (red - other.red, blue - other.blue)
        return 4 * r * r + 3 * b * b
    }

    /// The product, weighed as in `distance`, of the ways from this colour to two others.
    @inline(__always)
    func product(_ one: OpponentColor, _ other: OpponentColor) -> Int32 {
        let brightness = (one.luma - luma) * (other.luma - luma)
        return 14 * brightness + 4 * (one.red - red) * (other.red - red) + 3 * (one.blue - blue) * (other.blue - blue)
    }

    /// `quarters` of four parts of this colour, the rest of `other`.
    @inline(__always)
    func mixed(quarters: Int32, with other: OpponentColor) -> OpponentColor {
        mixed(coverage: 64 * quarters, with: other)
    }

    /// `coverage` of 256 parts of this colour, the rest of `other`.
    @inline(__always)
    func mixed(coverage: Int32, with other: OpponentColor) -> OpponentColor {
        let rest = 256 - coverage
        return OpponentColor(
            luma: (luma * coverage + other.luma * rest) >> 8, red: (red * coverage + other.red * rest) >> 8,
            blue: (blue * coverage + other.blue * rest) >> 8)
    }

    /// How many quarters of `one`, the rest being `other`, come nearest to this colour; 0 or 4 if no mix does.
    @inline(__always)
    func quarters(of one: OpponentColor, with other: OpponentColor) -> Int32 {
        let whole = one.distance(to: other)
        // Rounded to quarters by comparing, which is quicker than a division.
        let eighths = other.product(one, self) << 3
        if eighths < whole { return 0 }
        if eighths < 3 * whole { return 1 }
        if eighths < 5 * whole { return 2 }
        return eighths < 7 * whole ? 3 : 4
    }

    // MARK: Keys

    /// How many keys there are.
    static let keys = 1 << 18

    /// A number that colours which look much alike share: 6 bits of brightness, and 6 of each difference.
    @inline(__always)
    var key: Int {
        // Rounded, so that greys share keys with greys.
        let (redStep, blueStep) = (min((red + 260) >> 3, 63), min((blue + 260) >> 3, 63))
        return Int((luma >> 2) << 12 | redStep << 6 | blueStep)
    }

    /// The middle of the colours that have a key.
    init(key: Int) {
        luma = Int32(key >> 12) << 2 | 2
        red = (Int32(key >> 6 & 63) << 3) - 256
        blue = (Int32(key & 63) << 3) - 256
    }

    /// How many coarse keys there are: 5 bits of each.
    static let coarseKeys = 1 << 15

    @inline(__always)
    var coarseKey: Int {
        let (redStep, blueStep) = (min((red + 264) >> 4, 31), min((blue + 264) >> 4, 31))
        return Int((luma >> 3) << 10 | redStep << 5 | blueStep)
    }

    init(coarseKey key: Int) {
        luma = Int32(key >> 10) << 3 | 4
        red = (Int32(key >> 5 & 31) << 4) - 256
        blue = (Int32(key & 31) << 4) - 256
    }

    /// The colour as 24 bits, each channel brought into its range.
    var rgb: UInt32 {
        let (r, b) = (luma + red, luma + blue)
        let g = (256 * luma - 54 * r - 19 * b) / 183
        func channel(_ value: Int32) -> UInt32 { UInt32(min(max(value, 0), 255)) }
        return channel(r) << 16 | channel(g) << 8 | channel(b)
    }
}
