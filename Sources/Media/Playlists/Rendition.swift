internal import CFFmpeg
import Wire

/// One playlist of segments being read: pictures and sound together, or one of the two. Which playlist it is may change where a segment ends.
final class Rendition {
    /// What comes next of it.
    enum Step {
        case packet(UnsafeMutablePointer<AVPacket>, StreamFormat)
        case later(Microseconds)
        case interrupted
        case end
    }

    /// So many segments in a row may be missing.
    private static let mostMissing = 3
    /// So many segments are expected ahead.
    private static let mostExpected: Int64 = 3

    let client: ByteClient
    /// The streams that are of use.
    private let wants: (video: Bool, audio: Bool)
    private(set) var source: PlaylistSource
    private(set) var run: SegmentRun?
    /// The number of the segment that is opened next.
    private var sequence: Int64
    /// How far packets have been read.
    private(set) var position: Microseconds = 0
    /// Asked where a segment ends: what to go on with, if that is another playlist. May block.
    var findSwitch: () -> PlaylistSource? = { nil }
    private var pendingSwitch: PlaylistSource?
    /// The run has come to the end of what there is, and goes on when there is more.
    private var isPaused = false
    /// The run has been opened, and nothing of it was given out.
    private var isUnread = false

    /// What was handed on to libav when `position` last moved: up to which time as the playlist has it, and how many bytes of the run.
    private var handedOn: (until: Microseconds, bytes: Int) = (0, 0)
    /// The run before brought nothing new, whatever was handed on: the stamps of what comes next mean nothing.
    private var isLost = false
    /// So much is handed on without anything new before the run is given up, whichever is first.
    private static let mostInVain: (time: Microseconds, bytes: Int) = (20_000_000, 8 << 20)

    private var missing = 0
    /// Why the last one that is missing could not be had.
    private var lastMissing: MediaError?
    private let store: SegmentStore
    private var known: [SegmentRun.Identity: SegmentRun.Formats] = [:]
    /// Up to here segments have been expected, in the clip's time of their beginning.
    private var expectedUntil: Int64 = -1

    /// Begins at the segment that is on at `time`.
    init(_ source: PlaylistSource, at time: Microseconds, client: ByteClient, wants: (video: Bool, audio: Bool)) {
        self.source = source
        self.client = client
        self.wants = wants
        store = SegmentStore(client: client)
        sequence = source.sequence(at: time)
        position = source.start(of: sequence)
    }

    /// The domain of what is read next; nil if nothing is there to be read.
    var domain: Int64? { run?.identity.domain ?? source.segment(sequence)?.domain }

    var wantsAudio = true {
        didSet { run?.wantsAudio = wantsAudio }
    }

    /// Goes to the segment that is on at `time`.
    func seek(to time: Microseconds) {
        let target = source.sequence(at: time)
        // What was opened there and not read yet need not be opened again.
        if isUnread, let run, run.failure == nil, run.expectedStart == source.start(of: target) { return }
        endRun()
        missing = 0
        sequence = target
        position = source.start(of: target)
        expectedUntil = -1
        isLost = false
    }

    private func endRun() {
        run = nil
        isPaused = false
        isUnread = false
    }

    // MARK: Reading

    /// Opens the first run, so that it is known how things are coded. Blocks.
    func begin() throws(MediaError) {
        let limit = MonotonicTime.now() + ReloadSchedule.longestWait(target: source.playlist.targetDuration)
        while run == nil {
            switch try prepare() {
            case nil: continue
            case .later(let time): try awaitFirst(until: time, limit: limit)
            case .interrupted: throw MediaError(.other, "interrupted")
            default: throw lastMissing ?? MediaError(.notMedia, "its playlist holds no segments")
            }
        }
    }

    /// Waits for a stream that has not begun, a second at most; in vain from `limit` on. Blocks.
    private func awaitFirst(until time: Microseconds, limit: Microseconds) throws(MediaError) {
        let now = MonotonicTime.now()
        guard now < limit else {
            throw lastMissing ?? MediaError(.unreadable, "the stream has not begun: its playlist holds no segments yet")
        }
        // A message while waiting, so that flick does not take the decoder for hung.
        client.report(.buffered(serial: 0, until: 0))
        if !client.wait(until: min(time, limit, now + 1_000_000)) { throw MediaError(.other, "interrupted") }
    }

    /// The next packet, its stamps times of the clip. Blocks.
    func next(_ timeline: inout Timeline) throws(MediaError) -> Step {
        while true {
            if run == nil || isPaused, let step = try prepare() { return step }
            guard let run else { continue }
            if let (packet, format) = try run.next(&timeline) {
                isUnread = false
                missing = 0
                let time = packet.pointee.dts != flick_no_pts() ? packet.pointee.dts : packet.pointee.pts
                if time != flick_no_pts(), time > position {
                    position = time
                    handedOn = (source.start(of: sequence), run.bytes)
                }
                return .packet(packet, format)
            }
            if client.isInterrupted { return .interrupted }
            if let error = run.failure {
                endRun()
                try noteMissing(error)
            } else if run.isResumable, source.segment(sequence) == nil, !source.playlist.isFinished {
                isPaused = true
            } else {
                endRun()
            }
        }
    }

    /// Sees to it that there is a run to read from: nil, and it may have to be called again. Else why there is none.
    private func prepare() throws(MediaError) -> Step? {
        do throws(MediaError) { try reloadIfDue() } catch {
            if client.isInterrupted { return .interrupted }
            throw error
        }
        // What was to come next may have left the playlist: it goes on where that begins.
        sequence = source.oldest(from: sequence)
        guard let segment = source.segment(sequence) else {
            return source.isOver ? .end : .later(source.reloadTime)
        }
        if let run, isPaused, run.identity == identity(of: segment), !lookForSwitch() {
            isPaused = false
            run.resume()
            return nil
        }
        endRun()
        if lookForSwitch() { followSwitch() }
        do throws(MediaError) { try beginRun() } catch {
            if client.isInterrupted { return .interrupted }
            // A segment that cannot be demuxed is skipped like one that cannot be read, unless nothing could ever be demuxed.
            guard error.code == .unreadable || error.code == .notMedia, !known.isEmpty || error.code == .unreadable
            else { throw error }
            try noteMissing(error)
        }
        return nil
    }

    /// Brings the playlist up to date, and goes to the live edge of one that has begun anew. Blocks.
    private func reloadIfDue() throws(MediaError) {
        guard let edge = try source.reloadIfDue(client: client) else { return }
        sequence = edge
        expectedUntil = -1
    }

    private func noteMissing(_ error: MediaError) throws(MediaError) {
        missing += 1
        lastMissing = error
        if missing > Rendition.mostMissing { throw error }
    }

    private func identity(of segment: MediaPlaylist.Segment) -> SegmentRun.Identity {
        SegmentRun.Identity(playlist: source.url, domain: segment.domain, map: source.playlist.mapName(of: segment))
    }

    private func beginRun() throws(MediaError) {
        // There is one: see above. Another playlist may have fewer.
        guard let segment = source.segment(sequence) else { return }
        let identity = identity(of: segment)
        expect(segment)
        // Whatever becomes of it, this segment is not begun with again.
        var header: [UInt8] = []
        do throws(MediaError) {
            if let map = try source.playlist.map(of: segment) { header = try store.header(map, role: role) }
        } catch {
            sequence += 1
            throw error
        }
        var isFirst = true
        let start = source.start(of: sequence)
        handedOn = (start, 0)
        let reader = SegmentReader(header: header) { [unowned self] bytes throws(MediaError) in
            defer { isFirst = false }
            if !isFirst, isInVain(bytes) { return nil }
            return try open(in: identity, isFirst: isFirst)
        }
        let isAnew = isLost
        isLost = false
        let made = try SegmentRun(
            reader, identity: identity, expectedStart: isAnew ? max(start, position) : start, believesStamps: !isAnew,
            origin: source.playlist.origins[segment.domain], known: known[identity], wants: wants, client: client)
        if known.count >= 64 { known = [:] }
        known[identity] = made.formats
        made.wantsAudio = wantsAudio
        run = made
        isUnread = true
    }

    // MARK: Segments

    private var role: WireByteRole { source.playlist.isFinished ? .segment : .liveSegment }

    /// Whether nothing new has come of much that libav was given, now `bytes` of this run: stamps that repeat, or a file behind a file.
    private func isInVain(_ bytes: Int) -> Bool {
        let time = source.start(of: sequence) - handedOn.until
        isLost = time > Rendition.mostInVain.time || bytes - handedOn.bytes > Rendition.mostInVain.bytes
        return isLost
    }

    /// Opens the next segment of a run; nil if it is not of that run. Called while libav reads. Blocks.
    private func open(in identity: SegmentRun.Identity, isFirst: Bool) throws(MediaError) -> ResourceReader? {
        if !isFirst {
            try reloadIfDue()
            if sequence < source.oldest(from: sequence) { return nil }
        }
        guard let segment = source.segment(sequence) else { return nil }
        if !isFirst, self.identity(of: segment) != identity || lookForSwitch() { return nil }
        expect(segment)
        sequence += 1
        guard !segment.isGap, let piece = source.playlist.piece(of: segment) else {
            throw MediaError(.unreadable, "a segment is missing")
        }
        let opened = try client.open(want(piece, segment))
        if let cipher = piece.cipher { opened.decipher(try store.decipher(cipher)) }
        return opened
    }

    private func want(_ piece: MediaPlaylist.Piece, _ segment: MediaPlaylist.Segment) -> ByteWant {
        let start = max(0, source.start(of: segment.sequence))
        return ByteWant(
            url: piece.url, role: role, offset: piece.offset, end: piece.end, from: start,
            to: start + segment.duration)
    }

    /// Announces to flick the segments that will be opened, from `segment` on as far as `horizon`.
    private func expect(_ segment: MediaPlaylist.Segment) {
        var number = segment.sequence
        while number <= segment.sequence + Rendition.mostExpected, let next = source.segment(number),
            number == segment.sequence || source.start(of: number) < position + horizon
        {
            if number > expectedUntil, !next.isGap, let piece = source.playlist.piece(of: next) {
                // Its map is opened before it.
                if next.map != source.segment(number - 1)?.map || expectedUntil < 0 { expectMap(of: next) }
                client.report(.expect(want(piece, next)))
                expectedUntil = number
            }
            number += 1
        }
    }

    private func expectMap(of segment: MediaPlaylist.Segment) {
        // One that cannot be had says so when it is opened (`beginRun`); until then it is nobody's fault.
        guard let map = try? source.playlist.map(of: segment), !store.has(map) else { return }
        client.report(.expect(ByteWant(url: map.url, role: role, offset: map.offset, end: map.end)))
    }

    /// How far ahead of what has been read segments are expected.
    var horizon: Microseconds = 0 {
        didSet {
            guard horizon > oldValue, let segment = source.segment(sequence) else { return }
            expect(segment)
        }
    }

    // MARK: Another playlist

    /// Whether another playlist is to be gone on with. Asks `findSwitch` unless it knows, and blocks while that loads one.
    private func lookForSwitch() -> Bool {
        if pendingSwitch == nil { pendingSwitch = findSwitch() }
        return pendingSwitch != nil
    }

    private func followSwitch() {
        guard let next = pendingSwitch else { return }
        pendingSwitch = nil
        let border = source.start(of: sequence)
        next.align(with: source)
        source = next
        sequence = next.sequence(beginningNear: border)
        expectedUntil = -1
    }
}
