import Model

/// An item's title and its whole description, broken into lines for their sheet, once for many drawings. A value.
struct CaptionText: Sendable, Equatable {
    /// The most characters of a description: more than any reader of feeds passes on.
    static let limit = 40_000

    /// What the lines were made of: they are made again when it changes.
    struct Source: Sendable, Equatable {
        var item: Item.ID
        var title: GlyphLine
        var artist: String
        var text: String?
        var columns: Int
        var isCovered: Bool
    }

    /// An address in the text, and the lines that it stands in.
    struct Link: Sendable, Equatable {
        var address: String
        var glyphs: Range<Int>
        var lines: Range<Int>
    }

    let source: Source
    let text: GlyphLine
    /// The number of glyphs in the title, which has separate lines.
    let titleCount: Int
    /// Ranges of the text's glyphs.
    let lines: [Range<Int>]
    private(set) var links: [Link] = []

    init(_ content: PageContent, source: Source) {
        self.source = source
        titleCount = content.title.count
        let text = PageContent.description(of: content.item, limit: Self.limit, isCovered: source.isCovered)
        let rest = [content.artist, text].filter { !$0.isEmpty }.joined(separator: "\n\n")
        self.text = rest.isEmpty ? content.title : content.title + GlyphLine("\n\n" + rest)
        lines = self.text.wrapped(to: source.columns)
        var line = 0
        for (glyphs, address) in LinkFinder.links(in: self.text) {
            while line < lines.count, lines[line].upperBound <= glyphs.lowerBound { line += 1 }
            let end = lines[line...].firstIndex { $0.lowerBound >= glyphs.upperBound } ?? lines.count
            if line < end { links.append(Link(address: address, glyphs: glyphs, lines: line..<end)) }
        }
    }

    /// The link `step` links after `link`, or the nearest one in that direction from the lines in view if `link` is
    /// nil; nil without links.
    func link(_ step: Int, from link: Int?, inView: Range<Int>) -> Int? {
        if let link { return min(max(link + step, 0), links.count - 1) }
        guard !links.isEmpty else { return nil }
        return step > 0
            ? links.firstIndex { $0.lines.lowerBound >= inView.lowerBound } ?? links.count - 1
            : links.lastIndex { $0.lines.upperBound <= inView.upperBound } ?? 0
    }
}

/// Finds the web addresses in a text. Pure.
enum LinkFinder {
    /// - `glyphs`: where it stands in the text.
    typealias Found = (glyphs: Range<Int>, address: String)

    static func links(in text: GlyphLine) -> [Found] {
        var (found, place): ([Found], Int) = ([], 0)
        while place < text.count {
            guard let link = link(in: text, at: place) else {
                place += 1
                continue
            }
            found.append(link)
            place = link.glyphs.upperBound
        }
        return found
    }

    /// How an address begins, and what is missing of it.
    private static let beginnings = ["https://", "http://", "www."].map { beginning in
        (codes: beginning.unicodeScalars.map(\.value), missing: beginning == "www." ? "https://" : "")
    }

    private static func link(in text: GlyphLine, at place: Int) -> Found? {
        guard place == 0 || !isWord(text.glyphs[place - 1]) else { return nil }
        for (codes, missing) in beginnings where begins(text, at: place, with: codes) {
            let end = end(of: text, from: place + codes.count)
            let address = missing + text.slice(place..<end).text
            if end > place + codes.count, RemoteURL(address) != nil { return (place..<end, address) }
        }
        return nil
    }

    private static func begins(_ text: GlyphLine, at place: Int, with codes: [UInt32]) -> Bool {
        place + codes.count <= text.count
            && codes.enumerated().allSatisfy { lowercase(text.glyphs[place + $0.offset].code) == $0.element }
    }

    private static func lowercase(_ code: UInt32) -> UInt32 { (0x41...0x5A).contains(code) ? code | 0x20 : code }

    private static func isWord(_ glyph: Glyph) -> Bool {
        let code = lowercase(glyph.code)
        return (0x61...0x7A).contains(code) || (0x30...0x39).contains(code)
    }

    /// The end of the address, without the punctuation of the sentence that it stands in.
    private static func end(of text: GlyphLine, from start: Int) -> Int {
        let delimiters = Set(" \n\"<>".unicodeScalars.map(\.value))
        var end = start
        let most = min(text.count, start + longest)
        while end < most, !delimiters.contains(text.glyphs[end].code) { end += 1 }
        let (opening, closing) = (Glyph("("), Glyph(")"))
        while end > start {
            let last = text.glyphs[end - 1]
            let address = text.glyphs[start..<end]
            let isUnmatched = last == closing && address.count { $0 == closing } > address.count { $0 == opening }
            guard isUnmatched || trailing.contains(last.code) else { break }
            end -= 1
        }
        return end
    }

    /// No address that leads anywhere is longer.
    private static let longest = 2_000
    private static let trailing = Set(".,;:!?'*]}’”…".unicodeScalars.map(\.value))
}
