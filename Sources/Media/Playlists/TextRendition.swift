internal import Captions
import Model
import Wire

/// Reads the chosen text of a playlist: segments of WebVTT (RFC 8216, 3.5), near the place up to
/// which pictures were read. If text is unavailable, the clip does not fail. On the session's thread.
final class TextRendition {
    private let url: String
    private let client: ByteClient
    private let store: SegmentStore
    private var source: PlaylistSource?
    /// The next segment to read; nil before the playlist is there.
    private var sequence: Int64?
    /// The cues that were read and not yet returned, in order, the next at `first`.
    private var cues: [TextCue] = []
    private var first = 0
    /// The segment that was read last: a text is often one segment, which a seek is not to read again.
    private var last: (sequence: Int64, cues: [TextCue])?
    /// After an error, when to retry, in `MonotonicTime`.
    private var retryTime: Microseconds?

    /// In bytes: a longer segment of text counts as invalid.
    private static let largestSegment = 4 << 20
    /// How many cues are returned at once: the others wait until the clip comes near.
    private static let maxAtOnce = 100
    /// How far beyond the pictures read so far cues are returned.
    private static let ahead: Microseconds = 2_000_000

    init(url: String, client: ByteClient) {
        self.url = url
        self.client = client
        store = SegmentStore(client: client)
    }

    /// Continues reading at `place`, including the cues that are visible there.
    func seek(to place: Microseconds) {
        (cues, first) = ([], 0)
        begins = place
        guard let source else { return }
        sequence = source.sequence(at: place)
        // A cue that is visible at a place may begin in the segment before.
        if let sequence, let before = source.segment(sequence - 1), place - source.start(of: sequence) < before.duration
        {
            self.sequence = before.sequence
        }
    }
    /// Cues that end before this are dropped.
    private var begins = Microseconds.min

    /// The next cues that begin before `position` of the clip and a little
    /// later, in stamps of the clip; empty if no cue is due yet. May block.
    ///
    /// - Parameter main: the playlist of the pictures: gives their
    ///   place in the clip, and where the stamps of its domains begin.
    func next(upTo position: Microseconds, beside main: PlaylistSource, _ timeline: Timeline) -> [TextCue] {
        if let retryTime {
            guard MonotonicTime.now() >= retryTime else { return [] }
            self.retryTime = nil
        }
        do throws(MediaError) { try read(upTo: position, beside: main, timeline) } catch {
            if !client.isInterrupted { retryTime = MonotonicTime.now() + client.retryInterval }
            return []
        }
        let horizon = position + TextRendition.ahead
        let due = cues[first...].prefix(TextRendition.maxAtOnce).prefix { $0.start < horizon }
        first += due.count
        if first == cues.count { (cues, first) = ([], 0) }
        return Array(due)
    }

    /// Reads the next segment, if it begins before `position` and all earlier cues were returned.
    private func read(
        upTo position: Microseconds, beside main: PlaylistSource, _ timeline: Timeline
    ) throws(MediaError) {
        if source == nil { source = try load(beside: main) }
        guard let source else { return }
        guard first == cues.count, var next = sequence else { return }
        if try source.reloadIfDue(client: client) != nil { source.align(with: main) }
        next = source.oldest(from: next)
        guard let segment = source.segment(next), source.start(of: next) < position + TextRendition.ahead else {
            return
        }
        let start = source.start(of: next)
        let place = TextPlace(start: start, end: start + segment.duration, domain: segment.domain)
        if last?.sequence != next {
            // It is not known yet where its stamps lie.
            guard timeline.knows(segment.domain) || main.playlist.origins[segment.domain] != nil else { return }
            // Whatever happens, it is not read twice in a row.
            sequence = next + 1
            let bytes = try bytes(of: segment, in: source)
            last = (next, cues(in: bytes, place, timeline))
        }
        sequence = next + 1
        cues = (last?.cues ?? []).filter { $0.end > begins }
        first = 0
    }

    private func load(beside main: PlaylistSource) throws(MediaError) -> PlaylistSource {
        let made = PlaylistSource(try PlaylistSource.load(url, client: client), url: url)
        made.align(with: main)
        source = made
        seek(to: max(begins, 0))
        return made
    }

    private func bytes(of segment: MediaPlaylist.Segment, in source: PlaylistSource) throws(MediaError) -> [UInt8] {
        guard !segment.isGap, let piece = source.playlist.piece(of: segment) else { return [] }
        let role: WireByteRole = source.playlist.isFinished ? .segment : .liveSegment
        let opened = try client.open(ByteWant(url: piece.url, role: role, offset: piece.offset, end: piece.end))
        let bytes = try opened.whole(limit: TextRendition.largestSegment, what: "a subtitle segment")
        guard let cipher = piece.cipher else { return bytes }
        return try store.decipher(cipher).all(of: bytes)
    }

    private func cues(in bytes: [UInt8], _ place: TextPlace, _ timeline: Timeline) -> [TextCue] {
        guard Captions.isWebVTT(bytes) else { return [] }
        let read = Captions.cues(ofText: bytes)
        guard let begin = read.first?.start.microseconds else { return [] }
        let shift = place.shift(of: begin, Captions.transportOffset(ofText: bytes)?.microseconds, timeline)
        return read.map {
            TextCue(start: $0.start.microseconds + shift, end: $0.end.microseconds + shift, text: $0.text)
        }
    }
}

/// Where a segment of text is in the clip by its playlist. A value.
struct TextPlace {
    var start: Microseconds
    var end: Microseconds
    var domain: Int64

    /// By how much authors' clocks may differ from their playlists.
    private static let tolerance: Microseconds = 60_000_000

    /// What is added to the times of its cues, of which the first is `begin`, to get times of
    /// the clip. The segment's own stamp counts if it leads near the segment's place; without
    /// it, times count from the clip's beginning or, if that is impossible, from the segment's.
    ///
    /// - Parameter stamp: the segment's own: this stamp is the cues' time zero.
    func shift(of begin: Microseconds, _ stamp: Microseconds?, _ timeline: Timeline) -> Microseconds {
        if let stamp, let shift = timeline.shift(ofText: stamp + begin, domain: domain, expected: start),
            isNear(stamp + begin + shift)
        {
            return stamp + shift
        }
        return isNear(begin) ? 0 : start
    }

    private func isNear(_ time: Microseconds) -> Bool {
        time > start - TextPlace.tolerance && time < end + TextPlace.tolerance
    }
}
