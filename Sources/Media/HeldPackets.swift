internal import CFFmpeg
import Wire

/// The packets of pictures since the last key picture, if each came a second or more after the one before it. A decoder
/// holds some pictures back until it knows those that are shown before them, which is too late where they come so
/// seldom. Owns references to the packets.
struct HeldPackets: ~Copyable {
    private static let shortest: Microseconds = 1_000_000
    private static let most = (packets: 64, bytes: 16 << 20)

    private var packets: [UnsafeMutablePointer<AVPacket>] = []
    private var bytes = 0
    private var lastStamp: Microseconds?
    /// Something was added since `take`.
    private(set) var isNew = false

    deinit { HeldPackets.free(packets) }

    /// Notes a packet whose DTS is `stamp`. Packets in quick succession are not stored.
    mutating func add(_ packet: UnsafeMutablePointer<AVPacket>, _ stamp: Microseconds?) {
        let isKey = packet.pointee.flags & AV_PKT_FLAG_KEY != 0
        let isSoon = stamp.flatMap { stamp in lastStamp.map { stamp - $0 < HeldPackets.shortest } } ?? false
        lastStamp = stamp ?? lastStamp
        if isKey || isSoon || packets.count >= HeldPackets.most.packets || bytes >= HeldPackets.most.bytes { drop() }
        guard isKey || !packets.isEmpty, let copy = av_packet_clone(packet) else { return }
        packets.append(copy)
        bytes += Int(packet.pointee.size)
        isNew = true
    }

    /// All of them, in order. They stay here.
    mutating func take() -> [UnsafeMutablePointer<AVPacket>] {
        isNew = false
        return packets
    }

    mutating func clear() {
        drop()
        lastStamp = nil
    }

    private mutating func drop() {
        HeldPackets.free(packets)
        packets = []
        bytes = 0
        isNew = false
    }

    private static func free(_ packets: [UnsafeMutablePointer<AVPacket>]) {
        for packet in packets {
            var packet = packet
            freePacket(&packet)
        }
    }
}
