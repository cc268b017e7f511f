internal import CFFmpeg
import Wire

#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

/// An open clip on its way to flick: reads packets as they are needed, decodes them, and puts pictures and sound on one timeline.
final class ClipPlayer {
    let demuxer: Demuxer
    let output: Output
    var video: StreamDecoder?
    var audio: StreamDecoder?
    private(set) var loops: Bool
    var wantsSound: Bool
    let info: MediaInfo

    /// The file's time of the clip's beginning.
    private var origin: Microseconds?
    /// On the timeline: where the round of the clip that is being played began.
    private var base: Microseconds = 0
    private var sound: SoundLine
    private let converter = SoundConverter()
    private var chooser = PictureChooser(target: 0, mode: .exact)
    private var nextPictureTime: Microseconds = 0
    private let pictureDuration: Microseconds

    private var videoIsThrough: Bool
    private var audioIsThrough: Bool
    /// The demuxer has come to the end and will not go round.
    private var isRead = false
    /// Everything of the clip has been decoded, and it does not loop.
    private var isOver = false
    private var hasSaidEnded = false
    private var bufferedUntil: Microseconds = 0
    private var lastSaidBuffered: Microseconds = -1
    private var videoEnd: Microseconds = 0
    private var roundEnd: Microseconds = 0
    /// Where in the clip reading began last, and how often that was too late.
    private var place: Microseconds = 0
    private var earlierPlace: Microseconds?
    private var tries = 0
    private var timeOfBuffered = MonotonicTime.now()

    init(demuxer: Demuxer, output: Output, start: Microseconds, loops: Bool, wantsSound: Bool) throws(MediaError) {
        self.demuxer = demuxer
        self.output = output
        self.loops = loops
        self.wantsSound = wantsSound
        let cores = max(1, sysconf(Int32(_SC_NPROCESSORS_ONLN)))
        var reason: MediaError?
        if let stream = demuxer.video {
            do throws(MediaError) { video = try StreamDecoder(stream: stream, cores: cores) } catch { reason = error }
        }
        if let stream = demuxer.audio {
            do throws(MediaError) { audio = try StreamDecoder(stream: stream, cores: 1) } catch {
                reason = reason ?? error
            }
        }
        if video == nil, audio == nil, let reason { throw reason }
        videoIsThrough = video == nil
        audioIsThrough = audio == nil
        let container = demuxer.container
        let frames = demuxer.video?.pointee.nb_frames ?? 0
        let isStill =
            video != nil && audio == nil && (container.hasSuffix("_pipe") || container == "image2" || frames == 1)
        info = demuxer.info(isStill: isStill)
        pictureDuration = demuxer.pictureDuration
        output.rotation = Int(info.rotation)
        output.sampleAspect = Double(info.sampleAspectNumerator) / Double(info.sampleAspectDenominator)
        sound = SoundLine(start: 0, rate: 1_000)
        output.send(.opened(info))
        demuxer.door.seekInterrupts = true
        if start > 0 { try seek(serial: output.serial, to: start, mode: .exact) }
    }

    // MARK: Work

    /// Does the next thing that can be done; false if nothing can before something comes from flick.
    func work() throws(MediaError) -> Bool {
        if let earlier = earlierPlace {
            earlierPlace = nil
            try look(from: earlier)
            return true
        }
        if try workWithoutReading() { return true }
        guard wantsPackets else { return false }
        try readPacket()
        return true
    }

    /// Does the next thing that needs no bytes; false if there is nothing.
    func workWithoutReading() throws(MediaError) -> Bool {
        if try output.sendPicture() { return true }
        if sendSound() { return true }
        if origin == nil || earlierPlace != nil { return false }
        if let video, !videoIsThrough, output.wantsPicture, try stepVideo(video) { return true }
        if let audio, !audioIsThrough, canDecodeSound, try stepAudio(audio) { return true }
        if videoIsThrough, audioIsThrough, !isOver {
            endRound()
            return true
        }
        if isOver, !hasSaidEnded, !output.hasWaiting, sound.isEmpty {
            hasSaidEnded = true
            output.send(.ended(serial: output.serial))
            return true
        }
        return false
    }

    private var canDecodeSound: Bool {
        if !wantsSound { return true }
        return chooser.soundStart != nil && sound.pendingFrames < 12_000
    }

    private func stepVideo(_ decoder: StreamDecoder) throws(MediaError) -> Bool {
        switch decoder.step() {
        case .frame(let frame):
            accept(picture: frame, of: decoder)
            return true
        case .worked:
            if decoder.refused > 500 { throw MediaError(.undecodable, "none of its pictures can be decoded") }
            return true
        case .hungry: return false
        case .ended:
            for picture in chooser.finish() { show(picture) }
            videoIsThrough = true
            return true
        }
    }

    private func accept(picture frame: UnsafeMutablePointer<AVFrame>, of decoder: StreamDecoder) {
        decoder.frameCame()
        var time = nextPictureTime
        let stamp = frame.pointee.best_effort_timestamp
        if stamp != flick_no_pts() {
            time = max(0, av_rescale_q(stamp, decoder.timeBase, flick_microseconds()) - (origin ?? 0))
        }
        var duration = av_rescale_q(flick_frame_duration(frame), decoder.timeBase, flick_microseconds())
        if duration <= 0 || duration > 3_600_000_000 { duration = pictureDuration }
        nextPictureTime = time + duration
        let held = HeldPicture(frame: frame, pts: base + time, mediaTime: time, duration: duration)
        if tries < 4, demuxer.isSeekable, let earlier = chooser.earlierPlace(than: place, seeing: held) {
            earlierPlace = earlier
            return
        }
        for picture in chooser.take(held) { show(picture) }
    }

    private func show(_ picture: HeldPicture) {
        videoEnd = max(videoEnd, picture.mediaTime + picture.duration)
        if sound.isUnplaced, let start = chooser.soundStart { sound.place(at: start) }
        output.take(picture)
    }

    private func stepAudio(_ decoder: StreamDecoder) throws(MediaError) -> Bool {
        switch decoder.step() {
        case .frame(var frame):
            defer { freeFrame(&frame) }
            decoder.frameCame()
            guard wantsSound else { return true }
            if sound.isUnplaced, let start = chooser.soundStart { sound.place(at: start) }
            var time: Microseconds?
            let stamp = frame.pointee.best_effort_timestamp
            if stamp != flick_no_pts() {
                time = base + av_rescale_q(stamp, decoder.timeBase, flick_microseconds()) - (origin ?? 0)
            }
            sound.add(try converter.convert(frame), at: time, until: soundLimit)
            return true
        case .worked:
            if decoder.refused > 2_000, video == nil {
                throw MediaError(.undecodable, "none of its sound can be decoded")
            }
            return true
        case .hungry: return false
        case .ended:
            if wantsSound { sound.add(try converter.convert(nil), at: nil, until: soundLimit) }
            converter.reset()
            audioIsThrough = true
            return true
        }
    }

    /// Both streams have come to the end of the clip.
    private func endRound() {
        let hasSound = audio != nil && wantsSound && !sound.isUnplaced
        let soundEnd = hasSound ? sound.end : base
        var end = max(base + videoEnd, soundEnd)
        if hasSound, video != nil, end - soundEnd <= max(pictureDuration, 50_000) {
            // Within a picture of each other: the sound, which must not be torn, says when the next round begins.
            end = soundEnd
        } else if hasSound {
            sound.fill(until: end)
        }
        guard loops, !isRead, end - base > 1_000 else {
            roundEnd = end
            isOver = true
            sound.finish()
            return
        }
        beginRound(at: end)
    }

    /// The clip begins again, at `time` of the timeline.
    private func beginRound(at time: Microseconds) {
        base = time
        sound.beginRound(at: base)
        nextPictureTime = 0
        videoEnd = 0
        chooser = PictureChooser(target: 0, mode: .exact)
        chooser.soundStart = base
        video?.skipBefore = .min
        videoIsThrough = video == nil
        audioIsThrough = audio == nil
    }

    /// Whether the clip begins again at its end. One that has ended goes on when it is told to.
    func setLoops(_ on: Bool) {
        loops = on
        guard on, !info.isStill else { return }
        if isRead { isRead = demuxer.seek(to: min(0, origin ?? 0)) < 0 }
        guard isOver, !isRead, roundEnd - base > 1_000 else { return }
        isOver = false
        hasSaidEnded = false
        beginRound(at: roundEnd)
    }

    /// Where the sound of this round ends, as far as the container says to the sample: an encoder fills its last block.
    private var soundLimit: Microseconds? {
        guard let stream = audio?.stream.pointee, demuxer.container.hasPrefix("mov,"), stream.duration > 0,
            stream.duration != flick_no_pts()
        else { return nil }
        let start = stream.start_time != flick_no_pts() ? stream.start_time : 0
        return base + av_rescale_q(start + stream.duration, stream.time_base, flick_microseconds()) - (origin ?? 0)
    }

    private func sendSound() -> Bool {
        guard output.credit > 0, let piece = sound.next(most: min(output.credit, WireLimit.soundFrames)) else {
            return false
        }
        output.credit -= piece.samples.count / 2
        output.send(
            .sound(serial: output.serial, pts: piece.pts, mediaTime: piece.mediaTime, samples: piece.samples))
        return true
    }

    // MARK: Reading

    private static let mostBytes = 32 << 20
    private static let mostPackets = 8_192

    private var wantsPackets: Bool {
        guard !isRead, !isOver else { return false }
        if origin == nil { return true }
        if let video, !videoIsThrough, output.wantsPicture, video.queuedCount == 0 { return true }
        if let audio, !audioIsThrough, canDecodeSound, audio.queuedCount == 0 { return true }
        // A little ahead of need, so that a slow line is not felt at once.
        let bytes = (video?.queuedBytes ?? 0) + (audio?.queuedBytes ?? 0)
        let count = (video?.queuedCount ?? 0) + (audio?.queuedCount ?? 0)
        return output.hasWaiting && bytes < 2 << 20 && count < 200
    }

    private func readPacket() throws(MediaError) {
        guard let packet = av_packet_alloc() else { throw MediaError(.limits, "there is not enough memory") }
        let code = demuxer.read(into: packet)
        guard code >= 0 else {
            var packet = packet
            freePacket(&packet)
            if demuxer.door.isInterrupted { return }
            if code == flick_averror_eagain() { return }
            if code == flick_averror_io(), !demuxer.door.lastError.isEmpty {
                throw MediaError(.unreadable, demuxer.door.lastError)
            }
            // The end, or a place behind which nothing can be read: the clip plays up to there.
            finishReading()
            return
        }
        let isVideo = packet.pointee.stream_index == demuxer.video?.pointee.index
        guard let decoder = isVideo ? video : audio else {
            var packet = packet
            freePacket(&packet)
            return
        }
        note(packet, of: decoder)
        decoder.push(packet)
        if let other = isVideo ? audio : video { bound(other) }
        bound(decoder)
    }

    /// A stream that is far ahead of the other gives up what it has waiting rather than hold up both.
    private func bound(_ decoder: StreamDecoder) {
        while decoder.queuedBytes > ClipPlayer.mostBytes || decoder.queuedCount > ClipPlayer.mostPackets {
            decoder.dropOldest()
        }
    }

    private func note(_ packet: UnsafeMutablePointer<AVPacket>, of decoder: StreamDecoder) {
        let stamp = packet.pointee.pts != flick_no_pts() ? packet.pointee.pts : packet.pointee.dts
        guard stamp != flick_no_pts() else {
            if origin == nil { origin = 0 }
            return
        }
        let time = av_rescale_q(stamp, decoder.timeBase, flick_microseconds())
        if origin == nil { origin = findOrigin(first: time) }
        let until = time - (origin ?? 0) + av_rescale_q(packet.pointee.duration, decoder.timeBase, flick_microseconds())
        bufferedUntil = max(bufferedUntil, until)
        let now = MonotonicTime.now()
        if now - timeOfBuffered > 250_000, bufferedUntil != lastSaidBuffered { sayBuffered(now: now) }
    }

    private func sayBuffered(now: Microseconds) {
        timeOfBuffered = now
        lastSaidBuffered = bufferedUntil
        output.send(.buffered(until: max(0, bufferedUntil)))
    }

    /// The clip begins with its first picture, or with its sound if that is clearly earlier.
    private func findOrigin(first: Microseconds) -> Microseconds {
        func start(_ stream: Demuxer.Stream?) -> Microseconds? {
            guard let stream = stream?.pointee, stream.start_time != flick_no_pts() else { return nil }
            return av_rescale_q(stream.start_time, stream.time_base, flick_microseconds())
        }
        let (picture, sound) = (start(video?.stream), start(audio?.stream))
        if let picture, let sound { return sound < picture - 100_000 ? sound : picture }
        if let picture { return picture }
        if let sound, video == nil { return sound }
        return demuxer.format.pointee.start_time != flick_no_pts() ? demuxer.format.pointee.start_time : first
    }

    private func finishReading() {
        if origin == nil { origin = 0 }
        sayBuffered(now: MonotonicTime.now())
        video?.pushEnd()
        audio?.pushEnd()
        guard loops, !info.isStill, demuxer.seek(to: min(0, origin ?? 0)) >= 0 else {
            isRead = true
            return
        }
    }

    // MARK: Seeking

    /// Goes to `time` of the clip and goes on with `serial`. Blocks while the index is read.
    func seek(serial: UInt32, to time: Microseconds, mode: SeekMode) throws(MediaError) {
        output.serial = serial
        let target = max(0, time)
        if origin == nil { try findFirst() }
        tries = 0
        earlierPlace = nil
        chooser = PictureChooser(target: target, mode: video == nil ? .exact : mode)
        try look(from: max(0, target - (mode == .before ? 2 * max(pictureDuration, 1_000) : 0)))
    }

    /// Begins to read at the key picture at or before `place`, for the pictures that `chooser` wants.
    private func look(from place: Microseconds) throws(MediaError) {
        tries += 1
        let (target, mode) = (chooser.target, chooser.mode)
        let code = demuxer.seek(to: (origin ?? 0) + place)
        guard code >= 0 else {
            // Newer orders wait, or the file cannot be sought in: it goes on where it is.
            hasSaidEnded = false
            chooser = PictureChooser(target: 0, mode: .key)
            return
        }
        self.place = place
        output.drop()
        video?.flush()
        audio?.flush()
        converter.reset()
        base = 0
        videoEnd = 0
        isRead = false
        isOver = false
        hasSaidEnded = false
        nextPictureTime = place
        videoIsThrough = video == nil
        audioIsThrough = audio == nil
        chooser = PictureChooser(target: target, mode: mode)
        sound = SoundLine(start: chooser.soundStart, rate: output.rate)
        video?.skipBefore =
            mode == .exact || mode == .after
            ? av_rescale_q(
                (origin ?? 0) + target - 500_000, flick_microseconds(), video?.timeBase ?? AVRational(num: 1, den: 1))
            : .min
    }

    private func findFirst() throws(MediaError) {
        while origin == nil, !isRead, !demuxer.door.isInterrupted { try readPacket() }
    }
}
