/// How many terminal columns a character takes, from flick's own table, so that it never depends on the locale. Pure.
///
/// The rule is that of wcwidth(3) as terminals apply it: each scalar counts by itself, and ambiguous ones are narrow.
/// Scripts/make-width-table.py makes the table.
public enum DisplayWidth {
    /// The role of a scalar in a line of cells.
    public enum Kind: Sendable, Equatable {
        case narrow, wide
        /// Drawn over the previous character.
        case zero
        /// Takes a column but belongs to the previous character (Indic vowel signs).
        case spacing
        /// A format character: never sent to a terminal.
        case ignored
    }

    public static func kind(of scalar: Unicode.Scalar) -> Kind {
        let code = scalar.value
        // Everything below U+0300 is narrow, except the soft hyphen.
        if code < 0x300 { return code == 0xAD ? .ignored : .narrow }
        if contains(code, in: wide) { return .wide }
        if contains(code, in: zero) { return .zero }
        if contains(code, in: spacing) { return .spacing }
        return contains(code, in: ignored) ? .ignored : .narrow
    }

    /// The columns of a scalar: 0, 1 or 2.
    public static func of(_ scalar: Unicode.Scalar) -> Int {
        switch kind(of: scalar) {
        case .narrow, .spacing: 1
        case .wide: 2
        case .zero, .ignored: 0
        }
    }

    /// The columns of a text as `GlyphLine` lays it out.
    public static func of(_ text: String) -> Int { GlyphLine(text).columns }

    private static func contains(_ code: UInt32, in ranges: [ClosedRange<UInt32>]) -> Bool {
        var low = 0
        var high = ranges.count
        while low < high {
            let middle = (low + high) / 2
            if ranges[middle].upperBound < code { low = middle + 1 } else { high = middle }
        }
        return low < ranges.count && ranges[low].contains(code)
    }
}
