import TestSupport
import Wire

/// Messages as a decoder sends them, with numbers as no decoder sends them; now and then one of its bytes is another.
/// The same for the same seed.
struct RandomMessages {
    private var random: SeededRandom

    init(seed: UInt64) { random = SeededRandom(state: seed) }

    /// Greets, opens a clip most of the time, and sends until flick has had enough.
    func send(to hand: HostileHand) throws {
        var messages = self
        try messages.run(hand)
    }

    private mutating func run(_ hand: HostileHand) throws {
        if chance(0.9) { try hand.greet() }
        if chance(0.9) { try hand.send(.opened(info(isOdd: chance(0.3)))) }
        if chance(0.3) { try hand.source(1) }
        while true {
            var bytes = message(hand).encoded()
            if chance(0.02) {
                bytes[Int.random(in: 0..<bytes.count, using: &random)] = .random(in: 0...255, using: &random)
            }
            try hand.raw(bytes)
            if chance(0.05) { try hand.hearWhatIsThere() }
        }
    }

    private mutating func chance(_ share: Double) -> Bool { Double.random(in: 0..<1, using: &random) < share }

    private mutating func number() -> UInt32 {
        let odd: [UInt32] = [0, 1, 2, 11, 12, 63, 64, 65_535, 65_536, 1 << 20, 1 << 31, .max]
        return chance(0.8) ? .random(in: 0..<4, using: &random) : odd.randomElement(using: &random) ?? 0
    }

    private mutating func time() -> Microseconds {
        let odd: [Microseconds] = [
            -1, 0, WireLimit.time - 1, -WireLimit.time + 1, WireLimit.time, .max, .min, 1 << 40,
        ]
        return chance(0.9) ? .random(in: 0..<4_000_000, using: &random) : odd.randomElement(using: &random) ?? 0
    }

    private mutating func text() -> String {
        let odd = ["", "\u{1B}]0;x\u{7}", "file:///", "é\u{301}\u{202E}", String(repeating: "W", count: 20_000), "%"]
        return odd.randomElement(using: &random) ?? ""
    }

    private mutating func info(isOdd: Bool) -> MediaInfo {
        guard isOdd else { return HostileHand.info }
        var info = HostileHand.info
        info.container = text()
        info.duration = time()
        info.isSeekable = chance(0.5)
        info.isStill = chance(0.3)
        (info.displayWidth, info.displayHeight) = (number(), number())
        (info.sampleAspectNumerator, info.sampleAspectDenominator) = (number(), number())
        if chance(0.5) { info.streams.removeLast() }
        if chance(0.3) { info.streams.removeFirst() }
        for index in info.streams.indices {
            info.streams[index].codec = text()
            (info.streams[index].width, info.streams[index].rate) = (number(), number())
        }
        info.chapters = (0..<3).map { _ in .init(start: time(), title: text()) }
        info.soundTracks = (0..<3).map { _ in .init(language: text(), title: text(), isChosen: chance(0.5)) }
        info.textTracks = info.soundTracks
        info.variants = (0..<Int.random(in: 0..<3, using: &random)).map { _ in
            .init(bandwidth: time(), width: number(), height: number(), isChosen: true, why: text())
        }
        return info
    }

    private mutating func message(_ hand: HostileHand) -> FromDecoder {
        switch Int.random(in: 0..<100, using: &random) {
        case 0..<45:
            var header = PictureHeader(
                slot: .random(in: 0..<PictureRing.slots, using: &random), serial: number() % 3,
                generation: hand.surface.generation, pts: time(), mediaTime: time(), duration: time(),
                width: hand.surface.width, height: hand.surface.height, stride: hand.surface.width)
            if chance(0.05) { header.slot = number() }
            if chance(0.05) { (header.width, header.height, header.stride) = (number(), number(), number()) }
            if chance(0.05) { header.generation = number() }
            header.isCorrupt = chance(0.2)
            return .picture(header)
        case 45..<70:
            let count = Int.random(in: 0..<(chance(0.05) ? 10_000 : 960), using: &random)
            return .sound(
                serial: number() % 3, pts: time(), mediaTime: time(), samples: Array(repeating: 1, count: count * 2))
        case 70..<73: return .cue(serial: number() % 3, start: time(), end: time(), text: text())
        case 73..<76: return .buffered(serial: number() % 3, until: time())
        case 76..<78: return .begins(serial: number() % 3, at: max(0, time()))
        case 78..<82: return .variant(index: number(), why: text())
        case 82..<88: return .read(id: 1, offset: time(), count: number())
        case 88..<91: return .openURL(id: number(), want: ByteWant(url: chance(0.5) ? hand.url : text(), role: .media))
        case 91..<93: return .closeURL(id: number())
        case 93..<94:
            return .loudness(
                SoundLoudness(
                    loudness: Int32(bitPattern: number()), gain: Int32(bitPattern: number()), origin: .partial))
        case 94..<95: return .expect(ByteWant(url: hand.url, role: .segment, offset: time(), end: time()))
        case 95..<97: return .ended(serial: number() % 3)
        case 97..<98: return .opened(info(isOdd: true))
        case 98..<99:
            return .failed(code: chance(0.5) ? .other : .notMedia, why: text(), detail: text())
        default:
            return chance(0.5) ? .hello(version: number()) : .muxed(.mp4, offset: Int64(number()), bytes: [1, 2])
        }
    }
}
