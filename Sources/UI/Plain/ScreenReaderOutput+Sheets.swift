import Model

// Sheets, comments and what is typed, as lines.
extension ScreenReaderOutput {
    mutating func tellSheet(_ state: State, now: Duration) {
        guard let sheet = state.view.sheet else { return }
        let isNew = sheet != told.sheet
        let isAsked = state.questions.line != told.questions.line
        switch sheet {
        case .caption, .filter: break
        case .comments:
            if isNew { (told.comments, told.commentsTail) = ([], "") }
            tellComments(state, isNew: isNew, isAsked: isAsked, now: now)
        case .help, .trust, .diagnostics, .menu, .topics:
            let entries = state.plainEntries
            if isNew {
                let keys =
                    sheet.isMenu
                    ? hint(state, .scrollDown, "the next", before: "; ")
                        + hint(state, .choose, "selects it", before: ", ")
                    : ""
                lines.append("\(state.sheetContents?.title ?? "")\(keys)")
                lines += entries
            } else if isAsked, entries.indices.contains(state.view.line) {
                lines.append(entries[state.view.line])
            }
        }
    }

    private mutating func tellComments(_ state: State, isNew: Bool, isAsked: Bool, now: Duration) {
        let list = state.commentList
        let entries = list.entries
        if isNew {
            var line = "Comments" + (state.titleCount.map { ", \(Label.count($0))" } ?? "")
            if state.acceptsComments {
                line += hint(state, .choose, "adds one", before: "; ") + hint(state, .reply, "replies", before: ", ")
            }
            lines.append(line)
        }
        var hasNew = false
        for entry in entries where told.comments.insert(Self.name(of: entry.comment)).inserted {
            lines.append(state.plainComment(entry, now: now))
            hasNew = true
        }
        let tail = state.tail(of: list)
        if tail != told.commentsTail { lines.append(tail) }
        told.commentsTail = tail
        guard isAsked, !hasNew, entries.indices.contains(state.chosenComment) else { return }
        let comment = state.plainComment(entries[state.chosenComment], now: now)
        lines.append("\(state.chosenComment + 1) of \(entries.count): \(comment)")
    }

    /// By what a comment is known among those that were told. The user's own change their ids once they are sent.
    private static func name(of comment: Comment) -> String {
        guard comment.isOwn else { return "of others \(comment.id)" }
        if case .refused = comment.state { return "refused \(comment.text)" }
        return "own \(comment.text)"
    }

    // MARK: Typing

    /// The field was closed: what was typed is told.
    mutating func endTyping(_ state: State) {
        guard let before = told.typing, before.purpose != state.typing?.purpose else { return }
        let text = before.field.text
        told.found = nil
        guard let item = before.item else {
            lines.append(text.isEmpty ? "closed" : "find: \(text)")
            return
        }
        if text.allSatisfy(\.isWhitespace) {
            lines.append("closed")
        } else if state.discussion.draft(of: item) != nil {
            lines.append("closed; draft kept: \(text)")
        } else {
            lines.append("sending: \(text)")
            told.comments.insert("own \(CleanText.block(text, limit: 4_000))")
        }
    }

    mutating func tellTyping(_ state: State) {
        guard let typing = state.typing else { return }
        if typing.purpose != told.typing?.purpose {
            if typing.item != nil {
                let text = typing.field.isEmpty ? "" : ": \(typing.field.text)"
                lines.append("\(state.messageTitle)\(text); Enter sends, Esc closes")
            } else {
                lines.append("Find a title, creator or topic; Up and Down choose, Enter goes there, Esc closes")
            }
        }
        tellFound(state)
    }

    /// What a search has found, once it has looked at everything; and what is chosen of it.
    private mutating func tellFound(_ state: State) {
        guard let filter = state.typing?.filter, filter.isDone(state.items.count) else { return }
        let (count, chosen) = (filter.count(of: state.items.count), state.chosenMatch)
        let match = chosen < count ? filter.index(at: chosen) : nil
        let found = Found(words: filter.words, count: count, match: match)
        defer { told.found = found }
        // A letter more that changes nothing is not worth a line.
        guard found.count != told.found?.count || match != told.found?.match else { return }
        // That all clips are listed at first is no news.
        guard told.found != nil || !filter.isEmpty else { return }
        guard match != nil else {
            lines.append("no matches")
            return
        }
        let entry = filter.entry(at: chosen, of: state.items)
        let name = entry.name.isEmpty ? "" : ", \(entry.name.text)"
        if found.words == told.found?.words, found.count == told.found?.count {
            lines.append("\(chosen + 1) of \(count): \(entry.title.text)\(name)")
        } else {
            lines.append("\(count) found: \(entry.title.text)\(name)")
        }
    }
}
