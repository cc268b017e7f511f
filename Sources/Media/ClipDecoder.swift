internal import CFFmpeg
import Loudness
import Platform
import Wire

/// An open clip: reads packets as needed, decodes them, and puts pictures and sound on one timeline.
///
/// On the session's thread. `work` does one small step at a time, so that orders can be handled in between.
final class ClipDecoder {
    let demuxer: any Demuxer
    let output: Output
    let video: StreamDecoder?
    private(set) var audio: StreamDecoder?
    let info: MediaInfo
    var loops: Bool
    private(set) var wantsSound: Bool

    /// The file's time at the clip's beginning; nil until the first packet.
    var origin: Microseconds?
    /// Where the current round of the clip began, on the timeline.
    var base: Microseconds = 0
    var sound: SoundLine
    /// Brings the sound to the target loudness; nil: it stays as it is.
    var level: SoundLevel?
    var levelReports = LevelReports()
    let converter = SoundConverter()
    var chooser = PictureChooser(target: 0, mode: .exact)
    /// The first packet of pictures since the last seek: its PTS, if it is a
    /// key picture. Pictures of before lack what they refer to.
    var lead: Lead = .unknown
    /// The key picture that was decoded alone, until it has come again.
    var earlyTime: Microseconds?
    /// The time of the picture that came last since the last seek, or in this round; nil before the first.
    var lastPictureTime: Microseconds?
    /// Sound that comes long after what came before it, and when on the timeline: silence is added up to it bit by bit.
    var lateSound: (samples: [Float], time: Microseconds)?
    /// Where in the clip the first packet of sound since the last seek begins.
    var firstSound: Microseconds?
    /// Where on the timeline playing began after the last seek, as reported to flick; nil before the first picture.
    var beginning: Microseconds?
    /// The time of the next picture, if the picture has none itself.
    var nextPictureTime: Microseconds = 0
    let pictureDuration: Microseconds

    var videoIsThrough: Bool
    var audioIsThrough: Bool
    /// No sound comes to the pictures for now, so that silence must.
    var lacksSound = false
    /// Silence has been added after the last sound of this round.
    var isInSilence = false
    /// The demuxer has reached the end and does not loop.
    var isRead = false
    /// Until this moment of `MonotonicTime`, the demuxer has nothing to read.
    var wakeTime: Microseconds?
    /// The whole clip has been decoded, and it does not loop.
    var isOver = false
    var hasSaidEnded = false
    /// flick knows that the pictures of this round have all been sent, or that the next one is far off.
    var hasSaidThrough = false
    var outage = Outage()
    /// Whether there was any packet, so that an end is real.
    var hasPackets = false
    var hasDecoded = false
    /// Whether any picture was good enough to be shown.
    var hasShown = false
    var bufferedUntil: Microseconds = 0
    /// The farthest place that was read. It can be beyond what the container says is the end, as in joined recordings.
    var knownEnd: Microseconds = 0
    /// nil: nothing was reported since the last seek.
    var lastReportedBuffered: Microseconds?
    var timeOfBuffered = MonotonicTime.now()
    /// Where the last picture of this round ends, in the clip.
    var videoEnd: Microseconds = 0
    /// Where the last round ended, on the timeline.
    var roundEnd: Microseconds = 0
    /// Where the last reading began, in the clip, and how often that was too late to find the target.
    var place: Microseconds = 0
    var earlierPlace: Microseconds?
    /// Reading began after the sound that belongs to the target.
    var soundIsLate = false
    /// How far a clip that was opened ahead is read ahead until it is watched; nil if it was opened in view.
    var readAheadUntilWatched: Microseconds?
    /// The first picture after a seek is not found yet; sound waits for it.
    var isSearching = false
    var tries = 0
    /// Of the cues sent since the last seek.
    var density = CueDensity()

    /// - Parameter loudness: the target for all sound, in LUFS; nil: it stays as it is.
    init(
        demuxer: any Demuxer, output: Output, start: Microseconds, loops: Bool, wantsSound: Bool,
        loudness: Double? = nil
    ) throws(MediaError) {
        self.demuxer = demuxer
        self.output = output
        self.loops = loops
        self.wantsSound = wantsSound
        let cores = max(1, sysconf(Int32(_SC_NPROCESSORS_ONLN)))
        let (video, noVideo) = ClipDecoder.open(demuxer.video, cores: cores)
        let (audio, noAudio) = ClipDecoder.open(demuxer.audio, cores: 1)
        if video == nil, audio == nil, let reason = noVideo ?? noAudio { throw reason }
        (self.video, self.audio) = (video, audio)
        videoIsThrough = video == nil
        audioIsThrough = audio == nil
        info = demuxer.info.playing(video: video != nil, audio: audio != nil)
        pictureDuration = demuxer.pictureDuration
        output.orientation = demuxer.orientation
        if audio != nil, let loudness {
            let playing = info.soundTracks.firstIndex(where: \.isChosen) ?? -1
            level = SoundLevel(target: loudness, number: playing, tag: demuxer.taggedLoudness)
        }
        sound = SoundLine(start: 0, rate: 1_000, held: level == nil ? 0 : SoundLevel.lookahead)
        output.send(.opened(info))
        demuxer.client.seekInterrupts = true
        // Weak: the client outlives the clip where one decoder makes several stills.
        demuxer.client.canWait = { [weak self] in self?.hasStock ?? false }
        if let known = demuxer.knownOrigin { begin(at: known) }
        demuxer.packetUse = { [unowned self] in
            PacketUse(
                ahead: timeAhead, taken: (self.video ?? self.audio)?.takenTime ?? 0, pace: Double(output.rate) / 1_000)
        }
        if start > 0 { try seek(serial: output.serial, to: start, mode: .exact) }
    }

    /// The clip's beginning is known. Until then sound is read even if it is unwanted: the clip may begin with it.
    func begin(at time: Microseconds) {
        origin = time
        demuxer.wantsAudio = wantsSound
    }

    /// Opens the decoder of a stream; on failure returns the error, because the other stream can play alone.
    private static func open(_ format: StreamFormat?, cores: Int) -> (StreamDecoder?, MediaError?) {
        guard let format else { return (nil, nil) }
        do throws(MediaError) { return (try StreamDecoder(format: format, cores: cores), nil) } catch {
            return (nil, error)
        }
    }

    /// The first packet since a seek.
    enum Lead {
        /// Nothing.
        case unknown
        case key(Microseconds)
        /// Something else, or it has no PTS.
        case other
    }

    // MARK: Work

    /// Does the next possible step; false if nothing is possible until flick sends something.
    func work() throws(MediaError) -> Bool {
        if let earlier = earlierPlace {
            earlierPlace = nil
            try search(from: earlier)
            return true
        }
        if soundIsLate {
            try searchLateSound()
            return true
        }
        if try workWithoutReading() { return true }
        if outage.error != nil, !isRead {
            if bearOutage() { return true }
            reportBeforeWaiting()
            return false
        }
        guard wantsPackets else {
            reportBeforeWaiting()
            return false
        }
        do throws(MediaError) { try readPacket() } catch { try beginOutage(error) }
        return true
    }

    /// Does the next step that needs no bytes; false if there is nothing to do.
    func workWithoutReading() throws(MediaError) -> Bool {
        if try output.sendPicture() { return true }
        if sendSound() { return true }
        if origin == nil || earlierPlace != nil { return false }
        if let video, !videoIsThrough, output.wantsPicture, try stepVideo(video) { return true }
        if let audio, !audioIsThrough, canDecodeSound, try stepAudio(audio) { return true }
        if fillGap() || fillSilence() { return true }
        if showHeldPictures() { return true }
        if videoIsThrough, audioIsThrough, !isOver, !lacksSilence {
            if let error = outage.error {
                sound.finish()
                guard output.hasWaiting || !sound.isEmpty else {
                    _ = sayThrough()
                    throw error
                }
            } else {
                try endRound()
                return true
            }
        }
        if sayThrough() { return true }
        if isOver, !hasSaidEnded, !output.hasWaiting, sound.isEmpty {
            hasSaidEnded = true
            output.send(.ended(serial: output.serial))
            return true
        }
        return false
    }

    /// Sends `through` once, if no picture follows or the next one is far off. Returns whether it was sent now.
    private func sayThrough() -> Bool {
        guard video != nil, videoIsThrough || isSparse && chooser.hasBegun, !hasSaidThrough, !output.hasWaiting else {
            return false
        }
        hasSaidThrough = true
        output.sendSoon(.through(serial: output.serial))
        return true
    }

    /// Sends the exact read position. Called before a wait, which may be long.
    func reportBeforeWaiting() {
        if bufferedUntil != lastReportedBuffered { reportBuffered(atLeastEvery: 0) }
    }

    /// Plays another sound of the clip from the seek on that follows. One that
    /// cannot be decoded leaves everything as it is.
    func chooseSound(_ track: Int) throws(MediaError) {
        guard let audio, info.soundTracks.indices.contains(track) else { return }
        let before = demuxer.audio
        try demuxer.chooseSound(track, from: max(0, sound.isUnplaced ? videoEnd : sound.end - base))
        level?.choose(track, tag: demuxer.taggedLoudness)
        // The format of a playlist's sound comes with its packets.
        guard let format = demuxer.audio, format !== before else { return audio.flush() }
        self.audio = try StreamDecoder(format: format, cores: 1)
        audioIsThrough = false
        converter.reset()
    }

    /// Whether to decode sound. When it is turned on again, it continues at the current picture.
    func setSound(_ on: Bool) {
        guard on != wantsSound else { return }
        wantsSound = on
        demuxer.wantsAudio = on
        lacksSound = false
        guard on else { return }
        audio?.flush()
        converter.reset()
        lateSound = nil
        beginSound(at: base + max(videoEnd, nextPictureTime), isClipStart: false)
    }

    /// The next sound does not follow the last. It begins at `time` of the timeline; nil: not known yet.
    func beginSound(at time: Microseconds?, isClipStart: Bool) {
        sound = SoundLine(start: time, rate: output.rate, held: level == nil ? 0 : SoundLevel.lookahead)
        level?.jump(toStart: isClipStart)
    }
}

extension MediaInfo {
    /// The same info without the streams that no decoder accepts, so that flick does not wait for them.
    fileprivate func playing(video: Bool, audio: Bool) -> MediaInfo {
        var info = self
        for index in streams.indices
        where streams[index].kind == .video && !video || streams[index].kind == .audio && !audio {
            info.streams[index].isChosen = false
        }
        return info
    }
}

/// The clip's end and the next round of a loop.
extension ClipDecoder {
    /// Both streams have reached the end of the clip.
    func endRound() throws(MediaError) {
        guard hasDecoded else {
            throw hasPackets
                ? MediaError(.undecodable, "neither its video nor its audio can be decoded") : MediaError.nothingInIt
        }
        // Sound must have no gap, so it decides when the next round begins. By now it is as long as the pictures.
        if wantsSound { level?.end() }
        let end = hasSound ? max(sound.end, base) : max(base + videoEnd, beginning ?? 0)
        guard loops, !isRead, end - base > 1_000 else {
            roundEnd = end
            isOver = true
            sound.finish()
            return
        }
        beginRound(at: end)
    }

    /// The clip begins again, at `time` on the timeline.
    private func beginRound(at time: Microseconds) {
        base = time
        // The search of the last seek is over: a first picture later
        // than the clip's beginning is no reason to continue it.
        (place, tries, earlierPlace) = (0, 0, nil)
        sound.beginRound(at: base)
        nextPictureTime = 0
        (lead, earlyTime, lastPictureTime) = (.other, nil, nil)
        (videoEnd, isInSilence) = (0, false)
        hasSaidThrough = false
        chooser = PictureChooser(target: 0, mode: .exact)
        chooser.soundStart = base
        video?.target = .min
        videoIsThrough = video == nil
        audioIsThrough = audio == nil
    }

    /// Whether the clip loops. If it has ended already, setting this starts it again.
    func setLoops(_ on: Bool) {
        loops = on
        guard on, !info.isStill else { return }
        if isRead { isRead = !readsFromBeginning() }
        guard isOver, !isRead, roundEnd - base > 1_000 else { return }
        isOver = false
        hasSaidEnded = false
        beginRound(at: roundEnd)
    }
}
