internal import CFFmpeg

/// The stamps of a Vorbis song that follows another in the same Ogg stream: FFmpeg 5 to 7 compute them with the block
/// sizes of the first song. On the session's thread.
final class SongStamps {
    /// A song begins with three (Vorbis I, 4.2).
    private var headers: [[UInt8]] = []
    /// From the headers; nil until they are complete, or if they are damaged.
    private var parser: OpaquePointer?
    /// Samples before the next packet; nil before the first one, which yields none (Vorbis I, 4.3.8).
    private var position: Int64?

    deinit { av_vorbis_parse_free(&parser) }

    /// Sets the PTS, the DTS and the duration of the song's next packet, in samples since its start.
    func restamp(_ packet: UnsafeMutablePointer<AVPacket>) {
        guard let data = packet.pointee.data, packet.pointee.size > 0 else { return }
        let stamp = position ?? 0
        var duration: Int64 = 0
        // The first bit of a packet of sound is 0.
        if data[0] & 1 == 1 {
            guard headers.count < 3 else { return }
            headers.append(Array(UnsafeBufferPointer(start: data, count: Int(packet.pointee.size))))
            if headers.count == 3 { parser = SongStamps.parser(of: headers) }
        } else {
            guard let parser else { return }
            let length = Int64(max(0, av_vorbis_parse_frame(parser, data, packet.pointee.size)))
            if position != nil { duration = length }
            position = stamp + duration
        }
        (packet.pointee.pts, packet.pointee.dts, packet.pointee.duration) = (stamp, stamp, duration)
    }

    /// Each header after its length in two bytes, as libavcodec accepts them.
    private static func parser(of headers: [[UInt8]]) -> OpaquePointer? {
        guard headers.allSatisfy({ $0.count < 1 << 16 }) else { return nil }
        let joined = headers.flatMap { [UInt8($0.count >> 8), UInt8($0.count & 0xFF)] + $0 }
        return av_vorbis_parse_init(joined, CInt(joined.count))
    }
}
