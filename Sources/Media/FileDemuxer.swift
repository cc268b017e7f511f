internal import CFFmpeg
import Platform
import Wire

/// Gives the packets of a media file.
final class FileDemuxer: Demuxer {
    let client: ByteClient
    private(set) var video: StreamFormat?
    private(set) var audio: StreamFormat?
    private(set) var info = MediaInfo(container: "", duration: -1, isSeekable: false, streams: [])
    var packetUse: () -> PacketUse = { PacketUse() }
    private(set) var container: Container
    private let source: ResourceReader
    private let url: String
    private var isRandomAccess: Bool
    /// The text that is read; nil without one.
    private var text: (stream: Container.Stream, decoder: TextDecoder)?

    /// Packets that were read to examine the file or to find a key picture, and must still be returned.
    var ahead: [UnsafeMutablePointer<AVPacket>] = []
    /// The DTS of the first packet.
    private(set) var firstStamp: Microseconds?
    var jumps: StampJumps
    /// How many streams there were when the file was opened. Where another recording begins there may be new ones.
    private let openedStreams: Int
    /// The streams that were chosen then: a later recording may have them again.
    private var firstStreams: [Int] = []

    /// Examines the file at `url`, which `source` reads. Reads no more than necessary. Blocks.
    ///
    /// - Parameter isShown: whether a surface waits for pictures; if not,
    ///   packets are read to find out all that can be known.
    /// - Parameter orCover: whether music gives its cover in place of its audio.
    init(
        _ source: ResourceReader, url: String, client: ByteClient, isShown: Bool, wishes: TrackWishes,
        orCover: Bool = false
    ) throws(MediaError) {
        self.client = client
        self.source = source
        self.url = url
        isRandomAccess = source.isSeekable
        container = try Container(io: ReadIO(source), url: url, effort: .file, client: client)
        if source.length < 0 { container.noteEndless() }
        try container.probe(thoroughly: !isShown)
        try container.choose(wishes, orCover: orCover)
        video = try container.videoFormat()
        audio = try container.audioFormat()
        jumps = StampJumps(mayBreak: container.mayBreak, hasSound: container.audio != nil)
        openedStreams = Int(container.format.pointee.nb_streams)
        firstStreams = [container.video, container.audio].compactMap { $0.map { Int($0.pointee.index) } }
        let isStill = container.isCover || hasOnePicture()
        if isStill, !container.isCover {
            photoOrientation = PhotoOrientation { source.bytes(at: $0, count: $1) }.find()
        }
        // A caller that waits for pictures finds out by waiting.
        if !isShown {
            try findPacket()
            // These packets are returned again, from `ahead`. They must not look like a jump back.
            jumps = StampJumps(mayBreak: container.mayBreak, hasSound: container.audio != nil)
        }
        info = container.info(duration: isStill ? 0 : duration, isSeekable: isSeekable, orientation: orientation)
        info.isStill = isStill
        if !isStill { listParts() }
        chooseText(wishes.text)
    }

    var taggedLoudness: Double? { container.taggedLoudness }

    /// Reopens the file at its first byte; returns false on failure. Blocks.
    func reopen() -> Bool {
        guard source.seek(to: 0, whence: SEEK_SET) >= 0 else { return false }
        do throws(MediaError) {
            let again = try Container(io: ReadIO(source), url: url, effort: .file, client: client)
            try again.probe(thoroughly: true)
            try again.choose()
            video = try again.videoFormat()
            audio = try again.audioFormat()
            container = again
        } catch {
            // Interrupted, or a file that has changed: as with a seek that fails, it stays where it is.
            return false
        }
        return true
    }

    /// What can be gone to and chosen.
    private func listParts() {
        info.soundTracks = container.tracks(container.soundStreams, chosen: container.audio)
        info.textTracks = container.tracks(container.textStreams, chosen: nil)
        info.chapters = container.chapters(origin: max(0, knownBeginning ?? 0), duration: info.duration)
    }

    func chooseSound(_ track: Int, from place: Microseconds) throws(MediaError) {
        let offered = container.soundStreams
        guard offered.indices.contains(track), offered[track] != container.audio else { return }
        let format = try StreamFormat(offered[track], sampleAspect: nil)
        container.choose(sound: offered[track])
        firstStreams = [container.video, offered[track]].compactMap { $0.map { Int($0.pointee.index) } }
        audio = format
    }

    func chooseText(_ track: Int?) {
        text?.stream.pointee.discard = AVDISCARD_ALL
        text = nil
        let offered = container.textStreams
        guard let track, offered.indices.contains(track), let decoder = TextDecoder(offered[track]) else { return }
        offered[track].pointee.discard = AVDISCARD_DEFAULT
        text = (offered[track], decoder)
    }

    deinit { forgetAhead() }

    private var growth = ReadAheadGrowth()
    private var rate = ReadRate()
    /// The DTS of the picture that was read last, or of the sound if there are no pictures.
    var position: Microseconds?
    /// The network's recently measured speed in bits a second; 0 while unknown, and for a local file.
    private var link: Int64 = 0

    func readAheadLimit(isWatched: Bool) -> ReadAheadLimit {
        var limit = ReadAheadLimit.file
        let use = packetUse()
        growth.note(isWatched: isWatched, taken: use.taken)
        if isWatched, link > 0 {
            let bits = min(Double(rate.bits) * use.pace, 1e15)
            limit.time = growth.time(link: link, bits: Int64(bits))
        }
        return limit
    }

    func adapt(surface: SurfaceRequest?, link: Int64) { self.link = link }

    /// A file has no variants.
    func chooseVariant(_ wish: VariantWish) {}

    var pictureDuration: Microseconds { container.pictureDuration }

    private var photoOrientation: Orientation?
    var orientation: Orientation { photoOrientation ?? container.orientation }

    /// In microseconds; -1 if unknown.
    private var duration: Microseconds {
        if container.format.pointee.duration > 0,
            let whole = MediaTime.microseconds(container.format.pointee.duration, of: flick_microseconds())
        {
            return whole
        }
        let ends = [container.video, container.audio].compactMap { stream -> Microseconds? in
            guard let stream = stream?.pointee, stream.duration != flick_no_pts(), stream.duration > 0 else {
                return nil
            }
            return MediaTime.microseconds(stream.duration, of: stream.time_base)
        }
        return ends.max() ?? -1
    }

    private var isSeekable: Bool {
        container.format.pointee.ctx_flags & AVFMTCTX_UNSEEKABLE == 0 && isRandomAccess
    }

    /// A file without random access may have arrived completely: informs flick and libav.
    func noteRandomAccess() {
        guard !isRandomAccess, source.isSeekable else { return }
        isRandomAccess = true
        container.allowSeeking()
        guard isSeekable, !info.isSeekable, !info.isStill else { return }
        info.isSeekable = true
        client.report(.seekable)
    }

    var soundEnd: Microseconds? {
        guard let audio, let stream = container.audio?.pointee, container.name.hasPrefix("mov,"), stream.duration > 0,
            let duration = audio.time(stream.duration)
        else { return nil }
        return (audio.time(stream.start_time) ?? 0) + duration
    }

    var wantsAudio = true {
        didSet {
            guard let audio = container.audio, video != nil else { return }
            audio.pointee.discard = wantsAudio ? AVDISCARD_DEFAULT : AVDISCARD_ALL
            if wantsAudio != oldValue { jumps.readSound(wantsAudio) }
        }
    }

    let knownOrigin: Microseconds? = nil

    /// Bare H.264 and HEVC have no stamps. Those of other bare streams come from libav.
    private(set) var countsPictures = false

    func origin(first: Microseconds) -> Microseconds {
        if container.isCamera { return first }
        readToPicture()
        return knownBeginning
            ?? MediaTime.microseconds(container.format.pointee.start_time, of: flick_microseconds()) ?? first
    }

    /// Where the clip begins, in stamps of its file: with its first picture, or with its sound if that is clearly
    /// earlier. nil while the first picture's stamp is not known.
    private var knownBeginning: Microseconds? {
        let picture = video.flatMap { $0.time(container.video?.pointee.start_time ?? flick_no_pts()) }
        let sound = audio.flatMap { $0.time(container.audio?.pointee.start_time ?? flick_no_pts()) }
        if let picture, let sound { return sound < picture - 100_000 ? sound : picture }
        return picture ?? (video == nil ? sound : nil)
    }

    /// Most packets that are read to find the first picture.
    private static let maxToPicture = 256

    /// Reads on until the first picture's stamp is known: the headers of some containers lack it. Blocks.
    private func readToPicture() {
        guard let stream = container.video else { return }
        while stream.pointee.start_time == flick_no_pts(), ahead.count < FileDemuxer.maxToPicture {
            guard var packet = av_packet_alloc() else { return }
            guard container.read(packet) >= 0 else { return freePacket(&packet) }
            ahead.append(packet)
        }
    }

    func next() throws(MediaError) -> Demuxed {
        if !ahead.isEmpty {
            var packet = ahead.removeFirst()
            if let format = format(of: packet) { return give(packet, format) }
            defer { freePacket(&packet) }
            if let cues = cues(of: packet) { return .text(cues) }
        }
        while true {
            noteRandomAccess()
            guard var packet = av_packet_alloc() else { throw MediaError(.limits, "out of memory") }
            let code = container.read(packet)
            guard code >= 0 else {
                freePacket(&packet)
                if client.isInterrupted || code == flick_averror_eagain() { return .interrupted }
                // libav treats a failed read as the end of the file.
                if !client.lastError.isEmpty { throw MediaError(.unreadable, client.lastError) }
                // The end of the file, or of its readable part: the clip plays up to there.
                return .end
            }
            // What libav could read of a packet before reading failed: it may come whole later.
            if packet.pointee.flags & AV_PKT_FLAG_CORRUPT != 0, !client.lastError.isEmpty {
                freePacket(&packet)
                throw MediaError(.unreadable, client.lastError)
            }
            if let format = format(of: packet) ?? adopted(packet) { return give(packet, format) }
            defer { freePacket(&packet) }
            if let cues = cues(of: packet) { return .text(cues) }
        }
    }

    /// What a packet of the chosen text says; nil if it is of something else.
    private func cues(of packet: UnsafeMutablePointer<AVPacket>) -> [TextCue]? {
        guard let text, packet.pointee.stream_index == text.stream.pointee.index else { return nil }
        let correction = jumps.current
        return text.decoder.decode(packet).map {
            TextCue(start: $0.start + correction, end: $0.end + correction, text: $0.text)
        }
    }

    /// The format of the packet's stream; nil if that is not played.
    func format(of packet: UnsafeMutablePointer<AVPacket>) -> StreamFormat? {
        if let stream = container.video, packet.pointee.stream_index == stream.pointee.index { return video }
        if let stream = container.audio, packet.pointee.stream_index == stream.pointee.index { return audio }
        return nil
    }

    private func give(_ packet: UnsafeMutablePointer<AVPacket>, _ old: StreamFormat) -> Demuxed {
        let format = renewed(old, by: packet)
        format.restamp(packet)
        var stamp = format.time(packet.pointee.dts)
        if firstStamp == nil {
            firstStamp = stamp
            countsPictures =
                stamp == nil && packet.pointee.pts == flick_no_pts() && audio == nil && container.lacksIndex
        }
        let correction = jumps.correction(
            ofVideo: format.isVideo, stamp: stamp ?? format.time(packet.pointee.pts),
            duration: format.time(packet.pointee.duration) ?? 0, offset: packet.pointee.pos)
        if correction != 0 {
            format.move(packet, by: correction)
            stamp = format.time(packet.pointee.dts)
        }
        noteRate(of: packet, format, at: stamp)
        return .packet(packet, format)
    }

    /// The format of a packet and of those that follow. Another recording in the same file may be coded differently.
    private func renewed(_ format: StreamFormat, by packet: UnsafeMutablePointer<AVPacket>) -> StreamFormat {
        // Pictures refer to each other: before a key picture another decoder could not begin.
        guard !format.isVideo || packet.pointee.flags & AV_PKT_FLAG_KEY != 0, let next = format.renewed(by: packet)
        else { return format }
        if format.isVideo { video = next } else { audio = next }
        return next
    }

    /// The format of a packet of a stream that has not been read so far, if that stream continues
    /// the one played: another recording in the same file, whose streams have other numbers.
    private func adopted(_ packet: UnsafeMutablePointer<AVPacket>) -> StreamFormat? {
        let index = Int(packet.pointee.stream_index)
        guard index >= openedStreams || firstStreams.contains(index),
            let stream = container.format.pointee.streams[index]
        else { return nil }
        let kind = stream.pointee.codecpar.pointee.codec_type
        let isVideo = kind == AVMEDIA_TYPE_VIDEO
        guard isVideo ? video != nil : kind == AVMEDIA_TYPE_AUDIO && audio != nil,
            !isVideo || packet.pointee.flags & AV_PKT_FLAG_KEY != 0,
            let stamp = MediaTime.microseconds(
                packet.pointee.dts == flick_no_pts() ? packet.pointee.pts : packet.pointee.dts,
                of: stream.pointee.time_base),
            jumps.isElsewhere(stamp, isVideo: isVideo),
            // `try?`: a stream that cannot be described is not played, as if it were not there.
            let format = try? StreamFormat(stream, sampleAspect: isVideo ? video?.sampleAspect : nil),
            avcodec_find_decoder(format.parameters.pointee.codec_id) != nil
        else { return nil }
        container.replace(by: stream)
        if isVideo { video = format } else { audio = format }
        return format
    }

    private func noteRate(of packet: UnsafeMutablePointer<AVPacket>, _ format: StreamFormat, at stamp: Microseconds?) {
        let isMain = format.isVideo || video == nil
        let before = position
        if isMain { position = stamp ?? position }
        rate.read(bytes: Int(packet.pointee.size), time: isMain ? (position ?? 0) - (before ?? position ?? 0) : 0)
    }

    /// Whether the video is a single picture. If the container does not say, reads two packets to find out. Blocks.
    private func hasOnePicture() -> Bool {
        guard let stream = container.video, container.audio == nil else { return false }
        let name = container.name
        if name.hasSuffix("_pipe") || name == "image2" || stream.pointee.nb_frames == 1 { return true }
        guard name == "gif" || name == "apng" else { return false }
        while ahead.count < 2 {
            guard var packet = av_packet_alloc() else { return false }
            let code = container.read(packet)
            guard code >= 0 else {
                freePacket(&packet)
                return code == flick_averror_eof() && ahead.count == 1
            }
            if packet.pointee.stream_index == stream.pointee.index { ahead.append(packet) } else { freePacket(&packet) }
        }
        return false
    }

    /// Makes sure that there is anything to play: a whole picture, or whole sound where there are no pictures. Blocks.
    private func findPacket() throws(MediaError) {
        guard ahead.isEmpty else { return }
        var read: [UnsafeMutablePointer<AVPacket>] = []
        defer { ahead = read }
        var (hasSound, hasDamage) = (false, false)
        while read.count < FileDemuxer.maxToPicture {
            switch try next() {
            case .packet(let packet, let format):
                read.append(packet)
                let isWhole = packet.pointee.flags & AV_PKT_FLAG_CORRUPT == 0
                if isWhole, format.isVideo || video == nil { return }
                (hasSound, hasDamage) = (hasSound || isWhole, hasDamage || !isWhole)
            case .end:
                if hasSound, !hasDamage { return }
                throw hasDamage ? MediaError.nothingWhole : MediaError.nothingInIt
            case .later, .interrupted: return
            case .text, .noSound: continue
            }
        }
    }

    func forgetAhead() {
        for packet in ahead {
            var packet = packet
            freePacket(&packet)
        }
        ahead = []
    }
}
