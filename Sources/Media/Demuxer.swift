internal import CFFmpeg
import Wire

/// An open media file: its streams, the two of them that are played, and its packets one after the other.
final class Demuxer {
    typealias Stream = UnsafeMutablePointer<AVStream>

    let door: ByteDoor
    let format: UnsafeMutablePointer<AVFormatContext>
    private(set) var video: Stream?
    private(set) var audio: Stream?
    private let main: UnsafeMutablePointer<AVIOContext>
    /// What a playlist offers; empty for other files.
    let variants: [MediaInfo.Variant]

    /// The most pixels a picture may have on a side, and in all: of four bytes each, what one allocation may hold.
    static let largestSide: Int32 = 16_384
    static let mostPixels: Int64 = 128 << 20
    /// Packets that were read to find out something, and are still to be given out.
    private var ahead: [UnsafeMutablePointer<AVPacket>] = []
    /// The DTS of the first packet that was read.
    private var firstStamp: Microseconds?

    /// Opens `url` and finds out what is in it. Blocks; asks for no more than it must.
    ///
    /// - Parameter surface: what the pictures are for; nil if nothing is shown: then time is taken to find out all that can be told.
    init(url: String, door: ByteDoor, surface: SurfaceRequest?) throws(MediaError) {
        self.door = door
        main = try door.open(url: url, offset: 0, end: -1).get()
        variants = Demuxer.chooseVariant(in: door.source(of: main), surface: surface)
        guard let made = avformat_alloc_context() else {
            door.close(main)
            throw MediaError(.limits, "there is not enough memory")
        }
        var context: UnsafeMutablePointer<AVFormatContext>? = made
        made.pointee.pb = main
        made.pointee.flags |= AVFMT_FLAG_CUSTOM_IO
        made.pointee.max_streams = CInt(WireLimit.streams)
        made.pointee.probesize = 2 << 20
        made.pointee.max_analyze_duration = 2_000_000
        flick_set_io(
            made, Unmanaged.passUnretained(door).toOpaque(),
            { opaque, io, url, offset, end, key, vector in
                // The first three are given by libav and by the line above.
                let door = Unmanaged<ByteDoor>.fromOpaque(opaque!).takeUnretainedValue()
                let url = String(cString: url!)
                let opened =
                    if let key, let vector {
                        door.open(
                            enciphered: url, offset: offset, end: end, key: Decipher.bytes(key),
                            vector: Decipher.bytes(vector))
                    } else { door.open(url: url, offset: offset, end: end) }
                switch opened {
                case .success(let opened):
                    io!.pointee = opened
                    return 0
                case .failure:
                    return door.isInterrupted ? flick_averror_exit() : flick_averror_io()
                }
            },
            { opaque, io in
                Unmanaged<ByteDoor>.fromOpaque(opaque!).takeUnretainedValue().close(io!)
                return 0
            })
        made.pointee.interrupt_callback = AVIOInterruptCB(
            callback: { Unmanaged<ByteDoor>.fromOpaque($0!).takeUnretainedValue().isInterrupted ? 1 : 0 },
            opaque: Unmanaged.passUnretained(door).toOpaque())

        var options: OpaquePointer?
        defer { av_dict_free(&options) }
        // Nested files come through `io_open` whatever their scheme and name: the list of what may be had is flick's.
        for (key, value) in [
            ("http_persistent", "0"), ("allowed_extensions", "ALL"), ("extension_picky", "0"),
            ("protocol_whitelist", "file,http,https,tcp,tls,crypto,data"),
        ] { av_dict_set(&options, key, value, 0) }
        let code = avformat_open_input(&context, url, nil, &options)
        guard code >= 0, let context else {
            door.close(main)
            if code == flick_averror_io(), !door.lastError.isEmpty { throw MediaError(.unreadable, door.lastError) }
            throw MediaError(.notMedia, "no media that can be demuxed", because: code)
        }
        format = context
        // From here on `deinit` closes, also when this throws.
        try choose(thoroughly: surface == nil)
    }

    deinit {
        forgetAhead()
        var context: UnsafeMutablePointer<AVFormatContext>? = format
        avformat_close_input(&context)
        door.close(main)
    }

    /// Has a playlist of variants offer one only; what it offered.
    private static func chooseVariant(in source: ByteSource?, surface: SurfaceRequest?) -> [MediaInfo.Variant] {
        guard let source,
            let text = source.whole(beginningWith: MasterPlaylist.mark, limit: MasterPlaylist.mostBytes),
            var playlist = MasterPlaylist(text)
        else { return [] }
        playlist.choose(for: surface)
        source.replace(with: playlist.reduced())
        return playlist.variants
    }

    var streams: [Stream] {
        (0..<Int(format.pointee.nb_streams)).compactMap { format.pointee.streams[$0] }
    }

    /// Chooses what is played, looking into the packets only if the header does not tell enough.
    private func choose(thoroughly: Bool) throws(MediaError) {
        if thoroughly || !headerTells {
            let code = avformat_find_stream_info(format, nil)
            guard code >= 0 else {
                throw MediaError(.notMedia, "no streams can be made out", because: code)
            }
        }
        video = best(AVMEDIA_TYPE_VIDEO, beside: nil)
        audio = best(AVMEDIA_TYPE_AUDIO, beside: video)
        for stream in streams where stream != video && stream != audio { stream.pointee.discard = AVDISCARD_ALL }
        guard video != nil || audio != nil else {
            throw MediaError(.undecodable, "there is no picture and no sound in it that can be decoded")
        }
        if let size = video?.pointee.codecpar.pointee,
            size.width > Demuxer.largestSide || size.height > Demuxer.largestSide
                || Int64(size.width) * Int64(size.height) > Demuxer.mostPixels
        {
            throw MediaError(.limits, "its pictures of \(size.width)x\(size.height) pixels are too large")
        }
    }

    private func best(_ kind: AVMediaType, beside other: Stream?) -> Stream? {
        let index = av_find_best_stream(format, kind, -1, other?.pointee.index ?? -1, nil, 0)
        guard index >= 0, let stream = format.pointee.streams[Int(index)] else { return nil }
        // The cover of a piece of music is no film.
        guard stream.pointee.disposition & AV_DISPOSITION_ATTACHED_PIC == 0 else { return nil }
        return avcodec_find_decoder(stream.pointee.codecpar.pointee.codec_id) == nil ? nil : stream
    }

    /// Whether the streams of a container with an index can be played from what its header says.
    private var headerTells: Bool {
        guard container.hasPrefix("mov,") || container.hasPrefix("matroska"), format.pointee.nb_streams > 0 else {
            return false
        }
        return streams.allSatisfy { stream in
            let parameters = stream.pointee.codecpar.pointee
            switch parameters.codec_type {
            case AVMEDIA_TYPE_VIDEO:
                return parameters.codec_id != AV_CODEC_ID_NONE && parameters.width > 0 && parameters.height > 0
            case AVMEDIA_TYPE_AUDIO:
                return parameters.codec_id != AV_CODEC_ID_NONE && parameters.sample_rate > 0
                    && parameters.ch_layout.nb_channels > 0
            default: return true
            }
        }
    }

    /// The longest time, either way, that a file is believed: two years. Sums with it stay far from the ends of 64 bits.
    static let longest: Microseconds = 1 << 46

    /// A stamp or duration of a file in microseconds, held to `longest`; nil if there is none.
    static func microseconds(_ stamp: Int64, of timeBase: AVRational) -> Microseconds? {
        guard stamp != flick_no_pts(), timeBase.num > 0, timeBase.den > 0 else { return nil }
        // Rounded as libav does; what overflows comes back as the least number there is, whichever side it was on.
        let time = av_rescale_q(stamp, timeBase, flick_microseconds())
        if time == .min { return stamp < 0 ? -longest : longest }
        return min(max(time, -longest), longest)
    }

    var container: String { String(cString: format.pointee.iformat.pointee.name) }

    /// In microseconds; -1 if unknown.
    var duration: Microseconds {
        if format.pointee.duration > 0,
            let whole = Demuxer.microseconds(format.pointee.duration, of: flick_microseconds())
        {
            return whole
        }
        let ends = [video, audio].compactMap { stream -> Microseconds? in
            guard let stream = stream?.pointee, stream.duration != flick_no_pts(), stream.duration > 0 else {
                return nil
            }
            return Demuxer.microseconds(stream.duration, of: stream.time_base)
        }
        return ends.max() ?? -1
    }

    var isSeekable: Bool {
        guard format.pointee.ctx_flags & AVFMTCTX_UNSEEKABLE == 0 else { return false }
        return container.hasPrefix("hls") || main.pointee.seekable & AVIO_SEEKABLE_NORMAL != 0
    }

    /// The next packet of a chosen stream, or libav's code. Blocks.
    func read(into packet: UnsafeMutablePointer<AVPacket>) -> CInt {
        if !ahead.isEmpty {
            var first = ahead.removeFirst()
            av_packet_move_ref(packet, first)
            freePacket(&first)
            return 0
        }
        while true {
            let code = av_read_frame(format, packet)
            guard code >= 0 else { return code }
            if packet.pointee.stream_index == video?.pointee.index
                || packet.pointee.stream_index == audio?.pointee.index
            {
                noteFirst(packet)
                return 0
            }
            av_packet_unref(packet)
        }
    }

    private func noteFirst(_ packet: UnsafeMutablePointer<AVPacket>) {
        guard firstStamp == nil, let stream = format.pointee.streams[Int(packet.pointee.stream_index)] else { return }
        firstStamp = Demuxer.microseconds(packet.pointee.dts, of: stream.pointee.time_base)
    }

    /// Whether there is one picture only, in a container that does not tell: then two packets are read to find out. Blocks.
    func hasOnePicture() -> Bool {
        guard video != nil, audio == nil else { return false }
        if container.hasSuffix("_pipe") || container == "image2" || video?.pointee.nb_frames == 1 { return true }
        guard container == "gif" || container == "apng" else { return false }
        while ahead.count < 2 {
            guard var packet = av_packet_alloc() else { return false }
            let code = av_read_frame(format, packet)
            guard code >= 0 else {
                freePacket(&packet)
                return code == flick_averror_eof() && ahead.count == 1
            }
            ahead.append(packet)
        }
        return false
    }

    private func forgetAhead() {
        for packet in ahead {
            var packet = packet
            freePacket(&packet)
        }
        ahead = []
    }

    /// Goes to the key picture at or before `time` of the file (not of the clip). Blocks.
    func seek(to time: Microseconds) -> CInt {
        forgetAhead()
        // A read that was broken off leaves its mark.
        if let io = format.pointee.pb {
            io.pointee.error = 0
            io.pointee.eof_reached = 0
        }
        guard let stream = (video ?? audio)?.pointee else { return flick_averror_invalid() }
        let place = av_rescale_q(time, flick_microseconds(), stream.time_base)
        let code = av_seek_frame(format, stream.index, place, AVSEEK_FLAG_BACKWARD)
        if code >= 0 || door.isInterrupted { return code }
        // A playlist refuses a place before its first packet, whose times often begin at 1.4 s: its clip could not go round.
        let begins = [Demuxer.microseconds(stream.start_time, of: stream.time_base), firstStamp]
        for later in begins.compactMap(\.self).filter({ $0 > time }).sorted() {
            let place = av_rescale_q(later, flick_microseconds(), stream.time_base)
            // Rounding must not bring it before the packet again.
            let code = av_seek_frame(format, stream.index, place + 1, AVSEEK_FLAG_BACKWARD)
            if code >= 0 || door.isInterrupted { return code }
        }
        // Before the first key picture there is nothing; the first is as good as it gets.
        return avformat_seek_file(format, stream.index, Int64.min, place, Int64.max, 0)
    }
}
