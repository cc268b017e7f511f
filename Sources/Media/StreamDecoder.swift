internal import CFFmpeg
import Wire

/// The packets of one stream that wait, and the decoder they go to.
final class StreamDecoder {
    /// What stands in a queue: a packet, or the place where the clip ends (and begins again).
    enum Entry {
        case packet(UnsafeMutablePointer<AVPacket>)
        case end
    }

    enum Step {
        case frame(UnsafeMutablePointer<AVFrame>)
        /// A packet was swallowed; there may be more.
        case worked
        /// The queue is empty.
        case hungry
        /// Everything up to the end of the clip has come out. The next packets are those of its next round.
        case ended
    }

    let stream: UnsafeMutablePointer<AVStream>
    private let context: UnsafeMutablePointer<AVCodecContext>
    private var queue: [Entry] = []
    private var first = 0
    private(set) var queuedBytes = 0
    private var isDraining = false
    /// Packets that were refused since the last frame.
    private(set) var refused: CInt = 0
    /// Pictures that end well before this need not be decoded if nothing refers to them, in the stream's time base.
    var skipBefore = Int64.min

    /// Something before the next packet is missing: until a key picture comes, pictures are made of what is not there.
    private var lacksKey = false

    var queuedCount: Int { queue.count - first }
    var timeBase: AVRational { stream.pointee.time_base }

    /// A stamp or duration of this stream in microseconds; nil if there is none.
    func time(_ stamp: Int64) -> Microseconds? { Demuxer.microseconds(stamp, of: timeBase) }

    init(stream: UnsafeMutablePointer<AVStream>, cores: Int) throws(MediaError) {
        self.stream = stream
        let parameters = stream.pointee.codecpar
        guard let codec = avcodec_find_decoder(parameters!.pointee.codec_id),
            let context = avcodec_alloc_context3(codec)
        else { throw MediaError(.undecodable, "there is no decoder for it") }
        self.context = context
        context.pointee.pkt_timebase = stream.pointee.time_base
        context.pointee.max_pixels = Demuxer.mostPixels
        var code = avcodec_parameters_to_context(context, parameters)
        // More threads mean a later first picture; one is quick enough for what is small.
        let isLarge = Int(context.pointee.width) * Int(context.pointee.height) > 1_280 * 736
        context.pointee.thread_count = isLarge ? CInt(min(cores, 4)) : 1
        context.pointee.thread_type = FF_THREAD_FRAME | FF_THREAD_SLICE
        if code >= 0 { code = avcodec_open2(context, codec, nil) }
        guard code >= 0 else {
            // `deinit` frees the context: nothing is uninitialised any more.
            throw MediaError(.undecodable, "\(String(cString: codec.pointee.name)) cannot be decoded", because: code)
        }
    }

    deinit {
        dropQueue()
        var context: UnsafeMutablePointer<AVCodecContext>? = context
        avcodec_free_context(&context)
    }

    /// Takes over a packet.
    func push(_ packet: UnsafeMutablePointer<AVPacket>) {
        if lacksKey {
            guard packet.pointee.flags & AV_PKT_FLAG_KEY != 0 else {
                var packet = packet
                return freePacket(&packet)
            }
            lacksKey = false
        }
        queue.append(.packet(packet))
        queuedBytes += Int(packet.pointee.size)
    }

    func pushEnd() { queue.append(.end) }

    private func pop() -> Entry? {
        guard first < queue.count else { return nil }
        let entry = queue[first]
        first += 1
        if first > 64, first * 2 > queue.count {
            queue.removeFirst(first)
            first = 0
        }
        if case .packet(let packet) = entry { queuedBytes -= Int(packet.pointee.size) }
        return entry
    }

    /// Gives up the oldest packet that waits, and with it those behind it that cannot be decoded without it.
    func dropOldest() {
        if case .packet(var packet) = pop() { freePacket(&packet) }
        guard stream.pointee.codecpar.pointee.codec_type == AVMEDIA_TYPE_VIDEO else { return }
        while first < queue.count, case .packet(var packet) = queue[first],
            packet.pointee.flags & AV_PKT_FLAG_KEY == 0
        {
            _ = pop()
            freePacket(&packet)
        }
        lacksKey = queuedCount == 0
    }

    private func dropQueue() {
        while let entry = pop() {
            if case .packet(var packet) = entry { freePacket(&packet) }
        }
        queue.removeAll()
        first = 0
        queuedBytes = 0
    }

    /// Forgets everything: the clip goes on elsewhere.
    func flush() {
        dropQueue()
        avcodec_flush_buffers(context)
        isDraining = false
        lacksKey = false
        refused = 0
    }

    /// A frame if one is ready, else some work towards one. The frame is the caller's to free.
    func step() -> Step {
        guard var frame = av_frame_alloc() else { return .hungry }
        let code = avcodec_receive_frame(context, frame)
        if code >= 0 { return .frame(frame) }
        freeFrame(&frame)
        if code == flick_averror_eof() || isDraining {
            avcodec_flush_buffers(context)
            isDraining = false
            return .ended
        }
        guard let entry = pop() else { return .hungry }
        switch entry {
        case .end:
            isDraining = true
            avcodec_send_packet(context, nil)
        case .packet(var packet):
            let isBefore = packet.pointee.pts != flick_no_pts() && packet.pointee.pts < skipBefore
            context.pointee.skip_frame = isBefore ? AVDISCARD_NONREF : AVDISCARD_DEFAULT
            let code = avcodec_send_packet(context, packet)
            if code < 0, code != flick_averror_eagain() { refused += 1 }
            freePacket(&packet)
        }
        return .worked
    }

    func frameCame() { refused = 0 }
}

/// `av_packet_free` for a pointer that is not optional.
func freePacket(_ packet: inout UnsafeMutablePointer<AVPacket>) {
    var optional: UnsafeMutablePointer<AVPacket>? = packet
    av_packet_free(&optional)
}

/// `av_frame_free` for a pointer that is not optional.
func freeFrame(_ frame: inout UnsafeMutablePointer<AVFrame>) {
    var optional: UnsafeMutablePointer<AVFrame>? = frame
    av_frame_free(&optional)
}
