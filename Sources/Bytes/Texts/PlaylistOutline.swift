/// A compressed form of a finished playlist, for use without a network: each relevant line as its difference from a
/// recent one. Pure.
///
/// Each line consists of a byte that says how many lines back the reference line is (1 … 4; 0: none), a byte that says
/// how many bytes both have in common at the beginning, the rest of the line, and a line feed. The first line is the
/// playlist's URL.
enum PlaylistOutline {
    /// In bytes; a larger outline is not cached.
    static let limit = 256 << 10
    /// In bytes, of the expanded text: a small outline must not fill the memory.
    static let textLimit = 8 << 20

    static func make(_ text: [UInt8], url: String) -> [UInt8]? {
        let lines = [Array(url.utf8)[...]] + text.split(separator: 0x0A).compactMap(essence)
        var outline: [UInt8] = []
        for (index, line) in lines.enumerated() {
            var best = (back: 0, shared: 0)
            for back in 1...4 where back <= index {
                let shared = min(commonBeginning(line, lines[index - back]), 255)
                if shared > best.shared { best = (back, shared) }
            }
            outline += [UInt8(best.back), UInt8(best.shared)]
            outline += line.dropFirst(best.shared)
            outline.append(0x0A)
            if outline.count > limit { return nil }
        }
        return outline
    }

    /// Expands an outline; nil for bytes that are not an outline.
    static func read(_ outline: [UInt8]) -> (url: String, text: [UInt8])? {
        var lines: [ArraySlice<UInt8>] = []
        var size = 0
        var rest = outline[...]
        while let back = rest.popFirst(), let shared = rest.popFirst() {
            guard let end = rest.firstIndex(of: 0x0A), Int(back) <= min(lines.count, 4) else { return nil }
            let beginning = back == 0 ? [] : lines[lines.count - Int(back)].prefix(Int(shared))
            lines.append(beginning + rest[..<end])
            size += lines[lines.count - 1].count + 1
            guard size <= textLimit else { return nil }
            rest = rest[(end + 1)...]
        }
        guard let url = lines.first else { return nil }
        return (String(decoding: url, as: UTF8.self), Array(lines.dropFirst().joined(separator: [0x0A])) + [0x0A])
    }

    /// A line without surrounding spaces, without comments and titles of segments. nil if nothing is left.
    private static func essence(_ line: ArraySlice<UInt8>) -> ArraySlice<UInt8>? {
        var line = line.drop { $0 <= 0x20 }
        while let last = line.last, last <= 0x20 { line = line.dropLast() }
        if line.isEmpty || (line.starts(with: "#".utf8) && !line.starts(with: "#EXT".utf8)) { return nil }
        if line.starts(with: "#EXTINF".utf8), let comma = line.firstIndex(of: UInt8(ascii: ",")) {
            return line[...comma]
        }
        return line
    }

    private static func commonBeginning(_ one: ArraySlice<UInt8>, _ other: ArraySlice<UInt8>) -> Int {
        zip(one, other).prefix { $0 == $1 }.count
    }
}
