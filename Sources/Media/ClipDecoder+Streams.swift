internal import CFFmpeg
import Loudness
import Wire

/// Turns packets into pictures and sound on the timeline.
extension ClipDecoder {
    /// How many frames of sound are decoded before there is credit to send them.
    private static let soundAhead = 12_000
    /// The same if sound is measured before it is sent: three seconds, of packets that have been read.
    private static let measuredAhead = 144_000

    var canDecodeSound: Bool { canDecodeSound(upTo: level == nil ? ClipDecoder.soundAhead : ClipDecoder.measuredAhead) }

    /// Whether sound must be read if no packet waits. Without pictures, sound that is measured ahead is read for that.
    var needsSound: Bool { video == nil ? canDecodeSound : canDecodeSound(upTo: ClipDecoder.soundAhead) }

    private func canDecodeSound(upTo frames: Int) -> Bool {
        if !wantsSound { return true }
        return chooser.soundStart != nil && lateSound == nil && sound.pendingFrames < frames
    }

    /// Whether more sound must be measured before the next is sent: in view, a little of what has been read, and only
    /// before the first; out of view, all that is read ahead.
    private var isMeasuring: Bool {
        guard let framesBeforeNext = level?.framesBeforeNext, let audio, !audioIsThrough, canDecodeSound else {
            return false
        }
        if audio.queuedCount > 0 { return output.isWarm || sound.pendingFrames < framesBeforeNext }
        return output.isWarm && wantsPackets
    }

    // MARK: Pictures

    func stepVideo(_ decoder: StreamDecoder) throws(MediaError) -> Bool {
        let coded = decoder.format.parameters
        decoder.isShrunk = output.request?.shrinks(Int(coded.pointee.width), Int(coded.pointee.height)) ?? false
        switch try decoder.step() {
        case .frame(let frame):
            accept(picture: frame, of: decoder, isEarly: false)
            return true
        case .early(let frame):
            accept(picture: frame, of: decoder, isEarly: true)
            return true
        case .worked:
            if decoder.refused > 500 { throw MediaError(.undecodable, "its video cannot be decoded") }
            return true
        case .needsPacket: return false
        case .ended:
            // FLV marks the end of its pictures like a key picture.
            if chooser.isEmpty, canSearchEarlier, place > 0 {
                // It may be far beyond the end of a file that does not say how long it is.
                earlierPlace = tries == ClipDecoder.maxTries ? 0 : max(0, place - PictureChooser.stepBack)
                return true
            }
            show(chooser.finish())
            // flick waits for the first picture, and would without end.
            if hasPackets, !hasShown, place <= 0 || base > 0 {
                throw MediaError(.undecodable, "its video cannot be decoded")
            }
            videoIsThrough = true
            isSearching = false
            return true
        }
    }

    private static let maxTries = 3
    private var canSearchEarlier: Bool { tries > 0 && tries <= ClipDecoder.maxTries && demuxer.info.isSeekable }

    private func accept(
        picture frame: UnsafeMutablePointer<AVFrame>, of decoder: StreamDecoder, isEarly: Bool
    ) {
        decoder.frameCame()
        hasDecoded = true
        var time = nextPictureTime
        let stamp = decoder.format.time(frame.pointee.best_effort_timestamp)
        if let stamp { time = max(0, stamp - (origin ?? 0)) }
        if let stamp, isUseless(stamp: stamp, time: time) {
            var frame = frame
            return freeFrame(&frame)
        }
        earlyTime = isEarly ? time : nil
        var duration = decoder.format.time(flick_frame_duration(frame)) ?? 0
        if duration <= 0 || duration > 3_600_000_000 { duration = pictureDuration }
        nextPictureTime = time + duration
        let decoded = DecodedPicture(
            frame: frame, pts: base + time, mediaTime: time, duration: duration,
            sampleAspect: decoder.format.sampleAspect)
        if canSearchEarlier, let earlier = chooser.earlierPlace(than: place, seeing: decoded) {
            earlierPlace = earlier
            return
        }
        lastPictureTime = max(lastPictureTime ?? time, time)
        show(chooser.add(decoded))
        // There may be many pictures between the key frame and the target. Report progress, so that flick sees the
        // decoder working.
        if isSearching { reportBuffered(atLeastEvery: 250_000) }
    }

    /// Whether a picture lacks its reference pictures, or was shown already.
    private func isUseless(stamp: Microseconds, time: Microseconds) -> Bool {
        if case .key(let first) = lead, stamp < first { return true }
        return earlyTime.map { time <= $0 } ?? false
    }

    /// The sound is far ahead of the pictures, as with one picture under an hour of sound. Shows the pictures that the
    /// decoder holds back until more packets come, up to those that a later packet could come before; false if it
    /// holds none.
    func showHeldPictures() -> Bool {
        guard let video, output.wantsPicture, isSparse else { return false }
        let end = pictureReadEnd
        guard video.hasHeld(upTo: end) else { return false }
        video.decodeHeld(upTo: end) { frame in
            // Those that came before may come again, in order.
            earlyTime = lastPictureTime
            accept(picture: frame, of: video, isEarly: false)
        }
        show(chooser.finish())
        earlyTime = lastPictureTime
        return true
    }

    private func show(_ pictures: [DecodedPicture]) {
        if let first = pictures.first, beginning == nil { begin(with: first) }
        for picture in pictures { show(picture) }
    }

    /// Reports where playing begins: at the target of the seek, which the first picture may cover for long; or with the
    /// picture, if there is nothing to see or hear before it.
    private func begin(with first: DecodedPicture) {
        var begin = first.mediaTime
        if chooser.mode == .exact {
            if begin <= chooser.target {
                begin = chooser.target
            } else if let firstSound, firstSound < begin - ClipDecoder.slack {
                begin = max(chooser.target, firstSound)
            }
            sound.skip(to: begin)
        }
        beginning = begin
        output.sendSoon(.begins(serial: output.serial, at: begin))
    }
    /// Sound that begins so little before the picture does not count, as at the clip's beginning.
    private static let slack: Microseconds = 100_000

    private func show(_ picture: DecodedPicture) {
        isSearching = false
        hasSaidThrough = false
        hasShown = true
        videoEnd = max(videoEnd, picture.mediaTime + picture.duration)
        if sound.isUnplaced, let start = chooser.soundStart { sound.place(at: start) }
        output.enqueue(picture)
    }

    // MARK: Sound

    func stepAudio(_ decoder: StreamDecoder) throws(MediaError) -> Bool {
        switch try decoder.step() {
        case .frame(var frame):
            defer { freeFrame(&frame) }
            decoder.frameCame()
            hasDecoded = true
            guard wantsSound else { return true }
            isInSilence = false
            if sound.isUnplaced, let start = chooser.soundStart { sound.place(at: start) }
            let time = decoder.format.time(frame.pointee.best_effort_timestamp).map { base + $0 - (origin ?? 0) }
            let samples = try converter.convert(frame)
            level?.measure(samples)
            if let time, video != nil, !samples.isEmpty, !sound.isUnplaced, time - sound.end > ClipDecoder.longestFill {
                lateSound = (samples, time)
            } else {
                sound.add(samples, at: time, until: soundLimit)
            }
            return true
        case .early(var frame):
            freeFrame(&frame)
            return true
        case .worked:
            if decoder.refused > 2_000, video == nil {
                throw MediaError(.undecodable, "its audio cannot be decoded")
            }
            return true
        case .needsPacket: return false
        case .ended:
            if wantsSound {
                let samples = try converter.convert(nil)
                level?.measure(samples)
                level?.endSound()
                sound.add(samples, at: nil, until: soundLimit)
            }
            converter.reset()
            audioIsThrough = true
            return true
        }
    }

    /// Where this round's sound ends, if the container gives its length to the
    /// sample. (An encoder fills up its last block.)
    private var soundLimit: Microseconds? { demuxer.soundEnd.map { base + $0 - (origin ?? 0) } }

    func sendSound() -> Bool {
        guard output.credit > 0, !isSearching, !isMeasuring else { return false }
        let piece = sound.next(most: min(output.credit, WireLimit.soundFrames)) { samples, count in
            level?.level(samples, count: count) ?? SoundLevel.unchanged(samples, count: count)
        }
        guard let piece else { return false }
        let frames = piece.samples.count / 2
        output.credit -= frames
        output.sendSoon(
            .sound(serial: output.serial, pts: piece.pts, mediaTime: piece.mediaTime, samples: piece.samples))
        if let report = levelReports.next(level?.report, after: frames) { output.sendSoon(.loudness(report)) }
        return true
    }

    // MARK: Silence

    /// Whether there is sound that the pictures must match.
    var hasSound: Bool { audio != nil && wantsSound && !sound.isUnplaced }

    /// Silence only begins if at least this much is missing; less is due to the container's rounding. Once it has
    /// begun, it lasts as long as the pictures, however few of them were known at first.
    private var minSilence: Microseconds { isInSilence ? ClipDecoder.rounding : max(pictureDuration, 50_000) }
    /// Less than two samples: so little can be rounded to none, and would be missing forever.
    private static let rounding: Microseconds = 40

    /// Whether the pictures last longer than the sound, so that silence must follow.
    var lacksSilence: Bool {
        hasSound && video != nil && (audioIsThrough || lacksSound && audio?.queuedCount == 0) && !isOver
            && base + videoEnd - sound.end > minSilence
    }

    /// A longer silence is added bit by bit.
    private static let longestFill: Microseconds = 1_000_000

    /// Adds a little silence before sound that comes late, or that sound after the last of it.
    func fillGap() -> Bool {
        guard let late = lateSound, sound.pendingFrames < ClipDecoder.soundAhead else { return false }
        if late.time - sound.end > 500_000 {
            sound.fill(until: sound.end + 250_000)
        } else {
            lateSound = nil
            sound.add(late.samples, at: late.time, until: soundLimit)
        }
        return true
    }

    /// Adds a little silence after sound that is shorter than the pictures.
    /// Only a little at a time, because hours may be missing.
    func fillSilence() -> Bool {
        guard lacksSilence, sound.pendingFrames < ClipDecoder.soundAhead else { return false }
        let end = base + videoEnd
        isInSilence = true
        sound.fill(until: end - sound.end < 500_000 ? end : sound.end + 250_000)
        return true
    }
}
