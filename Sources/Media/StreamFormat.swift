internal import CFFmpeg
import Wire

/// How a stream's packets are coded, and the time base of its stamps.
final class StreamFormat {
    let parameters: UnsafeMutablePointer<AVCodecParameters>
    let timeBase: AVRational
    /// The ratio of width to height of a coded pixel; nil if the container does not tell it: then each picture can.
    let sampleAspect: Double?

    /// Copies the parameters of `stream`. Stamps can be in another time base if the demuxer converts them.
    init(_ stream: Container.Stream, timeBase: AVRational? = nil, sampleAspect: Double?) throws(MediaError) {
        guard let copy = avcodec_parameters_alloc() else { throw MediaError(.limits, "there is not enough memory") }
        parameters = copy
        self.timeBase = timeBase ?? stream.pointee.time_base
        self.sampleAspect = sampleAspect
        let code = avcodec_parameters_copy(copy, stream.pointee.codecpar)
        guard code >= 0 else { throw MediaError(.limits, "there is not enough memory", because: code) }
    }

    deinit {
        var parameters: UnsafeMutablePointer<AVCodecParameters>? = parameters
        avcodec_parameters_free(&parameters)
    }

    var isVideo: Bool { parameters.pointee.codec_type == AVMEDIA_TYPE_VIDEO }

    /// Each packet can be decoded without those before it.
    private(set) lazy var isIndependent: Bool =
        avcodec_descriptor_get(parameters.pointee.codec_id).map { $0.pointee.props & AV_CODEC_PROP_INTRA_ONLY != 0 }
        ?? false

    /// A stamp or duration of this stream in microseconds; nil if there is none.
    func time(_ stamp: Int64) -> Microseconds? { MediaTime.microseconds(stamp, of: timeBase) }
}

/// Converts times of files, which can be any number. Pure.
enum MediaTime {
    /// The longest time that is accepted from a file: two years, in both directions. Sums with it cannot overflow 64
    /// bits.
    static let longest: Microseconds = 1 << 46

    /// A stamp or duration of a file in microseconds, limited to `longest`; nil if there is none.
    static func microseconds(_ stamp: Int64, of timeBase: AVRational) -> Microseconds? {
        guard stamp != flick_no_pts(), timeBase.num > 0, timeBase.den > 0 else { return nil }
        // Rounds as libav does. An overflow returns the smallest Int64, in both directions.
        let time = av_rescale_q(stamp, timeBase, flick_microseconds())
        if time == .min { return stamp < 0 ? -longest : longest }
        return min(max(time, -longest), longest)
    }
}
