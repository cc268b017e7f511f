import Wire

/// Parses and converts times of manifests. Pure.
enum DashTime {
    /// A duration such as `PT1H2M3.5S` (ISO 8601, 5.5.2), limited to `MediaTime.longest`; nil for anything else. Months
    /// and years have no fixed length.
    static func duration(_ text: String) -> Microseconds? {
        let signs = text.utf8
        guard signs.first == UInt8(ascii: "P") else { return nil }
        var rest = signs.dropFirst()
        var isTime = false
        var total: Microseconds = 0
        var isEmpty = true
        while let first = rest.first {
            if first == UInt8(ascii: "T") {
                guard !isTime else { return nil }
                isTime = true
                rest = rest.dropFirst()
                continue
            }
            let number = rest.prefix { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) || $0 == UInt8(ascii: ".") }
            rest = rest[number.endIndex...]
            guard let unit = rest.popFirst(), let value = decimal(number), let length = length(unit, isTime: isTime)
            else { return nil }
            let (product, tooLarge) = value.multipliedReportingOverflow(by: length)
            total = min(tooLarge ? MediaTime.longest : total + min(product, MediaTime.longest), MediaTime.longest)
            isEmpty = false
        }
        return isEmpty ? nil : total
    }

    /// The seconds of a unit. Years and months are accepted only with the number zero.
    private static func length(_ unit: UInt8, isTime: Bool) -> Microseconds? {
        switch (unit, isTime) {
        case (UInt8(ascii: "W"), false): 7 * 86_400
        case (UInt8(ascii: "D"), false): 86_400
        case (UInt8(ascii: "H"), true): 3_600
        case (UInt8(ascii: "M"), true): 60
        case (UInt8(ascii: "S"), true): 1
        case (UInt8(ascii: "Y"), false), (UInt8(ascii: "M"), false): 0
        default: nil
        }
    }

    /// A decimal number in millionths, limited to `MediaTime.longest`.
    private static func decimal(_ text: some Collection<UInt8>) -> Int64? {
        let parts = text.split(separator: UInt8(ascii: "."), maxSplits: 1, omittingEmptySubsequences: false)
        guard let first = parts.first, let whole = PlaylistText.number(first) else { return nil }
        var value = min(whole, MediaTime.longest / 1_000_000) * 1_000_000
        if parts.count > 1 {
            let decimals = Array(parts[1].prefix(6))
            guard let fraction = PlaylistText.number(decimals + Array(repeating: 0x30, count: 6 - decimals.count))
            else { return nil }
            value += fraction
        }
        return value
    }

    /// Converts `ticks` to microseconds, limited to `MediaTime.longest` in both directions. `timescale` is the number
    /// of ticks per second, at least 1.
    static func microseconds(_ ticks: Int64, _ timescale: Int64) -> Microseconds {
        let (seconds, rest) = ticks.quotientAndRemainder(dividingBy: timescale)
        guard abs(Double(seconds)) < Double(MediaTime.longest / 1_000_000) else {
            return ticks < 0 ? -MediaTime.longest : MediaTime.longest
        }
        // A timescale has 32 bits (see `DashSegments`), so this stays far below 64.
        return seconds * 1_000_000 + (rest * 1_000_000 + (rest < 0 ? -1 : 1) * timescale / 2) / timescale
    }
}
