internal import CFFmpeg
import Wire

/// The waiting packets of one stream, and their decoder. On the session's thread.
final class StreamDecoder {
    /// An entry of the queue: a packet, the format of the packets after it, or the end of the clip (or of one round).
    enum Entry {
        case packet(UnsafeMutablePointer<AVPacket>, span: Microseconds)
        case format(StreamFormat)
        case end
    }

    enum Step {
        case frame(UnsafeMutablePointer<AVFrame>)
        /// A key picture that was decoded alone; it comes again among the others.
        case early(UnsafeMutablePointer<AVFrame>)
        /// A packet was decoded; there may be more.
        case worked
        /// The queue is empty.
        case needsPacket
        /// All frames up to the end of the clip were returned. The next packets belong to the next round.
        case ended
    }

    /// The format of the frames that come out now.
    private(set) var format: StreamFormat
    /// The format of the packet that was pushed last.
    private var pushedFormat: StreamFormat
    /// The format of the packets after those that are being drained.
    private var nextFormat: StreamFormat?
    private let cores: Int
    /// Several pictures are decoded beside each other, however small they are.
    private var isThreaded = false
    private var context: UnsafeMutablePointer<AVCodecContext>
    private var queue: [Entry] = []
    private var first = 0
    private(set) var queuedBytes = 0
    /// How long the waiting packets last.
    private(set) var queuedTime: Microseconds = 0
    /// How long the packets lasted that were decoded to be shown, since the clip was opened.
    private(set) var takenTime: Microseconds = 0
    /// The DTS of the last packet that was pushed and has one.
    private(set) var lastStamp: Microseconds?
    private var isDraining = false
    /// How many packets the decoder refused since the last frame.
    private(set) var refused: CInt = 0
    /// The moment that is sought: of the pictures before it only the last is wanted, and those that others refer to.
    /// `.min`: all are wanted.
    var target = Microseconds.min
    /// The latest stamp that is not after `target` among the packets that were pushed.
    private var latest = Microseconds.min
    /// A picture before `target` lasts no longer than this.
    private static let longestPicture: Microseconds = 500_000

    /// The next packet, if it is a key picture, is decoded alone first: pictures otherwise come only when those are in
    /// that are decoded beside them, and those that are shown before them.
    var givesKeyAtOnce = false

    /// The pictures are shown much smaller than they are coded. Those that no others refer to are then decoded without
    /// the filter that smooths the edges of blocks, as it would change nothing that can be seen.
    var isShrunk = false

    /// Packets are missing: until the next key frame, frames would be decoded from missing references.
    private var lacksKey = false

    private var held = HeldPackets()
    /// The first picture that `decodeHeld` left to later, as a packet that was not read yet could come before it.
    private var firstLeft: Microseconds?
    /// Whether there may be pictures up to `end` that the decoder holds back, and that `decodeHeld` has not returned.
    func hasHeld(upTo end: Microseconds) -> Bool {
        nextFormat == nil && (held.isNew || firstLeft.map { $0 <= end } ?? false)
    }

    var queuedCount: Int { queue.count - first }

    init(format: StreamFormat, cores: Int) throws(MediaError) {
        self.format = format
        pushedFormat = format
        self.cores = cores
        let isLarge = StreamDecoder.area(format) > StreamDecoder.threadedArea
        context = try StreamDecoder.open(format, threads: isLarge ? cores : 1)
        givesKeyAtOnce = format.isVideo && isLarge
    }

    private static func open(
        _ format: StreamFormat, threads: Int
    ) throws(MediaError) -> UnsafeMutablePointer<AVCodecContext> {
        let parameters = format.parameters
        guard let codec = avcodec_find_decoder(parameters.pointee.codec_id),
            let context = avcodec_alloc_context3(codec)
        else { throw MediaError(.undecodable, "there is no decoder for it") }
        context.pointee.pkt_timebase = format.timeBase
        context.pointee.max_pixels = Container.maxPixels
        var code = avcodec_parameters_to_context(context, parameters)
        context.pointee.thread_count = CInt(min(threads, 4))
        context.pointee.thread_type = FF_THREAD_FRAME | FF_THREAD_SLICE
        if code >= 0 { code = avcodec_open2(context, codec, nil) }
        guard code >= 0 else {
            var context: UnsafeMutablePointer<AVCodecContext>? = context
            avcodec_free_context(&context)
            throw MediaError(.undecodable, "\(String(cString: codec.pointee.name)) cannot be decoded", because: code)
        }
        return context
    }

    /// From more pixels on several pictures are decoded beside each other from the beginning. That delays the first
    /// picture and takes memory, and smaller ones need it only on the way to a place that was sought.
    private static let threadedArea = 1_280 * 736
    private static let threadedAreaOfSeeks = 640 * 360

    /// Of a picture, in pixels; 0 for sound.
    private static func area(_ format: StreamFormat) -> Int {
        Int(format.parameters.pointee.width) * Int(format.parameters.pointee.height)
    }

    deinit {
        dropQueue()
        var context: UnsafeMutablePointer<AVCodecContext>? = context
        avcodec_free_context(&context)
    }

    /// Queues a packet and takes ownership of it.
    func push(_ packet: UnsafeMutablePointer<AVPacket>, _ format: StreamFormat) {
        if format !== pushedFormat {
            queue.append(.format(format))
            forgetHeld()
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
        // A jump of the stamps is not a long packet.
        if span < 0 || span > 10_000_000 { span = 0 }
        lastStamp = stamp ?? lastStamp
        if let time = format.time(packet.pointee.pts), time <= target { latest = max(latest, time) }
        if format.isVideo { held.add(packet, stamp) }
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

    /// Drops the oldest waiting packet, and those after it that cannot be decoded without it.
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
            // Packets are coded like the one pushed last unless an entry says otherwise.
            case .format(let format): nextFormat = format
            case .end: break
            }
        }
        queue.removeAll()
        first = 0
        queuedBytes = 0
        queuedTime = 0
        lastStamp = nil
        forgetHeld()
    }

    private func forgetHeld() {
        held.clear()
        firstLeft = nil
    }

    /// Passes on the pictures up to `end` that the decoder holds back, without waiting for those that follow, and the
    /// key picture in any case. Some may have come already, or come again from `step`. `body` frees the frames.
    func decodeHeld(upTo end: Microseconds, _ body: (UnsafeMutablePointer<AVFrame>) -> Void) {
        let packets = held.take()
        let key = packets.first?.pointee.pts ?? flick_no_pts()
        let end = max(end, format.time(key) ?? end)
        firstLeft = nil
        func pass(_ frame: UnsafeMutablePointer<AVFrame>) {
            guard let time = format.time(frame.pointee.best_effort_timestamp), time > end else { return body(frame) }
            firstLeft = min(firstLeft ?? time, time)
            discard(frame)
        }
        // Of those since the last key picture, `step` may have left some out as over: decode all of them again.
        finishFrames { frame in
            if frame.pointee.best_effort_timestamp < key { body(frame) } else { discard(frame) }
        }
        context.pointee.skip_frame = AVDISCARD_DEFAULT
        for packet in packets { decode(packet, pass) }
        finishFrames(pass)
        // Later pictures refer to them, and the decoder has forgotten them.
        for packet in packets { decode(packet, discard) }
    }

    private func discard(_ frame: UnsafeMutablePointer<AVFrame>) {
        var frame = frame
        freeFrame(&frame)
    }

    /// Ends the decoder's work. After that it begins with a key picture.
    private func finishFrames(_ body: (UnsafeMutablePointer<AVFrame>) -> Void) {
        decode(nil, body)
        avcodec_flush_buffers(context)
    }

    /// Decodes a packet, or the end, and passes on the frames that are ready.
    private func decode(
        _ packet: UnsafeMutablePointer<AVPacket>?, _ body: (UnsafeMutablePointer<AVFrame>) -> Void
    ) {
        avcodec_send_packet(context, packet)
        while var frame = av_frame_alloc() {
            guard avcodec_receive_frame(context, frame) >= 0 else { return freeFrame(&frame) }
            body(frame)
        }
    }

    /// Drops everything: the clip continues elsewhere.
    func flush() {
        dropQueue()
        avcodec_flush_buffers(context)
        // Frames of the old format are not wanted any more, so the next step begins with the new decoder.
        isDraining = nextFormat != nil
        lacksKey = false
        givesKeyAtOnce = false
        refused = 0
        (target, latest) = (.min, .min)
    }

    /// Decodes several pictures in parallel from now on, if they are large enough for that to pay off: those between
    /// a key picture and the seek target are never shown, so their latency does not matter. Call it after `flush`.
    func decodeBesideEachOther() {
        guard !isThreaded, cores > 1, StreamDecoder.area(format) >= StreamDecoder.threadedAreaOfSeeks else { return }
        isThreaded = true
        // The next step begins with the new decoder.
        nextFormat = nextFormat ?? format
        isDraining = true
    }

    /// Returns a frame if one is ready; otherwise works towards one. The caller frees the frame.
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
        case .packet(var packet, let span):
            if givesKeyAtOnce, packet.pointee.flags & AV_PKT_FLAG_KEY != 0, let frame = decodeAlone(packet) {
                putBack(.packet(packet, span: span))
                return .early(frame)
            }
            let isBefore = isPassed(packet.pointee)
            context.pointee.skip_frame = isBefore ? AVDISCARD_NONREF : AVDISCARD_DEFAULT
            context.pointee.skip_loop_filter = isShrunk ? AVDISCARD_NONREF : AVDISCARD_DEFAULT
            let code = avcodec_send_packet(context, packet)
            if code < 0, code != flick_averror_eagain() { refused += 1 }
            if !isBefore { takenTime += span }
            freePacket(&packet)
        }
        return .worked
    }

    /// Whether a picture cannot be the one at `target`, so that it need not be decoded unless others refer to it.
    private func isPassed(_ packet: AVPacket) -> Bool {
        guard target > .min, let time = format.time(packet.pts), time < target else { return false }
        if time < target - StreamDecoder.longestPicture { return true }
        // Two packets may be the fields of one picture, which are decoded together or not at all.
        let order = format.parameters.pointee.field_order
        guard order == AV_FIELD_PROGRESSIVE || order == AV_FIELD_UNKNOWN, packet.duration > 0 else { return false }
        return latest > time + (format.time(packet.duration) ?? 0) * 3 / 4
    }

    /// Decodes one packet and nothing else; nil if that gives no whole picture.
    private func decodeAlone(_ packet: UnsafeMutablePointer<AVPacket>) -> UnsafeMutablePointer<AVFrame>? {
        givesKeyAtOnce = false
        guard var frame = av_frame_alloc() else { return nil }
        context.pointee.skip_frame = AVDISCARD_DEFAULT
        var code = avcodec_send_packet(context, packet)
        if code >= 0 { code = avcodec_send_packet(context, nil) }
        if code >= 0 { code = avcodec_receive_frame(context, frame) }
        avcodec_flush_buffers(context)
        if code >= 0, flick_frame_is_corrupt(frame) == 0, format.time(frame.pointee.best_effort_timestamp) != nil {
            return frame
        }
        freeFrame(&frame)
        return nil
    }

    /// Undoes `pop`.
    private func putBack(_ entry: Entry) {
        if first > 0 {
            first -= 1
            queue[first] = entry
        } else {
            queue.insert(entry, at: 0)
        }
        guard case .packet(let packet, let span) = entry else { return }
        queuedBytes += Int(packet.pointee.size)
        queuedTime += span
    }

    private func drain() {
        isDraining = true
        avcodec_send_packet(context, nil)
    }

    /// All packets before the end, or before another format, were decoded.
    private func endDraining() throws(MediaError) -> Step {
        isDraining = false
        guard let next = nextFormat else {
            avcodec_flush_buffers(context)
            return .ended
        }
        nextFormat = nil
        let isLarge = isThreaded || StreamDecoder.area(next) > StreamDecoder.threadedArea
        let opened = try StreamDecoder.open(next, threads: isLarge ? cores : 1)
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
