internal import CFFmpeg

/// The header of a song that follows another in the same Ogg stream. FFmpeg 5 to 7 give it as a packet, and keep the
/// sample rate of the first song. Valid as long as the packet.
struct SongHeader {
    /// In Hz.
    let sampleRate: Int32
    /// The headers for a new decoder; nil if the decoder reads them from the packets.
    let extradata: UnsafeBufferPointer<UInt8>?

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
        case AV_CODEC_ID_FLAC:
            guard bytes.count >= 51, bytes.starts(with: SongHeader.flac) else { return nil }
            // The stream information follows the mapping's 13 bytes and the 4 of its block's header.
            let information = UnsafeBufferPointer(rebasing: bytes[17..<51])
            sampleRate = Int32(information[10]) << 12 | Int32(information[11]) << 4 | Int32(information[12]) >> 4
            extradata = information
        default: return nil
        }
        guard sampleRate > 0 else { return nil }
    }
}
