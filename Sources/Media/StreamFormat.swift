internal import CFFmpeg
import Wire

/// How a stream's packets are coded, and what their stamps count.
final class StreamFormat {
    let parameters: UnsafeMutablePointer<AVCodecParameters>
    let timeBase: AVRational
    /// A coded pixel's width by its height; nil if the container does not say: then each picture may.
    let sampleAspect: Double?

    /// Copies what `stream` says of itself. Its stamps may be converted to another time base by whoever hands them on.
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

    /// A stamp or duration of this stream in microseconds; nil if there is none.
    func time(_ stamp: Int64) -> Microseconds? { MediaTime.microseconds(stamp, of: timeBase) }
}

/// Times from files, which may be any number.
enum MediaTime {
    /// The longest time that is accepted from a file, either way: two years. Sums with it stay far from the ends of 64 bits.
    static let longest: Microseconds = 1 << 46

    /// A stamp or duration of a file in microseconds, limited to `longest`; nil if there is none.
    static func microseconds(_ stamp: Int64, of timeBase: AVRational) -> Microseconds? {
        guard stamp != flick_no_pts(), timeBase.num > 0, timeBase.den > 0 else { return nil }
        // Rounded as libav does; what overflows comes back as the least number there is, whichever side it was on.
        let time = av_rescale_q(stamp, timeBase, flick_microseconds())
        if time == .min { return stamp < 0 ? -longest : longest }
        return min(max(time, -longest), longest)
    }
}
