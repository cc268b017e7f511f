import Wire

/// One way for a decoder to misbehave, and what flick is to make of it.
public struct Misdeed: Sendable {
    public enum End: Sendable, Equatable {
        /// The decoder is replaced for this cause.
        case replaced(RecoveryCauses)
        /// The clip fails at once, because the decoder reports that it cannot be played.
        case failed
        /// It does no harm.
        case borne
    }

    /// What `RecoveryCause` calls them.
    public enum RecoveryCauses: String, Sendable { case wire, worker, firstFrame, hung, failed, undecodable }

    public let name: String
    public let end: End
    /// What it does once it runs. It is over when that throws, as all it sends
    /// or receives does once flick has ended it.
    public let deed: @Sendable (HostileHand) throws -> Void

    init(_ name: String, _ end: End, _ deed: @escaping @Sendable (HostileHand) throws -> Void) {
        self.name = name
        self.end = end
        self.deed = deed
    }

    public static let all: [Misdeed] =
        greetings + bytes + openings + pictures + sounds + parts + requests + floods + ends

    // MARK: Greetings

    private static let greetings: [Misdeed] = [
        Misdeed("never greets", .replaced(.firstFrame)) { try $0.hearAll() },
        Misdeed("greets in another version", .replaced(.wire)) { hand in
            try hand.send(.hello(version: WireLimit.version + 1))
            try hand.hearAll()
        },
        Misdeed("greets twice", .replaced(.wire)) { hand in
            try hand.send(.hello(version: WireLimit.version))
            try hand.send(.hello(version: WireLimit.version))
            try hand.hearAll()
        },
        Misdeed("sends a picture before it greets", .replaced(.wire)) { hand in
            try hand.picture()
            try hand.hearAll()
        },
        Misdeed("asks for bytes before it greets", .replaced(.wire)) { hand in
            try hand.send(.openURL(id: 1, want: ByteWant(url: "file:///", role: .media)))
            try hand.hearAll()
        },
        Misdeed("asks for bytes before it knows what to open", .replaced(.wire)) { hand in
            try hand.send(.hello(version: WireLimit.version))
            try hand.send(.read(id: 0, offset: 0, count: 1))
            try hand.hearAll()
        },
        Misdeed("leaves at once", .replaced(.worker)) { _ in },
        Misdeed("leaves once it has greeted", .replaced(.worker)) { try $0.greet() },
        Misdeed("leaves once it has opened the clip", .replaced(.worker)) { try $0.open() },
    ]

    // MARK: Bytes that are no messages

    private static let bytes: [Misdeed] = [
        Misdeed("sends an empty message", .replaced(.wire)) { hand in
            try hand.greet()
            try hand.raw([0, 0, 0, 0])
            try hand.hearAll()
        },
        Misdeed("announces 4 GB", .replaced(.wire)) { hand in
            try hand.greet()
            try hand.raw([0xFF, 0xFF, 0xFF, 0xFF, 1])
            try hand.hearAll()
        },
        Misdeed("announces a byte more than a message may have", .replaced(.wire)) { hand in
            try hand.greet()
            try hand.raw(HostileHand.number(UInt32(WireLimit.message + 1)))
            try hand.hearAll()
        },
        Misdeed("sends a message of no known kind", .replaced(.wire)) { hand in
            try hand.greet()
            try hand.message(99, [1, 2, 3])
            try hand.hearAll()
        },
        Misdeed("sends a message that is too short", .replaced(.wire)) { hand in
            try hand.greet()
            try hand.message(6, [1, 2, 3])
            try hand.hearAll()
        },
        Misdeed("sends a message that is too long", .replaced(.wire)) { hand in
            try hand.greet()
            try hand.message(9, [0, 0, 0, 0, 0])
            try hand.hearAll()
        },
        Misdeed("sends noise", .replaced(.wire)) { hand in
            try hand.greet()
            try hand.raw((0..<4_096).map { UInt8(truncatingIfNeeded: $0 &* 167 &+ 13) })
            try hand.hearAll()
        },
        Misdeed("sends half of a message", .replaced(.firstFrame)) { hand in
            try hand.greet()
            try hand.raw([200, 0, 0, 0, 5, 1, 2])
            try hand.hearAll()
        },
        Misdeed("leaves in the middle of a message", .replaced(.worker)) { hand in
            try hand.greet()
            try hand.raw([200, 0, 0, 0, 5, 1, 2])
        },
        Misdeed("sends its messages byte by byte", .borne) { hand in
            try hand.greet()
            for byte in FromDecoder.opened(HostileHand.info).encoded() { try hand.raw([byte]) }
            try hand.play()
        },
        Misdeed("announces a text of 4 GB", .replaced(.wire)) { hand in
            try hand.greet()
            try hand.message(10, [0, 0xFF, 0xFF, 0xFF, 0xFF])
            try hand.hearAll()
        },
    ]

    // MARK: What is in the clip

    /// `opened` from its flag of stills on, without streams and variants.
    private static func opened(rotation: UInt32 = 0, side: UInt32 = 64, streams: UInt32 = 0) -> [UInt8] {
        HostileHand.text("c") + HostileHand.number(Int64(4_000_000)) + [1, 0]
            + [rotation, side, 48, 1, 1, streams].flatMap(HostileHand.number)
    }

    private static func opening(
        _ name: String, _ end: End, _ change: @escaping @Sendable (inout MediaInfo) -> Void
    ) -> Misdeed {
        Misdeed(name, end) { hand in
            try hand.open(change)
            try hand.play()
        }
    }

    private static func opening(_ name: String, raw bytes: [UInt8]) -> Misdeed {
        Misdeed(name, .replaced(.wire)) { hand in
            try hand.greet()
            try hand.message(5, bytes)
            try hand.hearAll()
        }
    }

    private static let openings: [Misdeed] = [
        Misdeed("opens twice", .replaced(.wire)) { hand in
            try hand.open()
            try hand.send(.opened(HostileHand.info))
            try hand.hearAll()
        },
        opening("names 65 streams", raw: opened(streams: 65)),
        opening("names four billion streams", raw: opened(streams: .max)),
        opening("turns the picture by 45 degrees", raw: opened(rotation: 45) + [0, 0, 0, 0]),
        opening("shows four billion pixels", raw: opened(side: .max) + [0, 0, 0, 0]),
        opening("names no streams, and plays them", .borne) { $0.streams = [] },
        opening("shows no pixels", .borne) { ($0.displayWidth, $0.displayHeight) = (0, 0) },
        opening("shows as many pixels as may be", .borne) {
            ($0.displayWidth, $0.displayHeight) = (WireLimit.side, WireLimit.side)
        },
        opening("shows a line", .borne) { ($0.displayWidth, $0.displayHeight) = (WireLimit.side, 1) },
        opening("has pixels of no shape", .borne) {
            ($0.sampleAspectNumerator, $0.sampleAspectDenominator) = (0, 0)
        },
        opening("lasts a hundred years", .borne) { $0.duration = WireLimit.time - 1 },
        opening("lasts less than nothing", .borne) { $0.duration = -1 },
        opening("lasts a microsecond", .borne) { $0.duration = 1 },
        opening("says that the clip is a still", .borne) { $0.isStill = true },
        opening("has 64 streams with long names, and 64 variants", .borne) { info in
            let name = String(repeating: "\u{1B}]0;x\u{7}é", count: 64)
            info.container = name
            info.streams += (2..<64).map { index in
                .init(index: index, kind: .audio, codec: name, profile: name, language: name, format: name)
            }
            info.variants = (0..<64).map { index in
                .init(bandwidth: .max, width: .max, height: .max, codecs: name, isChosen: index == 63, why: name)
            }
        },
        opening(
            "sends a name of 16 KB",
            raw: opened(streams: 1) + [0, 0, 0, 0, 0] + HostileHand.text(String(repeating: "x", count: 16_384))),
        Misdeed("reads a variant that there is not", .borne) { hand in
            try hand.open()
            try hand.send(.variant(index: 63, why: "because"))
            try hand.play()
        },
        Misdeed("reads variant number 64", .replaced(.wire)) { hand in
            try hand.open()
            try hand.send(.variant(index: 64, why: ""))
            try hand.hearAll()
        },
    ]

    // MARK: Pictures

    private static func picture(
        _ name: String, _ end: End = .replaced(.wire), _ change: @escaping @Sendable (inout PictureHeader) -> Void
    ) -> Misdeed {
        Misdeed(name, end) { hand in
            try hand.open()
            try hand.picture(change)
            if end == .borne { try hand.play(from: 1) } else { try hand.hearAll() }
        }
    }

    private static let pictures: [Misdeed] = [
        Misdeed("sends a picture before the clip is open", .replaced(.wire)) { hand in
            try hand.greet()
            try hand.picture()
            try hand.hearAll()
        },
        picture("sends a picture in a slot that there is not") { $0.slot = PictureRing.slots },
        picture("sends a picture in slot four billion") { $0.slot = .max },
        Misdeed("sends two pictures in one slot", .replaced(.wire)) { hand in
            try hand.open()
            try hand.picture()
            try hand.picture(pts: 40_000)
            try hand.hearAll()
        },
        Misdeed("sends a picture in a slot that there is not, and nonsense behind it", .replaced(.wire)) { hand in
            try hand.open()
            try hand.picture { $0.slot = PictureRing.slots }
            try hand.message(10, [99])
            try hand.hearAll()
        },
        picture("sends a picture without width") { $0.width = 0 },
        picture("sends a picture without height") { $0.height = 0 },
        picture("sends rows that are wider than their stride") { $0.stride = $0.width - 1 },
        picture("sends a picture larger than its slot") { ($0.height, $0.stride) = (65_536, 65_536) },
        picture("sends a picture whose size overflows") { ($0.width, $0.height, $0.stride) = (.max, .max, .max) },
        picture("sends a picture larger than was asked for") { ($0.width, $0.stride) = ($0.width + 1, $0.width + 1) },
        picture("sends a picture of a size that is not requested yet") { $0.generation += 1 },
        picture("sends a picture of another seek", .borne) { $0.serial = .max },
        picture("sends a picture in a hundred years and more") { $0.pts = WireLimit.time },
        picture("sends a picture at the last time there is", .borne) { $0.pts = WireLimit.time - 1 },
        picture("sends a picture long before the clip", .borne) { $0.pts = -WireLimit.time + 1 },
        picture("sends a picture before the clip's beginning") { $0.mediaTime = -1 },
        picture("sends a picture that lasts less than nothing") { $0.duration = -1 },
        picture("sends a picture that lasts a hundred years", .borne) { $0.duration = WireLimit.time - 1 },
        picture("says of a picture neither yes nor no, but 2", .borne) { $0.isCorrupt = true },
        Misdeed("sends pictures whose times go back", .borne) { hand in
            try hand.open()
            for slot in 0..<6 { try hand.picture(slot: UInt32(slot), pts: Microseconds(6 - slot) * 1_000_000) }
            try hand.play(from: 6)
        },
        Misdeed("paints over the picture that is shown", .borne) { hand in
            try hand.open()
            try hand.picture()
            for round in 0..<200 {
                hand.ring.pixels(of: 0).update(repeating: UInt32(round), count: 64 * 48)
            }
            try hand.play(from: 1)
        },
    ]

    // MARK: Sound

    private static let sounds: [Misdeed] = [
        Misdeed("sends sound before the clip is open", .replaced(.wire)) { hand in
            try hand.greet()
            try hand.sound()
            try hand.hearAll()
        },
        Misdeed("sends more sound than it may", .replaced(.wire)) { hand in
            try hand.open()
            for index in 0..<100 { try hand.sound(pts: Microseconds(index) * 20_000) }
            try hand.hearAll()
        },
        Misdeed("leaves a second of silence behind every frame of sound", .replaced(.wire)) { hand in
            try hand.open()
            for index in 0..<500 { try hand.sound(pts: Microseconds(index) * 1_000_000, frames: 1) }
            try hand.hearAll()
        },
        Misdeed("sends no sound, again and again", .replaced(.wire)) { hand in
            try hand.open()
            try hand.flood(.sound(serial: 0, pts: 0, mediaTime: 0, samples: []))
        },
        Misdeed("sends half a frame of sound", .replaced(.wire)) { hand in
            try hand.open()
            try hand.send(.sound(serial: 0, pts: 0, mediaTime: 0, samples: [1]))
            try hand.hearAll()
        },
        Misdeed("sends more sound at once than a message may have", .replaced(.wire)) { hand in
            try hand.open()
            try hand.sound(frames: WireLimit.soundFrames + 1)
            try hand.hearAll()
        },
        Misdeed("sends sound at all ends of time", .borne) { hand in
            try hand.open()
            for pts in [0, WireLimit.time - 1, -WireLimit.time + 1, 5, WireLimit.time - 2] {
                try hand.sound(pts: pts, frames: 2)
            }
            // A clock that has followed the sound releases pictures at once. Pictures without end would be another
            // misdeed: too many messages.
            for slot in 0..<PictureRing.slots { try hand.picture(slot: slot, pts: Microseconds(slot) * 40_000) }
            try hand.hearAll()
        },
        Misdeed("sends sound of a clip that has none", .borne) { hand in
            try hand.open { $0.streams.removeLast() }
            try hand.sound()
            try hand.play()
        },
    ]

    // MARK: Bytes that are asked for

    private static func request(
        _ name: String, _ deed: @escaping @Sendable (HostileHand) throws -> Void
    ) -> Misdeed {
        Misdeed(name, .replaced(.wire)) { hand in
            try hand.greet()
            try deed(hand)
            try hand.hearAll()
        }
    }

    private static let requests: [Misdeed] = [
        request("reads what it has not opened") { try $0.send(.read(id: 7, offset: 0, count: 1)) },
        request("opens one number twice") { hand in
            for _ in 0..<2 { try hand.send(.openURL(id: 1, want: ByteWant(url: hand.url, role: .media))) }
        },
        request("opens 65 sources") { hand in
            for id in UInt32(1)...65 { try hand.source(id) }
        },
        request("reads more than a message holds") { hand in
            try hand.source()
            try hand.send(.read(id: 1, offset: 0, count: UInt32(WireLimit.read + 1)))
        },
        request("reads before the beginning") { hand in
            try hand.source()
            try hand.send(.read(id: 1, offset: -1, count: 1))
        },
        request("wants a span that ends before it begins") { hand in
            try hand.send(.openURL(id: 1, want: ByteWant(url: hand.url, role: .media, offset: 9, end: 5)))
        },
        request("wants bytes of no role") { hand in
            try hand.message(
                2, HostileHand.number(UInt32(1)) + HostileHand.text(hand.url) + [99] + Array(repeating: 0, count: 32))
        },
        request("opens and closes, again and again") { hand in
            let want = ByteWant(url: hand.url, role: .media)
            try hand.flood(.openURL(id: 1, want: want), .closeURL(id: 1))
        },
        request("opens what there is not, again and again") { hand in
            while true {
                try hand.send(.openURL(id: 1, want: ByteWant(url: "file:///no/such/file", role: .media)))
                try hand.hear { if case .source = $0 { true } else { false } }
            }
        },
        request("closes what is not open, again and again") { try $0.flood(.closeURL(id: 3)) },
        request("expects more than there is") { hand in
            try hand.flood(.expect(ByteWant(url: "http://127.0.0.1:9/x", role: .segment)))
        },
        request("expects and opens in turn") { hand in
            let want = ByteWant(url: hand.url, role: .media)
            try hand.flood(.expect(want), .openURL(id: 1, want: want), .closeURL(id: 1))
        },
        request("reads nothing, again and again") { hand in
            try hand.readAgainAndAgain(at: 0, count: 0)
        },
        request("reads behind the end, again and again") { hand in
            try hand.readAgainAndAgain(at: .max, count: 1 << 20)
        },
        request("reads byte after byte") { hand in
            try hand.readAgainAndAgain(at: 0, count: 1)
        },
        request("reads again before it has its bytes, over and over") { hand in
            try hand.source()
            try hand.flood(.read(id: 1, offset: 0, count: 1), .read(id: 1, offset: 5, count: 1))
        },
        request("asks for megabytes and takes none of them") { hand in
            for id in UInt32(1)...60 { try hand.source(id) }
            for _ in 0..<30 {
                for id in UInt32(1)...60 { try hand.send(.read(id: id, offset: 0, count: 1 << 20)) }
            }
            hand.hearNothing()
        },
        Misdeed("opens an invalid address of 16 KB", .borne) { hand in
            try hand.open()
            try hand.send(
                .openURL(id: 1, want: ByteWant(url: String(repeating: "\u{1B}[2J%", count: 3_000), role: .media)))
            try hand.play()
        },
        Misdeed("opens addresses of every other kind", .borne) { hand in
            try hand.open()
            for (id, url) in ["", "file:", "file:///", "data:,x", "concat:a|b", "//", "http://", "fd:0"].enumerated() {
                try hand.send(.openURL(id: UInt32(id), want: ByteWant(url: url, role: .media)))
            }
            try hand.play()
        },
    ]

    // MARK: Floods

    private static func flood(_ name: String, _ messages: FromDecoder...) -> Misdeed {
        Misdeed(name, .replaced(.wire)) { [messages] hand in
            try hand.open()
            let bytes = messages.flatMap { $0.encoded() }
            let many = Array(repeatElement(bytes, count: max(1, 16_384 / bytes.count)).joined())
            while true { try hand.raw(many) }
        }
    }

    private static let stale = PictureHeader(
        slot: 0, serial: 9, generation: 0, pts: 0, mediaTime: 0, duration: 0, width: 2, height: 2, stride: 2)
    private static let words = String(repeating: "\u{1B}[31m\u{202E}é", count: 80)

    private static let floods: [Misdeed] = [
        flood("says without end how far it has read", .buffered(serial: 0, until: 5), .buffered(serial: 0, until: 6)),
        flood("says without end which variant it reads", .variant(index: 0, why: words)),
        flood("says without end that it is through", .ended(serial: 0)),
        flood("sends pictures of another seek without end", .picture(stale)),
        flood("sends sound of another seek without end", .sound(serial: 9, pts: 0, mediaTime: 0, samples: [1, 1])),
        Misdeed("sends pictures and reads no orders", .replaced(.wire)) { hand in
            try hand.open()
            let many = Array(repeatElement(FromDecoder.picture(stale).encoded(), count: 100).joined())
            while true { try hand.raw(many) }
        },
        Misdeed("opens the clip without end", .replaced(.wire)) { hand in
            try hand.greet()
            var info = HostileHand.info
            info.streams += (2..<64).map { .init(index: $0, kind: .other, codec: words, profile: words) }
            try hand.flood(.opened(info))
        },
    ]

    // MARK: Ends

    private static let ends: [Misdeed] = [
        Misdeed("fails with an internal error", .replaced(.failed)) { hand in
            try hand.greet()
            try hand.send(.failed(code: .other, why: words, detail: words))
            try hand.hearAll()
        },
        Misdeed("says after a picture that nothing follows that can be decoded", .replaced(.undecodable)) { hand in
            try hand.open()
            try hand.picture()
            try hand.send(.failed(code: .undecodable, why: words, detail: words))
            try hand.hearAll()
        },
        Misdeed("reports an unplayable clip in text with escape sequences", .failed) { hand in
            try hand.greet()
            try hand.send(.failed(code: .notMedia, why: words, detail: words))
            try hand.hearAll()
        },
        Misdeed("fails in a way that there is not", .replaced(.wire)) { hand in
            try hand.greet()
            try hand.message(10, [99] + HostileHand.text("x") + HostileHand.text("") + HostileHand.text(""))
            try hand.hearAll()
        },
        Misdeed("fails in words of 16 KB", .replaced(.wire)) { hand in
            try hand.greet()
            let words = HostileHand.text(String(repeating: "x", count: 16_384))
            try hand.message(10, [0] + words + HostileHand.text("") + HostileHand.text(""))
            try hand.hearAll()
        },
        Misdeed("has read the clip for a hundred years", .replaced(.wire)) { hand in
            try hand.open()
            try hand.message(8, HostileHand.number(UInt32(0)) + HostileHand.number(WireLimit.time))
            try hand.hearAll()
        },
        Misdeed("is silent once the clip is open", .replaced(.firstFrame)) { hand in
            try hand.open()
            try hand.hearAll()
        },
        Misdeed("is silent behind its first pictures", .replaced(.hung)) { hand in
            try hand.open()
            for slot in UInt32(0)..<3 { try hand.picture(slot: slot, pts: Microseconds(slot) * 40_000) }
            try hand.hearAll()
        },
        Misdeed("says that it is through before it has begun", .borne) { hand in
            try hand.greet()
            try hand.send(.ended(serial: 0))
            try hand.send(.opened(HostileHand.info))
            try hand.play()
        },
    ]
}
