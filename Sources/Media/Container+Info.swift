internal import CFFmpeg
import Wire

/// What a container tells about its streams.
extension Container {
    /// How far the picture must be turned clockwise to stand upright: 0, 90, 180 or 270 degrees.
    var rotation: Int {
        guard let video, let matrix = flick_display_matrix(video) else { return 0 }
        return Container.quarters(matrix)
    }

    /// The rotation that a single picture carries, as photographs do; nil if there is none.
    static func rotation(of frame: UnsafeMutablePointer<AVFrame>) -> Int? {
        guard let data = av_frame_get_side_data(frame, AV_FRAME_DATA_DISPLAYMATRIX),
            data.pointee.size >= 9 * MemoryLayout<Int32>.size, let bytes = data.pointee.data
        else { return nil }
        return bytes.withMemoryRebound(to: Int32.self, capacity: 9) { quarters($0) }
    }

    private static func quarters(_ matrix: UnsafePointer<Int32>) -> Int {
        // libav counts anticlockwise.
        let angle = -av_display_rotation_get(matrix)
        guard angle.isFinite else { return 0 }
        let quarters = Int((angle / 90).rounded())
        return ((quarters % 4) + 4) % 4 * 90
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

    /// How long a picture is shown if nothing else tells, in microseconds; 0 if unknown.
    var pictureDuration: Microseconds {
        guard let video else { return 0 }
        let rate = av_guess_frame_rate(format, video, nil)
        guard rate.num > 0, rate.den > 0 else { return 0 }
        return Microseconds(rate.den) * 1_000_000 / Microseconds(rate.num)
    }

    func videoFormat() throws(MediaError) -> StreamFormat? {
        guard let video else { return nil }
        let aspect = sampleAspect
        return try StreamFormat(video, sampleAspect: Double(aspect.num) / Double(aspect.den))
    }

    func audioFormat() throws(MediaError) -> StreamFormat? {
        guard let audio else { return nil }
        return try StreamFormat(audio, sampleAspect: nil)
    }

    /// The information that is reported to flick.
    func info(duration: Microseconds, isSeekable: Bool) -> MediaInfo {
        var info = MediaInfo(
            container: name, duration: duration, isSeekable: isSeekable,
            streams: streams.prefix(WireLimit.streams).map(describe))
        guard let size = video?.pointee.codecpar.pointee else { return info }
        let aspect = sampleAspect
        (info.rotation, info.sampleAspectNumerator) = (UInt32(rotation), UInt32(aspect.num))
        info.sampleAspectDenominator = UInt32(aspect.den)
        let width = max(1, UInt32((Double(max(0, size.width)) * Double(aspect.num) / Double(aspect.den)).rounded()))
        let height = UInt32(max(1, size.height))
        (info.displayWidth, info.displayHeight) = rotation % 180 == 0 ? (width, height) : (height, width)
        return info
    }

    private func describe(_ stream: Stream) -> MediaInfo.Stream {
        let parameters = stream.pointee.codecpar.pointee
        let kind: MediaInfo.Stream.Kind =
            switch parameters.codec_type {
            case AVMEDIA_TYPE_VIDEO: stream.pointee.disposition & AV_DISPOSITION_ATTACHED_PIC == 0 ? .video : .other
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
            let rate = av_guess_frame_rate(format, stream, nil)
            if rate.num > 0, rate.den > 0 {
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
