internal import CFFmpeg
import Wire

/// Looks among packets for the last key picture at or before a time, and keeps what follows it. It owns the packets
/// until they are taken.
struct KeySearch: ~Copyable {
    private let time: Microseconds
    /// Where to stop.
    private let limit: Microseconds
    private var packets: [(packet: UnsafeMutablePointer<AVPacket>, isVideo: Bool, time: Microseconds?)] = []
    private var bytes = 0
    private(set) var hasKey = false
    /// The first picture's DTS.
    private(set) var first: Microseconds?
    private(set) var isOver = false

    /// Sound this much earlier than the key picture is kept: decoders of sound need a little before the first sample.
    private static let soundBefore: Microseconds = 100_000
    /// How many bytes are stored at most. If more lie between the
    /// key picture and the time, reading continues from there.
    private static let most = 48 << 20

    init(time: Microseconds, limit: Microseconds) {
        self.time = time
        self.limit = limit
    }

    deinit {
        for entry in packets {
            var packet = entry.packet
            freePacket(&packet)
        }
    }

    /// Takes ownership of `packet`.
    mutating func add(_ packet: UnsafeMutablePointer<AVPacket>, _ format: StreamFormat) {
        let (shown, decoded) = (format.time(packet.pointee.pts), format.time(packet.pointee.dts))
        if format.isVideo {
            first = first ?? decoded ?? shown
            if packet.pointee.flags & AV_PKT_FLAG_KEY != 0, let shown, shown <= time {
                hasKey = true
                drop { $0.isVideo || $0.time ?? .min < shown - KeySearch.soundBefore }
            } else if !hasKey {
                var packet = packet
                freePacket(&packet)
                return note(decoded ?? shown)
            }
        }
        packets.append((packet, format.isVideo, shown ?? decoded))
        bytes += Int(packet.pointee.size)
        if format.isVideo { note(decoded ?? shown) }
        if bytes > KeySearch.most {
            if hasKey { isOver = true } else { drop { _ in true } }
        }
    }

    /// A picture was read whose DTS this is.
    private mutating func note(_ decoded: Microseconds?) {
        if let decoded, decoded >= limit { isOver = true }
    }

    private mutating func drop(
        _ isUseless: ((packet: UnsafeMutablePointer<AVPacket>, isVideo: Bool, time: Microseconds?)) -> Bool
    ) {
        packets.removeAll { entry in
            guard isUseless(entry) else { return false }
            bytes -= Int(entry.packet.pointee.size)
            var packet = entry.packet
            freePacket(&packet)
            return true
        }
    }

    mutating func takePackets() -> [UnsafeMutablePointer<AVPacket>] {
        defer { packets = [] }
        return packets.map(\.packet)
    }
}
