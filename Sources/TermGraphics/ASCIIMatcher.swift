/// Finds the printable ASCII character that shows a cell best: it inks as much of the cell as is wanted, and its ink is
/// shaped like the cell.
///
/// The characters are sorted by density. Only those about as dense as wanted are compared, in groups of eight. Safe
/// from any thread: it only reads tables.
final class ASCIIMatcher: Sendable {
    static let shared = ASCIIMatcher()

    /// How many brightness levels are distinguished.
    static let tones = 128
    private static let characters = 95
    /// How many characters are compared.
    private static let window = 32
    /// What the brightest tone inks, in 256ths of the cell: as much as the densest character does.
    static let brightest = 62

    // nonisolated(unsafe): written only by `init`, and never freed: there is one matcher.
    /// For each of the eight samples, each character's ink there: above its mean, halved.
    nonisolated(unsafe) private let shapes: UnsafePointer<Int16>
    /// For each tone, the cost of each character of its window before its shape is compared.
    nonisolated(unsafe) private let costs: UnsafePointer<Int16>
    /// The first character of each tone's window.
    nonisolated(unsafe) private let starts: UnsafePointer<UInt8>
    /// The characters by density: code, and ink in 256ths of the cell.
    nonisolated(unsafe) private let codes: UnsafePointer<UInt8>
    nonisolated(unsafe) private let inks: UnsafePointer<UInt8>

    private init() {
        let table = ASCIICoverage.table
        func sum(_ character: Int) -> Int { (0..<8).reduce(0) { $0 + Int(table[8 * character + $1]) } }
        let sorted = (0..<Self.characters).sorted { (sum($0), $0) < (sum($1), $1) }
        let shapes = UnsafeMutablePointer<Int16>.allocate(capacity: 8 * Self.characters)
        let costs = UnsafeMutablePointer<Int16>.allocate(capacity: Self.tones * Self.window)
        let starts = UnsafeMutablePointer<UInt8>.allocate(capacity: Self.tones)
        let codes = UnsafeMutablePointer<UInt8>.allocate(capacity: Self.characters)
        let inks = UnsafeMutablePointer<UInt8>.allocate(capacity: Self.characters)
        var unevenness: [Int] = []
        for (place, character) in sorted.enumerated() {
            codes[place] = ASCIICoverage.first + UInt8(character)
            inks[place] = UInt8(sum(character) / 8)
            var squares = 0
            for sample in 0..<8 {
                let above = 8 * Int(table[8 * character + sample]) - sum(character)
                shapes[sample * Self.characters + place] = Int16(above / 16)
                squares += above * above / 64
            }
            unevenness.append(squares)
        }
        for tone in 0..<Self.tones {
            // Eighths of a coverage, as the sums are.
            let wanted = tone * 8 * Self.brightest / (Self.tones - 1)
            let next = sorted.firstIndex { sum($0) >= wanted } ?? Self.characters
            let start = min(max(next - Self.window / 2, 0), Self.characters - Self.window)
            starts[tone] = UInt8(start)
            for place in 0..<Self.window {
                let away = sum(sorted[start + place]) - wanted
                let cost = (away * away * 12 / 8 + unevenness[start + place]) / Self.scale
                costs[tone * Self.window + place] = Int16(min(cost, 16_000))
            }
        }
        self.shapes = UnsafePointer(shapes)
        self.costs = UnsafePointer(costs)
        self.starts = UnsafePointer(starts)
        self.codes = UnsafePointer(codes)
        self.inks = UnsafePointer(inks)
    }

    private static let scale = 32

    /// A character, and how much of its cell it inks, in 256ths.
    struct Match: Hashable {
        var code: UInt32
        var ink: UInt32
    }

    /// What a character should look like.
    struct Query {
        /// 0 ..< `tones`.
        fileprivate var tone: Int
        /// How much brighter each sample is than their mean, in quarters,
        /// −55…55; negative where it is brighter if the ink is dark.
        fileprivate var shape: SIMD8<Int16>

        /// White ink on black, for eight samples of 0…255, left to right and top to bottom.
        @inline(__always)
        init(_ samples: SIMD8<UInt8>) {
            let wide = SIMD8<Int16>(truncatingIfNeeded: samples)
            let sum = wide.wrappedSum()
            tone = Int(sum >> 4)
            shape = ((wide &<< 3) &- SIMD8(repeating: sum)) &>> 5
        }

        /// The shape of eight samples, with `coverage`/256 of the cell inked:
        /// where the samples are dark, if the ink is.
        @inline(__always)
        init(_ samples: SIMD8<UInt8>, coverage: Int, isInkDarker: Bool) {
            self.init(samples)
            tone = min(coverage * (ASCIIMatcher.tones - 1) / ASCIIMatcher.brightest, ASCIIMatcher.tones - 1)
            if isInkDarker { shape = 0 &- shape }
        }
    }

    @inline(__always)
    func match(_ query: Query) -> Match {
        let (tone, shape) = (query.tone, query.shape)
        let start = Int(starts[tone])
        let base = UnsafeRawPointer(costs + tone * Self.window)
        var first = base.loadUnaligned(as: SIMD8<Int16>.self)
        var second = (base + 16).loadUnaligned(as: SIMD8<Int16>.self)
        var third = (base + 32).loadUnaligned(as: SIMD8<Int16>.self)
        var fourth = (base + 48).loadUnaligned(as: SIMD8<Int16>.self)
        for sample in 0..<8 {
            let weight = SIMD8<Int16>(repeating: shape[sample])
            let ink = UnsafeRawPointer(shapes + sample * Self.characters + start)
            first &-= weight &* ink.loadUnaligned(as: SIMD8<Int16>.self)
            second &-= weight &* (ink + 16).loadUnaligned(as: SIMD8<Int16>.self)
            third &-= weight &* (ink + 32).loadUnaligned(as: SIMD8<Int16>.self)
            fourth &-= weight &* (ink + 48).loadUnaligned(as: SIMD8<Int16>.self)
        }
        let least = Self.least(pointwiseMin(pointwiseMin(first, second), pointwiseMin(third, fourth)))
        // The first place that has it: all others are replaced by one that is too far.
        let (best, none) = (SIMD8(repeating: least), SIMD8<Int16>(repeating: .max))
        let places = SIMD8<Int16>(0, 1, 2, 3, 4, 5, 6, 7)
        let place = Self.least(
            pointwiseMin(
                pointwiseMin(
                    places.replacing(with: none, where: first .!= best),
                    (places &+ 8).replacing(with: none, where: second .!= best)),
                pointwiseMin(
                    (places &+ 16).replacing(with: none, where: third .!= best),
                    (places &+ 24).replacing(with: none, where: fourth .!= best))))
        return Match(code: UInt32(codes[start + Int(place)]), ink: UInt32(inks[start + Int(place)]))
    }

    @inline(__always)
    private static func least(_ values: SIMD8<Int16>) -> Int16 {
        let four = pointwiseMin(values.lowHalf, values.highHalf)
        let two = pointwiseMin(four.lowHalf, four.highHalf)
        return min(two.x, two.y)
    }

    /// The same, one character after the other: for tests.
    func plainMatch(_ query: Query) -> Match {
        let (tone, shape) = (query.tone, query.shape)
        let start = Int(starts[tone])
        var best = 0
        var least = Int.max
        for place in 0..<Self.window {
            var cost = Int(costs[tone * Self.window + place])
            for sample in 0..<8 {
                cost -= Int(shape[sample]) * Int(shapes[sample * Self.characters + start + place])
            }
            if cost < least {
                least = cost
                best = start + place
            }
        }
        return Match(code: UInt32(codes[best]), ink: UInt32(inks[best]))
    }
}
