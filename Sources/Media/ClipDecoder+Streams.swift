internal import CFFmpeg
import Wire

/// From packets to pictures and sound on the timeline.
extension ClipDecoder {
    /// So much sound is made ahead of the credit for it, in frames.
    private static let soundAhead = 12_000

    var canDecodeSound: Bool {
        if !wantsSound { return true }
        return chooser.soundStart != nil && sound.pendingFrames < ClipDecoder.soundAhead
    }

    // MARK: Pictures

    func stepVideo(_ decoder: StreamDecoder) throws(MediaError) -> Bool {
        switch try decoder.step() {
        case .frame(let frame):
            accept(picture: frame, of: decoder)
            return true
        case .worked:
            if decoder.refused > 500 { throw MediaError(.undecodable, "none of its pictures can be decoded") }
            return true
        case .needsPacket: return false
        case .ended:
            for picture in chooser.finish() { show(picture) }
            videoIsThrough = true
            isLooking = false
            return true
        }
    }

    private func accept(picture frame: UnsafeMutablePointer<AVFrame>, of decoder: StreamDecoder) {
        decoder.frameCame()
        hasDecoded = true
        var time = nextPictureTime
        if let stamp = decoder.format.time(frame.pointee.best_effort_timestamp) { time = max(0, stamp - (origin ?? 0)) }
        var duration = decoder.format.time(flick_frame_duration(frame)) ?? 0
        if duration <= 0 || duration > 3_600_000_000 { duration = pictureDuration }
        nextPictureTime = time + duration
        let decoded = DecodedPicture(
            frame: frame, pts: base + time, mediaTime: time, duration: duration,
            sampleAspect: decoder.format.sampleAspect)
        if tries < 4, info.isSeekable, let earlier = chooser.earlierPlace(than: place, seeing: decoded) {
            earlierPlace = earlier
            return
        }
        for picture in chooser.add(decoded) { show(picture) }
        // Many pictures may lie between a key picture and the one that is looked for: flick hears that it goes on.
        if isLooking { sayBuffered(atLeastEvery: 250_000) }
    }

    private func show(_ picture: DecodedPicture) {
        isLooking = false
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
            if sound.isUnplaced, let start = chooser.soundStart { sound.place(at: start) }
            let time = decoder.format.time(frame.pointee.best_effort_timestamp).map { base + $0 - (origin ?? 0) }
            sound.add(try converter.convert(frame), at: time, until: soundLimit)
            return true
        case .worked:
            if decoder.refused > 2_000, video == nil {
                throw MediaError(.undecodable, "none of its sound can be decoded")
            }
            return true
        case .needsPacket: return false
        case .ended:
            if wantsSound { sound.add(try converter.convert(nil), at: nil, until: soundLimit) }
            converter.reset()
            audioIsThrough = true
            return true
        }
    }

    /// Where the sound of this round ends, as far as the container says to the sample: an encoder fills its last block.
    private var soundLimit: Microseconds? { demuxer.soundEnd.map { base + $0 - (origin ?? 0) } }

    func sendSound() -> Bool {
        guard output.credit > 0, !isLooking, let piece = sound.next(most: min(output.credit, WireLimit.soundFrames))
        else {
            return false
        }
        output.credit -= piece.samples.count / 2
        output.sendSoon(
            .sound(serial: output.serial, pts: piece.pts, mediaTime: piece.mediaTime, samples: piece.samples))
        return true
    }

    // MARK: Silence

    /// Whether there is a line of sound that the pictures go with.
    var hasSound: Bool { audio != nil && wantsSound && !sound.isUnplaced }

    /// The least that is missing before sound that is over is gone on with in silence: less is how containers round.
    private var leastSilence: Microseconds { max(pictureDuration, 50_000) }

    /// Whether the pictures go on after the sound: it is then silent until they end.
    var lacksSilence: Bool {
        hasSound && video != nil && audioIsThrough && !isOver && base + videoEnd - sound.end > leastSilence
    }

    /// Lays down a little silence after sound that is shorter than the pictures. A little at a time: there may be hours of it.
    func fillSilence() -> Bool {
        guard lacksSilence, sound.pendingFrames < ClipDecoder.soundAhead else { return false }
        let end = base + videoEnd
        sound.fill(until: end - sound.end < 500_000 ? end : sound.end + 250_000)
        return true
    }
}
