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
