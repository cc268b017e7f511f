import Wire

/// Decoded sound that waits for the device, without gaps, and a little
/// of the sound that the device already has, in case that is put back.
struct SoundQueue {
    private struct Chunk {
        var pts: Microseconds
        var mediaTime: Microseconds
        var samples: [Int16]
        var frames: Int { samples.count / 2 }
    }

    private var chunks: [Chunk] = []
    /// The place of the next frame to hand out.
    private var index = 0
    private var offset = 0
    /// Frames from the place on.
    private(set) var frames = 0
    /// How many microseconds of the clip's sound are heard in one second: a million, unless the speed was changed.
    var rate = 1.0

    /// How many frames are stored after they were handed out: more than the device ever holds.
    private static let keptFrames = 24_000
    /// Smaller gaps and overlaps are rounding.
    private static let slack: Microseconds = 20_000
    /// A larger gap is no silence, but a break.
    private static let longestSilence: Microseconds = 1_000_000

    private func microseconds(_ frames: Int) -> Microseconds {
        Microseconds(Double(frames) * 1_000_000 / Double(WireLimit.sampleRate) * rate)
    }

    private func frameCount(_ time: Microseconds) -> Int {
        Int(Double(time) / rate * Double(WireLimit.sampleRate) / 1_000_000)
    }

    /// The time of the next frame to be handed out.
    var start: Microseconds? {
        index < chunks.count
            ? chunks[index].pts + microseconds(offset) : chunks.last.map { $0.pts + microseconds($0.frames) }
    }

    /// Until when there is sound.
    var end: Microseconds? { chunks.last.map { $0.pts + microseconds($0.frames) } }

    /// How far the clip is ahead of its timeline.
    var mediaOffset: Microseconds? {
        chunks.indices.contains(index)
            ? chunks[index].mediaTime - chunks[index].pts : chunks.last.map { $0.mediaTime - $0.pts }
    }

    mutating func append(pts: Microseconds, mediaTime: Microseconds, samples: [Int16]) {
        guard !samples.isEmpty else { return }
        var chunk = Chunk(pts: pts, mediaTime: mediaTime, samples: samples)
        if let end {
            let gap = pts - end
            if gap > SoundQueue.slack, gap <= SoundQueue.longestSilence {
                let silence = Chunk(
                    pts: end, mediaTime: mediaTime - gap, samples: Array(repeating: 0, count: frameCount(gap) * 2))
                chunks.append(silence)
                frames += silence.frames
            } else if gap < -SoundQueue.slack, gap >= -SoundQueue.longestSilence {
                let surplus = min(frameCount(-gap), chunk.frames)
                chunk.samples.removeFirst(surplus * 2)
                chunk.pts += microseconds(surplus)
                chunk.mediaTime += microseconds(surplus)
            }
        }
        guard !chunk.samples.isEmpty else { return }
        chunks.append(chunk)
        frames += chunk.frames
    }

    /// Skips what lies before `position`.
    mutating func drop(before position: Microseconds) {
        while let start, start < position, frames > 0 {
            skip(max(1, min(frameCount(position - start), chunks[index].frames - offset)))
        }
        prune()
    }

    /// The next frames, at most `count`.
    mutating func next(_ count: Int) -> [Int16] {
        var samples: [Int16] = []
        samples.reserveCapacity(min(count, frames) * 2)
        while frames > 0, samples.count < count * 2 {
            let here = min(count - samples.count / 2, chunks[index].frames - offset)
            samples.append(contentsOf: chunks[index].samples[offset * 2..<(offset + here) * 2])
            skip(here)
        }
        prune()
        return samples
    }

    /// Puts the last `count` frames that were handed out back, or those of them that are still stored.
    mutating func putBack(_ count: Int) {
        var left = count
        while left > 0 {
            if offset == 0 {
                guard index > 0 else { return }
                index -= 1
                offset = chunks[index].frames
            }
            let back = min(left, offset)
            offset -= back
            frames += back
            left -= back
        }
    }

    mutating func clear() {
        chunks = []
        index = 0
        offset = 0
        frames = 0
    }

    /// How loud the `count` frames are that end `behind` frames before the next: 0 … 1.
    func level(count: Int, behind: Int) -> Float {
        var copy = self
        copy.putBack(behind + count)
        let samples = copy.next(count)
        guard !samples.isEmpty else { return 0 }
        let sum = samples.reduce(Float(0)) { $0 + (Float($1) / 32_768) * (Float($1) / 32_768) }
        return (sum / Float(samples.count)).squareRoot()
    }

    private mutating func skip(_ count: Int) {
        offset += count
        frames -= count
        if offset == chunks[index].frames {
            index += 1
            offset = 0
        }
    }

    private mutating func prune() {
        var behind = chunks[..<index].reduce(offset) { $0 + $1.frames }
        while index > 0, behind - chunks[0].frames >= SoundQueue.keptFrames {
            behind -= chunks[0].frames
            chunks.removeFirst()
            index -= 1
        }
    }
}
