import Cache
import Model
import Synchronization

/// Which parts of clips their segments hold, as far as segments were asked for: what the scrubber shows as held. Any thread.
final class SegmentTimes: Sendable {
    private struct Segment: Hashable {
        var key: AssetKey
        var range: Range<Int64>
        var place: Range<Duration>
    }

    private struct Clip {
        /// Asked for, and not known to be whole: those asked for last at the end.
        var awaited: [Segment] = []
        /// The places of those that are whole, in order, merged where they touch. They are not asked about again.
        var held: [Range<Duration>] = []
    }

    /// So many segments of a clip are asked about at a time: the newest, which are those on their way.
    private static let asked = 64
    /// So many of a clip are remembered until they are whole, and so many places that do not touch.
    private static let limit = 1_000

    private let clips = Mutex(Recent<String, Clip>(limit: 32))

    func note(_ request: ByteRequest) {
        guard let place = request.place, let key = AssetKey(request.url) else { return }
        let segment = Segment(key: key, range: request.range ?? 0..<Int64.max, place: place)
        change(request.asset.url) { clip in
            clip.awaited.removeAll { $0 == segment }
            clip.awaited.append(segment)
            if clip.awaited.count > Self.limit { clip.awaited.removeFirst() }
        }
    }

    func forget(_ asset: String) { clips.withLock { $0[asset] = nil } }

    /// The held parts of a clip, as fractions of `duration`, in order. `isHeld` is asked of a few segments that were not whole so far.
    func held(
        of asset: String, duration: Duration, isHeld: (AssetKey, Range<Int64>) -> Bool
    ) -> [ClosedRange<Double>] {
        guard duration > .zero, let clip = clips.withLock({ $0.peek(asset) }) else { return [] }
        var held = clip.held
        let whole = Set(clip.awaited.suffix(Self.asked).filter { isHeld($0.key, $0.range) })
        if !whole.isEmpty {
            change(asset) { clip in
                // The clip may have been forgotten meanwhile: then they are awaited no more.
                clip.held = Self.merged(clip.held + clip.awaited.filter(whole.contains).map(\.place))
                clip.awaited.removeAll(where: whole.contains)
                held = clip.held
            }
        }
        return ClipParts.merged(held.map { ($0.lowerBound / duration, $0.upperBound / duration) })
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

    private static func merged(_ places: [Range<Duration>]) -> [Range<Duration>] {
        var merged: [Range<Duration>] = []
        for place in places.sorted(by: { $0.lowerBound < $1.lowerBound }) {
            // Rounded times leave cracks.
            if let last = merged.last, place.lowerBound - last.upperBound <= .milliseconds(10) {
                merged[merged.count - 1] = last.lowerBound..<max(last.upperBound, place.upperBound)
            } else if merged.count < limit {
                merged.append(place)
            }
        }
        return merged
    }
}
