import Model

/// The characters that divide a cell into parts, each in one of two colours.
///
/// A pattern has a bit for each part that is inked: bit 0 is the upper left one, then left to right and top to bottom.
/// For each pattern of quadrants, sextants and octants there is a character that shows it; the character of the
/// inverted pattern shows the same in the colours swapped.
public enum PartGlyphs {
    /// U+2596…259F (Block Elements), halves and the full block, by pattern.
    static let quadrants: [UInt32] = [
        0x20, 0x2598, 0x259D, 0x2580, 0x2596, 0x258C, 0x259E, 0x259B, 0x2597, 0x259A, 0x2590, 0x259C, 0x2584, 0x2599,
        0x259F, 0x2588,
    ]

    /// U+1FB00…1FB3B (Symbols for Legacy Computing) are the patterns in their
    /// order, without those that Block Elements have.
    static let sextants: [UInt32] = inOrder(
        from: 0x1FB00, of: 64, but: [0: 0x20, 0b010101: 0x258C, 0b101010: 0x2590, 0b111111: 0x2588])

    /// U+1CD00…1CDE5 (Symbols for Legacy Computing Supplement, Unicode 16) are the
    /// patterns in their order, without the 26 that have a character elsewhere: quadrants,
    /// quarters of the height, single corners, and pairs in the middle of a side.
    static let octants: [UInt32] = {
        var others: [Int: UInt32] = [
            0b0000_0011: 0x1FB82, 0b0011_1111: 0x1FB85, 0b1100_0000: 0x2582, 0b1111_1100: 0x2586,
            0b0000_0001: 0x1CEA8, 0b0000_0010: 0x1CEAB, 0b0100_0000: 0x1CEA3, 0b1000_0000: 0x1CEA0,
            0b0001_0100: 0x1FBE6, 0b0010_1000: 0x1FBE7,
        ]
        for (pattern, code) in quadrants.enumerated() {
            others[(pattern & 3) * 0b101 | (pattern >> 2) * 0b101_0000] = code
        }
        return inOrder(from: 0x1CD00, of: 256, but: others)
    }()

    /// U+2800…28FF (Braille Patterns): the six upper dots are numbered down the columns, and the two below came later.
    static let braille: [UInt32] = (0..<256).map { pattern in
        guard pattern > 0 else { return 0x20 }
        let dots = [0, 3, 1, 4, 2, 5, 6, 7]
        return (0..<8).reduce(0x2800) { $0 | (pattern >> $1 & 1 == 1 ? 1 << UInt32(dots[$1]) : 0) }
    }

    private static func inOrder(from first: UInt32, of count: Int, but others: [Int: UInt32]) -> [UInt32] {
        var next = first
        return (0..<count).map { pattern in
            if let other = others[pattern] { return other }
            defer { next += 1 }
            return next
        }
    }

    /// The characters of a picture mode by pattern; none where its cells have no parts.
    public static func codes(of mode: PictureMode) -> [UInt32] {
        switch mode {
        case .ascii, .half, .kitty, .sixel, .iterm2: []
        case .quadrant: quadrants
        case .sextant: sextants
        case .octant: octants
        case .braille: braille
        }
    }

    // MARK: Inverted characters

    /// Codes below `blocks.upperBound` and in the other two ranges have an entry.
    private static let blocks: Range<UInt32> = 0x2580..<0x25A0
    private static let legacy: Range<UInt32> = 0x1FB00..<0x1FBF0
    private static let supplement: Range<UInt32> = 0x1CD00..<0x1CEC0

    // nonisolated(unsafe): written once, here, and never freed.
    /// For each code of the three ranges, one after the other, the code of the inverted pattern; 0 if it has none.
    nonisolated(unsafe) private static let inverses: UnsafePointer<UInt32> = {
        let table = UnsafeMutablePointer<UInt32>.allocate(capacity: blocks.count + legacy.count + supplement.count)
        table.initialize(repeating: 0, count: blocks.count + legacy.count + supplement.count)
        for codes in [quadrants, sextants, octants] {
            for (pattern, code) in codes.enumerated() where pattern > 0 && pattern + 1 < codes.count {
                if let place = place(of: code) { table[place] = codes[codes.count - 1 - pattern] }
            }
        }
        return UnsafePointer(table)
    }()

    @inline(__always)
    private static func place(of code: UInt32) -> Int? {
        if blocks.contains(code) { return Int(code - blocks.lowerBound) }
        if legacy.contains(code) { return Int(code - legacy.lowerBound) + blocks.count }
        if supplement.contains(code) { return Int(code - supplement.lowerBound) + blocks.count + legacy.count }
        return nil
    }

    /// The character that shows the same with its colours swapped; 0 for a
    /// blank, a full block, and all that is no block.
    @inline(__always)
    public static func inverse(of code: UInt32) -> UInt32 {
        guard code >= blocks.lowerBound, let place = place(of: code) else { return 0 }
        return inverses[place]
    }

    /// Whether it is a character of a picture or a line, which is one column wide in every terminal that has it.
    @inline(__always)
    public static func isOneColumn(_ code: UInt32) -> Bool {
        code >= 0x2500 && code < 0x25A0 || code >= 0x2800 && code < 0x2900 || legacy.contains(code)
            || supplement.contains(code)
    }

    // MARK: Where there are no octants

    /// The quadrants nearest to an octant's character: a quadrant that is half
    /// inked becomes blank, unless nothing would be left. nil for all others.
    public static func quadrant(for code: UInt32) -> UInt32? {
        guard code >= 0x2500, let pattern = octants.firstIndex(of: code), !quadrants.contains(code) else { return nil }
        func parts(of quadrant: Int) -> Int {
            let upper = quadrant & 1 + (quadrant & 2) * 2
            return (pattern >> upper & 1) + (pattern >> (upper + 2) & 1)
        }
        let inked = (0..<4).map(parts)
        let most = inked.max() ?? 0
        return quadrants[(0..<4).reduce(0) { $0 | (inked[$1] == most ? 1 << $1 : 0) }]
    }
}
