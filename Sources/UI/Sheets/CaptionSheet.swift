import Model

/// The whole caption of the current item: on its page if it fits there and has no links, else in a sheet.
extension State {
    /// Opens the caption, or closes it.
    mutating func expand() -> [Effect] {
        if options.isPlain {
            questions.caption += 1
            return []
        }
        if view.sheet == .caption { return open(.caption) }
        guard let content, !content.caption.isEmpty else { return [] }
        let layout = PageLayout(self, index: current)
        let lines = layout.captionLines.count
        if layout.isExpanded {
            view.expand(false)
        } else if lines > layout.captionRoom || content.needsSheet {
            view.toggleCaption()
        } else {
            view.expand(lines > layout.caption.rows)
        }
        return []
    }

    /// The text of the caption's sheet at a width.
    func captionText(columns: Int) -> CaptionText {
        let content = content(of: current)
        return view.captionText(of: content, columns: columns, isCovered: covers(content.item))
    }

    /// Lays out the caption's sheet while it is open.
    mutating func prepareCaption() {
        view.keep(view.sheet == .caption ? captionText(columns: SheetLayout(self).body.columns) : nil)
    }

    /// Moves to another link of the caption, and scrolls just enough to show it.
    mutating func moveLink(by step: Int) {
        guard view.sheet == .caption else { return }
        let layout = SheetLayout(self)
        let text = captionText(columns: layout.body.columns)
        guard let number = text.link(step, from: layout.link, inView: layout.inView) else { return }
        let lines = text.links[number].lines
        view.choose(link: number)
        view.go(to: min(max(layout.first, lines.upperBound - layout.body.rows), lines.lowerBound))
    }

    /// Opens a link of the caption in another program.
    mutating func openLink(_ number: Int?) -> [Effect] {
        let links = captionText(columns: SheetLayout(self).body.columns).links
        guard let number, links.indices.contains(number) else { return [] }
        view.choose(link: number)
        return [.openElsewhere(links[number].address)]
    }
}

extension CaptionText {
    /// A line as the sheet shows it.
    func row(_ number: Int) -> SheetRow {
        let line = lines[number]
        var (row, at) = (SheetRow(), line.lowerBound)
        func add(to end: Int, _ tone: SheetRow.Tone, link: Int? = nil) {
            guard at < end else { return }
            let column = row.spans.last.map { $0.column + $0.line.columns } ?? 0
            row.spans.append(SheetRow.Span(column: column, line: text.slice(at..<end), tone: tone, link: link))
            at = end
        }
        let tone = line.lowerBound < titleCount ? SheetRow.Tone.heading : .text
        for (place, link) in links.enumerated() where link.lines.contains(number) {
            add(to: link.glyphs.lowerBound, tone)
            add(to: min(link.glyphs.upperBound, line.upperBound), .link, link: place)
        }
        add(to: line.upperBound, tone)
        return row
    }
}
