internal import CFFmpeg
import Wire

/// How a stream's packets are coded, and the time base of its stamps.
final class StreamFormat {
    let parameters: UnsafeMutablePointer<AVCodecParameters>
    let timeBase: AVRational
    /// The ratio of width to height of a coded pixel; nil if the container does not state it: then each picture can.
    let sampleAspect: Double?
    /// nil if the demuxer's stamps are right.
    private let songStamps: SongStamps?

    /// Copies the parameters of `stream`. Stamps can be in another time base if the demuxer converts them.
    init(_ stream: Container.Stream, timeBase: AVRational? = nil, sampleAspect: Double?) throws(MediaError) {
        guard let copy = avcodec_parameters_alloc() else { throw MediaError(.limits, "out of memory") }
        parameters = copy
        self.timeBase = timeBase ?? stream.pointee.time_base
        self.sampleAspect = sampleAspect
        songStamps = nil
        let code = avcodec_parameters_copy(copy, stream.pointee.codecpar)
        guard code >= 0 else { throw MediaError(.limits, "out of memory", because: code) }
    }

    /// The same stream from `packet` on, if that brings other headers; nil if it brings none, or the same.
    func renewed(by packet: UnsafeMutablePointer<AVPacket>) -> StreamFormat? {
        let headers: UnsafeBufferPointer<UInt8>?
        let rate: Int32?
        var stamps: SongStamps?
        if let song = SongHeader(packet, of: parameters.pointee.codec_id) {
            if song.hasOtherBlocks(than: self.headers) { stamps = SongStamps() }
            guard song.sampleRate != parameters.pointee.sample_rate || stamps != nil || songStamps != nil else {
                return nil
            }
            (headers, rate) = (song.extradata, song.sampleRate)
        } else {
            guard let new = StreamFormat.newHeaders(of: packet), !self.headers.elementsEqual(new) else { return nil }
            (headers, rate) = (new, nil)
        }
        // `try?`: the old headers may suit what follows; if not, decoding reports the error.
        return try? StreamFormat(self, headers: headers, rate: rate, songStamps: stamps)
    }

    /// Sets the stamps of a packet of this format that the demuxer computes wrongly.
    func restamp(_ packet: UnsafeMutablePointer<AVPacket>) { songStamps?.restamp(packet) }

    private static func newHeaders(of packet: UnsafeMutablePointer<AVPacket>) -> UnsafeBufferPointer<UInt8>? {
        guard packet.pointee.side_data_elems > 0 else { return nil }
        var size = 0
        guard let data = av_packet_get_side_data(packet, AV_PKT_DATA_NEW_EXTRADATA, &size), size > 0 else { return nil }
        return UnsafeBufferPointer(start: data, count: size)
    }

    /// What the decoder needs before the first packet; valid as long as the format.
    var headers: UnsafeBufferPointer<UInt8> {
        UnsafeBufferPointer(start: parameters.pointee.extradata, count: Int(parameters.pointee.extradata_size))
    }

    /// `other` with these headers, if any.
    ///
    /// - Parameter rate: the sample rate of sound, in Hz; nil: as the headers say.
    private init(
        _ other: StreamFormat, headers: UnsafeBufferPointer<UInt8>?, rate: Int32?, songStamps: SongStamps?
    ) throws(MediaError) {
        let copy = try StreamFormat.copy(other.parameters, headers)
        parameters = copy
        sampleAspect = other.sampleAspect
        self.songStamps = songStamps
        let rate = rate ?? (other.isVideo ? 0 : StreamFormat.sampleRate(copy))
        // Where stamps count samples, they count the new ones; libav leaves the time base as it was.
        let countsSamples = other.timeBase.num == 1 && other.timeBase.den == other.parameters.pointee.sample_rate
        timeBase = countsSamples && rate > 0 ? AVRational(num: 1, den: rate) : other.timeBase
        if rate > 0 { copy.pointee.sample_rate = rate }
    }

    private static func copy(
        _ old: UnsafeMutablePointer<AVCodecParameters>, _ headers: UnsafeBufferPointer<UInt8>?
    ) throws(MediaError) -> UnsafeMutablePointer<AVCodecParameters> {
        var copy = avcodec_parameters_alloc()
        guard let made = copy, avcodec_parameters_copy(made, old) >= 0 else {
            avcodec_parameters_free(&copy)
            throw MediaError(.limits, "out of memory")
        }
        guard let headers, let first = headers.baseAddress else { return made }
        guard let memory = av_mallocz(headers.count + Int(AV_INPUT_BUFFER_PADDING_SIZE)) else {
            avcodec_parameters_free(&copy)
            throw MediaError(.limits, "out of memory")
        }
        memory.copyMemory(from: first, byteCount: headers.count)
        av_freep(&made.pointee.extradata)
        made.pointee.extradata = memory.assumingMemoryBound(to: UInt8.self)
        made.pointee.extradata_size = CInt(headers.count)
        return made
    }

    /// From the headers; 0 if they do not say.
    private static func sampleRate(_ parameters: UnsafeMutablePointer<AVCodecParameters>) -> Int32 {
        guard let codec = avcodec_find_decoder(parameters.pointee.codec_id) else { return 0 }
        var context = avcodec_alloc_context3(codec)
        defer { avcodec_free_context(&context) }
        guard let context, avcodec_parameters_to_context(context, parameters) >= 0,
            avcodec_open2(context, codec, nil) >= 0
        else { return 0 }
        return max(0, context.pointee.sample_rate)
    }

    /// Adds `time` to the stamps of a packet.
    func move(_ packet: UnsafeMutablePointer<AVPacket>, by time: Microseconds) {
        let step = av_rescale_q(time, flick_microseconds(), timeBase)
        func moved(_ stamp: Int64) -> Int64 { stamp == flick_no_pts() ? stamp : stamp &+ step }
        (packet.pointee.pts, packet.pointee.dts) = (moved(packet.pointee.pts), moved(packet.pointee.dts))
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

    /// A stamp or duration of this stream in microseconds; nil if it is undefined.
    func time(_ stamp: Int64) -> Microseconds? { MediaTime.microseconds(stamp, of: timeBase) }
}

/// Converts times of files, which can be any number. Pure.
enum MediaTime {
    /// The longest time that is accepted from a file: two years, in both
    /// directions. Sums with it cannot overflow 64 bits.
    static let longest: Microseconds = 1 << 46

    /// A stamp or duration of a file in microseconds, limited to `longest`; nil if it is undefined.
    static func microseconds(_ stamp: Int64, of timeBase: AVRational) -> Microseconds? {
        guard stamp != flick_no_pts(), timeBase.num > 0, timeBase.den > 0 else { return nil }
        // Rounds as libav does. An overflow returns the smallest Int64, in both directions.
        let time = av_rescale_q(stamp, timeBase, flick_microseconds())
        if time == .min { return stamp < 0 ? -longest : longest }
        return min(max(time, -longest), longest)
    }
}

/// The header of a song that follows another in the same Ogg stream. FFmpeg 5 to 7 give it as a packet, and keep the
/// sample rate of the first song. Valid as long as the packet.
struct SongHeader {
    /// In Hz.
    let sampleRate: Int32
    /// The headers for a new decoder; nil if the decoder reads them from the packets.
    let extradata: UnsafeBufferPointer<UInt8>?
    /// The exponents of both block sizes of Vorbis; 0 for others.
    private let blocks: UInt8

    private static let vorbis = [1] + Array("vorbis".utf8)
    private static let flac = [0x7F] + Array("FLAC".utf8)

    /// Reads the first header packet of Vorbis (Vorbis I, 4.2.2) or FLAC (RFC
    /// 9639, 8.2 and 10.1); nil if `packet` is another one.
    init?(_ packet: UnsafeMutablePointer<AVPacket>, of codec: AVCodecID) {
        guard let data = packet.pointee.data else { return nil }
        let bytes = UnsafeBufferPointer(start: UnsafePointer(data), count: Int(packet.pointee.size))
        switch codec {
        case AV_CODEC_ID_VORBIS:
            guard bytes.count == 30, bytes.starts(with: SongHeader.vorbis) else { return nil }
            sampleRate = Int32(clamping: (12..<16).reversed().reduce(0) { $0 << 8 | UInt32(bytes[$1]) })
            extradata = nil
            blocks = bytes[28]
        case AV_CODEC_ID_FLAC:
            guard bytes.count >= 51, bytes.starts(with: SongHeader.flac) else { return nil }
            // The stream information follows the mapping's 13 bytes and the 4 of its block's header.
            let information = UnsafeBufferPointer(rebasing: bytes[17..<51])
            sampleRate = Int32(information[10]) << 12 | Int32(information[11]) << 4 | Int32(information[12]) >> 4
            extradata = information
            blocks = 0
        default: return nil
        }
        guard sampleRate > 0 else { return nil }
    }

    /// Whether a Vorbis song has other block sizes than the one whose headers these are.
    func hasOtherBlocks(than headers: UnsafeBufferPointer<UInt8>) -> Bool {
        guard blocks != 0, let first = headers.indices.first(where: { headers[$0...].starts(with: SongHeader.vorbis) }),
            first + 28 < headers.count
        else { return false }
        return headers[first + 28] != blocks
    }
}
