internal import CFFmpeg
import Wire

/// Reads the chosen text of a playlist: segments of WebVTT (RFC 8216, 3.5), near what is read of the pictures. Text that cannot be had is no failure of the clip. On
/// the session's thread.
final class TextRendition {
    private let url: String
    private let client: ByteClient
    private let store: SegmentStore
    private var source: PlaylistSource?
    /// The next segment to read; nil before the playlist is there.
    private var sequence: Int64?
    /// What has been read and not told, in order, the next at `first`.
    private var cues: [TextCue] = []
    private var first = 0
    /// The segment that was read last: a text is often one segment, which a seek is not to read again.
    private var last: (sequence: Int64, cues: [TextCue])?
    /// After a fault, when to try again, in `MonotonicTime`.
    private var retryTime: Microseconds?

    /// In bytes: a segment of text that is longer is none.
    private static let largestSegment = 4 << 20
    /// So many pieces are told at once: the others wait until the clip comes near.
    private static let mostAtOnce = 100
    /// So much longer than what is read of the pictures is told.
    private static let ahead: Microseconds = 2_000_000
    private static let retryInterval: Microseconds = 10_000_000

    init(url: String, client: ByteClient) {
        self.url = url
        self.client = client
        store = SegmentStore(client: client)
    }

    /// What is read next is at `place`, and all that is on there.
    func seek(to place: Microseconds) {
        (cues, first) = ([], 0)
        begins = place
        guard let source else { return }
        sequence = source.sequence(at: place)
        // What is on at a place may begin in the segment before.
        if let sequence, let before = source.segment(sequence - 1), place - source.start(of: sequence) < before.duration
        {
            self.sequence = before.sequence
        }
    }
    /// What ends before this is not told.
    private var begins = Microseconds.min

    /// The next pieces that begin before `position` of the clip and a little, in stamps of the clip; none for now if it is empty. May block.
    ///
    /// - Parameter main: what is read of the pictures: its place in the clip, and where the stamps of its domains begin.
    func next(upTo position: Microseconds, beside main: PlaylistSource, _ timeline: Timeline) -> [TextCue] {
        if let retryTime {
            guard MonotonicTime.now() >= retryTime else { return [] }
            self.retryTime = nil
        }
        do throws(MediaError) { try read(upTo: position, beside: main, timeline) } catch {
            if !client.isInterrupted { retryTime = MonotonicTime.now() + TextRendition.retryInterval }
            return []
        }
        let horizon = position + TextRendition.ahead
        let due = cues[first...].prefix(TextRendition.mostAtOnce).prefix { $0.start < horizon }
        first += due.count
        if first == cues.count { (cues, first) = ([], 0) }
        return Array(due)
    }

    /// Reads the next segment, if it begins before `position` and everything before it was told.
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
            // Nothing tells yet where its stamps lie.
            guard timeline.knows(segment.domain) || main.playlist.origins[segment.domain] != nil else { return }
            // Whatever happens, it is not read twice in a row.
            sequence = next + 1
            let bytes = try bytes(of: segment, in: source)
            last = (next, try cues(in: bytes, place, timeline))
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
        let bytes = try opened.whole(limit: TextRendition.largestSegment, what: "a segment of its text")
        guard let cipher = piece.cipher else { return bytes }
        return try store.decipher(cipher).all(of: bytes)
    }

    private func cues(in bytes: [UInt8], _ place: TextPlace, _ timeline: Timeline) throws(MediaError) -> [TextCue] {
        guard WebVTT.isWebVTT(bytes) else { return [] }
        let read = try WebVTT.cues(bytes, client: client)
        guard let begin = read.first?.start else { return [] }
        let shift = place.shift(of: begin, WebVTT.stamp(bytes), timeline)
        return read.map { TextCue(start: $0.start + shift, end: $0.end + shift, text: $0.text) }
    }
}

/// Where a segment of text is in the clip by its playlist. A value.
struct TextPlace {
    var start: Microseconds
    var end: Microseconds
    var domain: Int64

    /// Authors' clocks differ by so much from their playlists.
    private static let tolerance: Microseconds = 60_000_000

    /// What is added to the times of its cues, of which the first is `begin`, to get times of the clip. What the segment tells of its stamps counts if that leads near
    /// its place; without it, times count from the clip's beginning or, if that is impossible, from the segment's.
    ///
    /// - Parameter stamp: what the segment tells: this stamp is the cues' time zero.
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

/// Segments of WebVTT (W3C, "WebVTT: The Web Video Text Tracks Format").
enum WebVTT {
    /// Whether the file begins as it must (4.1).
    static func isWebVTT(_ bytes: [UInt8]) -> Bool {
        bytes.drop(while: { [0xEF, 0xBB, 0xBF].contains($0) }).starts(with: "WEBVTT".utf8)
    }

    /// The stamp of the cues' time zero, in microseconds, by X-TIMESTAMP-MAP in its header (RFC 8216, 3.5); nil without. Pure.
    static func stamp(_ bytes: [UInt8]) -> Microseconds? {
        let header = bytes.prefix(2_048)
        for line in header.split(whereSeparator: { $0 == 0x0A || $0 == 0x0D }).prefix(8) {
            guard line.starts(with: "X-TIMESTAMP-MAP=".utf8) else { continue }
            var stamp: Int64?
            var local: Microseconds?
            for part in line.dropFirst(16).split(separator: UInt8(ascii: ",")) {
                if part.starts(with: "MPEGTS:".utf8) { stamp = PlaylistText.number(part.dropFirst(7)) }
                if part.starts(with: "LOCAL:".utf8) { local = time(part.dropFirst(6)) }
            }
            guard let stamp, let local, stamp < 1 << 34 else { return nil }
            return stamp * 100 / 9 - local
        }
        return nil
    }

    /// "00:01:02.500" or "01:02.500" (3.1, "WebVTT timestamp").
    private static func time(_ text: ArraySlice<UInt8>) -> Microseconds? {
        let parts = text.split(separator: UInt8(ascii: ":"), omittingEmptySubsequences: false)
        guard parts.count == 2 || parts.count == 3, let seconds = PlaylistText.seconds(parts[parts.count - 1]) else {
            return nil
        }
        var minutes: Microseconds = 0
        for part in parts.dropLast() {
            guard let number = PlaylistText.number(part), number < 10_000 else { return nil }
            minutes = minutes * 60 + number
        }
        return minutes * 60_000_000 + seconds
    }

    /// Its cues in order, without markup, in its own times: libav's demuxer and decoder read them. What is damaged is left out.
    static func cues(_ bytes: [UInt8], client: ByteClient) throws(MediaError) -> [TextCue] {
        let container = try Container(
            io: ReadIO(BytesReader(bytes)), url: "", kind: "webvtt", effort: .file, client: client, allowed: "webvtt")
        guard let stream = container.streams.first, let decoder = TextDecoder(stream), var packet = av_packet_alloc()
        else { return [] }
        defer { freePacket(&packet) }
        var cues: [TextCue] = []
        while cues.count < mostCues, av_read_frame(container.format, packet) >= 0 {
            cues += decoder.decode(packet)
            av_packet_unref(packet)
        }
        return cues.sorted { $0.start < $1.start }
    }

    private static let mostCues = 50_000
}

/// Bytes in memory.
private final class BytesReader: ByteReader {
    private let bytes: [UInt8]
    private var position = 0

    init(_ bytes: [UInt8]) { self.bytes = bytes }

    let isSeekable = false

    func read(into buffer: UnsafeMutablePointer<UInt8>, count: Int) -> CInt {
        let given = min(count, bytes.count - position)
        guard given > 0 else { return flick_averror_eof() }
        bytes.withUnsafeBytes { bytes in
            // Not empty: there is at least one byte to give.
            UnsafeMutableRawPointer(buffer).copyMemory(from: bytes.baseAddress! + position, byteCount: given)
        }
        position += given
        return CInt(given)
    }

    func seek(to offset: Int64, whence: CInt) -> Int64 { Int64(flick_averror_invalid()) }
}
