import Cache
import Model
import Synchronization

/// Which parts of clips are there, by the segments that were asked for: what the scrubber shows as buffered. Any thread.
final class SegmentTimes: Sendable {
    private struct Segment: Hashable {
        var key: AssetKey
        var range: Range<Int64>
        var clipTimes: Range<Duration>
    }

    private struct Clip {
        /// Asked for, and not known to be whole: those asked for last at the end.
        var awaited: [Segment] = []
        /// The times of segments that are whole, in order, merged where they touch. Those segments are not asked about again.
        var whole: [Range<Duration>] = []
    }

    /// So many segments of a clip are asked about at a time: the newest, which are those on their way.
    private static let asked = 64
    /// So many segments of a clip are remembered until they are whole, and so many times that do not touch.
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

    /// The parts of a clip that are there, as fractions of `duration`, in order. `isAvailable` is asked about a few segments that were not whole so far.
    func available(
        of asset: String, duration: Duration, isAvailable: (AssetKey, Range<Int64>) -> Bool
    ) -> [ClosedRange<Double>] {
        guard duration > .zero, let clip = clips.withLock({ $0.peek(asset) }) else { return [] }
        var parts = clip.whole
        let whole = Set(clip.awaited.suffix(Self.asked).filter { isAvailable($0.key, $0.range) })
        if !whole.isEmpty {
            change(asset) { clip in
                // The clip may have been forgotten meanwhile: then they are awaited no more.
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
            // Taken out, it is changed in place rather than copied.
            clips[asset] = nil
            body(&clip)
            clips[asset] = clip
            _ = clips.trim()
        }
    }

    private static func merged(_ times: [Range<Duration>]) -> [Range<Duration>] {
        var merged: [Range<Duration>] = []
        for time in times.sorted(by: { $0.lowerBound < $1.lowerBound }) {
            // Rounded times leave cracks.
            if let last = merged.last, time.lowerBound - last.upperBound <= .milliseconds(10) {
                merged[merged.count - 1] = last.lowerBound..<max(last.upperBound, time.upperBound)
            } else if merged.count < limit {
                merged.append(time)
            }
        }
        return merged
    }
}
