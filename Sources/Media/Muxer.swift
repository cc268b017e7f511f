internal import CFFmpeg
import Wire

/// Puts packets into one file without decoding them, as `ffmpeg -c copy` does: MP4 if that can hold them, else
/// Matroska. On the session's thread.
///
/// Source: libavformat's documentation of muxing (`avformat.h`).
final class Muxer {
    /// Takes a part of the file, which may lie before others; false if there is no use in going on.
    typealias Put = (_ container: MuxedContainer, _ offset: Int64, _ bytes: UnsafeBufferPointer<UInt8>) -> Bool

    private struct Track {
        let stream: Container.Stream
        /// How all of its packets are coded.
        let format: StreamFormat
        /// The decoding stamp of its last packet, in the stream's time base.
        var last: Int64?
    }

    private let context: UnsafeMutablePointer<AVFormatContext>
    private let writer: MuxedFile
    private var tracks: [Track] = []

    /// Writes the beginning of the file.
    convenience init(_ formats: [StreamFormat], put: @escaping Put) throws(MediaError) {
        do throws(MediaError) { try self.init(formats, .mp4, put) } catch {
            guard error.code != .limits else { throw error }
            try self.init(formats, .matroska, put)
        }
    }

    private init(_ formats: [StreamFormat], _ container: MuxedContainer, _ put: @escaping Put) throws(MediaError) {
        writer = try MuxedFile { put(container, $0, $1) }
        var made: UnsafeMutablePointer<AVFormatContext>?
        avformat_alloc_output_context2(&made, nil, container.muxer, nil)
        guard let made else { throw MediaError(.other, "this FFmpeg cannot write \(container.muxer) files") }
        context = made
        made.pointee.pb = flick_mux_file_io(writer.pointer)
        made.pointee.flags |= AVFMT_FLAG_CUSTOM_IO
        for format in formats { try add(format) }
        let code = avformat_write_header(made, nil)
        guard code >= 0 else { throw Self.error(code) }
    }

    private func add(_ format: StreamFormat) throws(MediaError) {
        let isHeld = avformat_query_codec(
            context.pointee.oformat, format.parameters.pointee.codec_id, FF_COMPLIANCE_NORMAL)
        // Less than 0: the container does not say.
        guard isHeld != 0 else { throw Self.error(flick_averror_invalid()) }
        guard let stream = avformat_new_stream(context, nil),
            avcodec_parameters_copy(stream.pointee.codecpar, format.parameters) >= 0
        else { throw MediaError(.limits, "out of memory") }
        // The tag is of the container that the packets come from.
        stream.pointee.codecpar.pointee.codec_tag = 0
        stream.pointee.sample_aspect_ratio = format.parameters.pointee.sample_aspect_ratio
        stream.pointee.time_base = format.timeBase
        tracks.append(Track(stream: stream, format: format))
    }

    /// Adds a packet of one of the formats, which libav takes over.
    func write(_ packet: UnsafeMutablePointer<AVPacket>, _ format: StreamFormat) throws(MediaError) {
        guard let index = tracks.firstIndex(where: { $0.format.isVideo == format.isVideo }) else { return }
        let track = tracks[index]
        guard format === track.format || format.isCoded(as: track.format) else {
            throw MediaError(.other, "its \(format.isVideo ? "video" : "sound") changes its format on the way")
        }
        packet.pointee.stream_index = track.stream.pointee.index
        packet.pointee.pos = -1
        av_packet_rescale_ts(packet, format.timeBase, track.stream.pointee.time_base)
        if packet.pointee.dts == flick_no_pts() { packet.pointee.dts = packet.pointee.pts }
        guard packet.pointee.dts != flick_no_pts() else { return }
        // Where parts were joined, stamps can step back a little; no container holds that.
        if let last = track.last { packet.pointee.dts = max(packet.pointee.dts, last + 1) }
        packet.pointee.pts =
            packet.pointee.pts == flick_no_pts() ? packet.pointee.dts : max(packet.pointee.pts, packet.pointee.dts)
        tracks[index].last = packet.pointee.dts
        let code = av_interleaved_write_frame(context, packet)
        guard code >= 0 else { throw Self.error(code) }
    }

    /// Writes the rest of the file.
    func finish() throws(MediaError) {
        let code = av_write_trailer(context)
        guard code >= 0 else { throw Self.error(code) }
        avio_flush(context.pointee.pb)
        guard context.pointee.pb.pointee.error >= 0 else { throw Self.error(context.pointee.pb.pointee.error) }
    }

    private static func error(_ code: CInt) -> MediaError {
        MediaError(.other, "its streams cannot be put into one file", because: code)
    }

    deinit { avformat_free_context(context) }
}

/// The file that a muxer writes: passes on what comes. It must be released after the muxer, which writes to it.
private final class MuxedFile {
    typealias Put = (_ offset: Int64, _ bytes: UnsafeBufferPointer<UInt8>) -> Bool

    let pointer: OpaquePointer
    private let put: Reference

    private final class Reference {
        let put: Put
        init(_ put: @escaping Put) { self.put = put }
    }

    init(_ put: @escaping Put) throws(MediaError) {
        self.put = Reference(put)
        let writer = flick_mux_file(
            { opaque, offset, bytes, count in
                // The opaque pointer is the one passed below.
                let reference = Unmanaged<Reference>.fromOpaque(opaque!).takeUnretainedValue()
                let bytes = UnsafeBufferPointer(start: bytes, count: Int(count))
                return reference.put(offset, bytes) ? 0 : flick_averror_exit()
            }, Unmanaged.passUnretained(self.put).toOpaque(), CInt(WireLimit.muxed))
        guard let writer else { throw MediaError(.limits, "out of memory") }
        pointer = writer
    }

    deinit { flick_mux_file_free(pointer) }
}

extension MuxedContainer {
    /// libav's name of its muxer.
    fileprivate var muxer: String {
        switch self {
        case .mp4: "mp4"
        case .matroska: "matroska"
        }
    }
}

extension StreamFormat {
    /// Whether packets of both can follow each other in one track.
    fileprivate func isCoded(as other: StreamFormat) -> Bool {
        let (new, old) = (parameters.pointee, other.parameters.pointee)
        guard new.codec_id == old.codec_id, new.width == old.width, new.height == old.height,
            new.sample_rate == old.sample_rate, new.ch_layout.nb_channels == old.ch_layout.nb_channels
        else { return false }
        let (mine, others) = (headers, other.headers)
        // Annex B of H.264 and H.265: each key picture brings its own headers.
        let startCode: [UInt8] = [0, 0]
        return mine.elementsEqual(others) || mine.starts(with: startCode) && others.starts(with: startCode)
    }
}
