import Model

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// An item's text, cleaned and laid out once, so that each drawing is cheap. A value.
public struct PageContent: Sendable, Equatable {
    public var item: Item
    public var name: GlyphLine
    /// One glyph, one or two columns wide.
    public var initial: GlyphLine
    public var hasCreator: Bool
    /// The title, and the description below it.
    public var caption: GlyphLine
    /// How many glyphs of the caption belong to the title, which is bold.
    public var titleCount: Int
    public var tags: [GlyphLine]
    public var sound: GlyphLine
    public var title: GlyphLine
    /// 0 … 100, clamped.
    public var trust: Int?

    /// - Parameter isASCII: replaces characters beyond ASCII.
    public init(_ item: Item, isASCII: Bool = false) {
        self.item = item
        title = GlyphLine(CleanText.line(item.title ?? Self.fileName(of: item.url), limit: 300))
        let creator = CleanText.line(item.creator?.name ?? "", limit: 120)
        hasCreator = !creator.isEmpty
        name = hasCreator ? GlyphLine(creator) : title
        initial = Self.initial(of: name)
        caption = hasCreator ? title : GlyphLine()
        titleCount = caption.count
        let text = CleanText.block(item.text ?? "", limit: 3_000)
        if !text.isEmpty {
            if !caption.isEmpty { caption.append(GlyphLine.newline, width: 0) }
            caption.append(GlyphLine(text))
        }
        tags = item.tags.prefix(12).map { GlyphLine("#" + CleanText.line($0, limit: 40)) }.filter { $0.count > 1 }
        let sound = [item.sound?.title, item.sound?.artist].compactMap { $0 }
            .map { CleanText.line($0, limit: 120) }.filter { !$0.isEmpty }
        self.sound = GlyphLine(sound.joined(separator: isASCII ? " - " : " · "))
        trust = item.trust.map { min(max($0.score, 0), 100) }
    }

    /// The first glyph of a name; its capital if that is as wide.
    private static func initial(of name: GlyphLine) -> GlyphLine {
        guard let first = name.glyphs.indices.first(where: { name.glyphs[$0] != .space }) else { return GlyphLine("?") }
        let upper = Unicode.Scalar(name.glyphs[first].code)?.properties.uppercaseMapping.unicodeScalars
        if let upper, upper.count == 1, let scalar = upper.first, DisplayWidth.of(scalar) == Int(name.widths[first]) {
            return GlyphLine(String(scalar))
        }
        return name.slice(first..<(first + 1))
    }

    /// The last part of a URL's path, for items without a title.
    private static func fileName(of url: String) -> String {
        let path = url.prefix { $0 != "?" && $0 != "#" }
        let name = path.split(separator: "/").last ?? url[...]
        // Bytes that are not UTF-8 become U+FFFD.
        return String(decoding: FileURL.percentDecoded(String(name)), as: UTF8.self)
    }
}
