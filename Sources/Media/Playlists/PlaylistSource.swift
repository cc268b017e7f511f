import Wire

/// A playlist of segments where it was found, its place in the clip's time, and its reloading while it goes on (RFC 8216, 6.3.4).
final class PlaylistSource {
    /// Of `MediaInfo.variants`.
    let variant: Int?
    let url: String
    private(set) var playlist: MediaPlaylist
    /// The clip's time of the playlist's beginning.
    private var shift: Microseconds = 0
    private var schedule: ReloadSchedule
    private var failingSince: Microseconds?
    /// So often its server has begun anew, and numbers of segments and domains with it.
    private var beginnings: Int64 = 0

    /// Reloading may fail for so many target durations, but for ten seconds at least.
    private static let patience: Microseconds = 3
    /// Caches on the way may answer with a playlist that is so many segments old.
    private static let mostStale: Int64 = 3

    /// A playlist that has been read from `url` already.
    init(_ playlist: MediaPlaylist, url: String, variant: Int? = nil) {
        self.url = url
        self.playlist = playlist
        self.variant = variant
        schedule = ReloadSchedule(now: MonotonicTime.now())
    }

    /// What is at `url`. Blocks.
    static func load(_ url: String, client: ByteClient) throws(MediaError) -> MediaPlaylist {
        let source = try client.open(ByteWant(url: url, role: .playlist))
        let bytes = try source.whole(limit: PlaylistText.mostBytes, what: "its playlist")
        return try MediaPlaylist(bytes, base: source.url)
    }

    /// What is read does not stay: it is on now, and what was before is gone.
    var isLive: Bool { !playlist.isFinished && !playlist.isEvent }

    // MARK: Time

    private var firstSequence: Int64 { playlist.segments.first?.sequence ?? 0 }

    func segment(_ sequence: Int64) -> MediaPlaylist.Segment? {
        let index = sequence - firstSequence
        guard index >= 0 && index < playlist.segments.count else { return nil }
        var segment = playlist.segments[Int(index)]
        // No domain is one that was there before the server began anew. The server chooses it: the sum may be too large.
        segment.domain &+= beginnings << 32
        return segment
    }

    /// When the segment begins in the clip; behind the last, when that ends.
    func start(of sequence: Int64) -> Microseconds {
        if let segment = segment(sequence) { return shift + segment.start }
        return sequence < firstSequence ? shift : shift + playlist.duration
    }

    /// The segment that is on at `time` of the clip.
    func sequence(at time: Microseconds) -> Int64 {
        playlist.segments.isEmpty ? 0 : playlist.segments[playlist.index(at: time - shift)].sequence
    }

    /// The segment that begins nearest to `time`; behind the last if that is where the last ends.
    func sequence(beginningNear time: Microseconds) -> Int64 {
        let before = sequence(at: time)
        return abs(start(of: before + 1) - time) < abs(start(of: before) - time) ? before + 1 : before
    }

    /// The first segment that there still is.
    func oldest(from sequence: Int64) -> Int64 { max(sequence, firstSequence) }

    /// The clip begins at the live edge.
    func beginLive() {
        guard !playlist.segments.isEmpty else { return }
        shift = -PlaylistSource.edge(of: playlist).start
    }

    /// Where its author wants to begin, or so far before the end that what is read does not run out (6.3.3). There must be segments.
    private static func edge(of playlist: MediaPlaylist) -> MediaPlaylist.Segment {
        let end = playlist.duration
        let behind = end - 3 * playlist.targetDuration
        let wanted = playlist.preferredStart.map { $0 < 0 ? end + $0 : $0 } ?? behind
        return playlist.segments[playlist.index(at: max(0, min(wanted, end)))]
    }

    /// Sets its place in the clip by another form of the same: segments of the same number are on at the same time; else both end together.
    func align(with other: PlaylistSource) {
        guard isLive else { return }
        beginnings = other.beginnings
        let common = max(firstSequence, other.firstSequence)
        if let mine = segment(common), other.segment(common) != nil {
            shift = other.start(of: common) - mine.start
        } else {
            shift = other.shift + other.playlist.duration - playlist.duration
        }
    }

    // MARK: Reloading

    /// The moment from which it may be loaded again; never for one that is finished.
    var reloadTime: Microseconds {
        playlist.isFinished ? .max : schedule.nextTime(target: playlist.targetDuration)
    }

    /// Nothing will be added any more: it says so, or has not grown for long.
    var isOver: Bool { playlist.isFinished || schedule.hasStopped(target: playlist.targetDuration) }

    /// Loads it again if it is time. Blocks. Throws if that has failed for too long, or if it was broken off.
    ///
    /// - Returns: the number of the segment to go on with, if the server has begun anew; what was to come next will not come.
    func reloadIfDue(client: ByteClient) throws(MediaError) -> Int64? {
        let now = MonotonicTime.now()
        guard now >= reloadTime else { return nil }
        schedule.begin(now: now)
        do throws(MediaError) {
            let new = try PlaylistSource.load(url, client: client)
            failingSince = nil
            return replace(with: new)
        } catch {
            schedule.end(isChanged: false)
            if client.isInterrupted { throw error }
            let since = failingSince ?? now
            failingSince = since
            if now - since > max(PlaylistSource.patience * playlist.targetDuration, 10_000_000) { throw error }
            return nil
        }
    }

    /// Returns what `reloadIfDue` does.
    private func replace(with new: MediaPlaylist) -> Int64? {
        let old = playlist
        guard let first = new.segments.first else {
            // A playlist that was emptied says nothing: the known times stay.
            schedule.end(isChanged: false)
            if old.segments.isEmpty { playlist = new }
            return nil
        }
        if let last = old.segments.last, !new.isFinished, let newest = new.segments.last,
            newest.sequence < last.sequence
        {
            guard newest.sequence < max(firstSequence, last.sequence - PlaylistSource.mostStale) else {
                // Nor does an old answer.
                schedule.end(isChanged: false)
                return nil
            }
            schedule.end(isChanged: true)
            return beginAnew(new)
        }
        schedule.end(
            isChanged: new.segments.last?.sequence != old.segments.last?.sequence || new.isFinished != old.isFinished)
        let missing = first.sequence - (old.segments.last.map { $0.sequence + 1 } ?? first.sequence)
        let begins: Microseconds
        if let same = segment(first.sequence) {
            begins = shift + same.start
        } else if missing >= 0 {
            begins = shift + old.duration + min(missing, 1 << 20) * min(old.targetDuration, 60_000_000)
        } else {
            // It reaches farther back than before, or is another that is over.
            begins = shift + old.duration
        }
        playlist = new
        shift = min(begins, MediaTime.longest)
        return nil
    }

    /// The live edge of another stream follows the end of what there was. Its number is returned.
    private func beginAnew(_ new: MediaPlaylist) -> Int64 {
        let edge = PlaylistSource.edge(of: new)
        shift = min(shift + playlist.duration, MediaTime.longest) - edge.start
        playlist = new
        beginnings += 1
        return edge.sequence
    }
}
