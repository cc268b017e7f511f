import Cache
import Model
import Synchronization

/// Which parts of clips are available, derived from the requested segments: the
/// scrubber shows them as buffered. Any thread.
final class SegmentTimes: Sendable {
    private struct Segment: Hashable {
        var key: AssetKey
        var range: Range<Int64>
        var clipTimes: Range<Duration>
    }

    private struct Clip {
        /// Requested segments that may be incomplete; the most recent are last.
        var awaited: [Segment] = []
        /// The time ranges of complete segments, in order, merged where they
        /// touch. Those segments are not checked again.
        var whole: [Range<Duration>] = []
    }

    /// How many segments of a clip are checked at a time: the newest, which are still arriving.
    private static let asked = 64
    /// How many incomplete segments of a clip are remembered, and how many separate time ranges.
    private static let limit = 1_000

    private let clips = Mutex(Recent<String, Clip>(limit: 32))

    func note(_ request: ByteRequest) {
        guard let clipTimes = request.clipTimes, let key = AssetKey(request.url) else { return }
        let segment = Segment(key: key, range: request.range ?? 0..<Int64.max, clipTimes: clipTimes)
        change(request.asset.url) { clip in
            clip.awaited.removeAll { $0 == segment }
            clip.awaited.append(segment)
            if clip.awaited.count > Self.limit { clip.awaited.removeFirst() }
        }
    }

    func forget(_ asset: String) { clips.withLock { $0[asset] = nil } }

    /// The available parts of a clip as fractions of `duration`, in order. Calls
    /// `isAvailable` for a few segments that were incomplete before.
    func available(
        of asset: String, duration: Duration, isAvailable: (AssetKey, Range<Int64>) -> Bool
    ) -> [ClosedRange<Double>] {
        guard duration > .zero, let clip = clips.withLock({ $0.peek(asset) }) else { return [] }
        var parts = clip.whole
        let whole = Set(clip.awaited.suffix(Self.asked).filter { isAvailable($0.key, $0.range) })
        if !whole.isEmpty {
            change(asset) { clip in
                // The clip may have been forgotten in the meantime; then its segments are not awaited any more.
                clip.whole = Self.merged(clip.whole + clip.awaited.filter(whole.contains).map(\.clipTimes))
                clip.awaited.removeAll(where: whole.contains)
                parts = clip.whole
            }
        }
        return ClipParts.merged(parts.map { ($0.lowerBound / duration, $0.upperBound / duration) })
    }

    private func change(_ asset: String, _ body: (inout Clip) -> Void) {
        clips.withLock { clips in
            var clip = clips[asset] ?? Clip()
            // Remove it from the dictionary first, so that it is changed in place and not copied.
            clips[asset] = nil
            body(&clip)
            clips[asset] = clip
            _ = clips.trim()
        }
    }

    private static func merged(_ times: [Range<Duration>]) -> [Range<Duration>] {
        var merged: [Range<Duration>] = []
        for time in times.sorted(by: { $0.lowerBound < $1.lowerBound }) {
            // Rounded times leave small gaps.
            if let last = merged.last, time.lowerBound - last.upperBound <= .milliseconds(10) {
                merged[merged.count - 1] = last.lowerBound..<max(last.upperBound, time.upperBound)
            } else if merged.count < limit {
                merged.append(time)
            }
        }
        return merged
    }
}

/// Parts of a clip, as fractions of it.
enum ClipParts {
    /// In order, within 0 … 1. Merges parts that are less than a thousandth apart, because rounding the times of
    /// segments leaves small gaps.
    static func merged(_ parts: [(Double, Double)]) -> [ClosedRange<Double>] {
        var merged: [ClosedRange<Double>] = []
        for (from, to) in parts.sorted(by: { $0.0 < $1.0 }) {
            let (from, to) = (min(max(from, 0), 1), min(max(to, 0), 1))
            guard from < to else { continue }
            if let last = merged.last, from <= last.upperBound + 0.001 {
                merged[merged.count - 1] = last.lowerBound...max(last.upperBound, to)
            } else {
                merged.append(from...to)
            }
        }
        return merged
    }
}
