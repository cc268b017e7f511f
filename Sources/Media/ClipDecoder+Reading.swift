internal import CFFmpeg
import Wire

/// Packets: how many are read ahead, and what they say of the clip.
extension ClipDecoder {
    /// The most that one stream may have waiting.
    private static let mostBytes = 32 << 20
    private static let mostPackets = 8_192

    var wantsPackets: Bool {
        guard !isRead, !isOver else { return false }
        if origin == nil { return true }
        if let video, !videoIsThrough, output.wantsPicture, video.queuedCount == 0 { return true }
        if let audio, !audioIsThrough, canDecodeSound, audio.queuedCount == 0 { return true }
        // A little ahead of need, so that a slow line is not felt at once.
        let bytes = (video?.queuedBytes ?? 0) + (audio?.queuedBytes ?? 0)
        let count = (video?.queuedCount ?? 0) + (audio?.queuedCount ?? 0)
        return output.hasWaiting && bytes < 2 << 20 && count < 200
    }

    func readPacket() throws(MediaError) {
        guard var packet = av_packet_alloc() else { throw MediaError(.limits, "there is not enough memory") }
        let code = demuxer.read(into: packet)
        guard code >= 0 else {
            freePacket(&packet)
            if demuxer.door.isInterrupted || code == flick_averror_eagain() { return }
            // libav takes bytes that cannot be had for the end of the file.
            if !demuxer.door.lastError.isEmpty { throw MediaError(.unreadable, demuxer.door.lastError) }
            // The end, or a place behind which nothing can be made out: the clip plays up to there.
            finishReading()
            return
        }
        hasPackets = true
        let isVideo = packet.pointee.stream_index == demuxer.video?.pointee.index
        guard let decoder = isVideo ? video : audio else {
            freePacket(&packet)
            return
        }
        note(packet, of: decoder)
        decoder.push(packet)
        // A stream that is far ahead of the other gives up what it has waiting rather than hold up both.
        if decoder.queuedBytes > ClipDecoder.mostBytes || decoder.queuedCount > ClipDecoder.mostPackets {
            decoder.dropOldest()
        }
    }

    private func note(_ packet: UnsafeMutablePointer<AVPacket>, of decoder: StreamDecoder) {
        guard let time = decoder.time(packet.pointee.pts) ?? decoder.time(packet.pointee.dts) else {
            if origin == nil { origin = 0 }
            return
        }
        if origin == nil { origin = findOrigin(first: time) }
        bufferedUntil = max(bufferedUntil, time - (origin ?? 0) + (decoder.time(packet.pointee.duration) ?? 0))
        if bufferedUntil != lastSaidBuffered { sayBuffered(atLeastEvery: 250_000) }
    }

    /// Tells how far the clip has been read, unless that was done less than `interval` ago.
    func sayBuffered(atLeastEvery interval: Microseconds) {
        let now = MonotonicTime.now()
        guard interval == 0 || now - timeOfBuffered > interval else { return }
        timeOfBuffered = now
        lastSaidBuffered = bufferedUntil
        output.send(.buffered(until: max(0, bufferedUntil)))
    }

    /// The clip begins with its first picture, or with its sound if that is clearly earlier.
    private func findOrigin(first: Microseconds) -> Microseconds {
        let picture = video.flatMap { $0.time($0.stream.pointee.start_time) }
        let sound = audio.flatMap { $0.time($0.stream.pointee.start_time) }
        if let picture, let sound { return sound < picture - 100_000 ? sound : picture }
        if let picture { return picture }
        if let sound, video == nil { return sound }
        return Demuxer.microseconds(demuxer.format.pointee.start_time, of: flick_microseconds()) ?? first
    }

    private func finishReading() {
        if origin == nil { origin = 0 }
        sayBuffered(atLeastEvery: 0)
        video?.pushEnd()
        audio?.pushEnd()
        isRead = !loops || info.isStill || demuxer.seek(to: min(0, origin ?? 0)) < 0
    }
}
