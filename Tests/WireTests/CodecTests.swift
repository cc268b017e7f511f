import TestSupport
import Testing

@testable import Wire

@Suite struct CodecTests {
    private func decode<Message: WireMessage>(_ type: Message.Type, _ bytes: [UInt8]) throws(WireError) -> Message {
        let result: Result<Message, WireError> = bytes.withUnsafeBytes { buffer in
            do throws(WireError) { return .success(try Message(decoding: buffer)) } catch { return .failure(error) }
        }
        return try result.get()
    }

    private static let orders: [ToDecoder] = [
        .open(url: "file:///a b", start: 5, loop: true, sound: false),
        .source(id: 1, url: "y", length: -1, seekable: true, error: "why"),
        .data(id: 2, offset: 9, bytes: [1, 2], error: ""),
        .surface(SurfaceRequest(generation: 3, width: 4, height: 5, fill: true)), .rate(thousandths: 250),
        .seek(serial: 8, time: -1, mode: .after), .loop(false), .sound(true), .release(slot: 11),
        .credit(frames: 4_800), .close, .link(bitsPerSecond: 750_000),
    ]
    private static let tellings: [FromDecoder] = [
        .hello(version: 1), .openURL(id: 1, want: ByteWant(url: "x", role: .key)), .read(id: 1, offset: 2, count: 3),
        .closeURL(id: 4),
        .opened(
            MediaInfo(
                container: "mov", duration: 7, isSeekable: true,
                streams: [MediaInfo.Stream(index: 0, kind: .video, codec: "h264", isChosen: true)])),
        .picture(
            PictureHeader(
                slot: 1, serial: 2, generation: 3, pts: 4, mediaTime: 5, duration: 6, width: 7, height: 8, stride: 9)),
        .sound(serial: 1, pts: 2, mediaTime: 3, samples: [4, -5]), .buffered(serial: 5, until: 6), .ended(serial: 7),
        .failed(code: .limits, why: "too wide"), .variant(index: 3, why: "the link is slow"),
        .expect(ByteWant(url: "y", role: .segment, offset: 5, end: 9, from: 1, to: 2)),
    ]

    @Test(arguments: orders) func ordersComeBackAsTheyWere(_ order: ToDecoder) throws {
        #expect(try decode(ToDecoder.self, Array(order.encoded().dropFirst(4))) == order)
    }

    @Test(arguments: tellings) func tellingsComeBackAsTheyWere(_ telling: FromDecoder) throws {
        #expect(try decode(FromDecoder.self, Array(telling.encoded().dropFirst(4))) == telling)
    }

    @Test(arguments: tellings) func cutMessagesAreRefused(_ telling: FromDecoder) {
        let bytes = Array(telling.encoded().dropFirst(4))
        for count in 0..<bytes.count {
            #expect(throws: WireError.self) { try decode(FromDecoder.self, Array(bytes.prefix(count))) }
        }
    }

    @Test(arguments: [Int64.min, .max, WireLimit.time, -WireLimit.time])
    func timesThatCannotBeReckonedWithAreRefused(time: Int64) {
        let header = PictureHeader(
            slot: 1, serial: 2, generation: 3, pts: time, mediaTime: 5, duration: 6, width: 7, height: 8, stride: 9)
        let want = ByteWant(url: "http://h/", role: .segment, from: 0, to: Int64(clamping: time.magnitude))
        let messages: [FromDecoder] = [
            .picture(header), .sound(serial: 1, pts: time, mediaTime: 0, samples: []),
            .sound(serial: 1, pts: 0, mediaTime: time, samples: []), .expect(want),
        ]
        for message in messages {
            #expect(throws: WireError.invalid("time")) {
                try decode(FromDecoder.self, Array(message.encoded().dropFirst(4)))
            }
        }
    }

    @Test func randomBytesNeverTrap() {
        var random = SeededRandom(state: 14)
        var refused = 0
        for round in 0..<20_000 {
            var bytes = (0..<Int.random(in: 0..<80, using: &random)).map { _ in
                UInt8.random(in: 0...255, using: &random)
            }
            if !bytes.isEmpty { bytes[0] = UInt8(round % 14) }
            do { _ = try decode(FromDecoder.self, bytes) } catch { refused += 1 }
        }
        #expect(refused > 10_000)
    }
}
