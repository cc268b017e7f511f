/// Quantities as people write them: "500MB", "90d", "750k". Pure.
public enum Amount {
    /// Bytes: a decimal number and B, KB, MB, GB or TB, each 1024 of the
    /// previous one (K and KiB mean KB). nil for anything else.
    static func bytes(_ text: String) -> Int64? {
        let factors: [String: Double] = [
            "": 1, "b": 1, "k": 0x1p10, "kb": 0x1p10, "kib": 0x1p10, "m": 0x1p20, "mb": 0x1p20, "mib": 0x1p20,
            "g": 0x1p30, "gb": 0x1p30, "gib": 0x1p30, "t": 0x1p40, "tb": 0x1p40, "tib": 0x1p40,
        ]
        return whole(text, factors)
    }

    /// Bits a second: a number and k, M or G, each 1000 of the previous one as usual in networks; "bit", "bps" and
    /// "bit/s" may follow.
    public static func bitsPerSecond(_ text: String) -> Int64? {
        var text = Substring(text)
        for ending in ["bit/s", "bps", "bit"] where text.hasSuffix(ending) {
            text = text.dropLast(ending.count)
            break
        }
        return whole(String(text), ["": 1, "k": 1e3, "m": 1e6, "g": 1e9])
    }

    /// A duration: a number and ms, s, m, h, d or w; seconds without a unit.
    public static func duration(_ text: String) -> Duration? {
        let factors = ["ms": 1e-3, "": 1, "s": 1, "m": 60, "min": 60, "h": 3_600, "d": 86_400, "w": 604_800]
        // Far more than any setting needs, and far less than `Duration` can hold.
        guard let seconds = value(text, factors), seconds < 1e12 else { return nil }
        return .seconds(seconds)
    }

    private static func whole(_ text: String, _ factors: [String: Double]) -> Int64? {
        value(text, factors).flatMap { Int64(exactly: $0.rounded()) }
    }

    /// A number of at most 18 characters, not negative, times the factor of its unit, in upper or lower case.
    private static func value(_ text: String, _ factors: [String: Double]) -> Double? {
        let digits = text.prefix { $0.isASCII && ($0.isNumber || $0 == ".") }
        let unit = text.dropFirst(digits.count).drop { $0 == " " }.lowercased()
        guard digits.count <= 18, let number = Double(digits), let factor = factors[unit] else { return nil }
        return number * factor
    }
}

extension Amount {
    /// Bytes for people: "640 bytes", "1.5 MB", "312 MB".
    static func text(bytes: Int64) -> String {
        guard bytes >= 1_024 else { return bytes == 1 ? "1 byte" : "\(bytes) bytes" }
        var (value, unit) = (Double(bytes) / 1_024, 0)
        // From 999.5 on, rounding would give four digits.
        while value >= 999.5, unit < 3 { (value, unit) = (value / 1_024, unit + 1) }
        let tenths = (value * 10).rounded()
        let number = tenths < 100 ? "\(Int(tenths) / 10).\(Int(tenths) % 10)" : "\(Int(value.rounded()))"
        return "\(number) \(["KB", "MB", "GB", "TB"][unit])"
    }

    /// An age for people: "just now", "5 min ago", "3 h ago", "12 d ago".
    static func text(ago seconds: Double) -> String {
        // If the clock was set back, the age can be negative.
        guard seconds >= 60 else { return "just now" }
        guard seconds < 1e10 else { return "long ago" }
        switch seconds {
        case ..<3_600: return "\(Int(seconds / 60)) min ago"
        case ..<172_800: return "\(Int(seconds / 3_600)) h ago"
        default: return "\(Int(seconds / 86_400)) d ago"
        }
    }
}
