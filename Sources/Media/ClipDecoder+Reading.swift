internal import CFFmpeg
import Wire

/// Packets: how many are read ahead, and what they say of the clip.
extension ClipDecoder {
    /// The most that one stream may have waiting.
    private static let maxBytes = 32 << 20
    private static let maxPackets = 8_192
    /// The last packets of a segment come only once the next one is read.
    private static let tolerance: Microseconds = 100_000

    var wantsPackets: Bool {
        guard !isRead, !isOver, now(isAfter: wakeTime) else { return false }
        if origin == nil { return true }
        if let video, !videoIsThrough, output.wantsPicture, video.queuedCount == 0, !hasMuchSound || !chooser.hasBegun {
            return true
        }
        // The demuxer skips unwanted sound beside pictures, so no packets of it ever arrive.
        let readsSound = wantsSound || video == nil
        if let audio, readsSound, !audioIsThrough, !lacksSound, needsSound, audio.queuedCount == 0 { return true }
        var readAheadLimit = demuxer.readAheadLimit(isWatched: output.isWatched)
        // Without pictures there is no sign whether anyone is watching.
        if let readAheadUntilWatched, output.isWarm || (video != nil && !output.isWatched) {
            readAheadLimit.time = min(readAheadLimit.time, readAheadUntilWatched)
            // Decoded pictures count, too: otherwise a segment of two seconds would not be enough for two seconds.
            let enough = readAheadUntilWatched - ClipDecoder.tolerance
            if output.hasWaiting, base == 0, timeUnseen >= enough { return false }
        }
        let bytes = (video?.queuedBytes ?? 0) + (audio?.queuedBytes ?? 0)
        let count = (video?.queuedCount ?? 0) + (audio?.queuedCount ?? 0)
        return output.hasWaiting && timeAhead < readAheadLimit.time && bytes < readAheadLimit.bytes
            && count < readAheadLimit.packets
    }

    // MARK: Sparse pictures

    /// After this much sound without a picture, the next picture is far off.
    private static let sparse: Microseconds = 5_000_000

    /// All pictures before this were read, in times of the file: packets come by their DTS, which is never after the
    /// PTS, and those of sound not much earlier.
    var pictureReadEnd: Microseconds {
        max(video?.lastStamp ?? .min, audio?.lastStamp.map { $0 - ClipDecoder.sparse } ?? .min)
    }

    /// All pictures that were read are decoded, and enough sound after them waits that no further picture comes soon.
    var isSparse: Bool {
        guard let video, let audio, wantsSound, !videoIsThrough, video.queuedCount == 0 else { return false }
        if case .unknown = lead { return false }
        return audio.queuedTime > ClipDecoder.sparse || hasMuchSound
    }

    /// Sound is close to being dropped because too much waits: the next picture
    /// is read only after some of it was played.
    private var hasMuchSound: Bool {
        guard let audio, wantsSound, !audioIsThrough else { return false }
        if case .unknown = lead { return false }
        return audio.queuedCount > ClipDecoder.maxPackets / 2 || audio.queuedBytes > ClipDecoder.maxBytes / 2
    }

    /// Whether to do without a packet: of sound well before the place that is sought. Decoders of sound need a little
    /// before the first sample.
    private func isPassed(_ packet: UnsafeMutablePointer<AVPacket>, _ format: StreamFormat) -> Bool {
        guard chooser.mode == .exact, chooser.target > 0, video != nil, format.isIndependent,
            let time = format.time(packet.pointee.pts), let duration = format.time(packet.pointee.duration),
            duration > 0
        else { return false }
        return time + duration - (origin ?? 0) < chooser.target - ClipDecoder.soundBefore
    }
    static let soundBefore: Microseconds = 250_000

    private func now(isAfter time: Microseconds?) -> Bool { time.map { MonotonicTime.now() >= $0 } ?? true }

    /// How long the packets that were read and not decoded last.
    var timeAhead: Microseconds { (video ?? audio)?.queuedTime ?? 0 }

    /// How long the packets that were read but not yet watched last, if known. Meaningless once the clip has looped.
    private var timeUnseen: Microseconds { bufferedUntil - (output.oldestTime ?? bufferedUntil) }

    func readPacket() throws(MediaError) {
        wakeTime = nil
        switch try demuxer.next() {
        case .packet(var packet, let format):
            hasPackets = true
            guard let decoder = format.isVideo ? video : audio else { return freePacket(&packet) }
            note(packet, format)
            if !format.isVideo { lacksSound = false }
            if case .unknown = lead, format.isVideo {
                let isKey = packet.pointee.flags & AV_PKT_FLAG_KEY != 0
                lead = isKey ? format.time(packet.pointee.pts).map(Lead.key) ?? .other : .other
            }
            let wasRead = outage.has(format.time(packet.pointee.dts), isVideo: format.isVideo)
            if wasRead || !format.isVideo && isPassed(packet, format) { return freePacket(&packet) }
            decoder.push(packet, format)
            // A stream that is far ahead of the other drops its oldest packets rather than block both.
            if decoder.queuedBytes > ClipDecoder.maxBytes || decoder.queuedCount > ClipDecoder.maxPackets {
                decoder.dropOldest()
            }
        case .text(let cues):
            for cue in cues { send(cue) }
        case .noSound: lacksSound = audio != nil && video != nil
        case .later(let time): wakeTime = time
        case .interrupted: break
        case .end: finishReading()
        }
    }

    /// Text goes to flick as it is read: it is small, and is shown in its time there.
    private func send(_ cue: TextCue) {
        if origin == nil { begin(at: demuxer.origin(first: cue.start)) }
        let (start, end) = (cue.start - (origin ?? 0), cue.end - (origin ?? 0))
        guard end >= 0, density.allows(start) else { return }
        output.sendSoon(.cue(serial: output.serial, start: max(0, start), end: end, text: cue.text))
    }

    private func note(_ packet: UnsafeMutablePointer<AVPacket>, _ format: StreamFormat) {
        guard let time = format.time(packet.pointee.pts) ?? format.time(packet.pointee.dts) else {
            if origin == nil { begin(at: 0) }
            return
        }
        if origin == nil { begin(at: demuxer.origin(first: time)) }
        if !format.isVideo, firstSound == nil {
            firstSound = time - (origin ?? 0)
            soundIsLate = isLate(sound: time - (origin ?? 0))
        }
        bufferedUntil = max(bufferedUntil, time - (origin ?? 0) + (format.time(packet.pointee.duration) ?? 0))
        knownEnd = max(knownEnd, bufferedUntil)
        if bufferedUntil != lastReportedBuffered { reportBuffered(atLeastEvery: 250_000) }
    }

    /// Reports how far the clip has been read, unless that was done less than `interval` ago.
    func reportBuffered(atLeastEvery interval: Microseconds) {
        let now = MonotonicTime.now()
        guard interval == 0 || now - timeOfBuffered > interval else { return }
        timeOfBuffered = now
        lastReportedBuffered = bufferedUntil
        output.sendSoon(.buffered(serial: output.serial, until: max(0, bufferedUntil)))
    }

    private func finishReading() {
        if origin == nil { begin(at: 0) }
        reportBuffered(atLeastEvery: 0)
        video?.pushEnd()
        audio?.pushEnd()
        isRead = !loops || info.isStill || !readsFromBeginning()
    }

    /// Continues with the clip's first packets; false if that is impossible.
    func readsFromBeginning() -> Bool {
        density = CueDensity()
        lacksSound = false
        // Packets of the beginning are older than those before the outage, but not duplicates.
        if outage.error == nil { outage = Outage() }
        return demuxer.seek(to: min(0, origin ?? 0))
    }
}
