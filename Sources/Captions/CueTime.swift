/// The times of cues: "00:01:02.500", "1:02,5". Pure.
enum CueTime {
    /// The most digits of a number: a hundred thousand hours are no clip.
    private static let maxDigits = 6

    /// Reads a line "START --> END …" (WebVTT 1, "collect WebVTT cue timings and settings"; SubRip has a comma for the
    /// point). What follows are settings, which do not count. nil for any other line.
    static func range(in line: ArraySlice<UInt8>) -> (start: Duration, end: Duration)? {
        var rest = line
        guard let start = time(&rest) else { return nil }
        skipBlanks(&rest)
        guard rest.starts(with: "-->".utf8) else { return nil }
        rest = rest.dropFirst(3)
        guard let end = time(&rest) else { return nil }
        return (start, end)
    }

    /// Reads a time after blanks: seconds with minutes and hours before them, or without.
    static func time(_ rest: inout ArraySlice<UInt8>) -> Duration? {
        skipBlanks(&rest)
        guard var seconds = number(&rest) else { return nil }
        var parts = 1
        while parts < 3, rest.first == UInt8(ascii: ":") {
            rest = rest.dropFirst()
            guard let next = number(&rest), next < 60 else { return nil }
            seconds = seconds * 60 + next
            parts += 1
        }
        guard parts > 1 else { return nil }
        var nanoseconds: Int64 = 0
        if rest.first == UInt8(ascii: ".") || rest.first == UInt8(ascii: ",") {
            rest = rest.dropFirst()
            var unit: Int64 = 100_000_000
            while let digit = digit(rest.first) {
                nanoseconds += Int64(digit) * unit
                unit /= 10
                rest = rest.dropFirst()
            }
        }
        return .seconds(seconds) + .nanoseconds(nanoseconds)
    }

    private static func number(_ rest: inout ArraySlice<UInt8>) -> Int64? {
        var value: Int64 = 0
        var count = 0
        while let digit = digit(rest.first) {
            guard count < maxDigits else { return nil }
            value = value * 10 + Int64(digit)
            count += 1
            rest = rest.dropFirst()
        }
        return count > 0 ? value : nil
    }

    private static func digit(_ byte: UInt8?) -> UInt8? {
        guard let byte, (0x30...0x39).contains(byte) else { return nil }
        return byte - 0x30
    }

    private static func skipBlanks(_ rest: inout ArraySlice<UInt8>) {
        rest = rest.drop { $0 == 0x20 || $0 == 0x09 }
    }
}

/// The header of WebVTT segments of HLS: "X-TIMESTAMP-MAP=MPEGTS:900000,LOCAL:00:00:00.000" (RFC 8216, 3.5). Pure.
enum TimestampMap {
    /// How far into a text the header is looked for.
    static let headSize = 4_096

    /// The time of the stream less that of the text.
    static func offset(in text: [UInt8]) -> Duration? {
        let name = Array("X-TIMESTAMP-MAP=".utf8)
        for line in text.prefix(headSize).split(maxSplits: 64, whereSeparator: { $0 == 0x0A || $0 == 0x0D }) {
            if CueTime.range(in: line) != nil { return nil }
            guard line.starts(with: name) else { continue }
            var (ticks, local): (Int64?, Duration?)
            for field in line.dropFirst(name.count).split(separator: UInt8(ascii: ",")) {
                let parts = field.split(separator: UInt8(ascii: ":"), maxSplits: 1)
                guard parts.count == 2 else { continue }
                switch String(decoding: parts[0], as: UTF8.self).lowercased() {
                case "mpegts": ticks = Int64(String(decoding: parts[1].prefix(20), as: UTF8.self))
                case "local":
                    var rest = parts[1]
                    local = CueTime.time(&rest)
                default: break
                }
            }
            // 33 bits, 90,000 of them a second (ISO 13818-1, 2.4.3.7).
            guard let ticks, let local, (0..<1 << 33).contains(ticks) else { return nil }
            return .microseconds(ticks * 100 / 9) - local
        }
        return nil
    }
}
