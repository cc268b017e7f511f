import Model

/// The colours of sixel pictures: chosen for a picture by median cut (Heckbert 1982), and
/// reused for the next ones while they suit those, so that unchanged parts are drawn the same.
struct SixelPalette: ~Copyable {
    /// Five bits of each channel: what colours are looked up by.
    private static let keys = 1 << 15
    /// A key whose colour has not been looked up yet.
    static let unknown: UInt16 = 0xFFFF

    private let most: Int
    /// 0x00RRGGBB, each a whole number of hundredths as sixel writes them.
    private(set) var colors: [UInt32] = []
    /// By how much a pixel may be moved up or down in each channel to be dithered.
    private(set) var spread: Int32 = 0
    /// The nearest colour of each key, filled on demand.
    let nearest: Plane<UInt16>
    private let counts: Plane<UInt32>
    /// The mean error of the picture that the colours were chosen for.
    private var ownError = 0.0

    /// - Parameter most: how many colours there may be, 2 … 256.
    init(most: Int) {
        self.most = min(max(most, 2), 256)
        nearest = Plane(count: Self.keys, filledWith: Self.unknown)
        counts = Plane(count: Self.keys, filledWith: 0)
    }

    @inline(__always)
    static func key(_ red: Int32, _ green: Int32, _ blue: Int32) -> Int {
        Int((red >> 3) << 10 | (green >> 3) << 5 | blue >> 3)
    }

    /// Chooses colours for a picture, unless those of before suit it about as well as the one they were chosen for.
    mutating func suit(_ pixels: UnsafePointer<UInt32>, count: Int) {
        guard count > 0 else { return }
        // Every 7th pixel: neighbours are alike, and 7 divides no usual width.
        var samples = 0
        counts.base.update(repeating: 0, count: Self.keys)
        for place in stride(from: 0, to: count, by: 7) {
            let pixel = Int32(truncatingIfNeeded: pixels[place])
            counts[Self.key(pixel >> 16 & 0xFF, pixel >> 8 & 0xFF, pixel & 0xFF)] += 1
            samples += 1
        }
        if !colors.isEmpty, error(samples: samples) <= ownError * 1.5 + 12 { return }
        choose()
        ownError = error(samples: samples)
    }

    /// The number of the nearest colour.
    @inline(__always)
    private func index(_ key: Int) -> UInt16 {
        let known = nearest[key]
        return known == Self.unknown ? find(key) : known
    }

    /// Looks for the nearest colour, and notes it in `nearest`.
    @inline(never)
    func find(_ key: Int) -> UInt16 {
        let color = Self.color(of: key)
        var (best, least) = (0, Int32.max)
        for (index, other) in colors.enumerated() {
            let distance = Self.distance(color, other)
            if distance < least { (best, least) = (index, distance) }
        }
        nearest[key] = UInt16(best)
        return UInt16(best)
    }

    /// The middle of the colours with this key.
    private static func color(of key: Int) -> UInt32 {
        let (red, green, blue) = (UInt32(key >> 10), UInt32(key >> 5 & 31), UInt32(key & 31))
        return (red << 3 | 4) << 16 | (green << 3 | 4) << 8 | blue << 3 | 4
    }

    /// The squared distance, channels weighted by how much of the brightness they are, about.
    private static func distance(_ first: UInt32, _ second: UInt32) -> Int32 {
        func apart(_ shift: UInt32) -> Int32 {
            Int32(first >> shift & 0xFF) - Int32(second >> shift & 0xFF)
        }
        let (red, green, blue) = (apart(16), apart(8), apart(0))
        return 3 * red * red + 4 * green * green + 2 * blue * blue
    }

    /// The mean squared distance of the counted pixels from their colours.
    private func error(samples: Int) -> Double {
        var sum = 0.0
        for key in 0..<Self.keys where counts[key] > 0 {
            sum += Double(counts[key]) * Double(Self.distance(Self.color(of: key), colors[Int(index(key))]))
        }
        return sum / Double(max(samples, 1))
    }

    private struct Box {
        var entries: ArraySlice<(color: SIMD3<Int32>, count: Int32)>
        /// The widest channel, and how much there is to be gained by a cut.
        var axis = 0
        var gain: Int64 = 0

        init(_ entries: ArraySlice<(color: SIMD3<Int32>, count: Int32)>) {
            self.entries = entries
            guard entries.count > 1 else { return }
            var (low, high) = (SIMD3<Int32>(repeating: 255), SIMD3<Int32>())
            var total: Int64 = 0
            for entry in entries {
                low = pointwiseMin(low, entry.color)
                high = pointwiseMax(high, entry.color)
                total += Int64(entry.count)
            }
            let width = (high &- low) &* SIMD3(3, 4, 2)
            axis = width[0] > width[1] ? (width[0] > width[2] ? 0 : 2) : (width[1] > width[2] ? 1 : 2)
            // Small areas of a colour of their own count for more than their pixels.
            gain = Int64(width[axis]) * Int64(width[axis]) * Int64(Double(total).squareRoot() * 16)
        }

        var mean: SIMD3<Int32> {
            var (sum, total) = (SIMD3<Int64>(), Int64(0))
            for entry in entries {
                sum &+= SIMD3<Int64>(truncatingIfNeeded: entry.color) &* Int64(entry.count)
                total += Int64(entry.count)
            }
            return SIMD3<Int32>(truncatingIfNeeded: (sum &+ total / 2) / max(total, 1))
        }
    }

    private mutating func choose() {
        var entries: [(color: SIMD3<Int32>, count: Int32)] = []
        for key in 0..<Self.keys where counts[key] > 0 {
            let color = Self.color(of: key)
            entries.append(
                (
                    SIMD3(Int32(color >> 16), Int32(color >> 8 & 0xFF), Int32(color & 0xFF)),
                    Int32(truncatingIfNeeded: counts[key])
                ))
        }
        var boxes = [Box(entries[...])]
        while boxes.count < most, let widest = boxes.indices.max(by: { boxes[$0].gain < boxes[$1].gain }),
            boxes[widest].gain > 0
        {
            let box = boxes[widest]
            let sorted = box.entries.sorted { $0.color[box.axis] < $1.color[box.axis] }
            let half = sorted.reduce(0) { $0 + Int64($1.count) } / 2
            var (cut, below) = (0, Int64(0))
            while cut < sorted.count - 1, below + Int64(sorted[cut].count) <= half || cut == 0 {
                below += Int64(sorted[cut].count)
                cut += 1
            }
            boxes[widest] = Box(sorted[..<cut])
            boxes.append(Box(sorted[cut...]))
        }
        colors = boxes.map { box in
            let mean = box.mean
            func whole(_ value: Int32) -> UInt32 { UInt32(((value * 100 + 127) / 255 * 255 + 50) / 100) }
            return whole(mean[0]) << 16 | whole(mean[1]) << 8 | whole(mean[2])
        }
        nearest.base.update(repeating: Self.unknown, count: Self.keys)
        spread = typicalDistance()
    }

    /// A third of the usual distance to the next colour, as one channel's.
    private func typicalDistance() -> Int32 {
        guard colors.count > 1 else { return 0 }
        var sum = 0.0
        for (index, color) in colors.enumerated() {
            var least = Int32.max
            for (other, another) in colors.enumerated() where other != index {
                least = min(least, Self.distance(color, another))
            }
            sum += (Double(least) / 9).squareRoot()
        }
        return Int32(min(max(sum / Double(colors.count) * 1.2, 4), 40))
    }
}
