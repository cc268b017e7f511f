import Model

/// Numbers as feeds write them. Pure.
enum FeedNumber {
    /// A whole number that is not negative, perhaps with commas between its digits; a fraction goes.
    static func count(_ text: String?) -> Int64? {
        guard let text, text.utf8.count <= 40 else { return nil }
        let digits = text.utf8.filter { $0 > 0x20 && $0 != UInt8(ascii: ",") }
        guard let number = Double(String(decoding: digits, as: UTF8.self)), number >= 0, number < 9e15 else {
            return nil
        }
        return Int64(number)
    }

    /// A size in pixels, a rate: as `count`, but not 0.
    static func positive(_ text: String?) -> Int? {
        count(text).flatMap { $0 > 0 ? Int($0) : nil }
    }

    /// Seconds, minutes and seconds, or hours, minutes and seconds: "3671", "61:11", "1:01:11.5"; more than none.
    static func duration(_ text: String?) -> Duration? { time(text).flatMap { $0 > .zero ? $0 : nil } }

    /// A time in a clip, written as a duration; the beginning is one.
    static func time(_ text: String?) -> Duration? {
        guard let text, text.utf8.count <= 40 else { return nil }
        let parts = text.split(separator: ":", omittingEmptySubsequences: false).map {
            String($0).stripped
        }
        guard (1...3).contains(parts.count) else { return nil }
        var seconds = 0.0
        for part in parts {
            guard let first = part.utf8.first, (0x30...0x39).contains(first), let number = Double(part) else {
                return nil
            }
            seconds = seconds * 60 + number
        }
        return seconds < 1e9 ? .milliseconds(Int((seconds * 1_000).rounded())) : nil
    }
}
