internal import CFFmpeg
import Wire

#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

/// An open clip on its way to flick: reads packets as they are needed, decodes them, and puts pictures and sound on one timeline.
///
/// Belongs to the session's thread. `work` does one thing at a time, so that orders are followed in between.
final class ClipDecoder {
    let demuxer: any Demuxer
    let output: Output
    let video: StreamDecoder?
    let audio: StreamDecoder?
    let info: MediaInfo
    var loops: Bool
    private(set) var wantsSound: Bool

    /// The file's time of the clip's beginning; nil until a packet has come.
    var origin: Microseconds?
    /// On the timeline: where the round of the clip that is being played began.
    var base: Microseconds = 0
    var sound: SoundLine
    let converter = SoundConverter()
    var chooser = PictureChooser(target: 0, mode: .exact)
    /// When the next picture is shown if it does not say so itself.
    var nextPictureTime: Microseconds = 0
    let pictureDuration: Microseconds

    var videoIsThrough: Bool
    var audioIsThrough: Bool
    /// The demuxer has come to the end and will not go round.
    var isRead = false
    /// Before this moment of `MonotonicTime` the demuxer has nothing.
    var wakeTime: Microseconds?
    /// Everything of the clip has been decoded, and it does not loop.
    var isOver = false
    var hasSaidEnded = false
    /// Whether anything at all has come of it, before it is said to be over.
    var hasPackets = false
    var hasDecoded = false
    var bufferedUntil: Microseconds = 0
    /// nil: nothing was said since the last seek.
    var lastSaidBuffered: Microseconds?
    var timeOfBuffered = MonotonicTime.now()
    /// Where the last picture of this round ends, in the clip.
    var videoEnd: Microseconds = 0
    /// Where the last round ended, on the timeline.
    var roundEnd: Microseconds = 0
    /// Where in the clip reading began last, and how often that was too late.
    var place: Microseconds = 0
    var earlierPlace: Microseconds?
    /// A seek's first picture has not been found yet: sound waits for it.
    var isLooking = false
    var tries = 0

    init(demuxer: any Demuxer, output: Output, start: Microseconds, loops: Bool, wantsSound: Bool) throws(MediaError) {
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
        info = demuxer.info
        pictureDuration = demuxer.pictureDuration
        output.rotation = Int(info.rotation)
        sound = SoundLine(start: 0, rate: 1_000)
        demuxer.wantsAudio = wantsSound
        output.send(.opened(info))
        demuxer.client.seekInterrupts = true
        origin = demuxer.knownOrigin
        demuxer.timeAhead = { [unowned self] in timeAhead }
        if start > 0 { try seek(serial: output.serial, to: start, mode: .exact) }
    }

    /// A stream's decoder, or why there is none: the other stream may do without it.
    private static func open(_ format: StreamFormat?, cores: Int) -> (StreamDecoder?, MediaError?) {
        guard let format else { return (nil, nil) }
        do throws(MediaError) { return (try StreamDecoder(format: format, cores: cores), nil) } catch {
            return (nil, error)
        }
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
        if fillSilence() { return true }
        if videoIsThrough, audioIsThrough, !isOver, !lacksSilence {
            try endRound()
            return true
        }
        if isOver, !hasSaidEnded, !output.hasWaiting, sound.isEmpty {
            hasSaidEnded = true
            output.send(.ended(serial: output.serial))
            return true
        }
        // It waits now, maybe for long: how far it has read is said to the last packet.
        if bufferedUntil != lastSaidBuffered { sayBuffered(atLeastEvery: 0) }
        return false
    }

    /// Whether sound is decoded. It may be wanted again later: it then goes on where the pictures are.
    func setSound(_ on: Bool) {
        guard on != wantsSound else { return }
        wantsSound = on
        demuxer.wantsAudio = on
        guard on else { return }
        audio?.flush()
        converter.reset()
        sound = SoundLine(start: base + max(videoEnd, nextPictureTime), rate: output.rate)
    }
}
