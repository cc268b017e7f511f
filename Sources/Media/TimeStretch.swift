/// Plays stereo sound faster or slower at its own pitch, by WSOLA (Verhelst and
/// Roelands, 1993): overlapping windows are read at another distance than they are
/// written, each moved slightly to where it matches the previous one best. Pure.
struct TimeStretch {
    /// Frames from one window to the next, 15 ms at 48 kHz; a window is twice as long.
    static let hop = 720
    /// How far a window can be moved: 8 ms in both directions, a period of a low voice.
    static let reach = 384

    private let rate: Double
    /// Left and right interleaved, from frame `origin` on.
    private var input: [Float] = []
    private var origin = 0
    /// The frame at which the previous window was read.
    private var previous = 0
    private var windows = 0
    private var received = 0
    private var produced = 0

    /// `thousandths`: the speed in thousandths of normal.
    init(thousandths: UInt32) { rate = Double(thousandths) / 1_000 }

    /// Returns as much output as these samples allow.
    mutating func push(_ samples: ArraySlice<Float>) -> [Float] {
        received += samples.count / 2
        if rate == 1 {
            produced += samples.count / 2
            return Array(samples)
        }
        input.append(contentsOf: samples)
        return advance()
    }

    /// Returns the rest, so that the total length is right.
    mutating func finish() -> [Float] {
        let length = Int((Double(received) / rate).rounded())
        guard rate != 1, produced < length else { return [] }
        var rest: [Float] = []
        let before = produced
        while before + rest.count / 2 < length {
            input.append(contentsOf: repeatElement(0, count: TimeStretch.hop * 8))
            rest += advance()
        }
        rest.removeLast(rest.count - (length - before) * 2)
        produced = length
        return rest
    }

    private mutating func advance() -> [Float] {
        var output: [Float] = []
        let hop = TimeStretch.hop
        while true {
            let ideal = Int(Double((windows + 1) * hop) * rate)
            let needed = max(ideal + TimeStretch.reach, previous + hop) + 2 * hop
            guard needed <= origin + input.count / 2 else { return output }
            let next = windows == 0 && ideal == 0 ? 0 : best(near: ideal, after: previous + hop)
            let (from, to) = ((previous + hop - origin) * 2, (next - origin) * 2)
            for index in 0..<hop {
                let weight = Float(index) / Float(hop)
                for side in 0..<2 {
                    let (old, new) = (input[from + index * 2 + side], input[to + index * 2 + side])
                    output.append(old + (new - old) * weight)
                }
            }
            produced += hop
            windows += 1
            previous = next
            // Drop samples that no later window can start in.
            let kept = min(previous + hop, Int(Double((windows + 1) * hop) * rate) - TimeStretch.reach)
            if kept - origin > 8_192 {
                input.removeFirst((kept - origin) * 2)
                origin = kept
            }
        }
    }

    /// The frame near `ideal` at which the sound is most similar to that from `natural` on.
    private func best(near ideal: Int, after natural: Int) -> Int {
        let hop = TimeStretch.hop
        let low = max(origin, ideal - TimeStretch.reach)
        let high = ideal + TimeStretch.reach
        return input.withUnsafeBufferPointer { input in
            func likeness(_ place: Int, step: Int) -> Float {
                // Not zero, so that silence does not divide by zero.
                var (product, energy): (Float, Float) = (0, 1e-9)
                var index = 0
                while index < hop {
                    let here = (place - origin + index) * 2
                    let there = (natural - origin + index) * 2
                    let (one, other) = (input[here] + input[here + 1], input[there] + input[there + 1])
                    product += one * other
                    energy += one * one
                    index += step
                }
                return product / energy.squareRoot()
            }
            // A rough search first, then to the exact frame.
            var (place, value) = (min(max(ideal, low), high), -Float.infinity)
            for candidate in stride(from: low, through: high, by: 4) {
                let now = likeness(candidate, step: 4)
                if now > value { (place, value) = (candidate, now) }
            }
            value = -.infinity
            for candidate in max(low, place - 3)...min(high, place + 3) {
                let now = likeness(candidate, step: 2)
                if now > value { (place, value) = (candidate, now) }
            }
            return place
        }
    }
}
