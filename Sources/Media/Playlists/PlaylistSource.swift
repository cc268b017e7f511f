import Wire

/// A media playlist with its URL, its place in the clip's time, and its reloading while it is live (RFC 8216, 6.3.4).
/// On the session's thread.
final class PlaylistSource {
    /// An index of `MediaInfo.variants`.
    let variant: Int?
    let url: String
    private(set) var playlist: MediaPlaylist
    /// The time in the clip of the playlist's first segment.
    private var shift: Microseconds = 0
    private var schedule: ReloadSchedule
    /// How often the server has restarted the stream, with new numbers of segments and domains.
    private var beginnings: Int64 = 0

    /// A cache on the way can return a playlist that is this many segments old.
    private static let maxStale: Int64 = 3

    /// For a playlist that was already read from `url`.
    init(_ playlist: MediaPlaylist, url: String, variant: Int? = nil) {
        self.url = url
        self.playlist = playlist
        self.variant = variant
        schedule = ReloadSchedule(now: MonotonicTime.now())
    }

    /// Loads the playlist at `url`. Blocks.
    static func load(_ url: String, client: ByteClient, isPatient: Bool = false) throws(MediaError) -> MediaPlaylist {
        let source = try client.open(ByteWant(url: url, role: .playlist), isPatient: isPatient)
        let bytes = try source.whole(limit: PlaylistText.maxBytes, what: "its playlist")
        return try MediaPlaylist(bytes, base: source.url)
    }

    /// Whether old segments disappear, so that the clip plays at the live edge.
    var isLive: Bool { !playlist.isFinished && !playlist.isEvent }

    /// Whether it is a file. A file without segments is damaged, because writers start with a segment.
    var isFile: Bool { url.hasPrefix("file:") }

    // MARK: Time

    private var firstSequence: Int64 { playlist.segments.first?.sequence ?? 0 }

    func segment(_ sequence: Int64) -> MediaPlaylist.Segment? {
        let index = sequence - firstSequence
        guard index >= 0 && index < playlist.segments.count else { return nil }
        var segment = playlist.segments[Int(index)]
        // Makes domains differ from those before the restart. The server chooses the number, so the sum may overflow.
        segment.domain &+= beginnings << 32
        return segment
    }

    /// When the segment begins in the clip; for the one after the last, the end of the last.
    func start(of sequence: Int64) -> Microseconds {
        if let segment = segment(sequence) { return shift + segment.start }
        return sequence < firstSequence ? shift : shift + playlist.duration
    }

    /// The segment that plays at `time` of the clip.
    func sequence(at time: Microseconds) -> Int64 {
        playlist.segments.isEmpty ? 0 : playlist.segments[playlist.index(at: time - shift)].sequence
    }

    /// The segment that begins closest to `time`; the number after the last if the end of the last is closest.
    func sequence(beginningNear time: Microseconds) -> Int64 {
        let before = sequence(at: time)
        return abs(start(of: before + 1) - time) < abs(start(of: before) - time) ? before + 1 : before
    }

    /// How many of the newest segments a server may have named before all parts of its network have them.
    private static let maxNew: Int64 = 3

    /// Whether the segment is so new that it may not be everywhere yet. Nothing will come to a file.
    func isNew(_ sequence: Int64) -> Bool {
        guard !playlist.isFinished, !isFile, let newest = playlist.segments.last?.sequence else { return false }
        return newest - sequence < PlaylistSource.maxNew
    }

    /// The segment at which a live stream is joined; nil without segments.
    var edge: Int64? { playlist.segments.isEmpty ? nil : PlaylistSource.edge(of: playlist).sequence }

    /// `sequence`, or the first remaining segment if that is later.
    func oldest(from sequence: Int64) -> Int64 { max(sequence, firstSequence) }

    /// The clip begins at the live edge.
    func beginLive() {
        guard !playlist.segments.isEmpty else { return }
        shift = -PlaylistSource.edge(of: playlist).start
    }

    /// Where the author wants to begin, or far enough before the end that
    /// segments do not run out (6.3.3). There must be segments.
    private static func edge(of playlist: MediaPlaylist) -> MediaPlaylist.Segment {
        let end = playlist.duration
        let behind = end - 3 * playlist.targetDuration
        let wanted = playlist.preferredStart.map { $0 < 0 ? end + $0 : $0 } ?? behind
        return playlist.segments[playlist.index(at: max(0, min(wanted, end)))]
    }

    /// Finds its place in the clip from another variant: segments with the same number play at the same time; otherwise
    /// both end together.
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

    /// When to reload it at the earliest; never for a finished playlist.
    var reloadTime: Microseconds {
        playlist.isFinished ? .max : schedule.nextTime(target: playlist.targetDuration)
    }

    /// Whether no segments will be added: the playlist says so, or has not grown for long.
    var isOver: Bool { playlist.isFinished || schedule.hasStopped(target: playlist.targetDuration) }

    /// Reloads the playlist if it is time. Blocks. Throws if that has failed for too long, or was interrupted.
    ///
    /// - Returns: the segment to continue with, if the server has restarted the
    ///   stream and the expected ones will not come.
    func reloadIfDue(client: ByteClient) throws(MediaError) -> Int64? {
        let now = MonotonicTime.now()
        guard now >= reloadTime else { return nil }
        schedule.begin(now: now)
        do throws(MediaError) {
            // If that fails, the schedule says when to try again.
            let new = try PlaylistSource.load(url, client: client, isPatient: true)
            return replace(with: new)
        } catch {
            guard !client.isInterrupted else {
                schedule.interrupt()
                throw error
            }
            if schedule.fail(target: playlist.targetDuration) { throw error }
            return nil
        }
    }

    /// Returns the same as `reloadIfDue`.
    private func replace(with new: MediaPlaylist) -> Int64? {
        let old = playlist
        guard let first = new.segments.first else {
            // An empty playlist carries no information, so the known times stay.
            schedule.end(isChanged: false)
            if old.segments.isEmpty { playlist = new }
            return nil
        }
        if let last = old.segments.last, !new.isFinished, let newest = new.segments.last,
            newest.sequence < last.sequence
        {
            guard newest.sequence < max(firstSequence, last.sequence - PlaylistSource.maxStale) else {
                // The same for an outdated response from a cache.
                schedule.end(isChanged: false)
                return nil
            }
            schedule.end(isChanged: true)
            return restart(new)
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
            // It reaches back further than before, or is a different, finished stream.
            begins = shift + old.duration
        }
        playlist = new
        shift = min(begins, MediaTime.longest)
        return nil
    }

    /// The live edge of the new stream follows the end of the old one. Returns its number.
    private func restart(_ new: MediaPlaylist) -> Int64 {
        let edge = PlaylistSource.edge(of: new)
        shift = min(shift + playlist.duration, MediaTime.longest) - edge.start
        playlist = new
        beginnings += 1
        return edge.sequence
    }
}

/// Finds the playlists that a master playlist names.
protocol PlaylistFinder {
    /// Announces that a playlist will be needed soon.
    func expect(_ url: String)
    /// Blocks.
    func playlist(at url: String) throws(MediaError) -> MediaPlaylist
}

/// Playlists that flick reads from their URLs.
struct ServedPlaylists: PlaylistFinder {
    let client: ByteClient

    func expect(_ url: String) { client.report(.expect(ByteWant(url: url, role: .playlist))) }
    func playlist(at url: String) throws(MediaError) -> MediaPlaylist { try PlaylistSource.load(url, client: client) }
}
