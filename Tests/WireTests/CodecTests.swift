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

    @Test(arguments: Samples.toDecoder) func orderIsDecodedAsItWasEncoded(_ order: ToDecoder) throws {
        #expect(try decode(ToDecoder.self, Array(order.encoded().dropFirst(4))) == order)
    }

    @Test(arguments: Samples.fromDecoder) func messageOfADecoderIsDecodedAsItWasEncoded(_ sent: FromDecoder) throws {
        #expect(try decode(FromDecoder.self, Array(sent.encoded().dropFirst(4))) == sent)
    }

    @Test(arguments: Samples.fromDecoder) func cutMessagesAreRefused(_ sent: FromDecoder) {
        let bytes = Array(sent.encoded().dropFirst(4))
        for count in 0..<bytes.count {
            #expect(throws: WireError.self) { try decode(FromDecoder.self, Array(bytes.prefix(count))) }
        }
    }

    @Test(arguments: [Int64.min, .max, WireLimit.time, -WireLimit.time])
    func timesTooLargeToAddAreRefused(time: Int64) {
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
            if !bytes.isEmpty { bytes[0] = UInt8(round % 17) }
            do { _ = try decode(FromDecoder.self, bytes) } catch { refused += 1 }
        }
        #expect(refused > 10_000)
    }
}
