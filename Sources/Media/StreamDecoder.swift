internal import CFFmpeg
import Wire

/// The packets of one stream that wait, and the decoder they go to.
final class StreamDecoder {
    /// What stands in a queue: a packet, how those behind it are coded, or the place where the clip ends (and begins again).
    enum Entry {
        case packet(UnsafeMutablePointer<AVPacket>, span: Microseconds)
        case format(StreamFormat)
        case end
    }

    enum Step {
        case frame(UnsafeMutablePointer<AVFrame>)
        /// A packet was swallowed; there may be more.
        case worked
        /// The queue is empty.
        case needsPacket
        /// Everything up to the end of the clip has come out. The next packets are those of its next round.
        case ended
    }

    /// Of the frames that come out now.
    private(set) var format: StreamFormat
    /// Of the packet that was pushed last.
    private var pushedFormat: StreamFormat
    /// Of the packets after those that are being drained.
    private var nextFormat: StreamFormat?
    private let cores: Int
    private var context: UnsafeMutablePointer<AVCodecContext>
    private var queue: [Entry] = []
    private var first = 0
    private(set) var queuedBytes = 0
    /// How long what waits lasts.
    private(set) var queuedTime: Microseconds = 0
    /// When the packet that was pushed last is decoded.
    private var lastStamp: Microseconds?
    private var isDraining = false
    /// Packets that were refused since the last frame.
    private(set) var refused: CInt = 0
    /// Pictures that end well before this time of the stamps need not be decoded if nothing refers to them.
    var skipBefore = Microseconds.min

    /// Something before the next packet is missing: until a key picture comes, pictures are made of what is not there.
    private var lacksKey = false

    var queuedCount: Int { queue.count - first }

    init(format: StreamFormat, cores: Int) throws(MediaError) {
        self.format = format
        pushedFormat = format
        self.cores = cores
        context = try StreamDecoder.open(format, cores: cores)
    }

    private static func open(
        _ format: StreamFormat, cores: Int
    ) throws(MediaError) -> UnsafeMutablePointer<AVCodecContext> {
        let parameters = format.parameters
        guard let codec = avcodec_find_decoder(parameters.pointee.codec_id),
            let context = avcodec_alloc_context3(codec)
        else { throw MediaError(.undecodable, "there is no decoder for it") }
        context.pointee.pkt_timebase = format.timeBase
        context.pointee.max_pixels = Container.mostPixels
        var code = avcodec_parameters_to_context(context, parameters)
        // More threads mean a later first picture; one is quick enough for what is small.
        let isLarge = Int(context.pointee.width) * Int(context.pointee.height) > 1_280 * 736
        context.pointee.thread_count = isLarge ? CInt(min(cores, 4)) : 1
        context.pointee.thread_type = FF_THREAD_FRAME | FF_THREAD_SLICE
        if code >= 0 { code = avcodec_open2(context, codec, nil) }
        guard code >= 0 else {
            var context: UnsafeMutablePointer<AVCodecContext>? = context
            avcodec_free_context(&context)
            throw MediaError(.undecodable, "\(String(cString: codec.pointee.name)) cannot be decoded", because: code)
        }
        return context
    }

    deinit {
        dropQueue()
        var context: UnsafeMutablePointer<AVCodecContext>? = context
        avcodec_free_context(&context)
    }

    /// Queues a packet, and owns it from now on.
    func push(_ packet: UnsafeMutablePointer<AVPacket>, _ format: StreamFormat) {
        if format !== pushedFormat {
            queue.append(.format(format))
            pushedFormat = format
            lacksKey = false
        }
        if lacksKey {
            guard packet.pointee.flags & AV_PKT_FLAG_KEY != 0 else {
                var packet = packet
                return freePacket(&packet)
            }
            lacksKey = false
        }
        let stamp = format.time(packet.pointee.dts) ?? format.time(packet.pointee.pts)
        var span = stamp.flatMap { stamp in lastStamp.map { stamp - $0 } } ?? 0
        // A jump is not a long packet.
        if span < 0 || span > 10_000_000 { span = 0 }
        lastStamp = stamp
        queue.append(.packet(packet, span: span))
        queuedBytes += Int(packet.pointee.size)
        queuedTime += span
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
        if case .packet(let packet, let span) = entry {
            queuedBytes -= Int(packet.pointee.size)
            queuedTime -= span
        }
        return entry
    }

    /// Gives up the oldest packet that waits, and with it those behind it that cannot be decoded without it.
    func dropOldest() {
        var isFirst = true
        while first < queue.count, case .packet(var packet, _) = queue[first],
            isFirst || format.isVideo && packet.pointee.flags & AV_PKT_FLAG_KEY == 0
        {
            isFirst = false
            _ = pop()
            freePacket(&packet)
        }
        if format.isVideo { lacksKey = queuedCount == 0 }
    }

    private func dropQueue() {
        while let entry = pop() {
            switch entry {
            case .packet(var packet, _): freePacket(&packet)
            // Whatever comes next, it is coded as what was pushed last unless it says otherwise.
            case .format(let format): nextFormat = format
            case .end: break
            }
        }
        queue.removeAll()
        first = 0
        queuedBytes = 0
        queuedTime = 0
        lastStamp = nil
    }

    /// Forgets everything: the clip goes on elsewhere.
    func flush() {
        dropQueue()
        avcodec_flush_buffers(context)
        // What was to come out before is not wanted any more: the next step begins with the other decoder.
        isDraining = nextFormat != nil
        lacksKey = false
        refused = 0
    }

    /// A frame if one is ready, else some work towards one. The frame is the caller's to free.
    func step() throws(MediaError) -> Step {
        guard var frame = av_frame_alloc() else { return .needsPacket }
        let code = avcodec_receive_frame(context, frame)
        if code >= 0 { return .frame(frame) }
        freeFrame(&frame)
        if code == flick_averror_eof() || isDraining { return try endDraining() }
        guard let entry = pop() else { return .needsPacket }
        switch entry {
        case .end: drain()
        case .format(let format):
            nextFormat = format
            drain()
        case .packet(var packet, _):
            let isBefore = format.time(packet.pointee.pts).map { $0 < skipBefore } ?? false
            context.pointee.skip_frame = isBefore ? AVDISCARD_NONREF : AVDISCARD_DEFAULT
            let code = avcodec_send_packet(context, packet)
            if code < 0, code != flick_averror_eagain() { refused += 1 }
            freePacket(&packet)
        }
        return .worked
    }

    private func drain() {
        isDraining = true
        avcodec_send_packet(context, nil)
    }

    /// Everything that was pushed before the end, or before another format, has come out.
    private func endDraining() throws(MediaError) -> Step {
        isDraining = false
        guard let next = nextFormat else {
            avcodec_flush_buffers(context)
            return .ended
        }
        nextFormat = nil
        let opened = try StreamDecoder.open(next, cores: cores)
        var old: UnsafeMutablePointer<AVCodecContext>? = context
        avcodec_free_context(&old)
        context = opened
        format = next
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
