/// Divides the parts of cells into two groups that can have one colour each: of
/// all divisions, the one that loses least.
///
/// What a division loses is the sum of the squared distances between the parts and their group's mean: all variation
/// less what lies between the two means (Lloyd, "Least squares quantization in PCM", 1982). Colours are compared as
/// they are coded, as brightness and two colour differences with less weight (docs/decisions/part-glyphs.md). Eight
/// cells are worked out at once, one in each lane. Not thread-safe.
struct PartSplit: ~Copyable {
    typealias Lanes = SIMD8<Float>
    typealias Patterns = SIMD8<UInt32>
    /// How many cells are worked out at once.
    static let cells = 8

    /// A division, which differs from the one before in one part
    /// (a Gray code), so that each sum follows by one addition.
    struct Step {
        /// Where the values of that part are: those to be added, or those with the other sign.
        var place: Int
        /// The parts of the group, by bit. Part 0 is in the other one.
        var group: UInt32
        /// The number of parts over the product of both groups' sizes.
        var factor: Float
    }

    let parts: Int
    /// The pattern of all parts.
    let whole: UInt32
    private let steps: Plane<Step>
    /// Brightness and two colour differences of each part, less their mean; then the same with the other sign.
    private let values: Plane<Lanes>

    /// What a colour difference weighs beside brightness.
    static let colorWeight: Float = 0.5
    /// A cell whose best division gains no more than this for each part has one colour: its differences are invisible.
    static let flat: Float = 0.5
    /// A shown division stays while it gains less than the best one by no more than this for each part,
    /// and by no more than this share of the best one's gain. So noise does not make characters flicker.
    static let slack: Float = 1.5
    static let slackShare: Float = 1 / 16

    /// - Parameter parts: of a cell, 1 … 8.
    init(parts: Int) {
        self.parts = parts
        whole = 1 << UInt32(parts) - 1
        values = Plane(count: 6 * parts, filledWith: Lanes())
        let divisions = 1 << (parts - 1)
        steps = Plane(count: divisions - 1, filledWith: Step(place: 0, group: 0, factor: 0))
        for number in 1..<divisions {
            let code = UInt32(number ^ number >> 1) << 1
            let part = number.trailingZeroBitCount + 1
            let size = code.nonzeroBitCount
            steps[number - 1] = Step(
                place: 6 * part + (code >> UInt32(part) & 1 == 1 ? 0 : 3), group: code,
                factor: Float(parts) / Float(size * (parts - size)))
        }
    }

    /// Takes over one part of eight cells, 24 bits of colour each.
    @inline(__always)
    func set(_ part: Int, _ colors: SIMD8<UInt32>) {
        let (red, green, blue) = (
            Self.float(colors &>> 16 & 0xFF), Self.float(colors &>> 8 & 0xFF), Self.float(colors & 0xFF)
        )
        // BT.709, as the brightness that pictures are compared by.
        let luma = red * 0.2126 + green * 0.7152 + blue * 0.0722
        let value = values.base + 6 * part
        value[0] = luma
        value[1] = (red - luma) * Self.colorWeight
        value[2] = (blue - luma) * Self.colorWeight
    }

    /// Numbers below 2²³.
    @inline(__always)
    private static func float(_ numbers: SIMD8<UInt32>) -> Lanes {
        unsafeBitCast(numbers | 0x4B00_0000, to: Lanes.self) - 8_388_608
    }

    /// The patterns of the cells that `set` received: the group of
    /// part 0 is set, and all parts where one colour is enough.
    ///
    /// - Parameter shown: the previous patterns, which stay while they are about as good; 0 for a cell without one.
    @inline(__always)
    func patterns(after shown: Patterns) -> Patterns {
        center()
        var (luma, red, blue) = (Lanes(), Lanes(), Lanes())
        var most = Lanes()
        var group = Patterns()
        for index in 0..<steps.count {
            let step = steps.base[index]
            let value = values.base + step.place
            luma += value[0]
            red += value[1]
            blue += value[2]
            let kept = (luma * luma + red * red + blue * blue) * step.factor
            let isBetter = kept .> most
            most.replace(with: kept, where: isBetter)
            group.replace(with: Patterns(repeating: step.group), where: isBetter)
        }
        var best = (Patterns(repeating: whole) & ~group)
        let limit = Float(parts) * Self.flat
        best.replace(with: Patterns(repeating: whole), where: most .<= limit)
        let least = most - (most * Self.slackShare + Float(parts) * Self.slack)
        best.replace(with: shown, where: (kept(by: shown) .>= least) .& (most .> limit / 4) .& (shown .!= 0))
        return best
    }

    /// Subtracts the mean of each cell, and notes the values with the other sign.
    @inline(__always)
    private func center() {
        for channel in 0..<3 {
            var sum = Lanes()
            for part in 0..<parts { sum += values.base[6 * part + channel] }
            let mean = sum * (1 / Float(parts))
            for part in 0..<parts {
                let value = values.base[6 * part + channel] - mean
                values.base[6 * part + channel] = value
                values.base[6 * part + channel + 3] = -value
            }
        }
    }

    /// How much of the variation lies between the two groups of patterns.
    @inline(__always)
    private func kept(by patterns: Patterns) -> Lanes {
        var (luma, red, blue, size) = (Lanes(), Lanes(), Lanes(), Lanes())
        for part in 1..<parts {
            let value = values.base + 6 * part
            let isApart = (patterns &>> UInt32(part)) & 1 .== 0
            luma += value[0].replacing(with: 0, where: .!isApart)
            red += value[1].replacing(with: 0, where: .!isApart)
            blue += value[2].replacing(with: 0, where: .!isApart)
            size += Lanes().replacing(with: 1, where: isApart)
        }
        let squares = luma * luma + red * red + blue * blue
        // Of one group nothing is kept: its sums are 0.
        let sizes = pointwiseMax(size, Lanes(repeating: 1)) * (Float(parts) - size)
        return squares * Float(parts) / sizes
    }
}
