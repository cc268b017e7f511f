import Model

extension OverlayDrawing {
    /// The current toast, over everything else but the scrubber. It opens from its middle and closes to it, because
    /// columns are fine enough for a smooth motion and rows are not; with enough colours it is blended in meanwhile.
    mutating func drawToast(_ state: State, now: Duration) {
        guard let (frame, lines) = state.toast(now: now) else { return }
        let exposure = state.options.reducedMotion ? 1 : state.toasts.exposure(now: now)
        let (left, width) = (frame.column, frame.columns)
        // Fast at first, then slower.
        let hidden = Int((Double(width) / 2 * (1 - exposure) * (1 - exposure)).rounded())
        guard exposure > 0, hidden * 2 < width else { return }
        let open = (left + hidden)..<(left + width - hidden)
        for (place, line) in lines.enumerated() {
            let row = frame.row + place
            fill(GridRect(column: open.lowerBound, row: row, columns: open.count, rows: 1), with: state.theme.panel)
            var column = left + 2
            for index in line.glyphs.indices {
                let glyph = line.slice(index..<(index + 1))
                if column >= open.lowerBound, column + glyph.columns <= open.upperBound {
                    put(
                        glyph, column: column, row: row, color: state.theme.panelText, ground: state.theme.panel,
                        style: .bold)
                }
                column += glyph.columns
            }
            guard options.color == .truecolor || options.color == .palette256 else { continue }
            for column in open { grid[column, row].opacity = UInt8((exposure * 255).rounded()) }
        }
    }
}

extension State {
    /// The most columns of a toast, with two blank ones at both sides: a line that is read at a glance.
    private static let toastColumns = 40
    /// The same of one that is to be copied by hand.
    private static let wholeToastColumns = 48

    /// The columns that a toast may cover in the row `first` and below: not the name in the top row, nor the rail and
    /// the column before it.
    private func toastRoom(isWhole: Bool, from first: Int) -> Range<Int> {
        if first == 0 { return roomBesideName }
        guard !isWhole, let rail = shownRail, rail.row < first + Toasts.lines else {
            return 2..<max(size.columns - 2, 7)
        }
        return 1..<max(rail.column - 1, 6)
    }

    /// The rail of the page in view; nil where it has none, or none that can be seen.
    private var shownRail: GridRect? {
        guard view.sheet == nil, typing == nil, feed.grid == nil, !view.isClear, items.count > 0 else { return nil }
        let rail = PageLayout(self, index: current).rail
        return rail.rows > 0 ? rail : nil
    }

    private func textColumns(isWhole: Bool, in room: Range<Int>) -> Int {
        min(room.count, isWhole ? Self.wholeToastColumns : Self.toastColumns) - 4
    }

    /// The lines of the current toast, and the cells that it covers once it is open; nil without one.
    func toast(now: Duration) -> (frame: GridRect, lines: [GlyphLine])? {
        guard let toast = toasts.current else { return nil }
        let (first, most) = toastRows(of: toast, now: now)
        let room = toastRoom(isWhole: toast.isWhole, from: first)
        let lines = toast.text.lines(
            of: textColumns(isWhole: toast.isWhole, in: room), limit: most,
            ellipsis: Glyph(options.isASCII ? "~" : "…"))
        let width = (lines.map(\.columns).max() ?? 0) + 4
        var column = max(min((size.columns - width) / 2, room.upperBound - width), room.lowerBound)
        // The page's number is shown, or not at all.
        if first == 0, column + width >= topRoom.upperBound { column = max(room.upperBound - width, room.lowerBound) }
        return (GridRect(column: column, row: first, columns: width, rows: lines.count), lines)
    }

    /// A notice that ends in an address or a path, which loses its middle if a toast has no room for all of it. Clean.
    func notice(_ words: String, link: String) -> String {
        let (words, link) = (CleanText.line(words, limit: 300), GlyphLine(CleanText.line(link, limit: 2_000)))
        let columns = textColumns(isWhole: false, in: toastRoom(isWhole: false, from: 2))
        let ellipsis = Glyph(options.isASCII ? "~" : "…")
        var room = min(link.columns, Toasts.lines * columns)
        func text() -> GlyphLine { GlyphLine(words + ": ") + link.shortened(to: room, ellipsis: ellipsis) }
        while room > columns / 2, text().wrapped(to: columns).count > Toasts.lines { room -= 1 }
        return text().text
    }

    /// An error's text with the servers' names in place of addresses, but in plain mode, which prints whole lines.
    func namingServers(in text: String) -> String { options.isPlain ? text : text.namingServers }

    /// The row that a toast begins in, and the most rows that it has: below the top row with a blank one between;
    /// directly below it where a sheet or a subtitle would lie under it; in it where those have all other rows.
    fileprivate func toastRows(of toast: Toasts.Toast, now: Duration) -> (first: Int, most: Int) {
        var end = size.rows
        if view.sheet != nil {
            end = SheetLayout(self).frame.row
        } else if typing == nil, feed.grid == nil, items.count > 0, !pager.isMoving,
            let subtitle = setSubtitle(PageLayout(self, index: current), now: now)
        {
            end = subtitle.frame.row
        }
        let most = toast.isWhole ? max(size.rows - 3, Toasts.lines) : Toasts.lines
        let columns = textColumns(isWhole: toast.isWhole, in: toastRoom(isWhole: toast.isWhole, from: 2))
        let rows = min(toast.text.wrapped(to: columns).count, most)
        let isBelowTop = view.sheet == nil && typing == nil && 2 + rows <= end
        if isBelowTop { return (2, most) }
        let first = end > 1 ? 1 : 0
        return (first, toast.isWhole ? most : min(most, max(end - first, 1)))
    }
}

extension String {
    /// The text with the server's name in place of each address, or a file's name in place of its URL: a toast of forty
    /// columns has no room for more.
    fileprivate var namingServers: String {
        split(separator: " ", omittingEmptySubsequences: false).map(Self.namingServer).joined(separator: " ")
    }

    private static func namingServer(in word: Substring) -> String {
        guard let mark = word.firstRange(of: "://") else { return String(word) }
        let before = word[..<mark.lowerBound].reversed().drop { $0.isLetter || $0.isNumber || "+-.".contains($0) }
        let rest = word[mark.upperBound...]
        let address = rest.prefix { !"'\",;)".contains($0) }
        let authority = address.prefix { !"/?#".contains($0) }
        // Without user name and password.
        let name = authority.split(separator: "@").last ?? address.split(separator: "/").last ?? ""
        return String(before.reversed()) + name + rest[address.endIndex...]
    }
}
