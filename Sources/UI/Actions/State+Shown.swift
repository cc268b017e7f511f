import Model

/// What the page shows by itself, so that no toast needs to say it.
extension State {
    /// Whether the current page has the button in view.
    func shows(_ button: PageLayout.Button) -> Bool {
        guard items.count > 0, sheet == nil, !options.isPlain else { return false }
        let layout = PageLayout(self, index: current)
        switch button {
        case .follow: return layout.follow != nil
        case .trust: return layout.trust != nil
        case .caption: return layout.caption.rows > 0
        case .message: return layout.message != nil
        case .like, .dislike, .comments, .save, .share: return layout.buttons.contains { $0.button == button }
        }
    }

    /// "3/20".
    var pageNumber: String { "\(pager.target + 1)/\(items.count)" }

    private var topMargin: Int { size.columns >= 60 ? 2 : 1 }

    /// The columns of the top row from its left margin to the number of the page.
    var topRoom: Range<Int> { topMargin..<max(menuFrame.column - 2 - pageNumber.utf8.count, topMargin) }

    /// The button at the end of the top row that opens the menu.
    var menuFrame: GridRect { GridRect(column: size.columns - topMargin - 1, row: 0, columns: 1, rows: 1) }

    /// What stays as it is until a key changes it; shown in the top row, in this order.
    enum Badge: Sendable, Equatable { case paused, speed, muted, auto, offline }

    private var badges: [(badge: Badge, text: String)] {
        var badges: [(Badge, String)] = []
        if isPaused, !isHeld, clip.failure == nil {
            badges.append((.paused, "\(Symbols(options).pause) \(clip.hasEnded ? "ended" : "paused")"))
        }
        if speed != 1 { badges.append((.speed, Self.speedText(speed))) }
        if isMuted { badges.append((.muted, "muted")) }
        if autoAdvances { badges.append((.auto, "auto")) }
        if let offlineBadge { badges.append((.offline, offlineBadge)) }
        return badges
    }

    /// The badges that have room before column `end`, from the left margin on with a column between them.
    func badges(before end: Int) -> [(badge: Badge, line: GlyphLine)] {
        var column = topRoom.lowerBound
        var shown: [(Badge, GlyphLine)] = []
        for (badge, text) in badges {
            let line = GlyphLine(" \(text) ")
            guard column + line.columns < end - 1 else { break }
            shown.append((badge, line))
            column += line.columns + 1
        }
        return shown
    }

    /// Whether the badge is in view.
    func shows(_ badge: Badge) -> Bool {
        items.count > 0 && !options.isPlain && badges(before: topRoom.upperBound).contains { $0.badge == badge }
    }
}
