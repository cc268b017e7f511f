/// Text laid out in glyphs of one or two columns. It is made once and written to cells many times. A value.
///
/// A glyph is a base character with its marks (at most `marks`), the two letters of a flag, or an Indic base with its
/// vowel sign. Characters whose width terminals disagree on (joiners, variation selectors, skin tones) are left out.
/// Line breaks are glyphs without columns.
public struct GlyphLine: Sendable, Hashable {
    public static let newline = Glyph(code: 0x0A)
    /// The most marks of one base character.
    static let marks = 4

    public private(set) var glyphs: [Glyph] = []
    /// The columns of each glyph: 0 (a line break), 1 or 2.
    public private(set) var widths: [UInt8] = []
    /// The columns of the whole line; line breaks do not count.
    public private(set) var columns = 0

    public init() {}

    /// Lays out clean text. Unclean characters become U+FFFD.
    public init(_ text: String) {
        var unit = Unit()
        for scalar in text.unicodeScalars { add(scalar, into: &unit) }
        finish(&unit)
    }

    public var isEmpty: Bool { glyphs.isEmpty }
    public var count: Int { glyphs.count }
    /// The visible characters.
    public var text: String { glyphs.map { GlyphTable.text(of: $0) }.joined() }

    public mutating func append(_ glyph: Glyph, width: Int) {
        glyphs.append(glyph)
        widths.append(UInt8(width))
        columns += width
    }

    public mutating func append(_ other: GlyphLine) {
        glyphs += other.glyphs
        widths += other.widths
        columns += other.columns
    }

    public static func + (before: GlyphLine, after: GlyphLine) -> GlyphLine {
        var line = before
        line.append(after)
        return line
    }

    /// A base character with its combining marks, not interned yet.
    private struct Unit {
        var text = String.UnicodeScalarView()
        var width = 0
        var marks = 0
        var isHalfFlag = false
    }

    private mutating func add(_ scalar: Unicode.Scalar, into unit: inout Unit) {
        let code = scalar.value
        if code < 0x20 || (0x7F..<0xA0).contains(code) {
            finish(&unit)
            if code == 0x0A { append(Self.newline, width: 0) } else { append(Glyph("\u{FFFD}"), width: 1) }
            return
        }
        if (0x1F1E6...0x1F1FF).contains(code) {
            if unit.isHalfFlag {
                unit.text.append(scalar)
                unit.width = 2
                finish(&unit)
            } else {
                finish(&unit)
                unit.text.append(scalar)
                unit.width = 1
                unit.isHalfFlag = true
            }
            return
        }
        switch DisplayWidth.kind(of: scalar) {
        case .ignored: break
        case .zero:
            // A mark without a base character is not shown.
            guard unit.width > 0, !unit.isHalfFlag, unit.marks < Self.marks else { break }
            unit.text.append(scalar)
            unit.marks += 1
        case .spacing where unit.width == 1 && !unit.isHalfFlag && joins(scalar, unit):
            unit.text.append(scalar)
            unit.width = 2
        case .narrow, .spacing, .wide:
            finish(&unit)
            unit.text.append(scalar)
            unit.width = DisplayWidth.of(scalar)
        }
    }

    private func joins(_ scalar: Unicode.Scalar, _ unit: Unit) -> Bool {
        var text = unit.text
        text.append(scalar)
        return String(text).count == 1
    }

    private mutating func finish(_ unit: inout Unit) {
        defer { unit = Unit() }
        guard unit.width > 0, let base = unit.text.first else { return }
        if unit.isHalfFlag, unit.width == 1, let letter = Unicode.Scalar(base.value - 0x1F1E6 + 0x41) {
            append(Glyph(letter), width: 1)  // Half a flag: terminals disagree on its columns.
        } else if unit.text.count == 1 {
            append(Glyph(base), width: unit.width)
        } else if let character = String(unit.text).first {
            append(GlyphTable.glyph(for: character), width: unit.width)
        }
    }
}

extension GlyphLine {
    /// The glyphs of `range`.
    public func slice(_ range: Range<Int>) -> GlyphLine {
        var part = GlyphLine()
        for index in range { part.append(glyphs[index], width: Int(widths[index])) }
        return part
    }

    /// The part that fits `limit` columns, with "…" at its end if something was cut. Never cuts a glyph.
    public func truncated(to limit: Int, ellipsis: Glyph = Glyph("…")) -> GlyphLine {
        guard columns > limit else { return self }
        guard limit > 0 else { return GlyphLine() }
        var part = GlyphLine()
        for index in glyphs.indices {
            guard part.columns + Int(widths[index]) <= limit - 1 else { break }
            part.append(glyphs[index], width: Int(widths[index]))
        }
        part.append(ellipsis, width: 1)
        return part
    }

    /// The part that fits `limit` columns, with "…" in its middle if something was cut: host and file say most of an
    /// address. Never cuts a glyph.
    public func shortened(to limit: Int, ellipsis: Glyph = Glyph("…")) -> GlyphLine {
        guard columns > limit else { return self }
        var first = count
        var left = max(limit, 0) / 2
        while first > 0, Int(widths[first - 1]) <= left {
            first -= 1
            left -= Int(widths[first])
        }
        return truncated(to: (limit + 1) / 2, ellipsis: ellipsis) + slice(first..<count)
    }

    /// The lines of this text when it is wrapped at `limit` columns or less, so that they are about equally long.
    public func balanced(to limit: Int) -> [Range<Int>] {
        let lines = wrapped(to: limit)
        guard lines.count > 1 else { return lines }
        // The narrowest limit that needs no more lines, and breaks no more words.
        let words = glyphs.indices.split { glyphs[$0] == .space || glyphs[$0] == Self.newline }
        let longest = words.map { $0.reduce(0) { $0 + Int(widths[$1]) } }.max() ?? 1
        var (low, high) = (min(max(longest, 1), limit), limit)
        while low < high {
            let middle = (low + high) / 2
            if wrapped(to: middle).count <= lines.count { high = middle } else { low = middle + 1 }
        }
        return wrapped(to: high)
    }

    /// The lines of this text when it is wrapped at `limit` columns: broken at spaces if possible, else between glyphs.
    /// Returns ranges of glyphs, without the spaces and breaks between them.
    ///
    /// - Parameter most: the lines after which it stops.
    public func wrapped(to limit: Int, most: Int = .max) -> [Range<Int>] {
        guard limit > 0 else { return [] }
        var lines: [Range<Int>] = []
        var start = 0
        var used = 0
        var lastSpace: Int?
        var index = 0
        while index < glyphs.count, lines.count < most {
            let glyph = glyphs[index]
            if glyph == Self.newline {
                lines.append(start..<index)
                (start, used, lastSpace) = (index + 1, 0, nil)
            } else if used + Int(widths[index]) > limit {
                if glyph == .space {
                    lines.append(start..<index)
                    start = index + 1
                } else if let space = lastSpace {
                    lines.append(start..<space)
                    start = space + 1
                    index = space
                } else if index == start {
                    start = index + 1  // Wider than the limit: it cannot be shown at all.
                } else {
                    lines.append(start..<index)
                    start = index
                    index -= 1
                }
                (used, lastSpace) = (0, nil)
            } else {
                if glyph == .space { lastSpace = index }
                used += Int(widths[index])
            }
            index += 1
        }
        if start < glyphs.count, lines.count < most { lines.append(start..<glyphs.count) }
        return lines
    }
}
