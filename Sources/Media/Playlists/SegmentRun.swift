internal import CFFmpeg
import Wire

/// Consecutive segments without a break, demuxed as one file. It begins at a segment and is only read forward. On the
/// session's thread.
final class SegmentRun {
    /// How a run's streams are coded, so that another run with the same identity need not be examined.
    struct Formats {
        var video: StreamFormat?
        var audio: StreamFormat?
    }

    /// What all segments of a run have in common.
    struct Identity: Hashable {
        /// The playlist's URL.
        var playlist: String
        var domain: Int64
        /// The header's place, as the playlist writes it.
        var map: String
    }

    /// Enough to find the streams of a transport stream and their first pictures: the rest is read during playback.
    private static let effort = Container.Effort(bytes: 512 << 10, time: 300_000, pictures: 0)
    /// How many packets may precede the first picture.
    private static let maxQueued = 300

    let identity: Identity
    /// When the run begins according to the playlist.
    let expectedStart: Microseconds
    /// The stamp at the clip's beginning, if the playlist states it.
    private let origin: Microseconds?
    let container: Container
    let formats: Formats
    private let reader: SegmentReader
    private let kind: String
    private var video: Container.Stream?
    private var audio: Container.Stream?
    /// What is added to stamps to get times of the clip; nil until the first picture.
    private var shift: Microseconds?
    /// Whether its stamps reliably give the place in the clip.
    private let believesStamps: Bool
    private var continuity = StampContinuity()
    private var queued: [UnsafeMutablePointer<AVPacket>] = []
    private var isFirstSound = true
    private var isThrough = false

    var wantsAudio = true {
        didSet { audio?.pointee.discard = wantsAudio || video == nil ? AVDISCARD_DEFAULT : AVDISCARD_ALL }
    }

    /// Whether its stamps wrap around: those of transport streams and of raw audio do.
    private var goesRound: Bool { kind == "mpegts" || reader.isBareSound }
    /// Whether it can be continued after it came to an end.
    var isResumable: Bool { kind == "mpegts" || reader.isBareSound }
    var failure: MediaError? { reader.failure }
    /// Whether nothing has come of the segment that is being read, or could not be.
    var isBeforeSegment: Bool { !reader.hasBegunSegment }
    /// How many bytes libav has received of it.
    var bytes: Int { reader.bytes }

    /// Opens the run that `reader` begins. Blocks.
    ///
    /// - Parameters:
    ///   - believesStamps: whether its stamps give the place in the clip; otherwise it begins at `expectedStart`.
    ///   - origin: the stamp at the clip's beginning, if the playlist states it.
    ///   - known: the formats of earlier runs with this identity.
    ///   - wants: the kinds of streams that are needed.
    init(
        _ reader: SegmentReader, identity: Identity, expectedStart: Microseconds, believesStamps: Bool,
        origin: Microseconds?, known: Formats?, wants: (video: Bool, audio: Bool), client: ByteClient
    ) throws(MediaError) {
        self.reader = reader
        self.identity = identity
        self.expectedStart = expectedStart
        self.believesStamps = believesStamps
        self.origin = origin
        kind = try reader.kind()
        do throws(MediaError) {
            container = try Container(
                io: ReadIO(reader), url: "", kind: kind, effort: SegmentRun.effort, client: client)
        } catch { throw reader.failure ?? error }
        if let known, let (video, audio) = SegmentRun.streams(of: container, like: known) {
            formats = known
            (self.video, self.audio) = (video, audio)
        } else {
            try container.probe(thoroughly: false)
            try container.choose()
            video = wants.video ? container.video : nil
            audio = wants.audio || container.video == nil ? container.audio : nil
            formats = try SegmentRun.formats(of: container, video: video, audio: audio)
        }
        for stream in container.streams {
            stream.pointee.discard = stream == video || stream == audio ? AVDISCARD_DEFAULT : AVDISCARD_ALL
        }
    }

    deinit { forget() }

    private static let timeBase = flick_microseconds()

    /// Packets get stamps in the clip's time.
    private static func formats(
        of container: Container, video: Container.Stream?, audio: Container.Stream?
    ) throws(MediaError) -> Formats {
        var formats = Formats()
        if let video {
            let aspect = container.sampleAspect
            formats.video = try StreamFormat(
                video, timeBase: timeBase, sampleAspect: Double(aspect.num) / Double(aspect.den))
        }
        if let audio { formats.audio = try StreamFormat(audio, timeBase: timeBase, sampleAspect: nil) }
        return formats
    }

    /// The streams that are coded like the `known` ones; nil if one is missing.
    private static func streams(
        of container: Container, like known: Formats
    ) -> (video: Container.Stream?, audio: Container.Stream?)? {
        func stream(_ format: StreamFormat?) -> Container.Stream? {
            format.flatMap { format in
                container.streams.first {
                    $0.pointee.codecpar.pointee.codec_type == format.parameters.pointee.codec_type
                        && $0.pointee.codecpar.pointee.codec_id == format.parameters.pointee.codec_id
                }
            }
        }
        let (video, audio) = (stream(known.video), stream(known.audio))
        return (video == nil) == (known.video == nil) && (audio == nil) == (known.audio == nil) ? (video, audio) : nil
    }

    /// The next packet, with stamps in the clip's time; nil if there is currently no more. Blocks.
    func next(_ timeline: inout Timeline) throws(MediaError) -> (UnsafeMutablePointer<AVPacket>, StreamFormat)? {
        while shift == nil, !isThrough {
            guard let packet = try read() else { break }
            queued.append(packet)
            if isPrimary(packet) || queued.count >= SegmentRun.maxQueued { place(by: packet, &timeline) }
        }
        if !queued.isEmpty {
            if shift == nil { place(by: queued[0], &timeline) }
            return give(queued.removeFirst())
        }
        return try read().flatMap { give($0) }
    }

    private func read() throws(MediaError) -> UnsafeMutablePointer<AVPacket>? {
        while true {
            guard var packet = av_packet_alloc() else { throw MediaError(.limits, "out of memory") }
            guard av_read_frame(container.format, packet) >= 0 else {
                freePacket(&packet)
                isThrough = true
                return nil
            }
            if isOf(video, packet) || isOf(audio, packet) { return packet }
            freePacket(&packet)
        }
    }

    /// More segments have arrived, so the end was not final.
    func resume() {
        isThrough = false
        reader.resume()
        container.format.pointee.pb.pointee.eof_reached = 0
        container.format.pointee.pb.pointee.error = 0
    }

    private func isOf(_ stream: Container.Stream?, _ packet: UnsafeMutablePointer<AVPacket>) -> Bool {
        stream.map { $0.pointee.index == packet.pointee.stream_index } ?? false
    }

    private func isPrimary(_ packet: UnsafeMutablePointer<AVPacket>) -> Bool {
        video == nil || isOf(video, packet) && packet.pointee.flags & AV_PKT_FLAG_KEY != 0
    }

    private func place(by packet: UnsafeMutablePointer<AVPacket>, _ timeline: inout Timeline) {
        let stream = isOf(video, packet) ? video : audio
        let base = stream?.pointee.time_base ?? SegmentRun.timeBase
        let stamp =
            MediaTime.microseconds(packet.pointee.pts, of: base)
            ?? MediaTime.microseconds(packet.pointee.dts, of: base) ?? 0
        guard believesStamps else {
            shift = expectedStart - stamp
            return
        }
        if reader.isBareSound {
            guard let tagged = reader.taggedTime else {
                shift = expectedStart - stamp
                return
            }
            shift =
                tagged - stamp
                + timeline.shift(
                    domain: identity.domain, stamp: tagged, expected: expectedStart, goesRound: true)
            return
        }
        shift = timeline.shift(
            domain: identity.domain, stamp: stamp, expected: expectedStart, goesRound: goesRound, known: origin)
    }

    private func give(
        _ packet: UnsafeMutablePointer<AVPacket>
    ) -> (UnsafeMutablePointer<AVPacket>, StreamFormat)? {
        let isVideo = isOf(video, packet)
        guard let stream = isVideo ? video : audio, let format = isVideo ? formats.video : formats.audio else {
            var packet = packet
            freePacket(&packet)
            return nil
        }
        let base = stream.pointee.time_base
        let duration = MediaTime.microseconds(packet.pointee.duration, of: base) ?? 0
        let decoded = MediaTime.microseconds(packet.pointee.dts, of: base).map { $0 + (shift ?? 0) }
        let moved = (shift ?? 0) + continuity.correction(of: isVideo, decoded: decoded, duration: duration)
        func shifted(_ stamp: Int64) -> Int64 {
            MediaTime.microseconds(stamp, of: base).map { $0 + moved } ?? flick_no_pts()
        }
        packet.pointee.pts = shifted(packet.pointee.pts)
        packet.pointee.dts = shifted(packet.pointee.dts)
        packet.pointee.duration = duration
        if !isVideo, isFirstSound {
            isFirstSound = false
            // An encoder's padding before the film is only at its very beginning, but libav would drop samples at the
            // beginning of every run.
            if expectedStart > 0 { av_packet_free_side_data(packet) }
        }
        return (packet, format)
    }

    private func forget() {
        for packet in queued {
            var packet = packet
            freePacket(&packet)
        }
        queued = []
    }
}
