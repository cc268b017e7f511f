internal import CFFmpeg
import Loudness
import Wire

/// What a container says about its streams.
extension Container {
    /// How the picture comes to stand upright.
    var orientation: Orientation {
        video.flatMap { flick_display_matrix($0) }.map { Orientation(matrix: $0) } ?? Orientation()
    }

    /// The orientation stored in a single picture, as in photographs; nil if it is missing.
    static func orientation(of frame: UnsafeMutablePointer<AVFrame>) -> Orientation? {
        guard let data = av_frame_get_side_data(frame, AV_FRAME_DATA_DISPLAYMATRIX),
            data.pointee.size >= 9 * MemoryLayout<Int32>.size, let bytes = data.pointee.data
        else { return nil }
        return bytes.withMemoryRebound(to: Int32.self, capacity: 9) { Orientation(matrix: $0) }
    }

    /// The ratio of width to height of a coded pixel.
    var sampleAspect: AVRational {
        guard let video else { return AVRational(num: 1, den: 1) }
        let aspect = av_guess_sample_aspect_ratio(format, video, nil)
        return Container.isBelievable(aspect) ? aspect : AVRational(num: 1, den: 1)
    }

    private static func isBelievable(_ aspect: AVRational) -> Bool {
        let (across, down) = (Int64(aspect.num), Int64(aspect.den))
        return across > 0 && down > 0 && across <= down * 64 && down <= across * 64
    }

    /// The aspect as a number; 1 if the value is absurd.
    static func believable(_ aspect: AVRational) -> Double {
        isBelievable(aspect) ? Double(aspect.num) / Double(aspect.den) : 1
    }

    /// How long a picture is shown if nothing else says so, in microseconds; 0 if unknown.
    var pictureDuration: Microseconds {
        guard let video else { return 0 }
        guard let rate = frameRate(of: video) else { return 0 }
        return Microseconds(rate.den) * 1_000_000 / Microseconds(rate.num)
    }

    /// Pictures a second; nil if unknown. Where pictures differ in length, libav's guess can be the number of its
    /// clock's ticks in a second: 1,000 of WebM, 90,000 of MPEG, 15,360 of some MP4s.
    private func frameRate(of stream: Stream) -> AVRational? {
        [av_guess_frame_rate(format, stream, nil), stream.pointee.avg_frame_rate].first { rate in
            rate.num > 0 && rate.den > 0 && Int64(rate.num) <= Int64(rate.den) * Container.maxPictures
                && Int64(rate.den) < Int64(rate.num) * 3_600
        }
    }

    /// Per second. The pictures of faster clips are identified by their stamps alone.
    private static let maxPictures: Int64 = 300

    func videoFormat() throws(MediaError) -> StreamFormat? {
        guard let video else { return nil }
        let aspect = sampleAspect
        return try StreamFormat(
            video, timeBase: isCamera ? flick_microseconds() : nil,
            sampleAspect: Double(aspect.num) / Double(aspect.den))
    }

    func audioFormat() throws(MediaError) -> StreamFormat? {
        guard let audio else { return nil }
        return try StreamFormat(audio, sampleAspect: nil)
    }

    /// The information that is reported to flick.
    ///
    /// - Parameter orientation: of the pictures, if it is not the stream that says it.
    func info(duration: Microseconds, isSeekable: Bool, orientation: Orientation? = nil) -> MediaInfo {
        var info = MediaInfo(
            container: name, duration: duration, isSeekable: isSeekable,
            streams: described.map(describe))
        info.tags = tags
        guard let size = video?.pointee.codecpar.pointee else { return info }
        let aspect = sampleAspect
        let orientation = orientation ?? self.orientation
        (info.rotation, info.sampleAspectNumerator) = (UInt32(orientation.degrees), UInt32(aspect.num))
        info.sampleAspectDenominator = UInt32(aspect.den)
        // Some containers leave it to the pictures how large they are.
        guard size.width > 0, size.height > 0 else { return info }
        let width = max(1, UInt32((Double(size.width) * Double(aspect.num) / Double(aspect.den)).rounded()))
        let height = UInt32(size.height)
        (info.displayWidth, info.displayHeight) = orientation.isOnItsSide ? (height, width) : (width, height)
        return info
    }

    /// As many streams as may be reported, in order; the played ones are among them.
    private var described: [Stream] {
        guard streams.count > WireLimit.streams else { return Array(streams) }
        let played = streams.filter { $0 == video || $0 == audio }
        let others = streams.filter { !played.contains($0) }.prefix(WireLimit.streams - played.count)
        return (played + others).sorted { $0.pointee.index < $1.pointee.index }
    }

    /// libav calls tags the same in most containers. Ogg has them at its streams.
    private var tags: MediaInfo.Tags {
        let places = [format.pointee.metadata, audio?.pointee.metadata, video?.pointee.metadata]
        func text(_ names: String...) -> String {
            for name in names {
                for place in places {
                    guard let entry = av_dict_get(place, name, nil, 0), entry.pointee.value.pointee != 0 else {
                        continue
                    }
                    return String(cString: entry.pointee.value)
                }
            }
            return ""
        }
        return MediaInfo.Tags(
            title: text("title"), artist: text("artist", "album_artist", "author"), album: text("album"),
            comment: text("description", "comment", "synopsis"), genre: text("genre"),
            date: text("date", "creation_time"))
    }

    /// The loudness of the chosen sound track according to its tags, in LUFS; nil without a tag.
    var taggedLoudness: Double? {
        let places = [audio?.pointee.metadata, format.pointee.metadata]
        return LoudnessTag.loudness { name in
            places.lazy.compactMap { av_dict_get($0, name, nil, 0) }.first.map { String(cString: $0.pointee.value) }
        }
    }

    private func describe(_ stream: Stream) -> MediaInfo.Stream {
        let parameters = stream.pointee.codecpar.pointee
        let kind: MediaInfo.Stream.Kind =
            switch parameters.codec_type {
            case AVMEDIA_TYPE_VIDEO: Container.isCover(stream) && stream != video ? .other : .video
            case AVMEDIA_TYPE_AUDIO: .audio
            case AVMEDIA_TYPE_SUBTITLE: .subtitle
            default: .other
            }
        var described = MediaInfo.Stream(
            index: UInt32(stream.pointee.index), kind: kind,
            codec: String(cString: avcodec_get_name(parameters.codec_id)),
            bitrate: max(0, parameters.bit_rate), isChosen: stream == video || stream == audio)
        if let name = avcodec_profile_name(parameters.codec_id, parameters.profile) {
            described.profile = String(cString: name)
        }
        if let entry = av_dict_get(stream.pointee.metadata, "language", nil, 0) {
            described.language = String(cString: entry.pointee.value)
        }
        if kind == .video {
            (described.width, described.height) = (UInt32(max(0, parameters.width)), UInt32(max(0, parameters.height)))
            if let name = av_get_pix_fmt_name(AVPixelFormat(parameters.format)) {
                described.format = String(cString: name)
            }
            if let rate = frameRate(of: stream) {
                described.rate = UInt32(clamping: Int64(rate.num) * 1_000 / Int64(rate.den))
            }
        } else if kind == .audio {
            described.rate = UInt32(max(0, parameters.sample_rate))
            described.channels = UInt32(max(0, parameters.ch_layout.nb_channels))
            if let name = av_get_sample_fmt_name(AVSampleFormat(parameters.format)) {
                described.format = String(cString: name)
            }
        }
        return described
    }
}
