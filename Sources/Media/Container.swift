internal import CFFmpeg
import Wire

/// A container that libav has opened: its streams, and the two of them that are played. It reads through `ByteClient`
/// only. On the session's thread.
final class Container {
    typealias Stream = UnsafeMutablePointer<AVStream>

    let format: UnsafeMutablePointer<AVFormatContext>
    /// Must be released after the format, which reads from it.
    private let io: ReadIO
    private(set) var video: Stream?
    private(set) var audio: Stream?
    /// The header of an MP4 names something encrypted.
    private let hasEncryption: Bool

    /// The most pixels of a picture's side, and of the whole picture: at four bytes each, they fit one allocation.
    static let largestSide: Int32 = 16_384
    static let maxPixels: Int64 = 128 << 20

    /// How much to read to find out what the streams contain.
    struct Effort {
        var bytes: Int64
        var time: Microseconds
        /// How many pictures to read to find the frame rate; nil: libav decides.
        var pictures: CInt?

        static let file = Effort(bytes: 2 << 20, time: 2_000_000, pictures: nil)
    }

    /// Recordings of whole transponders have more than a hundred. libav's own limit.
    private static let maxStreams: CInt = 1_000

    /// Opens what `io` reads. Blocks.
    ///
    /// - Parameter kind: libav's name of the format; nil to detect it.
    init(
        io: ReadIO, url: String, kind: String? = nil, effort: Effort, client: ByteClient
    ) throws(MediaError) {
        guard let made = avformat_alloc_context() else { throw MediaError(.limits, "out of memory") }
        var context: UnsafeMutablePointer<AVFormatContext>? = made
        made.pointee.pb = io.pointer
        made.pointee.flags |= AVFMT_FLAG_CUSTOM_IO
        made.pointee.max_streams = Container.maxStreams
        made.pointee.probesize = effort.bytes
        made.pointee.max_analyze_duration = effort.time
        if let pictures = effort.pictures { made.pointee.fps_probe_size = pictures }
        flick_open_nothing(made)
        made.pointee.interrupt_callback = AVIOInterruptCB(
            // libav passes the pointer that is given below.
            callback: { Unmanaged<ByteClient>.fromOpaque($0!).takeUnretainedValue().isInterrupted ? 1 : 0 },
            opaque: Unmanaged.passUnretained(client).toOpaque())

        var options: OpaquePointer?
        defer { av_dict_free(&options) }
        // Some demuxers do not use `io_open`. Forbid all of libav's own protocols.
        av_dict_set(&options, "protocol_whitelist", "none", 0)
        av_dict_set(&options, "format_whitelist", Demuxers.list, 0)
        let code = avformat_open_input(
            &context, Container.name(for: url), kind.flatMap { av_find_input_format($0) }, &options)
        guard code >= 0, let context else {
            // Prefer flick's error to libav's: if an index at the end could not
            // be read, libav only reports "invalid data".
            if !client.lastError.isEmpty { throw MediaError(.unreadable, client.lastError) }
            // FFmpeg 7 refuses some headers of encrypted fragments as invalid.
            if io.endLook() { throw Encryption.error() }
            throw MediaError(.notMedia, "not a media file, or an unsupported format", because: code)
        }
        format = context
        self.io = io
        let isFound = io.endLook()
        hasEncryption = isFound && String(cString: context.pointee.iformat.pointee.name).hasPrefix("mov,")
    }

    /// A file name for libav, which guesses by its extension if the bytes are ambiguous. The rest of the URL is
    /// withheld, because libav reads `%d` and `*` as patterns for many files. A picture's extension is withheld,
    /// too: libav would choose `image2`, which is not allowed, before it has read enough to know better.
    private static func name(for url: String) -> String {
        let path = url.prefix { $0 != "?" && $0 != "#" }
        let ending =
            path.utf8.suffix(16).split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false).dropFirst().last
            ?? []
        let isPlain = ending.allSatisfy {
            UInt8(ascii: "0")...UInt8(ascii: "9") ~= $0 || UInt8(ascii: "a")...UInt8(ascii: "z") ~= $0 | 0x20
        }
        let isPicture = pictureEndings.contains(String(decoding: ending, as: UTF8.self).lowercased())
        return isPlain && !isPicture && !ending.isEmpty ? "clip." + String(decoding: ending, as: UTF8.self) : "clip"
    }

    private static let pictureEndings: Set = [
        "jpg", "jpeg", "jpe", "jfif", "png", "pns", "webp", "bmp", "tif", "tiff", "jxl", "jp2", "j2k", "j2c", "jls",
        "ljpg", "psd",
        "qoi", "exr", "hdr", "dds", "dpx", "pam", "pbm", "pcx", "pfm", "pgm", "ppm", "phm", "sgi", "rgb", "rgba", "ras",
        "sun", "xbm", "xpm", "xwd", "tga", "pix", "pic", "img", "pgx", "wbmp", "svg",
    ]

    /// From now on the file can be read at any place.
    func allowSeeking() { io.allowSeeking() }

    deinit {
        var context: UnsafeMutablePointer<AVFormatContext>? = format
        avformat_close_input(&context)
    }

    var streams: [Stream] {
        (0..<Int(format.pointee.nb_streams)).compactMap { format.pointee.streams[$0] }
    }

    /// libav's short name, such as "mov,mp4,m4a,3gp,3g2,mj2".
    var name: String { String(cString: format.pointee.iformat.pointee.name) }

    /// Whether its stamps are known to jump where recordings were cut or joined.
    var mayBreak: Bool { format.pointee.iformat.pointee.flags & AVFMT_TS_DISCONT != 0 }

    /// Whether the container has no index, so that libav makes one from the packets: bare streams, for example.
    var lacksIndex: Bool { format.pointee.iformat.pointee.flags & AVFMT_GENERIC_INDEX != 0 }

    /// Whether the file is what a camera sends at this moment: JPEGs without times, each to be shown when it comes. Its
    /// packets count microseconds from the first one on.
    private(set) var isCamera = false
    /// When the first packet of a camera came, in `MonotonicTime`.
    private var firstPicture: Microseconds?

    /// The file has no known length, so it may be a camera's.
    func noteEndless() { isCamera = name == "mpjpeg" }

    /// Reads a packet as `av_read_frame` does, and returns libav's error code. Blocks.
    func read(_ packet: UnsafeMutablePointer<AVPacket>) -> CInt {
        let code = av_read_frame(format, packet)
        guard code >= 0, isCamera else { return code }
        let now = MonotonicTime.now()
        let stamp = now - (firstPicture ?? now)
        firstPicture = now - stamp
        (packet.pointee.pts, packet.pointee.dts, packet.pointee.duration) = (stamp, stamp, 0)
        return code
    }

    /// Reads packets to find out what the header does not say, or as much as possible. Blocks.
    func probe(thoroughly: Bool) throws(MediaError) {
        guard thoroughly || !headerSuffices else { return }
        let code = avformat_find_stream_info(format, nil)
        guard code >= 0 else { throw MediaError(.notMedia, "no streams found", because: code) }
    }

    /// Chooses the streams to play; the others are not read.
    ///
    /// - Parameter orCover: whether the cover of a piece of music is chosen in place of everything else.
    func choose(_ wishes: TrackWishes = TrackWishes(), orCover: Bool = false) throws(MediaError) {
        video = best(AVMEDIA_TYPE_VIDEO, beside: nil)
        if orCover, video == nil { video = cover }
        audio = isCover ? nil : best(AVMEDIA_TYPE_AUDIO, beside: video)
        if !isCover, !wishes.soundLanguages.isEmpty {
            let offered = soundStreams
            audio = wishes.sound(among: tracks(offered, chosen: nil)).map { offered[$0] } ?? audio
        }
        if hasEncryption || [video, audio].contains(where: { $0.map { flick_is_encrypted($0) != 0 } ?? false }) {
            throw Encryption.error()
        }
        for stream in streams where stream != video && stream != audio { stream.pointee.discard = AVDISCARD_ALL }
        guard video != nil || audio != nil else {
            throw MediaError(.undecodable, "it has no video or audio that can be decoded")
        }
        if let size = video?.pointee.codecpar.pointee,
            size.width > Container.largestSide || size.height > Container.largestSide
                || Int64(size.width) * Int64(size.height) > Container.maxPixels
        {
            throw MediaError(.limits, "its frames of \(size.width)x\(size.height) pixels are too large")
        }
    }

    /// Reads this sound in place of the other from the next seek on.
    func choose(sound stream: Stream) {
        let isRead = audio?.pointee.discard
        audio?.pointee.discard = AVDISCARD_ALL
        stream.pointee.discard = isRead ?? AVDISCARD_DEFAULT
        audio = stream
    }

    /// This stream continues one of the two that are played.
    func replace(by stream: Stream) {
        let isVideo = stream.pointee.codecpar.pointee.codec_type == AVMEDIA_TYPE_VIDEO
        stream.pointee.discard = (isVideo ? video : audio)?.pointee.discard ?? AVDISCARD_DEFAULT
        if isVideo { video = stream } else { audio = stream }
    }

    private func best(_ kind: AVMediaType, beside other: Stream?) -> Stream? {
        let index = av_find_best_stream(format, kind, -1, other?.pointee.index ?? -1, nil, 0)
        guard index >= 0, let stream = format.pointee.streams[Int(index)] else { return nil }
        // Cover art of a piece of music is not a video.
        guard !Container.isCover(stream) else { return nil }
        return avcodec_find_decoder(stream.pointee.codecpar.pointee.codec_id) == nil ? nil : stream
    }

    /// The first cover that can be decoded.
    private var cover: Stream? {
        streams.first {
            Container.isCover($0) && avcodec_find_decoder($0.pointee.codecpar.pointee.codec_id) != nil
        }
    }

    static func isCover(_ stream: Stream) -> Bool { stream.pointee.disposition & AV_DISPOSITION_ATTACHED_PIC != 0 }

    /// Whether a cover was chosen.
    var isCover: Bool { video.map(Container.isCover) ?? false }

    /// Whether the header of a container with an index says enough to play its streams.
    private var headerSuffices: Bool {
        guard name.hasPrefix("mov,") || name.hasPrefix("matroska"), format.pointee.nb_streams > 0 else { return false }
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
}

/// What of a clip's tracks is wanted. A value.
struct TrackWishes {
    /// Tags as files write them, the best first.
    var soundLanguages: [String] = []
    /// A place in `MediaInfo.textTracks`.
    var text: Int?
    var variant = VariantWish.automatic

    /// The first of `tracks` in the first wanted language that has any; nil if none matches.
    func sound(among tracks: [MediaInfo.Track]) -> Int? {
        for language in soundLanguages {
            let wanted = TrackWishes.primary(language)
            if let found = tracks.firstIndex(where: { TrackWishes.primary($0.language) == wanted }) { return found }
        }
        return nil
    }

    /// "de" of "de-AT" (RFC 5646, 2.2.1), in lower case. Only case and subtags
    /// are ignored: a caller that wants German lists "de", "deu" and "ger".
    private static func primary(_ tag: String) -> String {
        String(tag.prefix { $0 != "-" && $0 != "_" }).lowercased()
    }
}

/// Chapters, and the tracks that can be chosen.
extension Container {
    /// Sound that can be decoded, in the container's order.
    var soundStreams: [Stream] {
        streams.filter {
            let parameters = $0.pointee.codecpar.pointee
            return parameters.codec_type == AVMEDIA_TYPE_AUDIO && avcodec_find_decoder(parameters.codec_id) != nil
        }
    }

    /// Subtitles that are text, not pictures of it, in the container's order.
    var textStreams: [Stream] {
        streams.filter {
            let parameters = $0.pointee.codecpar.pointee
            guard parameters.codec_type == AVMEDIA_TYPE_SUBTITLE, avcodec_find_decoder(parameters.codec_id) != nil,
                let kind = avcodec_descriptor_get(parameters.codec_id)
            else { return false }
            return kind.pointee.props & AV_CODEC_PROP_TEXT_SUB != 0
        }
    }

    func tracks(_ streams: [Stream], chosen: Stream?) -> [MediaInfo.Track] {
        streams.prefix(WireLimit.tracks).map {
            MediaInfo.Track(
                language: Container.tag("language", of: $0.pointee.metadata),
                title: Container.tag("title", of: $0.pointee.metadata), isChosen: $0 == chosen)
        }
    }

    /// Empty if it is missing. ISO 639's code for an unknown language ("und") counts as missing.
    private static func tag(_ name: String, of tags: OpaquePointer?) -> String {
        guard let entry = av_dict_get(tags, name, nil, 0) else { return "" }
        let text = String(cString: entry.pointee.value)
        return name == "language" && text == "und" ? "" : text
    }

    /// The chapters that begin in the clip, in order. The clip's stamps begin at `origin`. Of two that
    /// begin at the same time only one is listed: the user cannot go to a chapter without a length.
    ///
    /// - Parameter duration: the clip's; -1 if unknown.
    func chapters(origin: Microseconds, duration: Microseconds) -> [MediaInfo.Chapter] {
        let count = min(Int(format.pointee.nb_chapters), WireLimit.chapters)
        guard count > 0, let listed = format.pointee.chapters else { return [] }
        let found = (0..<count).compactMap { index -> MediaInfo.Chapter? in
            guard let chapter = listed[index]?.pointee,
                let stamp = MediaTime.microseconds(chapter.start, of: chapter.time_base)
            else { return nil }
            let start = max(0, stamp - origin)
            guard duration < 0 || start < duration else { return nil }
            return MediaInfo.Chapter(start: start, title: Container.tag("title", of: chapter.metadata))
        }
        var chapters: [MediaInfo.Chapter] = []
        for chapter in found.sorted(by: { $0.start < $1.start }) where chapter.start != chapters.last?.start {
            chapters.append(chapter)
        }
        return chapters
    }
}
