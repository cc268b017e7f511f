/// Turns sound up or down, and keeps its true peak below -1 dBTP: it looks ahead, so it is turned down before a peak
/// comes. It delays nothing. Pure; it allocates nothing but its result once it has seen its largest buffer.
struct PeakLimiter {
    /// Frames that are turned down together, 1.3 ms.
    private static let blockFrames = 64
    /// How many blocks before a peak the gain begins to fall.
    private static let blocksAhead = 4
    /// How many frames after those that are limited are examined.
    static let lookahead = blockFrames * blocksAhead
    /// How many samples of the call before are stored.
    private static let history = TruePeak.margin * 2
    /// -2 dBTP: the filter of `TruePeak` finds up to 0.9 dB less than a longer one, in white noise.
    private static let ceiling: Float = 0.79
    /// What is left of a reduction after a block: half of it after 0.1 s.
    private static let release: Float = 0.990_8
    /// A smaller reduction ends, 0.001 dB.
    private static let leastReduction: Float = 1e-4

    /// The last frames of the call before, which true peaks depend on, then those of this call, then silence. Left and
    /// right interleaved.
    private var samples: [Float] = []
    /// For each block, the largest factor that keeps its peak below the ceiling.
    private var limits: [Float] = []
    /// The next frame is multiplied by this.
    private var factor: Float = 1

    /// The next sound does not follow the last.
    mutating func restart() {
        for index in samples.indices.prefix(Self.history) { samples[index] = 0 }
        factor = 1
    }

    /// Limits the first `count` frames of `input` (left and right interleaved), and returns them as 16-bit samples. The
    /// frames after them are only examined; silence is assumed to follow the last.
    ///
    /// - Parameter gain: the factors that the first of these frames, and the one after the last, are multiplied by.
    mutating func limit(
        _ input: UnsafeBufferPointer<Float>, count: Int, gain: (from: Float, to: Float)
    ) -> [Int16] {
        load(input, count: count, gain: gain)
        findLimits(count: count)
        factor = min(factor, limit(before: 0))
        let limited = [Int16](unsafeUninitializedCapacity: count * 2) { output, filled in
            samples.withUnsafeBufferPointer { samples in
                guard let output = output.baseAddress, let first = samples.baseAddress else { return }
                var block = 0
                for start in stride(from: 0, to: count, by: Self.blockFrames) {
                    block += 1
                    let next = min(released, limits[block - 1], limit(before: block))
                    let length = min(Self.blockFrames, count - start)
                    let (source, target) = (first + Self.history + start * 2, output + start * 2)
                    if factor == 1, next == 1 {
                        Quantizer.quantize(source, count: length * 2, to: target)
                    } else {
                        let ramp = Ramp(from: factor, to: next, count: length)
                        Quantizer.quantize(source, frames: length, by: ramp, to: target)
                    }
                    factor = next
                }
                filled = count * 2
            }
        }
        for index in 0..<Self.history { samples[index] = samples[count * 2 + index] }
        return limited
    }

    /// The factor after a block, if no peak is near.
    private var released: Float {
        let reduction = (1 - factor) * Self.release
        return reduction < Self.leastReduction ? 1 : 1 - reduction
    }

    private mutating func load(_ input: UnsafeBufferPointer<Float>, count: Int, gain: (from: Float, to: Float)) {
        let needed = (count + Self.lookahead + Self.blockFrames) * 2 + 2 * Self.history
        if samples.count < needed { samples += repeatElement(0, count: needed - samples.count) }
        let known = min(input.count / 2, count + Self.lookahead + TruePeak.margin)
        samples.withUnsafeMutableBufferPointer { samples in
            guard let input = input.baseAddress, let first = samples.baseAddress else { return }
            let output = first + Self.history
            var steady = 0
            if gain.from != gain.to {
                steady = min(known, count)
                let ramp = Ramp(from: gain.from, to: gain.to, count: count)
                for index in 0..<steady {
                    let factor = ramp[index]
                    output[index &* 2] = input[index &* 2] * factor
                    output[index &* 2 &+ 1] = input[index &* 2 &+ 1] * factor
                }
            }
            for index in (steady * 2)..<(known * 2) { output[index] = input[index] * gain.to }
            for index in (Self.history + known * 2)..<needed { first[index] = 0 }
        }
    }

    private mutating func findLimits(count: Int) {
        let blocks = (count + Self.blockFrames - 1) / Self.blockFrames
        limits.removeAll(keepingCapacity: true)
        samples.withUnsafeBufferPointer { samples in
            guard let first = samples.baseAddress.map({ $0 + Self.history }) else { return }
            // Most sound has no peaks, and its blocks need not be examined one by one.
            if TruePeak.bound(first, count: count + Self.lookahead, floor: Self.ceiling) <= Self.ceiling {
                limits.append(contentsOf: repeatElement(1, count: blocks + Self.blocksAhead))
                return
            }
            for block in 0..<(blocks + Self.blocksAhead) {
                // The last of the blocks that go out may be shorter, and those after it begin where it ends.
                let start = min(
                    block * Self.blockFrames, block < blocks ? .max : count + (block - blocks) * Self.blockFrames)
                let end = block < blocks ? min(start + Self.blockFrames, count) : start + Self.blockFrames
                let peak = TruePeak.peak(first + start * 2, count: end - start, floor: Self.ceiling)
                limits.append(peak > Self.ceiling ? Self.ceiling / peak : 1)
            }
        }
    }

    /// The largest factor at the beginning of a block with which those that follow can be turned down evenly.
    private func limit(before block: Int) -> Float {
        var most: Float = 1
        for ahead in 0..<Self.blocksAhead where block + ahead < limits.count {
            let limit = limits[block + ahead]
            most = min(most, limit + (1 - limit) * Float(ahead) / Float(Self.blocksAhead))
        }
        return most
    }
}
