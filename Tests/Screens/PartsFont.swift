import Foundation
import Model
import TermGraphics

/// A font of nothing but the blocks of two by three and two by four parts, which no installed font has, and which older
/// terminals do not draw by themselves.
///
/// Its cells are those of DejaVu Sans Mono, beside which it is used. The format is TrueType's (OpenType specification
/// 1.9), with as few tables as FreeType reads.
enum PartsFont {
    static let family = "flick parts"

    /// DejaVu Sans Mono's, in units of 1/2048 of the font's size.
    private static let (unitsPerEm, advance, ascent, descent) = (2_048, 1_233, 1_901, 483)
    /// Cells are whole pixels, and the font's are not: what lies at an edge of the cell goes a little beyond it.
    private static let overlap = 40

    private struct Rectangle {
        var left: Int
        var right: Int
        var bottom: Int
        var top: Int
    }

    /// Writes the font and a configuration of fontconfig that adds it to the system's, and returns the path of that.
    static func install(in folder: String) throws -> String {
        try data().write(to: URL(fileURLWithPath: folder + "/parts.ttf"))
        let name = "<test name=\"family\"><string>\(family)</string></test>"
        let off = ["antialias", "hinting"].map { "<edit name=\"\($0)\" mode=\"assign\"><bool>false</bool></edit>" }
        let configuration = """
            <?xml version="1.0"?><!DOCTYPE fontconfig SYSTEM "urn:fontconfig:fonts.dtd">
            <fontconfig>
            <include ignore_missing="yes">/etc/fonts/fonts.conf</include>
            <dir>\(folder)</dir>
            <match target="pattern"><test name="family"><string>DejaVu Sans Mono</string></test>
            <edit name="family" mode="append" binding="strong"><string>\(family)</string></edit></match>
            <match target="font">\(name)\(off.joined())</match>
            </fontconfig>
            """
        try Data(configuration.utf8).write(to: URL(fileURLWithPath: folder + "/fonts.conf"))
        return folder + "/fonts.conf"
    }

    // MARK: Glyphs

    /// The characters that only this font has, with their patterns and how many
    /// rows of parts those have; by their codes.
    private static var characters: [(code: UInt32, pattern: Int, rows: Int)] {
        [(PictureMode.sextant, 3), (.octant, 4)].flatMap { mode, rows in
            PartGlyphs.codes(of: mode).enumerated().filter { $0.element >= 0x1_0000 }
                .map { (code: $0.element, pattern: $0.offset, rows: rows) }
        }.sorted { $0.code < $1.code }
    }

    /// The inked parts, those above each other as one.
    private static func rectangles(_ pattern: Int, rows: Int) -> [Rectangle] {
        func edge(_ row: Int) -> Int {
            let place = ascent - (ascent + descent) * row / rows
            return row == 0 ? place + overlap : row == rows ? place - overlap : place
        }
        return (0..<2).flatMap { column -> [Rectangle] in
            let (left, right) = column == 0 ? (-overlap, advance / 2) : (advance / 2, advance + overlap)
            var found: [Rectangle] = []
            for row in 0..<rows where pattern >> (2 * row + column) & 1 == 1 {
                if let last = found.last, last.bottom == edge(row) {
                    found[found.count - 1].bottom = edge(row + 1)
                } else {
                    found.append(Rectangle(left: left, right: right, bottom: edge(row + 1), top: edge(row)))
                }
            }
            return found
        }
    }

    /// The table `glyf`'s entry of a glyph, of an even number of bytes.
    private static func outline(_ rectangles: [Rectangle]) -> Data {
        guard !rectangles.isEmpty else { return Data() }
        var glyph = Data()
        glyph.add16(
            rectangles.count, rectangles.map(\.left).min() ?? 0, rectangles.map(\.bottom).min() ?? 0,
            rectangles.map(\.right).max() ?? 0, rectangles.map(\.top).max() ?? 0)
        for index in rectangles.indices { glyph.add16(index * 4 + 3) }
        glyph.add16(0)
        // Each point is on the outline, and its coordinates are words.
        glyph.append(Data(repeating: 1, count: rectangles.count * 4))
        let points = rectangles.flatMap {
            [($0.left, $0.bottom), ($0.left, $0.top), ($0.right, $0.top), ($0.right, $0.bottom)]
        }
        for coordinate in [points.map(\.0), points.map(\.1)] {
            var before = 0
            for value in coordinate {
                glyph.add16(value - before)
                before = value
            }
        }
        if glyph.count % 2 == 1 { glyph.append(0) }
        return glyph
    }

    // MARK: Tables

    private static func data() -> Data {
        let characters = characters
        // Glyph 0 stands for what is missing, and is blank.
        let outlines = [Data()] + characters.map { outline(rectangles($0.pattern, rows: $0.rows)) }
        var (glyf, loca, hmtx) = (Data(), Data(), Data())
        for outline in outlines {
            loca.add32(glyf.count)
            glyf.append(outline)
            hmtx.add16(advance, 0)
        }
        loca.add32(glyf.count)

        var head = Data()
        head.add32(0x0001_0000, 0x0001_0000, 0, 0x5F0F_3CF5)
        head.add16(0, unitsPerEm)
        head.add32(0, 0, 0, 0)
        head.add16(-overlap, -descent - overlap, advance + overlap, ascent + overlap, 0, 8, 2, 1, 0)
        var hhea = Data()
        hhea.add32(0x0001_0000)
        hhea.add16(ascent, -descent, 0, advance, 0, 0, advance, 1, 0, 0, 0, 0, 0, 0, 0, outlines.count)
        var maxp = Data()
        maxp.add32(0x0001_0000)
        maxp.add16(outlines.count, 16, 4, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 0)

        // Format 12: runs of codes whose glyphs follow one another.
        var runs: [(first: UInt32, last: UInt32, glyph: Int)] = []
        for (index, character) in characters.enumerated() {
            if let last = runs.last, last.last + 1 == character.code {
                runs[runs.count - 1].last = character.code
            } else {
                runs.append((character.code, character.code, index + 1))
            }
        }
        var cmap = Data()
        cmap.add16(0, 1, 3, 10)
        cmap.add32(12)
        cmap.add16(12, 0)
        cmap.add32(16 + 12 * runs.count, 0, runs.count)
        for run in runs { cmap.add32(Int(run.first), Int(run.last), run.glyph) }

        // The family's name, its style and the two together, for Windows in US English.
        var (names, texts) = (Data(), Data())
        let entries = [(1, family), (2, "Regular"), (4, family), (6, "flickparts")]
        names.add16(0, entries.count, 6 + 12 * entries.count)
        for (number, text) in entries {
            names.add16(3, 1, 0x409, number, text.utf16.count * 2, texts.count)
            for unit in text.utf16 { texts.add16(Int(unit)) }
        }
        var post = Data()
        post.add32(0x0003_0000, 0, 0, 1, 0, 0, 0, 0)

        return file([
            ("cmap", cmap), ("glyf", glyf), ("head", head), ("hhea", hhea), ("hmtx", hmtx), ("loca", loca),
            ("maxp", maxp), ("name", names + texts), ("post", post),
        ])
    }

    /// The tables, in the order of their names, each at a multiple of four
    /// bytes. Checksums are left out: nothing here looks at them.
    private static func file(_ tables: [(name: String, data: Data)]) -> Data {
        var (directory, body) = (Data(), Data())
        directory.add32(0x0001_0000)
        directory.add16(tables.count, 128, 3, tables.count * 16 - 128)
        let start = 12 + 16 * tables.count
        for (name, data) in tables {
            directory.append(contentsOf: name.utf8)
            directory.add32(0, start + body.count, data.count)
            body.append(data)
            body.append(Data(repeating: 0, count: (4 - data.count % 4) % 4))
        }
        return directory + body
    }
}

extension Data {
    /// Numbers of 16 bits, highest byte first; negative ones as two's complements.
    fileprivate mutating func add16(_ values: Int...) {
        for value in values {
            append(contentsOf: [UInt8(truncatingIfNeeded: value >> 8), UInt8(truncatingIfNeeded: value)])
        }
    }

    /// Numbers of 32 bits.
    fileprivate mutating func add32(_ values: Int...) {
        for value in values { add16(value >> 16, value) }
    }
}
