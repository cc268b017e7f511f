internal import CFFmpeg
import Wire

/// Puts packets into one file without decoding them, as `ffmpeg -c copy` does: MP4 if that can hold them, else
/// Matroska. On the session's thread.
///
/// Source: libavformat's documentation of muxing (`avformat.h`).
final class Muxer {
    /// Takes a part of the file, which may lie before others. Returns false to cancel.
    typealias Put = (_ container: MuxedContainer, _ offset: Int64, _ bytes: UnsafeBufferPointer<UInt8>) -> Bool

    private struct Track {
        let stream: Container.Stream
        /// How all of its packets are coded.
        let format: StreamFormat
        /// The decoding stamp of its last packet, in the stream's time base.
        var last: Int64?
        /// Where its last packet ends, in the clip.
        var end: Microseconds = 0
    }

    /// Audio has no gaps: a longer one is data that is missing. Streams may end this much before their playlist says.
    private static let longestGap: Microseconds = 3_000_000

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
        // Without this, each packet is passed on by itself.
        made.pointee.flush_packets = 0
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

    /// Adds a packet of one of the formats, which libav takes over. Its stamps are times of the clip.
    func write(_ packet: UnsafeMutablePointer<AVPacket>, _ format: StreamFormat) throws(MediaError) {
        let kind = format.isVideo ? "video" : "audio"
        guard let index = tracks.firstIndex(where: { $0.format.isVideo == format.isVideo }) else {
            throw MediaError(.other, "its \(kind) begins mid-stream")
        }
        let track = tracks[index]
        guard format === track.format || format.isCoded(as: track.format) else {
            throw MediaError(.other, "its \(kind) format changes mid-stream")
        }
        let (dts, pts) = (packet.pointee.dts, packet.pointee.pts)
        if let begin = format.time(dts != flick_no_pts() ? dts : pts) {
            guard format.isVideo || track.last == nil || begin - track.end < Self.longestGap else {
                throw MediaError(.other, "\(Self.seconds(begin - track.end)) s of it are missing")
            }
            tracks[index].end = max(track.end, begin + (format.time(packet.pointee.duration) ?? 0))
        }
        packet.pointee.stream_index = track.stream.pointee.index
        packet.pointee.pos = -1
        av_packet_rescale_ts(packet, format.timeBase, track.stream.pointee.time_base)
        Self.order(packet, after: track.last)
        tracks[index].last = packet.pointee.dts
        let code = av_interleaved_write_frame(context, packet)
        guard code >= 0 else { throw Self.error(code) }
    }

    /// Gives a packet the stamps that containers need. Where parts were joined, they can step back a little.
    private static func order(_ packet: UnsafeMutablePointer<AVPacket>, after last: Int64?) {
        let least = last.map { $0 + 1 }
        var dts = packet.pointee.dts
        if dts == flick_no_pts() { dts = packet.pointee.pts }
        if dts == flick_no_pts() { dts = least ?? 0 }
        packet.pointee.dts = max(dts, least ?? dts)
        let pts = packet.pointee.pts
        packet.pointee.pts = pts == flick_no_pts() ? packet.pointee.dts : max(pts, packet.pointee.dts)
    }

    /// Writes the rest of the file. The clip ends at `end`: much less is an error.
    func finish(at end: Microseconds) throws(MediaError) {
        let missing = end - (tracks.map(\.end).max() ?? 0)
        guard missing < Self.longestGap else {
            throw MediaError(.other, "its last \(Self.seconds(missing)) s are missing")
        }
        let code = av_write_trailer(context)
        guard code >= 0 else { throw Self.error(code) }
        avio_flush(context.pointee.pb)
        guard context.pointee.pb.pointee.error >= 0 else { throw Self.error(context.pointee.pb.pointee.error) }
    }

    private static func seconds(_ time: Microseconds) -> Int64 { (time + 500_000) / 1_000_000 }

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
