import Foundation
import Wire

/// What a hostile decoder sends and hears. On its thread.
public final class HostileHand {
    public let channel: OwnerChannel
    public let ring: PictureRing
    /// The URL of the clip that flick asked it to open.
    public private(set) var url = ""
    public private(set) var surface = SurfaceRequest(generation: 0, width: 2, height: 2, fit: .fit)

    private var hasGreeted = false

    public init(channel: OwnerChannel, ring: PictureRing) { (self.channel, self.ring) = (channel, ring) }

    public func send(_ message: FromDecoder) throws { try channel.send(message) }

    /// Sends bytes as they are.
    public func raw(_ bytes: [UInt8]) throws {
        var sent = 0
        while sent < bytes.count { sent += try channel.write(bytes[sent...], waits: true) }
    }

    /// Sends a message that the encoder would not make: its kind, and what follows.
    public func message(_ kind: UInt8, _ parts: [UInt8]) throws {
        try raw(HostileHand.number(UInt32(parts.count + 1)) + [kind] + parts)
    }

    public static func number(_ number: some FixedWidthInteger) -> [UInt8] {
        withUnsafeBytes(of: number.littleEndian) { Array($0) }
    }

    public static func text(_ text: String) -> [UInt8] { number(UInt32(text.utf8.count)) + Array(text.utf8) }

    /// Sends the same message for ever.
    public func flood(_ messages: FromDecoder...) throws {
        let bytes = messages.flatMap { $0.encoded() }
        let many = Array(repeatElement(bytes, count: max(1, 16_384 / bytes.count)).joined())
        while true { try raw(many) }
    }

    public func hear() throws -> ToDecoder {
        let order = try channel.receive()
        switch order {
        case .open(let url, _, _, _): self.url = url
        case .surface(let request): surface = request
        default: break
        }
        return order
    }

    /// Reads orders until `isIt` holds for one.
    public func hear(until isIt: (ToDecoder) -> Bool) throws { while !isIt(try hear()) {} }

    /// Reads what has come, if anything has.
    public func hearWhatIsThere() throws {
        var readable = pollfd(fd: channel.descriptor, events: Int16(POLLIN), revents: 0)
        while channel.hasMessage || poll(&readable, 1, 0) > 0 { _ = try hear() }
    }

    /// Reads and discards all orders.
    public func hearAll() throws { while true { _ = try hear() } }

    /// Reads nothing more, until flick has ended it.
    public func hearNothing() {
        var end = pollfd(fd: channel.descriptor, events: 0, revents: 0)
        while end.revents & Int16(POLLHUP) == 0, poll(&end, 1, -1) >= 0 || errno == EINTR {}
    }

    /// Sends the greeting, and waits for the order to open a clip; does nothing the second time.
    public func greet() throws {
        if hasGreeted { return }
        hasGreeted = true
        try send(.hello(version: WireLimit.version))
        try hear { if case .open = $0 { true } else { false } }
    }

    /// Greets, and says that the clip is open.
    public func open(_ change: (inout MediaInfo) -> Void = { _ in }) throws {
        try greet()
        var info = HostileHand.info
        change(&info)
        try send(.opened(info))
    }

    public static let info = MediaInfo(
        container: "hostile", duration: 4_000_000, isSeekable: true,
        streams: [
            .init(index: 0, kind: .video, codec: "v", isChosen: true),
            .init(index: 1, kind: .audio, codec: "a", isChosen: true),
        ], displayWidth: 64, displayHeight: 48)

    public func picture(
        slot: UInt32 = 0, pts: Microseconds = 0, _ change: (inout PictureHeader) -> Void = { _ in }
    ) throws {
        var header = PictureHeader(
            slot: slot, serial: 0, generation: surface.generation, pts: pts, mediaTime: min(max(pts, 0), 3_999_999),
            duration: 40_000, width: surface.width, height: surface.height, stride: surface.width, isKey: true)
        change(&header)
        try send(.picture(header))
    }

    public func sound(pts: Microseconds = 0, frames: Int = 960) throws {
        try send(
            .sound(serial: 0, pts: pts, mediaTime: pts, samples: Array(repeating: 9, count: frames * 2)))
    }

    /// Opens its own file as source `id`.
    public func source(_ id: UInt32 = 1) throws {
        try send(.openURL(id: id, want: ByteWant(url: url, role: .media)))
        try hear { if case .source = $0 { true } else { false } }
    }

    /// Reads the same bytes of its file without end, each time after the last answer.
    public func readAgainAndAgain(at offset: Int64, count: UInt32) throws {
        try source()
        while true {
            try send(.read(id: 1, offset: offset, count: count))
            try hear { if case .data = $0 { true } else { false } }
        }
    }

    /// From now on pictures as an honest decoder sends them, though it takes no notice of seeks.
    public func play(from slot: UInt32 = 0) throws {
        var free = Array(slot..<PictureRing.slots)
        var time: Microseconds = 0
        while true {
            while let slot = free.popLast() {
                try picture(slot: slot, pts: time)
                time += 40_000
            }
            if case .release(let slots) = try hear() { free += slots }
        }
    }
}
