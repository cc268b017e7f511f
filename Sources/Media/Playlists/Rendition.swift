internal import CFFmpeg
import Wire

/// Reads one media playlist: pictures and sound together, or one of the two. The playlist can change where a segment
/// ends. On the session's thread.
final class Rendition {
    /// The result of reading on.
    enum Step {
        case packet(UnsafeMutablePointer<AVPacket>, StreamFormat)
        case later(Microseconds)
        case interrupted
        case end
    }

    /// How many segments in a row may be missing.
    private static let maxMissing = 3
    /// How often in a row another playlist is looked for.
    private static let maxReplacements = 8
    /// How many segments are announced ahead.
    private static let maxExpected: Int64 = 3

    let client: ByteClient
    /// The kinds of streams that are needed.
    private var wants: (video: Bool, audio: Bool)
    /// Whether a segment that cannot be read is an error; else it is skipped.
    private let failsOnGaps: Bool
    private(set) var source: PlaylistSource
    private(set) var run: SegmentRun?
    /// The number of the next segment to open.
    private var sequence: Int64
    /// How far packets have been read.
    private(set) var position: Microseconds = 0
    /// Called where a segment ends: returns another playlist to continue with, if any. May block.
    var findSwitch: () -> PlaylistSource? = { nil }
    private var pendingSwitch: PlaylistSource?
    /// Called when a segment of the playlist cannot be read: returns another one that has the same, if any. May block.
    var findReplacement: (PlaylistSource) -> PlaylistSource? = { _ in nil }
    /// The run has no more segments for now, and continues when there are more.
    private var isPaused = false
    /// The run was opened, but nothing was read from it yet.
    private var isUnread = false

    /// What libav had received when `position` last moved: up to which time by
    /// the playlist, and how many bytes of the run.
    private var passedOn: (until: Microseconds, bytes: Int) = (0, 0)
    /// The previous run brought nothing new, however much was read, so the stamps of the next one cannot be trusted.
    private var isLost = false
    /// A run ends after libav has received this much without producing anything new, whichever limit is reached first.
    private static let maxWithoutProgress: (time: Microseconds, bytes: Int) = (20_000_000, 8 << 20)

    private var missing = 0
    /// How often another playlist was looked for since the last packet.
    private var replacements = 0
    private var retry = SegmentRetry()
    /// How long the packets of this clip that were read and not decoded last.
    var stock: () -> Microseconds = { 0 }
    /// Whether there was any packet.
    private var hasRead = false
    /// Why the last missing segment could not be read.
    private var lastMissing: MediaError?
    private let store: SegmentStore
    private var known: [SegmentRun.Identity: SegmentRun.Formats] = [:]
    /// How far segments have been announced: the largest announced number so far.
    private var expectedUntil: Int64 = -1

    /// Begins with the segment that plays at `time`.
    init(
        _ source: PlaylistSource, at time: Microseconds, client: ByteClient, wants: (video: Bool, audio: Bool),
        failsOnGaps: Bool = false
    ) {
        self.source = source
        self.client = client
        (self.wants, self.failsOnGaps) = (wants, failsOnGaps)
        store = SegmentStore(client: client)
        sequence = source.sequence(at: time)
        position = source.start(of: sequence)
    }

    /// The domain of the next packet; nil if there is nothing to read.
    var domain: Int64? { run?.identity.domain ?? source.segment(sequence)?.domain }

    /// How much of the clip comes with the next segment.
    var segmentDuration: Microseconds { source.segment(sequence)?.duration ?? source.playlist.targetDuration }

    var wantsAudio = true {
        didSet { run?.wantsAudio = wantsAudio }
    }

    /// Seeks to the segment that plays at `time`.
    func seek(to time: Microseconds) {
        let target = source.sequence(at: time)
        // If the run at that place was opened and not read yet, keep it.
        if isUnread, let run, run.failure == nil, run.expectedStart == source.start(of: target) { return }
        endRun()
        (missing, replacements, retry) = (0, 0, SegmentRetry())
        sequence = target
        position = source.start(of: target)
        expectedUntil = -1
        nextToExpect = .max
        isLost = false
    }

    /// Another variant is wanted: forgets what was prepared of the current one.
    func lookAgain() {
        pendingSwitch = nil
        isUnread = false
    }

    /// Starts or stops reading the sound that is muxed with the pictures. Continues at the current place.
    func readSound(_ isWanted: Bool) {
        guard wants.audio != isWanted else { return }
        wants.audio = isWanted
        // Runs that are alike now have another format, or one less.
        known = [:]
        let place = position
        endRun()
        seek(to: place)
    }

    private func endRun() {
        run = nil
        isPaused = false
        isUnread = false
    }

    // MARK: Reading

    /// Opens the first run, to find out how its streams are coded. Blocks.
    ///
    /// - Parameter longest: how long to wait for a segment that is not there
    ///   yet; nil: as long as its playlist suggests.
    func begin(within longest: Microseconds? = nil) throws(MediaError) {
        let limit =
            MonotonicTime.now()
            + (longest ?? ReloadSchedule.longestWait(target: source.playlist.targetDuration))
        while run == nil {
            switch try prepare() {
            case nil: continue
            case .later(let time): try awaitFirst(until: time, limit: limit)
            case .interrupted: throw MediaError(.other, "interrupted")
            default: throw lastMissing ?? MediaError(.notMedia, "its playlist has no segments")
            }
        }
    }

    /// Waits up to a second for a stream that has not begun; throws from `limit` on. Blocks.
    private func awaitFirst(until time: Microseconds, limit: Microseconds) throws(MediaError) {
        let now = MonotonicTime.now()
        if source.isFile { throw lastMissing ?? MediaError(.notMedia, "its playlist has no segments") }
        guard now < limit else {
            throw lastMissing ?? MediaError(.unreadable, "the stream has not begun: its playlist has no segments yet")
        }
        // A message during the wait, so that flick does not think that the decoder hangs.
        client.report(.buffered(serial: 0, until: 0))
        if !client.wait(until: min(time, limit, now + 1_000_000)) { throw MediaError(.other, "interrupted") }
    }

    /// The next packet, with stamps in the clip's time. Blocks.
    func next(_ timeline: inout Timeline) throws(MediaError) -> Step {
        while true {
            if run == nil || isPaused, let step = try prepare() { return step }
            guard let run else { continue }
            if let (packet, format) = try run.next(&timeline) {
                isUnread = false
                (missing, replacements) = (0, 0)
                hasRead = true
                let time = packet.pointee.dts != flick_no_pts() ? packet.pointee.dts : packet.pointee.pts
                if time != flick_no_pts(), time > position {
                    position = time
                    passedOn = (source.start(of: sequence), run.bytes)
                }
                return .packet(packet, format)
            }
            if client.isInterrupted { return .interrupted }
            if let error = run.failure {
                let failed = run.isBeforeSegment ? opening : nil
                endRun()
                if let step = try recover(from: error, at: failed) { return step }
            } else if run.isResumable, source.segment(sequence) == nil, !source.playlist.isFinished {
                isPaused = true
            } else {
                endRun()
            }
        }
    }

    /// Prepares a run to read from. Returns nil if the caller should
    /// continue (and perhaps call it again), otherwise why there is no run.
    private func prepare() throws(MediaError) -> Step? {
        // A replacement does not need the playlist that it replaces.
        if run == nil { followSwitch() }
        do throws(MediaError) { try reloadIfDue() } catch {
            if client.isInterrupted { return .interrupted }
            guard replace() else { throw error }
            endRun()
            return nil
        }
        // The next segment may have left the playlist; continue with the first one in it.
        sequence = source.oldest(from: sequence)
        guard let segment = source.segment(sequence) else {
            // A segment that a local playlist names and that does not exist will not appear later.
            if source.isFile, !hasRead, let lastMissing { throw lastMissing }
            return source.isOver ? .end : .later(source.reloadTime)
        }
        if let time = retry.time(of: sequence), MonotonicTime.now() < time { return .later(time) }
        if let run, isPaused, run.identity == identity(of: segment), !lookForSwitch() {
            isPaused = false
            run.resume()
            return nil
        }
        endRun()
        if lookForSwitch() { followSwitch() }
        let first = sequence
        do throws(MediaError) { try beginRun() } catch {
            if client.isInterrupted { return .interrupted }
            return try recover(from: error, at: first)
        }
        return nil
    }

    /// Reloads the playlist, and goes to the live edge if the server has restarted the stream. Blocks.
    private func reloadIfDue() throws(MediaError) {
        guard let edge = try source.reloadIfDue(client: client) else { return }
        sequence = edge
        expectedUntil = -1
    }

    // MARK: Missing segments

    /// A segment could not be read. Waits if it is new, tries once more while there is enough to play, then reads it
    /// from another playlist, then waits while there is enough to play, then skips it. Returns a step if the caller
    /// must wait. Blocks.
    ///
    /// - Parameter failed: its number; nil if some of it was read, so that the rest is lost.
    private func recover(from error: MediaError, at failed: Int64?) throws(MediaError) -> Step? {
        // Another variant would not continue what was read.
        if failsOnGaps { throw error }
        lastMissing = error
        let now = MonotonicTime.now()
        if let failed, error.code == .unreadable, source.isNew(failed), source.segment(failed)?.isGap != true,
            let time = retry.fail(new: failed, target: source.playlist.targetDuration, now: now)
        {
            sequence = failed
            return .later(time)
        }
        let next = sequence
        if let failed { sequence = failed }
        let mayCome = error.code == .unreadable && !source.isFile
        let late = failed.flatMap { mayCome && source.segment($0)?.isGap == false ? $0 : nil }
        if let late, !retry.hasRetried(late), let time = retry.fail(late, stock: stock(), now: now) {
            return .later(time)
        }
        if [.unreadable, .notMedia, .undecodable].contains(error.code), replace() { return nil }
        if client.isInterrupted { return .interrupted }
        if let late, let time = retry.fail(late, stock: stock(), now: now) { return .later(time) }
        sequence = next
        // A segment that cannot be demuxed is skipped like one that cannot be
        // read, unless no segment could be demuxed so far.
        guard error.code == .unreadable || error.code == .notMedia && !known.isEmpty else { throw error }
        missing += 1
        guard missing > Rendition.maxMissing else { return nil }
        guard source.isLive, !source.isFile, error.code == .unreadable else { throw error }
        // A live stream may come back. `begin` limits the wait for its first
        // segment, and `ReloadSchedule` that for more of them.
        sequence = max(sequence, source.edge ?? sequence)
        return nil
    }

    /// Looks for another playlist to continue with, which is followed where the next run begins. Blocks.
    private func replace() -> Bool {
        guard pendingSwitch == nil else { return true }
        guard replacements < Rendition.maxReplacements else { return false }
        replacements += 1
        pendingSwitch = findReplacement(source)
        return pendingSwitch != nil
    }

    // MARK: Runs

    private func identity(of segment: MediaPlaylist.Segment) -> SegmentRun.Identity {
        SegmentRun.Identity(playlist: source.url, domain: segment.domain, map: source.playlist.mapName(of: segment))
    }

    private func beginRun() throws(MediaError) {
        // The check above found one, but another playlist may have fewer segments.
        guard let segment = source.segment(sequence) else { return }
        let identity = identity(of: segment)
        expect(segment)
        // Whatever happens, do not open this segment twice.
        var header: [UInt8] = []
        do throws(MediaError) {
            if let map = try source.playlist.map(of: segment) {
                header = try store.header(map, role: role, isPatient: isPatient)
            }
        } catch {
            sequence += 1
            throw error
        }
        var isFirst = true
        let start = source.start(of: sequence)
        passedOn = (start, 0)
        let reader = SegmentReader(header: header) { [unowned self] bytes throws(MediaError) in
            defer { isFirst = false }
            if !isFirst, lacksProgress(bytes) { return nil }
            return try open(in: identity, isFirst: isFirst)
        }
        let restarts = isLost
        isLost = false
        let made = try SegmentRun(
            reader, identity: identity, expectedStart: restarts ? max(start, position) : start,
            believesStamps: !restarts, origin: source.playlist.origins[segment.domain], known: known[identity],
            wants: wants, client: client)
        if known.count >= 64 { known = [:] }
        known[identity] = made.formats
        made.wantsAudio = wantsAudio
        run = made
        isUnread = true
    }

    // MARK: Segments

    /// Whether a segment that cannot be opened is tried again later.
    private var isPatient: Bool { !failsOnGaps && SegmentRetry.isPatient(stock: stock()) }

    /// The segment that was opened last; nil if another resource was unavailable.
    private var opening: Int64?

    private var role: WireByteRole { source.playlist.isFinished ? .segment : .liveSegment }

    /// Whether libav read a lot without giving anything new, now `bytes` of this run: stamps repeat, or a file is
    /// appended to another.
    private func lacksProgress(_ bytes: Int) -> Bool {
        let time = source.start(of: sequence) - passedOn.until
        isLost =
            time > Rendition.maxWithoutProgress.time || bytes - passedOn.bytes > Rendition.maxWithoutProgress.bytes
        return isLost
    }

    /// Opens the next segment of a run; nil if it does not belong to the run. libav calls this while it reads. Blocks.
    private func open(in identity: SegmentRun.Identity, isFirst: Bool) throws(MediaError) -> ResourceReader? {
        if !isFirst {
            opening = nil
            try reloadIfDue()
            if sequence < source.oldest(from: sequence) { return nil }
        }
        guard let segment = source.segment(sequence) else { return nil }
        if !isFirst, self.identity(of: segment) != identity || lookForSwitch() { return nil }
        expect(segment)
        opening = sequence
        sequence += 1
        guard !segment.isGap, let piece = source.playlist.piece(of: segment) else {
            throw MediaError(.unreadable, "a segment is missing")
        }
        let opened = try client.open(want(piece, segment), isPatient: isPatient)
        if let cipher = piece.cipher { opened.decipher(try store.decipher(cipher)) }
        return opened
    }

    private func want(_ piece: MediaPlaylist.Piece, _ segment: MediaPlaylist.Segment) -> ByteWant {
        let start = max(0, source.start(of: segment.sequence))
        return ByteWant(
            url: piece.url, role: role, offset: piece.offset, end: piece.end, from: start,
            to: start + segment.duration)
    }

    /// Announces the segments from `segment` to `horizon` that will be opened.
    private func expect(_ segment: MediaPlaylist.Segment) {
        var number = segment.sequence
        while number <= segment.sequence + Rendition.maxExpected, let next = source.segment(number),
            number == segment.sequence || source.start(of: number) < position + horizon
        {
            if number > expectedUntil, !next.isGap, let piece = source.playlist.piece(of: next) {
                // Its header is opened first.
                if next.map != source.segment(number - 1)?.map || expectedUntil < 0 { expectMap(of: next) }
                client.report(.expect(want(piece, next)))
                expectedUntil = number
            }
            number += 1
        }
        let isBeyondHorizon = number <= segment.sequence + Rendition.maxExpected && source.segment(number) != nil
        nextToExpect = isBeyondHorizon ? source.start(of: number) : .max
    }

    private func expectMap(of segment: MediaPlaylist.Segment) {
        // A missing header is reported when it is opened (`beginRun`), not here.
        guard let map = try? source.playlist.map(of: segment), !store.has(map) else { return }
        client.report(.expect(ByteWant(url: map.url, role: role, offset: map.offset, end: map.end)))
    }

    /// How far ahead of the position segments are announced.
    var horizon: Microseconds = 0 {
        didSet {
            guard horizon > 0, position + horizon > nextToExpect, let segment = source.segment(sequence) else { return }
            expect(segment)
        }
    }
    /// Where the first segment begins that is beyond the horizon; `.max` if only others keep it from being announced.
    private var nextToExpect = Microseconds.max

    // MARK: Another playlist

    /// Whether to continue with another playlist. Calls `findSwitch` unless the answer is known, and blocks while that
    /// loads a playlist.
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
