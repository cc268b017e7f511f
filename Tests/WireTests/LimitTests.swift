import Platform
import TestSupport
import Testing

@testable import Wire

/// The sizes that a message may have, and what becomes of one that is larger, longer or shorter than it says.
@Suite struct LimitTests {
    private func decode<Message: WireMessage>(_ type: Message.Type, _ bytes: [UInt8]) throws(WireError) -> Message {
        let result: Result<Message, WireError> = bytes.withUnsafeBytes { buffer in
            do throws(WireError) { return .success(try Message(decoding: buffer)) } catch { return .failure(error) }
        }
        return try result.get()
    }

    /// A message without its length.
    private func message(kind: UInt8, _ put: (inout MessageWriter) -> Void) -> [UInt8] {
        var writer = MessageWriter(kind: kind)
        put(&writer)
        return Array(writer.finished().dropFirst(4))
    }

    @Test(arguments: Samples.toDecoder) func bytesBehindAnOrderAreRefused(_ order: ToDecoder) {
        let bytes = Array(order.encoded().dropFirst(4))
        #expect(throws: WireError.trailing(1)) { try decode(ToDecoder.self, bytes + [0]) }
        #expect(throws: WireError.trailing(3)) { try decode(ToDecoder.self, bytes + [0, 0, 0]) }
    }

    @Test(arguments: Samples.fromDecoder) func bytesBehindAMessageOfADecoderAreRefused(_ sent: FromDecoder) {
        let bytes = Array(sent.encoded().dropFirst(4))
        #expect(throws: WireError.trailing(1)) { try decode(FromDecoder.self, bytes + [0]) }
        #expect(throws: WireError.trailing(3)) { try decode(FromDecoder.self, bytes + [0, 0, 0]) }
    }

    @Test(arguments: Samples.toDecoder) func cutOrdersAreRefused(_ order: ToDecoder) {
        let bytes = Array(order.encoded().dropFirst(4))
        for count in 0..<bytes.count {
            #expect(throws: WireError.truncated) { try decode(ToDecoder.self, Array(bytes.prefix(count))) }
        }
    }

    @Test func readOfMoreThanOneMessageHoldsIsRefused() throws {
        let most = UInt32(WireLimit.read)
        func read(_ count: UInt32, at offset: Int64 = 0) -> [UInt8] {
            message(kind: 3) {
                $0.put(UInt32(1))
                $0.put(offset)
                $0.put(count)
                $0.put(false)
            }
        }
        #expect(try decode(FromDecoder.self, read(most)) == .read(id: 1, offset: 0, count: most))
        #expect(throws: WireError.tooLarge(WireLimit.read + 1)) { try decode(FromDecoder.self, read(most + 1)) }
        #expect(throws: WireError.tooLarge(Int(UInt32.max))) { try decode(FromDecoder.self, read(.max)) }
        #expect(throws: WireError.invalid("offset")) { try decode(FromDecoder.self, read(1, at: -1)) }
    }

    @Test func dataBeyondTheLimitIsRefused() throws {
        func data(_ count: Int) -> [UInt8] {
            Array(ToDecoder.data(id: 1, offset: 0, bytes: Array(repeating: 7, count: count), error: "").encoded()[4...])
        }
        guard case .data(_, _, let bytes, _) = try decode(ToDecoder.self, data(WireLimit.read)) else {
            Issue.record("no data")
            return
        }
        #expect(bytes.count == WireLimit.read)
        #expect(throws: WireError.tooLarge(WireLimit.read + 1)) { try decode(ToDecoder.self, data(WireLimit.read + 1)) }
    }

    @Test func soundBeyondTheLimitAndHalfAFrameAreRefused() throws {
        func sound(_ samples: Int) -> [UInt8] {
            Array(
                FromDecoder.sound(
                    serial: 0, pts: 0, mediaTime: 0, samples: Array(repeating: 1, count: samples)
                ).encoded()[4...])
        }
        let most = WireLimit.soundFrames * 2
        #expect(throws: Never.self) { try decode(FromDecoder.self, sound(most)) }
        #expect(throws: WireError.tooLarge(most + 2)) { try decode(FromDecoder.self, sound(most + 2)) }
        #expect(throws: WireError.invalid("number of samples")) { try decode(FromDecoder.self, sound(3)) }
    }

    @Test func textBeyondTheLimitIsRefusedAndNeverSent() throws {
        func failed(_ bytes: Int) -> [UInt8] {
            message(kind: 10) {
                $0.put(FailureCode.other.rawValue)
                $0.put(Array(repeating: UInt8(ascii: "x"), count: bytes))
                $0.put([UInt8]())
                $0.put([UInt8]())
            }
        }
        #expect(
            try decode(FromDecoder.self, failed(WireLimit.words))
                == .failed(code: .other, why: String(repeating: "x", count: WireLimit.words)))
        #expect(throws: WireError.tooLarge(WireLimit.words + 1)) {
            try decode(FromDecoder.self, failed(WireLimit.words + 1))
        }
        // A character that does not fit is left out whole; one that just fits is kept.
        for (length, end, kept) in [(1, "é", ""), (2, "é", "é"), (3, "🎞", ""), (4, "🎞", "🎞"), (0, "é", "")] {
            let start = String(repeating: "x", count: WireLimit.words - length)
            let sent = FromDecoder.failed(code: .other, why: start + end).encoded()
            #expect(try decode(FromDecoder.self, Array(sent[4...])) == .failed(code: .other, why: start + kept))
        }
    }

    @Test func moreStreamsOrVariantsOrLongerTagsThanAllowedAreRefusedBeforeTheyAreRead() throws {
        func opened(streams: Int, variants: Int, tag: Int = 0) -> [UInt8] {
            message(kind: 5) {
                $0.put("mov")
                $0.put(Int64(0))
                $0.put(true)
                $0.put(false)
                for number: UInt32 in [0, 1, 1, 1, 1] { $0.put(number) }
                $0.put(UInt32(streams))
                if streams == 0 { $0.put(UInt32(variants)) }
                if streams == 0, variants == 0 {
                    for _ in 0..<6 { $0.put(Array(repeating: UInt8(ascii: "x"), count: tag)) }
                    for _ in 0..<3 { $0.put(UInt32(0)) }
                }
            }
        }
        #expect(throws: Never.self) { try decode(FromDecoder.self, opened(streams: 0, variants: 0)) }
        #expect(throws: WireError.tooLarge(WireLimit.streams + 1)) {
            try decode(FromDecoder.self, opened(streams: WireLimit.streams + 1, variants: 0))
        }
        #expect(throws: WireError.tooLarge(WireLimit.variants + 1)) {
            try decode(FromDecoder.self, opened(streams: 0, variants: WireLimit.variants + 1))
        }
        #expect(throws: Never.self) {
            try decode(FromDecoder.self, opened(streams: 0, variants: 0, tag: WireLimit.tag))
        }
        #expect(throws: WireError.tooLarge(WireLimit.tag + 1)) {
            try decode(FromDecoder.self, opened(streams: 0, variants: 0, tag: WireLimit.tag + 1))
        }
        let last = UInt32(WireLimit.variants)
        #expect(throws: WireError.invalid("variant")) {
            try decode(FromDecoder.self, Array(FromDecoder.variant(index: last, why: "").encoded()[4...]))
        }
    }

    @Test func moreChaptersAndTracksThanAllowedAreCutAndChaptersAreInOrder() throws {
        func opened(_ change: (inout MediaInfo) -> Void) throws(WireError) -> MediaInfo? {
            var info = MediaInfo(container: "c", duration: 0, isSeekable: true, streams: [])
            change(&info)
            let message = try decode(FromDecoder.self, Array(FromDecoder.opened(info).encoded()[4...]))
            if case .opened(let info) = message { return info }
            return nil
        }
        let long = String(repeating: "é", count: WireLimit.name)
        let many = try opened { info in
            info.chapters = (0...WireLimit.chapters).map { .init(start: Int64($0 / 2), title: long) }
            info.soundTracks = (0...WireLimit.tracks).map { _ in .init(language: long, title: long) }
            info.textTracks = info.soundTracks
        }
        #expect(many?.chapters.count == WireLimit.chapters)
        #expect(many?.soundTracks.count == WireLimit.tracks && many?.textTracks.count == WireLimit.tracks)
        #expect(many?.chapters.last?.title.utf8.count == WireLimit.name)
        for starts: [Int64] in [[-1], [5, 4], [0, 0, -1]] {
            #expect(throws: WireError.invalid("chapter")) {
                try opened { $0.chapters = starts.map { .init(start: $0, title: "") } }
            }
        }
        #expect(throws: WireError.invalid("time")) {
            try opened { $0.chapters = [.init(start: WireLimit.time, title: "")] }
        }
        let parts = MediaInfo(container: "c", duration: 0, isSeekable: true, streams: [])
        let whole = Array(FromDecoder.opened(parts).encoded()[4...])
        // Its last twelve bytes are how many chapters, sounds and texts there are.
        for (place, most) in [(12, WireLimit.chapters), (8, WireLimit.tracks), (4, WireLimit.tracks)] {
            var bytes = whole
            withUnsafeBytes(of: UInt32(most + 1).littleEndian) {
                bytes.replaceSubrange((bytes.count - place)..<(bytes.count - place + 4), with: $0)
            }
            #expect(throws: WireError.tooLarge(most + 1)) { try decode(FromDecoder.self, bytes) }
        }
    }

    @Test func longCueIsCutBySenderAndRejectedByReceiver() throws {
        func cue(_ start: Int64, _ end: Int64, _ bytes: Int) -> [UInt8] {
            message(kind: 16) {
                $0.put(UInt32(1))
                $0.put(start)
                $0.put(end)
                $0.put(Array(repeating: UInt8(ascii: "x"), count: bytes))
            }
        }
        #expect(throws: Never.self) { try decode(FromDecoder.self, cue(0, 0, WireLimit.cue)) }
        #expect(throws: WireError.tooLarge(WireLimit.cue + 1)) {
            try decode(FromDecoder.self, cue(0, 1, WireLimit.cue + 1))
        }
        for (start, end) in [(Int64(-1), Int64(1)), (2, 1)] {
            #expect(throws: WireError.invalid("cue")) { try decode(FromDecoder.self, cue(start, end, 1)) }
        }
        let long = FromDecoder.cue(serial: 1, start: 0, end: 1, text: String(repeating: "é", count: WireLimit.cue))
        let sent = try decode(FromDecoder.self, Array(long.encoded()[4...]))
        #expect(sent == .cue(serial: 1, start: 0, end: 1, text: String(repeating: "é", count: WireLimit.cue / 2)))
    }

    @Test func pictureLargerThanItsSlotIsRejected() {
        func picture(slot: UInt32 = 0, _ width: UInt32, _ height: UInt32, stride: UInt32) -> [UInt8] {
            Array(
                FromDecoder.picture(
                    PictureHeader(
                        slot: slot, serial: 0, generation: 0, pts: 0, mediaTime: 0, duration: 0, width: width,
                        height: height, stride: stride)
                ).encoded()[4...])
        }
        // 2,048 × 2,048 pixels of four bytes are 16 MiB.
        #expect(throws: Never.self) { try decode(FromDecoder.self, picture(2_048, 2_048, stride: 2_048)) }
        #expect(throws: WireError.invalid("picture size")) {
            try decode(FromDecoder.self, picture(2_048, 2_049, stride: 2_048))
        }
        #expect(throws: WireError.invalid("picture size")) { try decode(FromDecoder.self, picture(9, 8, stride: 8)) }
        #expect(throws: WireError.invalid("picture size")) { try decode(FromDecoder.self, picture(0, 8, stride: 8)) }
        #expect(throws: WireError.invalid("picture size")) {
            try decode(FromDecoder.self, picture(.max, .max, stride: .max))
        }
        #expect(throws: WireError.invalid("slot")) {
            try decode(FromDecoder.self, picture(slot: PictureRing.slots, 8, 8, stride: 8))
        }
    }

    @Test func negativeSpansAreRejected() throws {
        func want(_ offset: Int64, _ end: Int64, from: Int64 = 0, to: Int64 = 0) throws(WireError) -> FromDecoder {
            let want = ByteWant(url: "http://h/", role: .segment, offset: offset, end: end, from: from, to: to)
            return try decode(FromDecoder.self, Array(FromDecoder.expect(want).encoded()[4...]))
        }
        for (offset, end) in [(Int64(5), Int64(5)), (5, -1), (0, .max)] {
            #expect(throws: Never.self) { try want(offset, end) }
        }
        for (offset, end) in [(Int64(5), Int64(4)), (5, -2), (-1, 5), (.max, 0)] {
            #expect(throws: WireError.invalid("span")) { try want(offset, end) }
        }
        #expect(throws: WireError.invalid("place")) { try want(0, 5, from: 2, to: 1) }
        #expect(throws: WireError.invalid("place")) { try want(0, 5, from: -1, to: 1) }
    }

    #if canImport(Glibc)
        @Test func sharedMemoryCannotBeResized() throws {
            let ring = try PictureRing()
            let size = off_t(PictureRing.slots) * off_t(PictureRing.slotBytes)
            #expect(ftruncate(ring.descriptor, size - 1) == -1 && errno == EPERM)
            #expect(ftruncate(ring.descriptor, size + 1) == -1 && errno == EPERM)
        }
    #endif

    // MARK: On a socket

    /// A raw end, and the channel that listens at the other.
    private func pair() throws -> (raw: Int32, channel: DecoderChannel) {
        var pair: [Int32] = [-1, -1]
        #if canImport(Glibc)
            let kind = Int32(SOCK_STREAM.rawValue)
        #else
            let kind = SOCK_STREAM
        #endif
        try #require(socketpair(AF_UNIX, kind, 0, &pair) == 0)
        return (pair[0], DecoderChannel(descriptor: pair[1]))
    }

    private func send(_ bytes: [UInt8], to descriptor: Int32) {
        guard !bytes.isEmpty else { return }
        #expect(bytes.withUnsafeBytes { write(descriptor, $0.baseAddress, $0.count) } == bytes.count)
    }

    private func length(_ count: UInt32) -> [UInt8] { withUnsafeBytes(of: count.littleEndian) { Array($0) } }

    @Test(arguments: [UInt32(WireLimit.message) + 1, 1 << 26])
    func oversizedMessageIsRejectedByItsLength(count: UInt32) throws {
        let (raw, channel) = try pair()
        defer { close(raw) }
        // Its end says that nothing more comes: a channel that waits for the message finds the other side gone instead.
        send(length(count) + [1], to: raw)
        shutdown(raw, Int32(SHUT_WR))
        #expect(throws: WireError.tooLarge(Int(count))) { try channel.receive() }
    }

    @Test func messageWithTrailingBytesIsRejectedAndSkipped() throws {
        let (raw, channel) = try pair()
        defer { close(raw) }
        // `ended` is a kind and four bytes; this one claims to be six bytes long.
        send(length(6) + [9, 1, 0, 0, 0, 0], to: raw)
        #expect(throws: WireError.trailing(1)) { try channel.receive() }
        // What follows begins where the length said.
        send(length(5) + [9, 2, 0, 0, 0], to: raw)
        #expect(try channel.receive() == .ended(serial: 2))
    }

    @Test func enqueuedMessagesAreSentFirstInOneWrite() throws {
        let (raw, channel) = try pair()
        defer { close(raw) }
        channel.enqueue(.close)
        channel.enqueue(.loop(true))
        var bytes = [UInt8](repeating: 0, count: 64)
        func receiveAtOnce() -> Int {
            bytes.withUnsafeMutableBytes { recv(raw, $0.baseAddress, $0.count, Int32(MSG_DONTWAIT)) }
        }
        #expect(receiveAtOnce() == -1)
        try channel.send(.credit(frames: 1))
        let count = receiveAtOnce()
        let sent: [ToDecoder] = [.close, .loop(true), .credit(frames: 1)]
        #expect(Array(bytes.prefix(count)) == sent.flatMap { $0.encoded() })
        try channel.flush()
        #expect(receiveAtOnce() == -1)
    }

    @Test func moreSlotsThanThereAreAreRefused() throws {
        let slots = Array(0...PictureRing.slots)
        let bytes = Array(ToDecoder.release(slots: slots).encoded().dropFirst(4))
        #expect(throws: WireError.tooLarge(slots.count)) {
            try bytes.withUnsafeBytes { buffer in _ = try ToDecoder(decoding: buffer) }
        }
    }

    @Test func messageIsThereOnceAllOfItHasCome() throws {
        let (raw, channel) = try pair()
        defer { close(raw) }
        let ended: [UInt8] = length(5) + [9, 1, 0, 0, 0]
        for missing in 0..<ended.count {
            send(ended + ended.dropLast(missing), to: raw)
            #expect(try channel.receive() == .ended(serial: 1))
            #expect(channel.hasMessage == (missing == 0))
            send(ended.suffix(missing), to: raw)
            #expect(try channel.receive() == .ended(serial: 1))
            #expect(!channel.hasMessage)
        }
    }

    @Test func flagIsYesOrNo() throws {
        func loop(_ byte: UInt8) throws(WireError) -> ToDecoder {
            try decode(ToDecoder.self, message(kind: 7) { $0.put(byte) })
        }
        #expect(try loop(0) == .loop(false) && loop(1) == .loop(true))
        for byte: UInt8 in [2, 255] { #expect(throws: WireError.invalid("flag")) { try loop(byte) } }
    }

    @Test func emptyMessageIsRefused() throws {
        let (raw, channel) = try pair()
        defer { close(raw) }
        send(length(0), to: raw)
        #expect(throws: WireError.truncated) { try channel.receive() }
    }

    @Test func unreadOrdersAtTheEndThrowClosed() throws {
        let (raw, channel) = try pair()
        try channel.send(.close)
        close(raw)
        #expect(throws: WireError.closed) { try channel.receive() }
    }

    @Test func truncatedMessageEndsTheChannel() throws {
        let (raw, channel) = try pair()
        defer { close(raw) }
        send(length(5) + [9, 1], to: raw)
        #expect(!channel.hasMessage)
        shutdown(raw, Int32(SHUT_WR))
        #expect(throws: WireError.closed) { try channel.receive() }
    }
}
