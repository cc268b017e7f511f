import Model

/// An item's text, cleaned and laid out once, so that each drawing is cheap. A value.
public struct PageContent: Sendable, Equatable {
    public var item: Item
    /// The creator, else the file's folder, else the artist in the file's tags, else the title.
    public var name: GlyphLine
    /// One glyph, one or two columns wide.
    public var initial: GlyphLine
    public var hasCreator: Bool
    /// Where the creator's picture is.
    var avatar: String?
    /// Whether there is a creator to follow, or a folder that stands in for one: not the user, who may own the clip.
    var canFollow: Bool
    /// The title, the artist and the description, each below the other, without what `name` and the title already say.
    public var caption: GlyphLine
    /// How many glyphs of the caption belong to the title, which is bold.
    public var titleCount: Int
    /// Whether an address stands below the title.
    let hasLinks: Bool
    /// The topics as the feed writes them, and as they are shown.
    public var topics: [String]
    public var tags: [GlyphLine]
    /// Where the description names one of these topics: ranges of the caption's glyphs, in order.
    let namedTopics: [Range<Int>]
    public var sound: GlyphLine
    public var title: GlyphLine
    /// The artist in the file's tags, where those name the item and `name` is another; else empty.
    var artist: String
    /// 0 … 100, clamped.
    public var trust: Int?
    /// What the feed calls that score; empty if it has no words for it.
    public var trustLabel: GlyphLine

    /// - Parameters:
    ///   - tags: the file's, where they name the item.
    ///   - playing: what plays now, as a radio or the file's tags name it, in place of the sound that the feed names;
    ///     cleaned, and empty if it is unknown.
    ///   - isASCII: replaces characters beyond ASCII.
    ///   - isCovered: a warning stands in place of the description, if there is one.
    public init(
        _ item: Item, tags fileTags: ClipFacts.Tags? = nil, playing: [String] = [], isASCII: Bool = false,
        isCovered: Bool = false
    ) {
        self.item = item
        let (creator, title) = (
            CleanText.line(item.creator?.name ?? "", limit: 120), fileTags?.title ?? Self.title(of: item)
        )
        hasCreator = !creator.isEmpty
        avatar = creator.isEmpty ? nil : item.creator?.avatar.flatMap { $0.isEmpty ? nil : $0 }
        let owner = hasCreator ? creator : CleanText.line(item.folder ?? "", limit: 120)
        canFollow = !owner.isEmpty && item.author != nil && !item.own
        let performer = fileTags?.artist ?? ""
        let nameText = [owner, performer, title].first { !$0.isEmpty } ?? ""
        artist = performer == nameText ? "" : performer
        name = GlyphLine(nameText)
        self.title = GlyphLine(title)
        initial = Self.initial(of: name)
        caption = nameText == title ? GlyphLine() : self.title
        titleCount = caption.count
        if !artist.isEmpty { caption.append(GlyphLine(caption.isEmpty ? artist : "\n" + artist)) }
        let text = Self.description(of: item, limit: Self.limit, isCovered: isCovered)
        if !text.isEmpty {
            if !caption.isEmpty { caption.append(GlyphLine.newline, width: 0) }
            caption.append(GlyphLine(text))
        }
        let titleEnd = titleCount
        hasLinks = LinkFinder.links(in: caption).contains { $0.glyphs.lowerBound >= titleEnd }
        topics = item.tags.prefix(12).filter { !CleanText.line($0, limit: 40).isEmpty }
        tags = topics.map { GlyphLine("#" + CleanText.line($0, limit: 40)) }
        namedTopics = Self.places(of: tags, in: caption, from: titleEnd)
        let named = [item.sound?.title, item.sound?.artist].compactMap { $0 }
            .map { CleanText.line($0, limit: 120) }.filter { !$0.isEmpty }
        sound = GlyphLine((playing.isEmpty ? named : playing).joined(separator: isASCII ? " - " : " · "))
        trust = item.trust.map { min(max($0.score, 0), 100) }
        trustLabel = GlyphLine(CleanText.line(item.trust?.label ?? "", limit: 40))
    }

    /// Whether the name is the title: there is no creator, folder or artist.
    var isNamedByTitle: Bool { titleCount == 0 && !hasCreator && !canFollow }

    /// What of the caption is below its title.
    var captionBelowTitle: Range<Int> {
        titleCount == 0 ? 0..<caption.count : min(titleCount + 1, caption.count)..<caption.count
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

    private static let beforeTopics = Set(" \n(".unicodeScalars.map(\.value))
    private static let endsOfTopics = Set(" \n.,;:!?()[]{}<>\"'/#".unicodeScalars.map(\.value))

    /// The hashtags in a text that are among `tags`, in capitals or not.
    private static func places(of tags: [GlyphLine], in text: GlyphLine, from start: Int) -> [Range<Int>] {
        let (names, sign) = (Set(tags.map { $0.text.lowercased() }), Glyph("#"))
        guard !names.isEmpty else { return [] }
        return (start..<text.count).compactMap { place in
            guard text.glyphs[place] == sign, place == 0 || beforeTopics.contains(text.glyphs[place - 1].code) else {
                return nil
            }
            let end = text.glyphs[(place + 1)...].firstIndex { endsOfTopics.contains($0.code) } ?? text.count
            return names.contains(text.slice(place..<end).text.lowercased()) ? place..<end : nil
        }
    }

    static func title(of item: Item) -> String {
        let title = CleanText.line(item.title ?? "", limit: 300)
        return title.isEmpty ? CleanText.line(SafeURL.text(item.url), limit: 300) : title
    }

    /// The most characters of a description that stand on a page.
    private static let limit = 3_000

    /// Whether the caption is read in its sheet, even where it fits on the page: it is not all of the description, or
    /// has links, which are chosen there.
    var needsSheet: Bool { hasLinks || (item.text?.unicodeScalars.count ?? 0) > Self.limit }

    /// The description, clean. Omits the title if the first line repeats it; empty where a warning takes its place.
    static func description(of item: Item, limit: Int, isCovered: Bool) -> String {
        if isCovered, item.warning != nil { return "" }
        let (text, title) = (CleanText.block(item.text ?? "", limit: limit), title(of: item))
        guard text.hasPrefix(title) else { return text }
        let rest = text.dropFirst(title.count)
        if rest.isEmpty { return "" }
        return rest.first == "\n" ? String(rest.drop { $0 == "\n" }) : text
    }
}
