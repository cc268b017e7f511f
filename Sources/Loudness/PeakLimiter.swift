/// Turns sound up or down, and keeps its true peak below -1 dBTP: it looks ahead, so it is turned down before a peak
/// comes. It delays nothing. Pure; it allocates nothing once it has seen its largest buffer.
struct PeakLimiter {
    /// Frames that are turned down together, 1.3 ms.
    private static let blockFrames = 64
    /// How many blocks before a peak the gain begins to fall.
    private static let blocksAhead = 4
    /// How many frames after those that are limited are examined.
    static let lookahead = blockFrames * blocksAhead
    /// -2 dBTP: the filter of `TruePeak` finds up to 0.9 dB less than a longer one, in white noise.
    private static let ceiling: Float = 0.79
    /// What is left of a reduction after a block: half of it after 0.1 s.
    private static let release: Float = 0.990_8

    /// The last frames of the call before, which true peaks depend on, then those of this call, then silence.
    private var frames: [SIMD2<Float>] = []
    /// For each block, the largest factor that keeps its peak below the ceiling.
    private var limits: [Float] = []
    /// The next frame is multiplied by this.
    private var factor: Float = 1

    /// The next sound does not follow the last.
    mutating func restart() {
        for index in frames.indices.prefix(TruePeak.margin) { frames[index] = .zero }
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
        let samples = [Int16](unsafeUninitializedCapacity: count * 2) { output, filled in
            var block = 0
            for start in stride(from: 0, to: count, by: Self.blockFrames) {
                block += 1
                let next = min(1 - (1 - factor) * Self.release, limits[block - 1], limit(before: block))
                let end = min(start + Self.blockFrames, count)
                let step = (next - factor) / Float(end - start)
                for index in start..<end {
                    let frame = frames[TruePeak.margin + index] * (factor + step * Float(index - start))
                    let sample = Self.rounded(frame)
                    (output[index * 2], output[index * 2 + 1]) = (sample.x, sample.y)
                }
                factor = next
            }
            filled = count * 2
        }
        for index in 0..<TruePeak.margin { frames[index] = frames[count + index] }
        return samples
    }

    private mutating func load(_ input: UnsafeBufferPointer<Float>, count: Int, gain: (from: Float, to: Float)) {
        let needed = count + Self.lookahead + Self.blockFrames + 2 * TruePeak.margin
        if frames.count < needed { frames += repeatElement(.zero, count: needed - frames.count) }
        let known = min(input.count / 2, count + Self.lookahead + TruePeak.margin)
        let step = (gain.to - gain.from) / Float(max(count, 1))
        frames.withUnsafeMutableBufferPointer { frames in
            for index in 0..<known {
                let factor = gain.from + step * Float(min(index, count))
                frames[TruePeak.margin + index] = SIMD2(input[index * 2], input[index * 2 + 1]) * factor
            }
            for index in (TruePeak.margin + known)..<needed { frames[index] = .zero }
        }
    }

    private mutating func findLimits(count: Int) {
        let blocks = (count + Self.blockFrames - 1) / Self.blockFrames
        limits.removeAll(keepingCapacity: true)
        frames.withUnsafeBufferPointer { frames in
            guard let first = frames.baseAddress else { return }
            for block in 0..<(blocks + Self.blocksAhead) {
                // The last of the blocks that go out may be shorter, and those after it begin where it ends.
                let start = min(
                    block * Self.blockFrames, block < blocks ? .max : count + (block - blocks) * Self.blockFrames)
                let end = block < blocks ? min(start + Self.blockFrames, count) : start + Self.blockFrames
                let peak = TruePeak.peak(first + TruePeak.margin + start, count: end - start, floor: Self.ceiling)
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

    /// As 16-bit samples, rounded to the nearest; NaN becomes any value. Adding 1.5 · 2^23 moves the bits of the whole
    /// number to the end of a Float.
    @inline(__always)
    static func rounded(_ frame: SIMD2<Float>) -> SIMD2<Int16> {
        let scaled = (frame * 32_768).clamped(
            lowerBound: SIMD2(repeating: -32_768), upperBound: SIMD2(repeating: 32_767))
        return SIMD2<Int16>(truncatingIfNeeded: unsafeBitCast(scaled + 12_582_912, to: SIMD2<UInt32>.self))
    }
}
