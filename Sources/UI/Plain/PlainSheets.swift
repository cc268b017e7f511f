import Model

// Sheets, comments and what is typed, as lines.
extension ScreenReaderOutput {
    mutating func reportSheet(_ state: State, now: Duration) {
        guard let sheet = state.view.sheet else { return }
        let isNew = sheet != last.sheet
        let isAsked = state.questions.line != last.questions.line
        switch sheet {
        case .caption, .filter: break
        case .comments:
            if isNew { (last.comments, last.commentsTail) = ([], "") }
            reportComments(state, isNew: isNew, isAsked: isAsked, now: now)
        case .help, .trust, .diagnostics, .menu, .topics, .hide, .hidden, .places, .quality:
            let entries = state.plainEntries
            if isNew {
                let keys =
                    sheet.isMenu
                    ? hint(state, .scrollDown, "reads the next", before: "; ")
                        + hint(state, .choose, "selects it", before: ", ")
                    : ""
                lines.append("\(state.sheetContents?.title ?? "")\(keys)")
                lines += entries
            } else if isAsked, entries.indices.contains(state.view.line) {
                lines.append(entries[state.view.line])
            }
        }
    }

    private mutating func reportComments(_ state: State, isNew: Bool, isAsked: Bool, now: Duration) {
        let list = state.commentList
        let entries = list.entries
        if isNew {
            var line = "Comments" + (state.titleCountWords.map { ", \($0)" } ?? "")
            if state.acceptsComments {
                line += hint(state, .choose, "adds one", before: "; ") + hint(state, .reply, "replies", before: ", ")
            }
            lines.append(line)
        }
        var hasNew = false
        for entry in entries where last.comments.insert(Self.name(of: entry.comment)).inserted {
            lines.append(state.plainComment(entry, now: now))
            hasNew = true
        }
        let tail = state.tail(of: list)
        if tail != last.commentsTail { lines.append(tail) }
        last.commentsTail = tail
        guard isAsked, !hasNew, entries.indices.contains(state.chosenComment) else { return }
        let comment = state.plainComment(entries[state.chosenComment], now: now)
        lines.append("\(state.chosenComment + 1) of \(entries.count): \(comment)")
    }

    /// Identifies a comment among those printed. The ids of the user's own comments change once they are sent.
    private static func name(of comment: Comment) -> String {
        guard comment.isOwn else { return "of others \(comment.id)" }
        if case .refused = comment.state { return "refused \(comment.text)" }
        return "own \(comment.text)"
    }

    // MARK: Typing

    /// The field was closed: prints what was typed.
    mutating func endTyping(_ state: State) {
        guard let before = last.typing, before.purpose != state.typing?.purpose else { return }
        let text = before.field.text
        last.found = nil
        guard let item = before.item else {
            let what =
                switch before.purpose {
                case .hidden: "hide titles with"
                case .source: "add"
                case .report: "reported"
                default: "find"
                }
            lines.append(text.isEmpty ? "closed" : "\(what): \(text)")
            return
        }
        if text.allSatisfy(\.isWhitespace) {
            lines.append("closed")
        } else if state.discussion.draft(of: item) != nil {
            lines.append("closed; draft kept: \(text)")
        } else {
            lines.append("sending: \(text)")
            last.comments.insert("own \(CleanText.block(text, limit: 4_000))")
        }
    }

    mutating func reportTyping(_ state: State) {
        guard let typing = state.typing else { return }
        if typing.purpose != last.typing?.purpose {
            if typing.item != nil {
                let text = typing.field.isEmpty ? "" : ": \(typing.field.text)"
                lines.append("\(state.messageTitle)\(text); Enter sends, Esc closes")
            } else if typing.purpose == .source {
                lines.append("Add an address, folder or file to Home; Enter adds it, Esc closes")
            } else if case .report = typing.purpose {
                lines.append("Report the comment to the server's operator; type the reason, Enter sends it, Esc closes")
            } else if typing.purpose == .hidden {
                lines.append("Hide titles with these words; Enter hides them, Esc closes")
            } else {
                lines.append("Find a title, creator or topic; Up and Down choose, Enter goes there, Esc closes")
            }
        }
        reportFound(state)
    }

    /// What a search has found, once it has looked at everything; and what is chosen of it.
    private mutating func reportFound(_ state: State) {
        guard let filter = state.typing?.filter, filter.isDone(state.items.count) else { return }
        let (count, chosen) = (filter.count(of: state.items.count), state.chosenMatch)
        let match = chosen < count ? filter.index(at: chosen) : nil
        let found = Found(words: filter.words, count: count, match: match)
        defer { last.found = found }
        // A letter more that changes nothing is not worth a line.
        guard found.count != last.found?.count || match != last.found?.match else { return }
        // That all clips are listed at first is no news.
        guard last.found != nil || !filter.isEmpty else { return }
        guard match != nil else {
            lines.append("no matches")
            return
        }
        let entry = filter.entry(at: chosen, of: state.items)
        let others = filter.reason(for: entry).others
        let name = ([entry.name] + others).filter { !$0.isEmpty }.map { ", \($0.text)" }.joined()
        if found.words == last.found?.words, found.count == last.found?.count {
            lines.append("\(chosen + 1) of \(count): \(entry.title.text)\(name)")
        } else {
            lines.append("\(count) found: \(entry.title.text)\(name)")
        }
    }
}
