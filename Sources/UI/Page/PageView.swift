import Model

/// What the user has opened of the page in view, and how far it is scrolled: a sheet over it, its whole caption, its
/// topics; and the hint at the keys. A value.
public struct PageView: Sendable {
    /// How long the hint at the keys is shown.
    static let hintLength = Duration.seconds(4)

    public private(set) var sheet: State.Sheet?
    /// The chosen entry of the menu, or the top line of another sheet.
    public private(set) var line = 0
    /// What the menu opens at.
    private(set) var menuPlace = State.MenuPlace.rail
    /// Whether the caption is shown whole in its place.
    public private(set) var isExpanded = false
    /// Whether nothing is drawn over the clip. It stays so from page to page, until something is opened.
    public private(set) var isClear = false
    /// The chosen link of the caption's sheet.
    private(set) var link: Int?
    /// What that sheet shows, so that it is not laid out for every drawing.
    private var captionText: CaptionText?
    /// The first topic that is not scrolled away.
    public private(set) var firstChip = 0
    /// Until when the key for help is shown, and whether that is at the first run.
    private(set) var hint: (until: Duration, isFirst: Bool)?

    /// Enter, which opens the menu when it is held.
    var enter = HeldKey()

    /// Another page comes into view.
    mutating func arrive() { (sheet, line, isExpanded, firstChip) = (nil, 0, false, 0) }

    // MARK: Sheets

    /// Opens a sheet at its first line.
    mutating func open(_ wanted: State.Sheet) { (sheet, line, hint, isClear) = (wanted, 0, nil, false) }

    /// Opens a sheet, or closes it if it is open already.
    mutating func toggle(_ wanted: State.Sheet) {
        let isOpen = sheet == wanted
        open(wanted)
        if isOpen { close() }
    }

    mutating func toggleMenu(at place: State.MenuPlace) {
        menuPlace = place
        toggle(.menu)
    }

    /// Opens the caption's sheet, or closes it.
    mutating func toggleCaption() {
        (isExpanded, link) = (false, nil)
        toggle(.caption)
    }

    /// Closes the sheet.
    mutating func close() { sheet = nil }

    /// Something else comes in place of the page.
    mutating func closeAll() { (sheet, isExpanded, hint, isClear) = (nil, false, nil, false) }

    /// Hides what lies over the clip, or shows it again.
    mutating func toggleClear() { isClear.toggle() }

    mutating func showOverlay() { isClear = false }

    /// Goes to a line of the sheet.
    mutating func go(to line: Int) { self.line = line }

    /// Scrolls by lines, to `last` at most.
    mutating func scroll(by lines: Int, last: Int) { line = min(max(line + lines, 0), last) }

    // MARK: The caption

    /// Shows the caption whole in its place, or its first lines.
    mutating func expand(_ isWanted: Bool) { (isExpanded, isClear) = (isWanted, isClear && !isWanted) }

    /// The text of the caption's sheet at a width.
    func captionText(of content: PageContent, columns: Int, isCovered: Bool) -> CaptionText {
        let source = CaptionText.Source(
            item: content.item.id, title: content.title, artist: content.artist, text: content.item.text,
            columns: columns, isCovered: isCovered)
        if let captionText, captionText.source == source { return captionText }
        return CaptionText(content, source: source)
    }

    /// Keeps the text for the next drawings; nil drops it.
    mutating func keep(_ text: CaptionText?) { captionText = text }

    mutating func choose(link: Int) { self.link = link }

    // MARK: Topics

    /// Scrolls sideways, to the last topic at most.
    mutating func scrollChips(by count: Int, of total: Int) { firstChip = min(max(firstChip + count, 0), total - 1) }

    // MARK: The hint at the keys

    mutating func showHint(isFirst: Bool, now: Duration) { hint = (now + Self.hintLength, isFirst) }

    mutating func hideHint(at now: Duration) {
        if let hint, now >= hint.until { self.hint = nil }
    }
}
