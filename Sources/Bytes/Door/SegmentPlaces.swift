import Model
import Synchronization

/// Which parts of clips their segments hold, as far as segments were asked for: what the scrubber shows as held. Any thread.
final class SegmentPlaces: Sendable {
    private struct Segment {
        var key: AssetKey
        var range: Range<Int64>
        var place: Range<Duration>
        /// Once all of it is there, that is not asked again.
        var isHeld = false
    }

    /// What tells a segment from another of its clip.
    private struct Name: Hashable {
        var key: AssetKey
        var range: Range<Int64>
    }

    private struct Clip: Sendable {
        var segments: [Segment] = []
        var names: Set<Name> = []
    }

    private let clips = Mutex(Recent<String, Clip>(limit: 32))
    /// Of one clip: more than ten hours of short segments.
    private static let limit = 20_000

    func note(_ request: ByteRequest) {
        guard let place = request.place, let key = AssetKey(request.url) else { return }
        clips.withLock { clips in
            let range = request.range ?? 0..<Int64.max
            var clip = clips[request.asset.url] ?? Clip()
            // Taken out, it is changed in place rather than copied: a clip may have thousands.
            clips[request.asset.url] = nil
            if clip.segments.count < SegmentPlaces.limit, clip.names.insert(Name(key: key, range: range)).inserted {
                clip.segments.append(Segment(key: key, range: range, place: place))
            }
            clips[request.asset.url] = clip
            _ = clips.trim()
        }
    }

    func forget(_ asset: String) { clips.withLock { $0[asset] = nil } }

    /// The held parts of a clip, as fractions of `duration`, in order. `isHeld` is asked of segments that were not whole so far.
    func held(
        of asset: String, duration: Duration, isHeld: (AssetKey, Range<Int64>) -> Bool
    ) -> [ClosedRange<Double>] {
        guard duration > .zero, var segments = clips.withLock({ $0.peek(asset)?.segments }) else { return [] }
        var hasNews = false
        for index in segments.indices where !segments[index].isHeld {
            segments[index].isHeld = isHeld(segments[index].key, segments[index].range)
            hasNews = hasNews || segments[index].isHeld
        }
        if hasNews {
            let held = Set(segments.filter(\.isHeld).map { $0.place.lowerBound })
            clips.withLock { clips in
                guard var now = clips.peek(asset) else { return }
                for index in now.segments.indices where held.contains(now.segments[index].place.lowerBound) {
                    now.segments[index].isHeld = true
                }
                clips[asset] = now
            }
        }
        return HeldParts.merged(
            segments.filter(\.isHeld).map { ($0.place.lowerBound / duration, $0.place.upperBound / duration) })
    }
}
